// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/drp_namer.h"

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

bool DrpNamer::name(const Frame& frame, FrameName& name) {
    if (!is_drp(frame)) return false;
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
    return true;
}

}  // namespace rnicsim
