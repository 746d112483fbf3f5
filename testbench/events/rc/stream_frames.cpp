// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/rc/stream_frames.h"

#include "model/host/tcp/stream_ports.h"
#include "tlm/ethernet/tcp.h"

namespace rnicsim {

std::optional<TcpSeen> StreamFrames::seen(unsigned from, unsigned to, const Frame& frame) {
    FrameName name;
    if (!ways_[{from, to}].name(frame, name)) return {};
    const TcpPacket packet = read_tcp(frame.front(frame.length() - kFcsBytes)).value();
    const TcpHeader& header = packet.header;
    return TcpSeen{.stream = static_cast<std::uint32_t>(name.transfer),
                   .to_stream = stream_of_port(header.to),
                   .sequence = header.sequence,
                   .acknowledged = header.acknowledged,
                   .payload = static_cast<std::uint32_t>(packet.payload),
                   .transmission = static_cast<std::uint32_t>(name.ordinal),
                   .syn = header.syn,
                   .ack = header.ack,
                   .fin = header.fin,
                   .reset = header.reset,
                   .push = header.push};
}

}  // namespace rnicsim
