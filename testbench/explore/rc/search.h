// SPDX-License-Identifier: Apache-2.0
// The search over the worlds of RoCEv2's services.
#pragma once

#include "testbench/explore/breadth_first.h"
#include "testbench/explore/rc/reliable_world.h"
#include "testbench/explore/rc/unreliable_world.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace rnicsim::rc {

struct Explored : explore::Found<Move> {
    std::array<std::size_t, kSteps> steps{};  ///< how often each could be tried
};

inline constexpr std::size_t kMaxStates = 20'000'000;

/// Breadth first, so that the way to a breach is the shortest.
Explored search(const Workload& workload, std::size_t max_states = kMaxStates,
                const explore::Progressing& progressing = {}, explore::Until until = explore::Until::first_breach);
Explored search(const UnreliableWorkload& workload, std::size_t max_states = kMaxStates,
                const explore::Progressing& progressing = {}, explore::Until until = explore::Until::first_breach);

/// One line for each step, and the broken rule. Where there is no way to the end: what still happens, too.
std::vector<std::string> in_words(const Workload& workload, const explore::Breach<Move>& breach);
std::vector<std::string> in_words(const UnreliableWorkload& workload, const explore::Breach<Move>& breach);

}  // namespace rnicsim::rc
