// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/event_recorder.h"

#include "testbench/events/frame_text.h"
#include "testbench/records/report_clock.h"
#include "tlm/ethernet/host_address.h"
#include "tlm/pcie/pcie_tlp.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <span>

namespace rnicsim {
namespace {

/// FNV-1a over words of eight bytes: fast, and any changed bit changes it.
std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = 1469598103934665603U;
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
        std::uint64_t word = 0;
        for (std::size_t k = i; k < std::min(i + 8, bytes.size()); ++k) word = word << 8 | bytes[k];
        hash = (hash ^ word) * 1099511628211U;
        hash ^= hash >> 32;
    }
    return hash;
}

template <typename What>
LoggedEvent event_now(unsigned end, const What& what) {
    const Time now = current_time();
    return {.at = now, .since = now, .end = static_cast<std::uint16_t>(end), .what = what};
}

/// Data goes down as a MRd's completion, so its kind is that of one that has come from a device.
BridgeTlp bridge_tlp(const tlm::tlm_generic_payload& transaction, TlpKind kind) {
    switch (kind) {
        case TlpKind::memory_write: return BridgeTlp::write;
        case TlpKind::load: return BridgeTlp::read;
        case TlpKind::memory_read: return transaction.is_response_error() ? BridgeTlp::refusal : BridgeTlp::completion;
        case TlpKind::message_signalled_interrupt: return BridgeTlp::interrupt;
    }
    return {};
}

/// Of a TLP on its way.
BridgeStep bridge_step(BridgeStep::Step step, const Observer::Crossing& way, tlm::tlm_generic_payload& transaction) {
    const TlpExtension& extension = tlp(transaction);
    BridgeStep is{.step = step,
                  .tlp = bridge_tlp(transaction, extension.kind),
                  .bridge = static_cast<std::uint16_t>(way.bridge),
                  .to = static_cast<std::uint16_t>(way.to),
                  .tlps = extension.count.tlps,
                  .bytes = transaction.get_data_length()};
    // That of an interrupt says nothing: all go to one. A refusal has no data.
    if (is.tlp != BridgeTlp::interrupt) is.address = transaction.get_address();
    if (is.tlp == BridgeTlp::refusal) is.bytes = 0;
    if (is.tlp != BridgeTlp::write && is.tlp != BridgeTlp::interrupt)
        is.tag = static_cast<std::uint32_t>(extension.context);
    return is;
}

}  // namespace

void EventRecorder::memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) {
    MemoryAccess memory{
        .write = transaction.is_write(), .bytes = transaction.get_data_length(), .address = transaction.get_address()};
    if (memory.write) memory.hash = hash_of({transaction.get_data_ptr(), memory.bytes});
    sink_.event(event_now(end, memory), {});
    next_.memory_access(end, transaction);
}

void EventRecorder::upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) {
    DmaRequest request{.kind = tlp(transaction).kind, .bytes = transaction.get_data_length()};
    // That of an interrupt says nothing: all go to one.
    if (request.kind != TlpKind::message_signalled_interrupt) request.address = transaction.get_address();
    LoggedEvent event = event_now(end, request);
    event.at = due;
    sink_.event(event, {});
    next_.upstream_tlp(end, transaction, due);
}

/// `named`: tells what it is; `bytes`: what there is of it.
void EventRecorder::frame(WireFrame::Step step, const Hop& hop, const Frame& named, const Frame& bytes, Time at) {
    WireFrame frame{
        .step = step, .next = static_cast<std::uint16_t>(hop.to), .bytes = static_cast<std::uint32_t>(bytes.length())};
    const bool new_bytes = step == WireFrame::Step::sent || step == WireFrame::Step::damaged;
    if (new_bytes) frame.hash = hash_of(bytes.bytes());
    std::copy_n(named.bytes().begin(), std::min(frame.head.size(), named.length()), frame.head.begin());
    // Nobody knows what a frame is that was damaged on an earlier link.
    if (named.fcs_good()) {
        const auto host = [](std::optional<unsigned> known) { return static_cast<std::uint16_t>(known.value_or(0)); };
        frame.from = host(host_of(named.source()));
        frame.to = host(host_of(named.destination()));
        frame.header = drp_header(frame.head);
        frame.bth = roce::bth_of(named);
        if (!frame.header && !frame.bth) frame.tcp = streams_.seen(hop.from, hop.to, named);
    }
    LoggedEvent event = event_now(hop.from, frame);
    event.at = at;
    sink_.event(event, bytes.without_fcs());
}

void EventRecorder::frame_sent(unsigned end, const Frame& sent, Time left) {
    frame(WireFrame::Step::sent, {end, end}, sent, sent, left);
    next_.frame_sent(end, sent, left);
}

