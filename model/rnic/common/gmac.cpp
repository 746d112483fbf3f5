// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/common/gmac.h"

#include <cassert>

namespace rnicsim {

Gmac::Gmac(sc_core::sc_module_name name, const Clock& clock, std::unique_ptr<MacEngine> engine)
    : sc_module(name), clock_(clock), engine_(std::move(engine)) {
    wire_in.bind(*this);
}

Cycle Gmac::transmit(FrameRef frame, Cycle now) {
    assert(now >= ready_at_);
    const MacEngine::Sent sent = engine_->send(*frame, now);
    ready_at_ = sent.ready_at;
    if (observer_ != nullptr) observer_->frame_sent(*frame, sent.end);
    ++counters_.tx_frames;
    counters_.tx_bytes += frame->length();
    wire_out->put(std::move(frame), clock_.time(sent.end) - sent.before);
    return sent.end;
}

void Gmac::put(FrameRef frame, Time end) {
    const Cycle due = clock_.edge(end);
    if (observer_ != nullptr) observer_->frame_arrives(*frame, due);
    const MacEngine::Received result = engine_->receive(*frame, due);
    switch (result.verdict) {
        case MacEngine::Verdict::runt: ++counters_.rx_runt; break;
        case MacEngine::Verdict::oversize: ++counters_.rx_oversize; break;
        case MacEngine::Verdict::bad_fcs: ++counters_.rx_bad_fcs; break;
        case MacEngine::Verdict::good:
            ++counters_.rx_frames;
            counters_.rx_bytes += frame->length();
            received->put(std::move(frame), result.at);
            break;
    }
}

}  // namespace rnicsim
