// SPDX-License-Identifier: Apache-2.0
// Which message into persistent memory a device's write belongs to.
#include "testbench/programs/server/cut_messages.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::programs {
namespace {

LineWrite line(std::uint64_t number, std::uint64_t mask = ~std::uint64_t{0}) {
    LineWrite write;
    write.line = number;
    write.mask = mask;
    return write;
}

constexpr std::uint64_t kFirstHalf = 0xFFFFFFFF, kSecondHalf = kFirstHalf << 32U;

TEST_CASE("cuts: lines belong to the oldest message of a QP that goes there and has not come whole", "[programs]") {
    CutMessages messages;
    const std::uint64_t two_lines = messages.post({1, 128, 128, 0, 0, 0});
    const std::uint64_t again = messages.post({1, 128, 128, 0, 0, 1});
    CHECK(messages.take(line(4)) == 0);  // nobody's
    CHECK(messages.take(line(2)) == two_lines);
    CHECK(messages.take(line(3)) == two_lines);
    CHECK(messages.take(line(2)) == again);
    CHECK(messages.take(line(3)) == again);
    CHECK(messages.take(line(2)) == 0);
    CHECK(messages.info(again).index == 1);
}

TEST_CASE("cuts: messages that share a line, and QPs that go to one place", "[programs]") {
    CutMessages messages;
    const std::uint64_t first = messages.post({1, 0, 32, 0, 0, 0}), second = messages.post({1, 32, 32, 0, 0, 1});
    const std::uint64_t other = messages.post({2, 32, 32, 0, 1, 0});
    CHECK(messages.take(line(0, kSecondHalf)) == second);
    CHECK(messages.take(line(0, kFirstHalf)) == first);
    CHECK(messages.take(line(0, kSecondHalf)) == other);
}

TEST_CASE("cuts: of a QP that is reset nothing comes any more", "[programs]") {
    CutMessages messages;
    messages.post({1, 0, 64, 0, 0, 0});
    const std::uint64_t other = messages.post({2, 0, 64, 0, 1, 0});
    messages.forget(1);
    CHECK(messages.take(line(0)) == other);
}

}  // namespace
}  // namespace rnicsim::programs
