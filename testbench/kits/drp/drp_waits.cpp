// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/drp/drp_waits.h"

#include "model/rnic/drp/end/end_config.h"
#include "testbench/kits/drp/ping_load.h"
#include "testbench/kits/waits.h"
#include "testbench/records/report_clock.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim {
namespace {

std::uint32_t largest_size(const RunConfig& config) {
    std::uint32_t largest = 0;
    for (const TrafficConfig& item : config.traffic) largest = std::max(largest, item.size);
    return largest;
}

/// A transfer has three phases without progress: request, data and release, each shorter than an idle timeout
/// (PROTOCOL.md 10.2). A refusal restarts the request timer (3.3).
Cycle held_by_tries(const RunConfig& config, const DrpEndConfig& end) {
    const TransportConfig& t = end.rnic.transport;
    Time hop;
    for (const LinkConfig& link : config.links) hop = std::max(hop, link.delay + link.lateness * 2 + link.jitter);
    const Cycle refusal = kReportClock.edge(hop * most_hops(config) * 2 + held_by_switches(config) * 2) +
                          end.host.registration.time(largest_size(config));
    return t.idle_timeout * 3 + refusal * t.max_requests;
}

/// One DMA request for a frame of maximum size, alone.
Cycle dma(const DrpEndConfig& end) {
    const HostConfig& host = end.host;
    const std::int64_t cycles_per_second = host.clock.cycles_per_second();
    const PcieConfig& pcie = end.rnic.pcie;
    const auto bytes = static_cast<std::int64_t>(frame_bytes(end.rnic.gmac.mtu));
    const std::int64_t tlps = 1 + bytes / std::min(pcie.max_payload, pcie.max_read_request);
    Cycle a_tlp = pcie.latency * 2 + host.memory.latency;
    Cycle memory{1 + bytes * cycles_per_second / host.memory.bytes_per_second};
    if (host.bridge.bytes_per_second != 0) {
        a_tlp += host.bridge.request_cost;
        memory += Cycle{1 + bytes * cycles_per_second / host.bridge.bytes_per_second};
    }
    return pcie.request_overhead + a_tlp * tlps + memory;
}

/// A frame of maximum size through one end, with every step in memory and in software, one after the other.
Cycle service(const DrpEndConfig& end) {
    constexpr std::int64_t kRequests = 8;  // DMA: descriptor, frame, completion, event, status, some of them twice
    const SoftwareConfig& software = end.host.software;
    const Cycle wire = end.rnic.gmac.tx_latency + serialisation(frame_bytes(end.rnic.gmac.mtu)) +
                       end.rnic.gmac.interpacket_gap + end.rnic.gmac.rx_latency + end.rnic.filter.latency;
    return wire + end.rnic.transport.decision * 4 + end.rnic.queues.latency + dma(end) * kRequests +
           software.interrupt_latency + software.event_cost + software.command_cost;
}

Cycle on_wire(const DrpEndConfig& end) { return serialisation(kMaxFrameBytes) + end.rnic.gmac.interpacket_gap; }

/// Data frames between DMA and wire; a short timer fills these buffers with repetitions.
std::int64_t transmit_buffers(const DrpEndConfig& end) {
    return end.rnic.transport.tx_buffer / std::int64_t{kMaxFrameBytes};
}

/// How many frames can wait at one end for such service: all that the transfers in progress may send.
std::int64_t of_transfers(const RunConfig& config, unsigned host) {
    const TransportConfig& t = drp_of(config, host).rnic.transport;
    const std::int64_t frames = std::int64_t{t.max_requests} + t.max_retransmissions + t.window + 2;
    const AtOnce transfers = transfers_at_once(config, host);
    return std::max(transfers.asked, transfers.answered) * 4 * frames + 8;
}

/// The same for ordinary frames: while the core is busy the transmit ring fills with them, and each costs a command.
/// That can happen twice for each event, before it is taken and before it is handled. A full receive ring causes
/// events; so does what a transfer waits for: its command, an interrupt, its own event, the verdict on it.
Cycle held_by_pings(const RunConfig& config, unsigned number) {
    const DrpEndConfig& end = drp_of(config, number);
    const std::int64_t frames = (std::int64_t{end.host.receive_ring} + 8) * 2 * kTransmitRing;
    // Data gets what ordinary frames do not need, or on a full wire what their share leaves, in 65,536ths.
    const double share = std::min(ping_load(config, number), end.rnic.transport.ordinary_share);
    const double left = std::max(1 - share, 1.0 / 65'536);
    const auto turn = static_cast<std::int64_t>(static_cast<double>(on_wire(end).n) / left);
    return service(end) * frames + Cycle{turn} * (of_transfers(config, number) + transmit_buffers(end));
}

}  // namespace

Cycle undecided(const RunConfig& config) {
    const std::uint32_t size = largest_size(config);
    const bool copies = std::ranges::any_of(config.links, [](const LinkConfig& link) { return link.duplication > 0; });
    std::int64_t control = 0;
    for (const unsigned number : drp_hosts(config)) control = std::max(control, of_transfers(config, number));
    Cycle most;
    for (const DrpEndConfig& end : drp_ends(config)) {
        const TransportConfig& t = end.rnic.transport;
        const std::int64_t data =
            t.rx_buffer / static_cast<std::int64_t>(frame_bytes(kDrpHeaderBytes + std::min(t.segment, size)));
        most = std::max(most, t.decision * (control * 3 * (copies ? 2 : 1) + data));
    }
    return most;
}

Cycle held_by_transfers(const RunConfig& config) {
    const bool pings =
        std::ranges::any_of(drp_ends(config), [](const DrpEndConfig& end) { return !end.host.ping.sizes.empty(); });
    Cycle tries;
    Cycle queues;
    for (const unsigned number : drp_hosts(config)) {
        const DrpEndConfig& end = drp_of(config, number);
        tries = std::max(tries, held_by_tries(config, end));
        queues += service(end) * of_transfers(config, number) + (on_wire(end) + dma(end)) * transmit_buffers(end);
        if (pings) queues += held_by_pings(config, number);
    }
    return tries + queues;
}

Cycle held_by_registrations(const RunConfig& config, const std::vector<Cycle>& work) {
    const bool pings =
        std::ranges::any_of(drp_ends(config), [](const DrpEndConfig& end) { return !end.host.ping.sizes.empty(); });
    Cycle most;
    for (const unsigned end : drp_hosts(config)) {
        const std::int64_t events = 1 + (pings ? std::int64_t{drp_of(config, end).host.receive_ring} : 0);
        most = std::max(most, work.at(end) * 2 * events);
    }
    return most;
}

}  // namespace rnicsim
