// SPDX-License-Identifier: Apache-2.0
// The contract of transactions: blocks with AXI-Stream, right at any latency or wrong in one thing, which is named.
#include "model/rtl/rtl_blocks.h"
#include "model/rtl/stream_filter.h"
#include "model/rtl/stream_mac.h"
#include "model/rtl/stress.h"
#include "tlm/drp/drp_header.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
constexpr MacAddress kOther{2, 0, 0, 0, 0, 2};

enum class Wrong {
    nothing,
    byte,
    order_of_bytes,
    loses_good,
    takes_bad,
    takes_marked,
    forgets_the_first,
    takes_lengths,
    keep,
    gives_up_beat,
    more_than_the_frame,
    late,
    preamble,
    hole,
    error,
    keeps_fcs,
    no_padding,
    no_fcs
};

/// What every such block has: frames in, and frames out behind a delay.
class Pins : public StreamPins {
  public:
    Pins(Wrong wrong, std::size_t width, std::int64_t delay) : wrong_(wrong), width_(width), delay_(delay) {}

    void own_address(const MacAddress& /*own*/) override {}
    void drive(const Beat& in, bool out_ready) override {
        in_ = in;
        out_ready_ = out_ready;
    }
    void drive(GmiiByte received) override { received_ = received; }
    void settle() override {}
    [[nodiscard]] bool in_ready() const override { return takes_; }
    [[nodiscard]] Beat out() const override {
        return !out_.empty() && out_.front().at <= now_ ? out_.front().beat : Beat{};
    }
    [[nodiscard]] GmiiByte sent() const override { return sent_; }
    void reset(bool /*on*/) override {}
    void at(Cycle /*now*/) override {}
    void tick() override {
        if (out().valid && (out_ready_ || wrong_ == Wrong::gives_up_beat)) out_.pop_front();
        ++now_;
    }

  protected:
    /// Comes out from a delay after now on.
    void release(std::vector<std::uint8_t> frame, bool bad) {
        if (wrong_ == Wrong::byte && !bad) frame.back() ^= 1;
        if (wrong_ == Wrong::order_of_bytes && !bad) std::swap(frame[10], frame[11]);
        if (wrong_ == Wrong::loses_good && !bad && ++good_ == 1) return;
        if (wrong_ == Wrong::takes_bad) bad = false;
        if (wrong_ == Wrong::forgets_the_first && !out_.empty()) out_.pop_front();
        for (std::size_t next = 0; next < frame.size(); next += width_) {
            Beat beat;
            const std::size_t bytes = std::min(width_, frame.size() - next);
            std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(next), bytes, beat.data.begin());
            beat.keep = (std::uint64_t{1} << bytes) - 1;
            beat.valid = true;
            beat.last = next + bytes == frame.size();
            beat.bad = beat.last && bad;
            if (wrong_ == Wrong::keep && next == 0) beat.keep &= ~std::uint64_t{2};
            out_.push_back({now_ + delay_ + (wrong_ == Wrong::late ? 3 : 0), beat});
        }
        if (wrong_ == Wrong::more_than_the_frame) out_.push_back({now_ + delay_, out_.back().beat});
    }

    struct Due {
        std::int64_t at;
        Beat beat;
    };
    Wrong wrong_;
    std::size_t width_;
    std::int64_t delay_, now_ = 0;
    int good_ = 0;
    Beat in_;
    bool out_ready_ = true, takes_ = true;
    GmiiByte received_, sent_;
    std::deque<Due> out_;
};

/// Knows its own destination, and DRP frames with EXT set as malformed.
class FilterPins final : public Pins {
  public:
    using Pins::Pins;
    void tick() override {
        if (in_.valid) {
            for (std::size_t i = 0; i < width_; ++i) {
                if ((in_.keep >> i & 1) != 0) frame_.push_back(in_.data[i]);
            }
            if (in_.last) {
                const bool own = std::equal(kOwn.begin(), kOwn.end(), frame_.begin());
                if ((own && frame_[15] == 0 && !in_.bad) || wrong_ == Wrong::takes_bad) release(frame_, false);
                frame_.clear();
            }
        }
        Pins::tick();
    }

  private:
    std::vector<std::uint8_t> frame_;
};

class MacPins final : public Pins {
  public:
    explicit MacPins(Wrong wrong, std::int64_t delay) : Pins(wrong, 1, delay) {}
    void tick() override {
        transmit();
        receive();
        Pins::tick();
    }

