// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/packet_rows.h"

#include "model/rnic/rc/names/packet_namer.h"
#include "testbench/events/frame_text.h"
#include "tlm/roce/opcodes.h"

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

LadderFrames::Look looks(FrameKind kind) {
    switch (kind) {
        case FrameKind::roce_send:
        case FrameKind::roce_write:
        case FrameKind::roce_response: return LadderFrames::Look::data;
        case FrameKind::roce_ack:
        case FrameKind::roce_persist_ack:
        case FrameKind::roce_atomic_ack: return LadderFrames::Look::ack;
        default: return LadderFrames::Look::control;
    }
}

}  // namespace

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
        case rc::RcCount::persist_repeats: return {Tone::trouble, "no PACK has come: asks again"};
        default: return {};
    }
}

bool answers(const roce::Bth& bth) { return roce::meaning(bth.opcode)->sender == roce::Sender::responder; }

PacketRows::PacketRows(Ladder& ladder, const RunConfig& run, bool every_frame)
    : ladder_(ladder), run_(run), every_frame_(every_frame), hops_(run), wires_(wires_of_hosts(run)) {}

void PacketRows::mark(Time at, Lane lane, Tone tone, std::string text) {
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

PacketRows::Kind PacketRows::kind_of(const WireFrame& wire, const PacketName& name) {
    if (wire.tcp) {
        const TcpSeen& of = *wire.tcp;
        const bool data = of.has_place();
        const FrameKind kind = data ? FrameKind::tcp : FrameKind::tcp_ack;
        return {.key = {name.by_initiator, of.stream, kind, data ? of.sequence : of.acknowledged, {}},
                .look = of.payload != 0 ? LadderFrames::Look::data
                        : data          ? LadderFrames::Look::control
                                        : LadderFrames::Look::ack,
                .name = of.reset ? "TCP RST"
                        : of.syn ? "TCP SYN"
                        : of.fin ? "TCP FIN"
                        : data   ? "TCP"
                                 : "TCP ACK",
                .numbered = true,
                .behind = std::max(of.payload, 1U),
                .again = data};
    }
    const roce::Bth& bth = *wire.bth;
    const FrameKind kind = roce_kind(bth.opcode);
    return {.key = {name.by_initiator, bth.to.n, kind, bth.psn.n, bth.syndrome},
            .look = looks(kind),
            .name = packet_name(bth),
            .numbered = has_psn(kind),
            .again = has_psn(kind) && looks(kind) != LadderFrames::Look::ack};
}

bool PacketRows::packet(const LoggedEvent& event, const WireFrame& wire, const PacketName& name) {
    const Kind kind = kind_of(wire, name);
    std::vector<Sent>& sent = sent_[kind.key];
    if (wire.step == WireFrame::Step::sent) {
        const bool again = !sent.empty() && kind.again;
        sent.push_back({.begins = event.at - wires_.at(event.end).serialisation(wire.bytes), .again = again});
        return false;
    }
    if (sent.empty()) return false;
    // The oldest that is where this one comes from; without one it is a copy of the last.
    const bool from_switch = event.end >= wires_.size();
    const auto open = std::ranges::find_if(
        sent, [&](const Sent& one) { return !one.ended && one.in_switch.has_value() == from_switch; });
    Sent& of = open == sent.end() ? sent.back() : *open;
    if (wire.step == WireFrame::Step::arrives) hop(event, wire, of);
    const bool lost = wire.step == WireFrame::Step::lost || wire.step == WireFrame::Step::dropped;
    return (wire.next < wires_.size() || lost) && ends(event, wire, name, kind, of);
}

/// It reaches a switch, or the next node behind one: what it took beyond the shortest time it waited for others.
void PacketRows::hop(const LoggedEvent& event, const WireFrame& wire, Sent& sent) const {
    if (sent.in_switch && event.end >= wires_.size()) {
        const Time waited = event.at - *sent.in_switch - hops_.shortest(event.end, wire.next, wire.bytes);
        if (waited > sent.waited) {
            sent.waited = waited;
            sent.place = hops_.name(event.end);
        }
    }
    sent.in_switch.reset();
    if (wire.next >= wires_.size()) sent.in_switch = event.at;
}

/// What the network makes of a packet.
bool PacketRows::ends(const LoggedEvent& event, const WireFrame& wire, const PacketName& name, const Kind& kind,
                      Sent& sent) {
    LadderFrames frames;
    frames.look = kind.look;
    frames.by_initiator = name.by_initiator;
    frames.name = kind.name;
    if (kind.numbered) frames.numbered = " +";
    frames.first = frames.last = name.number;
    frames.next = name.number + kind.behind;
    frames.of = name.of;
    frames.again = sent.again;
    frames.lost = wire.step == WireFrame::Step::lost || wire.step == WireFrame::Step::dropped;
    frames.damaged = wire.step == WireFrame::Step::damaged;
    frames.copy = std::exchange(sent.ended, true) && !frames.lost;
    if (!frames.lost) frames.arrives = event.at;
    frames.waited = sent.waited;
    frames.place = sent.place;
    if (frames.lost && !run_.switches.empty())
        frames.place = (wire.step == WireFrame::Step::dropped ? "dropped by " : "lost behind ") + hops_.name(event.end);
    const bool alone = frames.lost || frames.damaged || frames.copy;

    // What meets a fault stands alone, and what comes after it too.
    if (alone) open_ = {};
    aside_ = 0;
    std::size_t& open = open_.at(frames.by_initiator ? 1 : 0);
    if (open != 0 && !every_frame_ && !alone) {
        auto& group = std::get<LadderFrames>(ladder_.rows[open].what);
        if (group.name == frames.name && frames.first == group.next && group.again == frames.again &&
            group.of == frames.of) {
            group.join(frames);
            return true;
        }
    }
    open = alone ? 0 : ladder_.rows.size();
    LadderRow& row = ladder_.rows.emplace_back();
    row.at = sent.begins;
    row.what = std::move(frames);
    return !alone;
}

void PacketRows::sort() { std::ranges::stable_sort(ladder_.rows, {}, &LadderRow::at); }

}  // namespace rnicsim
