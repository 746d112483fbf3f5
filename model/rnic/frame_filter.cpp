#include "model/rnic/frame_filter.h"

#include <algorithm>

namespace rnicsim {

FrameFilter::FrameFilter(sc_core::sc_module_name name, const FilterConfig& config, const MacAddress& own,
                         FilteredFrames& next)
    : sc_module(name), config_(config), own_(own), next_(next) {
    in.bind(*this);
}

void FrameFilter::put(FrameRef frame, Cycle due) {
    const bool group = (frame->destination()[0] & 1U) != 0;  // broadcast and multicast, IEEE 802.3 clause 3.2.3
    if (!group && !std::ranges::equal(frame->destination(), own_)) {
        ++counters_.other_destination;
        return;
    }
    if (frame->ether_type() != kDrpEtherType) {
        ++counters_.ordinary;
        next_.put_ordinary(std::move(frame), due + config_.latency);
        return;
    }
    DrpHeader header;
    const DrpError error = decode(frame->client_data(), header);
    if (error != DrpError::none) {
        ++counters_.malformed[static_cast<std::size_t>(error)];
        return;
    }
    ++counters_.drp;
    next_.put_drp(std::move(frame), header, due + config_.latency);
}

}  // namespace rnicsim
