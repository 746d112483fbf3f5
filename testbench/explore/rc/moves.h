// SPDX-License-Identifier: Apache-2.0
// What can be next in a world of RoCEv2's services.
#pragma once

#include "testbench/explore/rc/step.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rnicsim::rc {

/// If only these can be next, nothing is under way, and a timer is on time.
constexpr bool waits_for_nobody(Step step) {
    return step == Step::post || step == Step::post_receive || step == Step::timer || step == Step::modify_to_error;
}

/// What can be next is found by trying: whether there is a packet to send is the card's decision.
class Moves {
  public:
    template <typename World, typename Reached>
    void each(const World& world, World& scratch, const Reached& reached) {
        bool quiet = true;
        bool fresh = false;  // `scratch` is as `world`
        for (std::size_t number = 0; number < kSteps; ++number) {
            const auto step = static_cast<Step>(number);
            const std::uint8_t variants = world.variants(step);
            for (std::uint8_t of = 0; of < variants; ++of) {
                if (!std::exchange(fresh, true)) scratch = world;
                const Outcome outcome = scratch.apply(step, of, quiet);
                if (outcome == Outcome::impossible) continue;
                fresh = false;
                if (outcome == Outcome::in_vain) continue;
                ++steps[number];
                const bool costs = outcome == Outcome::at_a_cost;
                if (!reached({step, of, costs}, costs, scratch.broken())) return;
                quiet = quiet && waits_for_nobody(step);
            }
        }
    }
    template <typename World>
    void entered(const World& /*world*/) {}

    std::array<std::size_t, kSteps> steps{};
};

}  // namespace rnicsim::rc
