#include "model/link/lossy_link.h"

namespace rnicsim {

LossyLink::Lane::Lane(sc_core::sc_module_name name, unsigned from_end, const LinkConfig& config,
                      const RandomSource& random, Observer* observer)
    : sc_module(name), from_end_(from_end), config_(config), random_(random), observer_(observer), identity_(from_end) {
    in.bind(*this);
}

void LossyLink::Lane::put(FrameRef frame, Cycle due) {
    if (config_.loss > 0) {
        const FrameKey key = identity_.identify(*frame);
        if (random_.uniform(RandomStream::frame_loss, key.transfer, key.what, key.ordinal) < config_.loss) {
            ++lost_;
            if (observer_ != nullptr) observer_->frame_lost(from_end_, *frame, due);
            return;
        }
    }
    ++carried_;
    if (observer_ != nullptr) observer_->frame_carried(from_end_, *frame, due + config_.delay);
    out->put(std::move(frame), due + config_.delay);
}

LossyLink::LossyLink(sc_core::sc_module_name name, const LinkConfig& config, const RandomSource& random,
                     Observer* observer)
    : sc_module(name), a_to_b("a_to_b", 0, config, random, observer), b_to_a("b_to_a", 1, config, random, observer) {}

}  // namespace rnicsim
