// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog while hold_i: no decision begins, and the scanner of its timers stands.
#include "Vtransport_controller.h"
#include "model/rtl/clocked.h"
#include "model/rtl/ports.h"
#include "testbench/tests/cosim/transport_pair.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

class Held {
  public:
    Held() {
        ports::configure_transport(*rtl, config_of());
        rtl->cfg_dynamic_i = 1;
        rtl->frame_ctrl_i = 1U << 3U;
        rtl->command_code_i = static_cast<unsigned>(CommandCode::rdma_write);
        rtl->command_tid_i = 1;
        rtl->command_length_i = 1000;
    }
    void give(bool frame, bool command, bool sent) {
        rtl->frame_valid_i = frame;
        rtl->command_valid_i = command;
        rtl->sent_valid_i = sent;
        rtl.settle();
    }
    void cycle(bool hold) {
        rtl->hold_i = hold;
        rtl->now_i = now++;
        rtl.settle();
        rtl.tick();
    }

    Clocked<Vtransport_controller> rtl{"transport_controller"};
    std::uint32_t now = 0;
};

TEST_CASE("hold_i: nothing is ready, and nothing is taken", "[cosim]") {
    Held held;
    for (unsigned inputs = 0; inputs < 8; ++inputs) {
        const bool frame = (inputs & 1U) != 0;
        const bool command = (inputs & 2U) != 0;
        for (int i = 0; i < 12; ++i) {
            held.rtl->hold_i = 1;
            held.give(frame, command, (inputs & 4U) != 0);
            CHECK(held.rtl->frame_ready_o == 0);
            CHECK(held.rtl->command_ready_o == 0);
            CHECK(held.rtl->sent_ready_o == 0);
            CHECK(held.rtl->idle_o == 1);
            CHECK(held.rtl->done_o == 0);
            held.cycle(true);
        }
        held.rtl->hold_i = 0;
        held.rtl.settle();
        CHECK(held.rtl->frame_ready_o == 1);
        CHECK((held.rtl->command_ready_o != 0) == !frame);
        CHECK((held.rtl->sent_ready_o != 0) == (!frame && !command));
    }
}

TEST_CASE("hold_i during a decision: it goes on, and none follows", "[cosim]") {
    Held held;
    held.give(false, true, false);
    held.cycle(false);
    for (int i = 1; i < 30; ++i) {
        CHECK((held.rtl->done_o != 0) == (i == 8));
        CHECK((held.rtl->idle_o != 0) == (i >= 8));
        CHECK(held.rtl->command_ready_o == 0);
        held.cycle(true);
    }
}

/// A timer that has expired while decisions were held: after how many cycles that are not held it is found, of which
/// there is one in `every`.
int cycles_of_the_scanner(std::uint32_t held_for, int every) {
    Held held;
    held.give(false, true, false);
    held.cycle(false);
    held.give(false, false, false);
    for (int i = 1; i < 8; ++i) held.cycle(false);
    REQUIRE(held.rtl->timer_on_o == 1);
    const std::uint32_t until = held.rtl->timer_deadline_o + held_for;
    while (held.now != until) {
        held.cycle(true);
        REQUIRE(held.rtl->idle_o == 1);
    }
    int moved = 0;
    for (int i = 0; held.rtl->idle_o != 0; ++i) {
        REQUIRE(moved <= 64);
        held.cycle(i % every != 0);
        moved += i % every == 0 ? 1 : 0;
    }
    return moved;
}

TEST_CASE("hold_i: no timer is decided about, and the scanner stands", "[cosim]") {
    const int expected = cycles_of_the_scanner(100, 1);
    for (std::uint32_t held_for = 100; held_for < 104; ++held_for) {
        for (const int every : {1, 2, 3}) CHECK(cycles_of_the_scanner(held_for, every) == expected);
    }
}

}  // namespace
}  // namespace rnicsim
