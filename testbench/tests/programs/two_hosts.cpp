// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/programs/two_hosts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace calls {

Line::Line(std::uint16_t port, bool listens) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    if (!listens) {
        CHECK(::connect(socket_, address, sizeof at) == 0);
        return;
    }
    const int one = 1, listener = socket_;
    CHECK(::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0);
    CHECK(::bind(listener, address, sizeof at) == 0 && ::listen(listener, 1) == 0);
    socket_ = ::accept(listener, nullptr, nullptr);
    CHECK(socket_ >= 0);
    ::close(listener);
}

Peer Line::exchange(const Peer& mine) const {
    CHECK(::send(socket_, &mine, sizeof mine, 0) == sizeof mine);
    Peer its{};
    CHECK(::recv(socket_, &its, sizeof its, MSG_WAITALL) == sizeof its);
    return its;
}

void connect_to(ibv_qp* qp, unsigned host, const Peer& peer, unsigned more) {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = 1;
    to.qp_access_flags = kAll | more;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
    to = {};
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = IBV_MTU_1024;
    to.dest_qp_num = peer.qpn;
    to.max_dest_rd_atomic = 1;
    to.min_rnr_timer = 12;
    to.ah_attr.is_global = 1;
    to.ah_attr.port_num = 1;
    to.ah_attr.grh.dgid = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, static_cast<std::uint8_t>(host)}};
    CHECK(ibv_modify_qp(qp, &to,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                            IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    to = {};
    to.qp_state = IBV_QPS_RTS;
    to.timeout = 14;
    to.retry_cnt = to.rnr_retry = 7;
    to.max_rd_atomic = 1;
    CHECK(ibv_modify_qp(qp, &to,
                        IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                            IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

}  // namespace calls
