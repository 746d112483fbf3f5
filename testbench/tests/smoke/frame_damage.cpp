// SPDX-License-Identifier: Apache-2.0
// What the FCS must find (IEEE 802.3 clause 3.2.9), and how frames come from the pool and go back.
#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/frame.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

FrameRef filled(FramePool& pool, std::size_t length) {
    FrameRef frame = pool.take();
    frame->format({2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}, kDrpEtherType, length - 18);
    for (std::size_t i = 0; i < length - 18; ++i)
        frame->writable_client_data()[i] = static_cast<std::uint8_t>(i * 37 + 11);
    frame->seal();
    return frame;
}

void flip(Frame& frame, std::size_t bit) {
    frame.writable_bytes()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
}

TEST_CASE("every single bit of a frame is covered, the FCS's own too", "[smoke]") {
    FramePool pool;
    for (const std::size_t length : {64U, 65U, 1518U}) {
        FrameRef frame = filled(pool, length);
        std::size_t found = 0;
        for (std::size_t bit = 0; bit < 8 * length; ++bit) {
            flip(*frame, bit);
            found += frame->fcs_good() ? 0 : 1;
            flip(*frame, bit);
        }
        CHECK(found == 8 * length);
        CHECK(frame->fcs_good());
    }
}

TEST_CASE("every burst of up to 32 bits is found, as a CRC of 32 bits must", "[smoke]") {
    FramePool pool;
    FrameRef frame = filled(pool, 64);
    std::size_t missed = 0;
    for (std::size_t start = 0; start < 8 * 64; ++start) {
        for (std::size_t length = 2; length <= 32 && start + length <= 8 * 64; ++length) {
            const std::vector<std::uint8_t> before(frame->bytes().begin(), frame->bytes().end());
            for (std::size_t i = 0; i < length; ++i) {
                const bool edge = i == 0 || i + 1 == length;
                if (edge || (start * 31 + i * i * 7) % 3 != 0) flip(*frame, start + i);
            }
            missed += frame->fcs_good() ? 1 : 0;
            std::memcpy(frame->writable_bytes().data(), before.data(), before.size());
        }
    }
    CHECK(missed == 0);
}

TEST_CASE("a frame that lost or gained bytes at its end is found", "[smoke]") {
    FramePool pool;
    FrameRef frame = filled(pool, 200);
    for (std::size_t length = 0; length < 220; ++length) {
        frame->truncate(length);
        CHECK(frame->fcs_good() == (length == 200));
    }
}

TEST_CASE("the type of DRP lies on the wire as 01 FF", "[smoke]") {
    FramePool pool;
    const FrameRef frame = filled(pool, 64);
    CHECK(frame->bytes()[12] == 0x01);
    CHECK(frame->bytes()[13] == 0xFF);
    CHECK(frame->ether_type() == kDrpEtherType);
    CHECK(frame->client_data().size() == 64 - 18);
}

TEST_CASE("46 bytes of client data are the last that need padding for 64", "[smoke]") {
    CHECK(frame_bytes(0) == 64);
    CHECK(frame_bytes(46) == 64);
    CHECK(frame_bytes(47) == 65);
    CHECK(frame_bytes(1500) == 1518);
    CHECK(serialisation(64) == Cycle{72});
    CHECK(serialisation(1518) == Cycle{1526});
}

TEST_CASE("a frame goes back with its last handle, and is the next to be used", "[smoke]") {
    FramePool pool;
    const Frame* storage = nullptr;
    {
        FrameRef one = pool.take();
        storage = &*one;
        FrameRef two = one;
        const FrameRef moved = std::move(one);
        CHECK_FALSE(one);  // NOLINT(bugprone-use-after-move): that is the question
        two = {};
        CHECK(pool.in_use() == 1);
    }
    CHECK(pool.in_use() == 0);
    const FrameRef again = pool.take();
    CHECK(&*again == storage);
    CHECK(&*pool.take() != storage);
}

}  // namespace
}  // namespace rnicsim
