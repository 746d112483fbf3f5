// SPDX-License-Identifier: Apache-2.0
#include "testbench/theory/closed_form.h"

#include "model/rnic/drp/end/end_config.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rnicsim {
namespace {

/// Bytes on the link of a TLP: 12 of header, 8 of the link layer, payload padded to double words.
constexpr std::int64_t tlp(std::int64_t payload) { return 12 + 8 + (payload + 3) / 4 * 4; }

/// Preamble, SFD and a frame of the minimum length.
constexpr std::int64_t kShortest = 64;
constexpr std::int64_t kShortestOnTheWire = 8 + kShortest;

/// Bytes of a data frame, DA to FCS.
std::int64_t frame_of(std::int64_t payload) {
    return static_cast<std::int64_t>(frame_bytes(static_cast<std::size_t>(32 + payload)));
}

/// Everything that the forms take from an end.
auto timing(const DrpEndConfig& e) {
    return std::array{e.host.memory.latency.n,
                      e.host.memory.bytes_per_second,
                      e.host.registration.base_cost.n,
                      e.host.registration.page_cost.n,
                      e.host.software.interrupt_latency.n,
                      e.host.software.event_cost.n,
                      e.host.software.command_cost.n,
                      e.rnic.gmac.tx_latency.n,
                      e.rnic.gmac.rx_latency.n,
                      e.rnic.gmac.interpacket_gap.n,
                      e.rnic.filter.latency.n,
                      e.rnic.pcie.latency.n,
                      e.rnic.pcie.request_overhead.n,
                      std::int64_t{e.rnic.pcie.generation},
                      std::int64_t{e.rnic.pcie.lanes},
                      std::int64_t{e.rnic.pcie.max_payload},
                      std::int64_t{e.rnic.pcie.max_read_request},
                      e.rnic.transport.decision.n,
                      std::int64_t{e.rnic.transport.segment},
                      std::int64_t{e.rnic.transport.window},
                      static_cast<std::int64_t>(e.rnic.transport.method)};
}

/// Has the host nothing to do but transfers, and the whole bus for them?
bool undisturbed(const HostConfig& host) {
    return host.bridge.bytes_per_second == 0 && host.ping.sizes.empty() && host.registration.pool.size == 0;
}

}  // namespace

std::optional<ClosedForm::Pair> ClosedForm::only_pair(const RunConfig& config) {
    const TrafficConfig& item = config.traffic.front();
    if (config.traffic.size() != 1 || item.workload != Workload::transfers || item.from.size() != 1) return {};
    const std::vector<unsigned> asked = item.responders(item.from.front());
    if (asked.size() != 1) return {};
    return Pair{item.from.front(), asked.front()};
}

ClosedForm::ClosedForm(const RunConfig& config, const Pair& pair)
    : config_(config),
      initiator_(drp_of(config, pair.initiator)),
      responder_(drp_of(config, pair.responder)),
      host_(initiator_.host),
      rnic_(initiator_.rnic),
      path_(config, pair.initiator, pair.responder),
      size_(config.traffic.front().size) {}

bool ClosedForm::applies() const {
    const TrafficConfig& workload = config_.traffic.front();
    if (config_.tape != nullptr || workload.in_flight != 1 || workload.operation == OperationMix::alternate)
        return false;
    if (timing(initiator_) != timing(responder_) || !undisturbed(host_) || !undisturbed(responder_.host)) return false;
    if (!path_.applies(std::min<std::int64_t>(rnic_.transport.window, frames()), frame_of(segment()))) return false;
    const std::int64_t frame = 8 + frame_of(segment()) + gap();
    // A decision for the fetch, one for the frame that has left, one for its ACK; answers do not wait for the gap.
    const std::int64_t decision = rnic_.transport.decision.n;
    if (decision > kShortestOnTheWire || 3 * decision > frame || gap() > kShortestOnTheWire) return false;
    // Each event of a transfer finds an idle handler: the previous event was at least four control frames earlier.
    if (host_.software.interrupt_latency.n + host_.software.event_cost.n > 4 * control_frame()) return false;
    const std::int64_t slowest_dma =
        std::max({rnic_.pcie.request_overhead.n, lane(tlps(segment())), memory(segment()) - host_.memory.latency.n});
    if (rnic_.transport.window == 1) return workload.operation == OperationMix::write;
    return slowest_dma < frame && rnic_.transport.window * frame >= round_trip(segment());
}

std::int64_t ClosedForm::write() const {
    std::int64_t data =
        fetch(frames() > 1 ? segment() : last_payload()) + data_on_the_wire() + posting() + control_frame();
    if (rnic_.transport.window == 1) data = (frames() - 1) * round_trip(segment()) + round_trip(last_payload());
    data += behind_event();
    return command() + control_frame()           // request: descriptor, REQ
           + peer_registers() + control_frame()  // registration by the peer's host, REQ_ACK
           + data                                // data, last ACK
           + control_frame() + control_frame()   // REL, REL_ACK
           + completion();
}

