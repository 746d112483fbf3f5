// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/trace_writer.h"

#include "testbench/events/frame_text.h"
#include "testbench/events/microseconds.h"
#include "testbench/observe/hops.h"
#include "tlm/ethernet/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::array<std::string_view, 6> kTracks{"transfers", "host software", "transport decisions",
                                                  "MAC sends", "MAC receives",  "PCIe to the host"};

}  // namespace

TraceWriter::TraceWriter(const std::string& name, const RunConfig& run, Time from, Time to)
    : file_(name),
      hosts_(run.names),
      from_(from),
      to_(to),
      wires_(wires_of_hosts(run)),
      names_(run.names.size()),
      pcie_free_(run.names.size()),
      filled_(run.names.size()) {
    for (const ntb::Config& bridge : run.bridges) bridges_.push_back(bridge.name);
    file_.write(R"({"displayTimeUnit":"ns","otherData":{"producer":"rnicsim"},"traceEvents":[)");
    name_tracks();
}

void TraceWriter::name_tracks() {
    for (unsigned end = 0; end < hosts_.size(); ++end) {
        line_ =
            fmt::format("{}\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"end {}\"}}}}",
                        first_ ? "" : ",", end + 1, hosts_[end]);
        first_ = false;
        for (std::size_t track = 0; track < kTracks.size(); ++track) {
            fmt::format_to(
                std::back_inserter(line_),
                ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":{{\"name\":\"{2}\"}}}}"
                ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{1}"
                "}}}}",
                end + 1, track, kTracks.at(track));
        }
        file_.write(line_);
    }
}

/// The beginning of an entry, without its last members and the brace.
void TraceWriter::open(char phase, std::string_view name, unsigned end, unsigned track, Time at) {
    line_ = fmt::format(",\n{{\"ph\":\"{}\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{}", phase, name, end + 1,
                        track, exact_microseconds(at));
}

void TraceWriter::slice(const Slice& slice) {
    open('X', slice.name, slice.end, number(slice.track), slice.from);
    fmt::format_to(std::back_inserter(line_), ",\"dur\":{},\"args\":{{{}}}}}",
                   exact_microseconds(slice.to - slice.from), slice.arguments);
    file_.write(line_);
}

void TraceWriter::instant(unsigned end, Track track, Time at, const std::string& name) {
    open('i', name, end, number(track), at);
    line_ += ",\"s\":\"t\"}";
    file_.write(line_);
}

void TraceWriter::frame(const LoggedEvent& event, const WireFrame& frame) {
    const Time at = event.at;
    const std::string name =
        frame.tcp ? frame_text(frame.from, *frame.tcp) : frame_text(frame.header, frame.bth, frame.bytes);
    const std::string bytes = fmt::format("\"bytes\":{}", frame.bytes);
    const unsigned other = frame.next;
    const bool at_host = frame.step == WireFrame::Step::sent || other < hosts_.size();
    if (!at_host) return;  // what switches see of it has no track
    const unsigned host = frame.step == WireFrame::Step::sent ? event.end : other;
    const Time begins = at - wires_.at(host).serialisation(frame.bytes);
    switch (frame.step) {
        case WireFrame::Step::sent: slice({event.end, Track::sends, begins, at, name, bytes}); break;
        case WireFrame::Step::arrives: slice({other, Track::receives, begins, at, name, bytes}); break;
        case WireFrame::Step::lost: instant(other, Track::receives, at, "lost: " + name); break;
        case WireFrame::Step::damaged: slice({other, Track::receives, begins, at, "damaged: " + name, bytes}); break;
        case WireFrame::Step::dropped: break;
    }
}

/// First come, first served: the link is the next one's when this one is through.
void TraceWriter::dma(const LoggedEvent& event, const DmaRequest& dma) {
    constexpr std::array<std::string_view, 3> kNames{"DMA write", "DMA read", "interrupt"};
    Time& free = pcie_free_.at(event.end);
    const Time from = std::min(std::max(free, event.since), event.at);
    free = std::max(free, event.at);
    slice({event.end, Track::pcie, from, event.at, std::string(kNames.at(static_cast<std::size_t>(dma.kind))),
           fmt::format("\"bytes\":{},\"address\":\"{:#x}\"", dma.bytes, dma.address)});
}

