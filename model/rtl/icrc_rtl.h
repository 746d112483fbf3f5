// SPDX-License-Identifier: Apache-2.0
// icrc_insert and icrc_check behind IcrcEngine: each packet goes through in cycles of their own, one after the other at
// full rate, as the decisions have no time. Their waveforms count those cycles.
#pragma once

#include "model/rnic/rc/icrc_engine.h"
#include "model/rtl/packet_bench.h"
#include "model/rtl/port_check.h"
#include "tlm/roce/icrc.h"

#include <algorithm>
#include <span>

namespace rnicsim {

template <typename Insert, typename Check>
class IcrcRtl final : public rc::IcrcEngine {
  public:
    /// In a strict place each packet is held to the model's.
    explicit IcrcRtl(const BlockPlace& place)
        : insert_("icrc_insert", place, kClock),
          check_("icrc_check", place, kClock),
          inserted_("icrc_insert", "rtl", place, kClock),
          checked_("icrc_check", "rtl", place, kClock) {}

    void complete(Frame& frame) override {
        const std::span<const std::uint8_t> packet = roce::ip_packet(frame);
        const StreamedPacket out = through(insert_, inserted_, packet.first(packet.size() - kIcrcBytes));
        inserted_.require(cycle(insert_), "m_axis_tkeep_o", out.bytes.size(), packet.size(),
                          "bytes of the packet and its ICRC");
        inserted_.expect(cycle(insert_), "m_axis_tuser_o", out.user, false, "it has all its headers");
        for (std::size_t i = 0; i + kIcrcBytes < packet.size(); ++i)
            inserted_.expect(cycle(insert_), "m_axis_tdata_o", out.bytes[i], packet[i], "the packet as it was");
        const std::uint32_t expected = inserted_.strict() ? roce::icrc(packet.first(packet.size() - kIcrcBytes)) : 0;
        const std::span<const std::uint8_t> all = out.bytes;
        const std::span<const std::uint8_t, kIcrcBytes> icrc = all.last<kIcrcBytes>();
        inserted_.expect(cycle(insert_), "m_axis_tdata_o", little_endian(icrc), expected, "the ICRC");
        std::ranges::copy(icrc, frame.writable_bytes().subspan(kIpv4At + packet.size() - kIcrcBytes).begin());
        frame.seal();
    }

    [[nodiscard]] bool good(const Frame& frame) override {
        const bool expected = checked_.strict() && roce::icrc_good(frame);
        static_cast<void>(frame.without_fcs());  // an ICRC that is due is written now
        const std::span<const std::uint8_t> packet = roce::ip_packet(frame);
        const StreamedPacket out = through(check_, checked_, packet);
        checked_.require(cycle(check_), "m_axis_tkeep_o", out.bytes.size(), packet.size() - kIcrcBytes,
                         "bytes of the packet without its ICRC");
        checked_.expect(cycle(check_), "m_axis_tuser_o", out.user, !expected, "the ICRC is wrong");
        for (std::size_t i = 0; i < out.bytes.size(); ++i)
            checked_.expect(cycle(check_), "m_axis_tdata_o", out.bytes[i], packet[i], "the packet as it was");
        return !out.user;
    }

  private:
    static constexpr std::size_t kIcrcBytes = roce::kIcrcBytes;
    static constexpr Clock kClock{Time{3'100}};  // that 512 bits want at 100 Gb/s (rtl/README.md)

    template <typename Module>
    static Cycle cycle(const PacketBench<Module>& bench) {
        return {static_cast<std::int64_t>(bench.now())};
    }
    static std::uint64_t little_endian(std::span<const std::uint8_t, kIcrcBytes> bytes) {
        return bytes[0] | bytes[1] << 8U | bytes[2] << 16U | std::uint64_t{bytes[3]} << 24U;
    }
    template <typename Module>
    static StreamedPacket through(PacketBench<Module>& bench, const PortCheck& check,
                                  std::span<const std::uint8_t> packet) {
        bench.put(Bytes(packet.begin(), packet.end()));
        Watchdog watchdog(check, "m_axis_tlast_o", "the end of a packet never comes");
        while (bench.out().empty()) {
            bench.cycle(true, true);
            watchdog.tick(cycle(bench));
        }
        return bench.next();
    }

    PacketBench<Insert> insert_;
    PacketBench<Check> check_;
    PortCheck inserted_, checked_;
};

}  // namespace rnicsim
