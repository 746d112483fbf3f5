// SPDX-License-Identifier: Apache-2.0
// Our Verilog at its ports, where the models' interfaces do not reach: odd preambles, and reset in the middle of a
// frame.
#include "Vdrp_frame_filter.h"
#include "Vgmac_rx.h"
#include "Vgmac_tx.h"
#include "model/rtl/clocked.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace rnicsim {
namespace {

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
constexpr MacAddress kPeer{2, 0, 0, 0, 0, 2};
constexpr std::uint8_t kPreamble = 0x55;
constexpr std::uint8_t kSfd = 0xD5;

/// A good frame of the shortest kind, with its FCS.
std::vector<std::uint8_t> good_frame() {
    static FramePool pool;
    const FrameRef frame = pool.take();
    frame->format(kOwn, kPeer, 0x0800, 46);
    frame->seal();
    const auto bytes = frame->bytes();
    return {bytes.begin(), bytes.end()};
}

struct Heard {
    int ends = 0, good = 0, oversize = 0;
    friend bool operator==(const Heard&, const Heard&) = default;
};
/// Puts bytes on GMII, then leaves it idle. Returns how many ends of frames are reported, by kind.
Heard receive(Clocked<Vgmac_rx>& rx, const std::vector<std::uint8_t>& start, const std::vector<std::uint8_t>& rest) {
    Heard heard;
    const auto cycle = [&](bool valid, std::uint8_t byte) {
        rx->gmii_rx_dv_i = valid;
        rx->gmii_rxd_i = byte;
        rx.tick();
        heard.ends += rx->end_o;
        heard.good += rx->good_o;
        heard.oversize += rx->oversize_o;
    };
    for (const std::uint8_t byte : start) cycle(true, byte);
    for (const std::uint8_t byte : rest) cycle(true, byte);
    for (int i = 0; i < 12; ++i) cycle(false, 0);
    return heard;
}

template <typename Module>
void reset(Clocked<Module>& block) {
    block->rst_ni = 0;
    block.settle();
    block->rst_ni = 1;
    block.settle();
}

TEST_CASE("gmac_rx: a preamble may be short or long; without an SFD there is no frame until the wire is idle",
          "[cosim]") {
    Clocked<Vgmac_rx> rx("gmac_rx");
    const std::vector<std::uint8_t> frame = good_frame();
    constexpr Heard kGood{1, 1};
    constexpr Heard kNothing{0, 0};
    for (std::size_t length = 0; length <= 20; ++length) {
        std::vector<std::uint8_t> start(length, kPreamble);
        CHECK(receive(rx, start, {}) == kNothing);
        start.push_back(kSfd);
        CHECK(receive(rx, start, frame) == kGood);
        start[length] = 0x5D;  // something else in its place, a whole frame behind it
        CHECK(receive(rx, start, frame) == kNothing);
        start.insert(start.end(), {kPreamble, kSfd});  // too late
        CHECK(receive(rx, start, frame) == kNothing);
    }
    CHECK(receive(rx, {kSfd}, {}) == Heard{1, 0});  // nothing behind it: a runt
}

TEST_CASE("gmac_rx: a frame that is longer than the counter can count is too long, whatever the counter", "[cosim]") {
    Clocked<Vgmac_rx> rx("gmac_rx");
    for (const std::size_t bytes : {1519U, 2047U, 2048U, 2048U + 64U, 2048U + 1518U, 5000U}) {
        CHECK(receive(rx, {kPreamble, kSfd}, std::vector<std::uint8_t>(bytes)) == Heard{1, 0, 1});
        CHECK(receive(rx, {kPreamble, kSfd}, good_frame()) == Heard{1, 1});
    }
}

TEST_CASE("drp_frame_filter: it counts as far as it can", "[cosim]") {
    Clocked<Vdrp_frame_filter> filter("frame_filter");
    filter->own_address_i = 0;
    filter->good_i = 1;
    constexpr std::size_t kMost = 2047;
    for (const std::size_t bytes : {kMost - 1, kMost, kMost + 1, kMost + 100}) {
        filter->valid_i = 1;
        for (std::size_t i = 0; i < bytes; ++i) {
            filter->first_i = i == 0;
            filter.tick();
        }
        filter->valid_i = 0;
        filter->end_i = 1;
        filter.tick();
        filter->end_i = 0;
        filter.tick();
        filter.tick();
        CHECK(filter->ordinary_o == 1);
        CHECK(filter->frame_bytes_o == std::min(bytes, kMost));
    }
}

TEST_CASE("gmac_rx: reset in each cycle of a frame forgets it, and its verdict", "[cosim]") {
    Clocked<Vgmac_rx> rx("gmac_rx");
    const std::vector<std::uint8_t> frame = good_frame();
    for (std::size_t cut = 0; cut <= frame.size() + 2; ++cut) {
        for (std::size_t i = 0; i < cut; ++i) {
            rx->gmii_rx_dv_i = i < frame.size() + 1;
            rx->gmii_rxd_i = i == 0 ? kSfd : i <= frame.size() ? frame[i - 1] : 0;
            rx.tick();
        }
        reset(rx);
        CHECK(rx->end_o + rx->valid_o + rx->good_o + rx->runt_o + rx->oversize_o + rx->bad_fcs_o == 0);
        CHECK(receive(rx, {}, {}) == Heard{});
        CHECK(receive(rx, {kPreamble, kSfd}, frame) == Heard{1, 1});
    }
}

TEST_CASE("gmac_tx: reset in each cycle of a frame takes it off the wire, and it is ready", "[cosim]") {
    Clocked<Vgmac_tx> tx("gmac_tx");
    for (int cut = 0; cut <= 90; ++cut) {
        REQUIRE(tx->ready_o == 1);
        tx->start_i = 1;
        for (int i = 0; i < cut; ++i) {
            tx->data_i = static_cast<std::uint8_t>(i);
            tx->last_i = i == 60;
            tx.settle();
            tx.tick();
            tx->start_i = 0;
        }
        tx->start_i = 0;
        reset(tx);
        CHECK(tx->ready_o == 1);
        CHECK(tx->gmii_tx_en_o == 0);
        CHECK(tx->gmii_txd_o == 0);
        tx.tick();
        CHECK(tx->gmii_tx_en_o == 0);
    }
}

TEST_CASE("drp_frame_filter: reset after the end of a frame takes its verdict back", "[cosim]") {
    Clocked<Vdrp_frame_filter> filter("frame_filter");
    std::uint64_t own = 0;
    for (const std::uint8_t byte : kOwn) own = own << 8 | byte;
    filter->own_address_i = own;
    filter->good_i = 1;
    const std::vector<std::uint8_t> frame = good_frame();
    for (int cut = 0; cut <= 4; ++cut) {
        filter->valid_i = 1;
        for (std::size_t i = 0; i + 4 < frame.size(); ++i) {
            filter->first_i = i == 0;
            filter->data_i = frame[i];
            filter.tick();
        }
        filter->valid_i = 0;
        for (int i = 0; i < 4; ++i) {
            if (i == cut) {
                reset(filter);
                CHECK(filter->ordinary_o == 0);
            }
            filter->end_i = i == 0 && cut != 0;
            filter.tick();
            CHECK(filter->ordinary_o == (i == 2 && cut > 2));
            CHECK(filter->drp_o + filter->other_destination_o + filter->malformed_o == 0);
        }
    }
}

}  // namespace
}  // namespace rnicsim