void TraceWriter::cause(const LoggedEvent& event, const DecisionCause& cause) {
    decision_ = Decision{};
    decision_->slice = {event.end, Track::transport, event.since, event.at, cause_text(cause), {}};
}

void TraceWriter::result(const DecisionResult& result) {
    if (!decision_) return;  // its cause is outside the window
    decision_->results += decision_->results.empty() ? "" : ", ";
    decision_->results += kTransportCountNames.at(static_cast<std::size_t>(result.what));
}

void TraceWriter::step(const LoggedEvent& event, const SoftwareStep& software,
                       const std::optional<TransferName>& transfer) {
    const HostStep what = software.step;
    const std::string name = std::string(kHostStepNames.at(static_cast<std::size_t>(what))) +
                             (transfer ? ' ' + transfer->text(hosts_) : std::string());
    if (event.since < event.at) {
        slice({event.end, Track::host, event.since, event.at, name, fmt::format("\"value\":{}", software.value)});
    } else {
        instant(event.end, Track::host, event.at, name);
    }
}

void TraceWriter::name_track(unsigned end, unsigned track, const std::string& name) {
    if (!calls_.emplace(end, track).second) return;
    line_ = fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":{{\"name\":\"{2}\"}}}}"
        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{3}}}}}",
        end + 1, track, name, static_cast<int>(track) - 1'000'000);
    file_.write(line_);
}

/// A track for each thread, above all others of its end.
void TraceWriter::call(const LoggedEvent& event, const VerbsCall& call) {
    constexpr unsigned kFirst = 100, kThreads = 100;
    const unsigned track = kFirst + call.program * kThreads + call.thread % kThreads;
    name_track(event.end, track,
               fmt::format("{}:{} {}, thread {}", hosts_[event.end], call.program, programs_[{event.end, call.program}],
                           call.thread));
    open('X', call_text(call, hosts_, event.end), event.end, track, call.begins);
    fmt::format_to(std::back_inserter(line_), ",\"dur\":{},\"args\":{{\"error\":{}}}}}",
                   exact_microseconds(event.at - call.begins), call.error);
    file_.write(line_);
}

void TraceWriter::message(const LoggedEvent& event, const MessageStep& step) {
    const std::string name = hosts_.message(step.sender, step.qp, step.number);
    instant(event.end, Track::host, event.at, std::string(step_name(step.step)) + ' ' + name);
}

void TraceWriter::operation(const LoggedEvent& event, const OperationStep& step) {
    instant(event.end, Track::host, event.at,
            fmt::format("{} {}", place_of(step).event, hosts_.message(step.of.asks, step.of.qp, step.number)));
}

void TraceWriter::core(const LoggedEvent& event, const CoreStep& step) {
    if (event.since == event.at) return;
    constexpr unsigned kFirst = 20;  // tracks of threads' cores
    const unsigned track = kFirst + step.thread;
    name_track(event.end, track, fmt::format("core of thread {}", step.thread));
    open('X', kChargeNames.at(static_cast<std::size_t>(step.kind)), event.end, track, event.since);
    fmt::format_to(std::back_inserter(line_), ",\"dur\":{},\"args\":{{\"by\":\"{}\"}}}}",
                   exact_microseconds(event.at - event.since), kWorkedByNames.at(static_cast<std::size_t>(step.by)));
    file_.write(line_);
}

