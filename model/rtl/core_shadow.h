// SPDX-License-Identifier: Apache-2.0
// The whole core in Verilog, some thousand cycles behind the run: it is given what went into the core, and has to put
// out the same in the same cycles. A loop of its own, without the kernel: where nothing is in hand, cycles are skipped.
#pragma once

#include "model/rnic/drp/core_observer.h"
#include "model/rtl/clocked.h"
#include "model/rtl/contract.h"
#include "model/rtl/core_expectations.h"
#include "model/rtl/core_inputs.h"
#include "model/rtl/ports.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace rnicsim {

template <typename Core>
class CoreShadow final : public CoreObserver {
  public:
    CoreShadow(const RnicConfig& config, const MacAddress& own, const MacAddress& peer, const BlockPlace& place)
        : rtl_("rnic_core", place) {
        configure(config, own, peer);
        deadlines_.fill(kNever);
    }

    void frame_arrives(const Frame& frame, Cycle due) override {
        in_.frame(frame, due);
        if (!frame.fcs_good()) out_.damaged(due + rtl_contract::kGmacRxLatency);
    }
    void command_arrives(Cycle at, const Command& command) override { in_.commands.push(command, at); }
    void payload_arrives(Cycle at, std::span<const std::uint8_t> payload) override { in_.payload(payload, at); }
    void host_requests(Cycle at, DmaEngine::Direction direction, std::uint64_t address, std::uint32_t bytes) override {
        in_.requests.push({direction, address, bytes}, at);
    }
    void tags_return(Cycle at, std::uint32_t tags) override { in_.tags.push(tags, at); }
    void write_leaves(Cycle at) override { in_.left.push({}, at); }
    void ordinary_frame_waits(Cycle at, const Frame& frame) override { in_.ordinary(frame, at); }

    void frame_sent(const Frame& frame, Cycle end) override {
        out_.frame(frame, end);
        follow(end - serialisation(frame.length()) - kLag);
    }
    void request_issued(Cycle first, DmaEngine::Direction direction, DmaSource source,
                        std::span<const DmaEngine::Piece> pieces) override {
        out_.request(first, direction, source, pieces);
    }
    void payload_leaves(std::span<const std::uint8_t> payload) override { out_.payload(payload); }
    void event_raised(Cycle at, const Event& event) override { out_.event(at, event); }
    void decided(Cycle at, std::uint64_t notes, const TransferKey& of) override {
        out_.decided(at, {notes, of.role == Role::responder, raw(of.tid)});
    }
    void frame_overruns(Cycle at) override { out_.overrun(at); }
    void ordinary_frame_received(Cycle at, const Frame& frame) override { out_.ordinary(frame, at); }

