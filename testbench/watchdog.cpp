#include "testbench/watchdog.h"

#include "model/faults/tape.h"
#include "model/rnic/rc/ack_time.h"
#include "testbench/ping_load.h"
#include "testbench/report_clock.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"
#include "tlm/ethernet/pause_frame.h"
#include "tlm/roce/syndrome.h"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace rnicsim {
namespace {

/// Links between two hosts: at most one more than there are switches.
std::int64_t most_hops(const RunConfig& config) { return static_cast<std::int64_t>(config.switches.size()) + 1; }

/// How long a frame can wait in all switches, each full.
Time held_by_switches(const RunConfig& config) {
    Time slowest;
    for (const LinkConfig& link : config.links) slowest = std::max(slowest, link.timing.per_byte);
    Time all;
    for (const SwitchConfig& of : config.switches)
        all += of.latency + Time{slowest.ps * of.buffer * 21 / 16};  // frames of 64 B, 84 on the wire
    return all;
}

std::uint32_t largest_size(const RunConfig& config) {
    std::uint32_t largest = 0;
    for (const TrafficConfig& item : config.traffic) largest = std::max(largest, item.size);
    return largest;
}

/// How long the links can hold frames. Holding one is no progress: the links may do so even if nothing ever completes.
Cycle held_by_link(const RunConfig& config) {
    // A frame and its answer; copies delay the frames behind them.
    if (config.tape == nullptr) {
        Time late;
        for (const LinkConfig& link : config.links) late = std::max(late, link.lateness * 2 + link.jitter);
        return kReportClock.edge(late * most_hops(config) * 2 + held_by_switches(config) * 2);
    }
    // A tape decides how long a frame is held, but each of its faults happens once.
    Time all = held_by_switches(config) * 2;
    for (const TapeEntry& entry : *config.tape) {
        const auto* const frame = std::get_if<TapedFrame>(&entry);
        if (frame == nullptr || frame->fault == FrameFault::corrupted || frame->fault == FrameFault::lost) continue;
        all += Time{frame->value};
    }
    return kReportClock.edge(all);
}

/// Frames of plain hosts and RoCEv2 RNICs: all may be on wires at once, and a pause that nobody takes back, since that
/// frame was lost, ends by itself.
Cycle held_from_stations(const RunConfig& config) {
    if (config.stations.empty() && config.verbs.empty()) return {};
    Time delay, pause;
    for (const LinkConfig& link : config.links) {
        delay = std::max(delay, link.delay);
        for (const SwitchConfig& of : config.switches)
            if (of.pfc.classes != 0) pause = std::max(pause, quanta(link.timing, of.pfc.quanta));
    }
    return kReportClock.edge(delay * most_hops(config) + pause);
}

/// A transfer has three phases without progress: request, data and release, each shorter than an idle timeout
/// (PROTOCOL.md 10.2). A refusal restarts the request timer (3.3).
Cycle held_by_tries(const RunConfig& config, const EndSystemConfig& end) {
    const TransportConfig& t = end.rnic.transport;
    Time hop;
    for (const LinkConfig& link : config.links) hop = std::max(hop, link.delay + link.lateness * 2 + link.jitter);
    const Cycle refusal = kReportClock.edge(hop * most_hops(config) * 2 + held_by_switches(config) * 2) +
                          end.host.registration.time(largest_size(config));
    return t.idle_timeout * 3 + refusal * t.max_requests;
}

/// One DMA request for a frame of maximum size, alone.
Cycle dma(const EndSystemConfig& end) {
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
Cycle service(const EndSystemConfig& end) {
    constexpr std::int64_t kRequests = 8;  // DMA: descriptor, frame, completion, event, status, some of them twice
    const SoftwareConfig& software = end.host.software;
    const Cycle wire = end.rnic.gmac.tx_latency + serialisation(frame_bytes(end.rnic.gmac.mtu)) +
                       end.rnic.gmac.interpacket_gap + end.rnic.gmac.rx_latency + end.rnic.filter.latency;
    return wire + end.rnic.transport.decision * 4 + end.rnic.queues.latency + dma(end) * kRequests +
           software.interrupt_latency + software.event_cost + software.command_cost;
}

Cycle on_wire(const EndSystemConfig& end) { return serialisation(kMaxFrameBytes) + end.rnic.gmac.interpacket_gap; }

/// Data frames between DMA and wire; a short timer fills these buffers with repetitions.
std::int64_t transmit_buffers(const EndSystemConfig& end) {
    return end.rnic.transport.tx_buffer / std::int64_t{kMaxFrameBytes};
}

/// How many frames can wait at one end for such service: all that the transfers in progress may send.
std::int64_t of_transfers(const RunConfig& config, unsigned host) {
    const TransportConfig& t = config.ends.at(host).rnic.transport;
    const std::int64_t frames = std::int64_t{t.max_requests} + t.max_retransmissions + t.window + 2;
    const AtOnce transfers = transfers_at_once(config, host);
    return std::max(transfers.asked, transfers.answered) * 4 * frames + 8;
}

/// The same for ordinary frames: while the core is busy the transmit ring fills with them, and each costs a command.
/// That can happen twice for each event, before it is taken and before it is handled. A full receive ring causes
/// events; so does what a transfer waits for: its command, an interrupt, its own event, the verdict on it.
Cycle held_by_pings(const RunConfig& config, unsigned number) {
    const EndSystemConfig& end = config.ends.at(number);
    const std::int64_t frames = (std::int64_t{end.host.receive_ring} + 8) * 2 * kTransmitRing;
    // Data gets what ordinary frames do not need, or on a full wire what their share leaves, in 65,536ths.
    const double share = std::min(ping_load(config, number), end.rnic.transport.ordinary_share);
    const double left = std::max(1 - share, 1.0 / 65'536);
    const auto turn = static_cast<std::int64_t>(static_cast<double>(on_wire(end).n) / left);
    return service(end) * frames + Cycle{turn} * (of_transfers(config, number) + transmit_buffers(end));
}

/// What all items may have under way at once, at any host.
struct UnderWay {
    std::int64_t messages = 1, receives = 0;
    std::int64_t lines = 0;  ///< of the messages' bytes in a host's memory
};

UnderWay all_under_way(const RunConfig& config) {
    UnderWay all;
    for (const TrafficConfig& item : config.traffic) {
        const auto qps = static_cast<std::int64_t>(item.from.size() * item.to.size()) * item.verbs.connections;
        const std::int64_t lines = 2 + std::int64_t{item.size} / kLineBytes;  // wherever in a line it begins
        all.messages += qps * item.verbs.under_way();
        all.receives += qps * item.verbs.receives();
        all.lines += qps * item.verbs.under_way() * lines;
    }
    return all;
}

constexpr std::int64_t kRequestsOfMessage = 8;  // DMA: doorbell, WQE, context, keys, payload, CQE, some of them twice

/// What a host with a RoCEv2 RNIC may do before anything is seen of it: receives posted, calls, and for each message
/// that may wait some requests by DMA and one packet, all after the other.
Time held_by_work(const VerbsEndConfig& end, const UnderWay& all) {
    const rc::CardConfig& card = end.card;
    const VerbsCosts& costs = end.host.costs;
    const Cycle request = card.pcie.latency * 2 + card.pcie.request_overhead + end.host.memory.latency;
    const Cycle packet = card.packet_interval + card.qp_interval + card.tx_path + card.rx_path + card.loopback +
                         card.atomic_busy + request * kRequestsOfMessage;
    const Cycle calls = (costs.post + costs.push + costs.poll + end.host.interrupt_latency) * all.messages;
    return card.clock.time(packet * all.messages) +
           end.host.clock.time(calls + costs.receive * (all.receives + end.host.shared_receives));
}

/// A line through all stages of a host's persistence path, after any other has made room for it, and a read of it.
Time through_path(const PersistenceConfig& path) {
    const ScmConfig& scm = path.scm;
    return path.iio.hold + path.iio.latency + time_of(kLineBytes, path.iio.bandwidth) + path.llc.latency +
           path.imc.latency + time_of(scm.line, scm.write * scm.modules) + scm.read_latency +
           time_of(scm.line, scm.read * scm.modules);
}

/// The same for lines that wait in a host's persistence path, and for its processor, which flushes those of each
/// message. What a processor has left in the LLC goes first.
Time held_by_path(const VerbsEndConfig& end, const UnderWay& all) {
    if (!end.host.persistence) return {};
    const PersistenceConfig& path = *end.host.persistence;
    const std::int64_t before = (path.iio.capacity + path.imc.capacity * path.scm.modules) / kLineBytes;
    const std::int64_t lines = all.lines * (path.llc.dirty ? 2 : 1) + all.messages * kRequestsOfMessage + before;
    return through_path(path) * lines + path.flush.base * all.messages + path.flush.line * all.lines;
}

/// All repeats of a WRITE_PERSIST that is received, and has no persist ACK.
Time held_by_repeats(const RunConfig& config, const VerbsEndConfig& end) {
    const bool any = std::ranges::any_of(config.traffic, [](const TrafficConfig& item) {
        return has_write_persist(item.verbs.scheme) && item.verbs.persist.acknowledges_reception();
    });
    return any ? end.card.transport.persist.timer * (end.attributes.retry_cnt + 2) : Time{};
}

/// All tries of a QP, and as many waits after RNR NAKs. A receive comes at last, as programs post them.
Cycle held_by_verbs(const RunConfig& config) {
    const UnderWay all = all_under_way(config);
    Time longest, hop, work;
    for (const LinkConfig& link : config.links) hop = std::max(hop, link.delay + link.lateness * 2 + link.jitter);
    for (const VerbsEndConfig& end : config.verbs) {
        work += held_by_work(end, all) + held_by_path(end, all);
        const rc::QpAttributes& qp = end.attributes;
        const Time timeout = rc::ack_time(qp.timeout);
        longest = std::max(longest, timeout * (qp.retry_cnt + 2) + roce::rnr_time(qp.min_rnr_timer) * 8 +
                                        held_by_repeats(config, end));
    }
    if (config.verbs.empty()) return {};
    return kReportClock.edge(longest + work + hop * most_hops(config) * 2 + held_by_switches(config) * 2);
}

}  // namespace

Cycle undecided(const RunConfig& config) {
    const std::uint32_t size = largest_size(config);
    const bool copies = std::ranges::any_of(config.links, [](const LinkConfig& link) { return link.duplication > 0; });
    std::int64_t control = 0;
    for (unsigned number = 0; number < config.ends.size(); ++number)
        control = std::max(control, of_transfers(config, number));
    Cycle most;
    for (const EndSystemConfig& end : config.ends) {
        const TransportConfig& t = end.rnic.transport;
        const std::int64_t data =
            t.rx_buffer / static_cast<std::int64_t>(frame_bytes(kDrpHeaderBytes + std::min(t.segment, size)));
        most = std::max(most, t.decision * (control * 3 * (copies ? 2 : 1) + data));
    }
    return most;
}

Cycle watchdog_limit(const RunConfig& config) {
    const bool pings = std::ranges::any_of(config.ends, [](const auto& end) { return !end.host.ping.sizes.empty(); });
    Cycle tries;
    Cycle queues;
    for (unsigned number = 0; number < config.ends.size(); ++number) {
        const EndSystemConfig& end = config.ends.at(number);
        tries = std::max(tries, held_by_tries(config, end));
        queues += service(end) * of_transfers(config, number) + (on_wire(end) + dma(end)) * transmit_buffers(end);
        if (pings) queues += held_by_pings(config, number);
    }
    return config.watchdog + held_by_link(config) + held_from_stations(config) + held_by_verbs(config) + tries + queues;
}

Cycle held_by_registrations(const RunConfig& config, const std::vector<Cycle>& work) {
    const bool pings = std::ranges::any_of(config.ends, [](const auto& end) { return !end.host.ping.sizes.empty(); });
    Cycle most;
    for (unsigned end = 0; end < config.ends.size(); ++end) {
        const std::int64_t events = 1 + (pings ? std::int64_t{config.ends.at(end).host.receive_ring} : 0);
        most = std::max(most, work.at(end) * 2 * events);
    }
    return most;
}

}  // namespace rnicsim
