// SPDX-License-Identifier: Apache-2.0
#include "model/ntb/bridge.h"

#include <algorithm>
#include <utility>

namespace rnicsim::ntb {
namespace {

constexpr std::array kSideNames{"side0", "side1"};

}  // namespace

Bridge::Bridge(sc_core::sc_module_name name, const Config& config, PciePool& pool, unsigned number, Observer* observer)
    : sc_module(name), config_(config), pool_(pool), number_(number), observer_(observer), wakeup_("wakeup") {
    for (unsigned side = 0; side < sides_.size(); ++side)
        sides_[side] = std::make_unique<Side>(kSideNames[side], *this, side);
    SC_HAS_PROCESS(Bridge);
    SC_METHOD(cycle);
    wakeup_.wakes(sensitive);
    dont_initialize();
}

PcieConfig Bridge::link_of(const Config& config, const Clock& clock) {
    PcieConfig link;
    link.generation = config.generation;
    link.lanes = config.lanes;
    link.max_payload = config.max_payload;
    link.latency = clock.edge(config.latency);
    return link;
}

void Bridge::follow(FaultSource& faults, unsigned link) {
    outages_.emplace(faults, link, config_.down.period);
    wakeup_.at(outages_->next_due());
}

void Bridge::set_link(bool up) {
    if (std::exchange(up_, up) == up) return;
    const Time now = current_time();
    was_down_ = true;
    if (up) down_for_ += now - changed_;
    changed_ = now;
    if (!up) stuck_until_ = now + config_.scratchpads_stuck;
    if (observer_ != nullptr) observer_->bridge_link(number_, up);
    for (const auto& side : sides_)
        if (side->registers_.ring(kLinkBit)) side->interrupt(now, kLinkBit);
}

void Bridge::act(Time now) {
    while (next_due() <= now) {
        const auto first = std::ranges::find_if(sides_, [now](const auto& side) { return side->next_due() <= now; });
        if (first != sides_.end()) {
            (*first)->act(now);
        } else {
            set_link(outages_->act(now));
        }
    }
}

void Bridge::cycle() {
    act(wakeup_.woke());
    wakeup_.sleep_until(next_due());
}

Time Bridge::next_due() const {
    const Time of_sides = std::min(sides_[0]->next_due(), sides_[1]->next_due());
    return outages_ ? std::min(of_sides, outages_->next_due()) : of_sides;
}

bool Bridge::idle() const {
    return std::ranges::all_of(sides_, [](const auto& side) { return side->idle(); });
}

}  // namespace rnicsim::ntb
