// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/operation_ladder.h"

#include "testbench/events/frame_text.h"
#include "testbench/events/microseconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace rnicsim {

OperationLadder::OperationLadder(const MessageName& operation, const RunConfig& run,
                                 std::span<const std::string_view> parts, bool every_frame)
    : name_(operation),
      run_(run),
      parts_(parts),
      rows_(ladder_, run, every_frame),
      path_(run),
      every_frame_(every_frame),
      wires_(wires_of_hosts(run)) {
    ladder_.kernels = true;
}

std::optional<unsigned> OperationLadder::side_of(unsigned host) const {
    if (host == asked_.of.asks) return 0;
    if (host == asked_.of.answers) return 1;
    return {};
}

void OperationLadder::step(const LoggedEvent& event, const OperationStep& step) {
    if (step.of.asks != name_.sender || step.of.qp != name_.qp || step.number != name_.number) return;
    switch (step.step) {
        case OperationStep::Step::asked:
            asked_ = step;
            path_.begin(step);
            ladder_.found = true;
            ladder_.start = event.at;
            ladder_.responder_host = step.of.answers;
            ladder_.what = fmt::format("operation {} of {} B", name_.text(run_.names), step.bytes);
            rows_.mark(event.at, Lane::initiator_host, Tone::turn, "begins, " + size_text(step.bytes));
            break;
        case OperationStep::Step::marked:
            if (part_ == step.part) break;  // the last one ends with the operation, too
            part_ = step.part;
            if (step.part == 0) first_part_ended_ = event.at;
            rows_.mark(event.at, Lane::initiator_host, Tone::turn,
                       fmt::format("ends part '{}'", step.part < parts_.size() ? parts_[step.part] : "?"));
            break;
        case OperationStep::Step::ended:
        case OperationStep::Step::failed:
            over_ = true;
            ladder_.end = event.at;
            ladder_.failed = step.step == OperationStep::Step::failed;
            rows_.mark(event.at, Lane::initiator_host, ladder_.failed ? Tone::trouble : Tone::turn,
                       ladder_.failed ? "fails" : "is over");
            break;
    }
}

void OperationLadder::end_step(const LoggedEvent& event, const EndStep& step) {
    if (step.of != asked_.of) return;
    rows_.mark(event.at, event.end == asked_.of.asks ? Lane::initiator_host : Lane::responder_host, Tone::plain,
               end_text(step));
}

void OperationLadder::core(const LoggedEvent& event, const CoreStep& step) {
    const std::optional<unsigned> side = side_of(event.end);
    if (!side || step.thread != asked_.threads.at(*side)) return;
    spans_.push_back(
        {event.since, event.at, *side == 0 ? Span::Kind::core : Span::Kind::peer_core, step.kind, step.by});
    handled(*side, event, step);
}

/// Is it what the handler of an interrupt does first? Those before it are of other threads.
void OperationLadder::handled(unsigned side, const LoggedEvent& event, const CoreStep& step) {
    const bool of_streams = step.kind == Charge::stream_rx;
    if (!of_streams && step.kind != Charge::wake && step.kind != Charge::event_read) return;
    constexpr Time kEdges = kNanosecond * 20;  // more than two cycles of a host
    const Time latency = asked_.handlers.at(side);
    std::vector<Interrupt>& all = interrupts_.at(side);
    const auto found = std::ranges::find_if(all, [&](const Interrupt& of) {
        return of.reached + latency <= event.since && event.since < of.reached + latency + kEdges;
    });
    if (found == all.end()) return;
    const Interrupt of = *found;
    all.erase(all.begin(), found + 1);
    rows_.mark(of.asked, side == 0 ? Lane::initiator_rnic : Lane::responder_rnic, Tone::plain, "interrupt");
    spans_.push_back({of.reached, event.since, Span::Kind::interrupt});
    if (!of_streams) return;
    const Time came = std::exchange(comes_.at(side), kEndOfTime);
    if (came < of.asked) spans_.push_back({came, of.asked, Span::Kind::moderation});
}

std::optional<PacketRows::PacketName> OperationLadder::name_of(const WireFrame& wire) const {
    const std::optional<unsigned> from = side_of(wire.from), to = side_of(wire.to);
    if (!from || !to || from == to) return {};
    PacketRows::PacketName name{.by_initiator = *from == 0};
    if (wire.tcp) {
        if (wire.tcp->stream != asked_.streams.at(*from)) return {};
        name.number = wire.tcp->has_place() ? wire.tcp->sequence : wire.tcp->acknowledged;
        return name;
    }
    if (!wire.bth || wire.bth->to != asked_.qps.at(*to)) return {};
    const roce::Psn first = asked_.first.at(answers(*wire.bth) ? *to : *from);
    name.number = (wire.bth->psn - first.n).n;
    return name;
}

void OperationLadder::frame(const LoggedEvent& event, const WireFrame& wire) {
    const auto name = name_of(wire);
    if (!name) return;
    static_cast<void>(rows_.packet(event, wire, *name));
    std::deque<Time>& left = left_.at(name->by_initiator ? 0 : 1);
    if (wire.step == WireFrame::Step::sent) {
        left.push_back(event.at - wires_.at(event.end).serialisation(wire.bytes));
        return;
    }
    const bool ends = wire.step != WireFrame::Step::arrives || wire.next < wires_.size();
    if (ends && !left.empty()) {
        spans_.push_back({left.front(), event.at, Span::Kind::wire});
        left.pop_front();
    }
    if (wire.step != WireFrame::Step::arrives) return;
    if (wire.tcp && side_of(wire.next)) {
        Time& comes = comes_.at(*side_of(wire.next));
        comes = std::min(comes, event.at);
    }
}

