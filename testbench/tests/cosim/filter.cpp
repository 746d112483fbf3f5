// SPDX-License-Identifier: Apache-2.0
// The frame filter in Verilog against its model: same verdict, header and cycle for every kind of frame.
#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/rtl_blocks.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

namespace rnicsim {
namespace {

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
constexpr MacAddress kPeer{2, 0, 0, 0, 0, 2};

class Pair {
  public:
    Pair() {
        RnicConfig config = drp_of(default_config(), 0).rnic;
        model_ = RtlBlocks().filter(config, kOwn);
        config.blocks[Block::frame_filter] = "rtl";
        verilog_ = RtlBlocks().filter(config, kOwn);
    }

    FilterEngine::Classified classify(const Frame& frame) {
        due_ += Cycle{84};
        const FilterEngine::Classified expected = model_->classify(frame, due_);
        const FilterEngine::Classified found = verilog_->classify(frame, due_);
        CHECK(found.kind == expected.kind);
        CHECK(found.reason == expected.reason);
        CHECK(found.at.n == expected.at.n);
        if (expected.kind == FilterEngine::Kind::drp) CHECK(found.header == expected.header);
        return expected;
    }
    FrameRef frame(const MacAddress& destination, std::uint16_t type, std::size_t client_bytes) {
        FrameRef frame = pool.take();
        frame->format(destination, kPeer, type, client_bytes);
        for (std::uint8_t& byte : frame->writable_client_data()) byte = static_cast<std::uint8_t>(random());
        return frame;
    }

    FramePool pool;
    std::mt19937 random{1};

  private:
    std::unique_ptr<FilterEngine> model_, verilog_;
    Cycle due_{100};
};

TEST_CASE("each of 256 values of CTRL, with EXT zero and not", "[cosim]") {
    Pair pair;
    std::map<DrpError, int> reasons;
    for (unsigned ctrl = 0; ctrl < 256; ++ctrl) {
        for (const std::uint8_t ext : {0, 1, 128}) {
            const FrameRef frame = pair.frame(kOwn, kDrpEtherType, 100);
            const std::span<std::uint8_t> client = frame->writable_client_data();
            client[0] = static_cast<std::uint8_t>(ctrl);
            client[1] = ext;
            std::fill_n(client.begin() + 4, 3, std::uint8_t{0});  // LEN below 256
            ++reasons[pair.classify(*frame).reason];
        }
    }
    CHECK(reasons[DrpError::none] > 20);
    CHECK(reasons[DrpError::type_bits] == (256 - 5 * 8) * 3);
    CHECK(reasons[DrpError::extension] == 5 * 8 * 2);
    CHECK(reasons[DrpError::length] > 0);
}

TEST_CASE("LEN against the room in the frame, to the byte; what a request must ask for", "[cosim]") {
    Pair pair;
    for (const std::size_t client : {46U, 47U, 1500U}) {
        for (const DrpType type : {DrpType::data, DrpType::req, DrpType::req_ack, DrpType::rel, DrpType::rel_ack}) {
            const auto room = static_cast<std::uint32_t>(client - kDrpHeaderBytes);
            for (const std::uint32_t len : {0U, 1U, room - 1, room, room + 1, 1U << 11, 1U << 31, ~0U}) {
                for (const std::uint32_t sn : {0U, 1U, ~0U}) {
                    const FrameRef frame = pair.frame(kOwn, kDrpEtherType, client);
                    DrpHeader header;
                    header.type = type;
                    header.len = len;
                    header.sn = sn;
                    encode(header, frame->writable_client_data().first<kDrpHeaderBytes>());
                    pair.classify(*frame);
                }
            }
        }
    }
}

TEST_CASE("addresses: own, each bit of it wrong, groups; types around that of DRP", "[cosim]") {
    Pair pair;
    for (unsigned bit = 0; bit < 48; ++bit) {
        MacAddress address = kOwn;
        address[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        const FilterEngine::Kind kind = pair.classify(*pair.frame(address, 0x0800, 46)).kind;
        CHECK(kind == (bit == 0 ? FilterEngine::Kind::ordinary : FilterEngine::Kind::other_destination));
    }
    pair.classify(*pair.frame({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 0x0806, 46));
    for (const std::uint16_t type : {0x01FF, 0x01FE, 0x00FF, 0x11FF, 0xFF01, 0x0800}) {
        pair.classify(*pair.frame(kOwn, type, 46));
    }
}

TEST_CASE("random frames of every length", "[cosim]") {
    Pair pair;
    std::array<int, 4> kinds{};
    for (std::size_t bytes = 46; bytes <= 1500; ++bytes) {
        const FrameRef frame = pair.frame(kOwn, kDrpEtherType, bytes);
        const std::span<std::uint8_t> client = frame->writable_client_data();
        client[0] = static_cast<std::uint8_t>(8U << pair.random() % 5 | pair.random() % 8);
        client[1] = 0;
        if (pair.random() % 2 == 0) std::fill_n(client.begin() + 4, 2, std::uint8_t{0});
        ++kinds[static_cast<std::size_t>(pair.classify(*frame).kind)];
    }
    CHECK(kinds[static_cast<std::size_t>(FilterEngine::Kind::drp)] > 500);
    CHECK(kinds[static_cast<std::size_t>(FilterEngine::Kind::malformed)] > 100);
}

#ifdef RNICSIM_HAS_VLAN_FILTER
TEST_CASE("the example with VLAN tags: tagged as untagged, and at the same cycle", "[cosim]") {
    FramePool pool;
    RnicConfig config = drp_of(default_config(), 0).rnic;
    config.blocks[Block::frame_filter] = "rtl";
    const std::unique_ptr<FilterEngine> ours = RtlBlocks().filter(config, kOwn);
    config.blocks[Block::frame_filter] = "vlan_frame_filter";
    const std::unique_ptr<FilterEngine> example =
        RtlBlocks({"", nullptr, false}).filter(config, kOwn);  // whatever its verdicts
    Cycle due{100};
    for (std::uint32_t len = 0; len <= 20; ++len) {
        DrpHeader header;
        header.type = DrpType::data;
        header.tid = Tid{77};
        header.len = len;
        header.sn = 5;
        header.dba = 0x0123'4567'89AB'CDEF;
        FrameRef plain = pool.take();
        plain->format(kOwn, kPeer, kDrpEtherType, kDrpHeaderBytes + 20);
        encode(header, plain->writable_client_data().first<kDrpHeaderBytes>());
        FrameRef tagged = pool.take();
        tagged->format(kOwn, kPeer, 0x8100, 4 + kDrpHeaderBytes + 20);
        constexpr std::array<std::uint8_t, 4> kTagAndType{0x00, 0x64, 0x01, 0xFF};
        std::ranges::copy(kTagAndType, tagged->writable_client_data().begin());
        encode(header, tagged->writable_client_data().subspan<4, kDrpHeaderBytes>());
        due += Cycle{200};
        const FilterEngine::Classified expected = ours->classify(*plain, due);
        REQUIRE(expected.kind == FilterEngine::Kind::drp);
        for (const FrameRef& frame : {plain, tagged}) {
            const FilterEngine::Classified found = example->classify(*frame, due);
            CHECK(found.kind == FilterEngine::Kind::drp);
            CHECK(found.header == header);
            CHECK(found.at == expected.at);
        }
        CHECK(ours->classify(*tagged, due).kind == FilterEngine::Kind::ordinary);
    }
}
#endif

}  // namespace
}  // namespace rnicsim
