// SPDX-License-Identifier: Apache-2.0
// Which frames find room in a switch.
#include "model/network/switch/shared_buffer.h"

#include <catch2/catch_test_macros.hpp>

#include <random>

namespace rnicsim {
namespace {

SwitchConfig config_of(std::int64_t buffer) {
    SwitchConfig config;
    config.buffer = buffer;
    return config;
}

TEST_CASE("a queue may be as long as what is free: alone it takes half of the pool", "[network]") {
    SharedBuffer buffer(config_of(10'000), 4);
    int frames = 0;
    while (!buffer.admit(1, 100)) ++frames;
    CHECK(frames == 50);  // queue 5,000 >= free 5,000
    CHECK(buffer.admit(1, 100) == DropReason::threshold);
    CHECK(buffer.used() == 5'000);
    // The next queue finds 5,000 free: it takes half of that, and so on.
    frames = 0;
    while (!buffer.admit(2, 100)) ++frames;
    CHECK(frames == 25);
    CHECK(buffer.high_water() == 7'500);
    CHECK(buffer.queue_high_water(1) == 5'000);
    CHECK(buffer.queue_high_water(3) == 0);
    buffer.release(1, 4'900);
    CHECK_FALSE(buffer.admit(1, 100));
    CHECK(buffer.queue_high_water(1) == 5'000);
}

TEST_CASE("alpha is the share of what is free", "[network]") {
    SwitchConfig config = config_of(9'000);
    config.alpha = 2;
    SharedBuffer buffer(config, 2);
    while (!buffer.admit(0, 100)) {}
    CHECK(buffer.used() == 6'000);  // 2 x 3,000
    config.alpha = 0.5;
    SharedBuffer other(config, 2);
    while (!other.admit(0, 100)) {}
    CHECK(other.used() == 3'000);  // 6,000 / 2
}

TEST_CASE("a full pool takes no frame, however much a queue may have", "[network]") {
    SwitchConfig config = config_of(1'000);
    config.alpha = 64;
    SharedBuffer buffer(config, 2);
    CHECK_FALSE(buffer.admit(0, 600));
    CHECK(buffer.admit(1, 401) == DropReason::buffer);
    CHECK_FALSE(buffer.admit(1, 400));
    CHECK(buffer.admit(0, 1) == DropReason::buffer);
    buffer.release(0, 600);
    CHECK_FALSE(buffer.admit(1, 500));
}

TEST_CASE("a fixed limit holds to the byte", "[network]") {
    SwitchConfig config = config_of(10'000);
    config.admission = Admission::fixed_limit;
    config.queue_limit = 1'000;
    SharedBuffer buffer(config, 2);
    CHECK_FALSE(buffer.admit(0, 1'000));
    CHECK(buffer.admit(0, 1) == DropReason::queue_limit);
    CHECK_FALSE(buffer.admit(1, 999));
    CHECK(buffer.admit(1, 2) == DropReason::queue_limit);
    CHECK_FALSE(buffer.admit(1, 1));
}

TEST_CASE("a reserve is its port's own, whatever others take", "[network]") {
    SwitchConfig config = config_of(10'000);
    config.reserve = 1'000;
    config.alpha = 64;
    SharedBuffer buffer(config, 2);
    CHECK_FALSE(buffer.admit(0, 9'000));  // its reserve and all of the pool
    CHECK(buffer.admit(0, 1) == DropReason::buffer);
    CHECK_FALSE(buffer.admit(1, 1'000));
    CHECK(buffer.admit(1, 1) == DropReason::buffer);
    CHECK(buffer.used() == 10'000);
}

TEST_CASE("a frame takes whole cells", "[network]") {
    SwitchConfig config = config_of(10'240);
    config.cell = 256;
    config.alpha = 64;
    SharedBuffer buffer(config, 1);
    CHECK_FALSE(buffer.admit(0, 1));
    CHECK(buffer.used() == 256);
    CHECK_FALSE(buffer.admit(0, 257));
    CHECK(buffer.used() == 256 * 3);
    buffer.release(0, 257);
    CHECK(buffer.queued(0) == 256);
}

TEST_CASE("whatever comes and goes: sums hold, and nothing is left", "[network]") {
    std::mt19937 draws(7);
    for (int round = 0; round < 200; ++round) {
        SwitchConfig config = config_of(2'048 + static_cast<std::int64_t>(draws() % 100'000));
        config.cell = 1 + static_cast<std::int64_t>(draws() % 300);
        config.alpha = round % 2 == 0 ? 1.0 / 8 : 8;
        config.reserve = static_cast<std::int64_t>(draws() % 300);
        config.admission = round % 3 == 0 ? Admission::fixed_limit : Admission::dynamic;
        config.queue_limit = 1'518 + static_cast<std::int64_t>(draws() % 50'000);
        constexpr std::size_t kPorts = 5;
        SharedBuffer buffer(config, kPorts);
        std::vector<std::pair<std::size_t, std::int64_t>> held;
        for (int step = 0; step < 500; ++step) {
            if (draws() % 3 != 0 || held.empty()) {
                const std::size_t port = draws() % kPorts;
                const auto bytes = static_cast<std::int64_t>(64 + draws() % 1'455);
                if (!buffer.admit(port, bytes)) held.emplace_back(port, bytes);
            } else {
                std::swap(held[draws() % held.size()], held.back());
                buffer.release(held.back().first, held.back().second);
                held.pop_back();
            }
            std::int64_t sum = 0;
            for (std::size_t port = 0; port < kPorts; ++port) sum += buffer.queued(port);
            REQUIRE(sum == buffer.used());
            REQUIRE(buffer.used() <= config.buffer);
        }
        for (const auto& [port, bytes] : held) buffer.release(port, bytes);
        REQUIRE(buffer.used() == 0);
    }
}

}  // namespace
}  // namespace rnicsim
