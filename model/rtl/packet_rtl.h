// SPDX-License-Identifier: Apache-2.0
// packet_parser and packet_builder behind PacketParser and PacketBuilder: each packet goes through in cycles of their
// own, as the decisions have no time. Their waveforms count those cycles.
#pragma once

#include "model/rnic/rc/packet_blocks.h"
#include "model/rtl/packet_bench.h"
#include "model/rtl/packet_ports.h"
#include "model/rtl/port_check.h"

#include <algorithm>
#include <span>
#include <utility>

namespace rnicsim {

inline constexpr Clock kPacketClock{Time{3'100}};  // that 512 bits want at 100 Gb/s (rtl/README.md)

template <typename Module>
class PacketParserRtl final : public rc::PacketParser {
  public:
    /// In a strict place each answer is held to the model's.
    explicit PacketParserRtl(const BlockPlace& place)
        : bench_("packet_parser", place, kPacketClock), check_("packet_parser", "rtl", place, kPacketClock) {
        bench_.at_end = [this](Module& rtl) { said_ = parsed_packet(rtl); };
    }

    [[nodiscard]] roce::Packet read(const Frame& frame) override {
        const roce::PacketView& view = roce::view_of(frame);
        if (!comes_here(frame)) return view.packet;
        const std::size_t end = frame.length() - kFcsBytes - roce::kIcrcBytes;
        const std::span<const std::uint8_t> packet = frame.front(end).subspan(kEthernetHeaderBytes);
        bench_.put(Bytes(packet.begin(), packet.end()));
        Watchdog watchdog(check_, "m_axis_tlast_o", "the end of a packet never comes");
        while (bench_.out().empty()) {
            bench_.cycle(true, true);
            watchdog.tick(now());
        }
        const StreamedPacket out = bench_.next();
        check_.require(now(), "m_axis_tkeep_o", out.bytes.size(), packet.size(), "the packet as it was");
        for (std::size_t i = 0; i < packet.size(); ++i)
            check_.expect(now(), "m_axis_tdata_o", out.bytes[i], packet[i], "the packet as it was");
        if (said_.error == roce::Error::none) said_.payload_at += kEthernetHeaderBytes;
        if (check_.strict()) hold(view);
        check_.expect(now(), "m_axis_tuser_o", out.user, said_.error != roce::Error::none, "with an error_o");
        return said_;
    }

  private:
    [[nodiscard]] Cycle now() const { return {static_cast<std::int64_t>(bench_.now())}; }

    /// Who takes off Ethernet's header lets nothing pass that is no IP of the version that it says, nor what is too
    /// short for IP, UDP and an ICRC.
    static bool comes_here(const Frame& frame) {
        if (frame.length() < kEthernetHeaderBytes + kFcsBytes) return false;
        const bool v6 = frame.ether_type() == kIpv6EtherType;
        if (!v6 && frame.ether_type() != kIpv4EtherType) return false;
        const std::size_t least = (v6 ? kIpv6HeaderBytes : kIpv4HeaderBytes) + roce::kUdpBytes + roce::kIcrcBytes;
        if (frame.length() < kEthernetHeaderBytes + least + kFcsBytes) return false;
        return (frame.front(kEthernetHeaderBytes + 1).back() >> 4U == 6) == v6;
    }

    void hold(const roce::PacketView& view) const {
        const roce::Packet& model = view.packet;
        const auto same = [this](const char* port, std::uint64_t found, std::uint64_t expected) {
            check_.expect(now(), port, found, expected, "as roce::view_of() says");
        };
        same("error_o", static_cast<std::uint64_t>(said_.error), static_cast<std::uint64_t>(model.error));
        same("from_o", said_.from, model.from);
        same("to_o", said_.to, model.to);
        same("source_port_o", said_.source_port, model.source_port);
        same("dscp_o", said_.dscp, model.dscp);
        same("ecn_o", static_cast<std::uint64_t>(said_.ecn), static_cast<std::uint64_t>(model.ecn));
        same("hop_limit_o", said_.hop_limit, model.hop_limit);
        same("payload_at_o", said_.payload_at, model.payload_at);
        if (view.framed && model.error == roce::Error::truncated) return;  // decode() says nothing of its header
        const roce::Header &found = said_.header, &expected = model.header;
        same("opcode_o", static_cast<std::uint64_t>(found.opcode), static_cast<std::uint64_t>(expected.opcode));
        same("psn_o", found.psn.n, expected.psn.n);
        same("to_qp_o", found.to.n, expected.to.n);
        same("payload_o", found.payload, expected.payload);
        same("address_o", found.address, expected.address);
        same("key_o", found.key, expected.key);
        same("length_o", found.length, expected.length);
        same("aeth_kind_o", static_cast<std::uint64_t>(found.aeth.kind),
             static_cast<std::uint64_t>(expected.aeth.kind));
        same("aeth_value_o", found.aeth.value, expected.aeth.value);
        same("msn_o", found.aeth.msn.n, expected.aeth.msn.n);
        if (found != expected) check_.fault(now(), "error_o", "another port of the header is not as the model's");
    }

    PacketBench<Module> bench_;
    PortCheck check_;
    roce::Packet said_;
};

template <typename Module>
class PacketBuilderRtl final : public rc::PacketBuilder {
  public:
    explicit PacketBuilderRtl(const BlockPlace& place)
        : bench_("packet_builder", place, kPacketClock), check_("packet_builder", "rtl", place, kPacketClock) {
        bench_.drive = [this](Module& rtl) {
            rtl.packet_valid_i = asked_ != nullptr;
            if (asked_ != nullptr) show_packet(rtl, asked_->first, asked_->second);
        };
        bench_.look_at = [this](Module& rtl) {
            if (rtl.packet_ready_o != 0) asked_ = nullptr;
        };
    }

    /// Payload passes as it stands in the frame: what it is comes there later.
    std::span<std::uint8_t> format(Frame& frame, const roce::Route& route, const roce::Header& header) override {
        const std::span<std::uint8_t> payload = roce::format(frame, route, header);
        const std::span<const std::uint8_t> whole = roce::ip_packet(frame);
        const std::span<const std::uint8_t> model = whole.first(whole.size() - roce::kIcrcBytes);
        const std::pair<roce::Route, roce::Header> asked{route, header};
        asked_ = &asked;
        if (!payload.empty()) bench_.put(Bytes(payload.begin(), payload.end()));
        Watchdog watchdog(check_, "m_axis_tlast_o", "the end of a packet never comes");
        while (bench_.out().empty()) {
            bench_.cycle(true, true);
            watchdog.tick(now());
        }
        const StreamedPacket out = bench_.next();
        check_.require(now(), "m_axis_tkeep_o", out.bytes.size(), model.size(), "bytes of the packet without its ICRC");
        for (std::size_t i = 0; i < model.size(); ++i)
            check_.expect(now(), "m_axis_tdata_o", out.bytes[i], model[i], "as roce::format() has it");
        std::ranges::copy(out.bytes, frame.writable_bytes().subspan(kEthernetHeaderBytes).begin());
        return payload;
    }

  private:
    [[nodiscard]] Cycle now() const { return {static_cast<std::int64_t>(bench_.now())}; }

    PacketBench<Module> bench_;
    PortCheck check_;
    const std::pair<roce::Route, roce::Header>* asked_ = nullptr;
};

}  // namespace rnicsim
