// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control: thresholds, pauses, and a headroom that is neither too small nor too large.
#include "model/network/switch/headroom.h"
#include "model/network/switch/switch_logic.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <deque>
#include <random>

namespace rnicsim {
namespace {

constexpr std::int64_t kLargest = 1'518;
constexpr std::uint8_t kClass = 3;
constexpr unsigned kSender = 0, kSink = 1, kOther = 2;  // hosts and ports

SwitchConfig lossless_switch() {
    SwitchConfig config;
    config.priorities = 8;
    config.pfc.classes = 1U << kClass;
    return config;
}

SwitchLogic switch_of(const SwitchConfig& config, std::int64_t headroom) {
    return {config, {std::vector<MacTiming>(3), {0, 1, 2}, std::vector<std::int64_t>(3, headroom)}};
}

SwitchLogic::Arrival lossless_frame(std::size_t port, unsigned to, std::uint8_t of_class,
                                    std::int64_t length = kLargest) {
    SwitchLogic::Arrival arrival{.port = port, .length = length, .to = to};
    arrival.traffic_class = of_class;
    return arrival;
}

PauseFrame lossless_pause(std::uint16_t quanta) {
    PauseFrame frame;
    frame.quanta[kClass] = quanta;
    return frame;
}

TEST_CASE("a pause at the threshold, and on again so much below it", "[network]") {
    SwitchConfig config = lossless_switch();
    config.pfc.xoff = 4'000;
    config.pfc.xon_below = 1'000;
    LosslessIngress ingress(config, {5'000});
    const SharedBuffer pool(config, 8, 5'000);
    CHECK(ingress.admit(0, kClass, 2'000, pool) == 2'000);
    CHECK(ingress.admit(0, kClass, 2'000, pool) == 2'000);
    CHECK_FALSE(ingress.paused(0, kClass));  // at it, not above
    CHECK(ingress.admit(0, kClass, 1, pool) == 1);
    CHECK(ingress.paused(0, kClass));
    CHECK(ingress.admit(0, kClass, 5'000, pool) == 0);  // in the headroom
    CHECK_FALSE(ingress.admit(0, kClass, 1, pool));
    CHECK(ingress.headroom_high_water(0) == 5'000);
    CHECK(ingress.release(0, kClass, 4'000) == 0);  // headroom first
    CHECK(ingress.release(0, kClass, 1'500) == 500);
    CHECK_FALSE(ingress.resumes(0, kClass, pool));  // 3,501
    CHECK(ingress.admit(0, kClass, 100, pool) == 0);
    CHECK(ingress.headroom_high_water(0) == 5'000);  // the most, not the last
    CHECK(ingress.release(0, kClass, 100) == 0);
    CHECK(ingress.release(0, kClass, 501) == 501);
    CHECK(ingress.resumes(0, kClass, pool));
    CHECK_FALSE(ingress.paused(0, kClass));
    CHECK_FALSE(ingress.resumes(0, kClass, pool));
}

TEST_CASE("who has nothing in the switch is not paused for a frame that finds no room: nothing would end it",
          "[network]") {
    SwitchConfig config = lossless_switch();
    config.buffer = 3'000;
    config.pfc.xoff = 2'000;  // what it holds itself never pauses it here
    LosslessIngress ingress(config, {10});
    SharedBuffer pool(config, 8, 10);
    pool.hold(1, 2'000, 2'000);  // another port's
    CHECK_FALSE(ingress.admit(0, kClass, 1'000, pool));
    CHECK_FALSE(ingress.paused(0, kClass));
    CHECK(ingress.admit(0, kClass, 500, pool) == 500);
    pool.hold(0, 500, 500);
    CHECK_FALSE(ingress.paused(0, kClass));
    CHECK_FALSE(ingress.admit(0, kClass, 1'000, pool));  // who has something is
    CHECK(ingress.paused(0, kClass));
}

TEST_CASE("the dynamic threshold is a share of what is free, and each port has its own", "[network]") {
    SwitchConfig config = lossless_switch();
    config.buffer = 11'000;
    config.pfc.alpha = 0.25;
    LosslessIngress ingress(config, {500, 500});
    SharedBuffer pool(config, 8, 1'000);
    int frames = 0;
    for (; !ingress.paused(0, kClass); ++frames) pool.hold(0, 100, ingress.admit(0, kClass, 100, pool).value());
    CHECK(frames == 21);  // 2,100 > (10,000 - 2,100) / 4
    CHECK_FALSE(ingress.paused(1, kClass));
    const SharedBuffer other(config, 8, 1'000);
    CHECK(ingress.admit(1, kClass, 2'001, other) == 2'001);  // free are 7,999 B with it, not 10,000
    CHECK(ingress.paused(1, kClass));
}

TEST_CASE("it goes on only when its headroom is free again, however much room there is", "[network]") {
    SwitchConfig config = lossless_switch();
    config.buffer = 11'000;
    config.pfc.alpha = 0.25;
    config.pfc.xon_below = 100;
    LosslessIngress ingress(config, {1'000});
    SharedBuffer pool(config, 8, 1'000);
    pool.hold(1, 8'000, 8'000);  // another port's
    while (!ingress.paused(0, kClass)) pool.hold(0, 100, ingress.admit(0, kClass, 100, pool).value());
    CHECK(ingress.admit(0, kClass, 300, pool) == 0);
    pool.let_go(1, 8'000, 8'000);
    CHECK(ingress.release(0, kClass, 200) == 0);
    CHECK_FALSE(ingress.resumes(0, kClass, pool));  // 100 B are left in it
    CHECK(ingress.release(0, kClass, 100) == 0);
    CHECK(ingress.resumes(0, kClass, pool));
}

/// A sender that begins a frame whenever it may, at the far end of a wire; and a switch whose only way out is paused.
struct Adversary {
    Adversary(const SwitchConfig& config, const LinkConfig& to_switch, Time sender_reaction, std::int64_t headroom)
        : logic(config,
                {std::vector<MacTiming>(3, to_switch.timing), {0, 1, 2}, std::vector<std::int64_t>(3, headroom)}),
          link(to_switch),
          reaction(sender_reaction),
          largest(config.mtu + 18) {}

    /// How many of its frames are lost. `phase`: of its first frame against those of the port's own.
    int run(Time phase) {
        Time next = phase;  // of the sender's frames
        Time stop = kEndOfTime;
        Time other{1};
        int lost = 0;
        logic.hears({}, kSink, lossless_pause(65'535));
        std::deque<Time> arriving;
        const Time length = link.timing.serialisation(static_cast<std::size_t>(largest));
        while (next < stop || !arriving.empty()) {
            const Time begins = next < stop ? next : kEndOfTime;
            const Time arrives = arriving.empty() ? kEndOfTime : arriving.front();
            const Time now = std::min({logic.next(), begins, arrives, other});
            if (now == arrives) {
                lost += logic.arrives(now, lossless_frame(kSender, kSink, kClass, largest)).dropped ? 1 : 0;
                arriving.pop_front();
            } else if (now == other) {
                // Its own frames keep the port to the sender busy.
                logic.arrives(now, lossless_frame(kOther, kSender, 0, largest));
                other += length + link.timing.gap();
            } else if (now == begins && logic.next() > now) {
                arriving.push_back(now + length + link.delay);
                next += length + link.timing.gap();
            }
            send(now, stop);
        }
        return lost;
    }

    SwitchLogic logic;
    LinkConfig link;
    Time reaction;
    std::int64_t largest;  // bytes, of all frames

  private:
    void send(Time now, Time& stop) {
        while (const auto departure = logic.begins(now)) {
            if (departure->pause && logic.pause_frame().quanta.at(kClass) != 0)
                stop = std::min(stop, departure->end + link.delay + reaction);
        }
    }
};

TEST_CASE("headroom: an adversary loses nothing at H, and something at H less a frame", "[network]") {
    struct Case {
        std::int64_t rate, mtu;
        Time delay;
    };
    // At 100 Gb/s short frames would leave a frame's room: so many gaps and preambles are on the wire with them.
    for (const auto& [rate, mtu, delay] :
         {Case{1'000'000'000, 1'500, kNanosecond * 40}, Case{10'000'000'000, 1'500, kNanosecond * 400},
          Case{100'000'000'000, 9'198, kNanosecond * 500}}) {
        LinkConfig link;
        link.timing = MacTiming::of_rate(rate);
        link.delay = delay;
        SwitchConfig config = lossless_switch();
        config.mtu = mtu;
        config.pfc.xoff = 1 << 29;  // the pool alone says when
        const std::int64_t largest = mtu + 18;
        const Time reaction = longest_pause_reaction(link.timing);
        const std::int64_t needed = needed_headroom(config, link, reaction);
        const auto lost = [&](std::int64_t headroom) {
            constexpr int kPhases = 400;
            int all = 0;
            for (int phase = 0; phase < kPhases; ++phase) {
                SwitchConfig of = config;
                of.reserve = 4 * largest;  // the port's own frames find room
                of.buffer = 3 * headroom + 20 * largest + 3 * 8 * of.reserve;
                const Time frame_time = link.timing.serialisation(static_cast<std::size_t>(largest));
                all += Adversary(of, link, reaction, headroom).run(Time{frame_time.ps / kPhases * phase});
            }
            return all;
        };
        INFO(rate << " bit/s, H " << needed);
        CHECK(lost(needed) == 0);
        CHECK(lost(needed - largest) > 0);
    }
}

TEST_CASE("headroom: figures of Gigabit Ethernet and of 100 Gb/s with jumbo frames", "[network]") {
    LinkConfig link;
    link.delay = kNanosecond * 40;
    CHECK(needed_headroom({}, link, longest_pause_reaction(link.timing)) == 4'816);
    LinkConfig fast;  // 100 m of cable
    fast.timing = MacTiming::of_rate(100'000'000'000);
    fast.delay = kNanosecond * 500;
    SwitchConfig jumbo;
    jumbo.mtu = 9'198;
    CHECK(needed_headroom(jumbo, fast, longest_pause_reaction(fast.timing)) == 65'488);
    SwitchConfig in_cells;
    in_cells.cell = 64;  // 65 B take two
    CHECK(needed_headroom(in_cells, link, longest_pause_reaction(link.timing)) == (4'816 * 128 + 64) / 65);
    in_cells.mtu = 47;  // 65 B are the largest frame
    CHECK(needed_headroom(in_cells, link, longest_pause_reaction(link.timing)) == (457 * 128 + 64) / 65);
}

TEST_CASE("a pause is said again at half of its length, and taken back when there is room", "[network]") {
    SwitchConfig config = lossless_switch();
    config.pfc.xoff = 1'000;
    config.pfc.xon_below = 500;
    config.pfc.quanta = 100;  // 51.2 us
    SwitchLogic logic = switch_of(config, 10'000);
    logic.hears({}, kSink, lossless_pause(65'535));
    CHECK_FALSE(logic.arrives(kMicrosecond, lossless_frame(kSender, kSink, kClass)).dropped);
    const auto first = logic.begins(kMicrosecond);
    REQUIRE(first);
    CHECK(first->pause);
    CHECK(logic.pause_frame().quanta.at(kClass) == 100);
    CHECK(first->port == kSender);
    CHECK(first->end == kMicrosecond + MacTiming{}.serialisation(64));
    CHECK_FALSE(logic.begins(kMicrosecond));
    const Time again = first->end + Time{25'600'000};
    CHECK(logic.next() == kMicrosecond * 3);  // the frame is ready, but for the pause
    CHECK_FALSE(logic.begins(kMicrosecond * 3));
    CHECK(logic.next() == again);
    const auto second = logic.begins(again);
    REQUIRE(second);
    CHECK(second->pause);
    CHECK(logic.pause_frame().quanta.at(kClass) == 100);
    logic.hears(again + kMicrosecond, kSink, lossless_pause(0));
    const auto frame_leaves = logic.begins(again + kMicrosecond);
    REQUIRE(frame_leaves);
    CHECK(frame_leaves->port == kSink);
    CHECK_FALSE(logic.begins(frame_leaves->end - Time{1}));
    const auto on = logic.begins(frame_leaves->end);
    REQUIRE(on);
    CHECK(on->pause);
    CHECK(logic.pause_frame().quanta.at(kClass) == 0);
    CHECK_FALSE(logic.pause_frame().quanta.at(4));  // nothing is said of the others
    CHECK(logic.counters(kSender).pauses_sent == 3);
}

TEST_CASE("whatever comes: lossless classes lose nothing while senders obey, and everything is given back",
          "[network]") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 draws(seed);
        SwitchConfig config = lossless_switch();
        config.cell = 1 + draws() % 200;
        config.pfc.xoff = draws() % 2 == 0 ? 0 : 8'000;
        config.pfc.xon_below = 1 + draws() % 7'000;
        config.scheduler = draws() % 2 == 0 ? Scheduler::strict : Scheduler::drr;
        const std::int64_t headroom = 40'000;
        config.buffer = 3 * headroom + 30'000;
        SwitchLogic logic = switch_of(config, headroom);
        PauseState senders[]{{MacTiming{}, {}}, {MacTiming{}, {}}, {MacTiming{}, {}}};
        std::vector<Time> free_at(3);
        Time now;
        const auto serve = [&](Time until) {
            while (logic.next() <= until) {
                const Time at = logic.next();
                while (const auto departure = logic.begins(at)) {
                    REQUIRE(departure->begin == at);
                    REQUIRE(departure->begin >= free_at[departure->port]);
                    free_at[departure->port] = departure->end + MacTiming{}.gap();
                    if (departure->pause) senders[departure->port].hears(logic.pause_frame(), departure->end);
                }
            }
        };
        std::vector<Time> may_send(3);
        for (int i = 0; i < 20'000; ++i) {
            now += Time{static_cast<std::int64_t>(draws() % 3'000'000)};
            serve(now);
            const std::size_t port = draws() % 3;
            const auto of_class = static_cast<std::uint8_t>(draws() % 2 == 0 ? kClass : draws() % 8);
            if (may_send[port] > now || senders[port].paused(of_class, now)) continue;
            const std::int64_t length = 64 + static_cast<std::int64_t>(draws() % 1'455);
            may_send[port] = now + MacTiming{}.serialisation(static_cast<std::size_t>(length));
            const auto verdict =
                logic.arrives(now, lossless_frame(port, (port + 1 + draws() % 2) % 3, of_class, length));
            if (of_class == kClass) REQUIRE_FALSE(verdict.dropped);
            REQUIRE(logic.buffer().used() <= config.buffer);
        }
        serve(now + kSecond);
        logic.settle(now + kSecond);
        CHECK(logic.queued() == 0);
        CHECK(logic.buffer().used() == 0);
        CHECK(logic.buffer().free() == config.buffer - 3 * headroom);
        for (std::size_t port = 0; port < 3; ++port) {
            CHECK(logic.ingress().held(port, kClass) == 0);
            CHECK_FALSE(logic.ingress().paused(port, kClass));
            CHECK_FALSE(senders[port].paused(kClass, now + kSecond));
        }
    }
}

}  // namespace
}  // namespace rnicsim
