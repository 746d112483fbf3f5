// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/wire_judge.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/roce/opcodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

using roce::Opcode;

/// READs and atomics whose answers may still be repeated: more than any card remembers.
constexpr std::size_t kAnswers = 512;

bool is_read(Opcode opcode) { return opcode == Opcode::read_request; }
bool is_atomic(Opcode opcode) { return opcode == Opcode::compare_swap || opcode == Opcode::fetch_add; }
/// More than an ACK answers it.
bool asks(Opcode opcode) {
    return is_read(opcode) || is_atomic(opcode) || opcode == Opcode::flush || opcode == Opcode::atomic_write;
}
/// Is this an answer to it?
bool answers(Opcode answer, std::uint32_t payload, Opcode asked) {
    if (is_atomic(asked)) return answer == Opcode::atomic_ack;
    if (is_read(asked)) return answer != Opcode::atomic_ack;
    return answer == Opcode::read_only && payload == 0;
}

/// Of a SEND or WRITE.
struct Part {
    bool write = false, first = false, last = false, persist = false;
    [[nodiscard]] bool goes_on(const Part& before) const { return write == before.write && persist == before.persist; }
};
Part part_of(Opcode opcode) {
    switch (opcode) {
        case Opcode::send_first: return {.first = true};
        case Opcode::send_middle: return {};
        case Opcode::send_last:
        case Opcode::send_last_imm:
        case Opcode::send_last_inv: return {.last = true};
        case Opcode::write_first:
        case Opcode::selective_write_first: return {.write = true, .first = true};
        case Opcode::write_middle:
        case Opcode::selective_write_middle: return {.write = true};
        case Opcode::write_last:
        case Opcode::selective_write_last:
        case Opcode::write_last_imm: return {.write = true, .last = true};
        case Opcode::write_only:
        case Opcode::selective_write_only:
        case Opcode::write_only_imm: return {.write = true, .first = true, .last = true};
        case Opcode::write_persist_first: return {.write = true, .first = true, .persist = true};
        case Opcode::write_persist_middle: return {.write = true, .persist = true};
        case Opcode::write_persist_last: return {.write = true, .last = true, .persist = true};
        case Opcode::write_persist_only: return {.write = true, .first = true, .last = true, .persist = true};
        default: return {.first = true, .last = true};
    }
}

}  // namespace

void WireJudge::connect(const Connection& connection) {
    const std::size_t index = connections_.size();
    connections_.push_back(connection);
    std::array<Flow, 2>& flows = flows_.emplace_back();
    const std::array<End, 2>& ends = connection.ends;
    const bool asks_itself = ends[0].host == ends[1].host && ends[0].qp == ends[1].qp;
    for (unsigned side = 0; side < 2; ++side) {
        flows.at(side).connection = index;
        flows.at(side).side = side;
        const End& of = ends.at(side);
        if (of.host >= places_.size()) places_.resize(of.host + 1);
        if (of.qp.n >= places_[of.host].size()) places_[of.host].resize(of.qp.n + 1);
        places_[of.host][of.qp.n] = Place{index, side, asks_itself ? side : 1 - side, ends.at(1 - side).host};
    }
}

void WireJudge::forget(unsigned host, roce::Qpn qp) {
    if (host >= places_.size() || qp.n >= places_[host].size() || !places_[host][qp.n]) return;
    for (const End& end : connections_[places_[host][qp.n]->connection].ends) places_[end.host][end.qp.n].reset();
}

WireJudge::Flow* WireJudge::flow_of(unsigned from, unsigned to, roce::Qpn qp, bool answer) {
    if (to >= places_.size() || qp.n >= places_[to].size() || !places_[to][qp.n]) return nullptr;
    const Place& place = *places_[to][qp.n];
    if (place.peer != from) return nullptr;
    return &flows_[place.connection].at(answer ? place.side : place.asker);
}

WireJudge::Number WireJudge::number(const Flow& flow, roce::Psn psn, Number near) const {
    const roce::Psn there = end(flow).first + static_cast<std::uint32_t>(near & roce::Psn::kMask);
    return near + roce::ahead(psn, there);
}

const WireJudge::Answer* WireJudge::answer_at(const Flow& flow, Number n) {
    const auto found = std::find_if(flow.answers.rbegin(), flow.answers.rend(),
                                    [n](const Answer& one) { return one.first <= n && n < one.end; });
    return found == flow.answers.rend() ? nullptr : &*found;
}