void OperationLadder::dma(const LoggedEvent& event, const DmaRequest& request) {
    const std::optional<unsigned> side = side_of(event.end);
    if (!side || request.kind != TlpKind::message_signalled_interrupt) return;
    interrupts_.at(*side).push_back({event.since, event.at});
}

void OperationLadder::note(const LoggedEvent& event, const QpNote& note) {
    const std::optional<unsigned> side = side_of(event.end);
    const CountSaid said = said_of(note.what);
    if (!side || note.qp != asked_.qps.at(*side) || said.text.empty()) return;
    rows_.mark(event.at, *side == 0 ? Lane::initiator_rnic : Lane::responder_rnic, said.tone, std::string(said.text));
}

void OperationLadder::add(const LoggedEvent& event) {
    if (const auto* const what = std::get_if<OperationStep>(&event.what)) return step(event, *what);
    if (!over_) path_.add(event);
    if (!ladder_.found || over_) return;
    // Cores and links are booked ahead, so what was begun before the operation may still go on.
    if (const auto* const what = std::get_if<CoreStep>(&event.what)) return core(event, *what);
    if (event.at < ladder_.start) return;
    if (const auto* const what = std::get_if<EndStep>(&event.what)) return end_step(event, *what);
    if (const auto* const what = std::get_if<WireFrame>(&event.what)) return frame(event, *what);
    if (const auto* const what = std::get_if<DmaRequest>(&event.what)) return dma(event, *what);
    if (const auto* const what = std::get_if<QpNote>(&event.what)) return note(event, *what);
}

/// What follows without a gap and is of one kind is one row.
void OperationLadder::show_cores() {
    std::vector<Span> cores;
    for (const Span& of : spans_) {
        if (of.kind > Span::Kind::peer_core || of.to <= ladder_.start || of.from >= ladder_.end) continue;
        const auto same = std::ranges::find_if(cores, [&](const Span& one) {
            return one.kind == of.kind && one.charge == of.charge && one.by == of.by && one.to == of.from;
        });
        if (same == cores.end()) {
            cores.push_back(of);
        } else {
            same->to = of.to;
        }
    }
    for (const Span& of : cores) {
        const bool asks = of.kind == Span::Kind::core, kernel = of.by != WorkedBy::thread;
        const Lane lane = kernel ? (asks ? Lane::initiator_kernel : Lane::responder_kernel)
                                 : (asks ? Lane::initiator_host : Lane::responder_host);
        rows_.mark(of.from, lane, Tone::plain,
                   fmt::format("{}{} {}", kernel ? "" : "  ", kChargeNames.at(static_cast<std::size_t>(of.charge)),
                               microseconds(of.to - of.from)));
    }
}

std::string OperationLadder::name_of(const Span& span) const {
    switch (span.kind) {
        case Span::Kind::core:
        case Span::Kind::peer_core:
            return fmt::format("{}, {}: {}",
                               run_.names[span.kind == Span::Kind::core ? asked_.of.asks : asked_.of.answers],
                               kWorkedByNames.at(static_cast<std::size_t>(span.by)),
                               kChargeNames.at(static_cast<std::size_t>(span.charge)));
        case Span::Kind::wire: return "links and switches";
        case Span::Kind::interrupt: return "from interrupts to their handlers";
        case Span::Kind::moderation: return "moderation of interrupts";
    }
    return {};
}

/// Each instant counts for one of those that went on.
void OperationLadder::share_time() {
    if (ladder_.end == kEndOfTime) return;
    std::vector<Time> edges{ladder_.start, ladder_.end};
    for (const Span& of : spans_) {
        for (const Time at : {of.from, of.to})
            if (at > ladder_.start && at < ladder_.end) edges.push_back(at);
    }
    std::ranges::sort(edges);
    std::map<std::string, Time> took;
    for (std::size_t i = 1; i < edges.size(); ++i) {
        const Time from = edges[i - 1], to = edges[i];
        const Span* first = nullptr;
        for (const Span& of : spans_) {
            if (of.from <= from && of.to >= to && of.from != of.to && (first == nullptr || of.kind < first->kind))
                first = &of;
        }
        took[first == nullptr ? "cards, PCIe, waiting" : name_of(*first)] += to - from;
    }
    for (const auto& [what, time] : took)
        if (time != Time{}) ladder_.shares.push_back({what, time});
    std::ranges::stable_sort(ladder_.shares, std::ranges::greater{}, &LadderShare::took);
}

/// Who has been answered ends it, or who has what was sent.
void OperationLadder::go_back() {
    if (ladder_.end == kEndOfTime) return;
    const bool is_answered = first_part_ended_ != ladder_.end;
    ladder_.shares = path_.shares(ladder_.start, ladder_.end, is_answered ? 0 : 1);
    ladder_.goes_back = true;
}

Ladder OperationLadder::finish() {
    show_cores();
    if (path_.is_used()) {
        const auto is_of_card = [](const LadderRow& row) { return std::holds_alternative<LadderFrames>(row.what); };
        ladder_.device = std::ranges::any_of(ladder_.rows, is_of_card) ? "port, RNIC" : "root port";
        for (LadderRow& row : path_.rows(every_frame_)) ladder_.rows.push_back(std::move(row));
        go_back();
    } else {
        share_time();
    }
    if (ladder_.end != kEndOfTime)
        std::erase_if(ladder_.rows, [&](const LadderRow& row) { return row.at > ladder_.end; });
    rows_.sort();
    return std::move(ladder_);
}

}  // namespace rnicsim
