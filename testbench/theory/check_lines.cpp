// SPDX-License-Identifier: Apache-2.0
#include "testbench/theory/check_lines.h"

#include "model/host/cpu/copy_cost.h"
#include "model/rnic/rc/ethernet_rings.h"
#include "model/rnic/rc/rings.h"
#include "testbench/theory/host_parts.h"
#include "tlm/ethernet/tcp.h"
#include "tlm/roce/packet.h"

#include <algorithm>

namespace rnicsim {
namespace {

bool polls(const VerbsHostConfig& host) { return host.tcp.place == TcpPlace::user; }

/// Of a call, a waking and the like: nothing where the stream is in the program.
Cycle in_kernel(const VerbsHostConfig& host, Cycle cost) { return polls(host) ? Cycle{} : cost; }

Cycle of_stack(const VerbsHostConfig& host, Cycle cost) { return polls(host) ? in_user_space(cost) : cost; }

}  // namespace

Time CheckLines::streamed(Time from) const {
    const VerbsHostConfig& host = host_.host;
    const CpuConfig& cpu = host.cpu;
    HostParts a(host_), b(host_);
    const Cycle copy = cpu.copy.base + copy_cost_of_part(cpu.copy, kBytes, kBytes, host.clock);
    const Cycle sends = in_kernel(host, cpu.syscall) + host.tcp.extra_write + copy + of_stack(host, host.tcp.tx);
    // The card is told of a descriptor, reads it, tells that it is carried out, and reads the payload.
    const Time told = a.written(from + host.clock.time(sends), rc::page::kEthernetSend, 8);
    const Time known = a.read_line(told, rc::kDescriptorBytes);
    a.write(known, 4);
    const std::size_t header = kTcpAt + kTcpHeaderBytes;
    const Time left =
        a.sent(a.read_payload(known, kBytes), {frame_bytes(header - kEthernetHeaderBytes + kBytes)}, link_.timing);
    const Time came = b.received(left + link_.delay);
    const Time there = b.write_frame(came, static_cast<std::uint32_t>(header) + kBytes, rc::kArrivalBytes);
    const Time heard = polls(host)
                           ? host.clock.time(host.clock.edge(there))
                           : b.interrupt(came + host_.card.clock.time(host_.card.clock.edge(host.tcp.moderation))) +
                                 host.clock.time(host.interrupt_latency);
    const Cycle takes = of_stack(host, host.tcp.rx) + (polls(host) ? host.costs.poll : host.tcp.frame) +
                        in_kernel(host, cpu.wake + cpu.epoll + cpu.syscall) + copy;
    return heard + host.clock.time(takes);
}

Time CheckLines::sent(Time from) const {
    const VerbsHostConfig& host = host_.host;
    HostParts a(host_), b(host_);
    const bool is_inline = kBytes <= host.inline_bytes;
    const std::uint32_t blocks = is_inline ? (rc::kInlineAt + kBytes + rc::kWqeBlock - 1) / rc::kWqeBlock : 1;
    Time at = a.post(from, blocks);
    if (!is_inline) at = a.read_payload(at, kBytes);
    const Time left = a.sent(at, {roce::frame_length(roce::Opcode::send_only, kBytes)}, link_.timing);
    const Time came = b.received(left + link_.delay);
    b.read(came, 4);  // few receive WQEs are left: the queue's record
    b.write_payload(came, kBytes);
    b.write(came, rc::kCqeBytes);
    const Cycle takes = host.interrupt_latency + host.cpu.wake + host.cpu.event_read + host.costs.poll;
    return b.interrupt(came) + host.clock.time(takes);
}

Time CheckLines::stream(Time from) const { return Time{(streamed(streamed(from)) - from).ps / 2}; }

Time CheckLines::verbs(Time from) const {
    const Time behind = host_.host.clock.time(host_.host.cpu.arm + host_.host.costs.receive);
    return Time{(sent(sent(from) + behind) + behind - from).ps / 2};
}

double CheckLines::rate(std::uint32_t bytes, Cycle cost) const {
    const Time took = host_.host.clock.time(cost);
    return took == Time{} ? 0 : static_cast<double>(bytes) * 8 * 1000 / static_cast<double>(took.ps);
}

double CheckLines::sends() const {
    const VerbsHostConfig& host = host_.host;
    const std::uint32_t piece = piece_of(host.tcp);
    const Cycle copy = copy_cost_of_part(host.cpu.copy, piece, std::uint64_t{host.cpu.copy.llc} + 1, host.clock);
    return rate(piece, copy + host.tcp.tx + host.tcp.frame);
}

double CheckLines::receives() const {
    const VerbsHostConfig& host = host_.host;
    const std::uint32_t frames = std::max(host.tcp.gro / segment_of(host.tcp), 1U);
    const std::uint32_t bytes = frames * segment_of(host.tcp);
    const Cycle copy = copy_cost_of_part(host.cpu.copy, bytes, std::uint64_t{host.cpu.copy.llc} + 1, host.clock);
    return rate(bytes, copy + host.tcp.rx + host.tcp.frame * std::int64_t{frames});
}

}  // namespace rnicsim