void WireJudge::sent(unsigned host, const Frame& frame, Time left) {
    const std::optional<unsigned> to = host_of(frame.destination());
    if (!to) return;
    const roce::Header* const header = roce::header_of(frame);
    if (header == nullptr || header->opcode == Opcode::cnp) return;
    if (roce::meaning(header->opcode)->service != roce::Service::reliable) {
        last_progress_ = std::max(last_progress_, left);
        return;
    }
    const bool answers = roce::meaning(header->opcode)->sender == roce::Sender::responder;
    Flow* const flow = flow_of(host, *to, header->to, answers);
    if (flow == nullptr) return;
    ++judged_;
    if (answers) {
        const Number n = number(*flow, header->psn, flow->came);
        if (header->payload != 0 && n >= flow->answered) {  // what is answered again is no progress
            last_progress_ = std::max(last_progress_, left);
            flow->answered = n + 1;
        }
        answer(*flow, *header);
    } else {
        request(*flow, *header);
    }
}

void WireJudge::arrived(unsigned host, const Frame& frame) {
    const std::optional<unsigned> from = host_of(frame.source());
    if (connections_.empty()) return;
    const std::optional<roce::Bth>& bth = roce::bth_of(frame);
    if (!from || !bth || bth->opcode == Opcode::cnp || !frame.fcs_good()) return;
    const bool answers = roce::meaning(bth->opcode)->sender == roce::Sender::responder;
    Flow* const flow = flow_of(*from, host, bth->to, answers);
    if (flow == nullptr) return;
    if (answers) {
        answer_came(*flow, *bth, number(*flow, bth->psn, flow->acked));
        if (bth->opcode == Opcode::selective_nak) told(*flow, roce::header_of(frame)->arrived);
    } else {
        request_came(*flow, *bth);
    }
}

void WireJudge::request(Flow& flow, const roce::Header& header) {
    const Number n = number(flow, header.psn, flow.next);
    if (n > flow.next) return violate(flow, n, fmt::format("V-R2: it leaves, and +{} never has", flow.next));
    if (n < flow.next) return;  // again
    if (n - flow.acked >= end(flow).window)
        violate(flow, n, fmt::format("V-R4: {} PSNs are outstanding, of {}", n - flow.acked, end(flow).window));
    if (asks(header.opcode)) {
        new_request(flow, n, header);
    } else {
        new_packet(flow, n, header);
        ++flow.next;
    }
}

void WireJudge::new_request(Flow& flow, Number n, const roce::Header& header) {
    if (flow.open) violate(flow, n, "V-R2: a READ or atomic within a message");
    const std::uint32_t pmtu = connections_[flow.connection].pmtu;
    const Number packets = is_read(header.opcode) && header.length != 0 ? (header.length - 1) / pmtu + 1 : 1;
    if (flow.answers.size() == kAnswers) flow.answers.pop_front();
    flow.answers.push_back({n, n + packets, header.opcode});
    flow.next += packets;
    const auto due = std::ranges::count_if(flow.answers, [&](const Answer& one) { return one.end > flow.acked; });
    if (due > end(flow).max_rd_atomic)
        violate(flow, n,
                fmt::format("V-R6: {} READs and atomics are outstanding, of {}", due, end(flow).max_rd_atomic));
}

void WireJudge::new_packet(Flow& flow, Number n, const roce::Header& header) {
    const Part part = part_of(header.opcode);
    const std::uint32_t pmtu = connections_[flow.connection].pmtu;
    if (part.first == flow.open.has_value() || (flow.open && !part.goes_on(part_of(*flow.open))))
        violate(flow, n, "V-R1: its opcode does not follow the one before it");
    const bool full = header.payload == pmtu;
    if (part.last ? header.payload > pmtu || (!part.first && header.payload == 0) : !full)
        violate(flow, n, fmt::format("V-R1: {} bytes in it, with a PMTU of {}", header.payload, pmtu));
    if (part.write) {
        const std::uint32_t left = part.first ? header.length : flow.left;
        if (part.last ? header.payload != left : header.payload >= left)
            violate(flow, n, fmt::format("V-R1: {} bytes in it, where {} are left", header.payload, left));
        const bool addressed = header.opcode >= Opcode::selective_write_first;
        if (addressed && !part.first && (header.length != left || header.address != flow.next_address))
            violate(flow, n, "V-R12: it goes elsewhere than the packet before it says");
        flow.left = left - std::min(left, header.payload);
        flow.next_address = header.address + header.payload;
    }
    if (part.last) flow.open.reset();
    if (part.first && !part.last) flow.open = header.opcode;
}

