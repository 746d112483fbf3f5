#include "model/network/link/frame_identity.h"

#include "tlm/drp_header.h"

namespace rnicsim {
namespace {

FrameKind kind_of(const DrpHeader& header) {
    switch (header.type) {
        case DrpType::req: return FrameKind::req;
        case DrpType::req_ack: return FrameKind::req_ack;
        case DrpType::data: return header.is_ack() ? FrameKind::ack : FrameKind::data;
        case DrpType::rel: return FrameKind::rel;
        case DrpType::rel_ack: return FrameKind::rel_ack;
    }
    return FrameKind::ordinary;
}

}  // namespace

FrameName FrameIdentity::identify(const Frame& frame) {
    FrameName name;
    name.from_end = from_end_;
    if (!frame.is_drp()) {
        name.kind = FrameKind::ordinary;
        name.ordinal = ordinary_++;
        return name;
    }
    const DrpHeader& header = frame.drp().header;
    name.kind = kind_of(header);
    name.initiator = header.from_initiator() ? from_end_ : static_cast<std::uint8_t>(1 - from_end_);
    name.transfer = numbers_.at(name.initiator).number_of(header.tid);
    std::vector<Recent>& all = recent_.at(name.initiator);
    if (all.empty()) all.resize(kRecent);
    Recent& recent = all[name.transfer % kRecent];
    if (recent.transfer != name.transfer) {
        recent = {};
        recent.transfer = name.transfer;
        recent.sn.fill(~0U);
    }
    if (name.kind == FrameKind::data) {
        name.sn = header.sn;
        const std::uint32_t place = header.sn % kWindow;
        if (recent.sn.at(place) != header.sn) {
            recent.sn.at(place) = header.sn;
            recent.sn_sent.at(place) = 0;
        }
        name.ordinal = recent.sn_sent.at(place)++;
    } else {
        name.ordinal = recent.sent.at(static_cast<std::size_t>(name.kind))++;
    }
    return name;
}

}  // namespace rnicsim
