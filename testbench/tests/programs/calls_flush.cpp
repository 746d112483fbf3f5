// SPDX-License-Identifier: Apache-2.0
// FLUSH, as the library takes it.
#include "testbench/tests/programs/calls.h"
#include "testbench/tests/programs/flush_call.h"

namespace calls {
namespace {

int flush(ibv_qp_ex* qp, std::uint32_t rkey, const void* at, std::size_t bytes, std::uint8_t placement,
          std::uint8_t level) {
    ibv_wr_start(qp);
    qp->wr_id = 7;
    qp->wr_flags = IBV_SEND_SIGNALED;
    wr_flush(qp, rkey, reinterpret_cast<std::uint64_t>(at), bytes, Placement{placement}, Level{level});
    return ibv_wr_complete(qp);
}

}  // namespace

CALLS_CASE(
    flushes,
    "a FLUSH needs its right; one for nothing, of too much, or with SGEs is refused, and so is its opcode in a list") {
    const Opened card;
    ibv_qp* const qp = create_qp_that_flushes(card.pd, init_of(card));
    CHECK(qp != nullptr);
    connect(qp, qp->qp_num);
    ibv_qp_ex* const ex = ibv_qp_to_qp_ex(qp);
    ibv_mr* const mr =
        ibv_reg_mr(card.pd, card.memory, 4096, kAll | static_cast<int>(rnicsim::programs::kAccessFlushPersistent));
    CHECK(mr != nullptr);
    CHECK(flush(ex, mr->rkey, card.memory, 64, 0, 0) == EINVAL && flush(ex, mr->rkey, card.memory, 64, 4, 0) == EINVAL);
    CHECK(flush(ex, mr->rkey, card.memory, 64, 2, 2) == EINVAL);
    CHECK(flush(ex, mr->rkey, card.memory, (std::size_t{1} << 31U) + 1, 2, 0) == EINVAL);
    ibv_wr_start(ex);
    wr_flush(ex, mr->rkey, reinterpret_cast<std::uint64_t>(card.memory), 64, Placement::persistent, Level::range);
    ibv_wr_set_sge(ex, card.mr->lkey, reinterpret_cast<std::uint64_t>(card.memory), 64);
    CHECK(ibv_wr_complete(ex) == EINVAL);
    ibv_sge none{};
    ibv_send_wr listed = send_of(1, static_cast<ibv_wr_opcode>(rnicsim::programs::kWrFlush), &none, 0);
    CHECK(post(qp, listed) == EINVAL);

    CHECK(flush(ex, mr->rkey, card.memory, 64, 2, 0) == 0);
    const ibv_wc done = poll(card.cq, 1)[0];
    CHECK(done.wr_id == 7 && done.status == IBV_WC_SUCCESS &&
          done.opcode == static_cast<ibv_wc_opcode>(rnicsim::programs::kWcFlush));
    CHECK(flush(ex, mr->rkey, card.memory, 64, 1, 0) == 0);  // visibility is another right
    CHECK(poll(card.cq, 1)[0].status == IBV_WC_REM_ACCESS_ERR);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_dereg_mr(mr) == 0);
}

CALLS_CASE(flush_limits, "the card says that it can do FLUSH and ATOMIC WRITE; a QP of datagrams cannot") {
    const Opened card;
    ibv_device_attr_ex can{};
    CHECK(ibv_query_device_ex(card.context, nullptr, &can) == 0);
    CHECK((can.device_cap_flags_ex >> 38U & 7U) == 7);
    ibv_qp_init_attr init = init_of(card, IBV_QPT_UD);
    errno = 0;
    CHECK(create_qp_that_flushes(card.pd, init) == nullptr && errno == EOPNOTSUPP);
}

}  // namespace calls
