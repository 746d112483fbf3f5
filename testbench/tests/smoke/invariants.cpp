// SPDX-License-Identifier: Apache-2.0
// The checks of every run work: each invariant of PROTOCOL.md section 7 is violated on purpose, and named.
#include "model/faults/random_faults.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/scoreboard.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace rnicsim {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A system with its scoreboard, in which nothing has happened yet.
struct Judged {
    RunConfig config = default_config();
    Scoreboard board{config};
    Records<Sample> records{board.samples()};
    RandomFaults faults{fault_config(config)};
    System system{"system", config, KitEnds(board.memory_bytes()), faults, &board};
    PciePool pool;
    std::array<std::uint8_t, 4096> bytes{};

    Judged() {
        board.record_in(records);
        board.attach(system);
    }
    void access(TlpKind kind, std::uint64_t address, std::uint32_t length) {
        tlm::tlm_generic_payload& transaction = pool.take(kind, address, bytes.data(), length).transaction;
        board.memory_access(1, transaction);
        transaction.release();
    }
};

TEST_CASE("a byte written outside every registered region", "[smoke]") {
    Judged judged;
    judged.access(TlpKind::memory_write, kRings.regions, 1);
    CHECK_THAT(judged.board.violation(), ContainsSubstring("host b: a device writes 1 bytes at 0x400000, which no"));
}

TEST_CASE("a region that may be read only is written", "[smoke]") {
    Judged judged;
    judged.access(TlpKind::memory_read, kRings.command, 64);
    CHECK(judged.board.violation().empty());
    judged.access(TlpKind::memory_write, kRings.command, 64);
    CHECK_THAT(judged.board.violation(), ContainsSubstring("writes 64 bytes"));
}

TEST_CASE("an access that runs over the end of a ring", "[smoke]") {
    Judged judged;
    judged.access(TlpKind::memory_write, kRings.event + std::uint64_t{kEventRing} * kEventBytes - 8, 9);
    CHECK_THAT(judged.board.violation(), ContainsSubstring("writes 9 bytes"));
}

TEST_CASE("more bytes posted than a transfer has", "[smoke]") {
    Judged judged;
    tlm::tlm_generic_payload& transaction =
        judged.pool.take(TlpKind::memory_write, kRings.regions, judged.bytes.data(), 4096).transaction;
    for (int i = 0; i < 32; ++i) judged.board.upstream_tlp(0, transaction, kNanosecond * 8);
    CHECK(judged.board.violation().empty());
    judged.board.upstream_tlp(0, transaction, kNanosecond * 8);
    CHECK_THAT(judged.board.violation(), ContainsSubstring("more bytes posted to memory than it has"));
    transaction.release();
}

TEST_CASE("a frame left in the pool", "[smoke]") {
    Judged judged;
    const FrameRef kept = judged.system.frames().take();
    judged.board.check_empty();
    CHECK_THAT(judged.board.violation(), ContainsSubstring("1 frames left after the last transfer"));
}

}  // namespace
}  // namespace rnicsim
