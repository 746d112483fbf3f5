// SPDX-License-Identifier: Apache-2.0
// What Linux refuses to pin for a process (ib_umem_get() in drivers/infiniband/core/umem.c), found without touching a
// page of it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace rnicsim::programs {

/// 0, or the errno with which memory is not registered, as the process would have `pages` of 4 KiB pinned then: EPERM
/// where it may not lock any, ENOMEM beyond its RLIMIT_MEMLOCK; with CAP_IPC_LOCK neither. A limit counts that is lower
/// than this process's own, as then somebody has set it for the program: the machine's usual one, 8 MiB, is not that
/// of a host with an RDMA card, whose administrator has raised it.
[[nodiscard]] int why_not_locked(pid_t process, std::uint64_t pages);

/// More than these nobody has pinned here at once, pages of 4 KiB.
[[nodiscard]] std::uint64_t pages_of_machine();

}  // namespace rnicsim::programs
