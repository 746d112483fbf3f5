// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/values.h"

#include "testbench/programs/protocol/flush_numbers.h"
#include "tlm/ethernet/host_address.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <bit>

namespace rnicsim::programs {
namespace {

std::uint8_t opcode_of(const rc::Completion& c) {
    if (c.receive)
        return c.verb == rc::Verb::write_imm || c.verb == rc::Verb::write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
    switch (c.verb) {
        case rc::Verb::write:
        case rc::Verb::write_imm: return IBV_WC_RDMA_WRITE;
        case rc::Verb::read: return IBV_WC_RDMA_READ;
        case rc::Verb::compare_swap: return IBV_WC_COMP_SWAP;
        case rc::Verb::fetch_add: return IBV_WC_FETCH_ADD;
        case rc::Verb::flush: return kWcFlush;
        case rc::Verb::atomic_write: return IBV_WC_ATOMIC_WRITE;
        default: return IBV_WC_SEND;
    }
}

}  // namespace

std::optional<rc::Verb> verb_of(std::uint8_t opcode) {
    switch (opcode) {
        case IBV_WR_RDMA_WRITE: return rc::Verb::write;
        case IBV_WR_RDMA_WRITE_WITH_IMM: return rc::Verb::write_imm;
        case IBV_WR_SEND: return rc::Verb::send;
        case IBV_WR_SEND_WITH_IMM: return rc::Verb::send_imm;
        case IBV_WR_RDMA_READ: return rc::Verb::read;
        case IBV_WR_ATOMIC_CMP_AND_SWP: return rc::Verb::compare_swap;
        case IBV_WR_ATOMIC_FETCH_AND_ADD: return rc::Verb::fetch_add;
        case IBV_WR_SEND_WITH_INV: return rc::Verb::send_inv;
        case kWrFlush: return rc::Verb::flush;
        case IBV_WR_ATOMIC_WRITE: return rc::Verb::atomic_write;
        default: return {};
    }
}

std::optional<rc::QpState> state_of(std::uint8_t state) {
    switch (state) {
        case IBV_QPS_RESET: return rc::QpState::reset;
        case IBV_QPS_INIT: return rc::QpState::init;
        case IBV_QPS_RTR: return rc::QpState::rtr;
        case IBV_QPS_RTS: return rc::QpState::rts;
        case IBV_QPS_SQD: return rc::QpState::sqd;
        case IBV_QPS_ERR: return rc::QpState::error;
        default: return {};
    }
}

std::uint8_t number_of(rc::QpState state) {
    switch (state) {
        case rc::QpState::reset: return IBV_QPS_RESET;
        case rc::QpState::init: return IBV_QPS_INIT;
        case rc::QpState::rtr: return IBV_QPS_RTR;
        case rc::QpState::rts: return IBV_QPS_RTS;
        case rc::QpState::sqd: return IBV_QPS_SQD;
        case rc::QpState::sqe: return IBV_QPS_SQE;
        case rc::QpState::error: return IBV_QPS_ERR;
    }
    return IBV_QPS_UNKNOWN;
}

std::optional<rc::Service> service_of(std::uint8_t type) {
    switch (type) {
        case IBV_QPT_RC: return rc::Service::reliable;
        case IBV_QPT_UC: return rc::Service::unreliable;
        case IBV_QPT_UD: return rc::Service::datagram;
        default: return {};
    }
}

rc::Access access_of(std::uint32_t flags) {
    constexpr std::uint32_t kOfTheCard = 15U | kAccessFlushGlobal | kAccessFlushPersistent;
    static_assert(rc::kFlushVisible.bits == kAccessFlushGlobal && rc::kFlushPersistent.bits == kAccessFlushPersistent);
    return {static_cast<std::uint16_t>(flags & kOfTheCard)};
}

std::uint32_t mlx5_error(const rc::Completion& c) {
    switch (c.status) {
        case rc::Status::loc_len: return 0x69;
        case rc::Status::loc_qp_op: return c.receive ? 0xD6 : 0x68;
        case rc::Status::loc_prot: return c.receive ? 0x53 : 0x51;
        case rc::Status::wr_flush: return 0xF9;
        case rc::Status::rem_inv_req: return 0x8A;
        case rc::Status::rem_access: return 0x88;
        case rc::Status::rem_op: return 0x89;
        case rc::Status::retry_exc: return 0x81;
        case rc::Status::rnr_retry_exc: return 0x87;
        default: return 0;
    }
}

Completion completion_of(const rc::Completion& c, Time at) {
    Completion out;
    out.qpn = c.qp.n;
    out.index = c.index;
    out.receive = c.receive ? 1 : 0;
    out.status = static_cast<std::uint8_t>(c.status);
    out.opcode = opcode_of(c);
    if (c.receive && has_immediate(c.verb)) out.flags |= IBV_WC_WITH_IMM;
    if (c.receive && c.verb == rc::Verb::send_inv) out.flags |= IBV_WC_WITH_INV;
    if (c.grh) out.flags |= IBV_WC_GRH;
    out.bytes = c.bytes;
    out.immediate_or_key = has_immediate(c.verb) ? of_network_order(c.immediate_or_key) : c.immediate_or_key;
    out.source_qpn = c.from.n;
    out.at = at.ps;
    return out;
}

std::optional<std::uint32_t> mtu_of(std::uint8_t number) {
    if (number < IBV_MTU_256 || number > IBV_MTU_4096) return {};
    return 128U << number;
}
std::uint8_t mtu_number(std::uint32_t bytes) { return static_cast<std::uint8_t>(std::countr_zero(bytes) - 7); }

std::optional<unsigned> host_of_gid(std::span<const std::uint8_t, 16> gid) {
    const auto found = host_of_ipv6(gid);
    return found ? std::optional(found->host) : std::nullopt;
}

void write_gid(std::span<std::uint8_t, 16> gid, unsigned host, IpAddress which) {
    std::ranges::copy(ipv6_address(host, which), gid.begin());
}

std::uint64_t guid_of(unsigned host) {
    std::uint64_t guid = 0;
    for (const std::uint8_t byte : mac_address(host)) guid = guid << 8U | byte;
    return guid;
}

rc::Path path_of(std::uint8_t sgid_index, std::span<const std::uint8_t, 16> to, std::uint8_t traffic_class,
                 std::uint8_t hop_limit, std::uint32_t flow_label) {
    // 0: the card's, as an administrator has set it for all (traffic_class of mlx5). Of others the six bits of the DSCP
    // go into a QP's context (mlx5_set_path()): the two of ECN are the card's own business.
    const auto dscp = static_cast<std::uint8_t>(traffic_class == 0 ? rc::Path::kOwnDscp : traffic_class >> 2U);
    rc::Path path{dscp, hop_limit, flow_label & 0xF'FFFFU, {}, {}};
    if (sgid_index < kGids.size()) path.source = kGids.at(sgid_index);
    if (const auto found = host_of_ipv6(to)) path.destination = found->which;
    return path;
}

/// As drivers put them into the fields of a QP's context, which have so many bits (mlx5_ib_modify_qp()).
QpChange masked(const QpChange& change) {
    QpChange out = change;
    out.retry_cnt &= 7U;
    out.rnr_retry &= 7U;
    out.timeout &= 31U;
    out.min_rnr_timer &= 31U;
    out.flow_label &= 0xF'FFFFU;
    return out;
}

std::optional<Attributes> attributes_of(const QpChange& c) {
    Attributes out;
    const auto take = [&](int bit, rc::AttributeMask mask) {
        const bool named = (c.what & static_cast<unsigned>(bit)) != 0;
        if (named) out.mask = out.mask | mask;
        return named;
    };
    rc::QpAttributes& a = out.values;
    if (take(IBV_QP_ACCESS_FLAGS, rc::attribute::kAccess)) a.access = access_of(c.access);
    if (take(IBV_QP_AV, rc::attribute::kPeer)) {
        const auto peer = host_of_gid(c.peer_gid);
        if (!peer) return {};
        a.peer = Peer{static_cast<std::uint16_t>(*peer)};
        a.path = path_of(c.sgid_index, c.peer_gid, c.traffic_class, c.hop_limit, c.flow_label);
    }
    if (take(IBV_QP_PATH_MTU, rc::attribute::kPathMtu)) {
        const auto mtu = mtu_of(c.path_mtu);
        if (!mtu) return {};
        a.path_mtu = *mtu;
    }
    if (take(IBV_QP_DEST_QPN, rc::attribute::kDestQpn)) a.dest_qpn = rc::Qpn{c.dest_qpn & rc::Psn::kMask};
    if (take(IBV_QP_RQ_PSN, rc::attribute::kRqPsn)) a.rq_psn = rc::Psn{c.rq_psn & rc::Psn::kMask};
    if (take(IBV_QP_SQ_PSN, rc::attribute::kSqPsn)) a.sq_psn = rc::Psn{c.sq_psn & rc::Psn::kMask};
    // 0 is none at all for ibv_modify_qp(3); who asks for none asks for nothing more.
    if (take(IBV_QP_MAX_DEST_RD_ATOMIC, rc::attribute::kMaxDestRdAtomic))
        a.max_dest_rd_atomic = std::max<std::uint8_t>(c.max_dest_rd_atomic, 1);
    if (take(IBV_QP_MAX_QP_RD_ATOMIC, rc::attribute::kMaxRdAtomic))
        a.max_rd_atomic = std::max<std::uint8_t>(c.max_rd_atomic, 1);
    if (take(IBV_QP_MIN_RNR_TIMER, rc::attribute::kMinRnrTimer)) a.min_rnr_timer = c.min_rnr_timer;
    if (take(IBV_QP_RETRY_CNT, rc::attribute::kRetryCnt)) a.retry_cnt = c.retry_cnt;
    if (take(IBV_QP_RNR_RETRY, rc::attribute::kRnrRetry)) a.rnr_retry = c.rnr_retry;
    if (take(IBV_QP_TIMEOUT, rc::attribute::kTimeout)) a.timeout = c.timeout;
    if (take(IBV_QP_QKEY, rc::attribute::kQueueKey)) a.queue_key = c.qkey;
    return out;
}

}  // namespace rnicsim::programs
