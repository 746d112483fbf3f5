// SPDX-License-Identifier: Apache-2.0
// What is to be said of power cuts of hosts with programs.
#pragma once

#include "tlm/time/time.h"

#include <optional>

namespace rnicsim::programs {

struct CutRequest {
    /// A READ that completes is taken to tell its program that the WRITEs of its QP before it are durable, and memory
    /// that a peer may read and write is persistent. Who flushes by READs cannot be told from who reads.
    bool reads_flush = false;
    /// The k-th message that comes to a QP answers its k-th SEND, and is taken to tell its program that the WRITEs
    /// before that SEND are durable; memory is persistent likewise. What the other side's processor flushes is seen if
    /// it is by msync() or libpmem.
    bool replies_flush = false;
    std::optional<Time> at;  ///< say what a cut at this instant would have left
};

}  // namespace rnicsim::programs
