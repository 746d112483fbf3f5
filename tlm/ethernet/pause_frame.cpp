// SPDX-License-Identifier: Apache-2.0
#include "tlm/ethernet/pause_frame.h"

#include "tlm/ethernet/ipv4.h"

#include <algorithm>
#include <span>

namespace rnicsim {
namespace {

constexpr MacAddress kFlowControl{0x01, 0x80, 0xC2, 0, 0, 0x01};  // IEEE 802.3 31B.1
constexpr std::uint16_t kPerPriority = 0x0101;
constexpr std::size_t kOpcode = kEthernetHeaderBytes, kEnabled = kOpcode + 2, kTimes = kEnabled + 2;

}  // namespace

void write_pause_frame(Frame& frame, const MacAddress& source, const PauseFrame& of) {
    frame.format(kFlowControl, source, kMacControlEtherType, kMinFrameBytes - kEthernetHeaderBytes - kFcsBytes);
    const std::span<std::uint8_t> bytes = frame.writable_bytes();
    std::ranges::fill(bytes.subspan(kOpcode), std::uint8_t{0});
    std::uint16_t enabled = 0;
    for (unsigned i = 0; i < kTrafficClasses; ++i) {
        if (!of.quanta.at(i)) continue;
        enabled = static_cast<std::uint16_t>(enabled | 1U << i);
        put_u16(bytes, kTimes + 2 * std::size_t{i}, *of.quanta.at(i));
    }
    put_u16(bytes, kOpcode, kPerPriority);
    put_u16(bytes, kEnabled, enabled);
    frame.seal();
}

std::optional<PauseFrame> read_pause_frame(const Frame& frame) {
    if (frame.ether_type() != kMacControlEtherType) return std::nullopt;  // so no trailer of others is computed for it
    const std::span<const std::uint8_t> bytes = frame.without_fcs();
    if (bytes.size() < kTimes + 2 * std::size_t{kTrafficClasses} ||
        !std::ranges::equal(frame.destination(), kFlowControl) || get_u16(bytes, kOpcode) != kPerPriority) {
        return std::nullopt;
    }
    PauseFrame of;
    for (unsigned i = 0; i < kTrafficClasses; ++i) {
        if ((get_u16(bytes, kEnabled) >> i & 1U) != 0) of.quanta.at(i) = get_u16(bytes, kTimes + 2 * std::size_t{i});
    }
    return of;
}

Time longest_pause_reaction(const MacTiming& timing) {
    const std::int64_t ps = timing.per_byte.ps;
    const std::int64_t allowed = ps >= 8'000 ? 2 : ps >= 800 ? 60 : ps >= 320 ? 80 : ps >= 200 ? 118 : 394;
    return quanta(timing, allowed);
}

}  // namespace rnicsim
