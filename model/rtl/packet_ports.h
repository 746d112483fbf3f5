// SPDX-License-Identifier: Apache-2.0
// What the ports of packet_parser and packet_builder say, as the model says it.
#pragma once

#include "tlm/ethernet/host_address.h"
#include "tlm/ethernet/ipv6.h"
#include "tlm/roce/packet.h"

#include <cstddef>
#include <cstdint>

namespace rnicsim {

/// `rtl`: packet_parser by Verilator, of any width, in a cycle with m_axis_tlast_o. `payload_at` counts from the IP
/// header.
template <typename Module>
roce::Packet parsed_packet(const Module& rtl) {
    roce::Packet packet;
    packet.error = static_cast<roce::Error>(rtl.error_o);
    packet.from = rtl.from_o;
    packet.to = rtl.to_o;
    packet.source_port = rtl.source_port_o;
    packet.dscp = rtl.dscp_o;
    packet.ecn = static_cast<Ecn>(rtl.ecn_o);
    packet.hop_limit = rtl.hop_limit_o;
    packet.payload_at = rtl.payload_at_o;
    roce::Header& header = packet.header;
    header.opcode = static_cast<roce::Opcode>(rtl.opcode_o);
    header.solicited = rtl.solicited_o != 0;
    header.ack_request = rtl.ack_request_o != 0;
    header.fecn = rtl.fecn_o != 0;
    header.becn = rtl.becn_o != 0;
    header.apart = rtl.apart_o != 0;
    header.partition = rtl.partition_o;
    header.to.n = rtl.to_qp_o;
    header.psn.n = rtl.psn_o;
    header.address = rtl.address_o;
    header.key = rtl.key_o;
    header.length = rtl.length_o;
    header.swap_or_add = rtl.swap_or_add_o;
    header.compare = rtl.compare_o;
    header.aeth = {static_cast<roce::AckKind>(rtl.aeth_kind_o), rtl.aeth_value_o, {rtl.msn_o}};
    header.feth = {static_cast<roce::FlushPlacement>(rtl.placement_o),
                   static_cast<roce::FlushSelectivity>(rtl.selectivity_o)};
    header.original = rtl.original_o;
    header.immediate = rtl.immediate_o;
    header.queue_key = rtl.queue_key_o;
    header.from.n = rtl.from_qp_o;
    header.arrived.n = rtl.arrived_o;
    header.payload = rtl.payload_o;
    return packet;
}

/// `port`: 128 bits by Verilator.
template <typename Port>
void show_address(Port& port, const Ipv6Address& address) {
    for (std::size_t word = 0; word < 4; ++word) {
        port[word] =
            static_cast<std::uint32_t>(get_u16(address, 12 - 4 * word) << 16U | get_u16(address, 14 - 4 * word));
    }
}

/// `rtl`: packet_builder by Verilator, of any width.
template <typename Module>
void show_packet(Module& rtl, const roce::Route& route, const roce::Header& header) {
    rtl.ipv6_i = route.source != IpAddress::v4 && route.destination != IpAddress::v4;
    show_address(rtl.source_i, ipv6_address(route.from, rtl.ipv6_i != 0 ? route.source : IpAddress::v4));
    show_address(rtl.destination_i, ipv6_address(route.to, rtl.ipv6_i != 0 ? route.destination : IpAddress::v4));
    rtl.source_port_i = route.source_port;
    rtl.dscp_i = route.dscp;
    rtl.ecn_i = static_cast<std::uint8_t>(route.ecn);
    rtl.hop_limit_i = route.hop_limit;
    rtl.flow_label_i = route.flow_label;
    rtl.payload_i = static_cast<std::uint16_t>(header.payload);
    rtl.opcode_i = static_cast<std::uint8_t>(header.opcode);
    rtl.solicited_i = header.solicited;
    rtl.ack_request_i = header.ack_request;
    rtl.fecn_i = header.fecn;
    rtl.becn_i = header.becn;
    rtl.apart_i = header.apart;
    rtl.partition_i = header.partition;
    rtl.to_qp_i = header.to.n;
    rtl.psn_i = header.psn.n;
    rtl.address_i = header.address;
    rtl.key_i = header.key;
    rtl.length_i = header.length;
    rtl.swap_or_add_i = header.swap_or_add;
    rtl.compare_i = header.compare;
    rtl.aeth_kind_i = static_cast<std::uint8_t>(header.aeth.kind);
    rtl.aeth_value_i = header.aeth.value;
    rtl.msn_i = header.aeth.msn.n;
    rtl.placement_i = static_cast<std::uint8_t>(header.feth.placement);
    rtl.selectivity_i = static_cast<std::uint8_t>(header.feth.selectivity);
    rtl.original_i = header.original;
    rtl.immediate_i = header.immediate;
    rtl.queue_key_i = header.queue_key;
    rtl.from_qp_i = header.from.n;
    rtl.arrived_i = header.arrived.n;
}

inline bool same(const roce::Packet& one, const roce::Packet& other) {
    return one.error == other.error && one.header == other.header && one.from == other.from && one.to == other.to &&
           one.source_port == other.source_port && one.dscp == other.dscp && one.ecn == other.ecn &&
           one.hop_limit == other.hop_limit && one.payload_at == other.payload_at;
}

}  // namespace rnicsim
