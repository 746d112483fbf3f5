// SPDX-License-Identifier: Apache-2.0
// The DMA engine in Verilog against its model: same cycle of the first TLP, same TLPs of every piece, request by
// request.
#include "Vdma_engine.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/clocked.h"
#include "model/rtl/rtl_blocks.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

using Direction = DmaEngine::Direction;
using Pieces = std::vector<DmaEngine::Piece>;

constexpr std::array<std::uint32_t, 6> kLimits{128, 256, 512, 1024, 2048, 4096};
constexpr std::uint64_t kFourGib = std::uint64_t{1} << 32;

class Pair {
  public:
    Pair(std::uint32_t max_payload, std::uint32_t max_read_request, std::int64_t overhead = 10) {
        RnicConfig config = drp_of(default_config(), 0).rnic;
        config.pcie.max_payload = max_payload;
        config.pcie.max_read_request = max_read_request;
        config.pcie.request_overhead = Cycle{overhead};
        model_ = RtlBlocks().dma_engine(config);
        config.blocks[Block::dma_engine] = "rtl";
        verilog_ = RtlBlocks().dma_engine(config);
    }

    /// A request that comes `wait` cycles after the engine is free, or before that. Returns its TLPs.
    std::uint32_t issue(std::int64_t wait, Direction direction, Pieces pieces) {
        Pieces twin = pieces;
        at_ = std::max(at_, free_ + Cycle{wait});  // requests come in order
        const Cycle expected = model_->issue(at_, direction, pieces);
        const Cycle found = verilog_->issue(at_, direction, twin);
        free_ = expected;
        INFO((direction == Direction::write ? "write" : "read")
             << " of " << pieces.size() << " pieces, the first " << pieces[0].bytes << " bytes from "
             << pieces[0].address << " on");
        CHECK(found.n == expected.n);
        std::uint32_t tlps = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            INFO("piece " << i);
            CHECK(twin[i].count.tlps == pieces[i].count.tlps);
            CHECK(twin[i].count.link_bytes == pieces[i].count.link_bytes);
            tlps += pieces[i].count.tlps;
        }
        free_ += Cycle{tlps};
        return tlps;
    }
    void issue_both(std::int64_t wait, const Pieces& pieces) {
        issue(wait, Direction::write, pieces);
        issue(wait, Direction::read, pieces);
    }

  private:
    std::unique_ptr<DmaEngine> model_, verilog_;
    Cycle at_{100};
    Cycle free_{100};
};

TEST_CASE("each maximum payload and read request, around its boundaries", "[cosim]") {
    for (const std::uint32_t max_payload : kLimits) {
        for (const std::uint32_t max_read_request : kLimits) {
            Pair pair(max_payload, max_read_request);
            for (const std::uint32_t limit : {max_payload, max_read_request, 4096U}) {
                for (const std::uint64_t address : {0U, 1U, 2U, 3U, 4U, limit - 4, limit - 1, limit, limit + 1}) {
                    for (const std::uint32_t bytes : {1U, 2U, 3U, 4U, 5U, limit - 1, limit, limit + 1, 2 * limit}) {
                        pair.issue_both(0, {{address, bytes, {}}});
                    }
                }
            }
        }
    }
}

TEST_CASE("the TLPs of a request, counted by hand", "[cosim]") {
    Pair pair(128, 512);
    CHECK(pair.issue(0, Direction::write, {{0x40, 300, {}}}) == 3);    // 64, 128, 108
    CHECK(pair.issue(0, Direction::read, {{0x40, 300, {}}}) == 1);     // 300
    CHECK(pair.issue(0, Direction::read, {{0x1FF, 514, {}}}) == 3);    // 1, 512, 1
    CHECK(pair.issue(0, Direction::write, {{0x1080, 128, {}}}) == 1);  // from boundary to boundary
    CHECK(pair.issue(0, Direction::write, {{0x10FF, 2, {}}, {0, 1, {}}}) == 3);
}

