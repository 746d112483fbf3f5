// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/request_packet.h"

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::Opcode;

/// Of RC.
Opcode opcode_of(Verb verb, bool first, bool last) {
    const auto pick = [&](Opcode start, Opcode middle, Opcode end, Opcode only) {
        return first ? (last ? only : start) : (last ? end : middle);
    };
    using enum Opcode;
    switch (verb) {
        case Verb::send: return pick(send_first, send_middle, send_last, send_only);
        case Verb::send_imm: return pick(send_first, send_middle, send_last_imm, send_only_imm);
        case Verb::send_inv: return pick(send_first, send_middle, send_last_inv, send_only_inv);
        case Verb::write: return pick(write_first, write_middle, write_last, write_only);
        case Verb::write_imm: return pick(write_first, write_middle, write_last_imm, write_only_imm);
        case Verb::read: return read_request;
        case Verb::compare_swap: return compare_swap;
        case Verb::flush: return Opcode::flush;
        case Verb::atomic_write: return Opcode::atomic_write;
        case Verb::write_persist:
            return pick(write_persist_first, write_persist_middle, write_persist_last, write_persist_only);
        case Verb::persist_ack: return Opcode::persist_ack;
        case Verb::fetch_add: break;
    }
    return fetch_add;
}

}  // namespace

Status check_local(const SendWqe& wqe, const Qp& qp, const MrTable& regions) {
    const std::uint64_t bytes = bytes_of(wqe);
    if (bytes > kMaxMessage) return Status::loc_qp_op;
    const bool eight_bytes = is_atomic(wqe.verb) || wqe.verb == Verb::atomic_write;
    if (eight_bytes && bytes != kAtomicBytes) return Status::loc_qp_op;
    const bool no_bytes = wqe.verb == Verb::flush || wqe.verb == Verb::persist_ack;
    if (no_bytes && bytes != 0) return Status::loc_qp_op;
    if (wqe.verb == Verb::write_persist && !qp.init.persist) return Status::loc_qp_op;
    if (wqe.verb == Verb::persist_ack && !by_processor(qp)) return Status::loc_qp_op;
    if (wqe.inline_data && (!carries_payload(wqe.verb) || !wqe.sges.empty())) return Status::loc_qp_op;
    const Access access = brings_data(wqe.verb) ? kLocalWrite : kLocalRead;
    return local_access(wqe.sges, qp, regions, access) ? Status::success : Status::loc_prot;
}

Header header_of(const SendEntry& entry, std::uint32_t at, const Qp& qp) {
    const SendWqe& wqe = entry.wqe;
    const std::uint32_t mtu = qp.attributes.path_mtu;
    const bool first = at == 0;
    const bool last = at + 1 == entry.packets;
    Header h;
    const bool unmarked = wqe.verb == Verb::write_persist && qp.init.persist->mark == PersistMark::range;
    h.opcode = roce::of_service(opcode_of(unmarked ? Verb::write : wqe.verb, first, last), qp.init.service);
    h.to = qp.attributes.dest_qpn;
    h.psn = entry.first + at;
    if (!carries_payload(wqe.verb)) return h;
    h.payload = last ? entry.bytes - at * mtu : mtu;
    if (first && (wqe.verb == Verb::write || wqe.verb == Verb::write_imm || wqe.verb == Verb::write_persist)) {
        h.address = wqe.remote_address;
        h.key = wqe.remote_key;
        h.length = entry.bytes;
    }
    if (last) {
        h.solicited = wqe.solicited;
        if (wqe.verb == Verb::send_imm || wqe.verb == Verb::write_imm) h.immediate = wqe.immediate_or_key;
        if (wqe.verb == Verb::send_inv) h.key = wqe.immediate_or_key;
    }
    return h;
}

std::optional<Packet> packet_of(const Header& header, std::uint32_t at, const SendWqe& wqe, std::uint32_t number,
                                const Qp& qp, const MrTable& regions) {
    Packet packet;
    packet.header = header;
    packet.qp = qp.number;
    packet.peer = qp.attributes.peer;
    packet.path = qp.attributes.path;
    packet.wqe = number;
    packet.offset = at * qp.attributes.path_mtu;
    packet.from_wqe = wqe.inline_data;
    if (header.payload != 0 && !wqe.inline_data) {
        const auto from = segments_of(wqe.sges, packet.offset, header.payload, qp, regions, kLocalRead);
        if (!from) return {};
        packet.from = *from;
    }
    return packet;
}

}  // namespace rnicsim::rc
