#include "model/rnic/gmac.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

Gmac::Gmac(sc_core::sc_module_name name, const GmacConfig& config) : sc_module(name), config_(config) {
    wire_in.bind(*this);
}

Cycle Gmac::transmit(FrameRef frame, Cycle now) {
    assert(now >= ready_at_);
    frame->seal();
    const Cycle first_byte = std::max(now + config_.tx_latency, wire_free_at_);
    const Cycle end = first_byte + serialisation(frame->length());
    wire_free_at_ = end + config_.interpacket_gap;
    ready_at_ = wire_free_at_ - config_.tx_latency;
    ++counters_.tx_frames;
    counters_.tx_bytes += frame->length();
    wire_out->put(std::move(frame), end);
    return end;
}

void Gmac::put(FrameRef frame, Cycle due) {
    if (frame->length() < kMinFrameBytes) {
        ++counters_.rx_runt;
    } else if (frame->length() > config_.mtu + kEthernetHeaderBytes + kFcsBytes) {
        ++counters_.rx_oversize;
    } else if (!frame->fcs_good()) {
        ++counters_.rx_bad_fcs;
    } else {
        ++counters_.rx_frames;
        counters_.rx_bytes += frame->length();
        received->put(std::move(frame), due + config_.rx_latency);
    }
}

}  // namespace rnicsim
