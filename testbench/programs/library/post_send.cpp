// SPDX-License-Identifier: Apache-2.0
// ibv_post_send. What the library cannot see is an error of the work request later, in its completion; what it can see
// is one of the call, with the errno of rdma-core's drivers.
#include "testbench/programs/library/batch.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/library/refuse.h"

namespace rnicsim::programs {
namespace {

constexpr unsigned bit(ibv_wr_opcode opcode) { return 1U << opcode; }

constexpr unsigned kSends = bit(IBV_WR_SEND) | bit(IBV_WR_SEND_WITH_IMM);
constexpr unsigned kWrites = bit(IBV_WR_RDMA_WRITE) | bit(IBV_WR_RDMA_WRITE_WITH_IMM);
constexpr unsigned kAtomics = bit(IBV_WR_ATOMIC_CMP_AND_SWP) | bit(IBV_WR_ATOMIC_FETCH_AND_ADD);
constexpr unsigned kOfRc =
    kSends | kWrites | kAtomics | bit(IBV_WR_RDMA_READ) | bit(IBV_WR_SEND_WITH_INV) | bit(IBV_WR_ATOMIC_WRITE);
constexpr unsigned kOfRcCalls = kOfRc | bit(kOpcodeFlush);
constexpr unsigned kOfUc = kSends | kWrites;
constexpr unsigned kOfUd = kSends;
constexpr unsigned kRefused = bit(IBV_WR_LOCAL_INV) | bit(IBV_WR_BIND_MW) | bit(IBV_WR_TSO);

bool is(const ibv_send_wr& wr, unsigned opcodes) {
    return static_cast<unsigned>(wr.opcode) < 32 && (bit(wr.opcode) & opcodes) != 0;
}

std::size_t bytes_of(const ibv_send_wr& wr) {
    std::size_t bytes = 0;
    for (int i = 0; i < wr.num_sge; ++i) bytes += wr.sg_list[i].length;
    return bytes;
}

int check_opcode(const Qp& qp, const ibv_send_wr& wr, PostApi api) {
    static std::atomic<bool> said{false};
    if (is(wr, kRefused)) return refuse("a local invalidation, memory window or TSO", said);
    const ibv_qp_type type = qp.qp.qp_base.qp_type;
    if (type == IBV_QPT_UD) return is(wr, kOfUd) && wr.wr.ud.ah != nullptr ? 0 : EINVAL;
    if (type == IBV_QPT_UC) return is(wr, kOfUc) ? 0 : EINVAL;
    return is(wr, api == PostApi::calls ? kOfRcCalls : kOfRc) ? 0 : EINVAL;
}

/// Of a FLUSH, how and for how much: what a card would have no code for.
int check_flush(const ibv_send_wr& wr) {
    const std::uint64_t placement = wr.wr.atomic.swap & 0xffU, selectivity = wr.wr.atomic.swap >> 8U;
    if (placement == 0 || placement > kMostFlushPlacement || selectivity > kMostFlushSelectivity) return EINVAL;
    return wr.num_sge == 0 && wr.wr.atomic.compare_add <= kMostMessageBytes ? 0 : EINVAL;
}

int check(const Qp& qp, const ibv_send_wr& wr, PostApi api) {
    const ibv_qp_state state = qp.qp.qp_base.state;
    if (state == IBV_QPS_RESET || state == IBV_QPS_INIT || state == IBV_QPS_RTR) return EINVAL;
    if (const int error = check_opcode(qp, wr, api); error != 0) return error;
    if (!qp.sends.has_room(1)) return ENOMEM;
    if (wr.num_sge < 0 || static_cast<std::uint32_t>(wr.num_sge) > qp.cap.max_send_sge) return EINVAL;
    if (is(wr, bit(kOpcodeFlush))) return check_flush(wr);
    if ((wr.send_flags & IBV_SEND_INLINE) == 0) return 0;
    if (is(wr, kAtomics | bit(IBV_WR_RDMA_READ))) return EINVAL;  // they write to their buffer
    if (is(wr, bit(IBV_WR_ATOMIC_WRITE))) return bytes_of(wr) == kAtomicBytes ? 0 : EINVAL;
    return bytes_of(wr) <= qp.cap.max_inline_data ? 0 : EINVAL;
}

Send translate(const Qp& qp, const ibv_send_wr& from) {
    const bool has_data = (from.send_flags & IBV_SEND_INLINE) != 0;
    Send to{.opcode = static_cast<std::uint8_t>(from.opcode),
            .flags = static_cast<std::uint8_t>(from.send_flags),
            .sges = has_data ? std::uint16_t{0} : static_cast<std::uint16_t>(from.num_sge),
            .inline_bytes = has_data ? static_cast<std::uint32_t>(bytes_of(from)) : 0,
            .immediate_or_key = from.imm_data};
    if (qp.qp.qp_base.qp_type == IBV_QPT_UD) {
        const ibv_global_route& route = of(from.wr.ud.ah).route;
        std::memcpy(to.peer_gid, route.dgid.raw, sizeof to.peer_gid);
        to.traffic_class = route.traffic_class;
        to.hop_limit = route.hop_limit;
        to.flow_label = route.flow_label;
        to.sgid_index = route.sgid_index;
        to.peer_qpn = from.wr.ud.remote_qpn;
        to.qkey = from.wr.ud.remote_qkey;
    } else if (is(from, kAtomics)) {
        const bool swaps = from.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
        to.rkey = from.wr.atomic.rkey;
        to.remote_address = from.wr.atomic.remote_addr;
        to.compare = swaps ? from.wr.atomic.compare_add : 0;
        to.swap_or_add = swaps ? from.wr.atomic.swap : from.wr.atomic.compare_add;
    } else if (is(from, kWrites | bit(IBV_WR_RDMA_READ) | bit(IBV_WR_ATOMIC_WRITE))) {
        to.rkey = from.wr.rdma.rkey;
        to.remote_address = from.wr.rdma.remote_addr;
    } else if (is(from, bit(kOpcodeFlush))) {
        to.rkey = from.wr.atomic.rkey;
        to.remote_address = from.wr.atomic.remote_addr;
        to.flush_bytes = static_cast<std::uint32_t>(from.wr.atomic.compare_add);
        to.flush_placement = static_cast<std::uint8_t>(from.wr.atomic.swap);
        to.flush_selectivity = static_cast<std::uint8_t>(from.wr.atomic.swap >> 8U);
    }
    return to;
}

void add(PostBatch& batch, const Send& send, const ibv_send_wr& wr) {
    batch.add(&send, sizeof send);
    if ((wr.send_flags & IBV_SEND_INLINE) == 0) return batch.add_sges(wr.sg_list, wr.num_sge);
    for (int i = 0; i < wr.num_sge; ++i) {
        const auto* const data =
            reinterpret_cast<const void*>(wr.sg_list[i].addr);  // NOLINT(performance-no-int-to-ptr)
        batch.add(data, wr.sg_list[i].length);
    }
    batch.pad();
}

std::int64_t cost_of_post() {
    const Welcome* const welcome = rnicsim_welcome();
    return welcome == nullptr ? 0 : welcome->post + welcome->push;
}

}  // namespace

int check_sends(const Qp& qp, const ibv_send_wr* first) {
    for (const ibv_send_wr* wr = first; wr != nullptr; wr = wr->next) {
        if (const int error = check(qp, *wr, PostApi::calls); error != 0) return error;
    }
    return 0;
}

int post_send_locked(Qp& qp, ibv_send_wr* first, ibv_send_wr** bad, PostApi api) {
    PostBatch batch(Op::post_send, qp.qp.qp_base.qp_num, cost_of_post(), qp.send_clock);
    int error = 0;
    ibv_send_wr* wr = first;
    for (; wr != nullptr; wr = wr->next) {
        error = check(qp, *wr, api);
        if (error != 0) break;
        const Send send = translate(qp, *wr);
        const std::size_t bytes = sizeof send + send.sges * sizeof(Sge) + send.inline_bytes + 7;
        if (!batch.has_room(bytes)) {
            error = batch.send();
            if (error != 0) break;
        }
        batch.begin(qp.sends.next());
        qp.sends.put(wr->wr_id);
        add(batch, send, *wr);
    }
    const int lost = batch.send();
    if (error == 0 && lost == 0) return 0;
    *bad = lost != 0 ? first : wr;  // lost with the simulator: nobody knows how many it had
    return lost != 0 ? lost : error;
}

int post_send(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
    const Lock here(of(qp).send_lock);
    return post_send_locked(of(qp), first, bad, PostApi::list);
}

}  // namespace rnicsim::programs
