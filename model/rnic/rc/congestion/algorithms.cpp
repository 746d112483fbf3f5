// SPDX-License-Identifier: Apache-2.0
// The congestion controls, in the order of the words of `system.rnic.rc.congestion`.
#include "model/rnic/rc/congestion/dcqcn/dcqcn.h"
#include "model/rnic/rc/congestion/listed.h"

#include <array>

namespace rnicsim::rc {
namespace {

class NoControl final : public CongestionAlgorithm {
  public:
    [[nodiscard]] std::string_view name() const override { return "none"; }
    [[nodiscard]] Traits traits() const override { return {}; }
    [[nodiscard]] std::unique_ptr<CongestionControl> start(const CongestionConfigs& /*configs*/,
                                                           const CardFacts& /*card*/) const override {
        return nullptr;
    }
    [[nodiscard]] std::optional<std::int64_t> least_rate(const CongestionConfigs& /*configs*/) const override {
        return {};
    }
};

const NoControl kNone;

constexpr std::array kAll = std::to_array<const CongestionAlgorithm*>({
    &kNone,
    &kListed<Dcqcn, &CongestionConfigs::dcqcn>,
});

}  // namespace

std::span<const CongestionAlgorithm* const> congestion_algorithms() { return kAll; }

}  // namespace rnicsim::rc