/// Above the tracks of threads' cores: a core works for its thread meanwhile.
void TraceWriter::waited(const LoggedEvent& event, const StoreStep& step) {
    if (step.step != StoreStep::Step::waited) return;
    constexpr unsigned kFirst = 800'000;
    const unsigned track = kFirst + step.core;
    name_track(event.end, track, fmt::format("core {} waits to store", step.core));
    open('X', kStoreWaitNames.at(static_cast<std::size_t>(step.why)), event.end, track, event.since);
    fmt::format_to(std::back_inserter(line_), ",\"dur\":{},\"args\":{{}}}}",
                   exact_microseconds(event.at - event.since));
    file_.write(line_);
}

unsigned TraceWriter::bridge_track(unsigned bridge, unsigned end, bool sends) {
    constexpr unsigned kFirst = 900'000;  // behind those of calls
    const unsigned track = kFirst + 2 * bridge + (sends ? 0 : 1);
    name_track(end, track, fmt::format("bridge {} {}", bridges_.at(bridge), sends ? "sends" : "receives"));
    return track;
}

void TraceWriter::bridge(const LoggedEvent& event, const BridgeStep& step) {
    using enum BridgeStep::Step;
    const auto says = [&](unsigned end, bool sends, const std::string& name) {
        open('i', name, end, bridge_track(step.bridge, end, sends), event.at);
        line_ += ",\"s\":\"t\"}";
        file_.write(line_);
    };
    switch (step.step) {
        case sent: {
            const unsigned track = bridge_track(step.bridge, event.end, true);
            open('X', tlp_text(step), event.end, track, event.since);
            fmt::format_to(std::back_inserter(line_), ",\"dur\":{},\"args\":{{\"bytes\":{},\"address\":\"{:#x}\"}}}}",
                           exact_microseconds(event.at - event.since), step.bytes, step.address);
            file_.write(line_);
            break;
        }
        case delivered: says(step.to, false, tlp_text(step)); break;
        case to_registers:
        case refused:
        case dropped: says(event.end, true, std::string(place_of(step).event) + ": " + tlp_text(step)); break;
        case credits_back: says(event.end, true, fmt::format("credits of {} B are back", step.bytes)); break;
        case link_down:
        case link_up:
            for (const unsigned end : {unsigned{event.end}, unsigned{step.to}})
                says(end, true, step.step == link_up ? "link up" : "link down");
    }
}

void TraceWriter::message(const LoggedEvent& event, const PersistStep& step) {
    const std::string name = hosts_.message(step.sender, step.qp, step.number);
    instant(event.end, Track::host, event.at, std::string(step_name(step.step)) + ' ' + name);
}

std::optional<TraceWriter::SpanEdge> TraceWriter::edge_of(const LoggedEvent& event,
                                                          const std::optional<TransferName>& transfer) const {
    if (const auto* const message = std::get_if<MessageStep>(&event.what)) {
        if (message->step == MessageStep::Step::arrived) return {};
        return SpanEdge{message->step == MessageStep::Step::posted,
                        {"message", message->sender},
                        hosts_.message(message->sender, message->qp, message->number)};
    }
    if (const auto* const item = std::get_if<PersistStep>(&event.what)) {
        using enum PersistStep::Step;
        if (item->step != posted && item->step != persisted && item->step != failed) return {};
        return SpanEdge{
            item->step == posted, {"message", item->sender}, hosts_.message(item->sender, item->qp, item->number)};
    }
    const auto* const software = std::get_if<SoftwareStep>(&event.what);
    if (software == nullptr || !transfer) return {};
    const HostStep step = software->step;
    if (step != HostStep::requested && step != HostStep::completed && step != HostStep::failed) return {};
    return SpanEdge{step == HostStep::requested, {"transfer", transfer->initiator}, transfer->text(hosts_)};
}

void TraceWriter::span(char phase, const Going& of, const std::string& name, Time at) {
    open(phase, fmt::format("{} {}", of.kind, name), of.host, number(Track::transfers), at);
    fmt::format_to(std::back_inserter(line_), ",\"cat\":\"{}\",\"id\":\"{}\"}}", of.kind, name);
    file_.write(line_);
}

