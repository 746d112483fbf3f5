// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/data_timer_rule.h"

#include <algorithm>

namespace rnicsim {
namespace {

class Fixed final : public DataTimerRule {
  public:
    [[nodiscard]] std::string_view name() const override { return "fixed"; }
    [[nodiscard]] bool measures() const override { return false; }
    [[nodiscard]] Cycle length(const RoundTrips& /*known*/, Cycle data_timer) const override { return data_timer; }
};

/// At least the scenario's, and longer than the round trips are; each expiry doubles it (RFC 6298, 2.3 and 5.5). At
/// most eight times the scenario's, or idle_timeout would have to be as long.
class Adaptive final : public DataTimerRule {
  public:
    [[nodiscard]] std::string_view name() const override { return "adaptive"; }
    [[nodiscard]] bool measures() const override { return true; }
    [[nodiscard]] Cycle length(const RoundTrips& known, Cycle data_timer) const override {
        constexpr std::uint32_t kMostDoublings = 3;
        const Cycle base = std::max(data_timer, known.smoothed + known.variation * 4);
        const Cycle doubled = base * (std::int64_t{1} << std::min(known.backoff, kMostDoublings));
        return std::min(doubled, data_timer * kLongestDataTimer);
    }
};

const Fixed kFixed;
const Adaptive kAdaptive;
constexpr std::array<const DataTimerRule*, 2> kAll{&kFixed, &kAdaptive};

}  // namespace

void measured(RoundTrips& known, Cycle round_trip) {
    known.backoff = 0;
    if (known.smoothed == Cycle{}) {
        known.smoothed = round_trip;
        known.variation = {round_trip.n / 2};
        return;
    }
    const std::int64_t off =
        round_trip.n > known.smoothed.n ? (round_trip - known.smoothed).n : (known.smoothed - round_trip).n;
    known.variation = {(known.variation.n * 3 + off) / 4};
    known.smoothed = {(known.smoothed.n * 7 + round_trip.n) / 8};
}

const DataTimerRule& data_timer_rule(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> data_timer_rule_names() { return names_of(kAll); }

}  // namespace rnicsim