void WireJudge::request_came(Flow& flow, const roce::Bth& bth) {
    const Number n = number(flow, bth.psn, flow.came);
    if (flow.nak == n) flow.nak.reset();
    const Answer* const asks = is_read(bth.opcode) ? answer_at(flow, n) : nullptr;
    const Number behind = asks != nullptr ? asks->end : n + 1;
    if (n > flow.came) {
        if (!connections_[flow.connection].in_order) flow.ahead[n] = std::max(flow.ahead[n], behind);
        return;
    }
    flow.came = std::max(flow.came, behind);
    while (!flow.ahead.empty() && flow.ahead.begin()->first <= flow.came) {
        flow.came = std::max(flow.came, flow.ahead.begin()->second);
        flow.ahead.erase(flow.ahead.begin());
    }
}

void WireJudge::answer(Flow& flow, const roce::Header& header) {
    const Number n = number(flow, header.psn, flow.came);
    const bool pack = header.opcode == Opcode::persist_ack;
    const bool data = header.opcode != Opcode::ack && header.opcode != Opcode::selective_nak && !pack;
    const bool acks = !data && (header.opcode == Opcode::ack || pack) && header.aeth.kind == roce::AckKind::ack;
    const bool refuses = header.opcode == Opcode::ack && header.aeth.kind == roce::AckKind::nak &&
                         header.aeth.value != static_cast<std::uint8_t>(roce::NakCode::psn_sequence);
    // What is acknowledged, answered or refused has come; what is asked for is behind all that has.
    if (n > flow.came || (n == flow.came && (acks || data || refuses)))
        violate(flow, n, fmt::format("V-I9: an answer to what has not come; all before +{} has", flow.came));
    if (data) {
        const Answer* const asked = answer_at(flow, n);
        if (asked == nullptr || !answers(header.opcode, header.payload, asked->asked))
            violate(flow, n, "V-I9: an answer to what has not been asked");
    }
    const bool sequence = header.opcode == Opcode::ack && header.aeth.kind == roce::AckKind::nak && !refuses;
    if (sequence && connections_[flow.connection].in_order) {
        if (flow.nak == n && connections_[flow.connection].one_nak)
            violate(flow, n, "V-S1: a second NAK sequence, and it has not come since");
        flow.nak = n;
    }
    if (header.opcode == Opcode::read_middle) return;  // has no AETH
    if (flow.msn && roce::ahead(header.aeth.msn, *flow.msn) < 0)
        violate(flow, n, fmt::format("V-S3: MSN {} behind {}", header.aeth.msn.n, flow.msn->n));
    flow.msn = header.aeth.msn;
}

void WireJudge::answer_came(Flow& flow, const roce::Bth& bth, Number n) {
    const bool stops = bth.opcode == Opcode::selective_nak ||
                       (bth.opcode == Opcode::ack && bth.syndrome >> 5U != static_cast<unsigned>(roce::AckKind::ack));
    flow.acked = std::max(flow.acked, stops ? n : n + 1);
    pass_told(flow);
}

/// V-C10: a selective NAK has told that it has come; when all before it is answered, so is this.
void WireJudge::told(Flow& flow, roce::Psn arrived) const {
    flow.told.insert(number(flow, arrived, flow.acked));
    pass_told(flow);
}

void WireJudge::pass_told(Flow& flow) {
    while (!flow.told.empty() && *flow.told.begin() <= flow.acked) {
        flow.acked = std::max(flow.acked, *flow.told.begin() + 1);
        flow.told.erase(flow.told.begin());
    }
}

void WireJudge::violate(const Flow& flow, Number n, const std::string& what) {
    if (!violation_.empty()) return;
    violation_ = fmt::format("invariant violated, by the frames alone: QP {} of {}, PSN +{}: {}", end(flow).qp.n,
                             names_[end(flow).host], n, what);
}

}  // namespace rnicsim
