// SPDX-License-Identifier: Apache-2.0
// What goes: descriptors for the Ethernet port, each with the header of its first frame.
#include "model/host/tcp/stream_ports.h"
#include "model/host/tcp/tcp_stack.h"
#include "tlm/ethernet/host_address.h"

#include <algorithm>

namespace rnicsim {

void TcpStack::emit(Cycle now, Stream& s, const tcp::Range& range) {
    tcp::Range bytes = range;
    TcpHeader header;
    header.sequence = static_cast<std::uint32_t>(range.begin);
    if (range.begin == 0) {
        header.syn = true;
        bytes = {1, 1};
    } else if (s.connection.has_fin(range)) {
        header.fin = true;
        --bytes.end;
    }
    header.push = bytes.begin != bytes.end;
    post(now, s, header, bytes.begin, static_cast<std::uint32_t>(bytes.end - bytes.begin));
}

void TcpStack::emit_ack(Cycle now, Stream& s, std::uint64_t sequence) {
    ++counters_.acks;
    TcpHeader header;
    header.sequence = static_cast<std::uint32_t>(sequence);
    post(now, s, header, 0, 0);
}

void TcpStack::emit_reset(Cycle now, Stream& s) {
    TcpHeader header;
    header.sequence = static_cast<std::uint32_t>(s.connection.sent());
    header.reset = true;
    post(now, s, header, 0, 0);
}

void TcpStack::post(Cycle now, Stream& s, TcpHeader header, std::uint64_t from, std::uint32_t bytes) {
    const std::uint64_t window = s.connection.advertise();
    header.from = port_of_stream(s.number);
    header.to = port_of_stream(s.init.peer_stream);
    header.ack = s.connection.next() != 0;
    header.acknowledged = static_cast<std::uint32_t>(s.connection.next());
    const std::uint64_t said = header.syn ? window : window >> kTcpWindowShift;  // a SYN's is never in larger units
    header.window = static_cast<std::uint16_t>(std::min<std::uint64_t>(said, 0xFFFF));
    header.stamp = static_cast<std::uint32_t>(config_.clock.time(now).ps / kMillisecond.ps);
    header.echo = s.echo;
    header.segment = static_cast<std::uint16_t>(config_.tcp.mtu - kIpv4HeaderBytes - 20);

    rc::TxDescriptor d;
    d.segment = static_cast<std::uint16_t>(segment_of(config_.tcp));
    d.header_bytes = static_cast<std::uint16_t>(kTcpAt + header.bytes());
    const std::span<std::uint8_t> out = d.header;
    std::ranges::copy(mac_address(s.init.peer), out.begin());
    std::ranges::copy(mac_address(config_.host), out.begin() + 6);
    put_u16(out, 12, kIpv4EtherType);
    write_ipv4(out, {.from = config_.host,
                     .to = s.init.peer,
                     .protocol = kIpv4Tcp,
                     .bytes = static_cast<std::uint16_t>(d.header_bytes - kIpv4At),
                     .dont_fragment = true});
    write_tcp(out, header);
    if (bytes != 0) {
        const std::uint64_t at = (from - 1) % config_.tcp.window;
        const auto first = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, config_.tcp.window - at));
        d.pieces[0] = {rings_.send_buffer(s.number) + at, first};
        d.pieces[1] = {rings_.send_buffer(s.number), bytes - first};
    }
    rings_.post(now, d);
}

}  // namespace rnicsim
