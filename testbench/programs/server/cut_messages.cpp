// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/cut_messages.h"

#include "testbench/programs/server/process_memory.h"

#include <fmt/format.h>

#include <bit>

namespace rnicsim::programs {

std::string in_words(const MessageInfo& message, const HostNames& names) {
    return fmt::format("work request {} of {}.q{}, {} B at 0x{:x}", message.index, names[message.from], message.qp,
                       message.bytes, ProcessMemory::in_program(message.begin));
}

std::uint64_t CutMessages::take(const LineWrite& write) {
    const std::uint64_t first = write.line * kLineBytes + static_cast<std::uint64_t>(std::countr_zero(write.mask));
    const auto bytes = static_cast<std::uint64_t>(std::popcount(write.mask));
    for (auto& [connection, coming] : on_the_way_) {
        for (auto one = coming.begin(); one != coming.end(); ++one) {
            const MessageInfo& message = info(one->message);
            if (first - message.begin >= message.bytes || one->left < bytes) continue;
            const std::uint64_t number = one->message;
            one->left -= bytes;
            if (one->left == 0) coming.erase(one);
            return number;
        }
    }
    return 0;
}

}  // namespace rnicsim::programs
