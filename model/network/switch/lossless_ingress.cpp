// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/lossless_ingress.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace rnicsim {

LosslessIngress::LosslessIngress(const SwitchConfig& config, std::vector<std::int64_t> headroom)
    : config_(config.pfc), headroom_(std::move(headroom)), of_(headroom_.size() * 8), high_water_(headroom_.size()) {}

std::int64_t LosslessIngress::threshold(const SharedBuffer& pool) const {
    if (config_.xoff != 0) return config_.xoff;
    return static_cast<std::int64_t>(config_.alpha * static_cast<double>(pool.free()));
}

std::optional<std::int64_t> LosslessIngress::admit(std::size_t port, unsigned of_class, std::int64_t cells,
                                                   const SharedBuffer& pool) {
    Of& of = at(port, of_class);
    // While the sender is told to pause, what still comes goes into the headroom, which is there for that.
    const bool shares = !of.paused && cells <= pool.free();
    if (!shares) {
        if (of.headroom + cells > headroom_.at(port)) {
            // With nothing of it here, nothing that leaves would end the pause.
            of.paused = of.paused || held(port, of_class) != 0;
            return std::nullopt;
        }
        of.headroom += cells;
        high_water_[port] = std::max(high_water_[port], of.headroom);
    } else {
        of.shared += cells;
    }
    // The pool as it is with this frame.
    const std::int64_t free_then = pool.free() - (shares ? cells : 0);
    const std::int64_t limit =
        config_.xoff != 0 ? config_.xoff : static_cast<std::int64_t>(config_.alpha * static_cast<double>(free_then));
    if (of.shared > limit || !shares) of.paused = true;
    return shares ? cells : 0;
}

std::int64_t LosslessIngress::release(std::size_t port, unsigned of_class, std::int64_t cells) {
    Of& of = at(port, of_class);
    const std::int64_t of_headroom = std::min(of.headroom, cells);
    of.headroom -= of_headroom;
    of.shared -= cells - of_headroom;
    assert(of.shared >= 0);
    return cells - of_headroom;
}

bool LosslessIngress::resumes(std::size_t port, unsigned of_class, const SharedBuffer& pool) {
    Of& of = at(port, of_class);
    if (!of.paused) return false;
    const std::int64_t limit = std::max<std::int64_t>(threshold(pool) - config_.xon_below, 0);
    if (of.headroom != 0 || of.shared > limit) return false;
    of.paused = false;
    return true;
}

}  // namespace rnicsim
