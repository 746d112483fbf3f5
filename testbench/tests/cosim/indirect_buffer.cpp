// SPDX-License-Identifier: Apache-2.0
// The indirect buffer in Verilog against its model: what it keeps is drained by SN, byte for byte.
#include "Vindirect_buffer.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/clocked.h"
#include "model/rtl/rtl_blocks.h"
#include "testbench/tests/support/default_config.h"
#include "tlm/drp/drp_header.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>
#include <set>

namespace rnicsim {
namespace {

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};

class Both {
  public:
    Both(std::uint32_t bytes, std::uint32_t segment) {
        RnicConfig config = drp_of(default_config(), 0).rnic;
        config.transport.segment = segment;
        config.transport.indirect_buffer = bytes;
        model_ = RtlBlocks().indirect_buffer(config);
        config.blocks[Block::indirect_buffer] = "rtl";
        verilog_ = RtlBlocks().indirect_buffer(config);
        segment_ = segment;
    }

    bool full() {
        REQUIRE(verilog_->full() == model_->full());
        REQUIRE(verilog_->used() == model_->used());
        return model_->full();
    }
    void keep(std::uint16_t tid, std::uint32_t sn, std::uint32_t bytes) {
        FrameRef frame = pool_.take();
        frame->format(kOwn, kOwn, kDrpEtherType, kDrpHeaderBytes + bytes);
        for (std::uint8_t& byte : frame->writable_client_data().subspan(kDrpHeaderBytes)) {
            byte = static_cast<std::uint8_t>(random());
        }
        const std::uint64_t address = 0x1234'5678'0000'0000U + (std::uint64_t{tid} << 20) + sn * segment_;
        model_->keep({Role::responder, Tid{tid}, {}}, Sn{sn}, address, bytes, frame);
        verilog_->keep({Role::responder, Tid{tid}, {}}, Sn{sn}, address, bytes, frame);
    }
    /// What is drained is compared now, and leaves at finish().
    std::size_t drain(std::uint16_t tid) {
        const auto expected = model_->drain({Role::responder, Tid{tid}, {}});
        const auto found = verilog_->drain({Role::responder, Tid{tid}, {}});
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto& e = model_->slot(expected[i]);
            const auto& f = verilog_->slot(found[i]);
            REQUIRE(f.address == e.address);
            REQUIRE(f.length == e.length);
            REQUIRE(std::equal(e.data, e.data + e.length, f.data));
            leaving_.emplace_back(expected[i], found[i]);
        }
        return expected.size();
    }
    void finish() {
        for (const auto& [model, verilog] : leaving_) {
            model_->left(model);
            verilog_->left(verilog);
        }
        leaving_.clear();
    }
    /// The slot drained first leaves.
    void leave_one() {
        model_->left(leaving_.front().first);
        verilog_->left(leaving_.front().second);
        leaving_.erase(leaving_.begin());
    }
    void drop(std::uint16_t tid) {
        model_->drop({Role::responder, Tid{tid}, {}});
        verilog_->drop({Role::responder, Tid{tid}, {}});
    }

    std::mt19937 random{1};

  private:
    FramePool pool_;
    std::unique_ptr<IndirectBufferEngine> model_, verilog_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> leaving_;
    std::uint32_t segment_ = 0;
};

TEST_CASE("48 KiB, filled to the last byte and drained: segments of all alignments", "[cosim]") {
    for (const std::uint32_t segment : {768U, 769U, 1000U, 1001U, 1024U, 1465U, 1468U}) {
        Both both(48 * 1024, segment);
        std::uint32_t frames = 0;
        while (!both.full()) both.keep(7, frames++, segment);
        CHECK(frames == 48 * 1024 / ((segment + 7) / 8 * 8));
        CHECK(both.drain(7) == frames);
        CHECK(both.full());
        both.finish();
        CHECK_FALSE(both.full());
    }
}

TEST_CASE("without a buffer it is always full", "[cosim]") {
    Both both(0, 1024);
    CHECK(both.full());
}

