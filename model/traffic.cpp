// SPDX-License-Identifier: Apache-2.0
#include "model/traffic.h"

#include "model/random.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rnicsim {

namespace {

/// Whom the n-th of `from` asks: all of `to`, one, or nobody.
struct Asked {
    bool all = false;
    std::optional<unsigned> one{};
};
Asked asked_by(const TrafficConfig& item, std::size_t member) {
    switch (item.pairs) {
        case Pairs::all: return {.all = true};
        case Pairs::ring: return {.one = item.from[(member + 1) % item.from.size()]};
        case Pairs::tree: return member == 0 ? Asked{} : Asked{.one = item.from[(member - 1) / 2]};
        case Pairs::opposite: return {.one = item.to[member % item.to.size()]};
        case Pairs::permutation:
            return item.drawn.empty() ? Asked{.all = true} : Asked{.one = item.drawn[member % item.drawn.size()]};
    }
    return {};
}

}  // namespace

std::vector<unsigned> TrafficConfig::responders(unsigned host) const {
    const auto found = std::ranges::find(from, host);
    if (found == from.end()) return {};
    const Asked asked = asked_by(*this, static_cast<std::size_t>(found - from.begin()));
    std::vector<unsigned> hosts;
    if (asked.all) hosts = to;
    if (asked.one) hosts = {*asked.one};
    std::erase(hosts, host);
    return hosts;
}

std::vector<unsigned> TrafficConfig::initiators(unsigned host) const {
    const bool is_in_to = std::ranges::find(to, host) != to.end();
    std::vector<unsigned> hosts;
    for (std::size_t member = 0; member < from.size(); ++member) {
        const Asked asked = asked_by(*this, member);
        if (from[member] != host && (asked.all ? is_in_to : asked.one == host)) hosts.push_back(from[member]);
    }
    return hosts;
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
