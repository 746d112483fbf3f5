// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/names/packet_namer.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/roce/packet.h"

#include <optional>

namespace rnicsim {

FrameKind roce_kind(roce::Opcode opcode) {
    using roce::Opcode;
    switch (opcode) {
        case Opcode::read_request: return FrameKind::roce_read;
        case Opcode::compare_swap:
        case Opcode::fetch_add:
        case Opcode::atomic_write: return FrameKind::roce_atomic;
        case Opcode::flush: return FrameKind::roce_flush;
        case Opcode::read_first:
        case Opcode::read_middle:
        case Opcode::read_last:
        case Opcode::read_only: return FrameKind::roce_response;
        case Opcode::ack:
        case Opcode::selective_nak: return FrameKind::roce_ack;
        case Opcode::atomic_ack: return FrameKind::roce_atomic_ack;
        case Opcode::persist_ack: return FrameKind::roce_persist_ack;
        case Opcode::cnp: return FrameKind::roce_cnp;
        case Opcode::write_first:
        case Opcode::write_middle:
        case Opcode::write_last:
        case Opcode::write_last_imm:
        case Opcode::write_only:
        case Opcode::write_only_imm:
        case Opcode::write_persist_only:
        case Opcode::write_persist_first:
        case Opcode::write_persist_middle:
        case Opcode::write_persist_last:
        case Opcode::selective_write_first:
        case Opcode::selective_write_middle:
        case Opcode::selective_write_last:
        case Opcode::selective_write_only:
        case Opcode::uc_write_first:
        case Opcode::uc_write_middle:
        case Opcode::uc_write_last:
        case Opcode::uc_write_last_imm:
        case Opcode::uc_write_only:
        case Opcode::uc_write_only_imm: return FrameKind::roce_write;
        default: return FrameKind::roce_send;
    }
}

bool PacketNamer::name(const Frame& frame, FrameName& name) {
    const std::optional<roce::Bth>& bth = roce::bth_of(frame);
    if (!bth) return tcp_.name(frame, name);
    const roce::OpcodeMeaning& meaning = *roce::meaning(bth->opcode);
    const bool datagram = meaning.service == roce::Service::datagram;
    const std::optional<unsigned> host = host_of(datagram ? frame.source() : frame.destination());
    if (!host) return false;
    const bool answer = meaning.sender == roce::Sender::responder;
    const auto requester = qps_.requester(*host, datagram ? bth->from : bth->to, datagram || answer);
    if (!requester) return false;
    name.kind = roce_kind(bth->opcode);
    name.initiator = requester->host;
    name.transfer = requester->qp;
    name.sn = name.kind == FrameKind::roce_cnp ? 0 : (bth->psn - requester->first.n).n;
    Transmissions& sent =
        of_[{requester->host, requester->qp}].at(static_cast<std::size_t>(name.kind) - kFirstRoceKind);
    name.ordinal = sent.count(name.sn, (requester->settled - requester->first.n).n);
    return true;
}

}  // namespace rnicsim
