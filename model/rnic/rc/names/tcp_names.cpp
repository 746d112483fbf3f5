// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/names/tcp_names.h"

#include "model/host/tcp/stream_ports.h"
#include "tlm/ethernet/host_address.h"
#include "tlm/ethernet/tcp.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace rnicsim {
namespace {

constexpr std::size_t kMostAgain = 4096;                 // repeats that are remembered
constexpr std::uint32_t kOld = std::uint32_t{1} << 24U;  // bytes: no window is so wide, so nobody repeats them

/// Sequence numbers wrap.
bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

/// New bytes leave in their order.
std::uint64_t TcpNames::Stream::transmission(std::uint32_t sequence, std::uint32_t bytes) {
    if (!before(sequence, next)) {
        next = sequence + std::max(bytes, 1U);
        return 0;
    }
    if (again.size() >= kMostAgain) std::erase_if(again, [this](const auto& of) { return next - of.first > kOld; });
    return ++again[sequence];
}

bool TcpNames::name(const Frame& frame, FrameName& name) {
    if (frame.length() < kMinFrameBytes) return false;
    const std::optional<TcpPacket> packet = read_tcp(frame.front(frame.length() - kFcsBytes));
    const std::optional<unsigned> host = host_of(frame.source());
    if (!packet || !host || stream_of_port(packet->header.from) == kNoStream) return false;
    const TcpHeader& header = packet->header;
    name.initiator = static_cast<std::uint16_t>(*host);
    name.transfer = stream_of_port(header.from);
    Stream& stream = streams_[{*host, stream_of_port(header.from)}];
    if (packet->payload != 0 || header.syn || header.fin) {
        name.kind = FrameKind::tcp;
        name.sn = header.sequence;
        name.ordinal = stream.transmission(header.sequence, static_cast<std::uint32_t>(packet->payload));
        return true;
    }
    name.kind = FrameKind::tcp_ack;
    name.sn = header.acknowledged;
    if (stream.acknowledged != header.acknowledged) {
        stream.acknowledged = header.acknowledged;
        stream.acks = 0;
    }
    name.ordinal = stream.acks++;
    return true;
}

}  // namespace rnicsim
