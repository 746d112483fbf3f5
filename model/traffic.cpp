// SPDX-License-Identifier: Apache-2.0
#include "model/traffic.h"

#include "model/random.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

std::vector<unsigned> TrafficConfig::responders(unsigned host) const {
    const auto found = std::ranges::find(from, host);
    if (found == from.end()) return {};
    const auto member = static_cast<std::size_t>(found - from.begin());
    std::vector<unsigned> asked;
    switch (pairs) {
        case Pairs::all: asked = to; break;
        case Pairs::ring: asked = {from[(member + 1) % from.size()]}; break;
        case Pairs::tree:
            if (member != 0) asked = {from[(member - 1) / 2]};
            break;
        case Pairs::opposite: asked = {to[member % to.size()]}; break;
        case Pairs::permutation: asked = drawn.empty() ? to : std::vector{drawn[member % drawn.size()]}; break;
    }
    std::erase(asked, host);
    return asked;
}

void TrafficConfig::draw_pairs(const RandomSource& random, std::size_t number) {
    if (pairs != Pairs::permutation) return;
    drawn = to;
    // Fisher and Yates; among themselves Sattolo's: a single circle, so that no host gets itself.
    const std::size_t stays = from == to ? 0 : 1;
    for (std::size_t left = drawn.size(); left > 1; --left) {
        const double uniform = random.uniform(RandomStream::permutation, number, left, 0);
        const auto other = static_cast<std::size_t>(uniform * static_cast<double>(left - 1 + stays));
        std::swap(drawn[left - 1], drawn[other]);
    }
}

void TrafficConfig::draw_starts(const RandomSource& random, std::size_t number) {
    drawn_starts.clear();
    if (random_start == Cycle{}) return;
    for (std::size_t member = 0; member < from.size(); ++member) {
        const double uniform = random.uniform(RandomStream::start, number, member, 0);
        drawn_starts.push_back({static_cast<std::int64_t>(uniform * static_cast<double>(random_start.n + 1))});
    }
}

Time TrafficConfig::paced(std::int64_t bits) const {
    // Picoseconds of all bits do not fit into 64 bits; seconds and the rest do.
    const std::int64_t seconds = bits / pace, rest = bits % pace;
    return kSecond * seconds +
           Time{static_cast<std::int64_t>(static_cast<long double>(rest) * 1e12L / static_cast<long double>(pace))};
}

}  // namespace rnicsim
