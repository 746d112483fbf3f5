// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/program_ladder.h"

#include "testbench/events/frame_text.h"
#include "testbench/events/microseconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

constexpr Time kLongCall = kMicrosecond * 20;  // of calls that take so long it is said; a command to the card takes 10

std::string range(std::uint32_t first, std::uint32_t last) {
    return first == last ? fmt::format("#{}", first) : fmt::format("#{}..{}", first, last);
}

}  // namespace

ProgramLadder::ProgramLadder(RecordedProgram program, const RunConfig& run, bool every_frame)
    : program_(std::move(program)), run_(run), rows_(ladder_, run, every_frame) {
    ladder_.initiator = run.names[program_.host];
    ladder_.what = fmt::format("program {}, {}", program_.text(run.names), program_.name);
    ladder_.found = true;
}

void ProgramLadder::connected(const QpConnected& qp) {
    qps_[qp.number.n] = qp;
    if (qp.datagram) return;
    const std::string& peer = run_.names[qp.peer];
    if (ladder_.responder.empty()) ladder_.responder = peer;
    if (ladder_.responder != peer) ladder_.responder = "peers";
}

std::string ProgramLadder::qp_prefix(const QpConnected& qp) const {
    return qps_.size() == 1 ? "" : fmt::format("q{} ", qp.qp);
}

/// It stands where it begins; a poll that finds something, where it has.
void ProgramLadder::call(const LoggedEvent& event, const VerbsCall& call) {
    std::string text = call_text(call, run_.names, program_.host);
    Tone tone = call.error == 0 ? Tone::plain : Tone::trouble;
    const bool finds = call.what == VerbsCall::What::poll_cq && call.count != 0;
    if (finds) {
        text = "poll_cq: ";
        if (taken_.empty()) text += std::to_string(call.count);  // of no message that is known: datagrams
        for (const Taken& taken : taken_)
            text += (&taken == taken_.data() ? "" : ", ") + taken.what + range(taken.first, taken.last);
        tone = failed_ ? Tone::trouble : Tone::turn;
        taken_.clear();
        failed_ = false;
    } else if (event.at - call.begins >= kLongCall && call.what != VerbsCall::What::poll_cq) {
        text += fmt::format(" ({} \u00B5s)", microseconds(event.at - call.begins));
    }
    rows_.mark(finds ? event.at : call.begins, Lane::initiator_host, tone, std::move(text));
}

void ProgramLadder::step(const LoggedEvent& event, const MessageStep& step) {
    const bool sends = step.sender == program_.host && qps_.contains(step.from.n);
    if (step.step == MessageStep::Step::posted) {
        if (sends)
            rows_.mark(event.at, Lane::initiator_host, Tone::plain,
                       fmt::format("  {} of {}", shown(step.verb), size_text(step.bytes)));
        return;
    }
    const bool arrives = step.step == MessageStep::Step::arrived;
    const bool receives = step.receiver == program_.host && qps_.contains(step.to.n);
    if (arrives ? !receives : !sends) return;
    std::string what = (arrives ? "from " : "") + run_.names.qp(step.sender, step.qp) + ' ';
    if (step.step == MessageStep::Step::failed) {
        what = std::string(status_name(step.status)) + ' ' + what;
        failed_ = true;
    }
    if (!taken_.empty() && taken_.back().what == what && taken_.back().last + 1 == step.number) {
        ++taken_.back().last;
    } else {
        taken_.push_back({std::move(what), step.number, step.number});
    }
}

void ProgramLadder::note(const LoggedEvent& event, const QpNote& note) {
    for (const auto& [number, qp] : qps_) {
        const bool own = event.end == program_.host && note.qp.n == number;
        const bool other = !qp.datagram && event.end == qp.peer && note.qp == qp.peer_number;
        if (!own && !other) continue;
        const std::string name = run_.names.qp(program_.host, qp.qp);
        ++counts_[own ? name : "peer of " + name][note.what];
        const CountSaid said = said_of(note.what);
        if (!said.text.empty())
            rows_.mark(event.at, own ? Lane::initiator_rnic : Lane::responder_rnic, said.tone,
                       qp_prefix(qp) + std::string(said.text));
        return;
    }
}

void ProgramLadder::packet(const LoggedEvent& event, const WireFrame& wire) {
    if (!wire.bth) return;
    const roce::Bth& bth = *wire.bth;
    const bool leaves = wire.from == program_.host;
    const auto found = std::ranges::find_if(qps_, [&](const auto& entry) {
        const QpConnected& qp = entry.second;
        if (!leaves) return wire.to == program_.host && bth.to == qp.number;
        if (qp.datagram) return bth.from == qp.number;
        return wire.to == qp.peer && bth.to == qp.peer_number;
    });
    if (found == qps_.end()) return;
    const QpConnected& qp = found->second;
    const bool own_request = leaves != answers(bth);
    roce::Psn first = own_request ? qp.first : qp.peer_first;
    if (qp.datagram && !leaves) first = first_[{wire.from, bth.from.n}];
    static_cast<void>(rows_.packet(event, wire, {leaves, (bth.psn - first.n).n, qp_prefix(qp)}));
}

void ProgramLadder::add(const LoggedEvent& event) {
    const auto* const connection = std::get_if<QpConnected>(&event.what);
    if (connection != nullptr) {
        first_[{event.end, connection->number.n}] = connection->first;
        if (event.end == program_.host && connection->program == program_.number) connected(*connection);
        return;
    }
    const auto* const verbs = std::get_if<VerbsCall>(&event.what);
    if (verbs != nullptr && event.end == program_.host && verbs->program == program_.number) return call(event, *verbs);
    if (const auto* const what = std::get_if<MessageStep>(&event.what)) return step(event, *what);
    if (const auto* const what = std::get_if<WireFrame>(&event.what)) return packet(event, *what);
    if (const auto* const what = std::get_if<QpNote>(&event.what)) return note(event, *what);
}

Ladder ProgramLadder::finish() {
    rows_.sort();
    if (ladder_.responder.empty()) ladder_.responder = "peers";
    ladder_.title = ladder_.what;
    return std::move(ladder_);
}

std::string ProgramLadder::counted() const {
    std::string text;
    for (const auto& [name, counts] : counts_) {
        std::string line;
        for (const auto& [what, n] : counts)
            line += fmt::format("{}{} {}", line.empty() ? "" : ", ",
                                rc::kRcCountNames.at(static_cast<std::size_t>(what)), n);
        text += fmt::format("{}: {}\n", name, line);
    }
    return text;
}

}  // namespace rnicsim
