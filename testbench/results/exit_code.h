// SPDX-License-Identifier: Apache-2.0
// Exit codes of the program; `rnicsim --help` explains them.
#pragma once

namespace rnicsim::runner {

enum ExitCode : int {
    kOk = 0,
    kSimulationFailed = 1,
    kBadInput = 2,
    kIncomplete = 3,
    kAllTransfersFailed = 4,
    kInterrupted = 130
};

}  // namespace rnicsim::runner
