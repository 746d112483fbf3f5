// SPDX-License-Identifier: Apache-2.0
// The window of a bridge: model beside Verilog, with TLPs around each edge and anywhere.
#include "Vntb_window.h"
#include "model/ntb/window.h"
#if VM_COVERAGE
#include "model/rtl/coverage.h"
#endif

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <random>

#include <verilated.h>

namespace rnicsim {
namespace {

constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned kSmallestLog2 = 12, kLargestLog2 = 57;  // 4 KiB to 128 PiB

class Twins {
  public:
    Twins() = default;
    Twins(const Twins&) = delete;
    Twins& operator=(const Twins&) = delete;
    ~Twins() {
        rtl_.final();
#if VM_COVERAGE
        write_coverage(own_, "ntb_window");
#endif
        Verilated::threadContextp(&own_);  // its destructor asks for it, and that of the next block must not find it
    }

    void set(const ntb::Window& window) {
        model_ = window;
        rtl_.cfg_on_i = window.on;
        rtl_.cfg_base_i = window.base;
        rtl_.cfg_size_i = window.size;
        rtl_.cfg_xbase_i = window.xbase;
        rtl_.cfg_xlmt_i = window.xlmt;
    }
    /// Whether they agree about this TLP.
    bool agree(std::uint64_t address, std::uint32_t bytes) {
        rtl_.address_i = address;
        rtl_.bytes_i = bytes;
        rtl_.eval();
        const std::optional<std::uint64_t> want = model_.translate(address, bytes);
        (want ? passed : refused) += 1;
        if ((rtl_.pass_o != 0) == want.has_value() && (!want || rtl_.address_o == *want)) return true;
        UNSCOPED_INFO("model and Verilog differ: base " << model_.base << ", size " << model_.size << ", xbase "
                                                        << model_.xbase << ", xlmt " << model_.xlmt << ", on "
                                                        << model_.on << "; " << bytes << " B at " << address);
        return false;
    }

    std::uint64_t passed = 0, refused = 0;

  private:
    struct ThreadContext {
        ThreadContext() = default;
        ThreadContext(const ThreadContext&) = delete;
        ThreadContext& operator=(const ThreadContext&) = delete;
        ~ThreadContext() { Verilated::threadContextp(Verilated::defaultContextp()); }
    };
    ThreadContext thread_context_;  // first: it ends last
    VerilatedContext own_;
    Vntb_window rtl_{&own_, "ntb_window"};
    ntb::Window model_;
};

/// TLPs that begin or end at `edge`, a byte before, a byte behind: whatever wraps is meant to.
bool agree_around(Twins& twins, std::uint64_t edge) {
    for (const std::uint32_t bytes : {0U, 1U, 2U, 8U, 64U, 4095U, 4096U, 8191U}) {
        for (const std::uint64_t by : {kLast, std::uint64_t{0}, std::uint64_t{1}}) {
            if (!twins.agree(edge + by, bytes) || !twins.agree(edge - bytes + by, bytes)) return false;
        }
    }
    return true;
}

TEST_CASE("ntb_window: model and Verilog are equal at each edge of windows of each size", "[cosim]") {
    Twins twins;
    for (unsigned log2 = kSmallestLog2; log2 <= kLargestLog2; ++log2) {
        const std::uint64_t size = std::uint64_t{1} << log2, top = kLast - size + 1;
        // The last one would reach beyond the end of all addresses.
        for (const std::uint64_t base : {std::uint64_t{0}, size, 5 * size, top, top + size / 2}) {
            const std::uint64_t end = base + size;
            for (const std::uint64_t xlmt :
                 {std::uint64_t{0}, base, base + 1, base + size / 2, end - 1, end, end + 1, kLast}) {
                for (const std::uint64_t xbase : {std::uint64_t{0}, 3 * size, top, kLast}) {
                    twins.set({base, size, xbase, xlmt, true});
                    for (const std::uint64_t edge : {std::uint64_t{0}, base, xlmt, end, std::uint64_t{1} << 32U})
                        REQUIRE(agree_around(twins, edge));
                }
                twins.set({base, size, size, xlmt, false});
                for (const std::uint64_t edge : {base, xlmt, end}) REQUIRE(agree_around(twins, edge));
            }
        }
    }
    CHECK(twins.passed > 100'000);
    CHECK(twins.refused > 100'000);
}

TEST_CASE("ntb_window: model and Verilog are equal in random windows", "[cosim]") {
    Twins twins;
    std::mt19937_64 random(1);
    // All magnitudes are alike.
    const auto any = [&] { return random() >> random() % 64; };
    for (int round = 0; round < 20'000; ++round) {
        CAPTURE(round);
        ntb::Window window{any(), any(), any(), any(), random() % 8 != 0};
        if (round % 2 != 0) {  // as a bridge has them: aligned, its limit inside
            window.size = std::uint64_t{1} << (kSmallestLog2 + random() % (kLargestLog2 - kSmallestLog2 + 1));
            window.base = random() / window.size * window.size;
            window.xbase = random() / window.size * window.size;
            window.xlmt = window.base + random() % window.size + random() % 2;
        }
        twins.set(window);
        for (int i = 0; i < 20; ++i) {
            const auto bytes = static_cast<std::uint32_t>(random() % 8192);
            REQUIRE(twins.agree(any(), bytes));
            REQUIRE(twins.agree(window.base + random() % (window.size + 1), bytes));
            REQUIRE(twins.agree(window.xlmt - random() % 8192, bytes));
        }
    }
    CHECK(twins.passed > 50'000);
    CHECK(twins.refused > 50'000);
}

}  // namespace
}  // namespace rnicsim