  private:
    /// Takes the whole frame first; then the wire has it.
    void transmit() {
        if (in_.valid && wire_.empty() && in_ready()) {
            taken_.push_back(in_.data[0]);
            if (in_.last) put_on_wire();
        }
        takes_ = wire_.empty() && wait_ == 0;
        sent_ = {};
        if (wait_ > 0) --wait_;
        if (wire_.empty() || begins_ > now_) return;
        const bool hole = wrong_ == Wrong::hole && wire_.size() == 30 && !paused_;
        paused_ = hole;
        if (hole) return;
        sent_ = {wire_.front(), true, wrong_ == Wrong::error && wire_.size() == 20};
        wire_.pop_front();
        if (wire_.empty()) wait_ = 11;
    }
    void put_on_wire() {
        FramePool pool;
        const FrameRef frame = pool.take();
        const std::size_t client = taken_.size() - kEthernetHeaderBytes;
        frame->format(kOwn, kOther, 0, client);
        std::copy(taken_.begin(), taken_.end(), frame->writable_bytes().begin());
        if (wrong_ == Wrong::no_padding) frame->truncate(taken_.size() + kFcsBytes);
        frame->seal();
        for (int i = 0; i < (wrong_ == Wrong::preamble ? 6 : 7); ++i) wire_.push_back(0x55);
        wire_.push_back(0xD5);
        for (const std::uint8_t byte : frame->bytes()) wire_.push_back(byte);
        if (wrong_ == Wrong::no_fcs) wire_.erase(wire_.end() - kFcsBytes, wire_.end());
        taken_.clear();
        begins_ = now_ + delay_ + (wrong_ == Wrong::late ? 2000 : 0);
    }
    void receive() {
        if (received_.enable) {
            received_bytes_.push_back(received_.data);
            marked_ = marked_ || (received_.error && wrong_ != Wrong::takes_marked);
            return;
        }
        if (received_bytes_.empty()) return;
        FramePool pool;
        const FrameRef frame = pool.take();
        frame->truncate(received_bytes_.size() - 8);
        std::copy(received_bytes_.begin() + 8, received_bytes_.end(), frame->writable_bytes().begin());
        received_bytes_.clear();
        const bool fits =
            wrong_ == Wrong::takes_lengths || (frame->length() >= kMinFrameBytes && frame->length() <= kMaxFrameBytes);
        const bool bad = std::exchange(marked_, false) || !fits || !frame->fcs_good();
        if (frame->length() <= kFcsBytes) return;
        const std::size_t cut = wrong_ == Wrong::keeps_fcs ? 0 : kFcsBytes;
        release({frame->bytes().begin(), frame->bytes().end() - static_cast<std::ptrdiff_t>(cut)}, bad);
    }

    std::vector<std::uint8_t> taken_, received_bytes_;
    std::deque<std::uint8_t> wire_;
    std::int64_t begins_ = 0;
    int wait_ = 0;
    bool paused_ = false, marked_ = false;
};

