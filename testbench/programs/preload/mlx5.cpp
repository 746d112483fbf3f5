// SPDX-License-Identifier: Apache-2.0
// What libmlx5 is asked about a card. perftest asks it about any card (25.01, create_reg_qp_main(), unless --no_ddp),
// and makes no QP if the answer is an error, which libmlx5 gives of cards that are not its own.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/paths.h"

#include <infiniband/mlx5dv.h>

namespace {

rnicsim::programs::Next<int(ibv_context*, mlx5dv_context*)> g_query("mlx5dv_query_device");

}  // namespace

/// A card of the simulator has none of the features that mlx5dv tells of: no flag is set, and no field is filled.
extern "C" int mlx5dv_query_device(ibv_context* context, mlx5dv_context* to) {
    if (!rnicsim::programs::has_simulator()) return g_query(context, to);
    to->version = 0;
    to->flags = 0;
    to->comp_mask = 0;
    return 0;
}