    void finish(Cycle now) override {
        constexpr Cycle kSettles{100'000};  // longer than a drain
        run(now);
        const auto settled = [&] { return rtl_->idle_o != 0 && in_.empty() && now_ >= quiet_from_; };
        while (!settled() && now_ < now + kSettles) cycle();
        out_.nothing_left(now_);
    }

    [[nodiscard]] std::uint64_t clocked() const override { return clocked_; }

  private:
    /// Everything that concerns a cycle this far back is known: a frame's first byte, a payload's first word.
    static constexpr Cycle kLag{2048};
    static constexpr std::uint32_t kEntries = 64;

    void configure(const RnicConfig& config, const MacAddress& own, const MacAddress& peer) {
        const TransportConfig& t = config.transport;
        const std::uint32_t words = (t.segment + 7) / 8;
        ports::configure_transport(*rtl_, t);
        rtl_->cfg_own_address_i = ports::address(own);
        rtl_->cfg_peer_address_i = ports::address(peer);
        rtl_->cfg_slots_i = t.indirect_buffer / (8 * words);
        rtl_->cfg_slot_words_i = words;
        rtl_->cfg_tx_buffers_i = t.tx_buffer / static_cast<std::uint32_t>(kMaxFrameBytes);
        rtl_->cfg_rx_buffers_i = t.rx_buffer / static_cast<std::uint32_t>(kMaxFrameBytes);
        rtl_->cfg_ordinary_share_i = static_cast<std::uint32_t>(std::lround(t.ordinary_share * 65536));
        rtl_->cfg_max_payload_log2_i = std::countr_zero(config.pcie.max_payload);
        rtl_->cfg_max_read_request_log2_i = std::countr_zero(config.pcie.max_read_request);
        rtl_->cfg_tags_i = config.pcie.tags;
        rtl_->cfg_request_overhead_i = static_cast<std::uint32_t>(config.pcie.request_overhead.n);
        rtl_.settle();
    }

    /// Follows the run, a good stretch at a time.
    void follow(Cycle known) {
        constexpr Cycle kStretch{4096};
        if (known - now_ > kStretch) run(known);
    }

    void run(Cycle until) {
        while (now_ < until) {
            if (rtl_->idle_o != 0) skip(until);
            if (now_ < until) cycle();
        }
    }

    /// Nothing in hand: the scanner of the timers comes round every 64 cycles, so many may be left out at once.
    void skip(Cycle until) {
        const Cycle next = std::min({until, in_.next_due(now_), *std::ranges::min_element(deadlines_)});
        if (now_ == Cycle{}) return;  // takes the configuration, before any input
        if (next - now_ < Cycle{kEntries} || now_ < quiet_from_) return;
        const Cycle skipped{(next - now_).n / kEntries * kEntries};
        out_.nothing_before(now_ + skipped);
        now_ += skipped;
    }

    void cycle() {
        rtl_.at(now_);
        look();
        drive();
        try {
            rtl_.tick();
        } catch (const RtlFault& fault) {  // an assertion
            throw RtlFault(std::string("rnic_core (Verilog), which is behind the events above: ") + fault.what());
        }
        ++clocked_;
        now_ += Cycle{1};
    }

    /// Outputs of this cycle.
    void look() {
        out_.byte_sent(now_, rtl_->gmii_tx_en_o != 0, rtl_->gmii_txd_o);
        if (rtl_->tlp_valid_o != 0) {
            out_.tlp(now_, rtl_->tlp_write_o != 0, static_cast<DmaSource>(rtl_->tlp_source_o), rtl_->tlp_address_o,
                     rtl_->tlp_bytes_o, rtl_->tlp_first_o != 0, rtl_->tlp_piece_last_o != 0, rtl_->tlp_last_o != 0);
        }
        if (rtl_->payload_valid_o != 0) out_.word(now_, rtl_->payload_o, rtl_->payload_last_o != 0);
        if (rtl_->rx_valid_o != 0) out_.byte_received(rtl_->rx_first_o != 0, rtl_->rx_data_o);
        if (rtl_->done_o != 0 && rtl_->notes_o != 0) {
            out_.decision_seen(
                now_, {rtl_->notes_o, rtl_->note_responder_o != 0, static_cast<std::uint16_t>(rtl_->note_tid_o)});
        }
        if (rtl_->rx_drop_o != 0) out_.dropped(now_);
        if (rtl_->rx_ordinary_o != 0) out_.ordinary_received(now_);
        if (rtl_->event_valid_o != 0) {
            Event event;
            event.code = static_cast<EventCode>(rtl_->event_o);
            event.status = rtl_->event_status_o;
            event.tid = Tid{static_cast<std::uint16_t>(rtl_->event_tid_o)};
            event.length = rtl_->event_length_o;
            event.dba = rtl_->event_dba_o;
            event.read = rtl_->event_read_o;
            event.indirect = rtl_->event_indirect_o;
            event.generation = Generation{static_cast<std::uint16_t>(rtl_->event_generation_o)};
            out_.event_seen(now_, event);
        }
        if (rtl_->timer_write_o != 0) {
            deadlines_[rtl_->timer_entry_o] = ports::deadline(rtl_->timer_on_o != 0, rtl_->timer_deadline_o, now_);
        }
        out_.nothing_before(now_);
    }

    /// Inputs of this cycle.
    void drive() {
        rtl_->now_i = static_cast<std::uint32_t>(now_.n);
        const CoreInputs::Byte byte = in_.byte_from_wire(now_);
        rtl_->gmii_rx_dv_i = byte.valid;
        rtl_->gmii_rxd_i = byte.value;
        if (byte.valid) quiet_from_ = now_ + Cycle{32};  // until the filter has made up its mind

        const bool command = in_.commands.ready(now_);
        rtl_->command_valid_i = command;
        if (command) {
            const Command& c = in_.commands.front();
            rtl_->command_code_i = static_cast<unsigned>(c.code);
            rtl_->command_tid_i = raw(c.tid);
            rtl_->command_length_i = c.length;
            rtl_->command_sba_i = c.sba;
            rtl_->command_dba_i = c.dba;
            rtl_->command_generation_i = raw(c.generation);
            if (rtl_->command_ready_o != 0) static_cast<void>(in_.commands.pop());
        }

        const CoreInputs::Fill fill = in_.fill(now_);
        rtl_->fill_i = fill.valid;
        rtl_->fill_data_i = fill.word;
        rtl_->filled_i = fill.complete;
        std::uint32_t tags = 0;
        while (in_.tags.ready(now_)) tags += in_.tags.pop();
        rtl_->completed_i = tags != 0;
        rtl_->completed_tags_i = tags;
        rtl_->left_i = in_.left.ready(now_);
        if (rtl_->left_i != 0) static_cast<void>(in_.left.pop());

        rtl_->ordinary_waits_i = in_.ordinary_waits(now_);
        if (rtl_->ordinary_waits_i != 0) {
            rtl_.settle();
            if (rtl_->ordinary_start_o != 0) in_.ordinary_starts();
        }
        if (rtl_->ordinary_take_o != 0) {
            const CoreInputs::Byte next = in_.byte_of_ordinary();
            rtl_->ordinary_data_i = next.value;
            rtl_->ordinary_last_i = next.last;
        }

        rtl_->host_valid_i = in_.requests.ready(now_);
        if (rtl_->host_valid_i != 0) {
            const CoreInputs::Request& r = in_.requests.front();
            rtl_->host_write_i = r.direction == DmaEngine::Direction::write;
            rtl_->host_address_i = r.address;
            rtl_->host_bytes_i = r.bytes;
            rtl_->host_age_i = static_cast<unsigned>(std::min<std::int64_t>((now_ - in_.requests.next_due()).n, 255));
            rtl_.settle();
            if (rtl_->host_ready_o != 0) static_cast<void>(in_.requests.pop());
        }
    }

    Clocked<Core> rtl_;
    CoreInputs in_;
    CoreExpectations out_;
    std::array<Cycle, kEntries> deadlines_{};
    std::uint64_t clocked_ = 0;
    Cycle now_;         // cycle that the ports show
    Cycle quiet_from_;  // nothing of a received frame is on its way from here on
};

}  // namespace rnicsim
