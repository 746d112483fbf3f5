// SPDX-License-Identifier: Apache-2.0
// Nothing here is pinned for a card, so a fork needs no care.
#include "testbench/programs/library/abi.h"

int ibv_fork_init() { return 0; }

ibv_fork_status ibv_is_fork_initialized() { return IBV_FORK_UNNEEDED; }

extern "C" int ibv_dontfork_range(void*, std::size_t) { return 0; }

extern "C" int ibv_dofork_range(void*, std::size_t) { return 0; }
