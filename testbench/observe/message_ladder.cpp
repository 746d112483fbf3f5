// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/message_ladder.h"

#include "model/rnic/rc/names/packet_namer.h"
#include "testbench/events/frame_text.h"
#include "tlm/roce/opcodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rnicsim {
MessageLadder::MessageLadder(const MessageName& message, const RunConfig& run, bool every_frame)
    : name_(message), run_(run), rows_(ladder_, run, every_frame) {}

bool MessageLadder::complete() const {
    if (!over_) return false;
    if (ladder_.failed) return true;
    return placed_ == message_.bytes && (arrived_ || !rc::takes_receive(message_.verb));
}

void MessageLadder::step(const LoggedEvent& event, const MessageStep& step) {
    if (step.sender != name_.sender || step.qp != name_.qp || step.number != name_.number) return;
    switch (step.step) {
        case MessageStep::Step::posted:
            message_ = step;
            ladder_.found = true;
            ladder_.start = event.at;
            ladder_.responder_host = step.receiver;
            ladder_.what = fmt::format("message {}, {} of {} B", name_.text(run_.names), shown(step.verb), step.bytes);
            rows_.mark(event.at, Lane::initiator_host, Tone::plain,
                       fmt::format("posts {} of {}", shown(step.verb), size_text(step.bytes)));
            break;
        case MessageStep::Step::arrived:
            arrived_ = true;
            rows_.mark(event.at, Lane::responder_host, Tone::turn, "has the message");
            break;
        case MessageStep::Step::completed:
        case MessageStep::Step::failed:
            over_ = true;
            ladder_.end = event.at;
            ladder_.failed = step.step == MessageStep::Step::failed;
            rows_.mark(
                event.at, Lane::initiator_host, ladder_.failed ? Tone::trouble : Tone::turn,
                ladder_.failed ? "completion: " + std::string(status_name(step.status)) : "takes the completion");
            break;
    }
}

void MessageLadder::note(const LoggedEvent& event, const QpNote& note) {
    const bool asks = event.end == message_.sender && note.qp == message_.from;
    const bool answers = event.end == message_.receiver && note.qp == message_.to;
    const CountSaid said = said_of(note.what);
    if (said.text.empty() || !(asks || answers) || over_) return;
    rows_.mark(event.at, asks ? Lane::initiator_rnic : Lane::responder_rnic, said.tone, std::string(said.text));
}

void MessageLadder::placed(const LoggedEvent& event, const MemoryAccess& memory) {
    const unsigned at = rc::has_answer(message_.verb) ? message_.sender : message_.receiver;
    if (event.end != at || memory.address - message_.place >= message_.bytes) return;
    if (!pieces_.insert(memory.address).second) return;
    placed_ += memory.bytes;
    if (placed_ >= message_.bytes) ladder_.in_memory = event.at;
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
    const PacketRows::PacketName name{wire.from == message_.sender, (bth.psn - message_.first_of_qp.n).n};
    const bool came = rows_.packet(event, wire, name);
    const bool of_its_end = (bth.psn - message_.first.n).n + 1 >= message_.packets;
    if (came && of_its_end && packet_name(bth) == "ACK") acknowledged_ = true;
}

void MessageLadder::add(const LoggedEvent& event) {
    if (const auto* const what = std::get_if<MessageStep>(&event.what)) return step(event, *what);
    if (!ladder_.found || event.at < ladder_.start) return;  // what was before the call is not this message's
    if (const auto* const what = std::get_if<WireFrame>(&event.what)) return packet(event, *what);
    if (const auto* const what = std::get_if<QpNote>(&event.what)) return note(event, *what);
    const auto* const memory = std::get_if<MemoryAccess>(&event.what);
    if (memory != nullptr && memory->write) placed(event, *memory);
}

Ladder MessageLadder::finish() {
    if (ladder_.in_memory != kEndOfTime) {
        const Lane lane = rc::has_answer(message_.verb) ? Lane::initiator_host : Lane::responder_host;
        rows_.mark(ladder_.in_memory, lane, Tone::plain, "has the last byte in memory");
    }
    rows_.sort();
    return std::move(ladder_);
}

}  // namespace rnicsim
