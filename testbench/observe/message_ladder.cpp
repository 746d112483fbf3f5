#include "testbench/observe/message_ladder.h"

#include "model/network/link/roce_identity.h"
#include "testbench/frame_text.h"
#include "tlm/roce/opcodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

struct CountSaid {
    Tone tone = Tone::plain;
    std::string_view text;  // empty: the packets show it
};

CountSaid said_of(rc::RcCount what) {
    switch (what) {
        case rc::RcCount::timeouts: return {Tone::trouble, "ACK timer expires"};
        case rc::RcCount::implied_naks: return {Tone::trouble, "an answer is missing: asks again"};
        case rc::RcCount::naks_received: return {Tone::turn, "is told what is missing"};
        case rc::RcCount::rnr_naks_received: return {Tone::turn, "waits for a receive WQE there"};
        case rc::RcCount::ghosts: return {Tone::plain, "an answer to nothing outstanding: dropped"};
        case rc::RcCount::duplicates: return {Tone::plain, "has it already"};
        case rc::RcCount::out_of_sequence: return {Tone::trouble, "not the PSN that it expects"};
        case rc::RcCount::not_ready: return {Tone::trouble, "QP not ready: dropped"};
        case rc::RcCount::dropped_messages: return {Tone::trouble, "drops the message"};
        case rc::RcCount::bad_queue_keys: return {Tone::trouble, "another Q_Key: dropped"};
        case rc::RcCount::wrong_service: return {Tone::trouble, "of another service: dropped"};
        case rc::RcCount::marked_packets: return {Tone::plain, "comes marked (ECN)"};
        case rc::RcCount::cnps_received: return {Tone::turn, "slows down"};
        default: return {};
    }
}

bool answers(const roce::Bth& bth) { return roce::meaning(bth.opcode)->sender == roce::Sender::responder; }

LadderFrames::Look looks(FrameKind kind) {
    switch (kind) {
        case FrameKind::roce_send:
        case FrameKind::roce_write:
        case FrameKind::roce_response: return LadderFrames::Look::data;
        case FrameKind::roce_ack:
        case FrameKind::roce_atomic_ack: return LadderFrames::Look::ack;
        default: return LadderFrames::Look::control;
    }
}

}  // namespace

MessageLadder::MessageLadder(const MessageName& message, const RunConfig& run, bool every_frame)
    : name_(message), every_frame_(every_frame), run_(run), hops_(run), wires_(wires_of_hosts(run)) {}

bool MessageLadder::complete() const {
    if (!over_) return false;
    if (ladder_.failed) return true;
    return placed_ == message_.bytes && (arrived_ || !rc::takes_receive(message_.verb));
}

void MessageLadder::mark(Time at, Lane lane, Tone tone, std::string text) {
    if (aside_ != 0 && !every_frame_) {
        auto& last = std::get<LadderMark>(ladder_.rows[aside_].what);
        if (last.lane == lane && last.text == text) {
            ++last.count;
            return;
        }
    }
    open_ = {};
    aside_ = ladder_.rows.size();
    LadderRow& row = ladder_.rows.emplace_back();
    row.at = at;
    row.what = LadderMark{lane, tone, std::move(text)};
}

void MessageLadder::step(const LoggedEvent& event, const MessageStep& step) {
    if (step.sender != name_.sender || step.qp != name_.qp || step.number != name_.number) return;
    switch (step.step) {
        case MessageStep::Step::posted:
            message_ = step;
            ladder_.found = true;
            ladder_.start = event.time;
            ladder_.responder_host = step.receiver;
            ladder_.what = fmt::format("message {}, {} of {} B", name_.text(run_.names), shown(step.verb), step.bytes);
            mark(event.time, Lane::initiator_host, Tone::plain,
                 fmt::format("posts {} of {}", shown(step.verb), size_text(step.bytes)));
            break;
        case MessageStep::Step::arrived:
            arrived_ = true;
            mark(event.time, Lane::responder_host, Tone::turn, "has the message");
            break;
        case MessageStep::Step::completed:
        case MessageStep::Step::failed:
            over_ = true;
            ladder_.end = event.time;
            ladder_.failed = step.step == MessageStep::Step::failed;
            mark(event.time, Lane::initiator_host, ladder_.failed ? Tone::trouble : Tone::turn,
                 ladder_.failed ? "completion: " + std::string(status_name(step.status)) : "takes the completion");
            break;
    }
}

void MessageLadder::note(const LoggedEvent& event, const QpNote& note) {
    const bool asks = event.end == message_.sender && note.qp == message_.from;
    const bool answers = event.end == message_.receiver && note.qp == message_.to;
    const CountSaid said = said_of(note.what);
    if (said.text.empty() || !(asks || answers) || over_) return;
    mark(event.time, asks ? Lane::initiator_rnic : Lane::responder_rnic, said.tone, std::string(said.text));
}

void MessageLadder::placed(const LoggedEvent& event, const MemoryAccess& memory) {
    const unsigned at = rc::has_answer(message_.verb) ? message_.sender : message_.receiver;
    if (event.end != at || memory.address - message_.place >= message_.bytes) return;
    if (!pieces_.insert(memory.address).second) return;
    placed_ += memory.bytes;
    if (placed_ >= message_.bytes) ladder_.in_memory = event.time;
}

std::uint32_t MessageLadder::psn_of(const roce::Bth& bth) const {
    return (bth.psn - verbs_of(run_, message_.sender).attributes.sq_psn.n).n;
}

