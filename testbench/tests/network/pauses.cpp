// Pause frames: their bytes, and what those that a port has got come to.
#include "model/network/pause_state.h"
#include "tlm/ipv4.h"

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
