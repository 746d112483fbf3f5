// SPDX-License-Identifier: Apache-2.0
// A bridge's window: every TLP that lies in it passes, to one place, and no other one does.
#include "model/ntb/window.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <optional>

using namespace rnicsim;

TEST_CASE("a TLP passes if all of its bytes lie in the BAR and below the limit", "[bridge]") {
    for (std::uint64_t xlmt = 0; xlmt <= 40; ++xlmt) {
        const ntb::Window window{16, 16, 1000, xlmt, true};
        for (std::uint64_t address = 0; address < 48; ++address) {
            for (std::uint64_t bytes = 0; bytes <= 20; ++bytes) {
                bool inside = bytes != 0;
                for (std::uint64_t at = address; at < address + bytes; ++at)
                    inside = inside && at >= 16 && at < 32 && at < xlmt;
                CAPTURE(xlmt, address, bytes);
                CHECK(window.translate(address, bytes) ==
                      (inside ? std::optional<std::uint64_t>(1000 + address - 16) : std::nullopt));
            }
        }
    }
}
TEST_CASE("a window that is off passes nothing", "[bridge]") {
    CHECK(!ntb::Window{16, 16, 1000, 32, false}.translate(16, 1));
}
TEST_CASE("at the end of all addresses nothing wraps", "[bridge]") {
    constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
    const ntb::Window window{kLast - 15, 16, 0, kLast, true};
    CHECK(window.translate(kLast - 15, 15) == 0U);
    CHECK(!window.translate(kLast - 15, 16));
    CHECK(!window.translate(kLast - 1, 4));
    CHECK(!window.translate(kLast - 15, kLast));
    CHECK(!window.translate(0, 8));
}