TEST_CASE("addresses: over 4 KiB, over 4 GiB, carries, the last of all", "[cosim]") {
    for (const std::uint32_t limit : kLimits) {
        Pair pair(limit, limit);
        for (unsigned bit = 7; bit < 64; ++bit) {
            const std::uint64_t border = std::uint64_t{1} << bit;
            for (const std::uint64_t before : {0U, 1U, 64U, 100U}) {
                pair.issue_both(0, {{border - before, 128, {}}});
                pair.issue_both(0, {{border - before, 1, {}}});
            }
        }
        pair.issue_both(0, {{kFourGib - 1, 1, {}}, {kFourGib, 1, {}}, {kFourGib - 5000, 10'000, {}}});
        pair.issue_both(0, {{~std::uint64_t{0} - 9'998, 9'998, {}}});
    }
}

TEST_CASE("the longest piece", "[cosim]") {
    for (const std::uint32_t limit : kLimits) {
        Pair pair(limit, limit);
        CHECK(pair.issue(0, Direction::write, {{0, 131'071, {}}}) == 131'072 / limit);
        CHECK(pair.issue(0, Direction::read, {{1, 131'071, {}}}) == 131'072 / limit);
        pair.issue_both(0, {{1, 65'536, {}}, {0, 65'535, {}}});
    }
}

TEST_CASE("several pieces follow one another without a gap", "[cosim]") {
    for (const std::int64_t overhead : {2, 3, 4, 10, 255}) {
        Pair pair(128, 128, overhead);
        // One, two or three TLPs in each of four pieces: every combination of reading ahead and cutting.
        for (unsigned shape = 0; shape < 81; ++shape) {
            const std::array<std::uint32_t, 4> tlps{shape % 3 + 1, shape / 3 % 3 + 1, shape / 9 % 3 + 1,
                                                    shape / 27 + 1};
            for (std::size_t count = 1; count <= 4; ++count) {
                Pieces pieces;
                for (std::uint32_t i = 0; i < count; ++i) {
                    pieces.push_back({0x1000 * (i + 1) + 8 * i, 128 * tlps[i] - 9 * i - 1, {}});
                }
                pair.issue_both(0, pieces);
            }
        }
        Pieces many;
        for (std::uint64_t i = 0; i < 100; ++i) many.push_back({i << 36 | i * 60, 1, {}});
        pair.issue_both(0, many);
    }
}

TEST_CASE("requests that wait, come just in time, come later", "[cosim]") {
    for (const std::int64_t overhead : {2, 3, 10, 254, 255}) {
        Pair pair(128, 512, overhead);
        for (const std::uint32_t bytes : {1U, 128U, 129U, 1500U}) {
            for (const std::int64_t wait : {-1000, -11, -2, -1, 0, 1, 2, 3, 9, 1000, 100'000}) {
                pair.issue(wait, Direction::write, {{0x2000, bytes, {}}});
                pair.issue(wait, Direction::read, {{0x2000, bytes, {}}});
                pair.issue(wait, Direction::read, {{0x2000, bytes, {}}, {0, 1, {}}});
                pair.issue(wait, Direction::write, {{0x2000, bytes, {}}, {0, 1, {}}});
            }
        }
    }
}

TEST_CASE("random requests", "[cosim]") {
    std::mt19937 random{1};
    const auto draw = [&](std::uint32_t least, std::uint32_t most) -> std::uint32_t {
        return static_cast<std::uint32_t>(least + random() % (most - least + 1));
    };
    for (int engine = 0; engine < 60; ++engine) {
        Pair pair(kLimits[draw(0, 5)], kLimits[draw(0, 5)], engine % 3 == 0 ? 2 : draw(2, engine % 3 == 1 ? 20 : 255));
        std::uint64_t tlps = 0;
        for (int i = 0; i < 200; ++i) {
            Pieces pieces;
            for (std::uint32_t left = draw(0, 3) == 0 ? draw(2, 20) : 1; left != 0; --left) {
                const std::uint64_t address = (std::uint64_t{random()} << 32 | random()) >> draw(0, 63);
                pieces.push_back({address & ~std::uint64_t{0} >> 1, draw(1, 1U << draw(0, 13)), {}});
            }
            const std::int64_t wait = draw(0, 1) == 0 ? 0 : std::int64_t{draw(0, 200)} - 100;
            tlps += pair.issue(wait, draw(0, 1) == 0 ? Direction::write : Direction::read, pieces);
        }
        CHECK(tlps > 200);
    }
}

/// A request of 300 and 128 bytes, taken in cycle 0, whose second piece is offered in cycle `offered` only. Returns how
/// many TLPs there were; they are in cycles 5 to 8.
int late_piece(int offered) {
    constexpr int kOverhead = 5;
    Clocked<Vdma_engine> engine("dma_engine");
    engine->cfg_max_payload_log2_i = 7;
    engine->cfg_max_read_request_log2_i = 7;
    engine->cfg_request_overhead_i = kOverhead;
    engine->request_valid_i = 1;
    engine->request_write_i = 1;
    engine->piece_bytes_i = 300;
    engine.tick();
    engine->request_valid_i = 0;
    engine->piece_address_i = 0x1000;
    engine->piece_bytes_i = 128;
    engine->piece_last_i = 1;
    int tlps = 0;
    for (int cycle = 1; cycle <= kOverhead + 4; ++cycle) {
        CHECK((engine->piece_ready_o != 0) == (cycle <= offered));
        CHECK((engine->request_ready_o != 0) == (cycle == kOverhead + 4));
        CHECK((engine->tlp_valid_o != 0) == (cycle >= kOverhead && cycle < kOverhead + 4));
        CHECK((engine->tlp_last_o != 0) == (cycle == kOverhead + 3));
        tlps += engine->tlp_valid_o != 0 ? 1 : 0;
        engine->piece_valid_i = cycle == offered;
        engine.settle();
        engine.tick();
    }
    return tlps;
}

TEST_CASE("a piece is read ahead as soon as it comes, and may come as late as its TLP allows", "[cosim]") {
    for (int offered = 1; offered <= 6; ++offered) CHECK(late_piece(offered) == 4);
    CHECK_THROWS_AS(late_piece(7), RtlFault);
}

TEST_CASE("what the engine in Verilog cannot do", "[cosim]") {
    for (const std::int64_t overhead : {0, 1, 256, 258}) CHECK_THROWS_AS(Pair(128, 512, overhead), RtlFault);
    CHECK_THROWS_AS(Pair(128, 512).issue(0, Direction::write, {{0, 131'072, {}}}), RtlFault);
    CHECK_THROWS_AS(Pair(128, 512).issue(0, Direction::write, {{0, 0, {}}}), RtlFault);
}

}  // namespace
}  // namespace rnicsim
