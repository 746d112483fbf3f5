// SPDX-License-Identifier: Apache-2.0
// The computer that this program runs on, for manifests.
#pragma once

#include <string>

namespace rnicsim::runner {

struct Machine {
    std::string cpu;
    unsigned cores = 0;
};

Machine this_machine();

}  // namespace rnicsim::runner
