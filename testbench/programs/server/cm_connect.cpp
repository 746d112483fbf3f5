// SPDX-License-Identifier: Apache-2.0
// Connections: asking, accepting, rejecting, ending. As in the kernel, the sides' depths of READs change places on the
// way, and private data comes as long as its message has room for, filled up with zeros.
#include "testbench/programs/protocol/flush_numbers.h"
#include "testbench/programs/server/cm.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <utility>

namespace rnicsim::programs {
namespace {

// Private data that a message has room for (rdma_connect(3), rdma_accept(3), rdma_reject(3)).
constexpr std::uint8_t kRequestData = 56, kReplyData = 196, kRejectData = 148;
constexpr std::uint8_t kDatagramRequestData = 180, kDatagramReplyData = 136;

constexpr std::uint32_t kInvalidService = 8;          // reasons of a REJ (IBTA 12.6.7.2): nobody listens
constexpr std::uint32_t kConsumerDefined = 28;        // the program did not want to
constexpr int kNoDatagrams = 1, kNoDatagramsFor = 2;  // the same of a SIDR REP (IBTA 12.11.1.2)
constexpr std::uint32_t kDatagramKey = 0x01234567;    // RDMA_UDP_QKEY

// 4.096 us << 17 = 537 ms: what the kernel gives a RoCE connection (packet life time of 16, both ways).
constexpr std::uint8_t kTimeout = 17;

/// What one side has said, as the other one gets it.
rdma_ucm_conn_param crossed(const rdma_ucm_conn_param& said, std::uint8_t room) {
    rdma_ucm_conn_param out = said;
    std::swap(out.responder_resources, out.initiator_depth);
    out.private_data_len = room;
    return out;
}

rdma_ucm_event_resp with(const rdma_ucm_conn_param& said, std::uint8_t room) {
    rdma_ucm_event_resp out{};
    out.param.conn = crossed(said, room);
    return out;
}

rdma_ucm_event_resp with_datagram(const rdma_ucm_conn_param& said, std::uint8_t room) {
    rdma_ucm_event_resp out{};
    rdma_ucm_ud_param& ud = out.param.ud;
    ud.qp_num = said.qp_num;
    ud.qkey = said.qkey == 0 ? kDatagramKey : said.qkey;
    std::ranges::copy(said.private_data, ud.private_data);
    ud.private_data_len = room;
    return out;
}

/// As the kernel does it: messages have 3 bits for how often to try again, and programs that ask for more (libfabric:
/// 15, fio: 10) get the most. Private data beyond its length is what the program had on its stack.
rdma_ucm_conn_param checked(rdma_ucm_conn_param said, std::uint8_t room) {
    constexpr std::uint8_t kMostRetries = 7;
    if (said.private_data_len > room) throw Refusal{EINVAL};
    said.retry_count = std::min(said.retry_count, kMostRetries);
    said.rnr_retry_count = std::min(said.rnr_retry_count, kMostRetries);
    std::fill(std::begin(said.private_data) + said.private_data_len, std::end(said.private_data), std::uint8_t{0});
    return said;
}

}  // namespace

Identifier* ConnectionManager::peer_of(const Identifier& id) {
    const auto found = ids_.all().find(id.peer);
    return found == ids_.all().end() ? nullptr : &found->second;
}

void ConnectionManager::connect(Handle handle, const rdma_ucm_conn_param& param) {
    Identifier& id = ids_.all().at(handle);
    if (id.state != CmState::routed || param.valid == 0) throw Refusal{EINVAL};
    id.ours = checked(param, id.datagram ? kDatagramRequestData : kRequestData);
    id.state = CmState::connecting;
    if (id.by_loopback) id.remote = loopback_host(id, id.remote_port);
    const auto listens = listener(*id.remote, id.space, id.remote_port);
    if (!listens) return refuse(handle, kInvalidService, {});
    Identifier& who = ids_.all().at(*listens);
    if (who.backlog == 0) return refuse(handle, kConsumerDefined, {});
    --who.backlog;

    Identifier made;
    made.owner = who.owner;
    made.channel = who.channel;
    made.space = who.space;
    made.datagram = who.datagram;
    made.for_request = true;
    made.tos = id.tos;
    made.state = CmState::requested;
    made.on_card = true;
    made.ipv6 = id.ipv6;
    made.port = who.port;
    made.remote = id.owner->host;
    made.remote_port = id.port;
    made.peer = handle;
    made.psn = first_psn(who.owner->host);
    made.theirs = id.ours;
    id.peer = ids_.add(made);

    CmEvent event;
    event.told = id.datagram ? with_datagram(id.ours, kDatagramRequestData) : with(id.ours, kRequestData);
    event.told.uid = who.uid;
    event.told.id = id.peer;
    event.told.event = static_cast<std::uint32_t>(CmTold::connect_request);
    event.of = *listens;
    event.request = id.peer;
    queue(who.channel, event);
}

/// A datagram has no connection: with the answer the two have nothing to do with one another any more.
void ConnectionManager::accept(Handle handle, const rdma_ucm_accept& what) {
    Identifier& id = ids_.all().at(handle);
    Identifier* const peer = peer_of(id);
    if (id.state != CmState::requested || peer == nullptr) throw Refusal{EINVAL};
    id.ours = checked(what.conn_param, id.datagram ? kDatagramReplyData : kReplyData);
    id.uid = what.uid;
    peer->theirs = id.ours;
    if (!id.datagram) {
        id.state = CmState::accepting;
        peer->state = CmState::answered;
        return tell(id.peer, CmTold::connect_response, 0, with(id.ours, kReplyData));
    }
    rdma_ucm_event_resp told = with_datagram(id.ours, kDatagramReplyData);
    told.param.ud.ah_attr = path(*peer);
    id.state = peer->state = CmState::connected;
    peer->peer = 0;
    tell(std::exchange(id.peer, 0), CmTold::established, 0, told);
}

/// Who has asked has seen the answer, and its QP is ready.
void ConnectionManager::become_ready(Handle handle) {
    Identifier& id = ids_.all().at(handle);
    Identifier* const peer = peer_of(id);
    if (id.state != CmState::answered || peer == nullptr) throw Refusal{EINVAL};
    id.state = CmState::connected;
    if (std::exchange(peer->state, CmState::connected) == CmState::accepting) tell(id.peer, CmTold::established);
}

void ConnectionManager::refuse(Handle handle, std::uint32_t reason, std::span<const std::uint8_t> data) {
    Identifier& id = ids_.all().at(handle);
    id.state = CmState::ended;
    id.peer = 0;
    rdma_ucm_event_resp told{};
    if (id.datagram)
        return tell(handle, CmTold::unreachable, reason == kInvalidService ? kNoDatagrams : kNoDatagramsFor);
    std::ranges::copy(data, told.param.conn.private_data);
    told.param.conn.private_data_len = kRejectData;
    tell(handle, CmTold::rejected, static_cast<int>(reason), told);
}

void ConnectionManager::reject(Handle handle, const rdma_ucm_reject& what) {
    Identifier& id = ids_.all().at(handle);
    const bool may = id.state == CmState::requested || id.state == CmState::answered;
    if (!may || what.private_data_len > kRejectData) throw Refusal{EINVAL};
    id.state = CmState::ended;
    const Handle peer = std::exchange(id.peer, 0);
    if (!ids_.all().contains(peer)) return;
    refuse(peer, what.reason == 0 ? kConsumerDefined : what.reason,
           std::span(what.private_data).first(what.private_data_len));
}

/// Both ends are told at once: that the other one has answered makes no difference here.
void ConnectionManager::disconnect(Handle handle) {
    Identifier& id = ids_.all().at(handle);
    switch (id.state) {
        case CmState::connected:
        case CmState::accepting:
        case CmState::answered: break;
        case CmState::ended: return;
        default: throw Refusal{EINVAL};
    }
    leave_peer(id);
    if (!id.datagram) tell(handle, CmTold::disconnected);
}

/// The other end is told in the words of its own state.
void ConnectionManager::leave_peer(Identifier& id) {
    id.state = CmState::ended;
    const Handle handle = std::exchange(id.peer, 0);
    const auto found = ids_.all().find(handle);
    if (found == ids_.all().end()) return;
    Identifier& peer = found->second;
    if (peer.state != CmState::connected) return refuse(handle, kConsumerDefined, {});
    peer.state = CmState::ended;
    peer.peer = 0;
    tell(handle, CmTold::disconnected);
}

ib_uverbs_ah_attr ConnectionManager::path(const Identifier& id) const {
    ib_uverbs_ah_attr out{};
    write_gid(std::span<std::uint8_t, 16>(out.grh.dgid), *id.remote);
    out.grh.hop_limit = 64;
    out.grh.traffic_class = id.tos;
    out.is_global = 1;
    out.port_num = 1;
    return out;
}

/// What its QP needs to go to a state.
ib_uverbs_qp_attr ConnectionManager::qp_attributes(const Identifier& id, std::uint32_t state) const {
    ib_uverbs_qp_attr out{};
    if (!id.on_card) throw Refusal{EINVAL};
    const bool knows_peer = id.peer != 0 && (id.state == CmState::requested || id.state == CmState::accepting ||
                                             id.state == CmState::answered || id.state == CmState::connected);
    // Either end serves as many READs as the other one wants to have outstanding, and has as many as that one serves.
    const std::uint8_t serves = id.theirs.initiator_depth, reads = id.theirs.responder_resources;
    out.qp_state = state;
    out.qp_attr_mask = IBV_QP_STATE;
    if (state == IBV_QPS_INIT) {
        out.qp_attr_mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT;
        out.port_num = 1;
        if (id.datagram) {
            out.qp_attr_mask |= IBV_QP_QKEY;
            out.qkey = kDatagramKey;
            return out;
        }
        out.qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
        if (knows_peer) {
            out.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
            // Who serves READs serves FLUSHes, if the card can (the kernel's cm.c).
            if (serves != 0)
                out.qp_access_flags |=
                    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | kAccessFlushGlobal | kAccessFlushPersistent;
        }
        return out;
    }
    if (!knows_peer || id.datagram) throw Refusal{EINVAL};
    if (state == IBV_QPS_RTR) {
        out.qp_attr_mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
                            IBV_QP_MIN_RNR_TIMER;
        out.ah_attr = path(id);
        out.path_mtu = std::min(ports_[id.owner->host].mtu, ports_[*id.remote].mtu);
        out.dest_qp_num = id.theirs.qp_num;
        out.rq_psn = ids_.all().at(id.peer).psn;
        out.max_dest_rd_atomic = serves;
        out.min_rnr_timer = 0;  // 655 ms, as the kernel's
    } else if (state == IBV_QPS_RTS) {
        out.qp_attr_mask |=
            IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
        out.sq_psn = id.psn;
        out.timeout = id.timeout.value_or(kTimeout);
        out.retry_cnt = id.for_request ? id.theirs.retry_count : id.ours.retry_count;
        out.rnr_retry = id.theirs.rnr_retry_count;  // each end says how often the other one is to try again
        out.max_rd_atomic = reads;
    } else {
        throw Refusal{EINVAL};
    }
    return out;
}

}  // namespace rnicsim::programs
