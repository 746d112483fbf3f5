// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/persistence_path.h"

#include <algorithm>

namespace rnicsim {

PersistencePath::PersistencePath(const PersistenceConfig& config, const RandomSource& random, unsigned host)
    : domain_(config.domain), rest_(config, random, host), iio_(config, rest_, 1) {}

PersistencePath::PersistencePath(const PersistenceConfig& config, const RandomSource& random, unsigned host,
                                 std::span<const IioLink> links, IioSharing sharing)
    : domain_(config.domain),
      rest_(config, random, host),
      iio_(config, rest_, sharing == IioSharing::shared ? links.size() : 1) {
    assert(links.size() >= 2);
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (sharing == IioSharing::shared || i == 0) {
            into_.push_back({&iio_, i});
        } else {
            more_.push_back(std::make_unique<IioStage>(config, rest_, 1));
            into_.push_back({more_.back().get(), 0});
        }
    }
    arrivals_ = std::make_unique<IioArrivals>(links, into_);
}

void PersistencePath::set_held_bytes_target(HeldBytesTarget* target) {
    iio_.set_held_bytes_target(target);
    for (const auto& stage : more_) stage->set_held_bytes_target(target);
}

/// One port has it.
Time PersistencePath::left_of_several(std::uint64_t number, std::uint64_t address, std::uint64_t bytes) {
    const auto it = std::ranges::find_if(
        into_, [number](const IioArrivals::Into& into) { return into.stage->knows(into.of, number); });
    assert(it != into_.end());
    return it->stage->left(it->of, number, address, bytes);
}

void PersistencePath::pass(Time now) {
    settle(now);
    iio_.pass(now);
    for (const auto& stage : more_) stage->pass(now);
    rest_.pass(now);
}

Time PersistencePath::oldest_untold() const {
    Time oldest = iio_.oldest_untold();
    for (const auto& stage : more_) oldest = std::min(oldest, stage->oldest_untold());
    return arrivals_ ? std::min(oldest, arrivals_->next()) : oldest;
}

bool PersistencePath::holds(std::uint64_t up_to) const {
    return iio_.holds(up_to) || std::ranges::any_of(more_, [up_to](const auto& stage) { return stage->holds(up_to); });
}

void PersistencePath::tell_held(LineObserver& observer) const {
    iio_.tell_held(observer);
    for (const auto& stage : more_) stage->tell_held(observer);
}

void PersistencePath::end() {
    settle(kEndOfTime);
    iio_.end();
    for (const auto& stage : more_) stage->end();
}

}  // namespace rnicsim
