// SPDX-License-Identifier: Apache-2.0
// A verilated block between two AXI-Streams: packets go in and come out as bytes, in cycles that the caller paces. The
// frames of a MAC: stream_bench.h.
#pragma once

#include "model/rtl/clocked.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

using Bytes = std::vector<std::uint8_t>;

/// A packet as it came out. Cycles count from the bench's first one.
struct StreamedPacket {
    Bytes bytes;
    bool user = false;  ///< m_axis_tuser_o of its last beat
    bool clean = true;  ///< beyond m_axis_tkeep_o all is zero
    std::size_t beats = 0;
    std::uint64_t first = 0, last = 0;  ///< cycles in which its beats were taken
};

/// `Module`: by Verilator, with the ports s_axis_t*_i and m_axis_t*_o as icrc_insert has them.
template <typename Module>
class PacketBench {
    Clocked<Module> rtl_;  // first, as Verilator aligns it to lines of a cache
    const char* name_;
    std::size_t at_ = 0;  // in the first that waits
    std::uint64_t now_ = 0;

  public:
    explicit PacketBench(const char* name, const BlockPlace& place = {}, Clock clock = kGmiiClock)
        : rtl_(name, place, clock), name_(name) {}

    /// To be sent behind what still is; with a byte at least. `user`: s_axis_tuser_i of its last beat, if there is one.
    void put(Bytes packet, bool user = false) { waiting_.push_back({std::move(packet), user}); }
    /// Are called in each cycle: before the block sees its inputs, for those of other ports, and after it.
    std::function<void(Module&)> drive, look_at;
    /// Is called when the last beat of a packet is taken: what other ports say with it.
    std::function<void(Module&)> at_end;

    /// A cycle, in which the sender may begin to offer a beat, and the receiver is ready. What is offered stays until
    /// it is taken. Throws RtlFault if the block withdraws or changes what it offers, or if a beat is not as
    /// AXI-Stream has it here.
    void cycle(bool may_offer, bool ready) {
        offered_ = !waiting_.empty() && (offered_ || may_offer);
        rtl_->s_axis_tvalid_i = offered_;
        if (offered_) show();
        rtl_->m_axis_tready_i = ready;
        if (drive) drive(*rtl_);
        rtl_.settle();
        if (look_at) look_at(*rtl_);
        look();
        if (ready && rtl_->m_axis_tvalid_o != 0) take();
        if (offered_ && rtl_->s_axis_tready_o != 0) sent();
        rtl_.tick();
        ++now_;
    }

    [[nodiscard]] bool sending() const { return !waiting_.empty(); }
    [[nodiscard]] std::uint64_t now() const { return now_; }
    [[nodiscard]] const std::deque<StreamedPacket>& out() const { return out_; }
    [[nodiscard]] StreamedPacket next() {
        StreamedPacket packet = std::move(out_.front());
        out_.pop_front();
        return packet;
    }
    static constexpr std::size_t kBeat = sizeof(Module::s_axis_tdata_i);

  private:
    struct Beat {
        bool valid = false, last = false, user = false;
        std::uint64_t keep = 0;
        std::array<std::uint8_t, kBeat> data{};
        friend bool operator==(const Beat&, const Beat&) = default;
    };
    struct Waiting {
        Bytes bytes;
        bool user = false;
    };
    static constexpr std::uint64_t kAll = ~std::uint64_t{0} >> (64 - kBeat);

    /// Rubbish beyond the packet's end: nothing may depend on it.
    void show() {
        const Bytes& packet = waiting_.front().bytes;
        const std::size_t bytes = std::min(kBeat, packet.size() - at_);
        std::array<std::uint8_t, kBeat> data{};
        data.fill(static_cast<std::uint8_t>(0xA5 + now_));
        std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(at_), bytes, data.begin());
        std::memcpy(&rtl_->s_axis_tdata_i, data.data(), kBeat);
        rtl_->s_axis_tkeep_i = kAll >> (kBeat - bytes);
        rtl_->s_axis_tlast_i = at_ + bytes == packet.size();
        if constexpr (requires(Module & module) { module.s_axis_tuser_i; }) {
            rtl_->s_axis_tuser_i = at_ + bytes == packet.size() && waiting_.front().user;
        }
    }
    void sent() {
        at_ += kBeat;
        offered_ = false;
        if (at_ < waiting_.front().bytes.size()) return;
        waiting_.pop_front();
        at_ = 0;
    }
    void look() {
        Beat beat;
        beat.valid = rtl_->m_axis_tvalid_o != 0;
        if (beat.valid) {
            beat.last = rtl_->m_axis_tlast_o != 0;
            if constexpr (requires(Module & module) { module.m_axis_tuser_o; }) beat.user = rtl_->m_axis_tuser_o != 0;
            beat.keep = rtl_->m_axis_tkeep_o;
            std::memcpy(beat.data.data(), &rtl_->m_axis_tdata_o, kBeat);
            if ((beat.keep & (beat.keep + 1)) != 0) fault("m_axis_tkeep_o has a gap");
            if (!beat.last && beat.keep != kAll) fault("m_axis_tkeep_o is not full, nor the beat the last");
            if (!beat.last && beat.user) fault("m_axis_tuser_o is set without m_axis_tlast_o");
        }
        if (held_.valid && held_ != beat) fault("m_axis_t*_o change while they are offered");
        held_ = rtl_->m_axis_tready_i != 0 ? Beat{} : beat;
        seen_ = beat;
    }
    [[noreturn]] void fault(const char* what) const {
        throw RtlFault(std::string(name_) + ": " + what + " in cycle " + std::to_string(now_));
    }
    void take() {
        if (coming_.beats == 0) coming_.first = now_;
        for (std::size_t i = 0; i < kBeat; ++i) {
            if ((seen_.keep >> i & 1U) != 0) {
                coming_.bytes.push_back(seen_.data.at(i));
            } else {
                coming_.clean = coming_.clean && seen_.data.at(i) == 0;
            }
        }
        ++coming_.beats;
        if (!seen_.last) return;
        coming_.user = seen_.user;
        coming_.last = now_;
        if (at_end) at_end(*rtl_);
        out_.push_back(std::exchange(coming_, {}));
    }

    StreamedPacket coming_;
    std::deque<Waiting> waiting_;
    std::deque<StreamedPacket> out_;
    Beat seen_, held_;
    bool offered_ = false;
};

}  // namespace rnicsim
