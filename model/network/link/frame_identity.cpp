// SPDX-License-Identifier: Apache-2.0
#include "model/network/link/frame_identity.h"

#include "tlm/drp/drp_frame.h"
#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/host_address.h"

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
    name.link = link_;
    name.from_side = from_side_;
    // Nobody knows what a frame is that was damaged on an earlier link.
    const bool whole = frame.fcs_good();
    if (whole && roce_.identify(frame, name)) return name;
    if (!whole || !is_drp(frame)) {
        name.kind = FrameKind::ordinary;
        name.ordinal = ordinary_++;
        return name;
    }
    const DrpHeader& header = drp_of(frame).header;
    name.kind = kind_of(header);
    const auto initiator = host_of(header.from_initiator() ? frame.source() : frame.destination());
    name.initiator = static_cast<std::uint16_t>(initiator.value_or(0));
    Of& of = of_[name.initiator];
    name.transfer = of.numbers.number_of(header.tid);
    if (of.recent.empty()) of.recent.resize(kRecent);
    Recent& recent = of.recent[name.transfer % kRecent];
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
