// SPDX-License-Identifier: Apache-2.0
// The MAC in Verilog against its model: same bytes, same cycles, same verdicts, frame by frame.
#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/rtl_blocks.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

constexpr MacAddress kA{2, 0, 0, 0, 0, 1};
constexpr MacAddress kB{2, 0, 0, 0, 0, 2};

class Pair {
  public:
    Pair() {
        RnicConfig config = drp_of(default_config(), 0).rnic;
        model = RtlBlocks().mac(config);
        config.blocks[Block::gmac] = "rtl";
        verilog = RtlBlocks().mac(config);
    }

    FrameRef frame(std::size_t client_bytes) {
        FrameRef frame = pool.take();
        frame->format(kB, kA, 0x0800, client_bytes);
        for (std::uint8_t& byte : frame->writable_client_data().first(client_bytes))
            byte = static_cast<std::uint8_t>(random());
        return frame;
    }
    FrameRef copy(const Frame& other) {
        FrameRef frame = pool.take();
        frame->truncate(other.length());
        std::ranges::copy(other.bytes(), frame->writable_bytes().begin());
        return frame;
    }
    /// Sends it through both, `wait` cycles after the MAC could have taken it.
    void send(const FrameRef& frame, std::int64_t wait) {
        const FrameRef twin = copy(*frame);
        const Cycle now = ready + Cycle{wait};
        const MacEngine::Sent expected = model->send(*frame, now);
        const MacEngine::Sent found = verilog->send(*twin, now);
        INFO("frame of " << frame->length() << " bytes, " << wait << " cycles after it could have been taken");
        CHECK(found.end.n == expected.end.n);
        CHECK(found.ready_at.n == expected.ready_at.n);
        CHECK(std::ranges::equal(twin->bytes(), frame->bytes()));
        ready = expected.ready_at;
    }
    /// Receives it with both; `due` only grows.
    MacEngine::Verdict receive(const FrameRef& frame) {
        due += Cycle{20 + static_cast<std::int64_t>(frame->length())};
        const FrameRef twin = copy(*frame);
        const MacEngine::Received expected = model->receive(*frame, due);
        const MacEngine::Received found = verilog->receive(*twin, due);
        INFO("frame of " << frame->length() << " bytes");
        CHECK(found.verdict == expected.verdict);
        if (expected.verdict == MacEngine::Verdict::good) CHECK(found.at.n == expected.at.n);
        CHECK(std::ranges::equal(twin->bytes(), frame->bytes()));
        return expected.verdict;
    }

    FramePool pool;
    std::unique_ptr<MacEngine> model, verilog;
    std::mt19937 random{1};
    Cycle ready{100};
    Cycle due{100};
};

TEST_CASE("sent back to back: every length of client data, padded and not", "[cosim]") {
    Pair pair;
    for (std::size_t bytes = 0; bytes <= 1500; ++bytes) pair.send(pair.frame(bytes), 0);
}

TEST_CASE("sent with every idle time from none to longer than the gap", "[cosim]") {
    Pair pair;
    for (std::int64_t wait = 0; wait <= 40; ++wait) {
        for (const std::size_t bytes : {0U, 46U, 47U, 100U}) pair.send(pair.frame(bytes), wait);
    }
}

TEST_CASE("received: every length from nothing to too long, whole and damaged", "[cosim]") {
    Pair pair;
    std::array<int, 4> verdicts{};
    for (std::size_t length = 1; length <= 1530; ++length) {
        for (const bool damaged : {false, true}) {
            FrameRef frame = pair.frame(1500);
            frame->truncate(length);
            if (length >= kFcsBytes) frame->seal();
            if (damaged)
                frame->writable_bytes()[pair.random() % length] ^= static_cast<std::uint8_t>(1U << pair.random() % 8);
            ++verdicts[static_cast<std::size_t>(pair.receive(frame))];
        }
    }
    using enum MacEngine::Verdict;
    CHECK(verdicts[static_cast<std::size_t>(good)] == 1518 - 63);
    CHECK(verdicts[static_cast<std::size_t>(bad_fcs)] == 1518 - 63);
    CHECK(verdicts[static_cast<std::size_t>(runt)] == 2 * 63);
    CHECK(verdicts[static_cast<std::size_t>(oversize)] == 2 * 12);
}

}  // namespace
}  // namespace rnicsim
