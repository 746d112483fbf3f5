// SPDX-License-Identifier: Apache-2.0
// Inversions of a connection, beside a count that forgets nothing.
#include "testbench/workloads/persistence/connection_order.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

struct Posted {
    bool safe = false, settled = false;
};

std::uint64_t inverted(const std::vector<Posted>& messages) {
    std::uint64_t n = 0;
    bool unsafe = false;
    for (const Posted& m : messages) {
        n += unsafe && m.safe ? 1 : 0;
        unsafe = unsafe || !m.safe;
    }
    return n;
}

TEST_CASE("inversions are counted however messages become safe, unsafe again, and settle") {
    std::uint64_t most = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 dice(seed);
        ConnectionOrder order;
        std::vector<Posted> messages;
        std::size_t settled = 0;
        for (int step = 0; step < 300; ++step) {
            if (messages.empty() || dice() % 10 == 0) {
                messages.emplace_back();
                order.post(messages.size());
            }
            const std::size_t i = dice() % messages.size();
            Posted& m = messages[i];
            if (m.settled) continue;
            if (!m.safe) {
                m.safe = true;
                order.becomes_safe(i + 1);
            } else if (dice() % 4 == 0) {
                m.settled = true;
                ++settled;
                order.settle(i + 1);
            } else {
                m.safe = false;
                order.becomes_unsafe(i + 1);
            }
            REQUIRE(order.inverted() == inverted(messages));
            REQUIRE(order.kept() == messages.size() - settled);
            most = std::max(most, order.inverted());
        }
    }
    CHECK(most > 10);
}

}  // namespace
}  // namespace rnicsim
