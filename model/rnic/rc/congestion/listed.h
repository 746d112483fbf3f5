// SPDX-License-Identifier: Apache-2.0
// Makes an entry of the list of algorithms (algorithms.cpp) from a class that controls one QP.
#pragma once

#include "model/rnic/rc/congestion/common/algorithm.h"
#include "model/rnic/rc/congestion/configs.h"

#include <cstddef>
#include <type_traits>

namespace rnicsim::rc {

/// `kSettings`: its member of CongestionConfigs. The class then has a constructor (settings, CardFacts), and
/// least_rate(settings). nullptr: it has no settings, a constructor (CardFacts), and no rate(). Either way it has a
/// name, kName, and kTraits.
template <class Control, auto kSettings = nullptr>
class Listed final : public CongestionAlgorithm {
    static constexpr bool kHasSettings = !std::is_same_v<decltype(kSettings), std::nullptr_t>;
    static_assert(
        kHasSettings || std::is_same_v<decltype(&Control::rate), decltype(&CongestionControl::rate)>,
        "a control with a rate needs settings, with a least_rate: timers have to outlast packets at that rate");
    // The card tells it only what its traits ask for.
    static_assert(Control::kTraits.hears_acks ||
                      std::is_same_v<decltype(&Control::on_ack), decltype(&CongestionControl::on_ack)>,
                  "a control with on_ack() needs the trait hears_acks");
    static_assert(Control::kTraits.hears_marks ||
                      std::is_same_v<decltype(&Control::on_cnp), decltype(&CongestionControl::on_cnp)>,
                  "a control with on_cnp() needs the trait hears_marks");
    static_assert(Control::kTraits.hears_losses ||
                      std::is_same_v<decltype(&Control::on_loss), decltype(&CongestionControl::on_loss)>,
                  "a control with on_loss() needs the trait hears_losses");

  public:
    [[nodiscard]] std::string_view name() const override { return Control::kName; }
    [[nodiscard]] Traits traits() const override { return Control::kTraits; }
    [[nodiscard]] std::unique_ptr<CongestionControl> start(const CongestionConfigs& configs,
                                                           const CardFacts& card) const override {
        if constexpr (kHasSettings) {
            return std::make_unique<Control>(configs.*kSettings, card);
        } else {
            return std::make_unique<Control>(card);
        }
    }
    [[nodiscard]] std::optional<std::int64_t> least_rate(const CongestionConfigs& configs) const override {
        if constexpr (kHasSettings) {
            return Control::least_rate(configs.*kSettings);
        } else {
            return {};
        }
    }
};

template <class Control, auto kSettings = nullptr>
inline const Listed<Control, kSettings> kListed;

}  // namespace rnicsim::rc