void EventRecorder::frame_carried(const Hop& hop, const Frame& carried, Time arrived) {
    frame(WireFrame::Step::arrives, hop, carried, carried, arrived);
    next_.frame_carried(hop, carried, arrived);
}

void EventRecorder::frame_lost(const Hop& hop, const Frame& lost, Time left) {
    frame(WireFrame::Step::lost, hop, lost, lost, left);
    next_.frame_lost(hop, lost, left);
}

void EventRecorder::frame_damaged(const Hop& hop, const Frame& sent, const Frame& damaged, Time arrived) {
    frame(WireFrame::Step::damaged, hop, sent, damaged, arrived);
    next_.frame_damaged(hop, sent, damaged, arrived);
}

void EventRecorder::frame_dropped(unsigned node, const Frame& dropped, Time arrived) {
    frame(WireFrame::Step::dropped, {node, node}, dropped, dropped, arrived);
    next_.frame_dropped(node, dropped, arrived);
}

void EventRecorder::bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time left) {
    BridgeStep step = bridge_step(BridgeStep::Step::sent, way, transaction);
    std::span<const std::uint8_t> payload;
    if (step.has_payload()) payload = {transaction.get_data_ptr(), step.bytes};
    if (step.has_payload()) step.hash = hash_of(payload);
    LoggedEvent event = event_now(way.from, step);
    event.at = left;
    event.since = left - bridges_[way.bridge].link.length(tlp(transaction).count.link_bytes);
    sink_.event(event, payload);
    next_.bridge_sent(way, transaction, left);
}

void EventRecorder::bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) {
    constexpr std::array kCrossings{BridgeStep::Step::delivered, BridgeStep::Step::to_registers,
                                    BridgeStep::Step::refused, BridgeStep::Step::dropped};
    sink_.event(event_now(way.from, bridge_step(kCrossings.at(static_cast<std::size_t>(how)), way, transaction)), {});
    next_.bridge_crossed(way, transaction, how);
}

void EventRecorder::bridge_credits(const Crossing& way, std::uint32_t tlps, std::uint32_t bytes, Time taken,
                                   Time back) {
    const BridgeStep step{.step = BridgeStep::Step::credits_back,
                          .bridge = static_cast<std::uint16_t>(way.bridge),
                          .to = static_cast<std::uint16_t>(way.to),
                          .tlps = tlps,
                          .bytes = bytes};
    sink_.event({.at = back, .since = taken, .end = static_cast<std::uint16_t>(way.from), .what = step}, {});
    next_.bridge_credits(way, tlps, bytes, taken, back);
}

void EventRecorder::bridge_link(unsigned bridge, bool up) {
    const auto [first, second] = bridges_[bridge].hosts;
    const BridgeStep step{.step = up ? BridgeStep::Step::link_up : BridgeStep::Step::link_down,
                          .bridge = static_cast<std::uint16_t>(bridge),
                          .to = static_cast<std::uint16_t>(second)};
    sink_.event(event_now(first, step), {});
    next_.bridge_link(bridge, up);
}

void EventRecorder::Side::noted(TransportCount what, const TransferKey& of) {
    results_.push_back(
        event_now(end_, DecisionResult{.what = what, .role = of.role, .tid = of.tid, .other = host(of.peer)}));
}

void EventRecorder::Side::decided(const TransportDecision& decision) {
    DecisionCause cause{
        .input = decision.input, .role = decision.of.role, .tid = decision.of.tid, .other = host(decision.of.peer)};
    if (decision.command != nullptr) cause.command = decision.command->code;
    if (decision.header != nullptr) cause.header = *decision.header;
    LoggedEvent event = event_now(end_, cause);
    event.since = kReportClock.time(decision.since);
    sink_.event(event, {});
    for (LoggedEvent& result : results_) {
        result.since = event.since;
        sink_.event(result, {});
    }
    results_.clear();
}

void EventRecorder::Side::overrun(const DrpHeader& header, Cycle arrived) {
    LoggedEvent event = event_now(end_, Overrun{header, host(header.peer)});
    event.at = event.since = kReportClock.time(arrived);
    sink_.event(event, {});
}

void EventRecorder::Side::filled(std::uint32_t used) { sink_.event(event_now(end_, BufferFill{used}), {}); }

void EventRecorder::Side::step(HostStep what, const TransferKey& of, std::uint32_t value, Cycle since) {
    LoggedEvent event = event_now(
        end_, SoftwareStep{.step = what, .role = of.role, .tid = of.tid, .other = host(of.peer), .value = value});
    event.since = kReportClock.time(since);
    sink_.event(event, {});
}

}  // namespace rnicsim
