// SPDX-License-Identifier: Apache-2.0
// Two sides with an address vector or handle of their own: path_calls PORT rc|uc|ud FLOW_LABEL GID_INDEX [connect].
#include "testbench/tests/programs/two_hosts.h"

#include <arpa/inet.h>

#include <string>

namespace calls {
namespace {

constexpr std::uint32_t kImmediate = 0x01020300;  // bytes that say in which order they are

/// The other host's address of the same kind: they end in the hosts' numbers.
ibv_ah_attr path_to(const Opened& card, unsigned host, bool listens, std::uint32_t label, std::uint8_t index) {
    ibv_ah_attr to{};
    to.is_global = 1;
    to.port_num = 1;
    to.grh.sgid_index = index;
    CHECK(ibv_query_gid(card.context, 1, index, &to.grh.dgid) == 0);
    to.grh.dgid.raw[15] = static_cast<std::uint8_t>(host);
    to.grh.traffic_class = listens ? 4 : 8;
    to.grh.hop_limit = listens ? 7 : 9;
    to.grh.flow_label = label;
    return to;
}

void to_rts(ibv_qp* qp, const ibv_ah_attr& path, const Peer& peer) {
    const bool is_rc = qp->qp_type == IBV_QPT_RC, is_ud = qp->qp_type == IBV_QPT_UD;
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = 1;
    to.qkey = 0x11;
    to.qp_access_flags = kAll;
    const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
    CHECK(ibv_modify_qp(qp, &to, init | (is_ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)) == 0);
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = IBV_MTU_1024;
    to.dest_qp_num = peer.qpn;
    to.ah_attr = path;
    to.min_rnr_timer = 1;
    const int rtr = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    const int rtr_of_rc = rtr | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE | (is_rc ? rtr_of_rc : is_ud ? 0 : rtr)) == 0);
    to.qp_state = IBV_QPS_RTS;
    to.timeout = 14;
    to.retry_cnt = to.rnr_retry = 7;
    const int rts = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_SQ_PSN | (is_rc ? rts : 0)) == 0);
}

}  // namespace
}  // namespace calls

int main(int count, char** words) {
    using namespace calls;
    CHECK(count >= 5);
    const bool listens = count == 5;
    const std::string service = words[2];
    const ibv_qp_type type = service == "rc" ? IBV_QPT_RC : service == "uc" ? IBV_QPT_UC : IBV_QPT_UD;
    const Line line(static_cast<std::uint16_t>(std::stoul(words[1])), listens);
    Opened card;
    ibv_qp_init_attr init = init_of(card, type);
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    CHECK(qp != nullptr);
    const Peer peer = line.exchange({qp->qp_num, card.mr->rkey, reinterpret_cast<std::uint64_t>(card.memory)});
    ibv_ah_attr path = path_to(card, listens ? 2 : 1, listens, static_cast<std::uint32_t>(std::stoul(words[3])),
                               static_cast<std::uint8_t>(std::stoul(words[4])));
    to_rts(qp, path, peer);
    for (std::uint64_t i = 0; i < 8; ++i) CHECK(post_receive(qp, i, card.sge(4096 * i, 2048)) == 0);
    line.meet();
    ibv_ah* const handle = ibv_create_ah(card.pd, &path);
    CHECK(handle != nullptr);
    for (std::uint64_t i = 0; i < 8; ++i) {
        ibv_sge from = card.sge(0, 1000);
        const unsigned flags = i % 2 == 0 ? IBV_SEND_SIGNALED : IBV_SEND_SIGNALED | IBV_SEND_INLINE;
        if (i % 2 != 0) from.length = 100;
        ibv_send_wr wr = send_of(i, i % 2 == 0 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND, &from, 1, flags);
        wr.imm_data = htonl(kImmediate + static_cast<std::uint32_t>(i));
        if (type == IBV_QPT_UD) wr.wr.ud = {handle, peer.qpn, 0x11};
        CHECK(post(qp, wr) == 0);
    }
    for (ibv_wc& wc : poll(card.cq, 16)) {
        CHECK(wc.status == IBV_WC_SUCCESS);
        if ((wc.opcode & IBV_WC_RECV) != 0) {
            CHECK(((wc.wc_flags & IBV_WC_WITH_IMM) != 0) == (wc.wr_id % 2 == 0));
            CHECK(wc.wr_id % 2 != 0 || ntohl(wc.imm_data) == kImmediate + wc.wr_id);
        }
        if (type != IBV_QPT_UD || (wc.opcode & IBV_WC_RECV) == 0) continue;
        // What a datagram says of its sender is an address to answer to.
        ibv_ah_attr back{};
        auto* const grh = reinterpret_cast<ibv_grh*>(card.memory + 4096 * wc.wr_id);
        CHECK(ibv_init_ah_from_wc(card.context, 1, &wc, grh, &back) == 0);
        CHECK(std::memcmp(&back.grh.dgid, &path.grh.dgid, sizeof back.grh.dgid) == 0);
        CHECK(back.grh.traffic_class == (listens ? 8 : 4));
        CHECK(path.grh.sgid_index == 3 ? back.grh.sgid_index == 0 : back.grh.sgid_index == path.grh.sgid_index);
    }
    line.meet();
    CHECK(ibv_destroy_ah(handle) == 0 && ibv_destroy_qp(qp) == 0);
    return 0;
}