void TraceWriter::fill(unsigned end, Time at) {
    open('C', "indirect buffer", end, number(Track::transport), at);
    fmt::format_to(std::back_inserter(line_), ",\"args\":{{\"slots\":{}}}}}", filled_.at(end));
    file_.write(line_);
}

/// State that lasts beyond an event, for the begin and the end of the window.
void TraceWriter::keep_state(const LoggedEvent& event, const std::optional<TransferName>& transfer) {
    if (const auto* const fill = std::get_if<BufferFill>(&event.what)) filled_.at(event.end) = fill->slots;
    const std::optional<SpanEdge> edge = edge_of(event, transfer);
    if (!edge) return;
    if (edge->begins) going_on_.emplace(edge->name, edge->of);
    if (!edge->begins) going_on_.erase(edge->name);
}

void TraceWriter::outside(const LoggedEvent& event) {
    if (!std::holds_alternative<DecisionResult>(event.what)) close_decision();
    if (const auto* const program = std::get_if<ProgramBegins>(&event.what))
        programs_[{event.end, program->program}] = program->name();
    if (event.at >= to_) begin_window();  // the window had no event; later state is not part of it
    if (event.at < from_) keep_state(event, names_.of(event));
}

void TraceWriter::begin_window() {
    if (std::exchange(begun_, true) || from_ == Time{}) return;
    for (const auto& [name, of] : going_on_) span('b', of, name, from_);
    for (unsigned end = 0; end < hosts_.size(); ++end) fill(end, from_);
}

void TraceWriter::close_decision() {
    if (!decision_) return;
    Slice& slice = decision_->slice;
    slice.arguments = fmt::format("\"cause\":\"{}\",\"results\":\"{}\"", slice.name, decision_->results);
    this->slice(slice);
    decision_.reset();
}

void TraceWriter::event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) {
    if (!std::holds_alternative<DecisionResult>(event.what)) close_decision();
    begin_window();
    last_ = std::max(last_, event.at);
    const std::optional<TransferName> transfer = names_.of(event);
    keep_state(event, transfer);
    if (const auto edge = edge_of(event, transfer)) span(edge->begins ? 'b' : 'e', edge->of, edge->name, event.at);
    const Overloaded write{
        [&](const WireFrame& frame) { this->frame(event, frame); },
        [&](const DecisionCause& cause) { this->cause(event, cause); },
        [&](const DecisionResult& result) { this->result(result); },
        [&](const SoftwareStep& software) { step(event, software, transfer); },
        [&](const Overrun& overrun) {
            instant(event.end, Track::receives, event.at, "no room: " + frame_text(overrun.header));
        },
        [&](const BufferFill&) { fill(event.end, event.at); },
        [&](const DmaRequest& dma) { this->dma(event, dma); },
        [](const MemoryAccess&) {},  // the DMA track shows it
        [&](const MessageStep& step) { message(event, step); },
        [&](const PersistStep& step) { message(event, step); },
        [](const LineStep&) {},  // booked ahead, in no order of time
        [&](const OperationStep& step) { operation(event, step); },
        [&](const EndStep& step) { instant(event.end, Track::host, event.at, end_text(step)); },
        [&](const CoreStep& step) { core(event, step); },
        [&](const BridgeStep& step) { bridge(event, step); },
        [&](const StoreStep& step) { waited(event, step); },
        [&](const ProgramBegins& program) {
            programs_[{event.end, program.program}] = program.name();
        },
        [](const QpConnected&) {},
        [&](const VerbsCall& call) { this->call(event, call); },
        [&](const QpNote& note) {
            instant(event.end, Track::transport, event.at,
                    fmt::format("QP {}: {}", note.qp.n, rc::kRcCountNames.at(static_cast<std::size_t>(note.what))));
        },
    };
    std::visit(write, event.what);
}

void TraceWriter::finish() {
    close_decision();
    begin_window();
    const Time end = to_ == kEndOfTime ? last_ : to_;
    for (const auto& [name, of] : going_on_) span('e', of, name, end);
    file_.write("\n]}\n");
    file_.close();
}

}  // namespace rnicsim
