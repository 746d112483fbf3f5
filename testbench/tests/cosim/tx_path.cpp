// SPDX-License-Identifier: Apache-2.0
// The transmit path in Verilog, alone: ordinary frames wait outside, as many as there are.
#include "Vtx_path.h"
#include "model/rtl/clocked.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

TEST_CASE("tx_path: of 300 ordinary frames that wait at once 300 leave, each once", "[cosim]") {
    constexpr unsigned kFrames = 300, kBytes = 60, kGap = 20;
    Clocked<Vtx_path> path("tx_path");
    path->cfg_buffers_i = 16;
    unsigned waiting = kFrames, starts = 0, bytes = 0, ends = 0;
    unsigned at = kGap;  // of a MAC: its frame's bytes, then the gap; ready behind that
    for (unsigned cycle = 0; cycle < 2 * kFrames * (kBytes + kGap) && ends < kFrames; ++cycle) {
        path->ordinary_waits_i = waiting != 0;
        path->mac_ready_i = at == kBytes + kGap || starts == 0;
        path->mac_take_i = starts != 0 && at < kBytes;
        path->mac_tx_en_i = path->mac_take_i;
        path->ordinary_last_i = at == kBytes - 1;
        path.settle();
        bytes += path->ordinary_take_o;
        ends += path->mac_take_i != 0 && path->mac_last_o != 0;
        if (path->mac_start_o != 0) {
            CHECK(path->ordinary_start_o == 1);
            ++starts;
            --waiting;
            at = 0;
        } else if (at < kBytes + kGap) {
            ++at;
        }
        path.tick();
    }
    CHECK(starts == kFrames);
    CHECK(ends == kFrames);
    CHECK(bytes == kFrames * kBytes);
    path->mac_ready_i = 1;
    path->mac_take_i = path->mac_tx_en_i = 0;
    path.tick();
    CHECK(path->idle_o == 1);
}

}  // namespace
}  // namespace rnicsim
