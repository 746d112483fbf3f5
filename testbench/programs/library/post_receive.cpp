// SPDX-License-Identifier: Apache-2.0
// ibv_post_recv and ibv_post_srq_recv.
#include "testbench/programs/library/batch.h"
#include "testbench/programs/library/operations.h"

namespace rnicsim::programs {
namespace {

std::int64_t cost_of_receive() {
    const Welcome* const welcome = rnicsim_welcome();
    return welcome == nullptr ? 0 : welcome->receive;
}

/// Of a QP or an SRQ: both know their wr_ids by index.
template <class Ids>
int post(PostBatch& batch, Ids& ids, std::uint32_t most_sges, ibv_recv_wr* first, ibv_recv_wr** bad) {
    int error = 0;
    ibv_recv_wr* wr = first;
    for (; wr != nullptr; wr = wr->next) {
        const bool fits = wr->num_sge >= 0 && static_cast<std::uint32_t>(wr->num_sge) <= most_sges;
        error = !ids.has_room(1) ? ENOMEM : !fits ? EINVAL : 0;
        if (error != 0) break;
        const Receive receive{.sges = static_cast<std::uint32_t>(wr->num_sge)};
        if (!batch.has_room(sizeof receive + receive.sges * sizeof(Sge))) {
            error = batch.send();
            if (error != 0) break;
        }
        batch.begin(ids.next());
        ids.put(wr->wr_id);
        batch.add(&receive, sizeof receive);
        batch.add_sges(wr->sg_list, wr->num_sge);
    }
    const int lost = batch.send();
    if (error == 0 && lost == 0) return 0;
    *bad = lost != 0 ? first : wr;  // lost with the simulator: nobody knows how many it had
    return lost != 0 ? lost : error;
}

}  // namespace

int post_recv(ibv_qp* handle, ibv_recv_wr* first, ibv_recv_wr** bad) {
    Qp& qp = of(handle);
    const Lock here(qp.receive_lock);
    if (handle->state == IBV_QPS_RESET || handle->srq != nullptr) {
        *bad = first;
        return EINVAL;
    }
    PostBatch batch(Op::post_receive, handle->qp_num, cost_of_receive(), qp.receive_clock);
    return post(batch, qp.receives, qp.cap.max_recv_sge, first, bad);
}

int post_srq_recv(ibv_srq* srq, ibv_recv_wr* first, ibv_recv_wr** bad) {
    const Lock here(of(srq).lock);
    PostBatch batch(Op::post_srq_receive, srq->handle, cost_of_receive(), of(srq).clock);
    return post(batch, of(srq).ids, of(srq).sges, first, bad);
}

}  // namespace rnicsim::programs
