// SPDX-License-Identifier: Apache-2.0
// /dev/infiniband/rdma_cm: what a program writes there goes to the simulator's connection manager, which says what the
// kernel's would. librdmacm does all else. An open one is a socket that is readable while it has events.
#pragma once

#include <sys/types.h>
#include <cstddef>

namespace rnicsim::programs {

/// Whether this is the device's path, and there is a simulator: the program is to see its device, not the machine's.
bool is_rdma_cm(const char* path);

/// A descriptor, or -1 and errno.
int open_rdma_cm(int flags);

/// Whether this is one of open_rdma_cm(). Costs a load.
bool is_rdma_cm(int descriptor);

/// As write(2) of the device.
ssize_t write_rdma_cm(int descriptor, const void* command, std::size_t bytes);

/// It is about to be closed: its identifiers go.
void leave_rdma_cm(int descriptor);

}  // namespace rnicsim::programs
