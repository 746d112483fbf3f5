// SPDX-License-Identifier: Apache-2.0
// Address handles: the card gets what it needs of them with each datagram, so they live in the library.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/objects.h"

#include <arpa/inet.h>

#include <array>
#include <cstring>
#include <iterator>

using namespace rnicsim::programs;

namespace {

constexpr std::size_t kIpv4Header = 20;
constexpr std::size_t kIpv4Class = 1, kIpv4Source = 12, kIpv4Destination = 16;

struct Sender {
    ibv_gid from{};
    ibv_gid to{};
    std::uint32_t flow_label = 0;
    std::uint8_t traffic_class = 0;
};

ibv_gid gid_of_ipv4(const std::uint8_t* address) {
    ibv_gid gid{};
    gid.raw[10] = gid.raw[11] = 0xff;
    std::memcpy(gid.raw + 12, address, 4);
    return gid;
}

/// The sum of a right IPv4 header with its checksum is all ones.
bool is_ipv4_header(const std::uint8_t* header) {
    if (header[0] != 0x45) return false;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kIpv4Header; i += 2) sum += std::uint32_t{header[i]} << 8 | header[i + 1];
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

/// RoCEv2 leaves in the 40 bytes before a datagram either an IPv6 header or, at their end, an IPv4 one.
Sender sender_of(const ibv_grh& grh) {
    std::array<std::uint8_t, sizeof grh> bytes{};
    std::memcpy(bytes.data(), &grh, sizeof grh);
    const std::uint8_t* const ipv4 = bytes.data() + sizeof grh - kIpv4Header;
    if (is_ipv4_header(ipv4)) {
        return {.from = gid_of_ipv4(ipv4 + kIpv4Source),
                .to = gid_of_ipv4(ipv4 + kIpv4Destination),
                .traffic_class = ipv4[kIpv4Class]};
    }
    const std::uint32_t first = ntohl(grh.version_tclass_flow);
    return {.from = grh.sgid,
            .to = grh.dgid,
            .flow_label = first & 0xfffffU,
            .traffic_class = static_cast<std::uint8_t>(first >> 20)};
}

int index_of(const Device& said, const ibv_gid& gid) {
    for (std::size_t i = 0; i < std::size(said.gid); ++i) {
        if (std::memcmp(said.gid[i], gid.raw, sizeof gid.raw) == 0) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* wanted) {
    if (!is_port(wanted->port_num) || wanted->is_global == 0) return fail(EINVAL);  // RoCE has no LIDs
    if (!has_gid(said_of(pd->context), wanted->grh.sgid_index)) return fail(EINVAL);
    auto* const made = make<Ah>();
    if (made == nullptr) return fail(ENOMEM);
    made->ah.context = pd->context;
    made->ah.pd = pd;
    made->route = wanted->grh;
    return &made->ah;
}

int ibv_destroy_ah(ibv_ah* ah) {
    std::free(ah);
    return 0;
}

int ibv_init_ah_from_wc(ibv_context* context, std::uint8_t port, ibv_wc* wc, ibv_grh* grh, ibv_ah_attr* to) {
    if (!is_port(port) || (wc->wc_flags & IBV_WC_GRH) == 0) {
        errno = EINVAL;
        return -1;
    }
    const Sender sender = sender_of(*grh);
    const int index = index_of(said_of(context), sender.to);
    if (index < 0) {
        errno = EINVAL;
        return -1;
    }
    *to = {};
    to->grh = {.dgid = sender.from,
               .flow_label = sender.flow_label,
               .sgid_index = static_cast<std::uint8_t>(index),
               .hop_limit = 0xff,
               .traffic_class = sender.traffic_class};
    to->sl = wc->sl;
    to->is_global = 1;
    to->port_num = port;
    return 0;
}

ibv_ah* ibv_create_ah_from_wc(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, std::uint8_t port) {
    ibv_ah_attr wanted{};
    return ibv_init_ah_from_wc(pd->context, port, wc, grh, &wanted) == 0 ? ibv_create_ah(pd, &wanted) : nullptr;
}
