// SPDX-License-Identifier: Apache-2.0
// The responder's way out: ACKs, NAKs, READ responses and atomics' answers, in the order of their requests.
#include "model/rnic/rc/responder.h"

namespace rnicsim::rc {
namespace {

using roce::AckKind;
using roce::Header;
using roce::Opcode;

Opcode opcode_of_response(const Answer& a) {
    const bool first = a.sent == 0;
    const bool last = a.sent + 1 == a.packets;
    if (first) return last ? Opcode::read_only : Opcode::read_first;
    return last ? Opcode::read_last : Opcode::read_middle;
}

/// It is done beside the decisions, and told when it is.
bool waits_to_be_known(AnswerKind kind) { return kind == AnswerKind::atomic || kind == AnswerKind::executed; }

AckKind kind_of(AnswerKind kind) {
    if (kind == AnswerKind::nak || kind == AnswerKind::selective_nak) return AckKind::nak;
    return kind == AnswerKind::rnr_nak ? AckKind::rnr_nak : AckKind::ack;
}

Opcode opcode_of_answer(AnswerKind kind, PersistPack pack) {
    switch (kind) {
        case AnswerKind::selective_nak: return Opcode::selective_nak;
        case AnswerKind::atomic: return Opcode::atomic_ack;
        case AnswerKind::executed: return Opcode::read_only;
        case AnswerKind::persist_ack: return pack == PersistPack::opcode ? Opcode::persist_ack : Opcode::ack;
        default: return Opcode::ack;
    }
}

/// The next response of the READ at the front; it is gone after the last one.
std::optional<Packet> next_response(Qp& qp, Packet packet, Decision& d) {
    Responder& r = qp.responder;
    Answer& a = r.answers.front();
    const std::uint32_t mtu = qp.attributes.path_mtu;
    const std::uint32_t offset = a.sent * mtu;
    Header& h = packet.header;
    h.psn = a.psn + a.sent;
    h.opcode = opcode_of_response(a);
    if (h.opcode == Opcode::read_middle) h.aeth = {};  // it has none
    h.payload = std::min(a.length - offset, mtu);
    const Range range{a.address + offset, h.payload};
    const auto place = d.regions.place(a.key, qp.init.pd, range, kRemoteRead);
    if (!place) {                          // V-S6: gone since it was accepted
        if (qp.state == QpState::error) {  // a NAK follows already
            r.answers.pop();
            return next_answer(qp, d);
        }
        if (!a.first_time) {  // who asked twice may have the answer: it is told, and nothing else happens
            h.opcode = Opcode::ack;
            h.aeth = {kind_of(AnswerKind::nak), static_cast<std::uint8_t>(roce::NakCode::remote_access), a.msn};
            h.payload = 0;
            r.answers.pop();
            return packet;
        }
        r.answers.clear();
        const Psn expected = r.expected;
        r.expected = h.psn;  // the NAK names the response that cannot come
        refuse(qp, roce::NakCode::remote_access, Status::wr_flush, d);
        r.expected = expected;
        return next_answer(qp, d);
    }
    if (h.payload != 0) packet.from.push({*place, h.payload});
    packet.offset = offset;
    if (++a.sent == a.packets) {
        if (a.first_time) --r.first_answers;
        r.answers.pop();
    }
    return packet;
}

}  // namespace

std::optional<Packet> next_answer(Qp& qp, Decision& d) {
    Responder& r = qp.responder;
    if (r.answers.empty()) return {};
    // V-S4: what is asked to be written before an answer has to be posted before it leaves.
    const auto may_leave = [&](const Answer& a) {
        return static_cast<std::int32_t>(r.posted - a.after) >= 0 && (!waits_to_be_known(a.kind) || a.known);
    };
    if (!may_leave(r.answers.front())) return {};
    while (d.config.acknowledgement->merges() && r.answers.size() > 1 && r.answers.front().kind == AnswerKind::ack &&
           r.answers[r.answers.first() + 1].kind == AnswerKind::ack && may_leave(r.answers[r.answers.first() + 1])) {
        r.answers.pop();
    }
    const Answer& a = r.answers.front();
    Packet packet;
    packet.qp = qp.number;
    packet.peer = qp.attributes.peer;
    packet.path = qp.attributes.path;
    Header& h = packet.header;
    h.to = qp.attributes.dest_qpn;
    h.psn = a.psn;
    h.aeth = {kind_of(a.kind), roce::kNoCredits, a.msn};
    if (a.kind == AnswerKind::read) return next_response(qp, packet, d);
    h.opcode = opcode_of_answer(a.kind, qp.init.persist.value_or(PersistMode{}).pack);
    h.arrived = a.arrived;
    if (a.kind == AnswerKind::atomic) h.original = a.original;
    if (h.aeth.kind != AckKind::ack) h.aeth.value = a.value;
    if (a.first_time) --r.first_answers;
    r.answers.pop();
    return packet;
}

}  // namespace rnicsim::rc
