// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/apps/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace rnicsim::apps {
namespace {

constexpr int kCompletions = 16384;

/// `error`: as the call has returned it.
void check(int error, const char* call) {
    if (error != 0) throw Unusable(fmt::format("{}: {}", call, std::strerror(error)));
}

ibv_context* open(const std::string& name) {
    int count = 0;
    const std::unique_ptr<ibv_device*, void (*)(ibv_device**)> list(ibv_get_device_list(&count), ibv_free_device_list);
    std::string names;
    for (int i = 0; i < count; ++i) {
        ibv_device* const device = list.get()[i];
        if (name.empty() || name == ibv_get_device_name(device)) {
            ibv_context* const context = ibv_open_device(device);
            if (context != nullptr) return context;
            throw Unusable(
                fmt::format("device {} cannot be opened: {}", ibv_get_device_name(device), std::strerror(errno)));
        }
        names += (names.empty() ? "" : ", ") + std::string(ibv_get_device_name(device));
    }
    if (count == 0)
        throw Unusable("there is no RDMA device: run it under `rnicsim exec`, or load the driver of your card");
    throw Unusable(fmt::format("--device: there is no '{}', expected one of {}", name, names));
}

}  // namespace

Card::Card(const Choice& choice) : choice_(choice), context_(open(choice.device)) {
    ibv_device_attr device{};
    check(ibv_query_device(context_.get(), &device), "ibv_query_device");
    reads_ = static_cast<std::uint8_t>(std::clamp(std::min(device.max_qp_rd_atom, device.max_qp_init_rd_atom), 1, 16));
    ibv_port_attr port{};
    if (choice.port < 1 || choice.port > device.phys_port_cnt ||
        ibv_query_port(context_.get(), static_cast<std::uint8_t>(choice.port), &port) != 0)
        throw Unusable(fmt::format("--port: found {}, expected 1 to {}", choice.port, device.phys_port_cnt));
    if (port.state != IBV_PORT_ACTIVE)
        throw Unusable(fmt::format("--port: port {} is not active: set its link up, or choose another", choice.port));
    mtu_ = port.active_mtu;
    if (choice.gid < 0 || choice.gid >= port.gid_tbl_len ||
        ibv_query_gid(context_.get(), static_cast<std::uint8_t>(choice.port), choice.gid, &gid_) != 0)
        throw Unusable(fmt::format("--gid: found {}, expected 0 to {}", choice.gid, port.gid_tbl_len - 1));
    if (std::ranges::all_of(gid_.raw, [](std::uint8_t byte) { return byte == 0; }))
        throw Unusable(fmt::format("--gid: entry {} is empty: `ibv_devinfo -v` lists the others", choice.gid));
    pd_.reset(ibv_alloc_pd(context_.get()));
    cq_.reset(ibv_create_cq(context_.get(), std::min(kCompletions, device.max_cqe), nullptr, nullptr, 0));
    if (pd_ == nullptr || cq_ == nullptr) check(errno, "ibv_alloc_pd, ibv_create_cq");
}

Qp Card::make_qp(std::uint32_t sends, std::uint32_t receives, std::uint32_t inline_bytes) const {
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq();
    init.cap = {std::max(sends, 1U), std::max(receives, 1U), 1, 1, inline_bytes};
    init.qp_type = IBV_QPT_RC;
    Qp qp(ibv_create_qp(pd(), &init));
    if (qp == nullptr) check(errno, "ibv_create_qp: are there so many WQEs, and system.host.verbs.inline?");
    return qp;
}

void Card::receive_from(ibv_qp& qp, const Address& peer) const {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = static_cast<std::uint8_t>(choice_.port);
    to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    check(ibv_modify_qp(&qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
    to = {};
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = mtu_;
    to.dest_qp_num = peer.qpn;
    to.max_dest_rd_atomic = reads_;
    to.min_rnr_timer = 12;  // 0.64 ms
    to.ah_attr.is_global = 1;
    to.ah_attr.port_num = static_cast<std::uint8_t>(choice_.port);
    to.ah_attr.grh.dgid = peer.gid;
    to.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(choice_.gid);
    to.ah_attr.grh.hop_limit = 64;
    check(ibv_modify_qp(&qp, &to,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                            IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
          "RTR: is the other side's GID of the same network?");
}

void Card::send_from(ibv_qp& qp) const {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_RTS;
    to.timeout = 14;  // 67 ms
    to.retry_cnt = to.rnr_retry = 7;
    to.max_rd_atomic = reads_;
    check(ibv_modify_qp(&qp, &to,
                        IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                            IBV_QP_MAX_QP_RD_ATOMIC),
          "RTS");
}

}  // namespace rnicsim::apps
