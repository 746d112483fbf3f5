// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/cut_words.h"

#include "testbench/events/microseconds.h"

#include <fmt/format.h>

namespace rnicsim {

std::string where_it_is(const FalseExample& example) {
    const std::string then = fmt::format(", and at {} us ", exact_microseconds(example.at));
    if (!example.line) return then + "no byte of it has come";
    return then +
           fmt::format("line 0x{:x} of it is {}{}", *example.line * kLineBytes,
                       example.stage == WriteStage::nowhere ? "nowhere" : "in the ",
                       example.stage == WriteStage::nowhere ? "" : stage_name(example.stage)) +
           (example.overwritten ? ": an older version has come over it" : "");
}

}  // namespace rnicsim