TEST_CASE("frames come in any order, of several transfers, and leave or are dropped", "[cosim]") {
    for (const std::uint32_t slots : {1U, 3U, 48U, 64U}) {
        Both both(slots * 16, 16);
        std::map<std::uint16_t, std::set<std::uint32_t>> kept;
        for (int i = 0; i < 3000; ++i) {
            const auto tid = static_cast<std::uint16_t>(both.random() % 5 * 0x3333);
            const std::uint32_t what = both.random() % 40;
            if (what == 0) {
                CHECK(both.drain(tid) == kept[tid].size());
                kept[tid].clear();
            } else if (what == 1) {
                both.drop(tid);
                kept[tid].clear();
            } else if (what < 4) {
                both.finish();
            } else if (!both.full()) {
                const std::uint32_t sn = both.random() % 136;
                if (kept[tid].insert(sn).second) both.keep(tid, sn, 1 + both.random() % 16);
            }
        }
    }
}

TEST_CASE("transfers whose TIDs differ in one bit", "[cosim]") {
    const auto tid = [](unsigned i) { return static_cast<std::uint16_t>(i == 0 ? 0 : 1U << (i - 1)); };
    for (const bool dropped : {false, true}) {
        Both both(17 * 16, 16);
        for (unsigned i = 0; i <= 16; ++i) both.keep(tid(i), i, 16);
        for (unsigned i = 0; i <= 16; ++i) {
            if (dropped) {
                both.drop(tid(i));
            } else {
                CHECK(both.drain(tid(i)) == 1);
                both.finish();
            }
            CHECK_FALSE(both.full());
        }
    }
}

TEST_CASE("two drains under way, of TIDs that differ in one bit: one leaves", "[cosim]") {
    for (unsigned bit = 0; bit < 16; ++bit) {
        Both both(2 * 16, 16);
        both.keep(0, 0, 16);
        both.keep(static_cast<std::uint16_t>(1U << bit), 0, 16);
        CHECK(both.drain(0) == 1);
        both.drain(static_cast<std::uint16_t>(1U << bit));
        CHECK(both.full());
        both.leave_one();
        CHECK_FALSE(both.full());  // and both count the same
        both.finish();
    }
}

TEST_CASE("a transfer is marked before the one marked earlier has been walked", "[cosim]") {
    Clocked<Vindirect_buffer> buffer("indirect_buffer");
    buffer->cfg_slots_i = 8;
    buffer->cfg_slot_words_i = 2;
    buffer->keep_i = 1;
    for (unsigned i = 0; i < 8; ++i) {  // of the transfers 1 and 2 in turn
        buffer->keep_tid_i = 1 + i % 2;
        buffer->keep_sn_i = i / 2;
        buffer->keep_bytes_i = 1 + i;
        buffer.settle();
        buffer.tick();
    }
    buffer->keep_i = 0;
    buffer->mark_i = 1;
    for (const unsigned tid : {1U, 2U}) {
        buffer->tid_i = tid;
        buffer.settle();
        buffer.tick();
    }
    buffer->mark_i = 0;
    for (const unsigned tid : {1U, 2U}) {
        buffer->walk_tid_i = tid;
        buffer->walk_i = 1;
        buffer.settle();
        buffer.tick();
        buffer->walk_i = 0;
        buffer->piece_ready_i = 1;
        for (unsigned i = 0; i < 4; ++i) {
            buffer.settle();
            CHECK(buffer->piece_valid_o == 1);
            CHECK(buffer->piece_bytes_o == 2 * i + tid);
            CHECK((buffer->piece_last_o != 0) == (i == 3));
            buffer.tick();
        }
        buffer->piece_ready_i = 0;
        buffer.settle();
        CHECK(buffer->piece_valid_o == 0);
        buffer.tick();
    }
}

TEST_CASE("fewer slots, when nothing is kept any more: the first ones", "[cosim]") {
    Clocked<Vindirect_buffer> buffer("indirect_buffer");
    const auto keep = [&](unsigned sn) {
        buffer->keep_i = 1;
        buffer->keep_sn_i = sn;
        buffer.settle();
        CHECK(buffer->keep_slot_o < buffer->cfg_slots_i);
        buffer.tick();
        buffer->keep_i = 0;
    };
    buffer->cfg_slot_words_i = 2;
    for (const unsigned slots : {8U, 2U, 5U}) {
        buffer->cfg_slots_i = slots;
        for (unsigned i = 0; i < slots; ++i) keep(slots - i);  // the last one kept comes first
        buffer.settle();
        CHECK(buffer->full_o == 1);
        buffer->drop_i = 1;
        buffer.settle();
        buffer.tick();
        buffer->drop_i = 0;
        buffer.settle();
        buffer.tick();
    }
}

}  // namespace
}  // namespace rnicsim