std::int64_t ClosedForm::read() const {
    // REL follows the last ACK on the wire. The completion follows the last data to memory through the same PCIe link.
    const std::int64_t released = posting() + (8 + 64 + gap()) + control_frame() + control_frame();
    const std::int64_t set_up = rnic_.pcie.request_overhead.n;
    const std::int64_t last_data_left = set_up + lane(tlps(last_payload()));
    const std::int64_t event_leaves = std::max(released + set_up, last_data_left);
    return command() + control_frame() + peer_registers() + control_frame() + control_frame()  // "ready"
           + fetch(frames() > 1 ? segment() : last_payload()) + data_on_the_wire() + event_leaves + (event() - set_up) +
           software_sees_event();
}

/// Software builds a descriptor and rings the doorbell; the RNIC fetches the 64 bytes and decides.
std::int64_t ClosedForm::command() const {
    return host_.software.command_cost.n + lane(tlp(4)) + pcie()    // doorbell
           + rnic_.pcie.request_overhead.n + lane(tlp(0)) + pcie()  // MRd
           + memory(64) + lane(tlp(64)) + pcie()                    // CplD
           + rnic_.transport.decision.n;
}

std::int64_t ClosedForm::control_frame() const {
    return rnic_.gmac.tx_latency.n + path_.crossing(kShortest) + decided();
}

/// From the frame's arrival to the end of the decision about it.
std::int64_t ClosedForm::decided() const {
    return rnic_.gmac.rx_latency.n + rnic_.filter.latency.n + rnic_.transport.decision.n;
}

std::int64_t ClosedForm::peer_registers() const {
    const std::int64_t pages = (size_ + 4095) / 4096;
    return event() + software_sees_event() + host_.registration.base_cost.n + host_.registration.page_cost.n * pages +
           command();
}

std::int64_t ClosedForm::first_data() const {
    return behind_event() + fetch(frames() > 1 ? segment() : last_payload()) + rnic_.gmac.tx_latency.n;
}

std::int64_t ClosedForm::behind_event() const {
    const std::int64_t overhead = rnic_.pcie.request_overhead.n;
    const std::int64_t decision = rnic_.transport.decision.n;
    const std::int64_t engine = std::max(decision, overhead + 1) + overhead;  // the event is one TLP
    const std::int64_t link = overhead + lane(tlp(24)) + lane(tlp(4));
    return std::max(engine, link) - (decision + overhead);
}

std::int64_t ClosedForm::round_trip(std::int64_t payload) const {
    return fetch(payload) + rnic_.gmac.tx_latency.n + path_.crossing(frame_of(payload)) + decided() + posting() +
           control_frame();
}

std::int64_t ClosedForm::posting() const { return rnic_.pcie.request_overhead.n; }

std::int64_t ClosedForm::completion() const { return event() + software_sees_event(); }

std::int64_t ClosedForm::frames() const { return (size_ + segment() - 1) / segment(); }

/// Cycles that bytes take on the PCIe link, rounded up: 4, 2 or 1.015625 ns a byte and lane.
std::int64_t ClosedForm::lane(std::int64_t bytes) const {
    constexpr std::array<std::int64_t, 3> kPsPer1024Bytes{4'096'000, 2'048'000, 1'040'000};
    constexpr std::int64_t kPsPer1024Cycles = kGmiiClock.period().ps * 1024;
    const std::int64_t ps = kPsPer1024Bytes.at(rnic_.pcie.generation - 1) / rnic_.pcie.lanes * bytes;
    return (ps + kPsPer1024Cycles - 1) / kPsPer1024Cycles;
}

/// Bytes on the link of a payload cut into TLPs of the maximum payload size (MWr or CplD: the same header).
std::int64_t ClosedForm::tlps(std::int64_t payload) const {
    std::int64_t bytes = 0;
    for (; payload > 0; payload -= rnic_.pcie.max_payload) {
        bytes += tlp(std::min<std::int64_t>(payload, rnic_.pcie.max_payload));
    }
    return bytes;
}

std::int64_t ClosedForm::memory(std::int64_t bytes) const {
    constexpr std::int64_t kCyclesPerSecond = 125'000'000;
    const std::int64_t rate = host_.memory.bytes_per_second;
    return host_.memory.latency.n + (bytes * kCyclesPerSecond + rate - 1) / rate;
}

/// Event entry of 24 bytes to the ring, then the MSI.
std::int64_t ClosedForm::event() const { return rnic_.pcie.request_overhead.n + lane(tlp(24)) + lane(tlp(4)) + pcie(); }

std::int64_t ClosedForm::software_sees_event() const {
    return host_.software.interrupt_latency.n + host_.software.event_cost.n;
}

/// Decision to fetch a frame, and the DMA read of its payload: MRd of MRRS bytes, completions of MPS.
std::int64_t ClosedForm::fetch(std::int64_t payload) const {
    const std::int64_t requests = (payload + rnic_.pcie.max_read_request - 1) / rnic_.pcie.max_read_request;
    return rnic_.transport.decision.n + rnic_.pcie.request_overhead.n + lane(requests * tlp(0)) + pcie() +
           memory(payload) + lane(tlps(payload)) + pcie();
}

/// First data frame ready -> decision on the last one at the other end: frames follow one another on the wire.
std::int64_t ClosedForm::data_on_the_wire() const {
    return rnic_.gmac.tx_latency.n +
           path_.train(frames(), frame_of(segment()), frame_of(last_payload()), rnic_.gmac.interpacket_gap) + decided();
}

}  // namespace rnicsim
