// SPDX-License-Identifier: Apache-2.0
// Whose slot a partition sends next: turns, batches, whole messages, priorities.
#include "testbench/applications/nts/schedule.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace rnicsim::nts {
namespace {

applications::NtsSettings of_slots(std::uint32_t batch, bool slicing = true, std::uint32_t max_rounds = 0) {
    applications::NtsSettings settings;
    settings.slot = 128;
    settings.batch = batch;
    settings.slicing = slicing;
    settings.max_rounds = max_rounds;
    return settings;
}
Partition of_priorities(std::initializer_list<std::uint8_t> priorities) {
    Partition partition;
    for (const std::uint8_t priority : priorities) partition.members.push_back({.priority = priority});
    return partition;
}
/// A letter for each slot, of its connection; a capital where a message ends.
std::string order_of(Schedule& schedule, std::size_t most = 1000) {
    std::string order;
    while (order.size() < most) {
        const std::optional<Message> slot = schedule.next();
        if (!slot) break;
        const char base = Schedule::is_last_in(slot->tag) ? 'A' : 'a';
        order += static_cast<char>(base + Schedule::member_in(slot->tag));
    }
    return order;
}

TEST_CASE("connections of a partition take turns, a batch of slots each", "[bridge]") {
    for (const auto& [batch, order] : {std::pair{1U, "abcABcC"}, std::pair{2U, "aAbBccC"}, std::pair{16U, "aAbBccC"}}) {
        const applications::NtsSettings settings = of_slots(batch);
        Schedule schedule(settings, of_priorities({0, 0, 0}));
        schedule.add(0, 0, 2 * settings.payload());
        schedule.add(1, 0, 2 * settings.payload());
        schedule.add(2, 0, 2 * settings.payload() + 1);
        CAPTURE(batch);
        CHECK(order_of(schedule) == order);
    }
}
TEST_CASE("messages of a connection keep their order, and each is cut from its beginning", "[bridge]") {
    const applications::NtsSettings settings = of_slots(1);
    Schedule schedule(settings, of_priorities({0, 0}));
    schedule.add(0, 1000, 150);
    schedule.add(0, 5000, 8);
    schedule.add(1, 9000, 1);
    struct Part {
        std::uint64_t from;
        std::uint32_t bytes;
    };
    for (const Part& wanted : {Part{1000, 120}, Part{9000, 1}, Part{1120, 30}, Part{5000, 8}}) {
        const std::optional<Message> slot = schedule.next();
        REQUIRE(slot);
        CHECK(slot->from == wanted.from);
        CHECK(slot->bytes == wanted.bytes);
    }
    CHECK(!schedule.next());
}
TEST_CASE("without slicing a message is sent as a whole", "[bridge]") {
    const applications::NtsSettings settings = of_slots(1, false);
    Schedule schedule(settings, of_priorities({0, 0}));
    schedule.add(0, 0, 5 * settings.payload());
    schedule.add(0, 0, settings.payload());
    schedule.add(1, 0, 8);
    CHECK(order_of(schedule) == "aaaaABA");
}
TEST_CASE("what comes meanwhile has its turn behind those who wait", "[bridge]") {
    const applications::NtsSettings settings = of_slots(2);
    Schedule schedule(settings, of_priorities({0, 0, 0}));
    schedule.add(0, 0, 4 * settings.payload());
    schedule.add(1, 0, 3 * settings.payload());
    CHECK(order_of(schedule, 1) == "a");
    schedule.add(2, 0, 8);
    CHECK(order_of(schedule) == "abbCaAB");
}
TEST_CASE("who has no room at the other end stands back, and holds up nobody", "[bridge]") {
    const applications::NtsSettings settings = of_slots(16);
    Partition partition = of_priorities({0, 0});
    partition.members[0].limit = 2;
    Schedule schedule(settings, partition);
    for (unsigned i = 0; i < 5; ++i) schedule.add(0, 0, 2 * settings.payload());
    schedule.add(1, 0, 8);
    CHECK(order_of(schedule) == "aAaAB");
    schedule.freed(0, 1);
    CHECK(order_of(schedule) == "aA");
    CHECK(order_of(schedule).empty());
    schedule.freed(0, 3);
    schedule.freed(0, 1);  // an old one
    schedule.add(1, 0, 8);
    CHECK(order_of(schedule) == "aAaAB");
}
TEST_CASE("what the ends tell each other goes with the first", "[bridge]") {
    const applications::NtsSettings settings = of_slots(1);
    Schedule schedule(settings, of_priorities({1, 2}));
    schedule.add(0, 0, 8);
    schedule.add(1, 0, 8);
    schedule.add(2, 0, 8);
    CHECK(order_of(schedule) == "CAB");
}
TEST_CASE("without flow control nobody stands back", "[bridge]") {
    applications::NtsSettings settings = of_slots(16);
    settings.flow_control = false;
    Partition partition = of_priorities({0});
    partition.members[0].limit = 1;
    Schedule schedule(settings, partition);
    for (unsigned i = 0; i < 3; ++i) schedule.add(0, 0, 8);
    CHECK(order_of(schedule) == "AAA");
}
TEST_CASE("a higher priority goes first, and without a bound the lowest starves", "[bridge]") {
    const applications::NtsSettings settings = of_slots(1);
    Schedule schedule(settings, of_priorities({7, 0, 3}));
    schedule.add(0, 0, 8);
    schedule.add(2, 0, 8);
    for (unsigned i = 0; i < 1000; ++i) {
        schedule.add(1, 0, 8);
        CHECK(order_of(schedule, 1) == "B");
    }
    CHECK(order_of(schedule) == "CA");
}
TEST_CASE("NI8: with a bound of turns every priority moves", "[bridge]") {
    const applications::NtsSettings settings = of_slots(1, true, 3);
    Schedule schedule(settings, of_priorities({0, 1, 2}));
    for (unsigned i = 0; i < 40; ++i) {
        for (const std::uint32_t member : {0U, 1U, 2U}) schedule.add(member, 0, 8);
    }
    // Three turns of the first, one of the next; of that three, one of the third.
    CHECK(order_of(schedule, 26) == "AAABAAABAAABAAACAAABAAABAA");
}
TEST_CASE("who was alone has all its turns when a lower priority comes", "[bridge]") {
    const applications::NtsSettings settings = of_slots(1, true, 2);
    Schedule schedule(settings, of_priorities({0, 1}));
    for (unsigned i = 0; i < 20; ++i) schedule.add(0, 0, 8);
    CHECK(order_of(schedule, 9) == "AAAAAAAAA");
    schedule.add(1, 0, 8);
    CHECK(order_of(schedule, 4) == "AABA");
}

}  // namespace
}  // namespace rnicsim::nts
