// SPDX-License-Identifier: Apache-2.0
// What the tests of explorations have in common.
#pragma once

#include "testbench/explore/rc/search.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rnicsim::rc {

/// The first broken rule, and the steps that lead there; nothing, if all hold in every order. A search that gave up
/// proves nothing.
template <typename Plan>
std::string broken(const Explored& e, const Plan& workload) {
    if (!e.broken() && !e.exhaustive) return "gave up after " + std::to_string(e.states) + " states";
    if (!e.broken()) return {};
    std::string text = e.breaches.front().rule;
    for (const std::string& line : in_words(workload, e.breaches.front())) text += "\n" + line;
    return text;
}

/// The largest workloads are explored by scripts/test --all only.
inline bool all_of_it() {
    if (std::getenv("RNICSIM_ALL") != nullptr) return true;
    std::puts("sampled: fewer packets and pairs; RNICSIM_ALL=1 explores all");
    return false;
}

}  // namespace rnicsim::rc