/// What a strict block of this kind is told, or "nothing"; `stalls`: with pauses.
std::string said_of_filter(Wrong wrong, std::size_t width = 8, std::int64_t delay = 5, bool stalls = false) {
    BlockPlace place;
    if (stalls) place.stalls = 1;
    const StreamPromise in{width, 0, 8192, true}, out{width, 5, 500, true};
    StreamFilter filter(std::make_unique<FilterPins>(wrong, width, delay), {"mine", Time{6'400}, in, out}, kOwn,
                        RtlBlocks().filter({}, kOwn), place);
    FramePool pool;
    Cycle due{100};
    try {
        for (std::size_t bytes = 46; bytes < 120; ++bytes) {
            for (const MacAddress& to : {kOwn, kOther}) {
                for (const bool malformed : {false, true}) {
                    const FrameRef frame = pool.take();
                    frame->format(to, kOther, kDrpEtherType, bytes);
                    DrpHeader header;
                    header.type = DrpType::data;
                    header.len = 1;
                    encode(header, frame->writable_client_data().first<kDrpHeaderBytes>());
                    frame->writable_client_data()[1] = malformed ? 1 : 0;
                    for (std::size_t i = kDrpHeaderBytes; i < bytes; ++i)
                        frame->writable_client_data()[i] = static_cast<std::uint8_t>(i);
                    due += Cycle{12} + serialisation(frame->length());
                    const FilterEngine::Classified found = filter.classify(*frame, due);
                    CHECK((found.kind == FilterEngine::Kind::drp) == (to == kOwn && !malformed));
                    filter.try_bad(*frame, due += Cycle{12} + serialisation(frame->length()));
                }
            }
        }
    } catch (const RtlFault& fault) { return fault.what(); }
    return "nothing";
}

std::string said_of_mac(Wrong wrong, std::int64_t delay = 5) {
    const StreamPromise in{1, 10, 1600, false}, out{1, 60, 1600, false};
    try {
        StreamMac mac(std::make_unique<MacPins>(wrong, delay), std::make_unique<MacPins>(wrong, delay),
                      {"mine", Time{8'000}, in, out, true}, {});
        stress(mac, 1, 60);
    } catch (const RtlFault& fault) { return fault.what(); }
    return "nothing";
}

bool says(const std::string& text, const char* words) {
    UNSCOPED_INFO(text);
    return text.find("(mine)") != std::string::npos && text.find(words) != std::string::npos;
}

TEST_CASE("a filter with AXI-Stream is right at any latency and width, with pauses and without", "[cosim]") {
    for (const std::size_t width : {1U, 2U, 8U, 32U}) {
        for (const std::int64_t delay : {5, 6, 100, 300}) {
            CHECK(said_of_filter(Wrong::nothing, width, delay) == "nothing");
            CHECK(said_of_filter(Wrong::nothing, width, delay, true) == "nothing");
        }
    }
}

TEST_CASE("a filter with AXI-Stream that is wrong in one thing is told which", "[cosim]") {
    CHECK(says(said_of_filter(Wrong::byte), "the frame that comes out is not the one that went in"));
    CHECK(says(said_of_filter(Wrong::order_of_bytes), "the frame that comes out is not the one that went in"));
    CHECK(says(said_of_filter(Wrong::loses_good), "drops a DRP frame, expected to pass it"));
    CHECK(says(said_of_filter(Wrong::takes_bad), "which its MAC has called bad"));
    CHECK(says(said_of_filter(Wrong::keep), "tkeep in cycle"));
    CHECK(says(said_of_filter(Wrong::gives_up_beat, 8, 5, true), "a beat that was not taken is gone"));
    CHECK(says(said_of_filter(Wrong::more_than_the_frame), "something comes after the end of the frame"));
    CHECK(says(said_of_filter(Wrong::nothing, 32, 3),
               "the latency of this frame is 4 cycles, its manifest says 5 .. 500"));
    CHECK(says(said_of_filter(Wrong::nothing, 8, 501), "cycles, its manifest says 5 .. 500"));
}

TEST_CASE("a MAC with AXI-Stream is right at any latency", "[cosim]") {
    for (const std::int64_t delay : {5, 12, 40}) CHECK(said_of_mac(Wrong::nothing, delay) == "nothing");
}

TEST_CASE("a MAC with AXI-Stream that is wrong in one thing is told which", "[cosim]") {
    CHECK(says(said_of_mac(Wrong::byte), "rx tdata"));
    CHECK(says(said_of_mac(Wrong::loses_good), "a good frame does not come out"));
    CHECK(says(said_of_mac(Wrong::takes_bad), "it takes a frame that"));
    CHECK(says(said_of_mac(Wrong::forgets_the_first),
               "of two frames with a gap of 12 the first does not come out as it was"));
    CHECK(says(said_of_mac(Wrong::takes_marked), "it takes a frame with gmii rx_er"));
    CHECK(says(said_of_mac(Wrong::more_than_the_frame), "something comes after the end of the frame"));
    CHECK(says(said_of_mac(Wrong::preamble), "seven bytes of preamble, then the SFD"));
    CHECK(says(said_of_mac(Wrong::hole), "the frame has "));
    CHECK(says(said_of_mac(Wrong::error), "marked as damaged"));
    CHECK(says(said_of_mac(Wrong::keeps_fcs), "does it keep the FCS?"));
    CHECK(says(said_of_mac(Wrong::no_fcs), "does it add the FCS?"));
    CHECK(says(said_of_mac(Wrong::no_padding), "does it pad short frames"));
    CHECK(says(said_of_mac(Wrong::late), "cycles, its manifest says 10 .. 1600"));
}

/// Of frames of so many bytes that are offered as soon as they may: from the start of one to that of the next, in the
/// run's time.
std::int64_t spacing(const char* mac_name, std::size_t client_bytes) {
    RnicConfig config;
    config.blocks[Block::gmac] = mac_name;
    const std::unique_ptr<MacEngine> mac = RtlBlocks({"", nullptr, false}).mac(config);
    FramePool pool;
    Cycle ready{100};
    std::vector<std::int64_t> ends;
    for (int i = 0; i < 50; ++i) {
        const FrameRef frame = pool.take();
        frame->format(kOwn, kOther, 0x0800, client_bytes);
        const MacEngine::Sent sent = mac->send(*frame, ready);
        ready = sent.ready_at;
        ends.push_back(sent.end.n);
    }
    return (ends.back() - ends[ends.size() - 11]) / 10;
}

#ifdef RNICSIM_HAS_VLAN_FILTER  // blocks of other authors are built in
TEST_CASE("the gap of a MAC is as long in the run's time as on its port", "[cosim]") {
    for (const std::size_t bytes : {46U, 500U, 1500U}) {
        const auto length = static_cast<std::int64_t>(frame_bytes(bytes)) + kPreambleAndSfdBytes;
        CHECK(spacing("rtl", bytes) == length + 12);
        CHECK(spacing("late_mac", bytes) == length + 14);
        CHECK(spacing("lax_mac", bytes) == length + 12);
        CHECK(spacing("near_mac", bytes) == length + 8);
    }
}
#endif

TEST_CASE("a MAC may accept what it need not refuse", "[cosim]") {
    const StreamPromise in{1, 10, 1600, false}, out{1, 5, 1600, false};
    const auto said = [&](bool runt, bool oversize) -> std::string {
        try {
            StreamMac mac(std::make_unique<MacPins>(Wrong::takes_lengths, 5),
                          std::make_unique<MacPins>(Wrong::takes_lengths, 5),
                          {"mine", Time{8'000}, in, out, true, runt, oversize}, {});
            stress(mac, 1, 200);
        } catch (const RtlFault& fault) { return fault.what(); }
        return "nothing";
    };
    CHECK(said(true, true) == "nothing");
    CHECK(says(said(true, false), "takes a frame that is too long"));
    CHECK(says(said(false, true), "takes a frame that is a runt"));
}

}  // namespace
}  // namespace rnicsim
