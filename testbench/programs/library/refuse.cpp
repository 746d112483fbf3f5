// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/library/refuse.h"

#include "testbench/programs/preload/client.h"

#include <cerrno>

namespace rnicsim::programs {

int refuse(const char* name, std::atomic<bool>& said) {
    if (!said.exchange(true)) rnicsim_say("a program asks for what the simulated card does not have: ", name);
    errno = EOPNOTSUPP;
    return EOPNOTSUPP;
}

}  // namespace rnicsim::programs
