#include "model/link/frame_identity.h"

namespace rnicsim {
namespace {

enum Kind : unsigned { kReq, kReqAck, kData, kAck, kRel, kRelAck, kOrdinary };

Kind kind_of(const DrpHeader& header) {
    switch (header.type) {
        case DrpType::req: return kReq;
        case DrpType::req_ack: return kReqAck;
        case DrpType::data: return header.is_ack() ? kAck : kData;
        case DrpType::rel: return kRel;
        case DrpType::rel_ack: return kRelAck;
    }
    return kOrdinary;
}

}  // namespace

FrameKey FrameIdentity::identify(const Frame& frame) {
    DrpHeader header;
    if (frame.ether_type() != kDrpEtherType || decode(frame.client_data(), header) != DrpError::none) {
        return {ordinary_++, from_end_ << 8 | kOrdinary, 0};
    }
    const Kind kind = kind_of(header);
    const unsigned initiator = header.from_initiator() ? from_end_ : 1 - from_end_;
    const std::uint64_t transfer = numbers_[initiator].number_of(header.tid);
    Recent& recent = recent_[initiator][transfer % kRecent];
    if (recent.transfer != transfer) {
        recent = {};
        recent.transfer = transfer;
        recent.sn.fill(~0U);
    }
    FrameKey key{transfer << 1 | initiator, std::uint64_t{header.sn} << 16 | from_end_ << 8 | kind, 0};
    if (kind == kData) {
        const std::uint32_t place = header.sn % kWindow;
        if (recent.sn[place] != header.sn) {
            recent.sn[place] = header.sn;
            recent.sn_sent[place] = 0;
        }
        key.ordinal = recent.sn_sent[place]++;
    } else {
        key.what = from_end_ << 8 | kind;
        key.ordinal = recent.sent[kind]++;
    }
    return key;
}

}  // namespace rnicsim
