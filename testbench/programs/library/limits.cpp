// SPDX-License-Identifier: Apache-2.0
// What the card and its port can do.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/protocol/device_tree.h"
#include "testbench/programs/protocol/link_rate.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>

using namespace rnicsim::programs;

namespace {

static_assert(kPortCapabilities == (IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS));
constexpr std::uint64_t kClockKhz = 1'000'000;  // time stamps of completions are in ns
constexpr std::int64_t kPsPerNs = 1000;

ibv_mtu mtu_of(std::uint32_t bytes) {
    if (bytes >= 4096) return IBV_MTU_4096;
    if (bytes >= 2048) return IBV_MTU_2048;
    if (bytes >= 1024) return IBV_MTU_1024;
    return bytes >= 512 ? IBV_MTU_512 : IBV_MTU_256;
}

ibv_port_attr port_of(const Device& said) {
    constexpr std::uint8_t kLinkUp = 5, kDisabled = 3;
    const LinkRate& link = link_rate(said.mbps);
    ibv_port_attr port{};
    port.state = said.link_up != 0 ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
    port.max_mtu = IBV_MTU_4096;
    port.active_mtu = mtu_of(said.mtu);
    port.gid_tbl_len = static_cast<int>(std::size(said.gid));
    port.port_cap_flags = kPortCapabilities;
    port.max_msg_sz = kMostMessageBytes;
    port.pkey_tbl_len = 1;
    port.max_vl_num = 1;
    port.active_width = link.width;
    port.active_speed = link.speed;
    port.phys_state = said.link_up != 0 ? kLinkUp : kDisabled;
    port.link_layer = IBV_LINK_LAYER_ETHERNET;
    port.flags = IBV_QPF_GRH_REQUIRED;
    return port;
}

ibv_device_attr attributes_of(const Device& said) {
    ibv_device_attr to{};
    std::snprintf(to.fw_ver, sizeof to.fw_ver, "%s", kFirmware);
    to.node_guid = to.sys_image_guid = said.guid;
    to.vendor_id = said.vendor;
    to.vendor_part_id = said.part;
    to.max_mr_size = said.max_mr_size;
    to.page_size_cap = 4096;
    to.device_cap_flags = IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT;
    to.max_qp = static_cast<int>(said.max_qp);
    to.max_qp_wr = static_cast<int>(said.max_qp_wr);
    to.max_sge = static_cast<int>(said.max_sge);
    to.max_sge_rd = static_cast<int>(said.max_sge_rd);
    to.max_cq = static_cast<int>(said.max_cq);
    to.max_cqe = static_cast<int>(said.max_cqe);
    to.max_mr = static_cast<int>(said.max_mr);
    to.max_pd = static_cast<int>(said.max_pd);
    to.max_qp_rd_atom = static_cast<int>(said.max_qp_rd_atom);
    to.max_qp_init_rd_atom = static_cast<int>(said.max_qp_init_rd_atom);
    to.max_res_rd_atom = to.max_qp * to.max_qp_rd_atom;
    to.atomic_cap = IBV_ATOMIC_HCA;
    to.max_ah = static_cast<int>(said.max_ah);
    to.max_srq = static_cast<int>(said.max_srq);
    to.max_srq_wr = static_cast<int>(said.max_srq_wr);
    to.max_srq_sge = static_cast<int>(said.max_srq_sge);
    to.max_pkeys = 1;
    to.phys_port_cnt = 1;
    return to;
}

/// The program's struct may be shorter or longer than ours.
template <class Struct>
void give(const Struct& from, void* to, std::size_t bytes) {
    std::memset(to, 0, bytes);
    std::memcpy(to, &from, std::min(bytes, sizeof from));
}

}  // namespace

namespace rnicsim::programs {

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* to, std::size_t bytes) {
    if (!is_port(port)) return EINVAL;
    Device now;  // the link may have gone down or up
    if (const int error = ask(Op::query_device, Nothing{}, now); error != 0) return error;
    (void)context;
    give(port_of(now), to, bytes);
    return 0;
}

int query_device_ex(ibv_context* context, const ibv_query_device_ex_input* input, ibv_device_attr_ex* to,
                    std::size_t bytes) {
    if (input != nullptr && input->comp_mask != 0) return EINVAL;
    if (bytes < sizeof to->orig_attr) return EINVAL;
    ibv_device_attr_ex all{};
    all.orig_attr = attributes_of(said_of(context));
    all.completion_timestamp_mask = ~std::uint64_t{0};
    all.hca_core_clock = kClockKhz;
    all.device_cap_flags_ex = all.orig_attr.device_cap_flags | kDeviceFlushes | kDeviceAtomicWrite;
    all.phys_port_cnt_ex = 1;
    give(all, to, bytes);
    return 0;
}

/// The clock of time stamps, as drivers of cards give it: its count as nanoseconds.
int query_rt_values(ibv_context*, ibv_values_ex* values) {
    if ((values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) == 0) return EINVAL;
    const std::int64_t ns = rnicsim_clock() / kPsPerNs;
    values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
    values->raw_clock.tv_sec = 0;
    values->raw_clock.tv_nsec = ns;
    return 0;
}

}  // namespace rnicsim::programs

int ibv_query_device(ibv_context* context, ibv_device_attr* to) {
    *to = attributes_of(said_of(context));
    return 0;
}

/// Under this name programs have the struct of old, which ends with flags.
int ibv_query_port(ibv_context* context, std::uint8_t port, _compat_ibv_port_attr* to) {
    return query_port(context, port, reinterpret_cast<ibv_port_attr*>(to), offsetof(ibv_port_attr, port_cap_flags2));
}
