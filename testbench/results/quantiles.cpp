// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/quantiles.h"

#include <array>
#include <bit>

namespace rnicsim::runner {
namespace {

constexpr unsigned kDigit = 12;  // bits

/// What is known of the value of one rank: the digits above `shift`, and its rank among those that begin so.
struct Sought {
    std::uint64_t prefix = 0;
    std::size_t rank = 0;
    std::array<std::size_t, std::size_t{1} << kDigit> counts{};  ///< by the next digit
};

}  // namespace

std::vector<std::int64_t> values_at(std::span<const std::size_t> ranks, const EachValue& each, std::int64_t most) {
    std::vector<Sought> sought(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) sought[i].rank = ranks[i];
    const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(most)));
    for (unsigned digits = (bits + kDigit - 1) / kDigit; digits-- > 0;) {
        const unsigned shift = digits * kDigit;
        for (Sought& of : sought) of.counts.fill(0);
        each([&](std::int64_t value) {
            const std::uint64_t high = static_cast<std::uint64_t>(value) >> shift;
            for (Sought& of : sought) {
                if (high >> kDigit == of.prefix) ++of.counts[high & (of.counts.size() - 1)];
            }
        });
        for (Sought& of : sought) {
            std::size_t digit = 0;
            for (; of.rank >= of.counts.at(digit); ++digit) of.rank -= of.counts[digit];
            of.prefix = of.prefix << kDigit | digit;
        }
    }
    std::vector<std::int64_t> values;
    values.reserve(sought.size());
    for (const Sought& of : sought) values.push_back(static_cast<std::int64_t>(of.prefix));
    return values;
}

}  // namespace rnicsim::runner
