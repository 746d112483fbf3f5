// SPDX-License-Identifier: Apache-2.0
// Wakeup: once, at the earliest cycle asked for; an idle module is not woken.
#include "tlm/wakeup.h"
#include "testbench/tests/support/cycles.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace rnicsim {
namespace {

struct Sleeper : sc_core::sc_module {
    explicit Sleeper(sc_core::sc_module_name name) : sc_module(name) {
        SC_HAS_PROCESS(Sleeper);
        SC_METHOD(cycle);
        wakeup.wakes(sensitive);
        dont_initialize();
    }
    void cycle() {
        woken.push_back(wakeup.woke());
        wakeup.at(woken.back() + Cycle{1});  // nothing comes of it: what is next is said at the end
        wakeup.sleep_until(then);
        then = kNever;
    }
    ClockedWakeup wakeup{"wakeup", kGmiiClock};
    std::vector<Cycle> woken;
    Cycle then = kNever;  // what it asks for when it is woken
};

TEST_CASE("of several requests the earliest wakes, whatever their order", "[smoke]") {
    Sleeper sleeper("sleeper");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (const std::int64_t due : {50, 20, 70, 30, 20}) sleeper.wakeup.at(Cycle{due});
    sc_core::sc_start(to_sc_time(cycles(100)));
    CHECK(sleeper.woken == std::vector{Cycle{20}});  // the later ones are for the module to ask for again
}

TEST_CASE("a module that asks again is woken again, and only then", "[smoke]") {
    Sleeper sleeper("sleeper");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sleeper.wakeup.at(Cycle{20});
    sleeper.then = Cycle{21};
    sc_core::sc_start(to_sc_time(cycles(1000)));
    CHECK(sleeper.woken == std::vector{Cycle{20}, Cycle{21}});
    CHECK(sleeper.wakeup.activations() == 2);
    sleeper.wakeup.at(Cycle{1000});  // now
    sc_core::sc_start(to_sc_time(cycles(1'000'000'000)));
    CHECK(sleeper.woken.back() == Cycle{1000});
    CHECK(sleeper.wakeup.activations() == 3);  // 8 s of nothing cost nothing
}

TEST_CASE("whoever asks for never is not woken", "[smoke]") {
    Sleeper sleeper("sleeper");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sleeper.wakeup.at(kNever);
    sc_core::sc_start(to_sc_time(cycles(1000)));
    CHECK(sleeper.woken.empty());
    sleeper.wakeup.at(Cycle{2000});
    sleeper.wakeup.at(kNever);
    sc_core::sc_start(to_sc_time(cycles(2000)));
    CHECK(sleeper.woken == std::vector{Cycle{2000}});
}

TEST_CASE("an earlier request moves a later one that is pending", "[smoke]") {
    Sleeper sleeper("sleeper");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sleeper.wakeup.at(Cycle{500});
    sc_core::sc_start(to_sc_time(cycles(100)));
    sleeper.wakeup.at(Cycle{101});
    sc_core::sc_start(to_sc_time(cycles(1000)));
    CHECK(sleeper.woken == std::vector{Cycle{101}});
}

TEST_CASE("a request that an earlier one has moved wakes where it is made again", "[smoke]") {
    Sleeper sleeper("sleeper");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (const std::int64_t due : {500, 300, 100}) sleeper.wakeup.at(Cycle{due});
    sleeper.then = Cycle{500};
    sc_core::sc_start(to_sc_time(cycles(400)));
    CHECK(sleeper.woken == std::vector{Cycle{100}});
    sleeper.wakeup.at(Cycle{450});  // moves it again; now it is not made again
    sleeper.then = Cycle{480};
    sc_core::sc_start(to_sc_time(cycles(1000)));
    CHECK(sleeper.woken == std::vector{Cycle{100}, Cycle{450}, Cycle{480}});
}

}  // namespace
}  // namespace rnicsim
