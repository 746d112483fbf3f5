// SPDX-License-Identifier: Apache-2.0
// Pause frames: their bytes, what those that a port has got come to, and which frames a switch holds back for them.
#include "model/network/pause_state.h"
#include "model/network/switch/switch_logic.h"
#include "tlm/ethernet/ipv4.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

namespace rnicsim {
namespace {

constexpr MacAddress kSource{0x02, 0, 0, 0, 0, 7};

TEST_CASE("a pause frame: bytes of IEEE 802.1Qbb", "[network]") {
    FramePool pool;
    const FrameRef frame = pool.take();
    PauseFrame of;
    of.quanta[0] = 0x1234;
    of.quanta[7] = 0;
    write_pause_frame(*frame, kSource, of);
    REQUIRE(frame->length() == 64);
    const std::array<std::uint8_t, 34> expected{0x01, 0x80, 0xC2, 0, 0, 0x01, 2, 0, 0, 0, 0, 7, 0x88, 0x08, 1, 1, 0,
                                                0x81, 0x12, 0x34, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0,    0,    0, 0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(frame->bytes()[i] == expected.at(i));
    CHECK(frame->fcs_good());
    const auto read = read_pause_frame(*frame);
    REQUIRE(read);
    CHECK(read->quanta == of.quanta);
    frame->writable_bytes()[15] = 2;  // another opcode
    CHECK_FALSE(read_pause_frame(*frame));
    frame->writable_bytes()[15] = 1;
    frame->writable_bytes()[5] = 2;  // another address
    CHECK_FALSE(read_pause_frame(*frame));
}

PauseFrame pause_of(unsigned of_class, std::uint16_t quanta) {
    PauseFrame frame;
    frame.quanta.at(of_class) = quanta;
    return frame;
}

TEST_CASE("a pause begins after the reaction and is over by itself", "[network]") {
    PauseState state(MacTiming{}, kMicrosecond);
    state.hears(pause_of(2, 10), kMicrosecond * 5);  // 5.12 us
    CHECK_FALSE(state.paused(2, kMicrosecond * 6 - Time{1}));
    CHECK(state.next_end(kMicrosecond * 5) == kEndOfTime);
    CHECK(state.paused(2, kMicrosecond * 6));
    CHECK_FALSE(state.paused(3, kMicrosecond * 6));
    CHECK(state.next_end(kMicrosecond * 6) == Time{10'120'000});
    CHECK(state.paused(2, Time{10'119'999}));
    CHECK_FALSE(state.paused(2, Time{10'120'000}));
}

TEST_CASE("go on ends a pause at once, also one that has not begun; a second one extends the first", "[network]") {
    PauseState state(MacTiming{}, kMicrosecond);
    state.hears(pause_of(2, 1'000), kMicrosecond * 5);
    state.hears(pause_of(2, 0), kMicrosecond * 5 + Time{500'000});
    CHECK_FALSE(state.paused(2, kMicrosecond * 7));
    state.hears(pause_of(2, 10), kMicrosecond * 10);
    state.hears(pause_of(2, 10), kMicrosecond * 13);
    CHECK(state.paused(2, kMicrosecond * 15));
    CHECK(state.paused(2, kMicrosecond * 18));
    state.hears(pause_of(2, 10), kMicrosecond * 19 + Time{500'000});  // would begin at 20.5 us
    CHECK_FALSE(state.paused(2, kMicrosecond * 19));
    state.hears(pause_of(2, 0), kMicrosecond * 20);  // announced before it arrives
    CHECK_FALSE(state.paused(2, kMicrosecond * 20));
    CHECK_FALSE(state.paused(2, kMicrosecond * 21));
    state.hears(pause_of(2, 1'000), kMicrosecond * 22);
    CHECK(state.paused(2, kMicrosecond * 23));
    state.hears(pause_of(2, 1'000), kMicrosecond * 24);
    state.hears(pause_of(2, 0), kMicrosecond * 24 + Time{100'000});
    CHECK_FALSE(state.paused(2, kMicrosecond * 24 + Time{100'000}));  // before the second one would have begun
}

TEST_CASE("whoever asks when a pause is over hears of the next order, if that is earlier", "[network]") {
    PauseState state(MacTiming{}, kMicrosecond);
    state.hears(pause_of(2, 1'000), kMicrosecond * 5);
    CHECK(state.next_end(kMicrosecond * 6) == kMicrosecond * 517);
    state.hears(pause_of(2, 0), kMicrosecond * 10);  // announced before it arrives
    CHECK(state.next_end(kMicrosecond * 7) == kMicrosecond * 10);
}

constexpr std::uint8_t kLossless = 5;

/// A switch that cuts through; host i is at port i.
SwitchLogic cut_through_switch() {
    SwitchConfig config;
    config.mode = SwitchMode::cut_through;
    config.priorities = 8;
    config.pfc.classes = 1U << kLossless;
    config.pfc.xoff = 1'000;
    return {config, {std::vector<MacTiming>(3), {0, 1, 2}, std::vector<std::int64_t>(3, 10'000)}};
}

SwitchLogic::Arrival arrival_of(std::size_t port, unsigned to, std::uint8_t of_class) {
    SwitchLogic::Arrival arrival{.port = port, .length = 1'518, .to = to};
    arrival.traffic_class = of_class;
    return arrival;
}

TEST_CASE("a pause of any lossless class stops the frames of that class, also those that would cut through",
          "[network]") {
    SwitchLogic logic = cut_through_switch();
    logic.hears(kMicrosecond, 1, pause_of(kLossless, 65'535));
    const Time now = kMicrosecond * 3;  // the reaction is over
    CHECK_FALSE(logic.cuts_through(now, arrival_of(0, 1, kLossless)));
    CHECK(logic.cuts_through(now, arrival_of(0, 1, 0)));
    CHECK_FALSE(logic.arrives(now, arrival_of(0, 1, kLossless)).dropped);
    CHECK(logic.stopped(1, now));
}

TEST_CASE("no frame cuts through where a pause frame waits", "[network]") {
    SwitchLogic logic = cut_through_switch();
    const SwitchLogic::Arrival passes = arrival_of(2, 0, 0);
    CHECK(logic.cuts_through(kMicrosecond, passes));
    CHECK_FALSE(logic.arrives(kMicrosecond, arrival_of(0, 1, kLossless)).dropped);
    CHECK_FALSE(logic.cuts_through(kMicrosecond, passes));
    const auto pause = logic.begins(kMicrosecond);
    REQUIRE(pause);
    CHECK(pause->pause);
    CHECK(logic.cuts_through(kMicrosecond, passes));  // it has left before the frame begins
}

TEST_CASE("the longest reactions, by rate", "[network]") {
    // Quanta of 512 bits: 2, 60, 60, 80, 118 and 394.
    CHECK(longest_pause_reaction(MacTiming::of_rate(1'000'000'000)) == kNanosecond * 1'024);
    CHECK(longest_pause_reaction(MacTiming::of_rate(2'500'000'000)) == kNanosecond * 12'288);
    CHECK(longest_pause_reaction(MacTiming::of_rate(10'000'000'000)) == kNanosecond * 3'072);
    CHECK(longest_pause_reaction(MacTiming::of_rate(25'000'000'000)) == Time{1'638'400});
    CHECK(longest_pause_reaction(MacTiming::of_rate(40'000'000'000)) == Time{1'510'400});
    CHECK(longest_pause_reaction(MacTiming::of_rate(100'000'000'000)) == Time{2'017'280});
}

}  // namespace
}  // namespace rnicsim
