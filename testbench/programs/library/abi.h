// SPDX-License-Identifier: Apache-2.0
// The public header of libibverbs, without the macros that stand before functions that this library defines.
#pragma once

#include <infiniband/verbs.h>

#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
