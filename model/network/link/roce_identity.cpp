#include "model/network/link/roce_identity.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/roce/packet.h"

#include <boost/endian/conversion.hpp>

#include <optional>
#include <span>

namespace rnicsim {
namespace {

constexpr std::size_t kDestinationPortAt = kIpv4At + kIpv4HeaderBytes + 2;

/// What a name needs of the BTH. The rest may be wrong: a name is no proof of a good packet.
struct Bth {
    roce::Opcode opcode;
    roce::Qpn to;
    std::uint32_t psn;
};

std::optional<Bth> read_bth(const Frame& frame) {
    if (frame.ether_type() != kIpv4EtherType || frame.length() < roce::kBthAt + 12) return {};
    const std::span<const std::uint8_t> bytes = frame.front(roce::kBthAt + 12);
    if (boost::endian::load_big_u16(&bytes[kDestinationPortAt]) != roce::kUdpPort) return {};
    const std::uint8_t* const bth = &bytes[roce::kBthAt];
    return Bth{roce::Opcode{bth[0]}, roce::Qpn{boost::endian::load_big_u24(bth + 5)},
               boost::endian::load_big_u24(bth + 9)};
}

FrameKind kind_of(roce::Opcode opcode) {
    using roce::Opcode;
    switch (opcode) {
        case Opcode::read_request: return FrameKind::roce_read;
        case Opcode::compare_swap:
        case Opcode::fetch_add: return FrameKind::roce_atomic;
        case Opcode::read_first:
        case Opcode::read_middle:
        case Opcode::read_last:
        case Opcode::read_only: return FrameKind::roce_response;
        case Opcode::ack:
        case Opcode::selective_nak: return FrameKind::roce_ack;
        case Opcode::atomic_ack: return FrameKind::roce_atomic_ack;
        case Opcode::cnp: return FrameKind::roce_cnp;
        case Opcode::write_first:
        case Opcode::write_middle:
        case Opcode::write_last:
        case Opcode::write_last_imm:
        case Opcode::write_only:
        case Opcode::write_only_imm:
        case Opcode::uc_write_first:
        case Opcode::uc_write_middle:
        case Opcode::uc_write_last:
        case Opcode::uc_write_last_imm:
        case Opcode::uc_write_only:
        case Opcode::uc_write_only_imm: return FrameKind::roce_write;
        default: return FrameKind::roce_send;
    }
}

}  // namespace

bool RoceIdentity::identify(const Frame& frame, FrameName& name) {
    const std::optional<Bth> bth = read_bth(frame);
    const std::optional<unsigned> host = host_of(frame.destination());
    if (!bth || !host) return false;
    const roce::OpcodeMeaning* const meaning = roce::meaning(bth->opcode);
    if (meaning == nullptr) return false;
    const auto requester = qps_.requester(*host, bth->to, meaning->sender == roce::Sender::responder);
    if (!requester) return false;
    name.kind = kind_of(bth->opcode);
    name.initiator = requester->host;
    name.transfer = requester->qp;
    name.sn = name.kind == FrameKind::roce_cnp ? 0 : (bth->psn - requester->first.n) & roce::Psn::kMask;
    Recent& recent = of_[{requester->host, requester->qp}].at(static_cast<std::size_t>(name.kind) - kFirstRoceKind);
    if (recent.empty()) recent.resize(kRecent);
    Sent& sent = recent[name.sn % kRecent];
    if (sent.psn != name.sn) sent = {name.sn, 0};
    name.ordinal = sent.times++;
    return true;
}

}  // namespace rnicsim
