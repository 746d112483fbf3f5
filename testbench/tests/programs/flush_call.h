// SPDX-License-Identifier: Apache-2.0
// How a program asks for a FLUSH: by ibv_wr_flush, or, where the header has no name for it yet (Debian 12), by its
// place in the ABI, as a program does that was built with a newer header. RNICSIM_VERBS_HAS_FLUSH is CMake's.
#pragma once

#include "testbench/programs/protocol/flush_numbers.h"

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace calls {

enum class Placement : std::uint8_t { global = 1, persistent = 2 };
enum class Level : std::uint8_t { range = 0, region = 1 };

inline void wr_flush(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t address, std::size_t bytes, Placement placement,
                     Level level) {
    const auto type = static_cast<std::uint8_t>(placement), how = static_cast<std::uint8_t>(level);
#ifdef RNICSIM_VERBS_HAS_FLUSH
    using namespace rnicsim::programs;
    static_assert(kWrFlush == IBV_WR_FLUSH && kWcFlush == IBV_WC_FLUSH && kQpExWithFlush == IBV_QP_EX_WITH_FLUSH);
    static_assert(kAccessFlushGlobal == IBV_ACCESS_FLUSH_GLOBAL);
    static_assert(kAccessFlushPersistent == IBV_ACCESS_FLUSH_PERSISTENT);
    static_assert(kMostFlushPlacement == (IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT));
    static_assert(kMostFlushSelectivity == IBV_FLUSH_MR && IBV_FLUSH_RANGE == 0);
    ibv_wr_flush(qp, rkey, address, bytes, type, how);
#else
    void (*call)(ibv_qp_ex*, std::uint32_t, std::uint64_t, std::size_t, std::uint8_t, std::uint8_t) = nullptr;
    std::memcpy(&call, reinterpret_cast<const char*>(qp) + sizeof(ibv_qp_ex), sizeof call);
    call(qp, rkey, address, bytes, type, how);
#endif
}

/// A QP of the new post API that may ask for WRITEs, READs and FLUSHes.
inline ibv_qp* create_qp_that_flushes(ibv_pd* pd, const ibv_qp_init_attr& as) {
    ibv_qp_init_attr_ex wanted{};
    std::memcpy(&wanted, &as, sizeof as);  // it begins with the same fields
    wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    wanted.pd = pd;
    wanted.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ | rnicsim::programs::kQpExWithFlush;
    return ibv_create_qp_ex(pd->context, &wanted);
}

}  // namespace calls