bool MessageLadder::is_part(const WireFrame& wire) {
    const roce::Bth& bth = *wire.bth;
    const std::uint32_t behind = (bth.psn - message_.first.n).n;
    const bool inside = behind < message_.packets;
    if (wire.from == message_.sender && wire.to == message_.receiver && !answers(bth))
        return bth.to == message_.to && inside;
    if (wire.from != message_.receiver || wire.to != message_.sender || !answers(bth) || bth.to != message_.from)
        return false;
    if (inside || bth.opcode == roce::Opcode::cnp) return true;
    // An ACK of a later message acknowledges this one, too; the first such says so.
    constexpr std::uint32_t kHalf = 1U << 23U;
    if (acknowledged_ || packet_name(bth) != "ACK" || behind >= kHalf) return false;
    return true;
}

void MessageLadder::packet(const LoggedEvent& event, const WireFrame& wire) {
    if (!wire.bth || !is_part(wire)) return;
    const roce::Bth& bth = *wire.bth;
    const FrameKind kind = roce_kind(bth.opcode);
    std::vector<Sent>& sent = sent_[{wire.from == message_.sender, kind, bth.psn.n, bth.syndrome}];
    if (wire.step == WireFrame::Step::sent) {
        const bool again = !sent.empty() && has_psn(kind) && looks(kind) != LadderFrames::Look::ack;
        sent.push_back({.begins = event.time - wires_.at(event.end).serialisation(wire.bytes), .again = again});
        return;
    }
    if (sent.empty()) return;
    // The oldest that is where this one comes from; without one it is a copy of the last.
    const bool from_switch = event.end >= wires_.size();
    const auto open = std::ranges::find_if(
        sent, [&](const Sent& one) { return !one.ended && one.in_switch.has_value() == from_switch; });
    Sent& of = open == sent.end() ? sent.back() : *open;
    if (wire.step == WireFrame::Step::arrives) hop(event, wire, of);
    const bool lost = wire.step == WireFrame::Step::lost || wire.step == WireFrame::Step::dropped;
    if (wire.next < wires_.size() || lost) ends(event, wire, of);
}

/// It reaches a switch, or the next node behind one: what it took beyond the shortest time it waited for others.
void MessageLadder::hop(const LoggedEvent& event, const WireFrame& wire, Sent& sent) const {
    if (sent.in_switch && event.end >= wires_.size()) {
        const Time waited = event.time - *sent.in_switch - hops_.shortest(event.end, wire.next, wire.bytes);
        if (waited > sent.waited) {
            sent.waited = waited;
            sent.place = hops_.name(event.end);
        }
    }
    sent.in_switch.reset();
    if (wire.next >= wires_.size()) sent.in_switch = event.time;
}

/// What the network makes of a packet.
void MessageLadder::ends(const LoggedEvent& event, const WireFrame& wire, Sent& sent) {
    const roce::Bth& bth = *wire.bth;
    LadderFrames frames;
    frames.look = looks(roce_kind(bth.opcode));
    frames.by_initiator = wire.from == message_.sender;
    frames.name = packet_name(bth);
    if (has_psn(roce_kind(bth.opcode))) frames.numbered = " +";
    frames.first = frames.last = psn_of(bth);
    frames.again = sent.again;
    frames.lost = wire.step == WireFrame::Step::lost || wire.step == WireFrame::Step::dropped;
    frames.damaged = wire.step == WireFrame::Step::damaged;
    frames.copy = std::exchange(sent.ended, true) && !frames.lost;
    if (!frames.lost) frames.arrives = event.time;
    frames.waited = sent.waited;
    frames.place = sent.place;
    if (frames.lost && !run_.switches.empty())
        frames.place = (wire.step == WireFrame::Step::dropped ? "dropped by " : "lost behind ") + hops_.name(event.end);
    const bool alone = frames.lost || frames.damaged || frames.copy;
    if (!alone && frames.name == "ACK" && (bth.psn - message_.first.n).n + 1 >= message_.packets) acknowledged_ = true;

    // What meets a fault stands alone, and what comes after it too.
    if (alone) open_ = {};
    aside_ = 0;
    std::size_t& open = open_.at(frames.by_initiator ? 1 : 0);
    if (open != 0 && !every_frame_ && !alone) {
        auto& group = std::get<LadderFrames>(ladder_.rows[open].what);
        if (group.name == frames.name && frames.first == group.last + 1 && group.again == frames.again) {
            return group.join(frames);
        }
    }
    open = alone ? 0 : ladder_.rows.size();
    LadderRow& row = ladder_.rows.emplace_back();
    row.at = sent.begins;
    row.what = std::move(frames);
}

void MessageLadder::add(const LoggedEvent& event) {
    if (const auto* const what = std::get_if<MessageStep>(&event.what)) return step(event, *what);
    if (!ladder_.found) return;
    if (const auto* const what = std::get_if<WireFrame>(&event.what)) return packet(event, *what);
    if (const auto* const what = std::get_if<QpNote>(&event.what)) return note(event, *what);
    const auto* const memory = std::get_if<MemoryAccess>(&event.what);
    if (memory != nullptr && memory->write) placed(event, *memory);
}

Ladder MessageLadder::finish() {
    if (ladder_.in_memory != kEndOfTime) {
        const Lane lane = rc::has_answer(message_.verb) ? Lane::initiator_host : Lane::responder_host;
        mark(ladder_.in_memory, lane, Tone::plain, "has the last byte in memory");
    }
    std::ranges::stable_sort(ladder_.rows, {}, &LadderRow::at);
    return std::move(ladder_);
}

}  // namespace rnicsim
