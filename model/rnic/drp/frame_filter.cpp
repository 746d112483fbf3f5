// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/frame_filter.h"

namespace rnicsim {

FrameFilter::FrameFilter(sc_core::sc_module_name name, std::unique_ptr<FilterEngine> engine, const PeerTable& peers,
                         FilteredFrames& next)
    : sc_module(name), engine_(std::move(engine)), peers_(peers), next_(next) {
    in.bind(*this);
}

void FrameFilter::put(FrameRef frame, Cycle due) {
    FilterEngine::Classified result = engine_->classify(*frame, due);
    switch (result.kind) {
        case FilterEngine::Kind::other_destination: ++counters_.other_destination; break;
        case FilterEngine::Kind::malformed: ++counters_.malformed[static_cast<std::size_t>(result.reason)]; break;
        case FilterEngine::Kind::ordinary:
            ++counters_.ordinary;
            next_.put_ordinary(std::move(frame), result.at);
            break;
        case FilterEngine::Kind::drp: {
            const std::optional<Peer> from = peers_.find(frame->source());
            if (!from) {
                ++counters_.unknown_source;
                break;
            }
            ++counters_.drp;
            result.header.peer = *from;
            next_.put_drp(std::move(frame), result.header, result.at);
            break;
        }
    }
}

}  // namespace rnicsim
