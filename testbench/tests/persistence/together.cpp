// SPDX-License-Identifier: Apache-2.0
// Lines of a TLP are booked together where nothing is in their way: the same as one behind the other.
#include "testbench/tests/persistence/line_list.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>

namespace rnicsim {
namespace {

class Draws {
  public:
    explicit Draws(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

  private:
    std::mt19937_64 engine_;
};

/// Rates and places of which each can be what stops lines.
PersistenceConfig drawn_config(Draws& draws) {
    PersistenceConfig config = plain_config();
    config.ddio = draws.one_in(3);
    config.no_snoop_write = draws.one_in(2);
    config.no_snoop = draws.one_in(3) ? NoSnoop::literal : NoSnoop::hint;
    config.iio.capacity = draws.one_in(2) ? 8 << 10 : 64 << draws.below(5);
    config.iio.latency = ns(draws.one_in(4) ? 0 : 40);
    config.iio.hold = ns(draws.one_in(3) ? 100 : 0);
    config.iio.until_pushed = draws.one_in(4);
    config.llc.capacity = draws.one_in(2) ? 4608 << 10 : 64 << draws.below(5);
    config.imc.capacity = 64 << draws.below(6);
    config.imc.latency = ns(draws.one_in(3) ? 5 : 40);
    config.scm.line = 64 << draws.below(4);
    config.scm.write = draws.one_in(2) ? 2'560'000'000 : 25'600'000'000;
    return config;
}

TlpAttributes drawn_attributes(Draws& draws) {
    return {draws.one_in(3), draws.one_in(4), static_cast<std::uint8_t>(draws.one_in(4) ? 1 : 0)};
}

/// Each line by itself: when the last one is accepted.
Time write_apart(PathBench& bench, Time at, std::uint64_t address, std::uint64_t bytes, TlpAttributes attributes) {
    const std::uint64_t end = address + bytes;
    while (address < end) {
        const std::uint64_t next = std::min(end, (address / 64 + 1) * 64);
        at = bench.path.write(at, address, static_cast<std::uint32_t>(next - address), attributes).accepted;
        address = next;
    }
    return at;
}

bool same(const LineWrite& a, const LineWrite& b) {
    return a.number == b.number && a.line == b.line && a.mask == b.mask && a.scm == b.scm && a.posted == b.posted &&
           a.iio == b.iio && a.llc == b.llc && a.adr == b.adr && a.scm_done == b.scm_done;
}

/// Some of them go over the end of SCM.
void happens(Draws& draws, Time& now, PathBench& together, PathBench& apart) {
    now += ns(static_cast<std::int64_t>(draws.below(draws.one_in(4) ? 400 : 20)));
    const std::uint64_t address = draws.one_in(5) ? PathBench::kDram - draws.below(1024) : 32 * draws.below(300);
    const std::uint64_t bytes = 1 + (draws.one_in(2) ? 64 * draws.below(20) : draws.below(1024));
    const TlpAttributes attributes = drawn_attributes(draws);
    const std::uint64_t what = draws.below(8);
    if (what == 0) {
        const Time starts = together.path.read_may_start(now, attributes);
        REQUIRE(starts == apart.path.read_may_start(now, attributes));
        return;
    }
    if (what == 1) {
        const Time flushed = together.path.flush(now, address, bytes);
        REQUIRE(flushed == apart.path.flush(now, address, bytes));
        return;
    }
    if (what == 2) return together.path.pass(now);  // the other one forgets nothing
    const Time accepted = together.path.write(now, address, static_cast<std::uint32_t>(bytes), attributes).accepted;
    REQUIRE(accepted == write_apart(apart, now, address, bytes, attributes));
    now = std::max(now, accepted);
}

TEST_CASE("lines of a TLP take the times that they take one by one", "[persistence]") {
    for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
        Draws draws(seed);
        const PersistenceConfig config = drawn_config(draws);
        PathBench together(config), apart(config);
        Time now;
        for (int i = 0; i < 60; ++i) happens(draws, now, together, apart);
        together.path.end();
        apart.path.end();
        INFO("seed " << seed);
        REQUIRE(together.lines.told == apart.lines.told);
        REQUIRE(std::ranges::equal(together.lines.writes, apart.lines.writes, same));
        REQUIRE(together.lines.back == apart.lines.back);
    }
}

}  // namespace
}  // namespace rnicsim
