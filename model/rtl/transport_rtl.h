// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog behind TransportEngine. It is clocked for decisions; of the idle cycles in
// between only as many as bring the scanner of its timers to the right place: it comes round every 64 cycles. What is
// on its ports while it decides, and between decisions, is looked at in every cycle; what it decides, by
// TransportBeside.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/contract.h"
#include "model/rtl/port_check.h"
#include "model/rtl/ports.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace rnicsim {

template <typename Controller>
class TransportRtl final : public TransportEngine {
  public:
    TransportRtl(const TransportConfig& config, const char* module, const BlockPlace& place)
        : rtl_("transport_controller", place), check_("transport_controller", module, place) {
        ports::configure_transport(*rtl_, config);
        rtl_->cfg_dynamic_i = config.method == Method::dynamic;
        deadlines_.fill(kNever);
        rtl_.settle();
    }

    void set_observer(TransportObserver* observer) override { observer_ = observer; }

    void on_command(Cycle now, const Command& command, TransportActions& actions) override {
        rtl_->command_code_i = static_cast<unsigned>(command.code);
        rtl_->command_tid_i = raw(command.tid);
        rtl_->command_length_i = command.length;
        rtl_->command_sba_i = command.sba;
        rtl_->command_dba_i = command.dba;
        rtl_->command_generation_i = raw(command.generation);
        decide(now, {.command = true}, &actions);
    }
    void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) override {
        rtl_->frame_ctrl_i = ports::ctrl(header);
        rtl_->frame_tid_i = raw(header.tid);
        rtl_->frame_len_i = header.len;
        rtl_->frame_sn_i = header.sn;
        rtl_->frame_ackn_i = header.ackn;
        rtl_->frame_sba_i = header.sba;
        rtl_->frame_dba_i = header.dba;
        decide(now, {.frame = true}, &actions);
    }
    void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override {
        decide(now, {}, &actions);
        check_.require(now, "done_entry_o", rtl_->done_entry_o, entry, "the entry whose timer has expired");
    }
    void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override {
        rtl_->sent_entry_i = entry;
        decide(now, {.sent = true}, &actions);
        check_.expect(now, "done_entry_o", rtl_->done_entry_o, entry, "the entry whose frame has left");
    }
    std::optional<DataJob> next_data(Cycle now) override {
        if (!has_data()) return std::nullopt;
        decide(now, {.fetch = true}, nullptr);
        check_.require(now, "fetch_o", rtl_->fetch_o, 1, "an entry has data to send");
        DataJob job;
        job.entry = rtl_->done_entry_o;
        job.address = rtl_->address_o;
        job.header = header(rtl_->fetch_ctrl_o);
        job.header.len = rtl_->bytes_o;
        job.header.sn = rtl_->sn_o;
        job.header.sba = rtl_->fetch_sba_o;
        job.header.dba = rtl_->fetch_dba_o;
        return job;
    }
    [[nodiscard]] bool has_data() const override { return rtl_->data_o != 0; }

    [[nodiscard]] Cycle next_deadline() const override { return next_deadline_; }
    void refresh_deadline() override { next_deadline_ = *std::ranges::min_element(deadlines_); }
    [[nodiscard]] Expiry next_expiry(Cycle from, ConnectionTable::Index position) const override {
        Expiry first;
        for (ConnectionTable::Index entry = 0; entry < kEntries; ++entry) {
            first.add(entry, scanned(from, position, kEntries, entry, deadlines_[entry]));
        }
        return first;
    }

    [[nodiscard]] TransferKey key(ConnectionTable::Index entry) const override { return keys_[entry]; }
    [[nodiscard]] const ConnectionTable* visible() const override { return nullptr; }

    [[nodiscard]] std::uint64_t count(TransportCount c) const override { return counts_[static_cast<std::size_t>(c)]; }
    [[nodiscard]] std::uint32_t entries_used() const override { return rtl_->entries_o; }
    [[nodiscard]] std::vector<std::string> waiting(Cycle now) const override {
        if (entries_used() == 0) return {};
        const Cycle next = *std::ranges::min_element(deadlines_);
        return {std::to_string(entries_used()) + " transfers in a table in Verilog" +
                (next == kNever ? ", no timer runs" : ", next timer in " + std::to_string((next - now).n) + " cycles")};
    }

  private:
    static constexpr ConnectionTable::Index kEntries = rtl_contract::kTableEntries;

    /// What waits for a decision; nothing: a timer has expired.
    struct Inputs {
        bool frame = false;
        bool command = false;
        bool sent = false;
        bool fetch = false;
        /// done_input_o: transport_pkg::Input...
        [[nodiscard]] unsigned number() const { return frame ? 0 : command ? 1 : sent ? 2 : fetch ? 3 : 4; }
    };
    void give(const Inputs& inputs) {
        rtl_->frame_valid_i = inputs.frame;
        rtl_->command_valid_i = inputs.command;
        rtl_->sent_valid_i = inputs.sent;
        rtl_->fetch_enable_i = inputs.fetch;
    }

    /// One decision, which ends at `end`. `actions`: nullptr for a fetch, which has none.
    void decide(Cycle end, const Inputs& inputs, TransportActions* actions) {
        const Cycle begin = end - rtl_contract::kDecision;
        const bool held = holds(begin - free_);
        const Cycle moves = begin - Cycle{held ? 1 : 0};  // while it is held, the scanner stands
        for (Cycle now = moves - Cycle{(begin - free_).n % kEntries}; now < moves; now += Cycle{1}) wait(now);
        give(inputs);
        rtl_->buffer_full_i = actions != nullptr && actions->buffer_full();
        if (held) {
            rtl_->hold_i = 1;
            wait(moves);
            rtl_->hold_i = 0;
        }
        wait(begin, held ? "no decision begins while hold_i" : kNoCause);
        give({});
        check_.require(begin + Cycle{1}, "idle_o", rtl_->idle_o, 0,
                       inputs.number() == 4 ? "a timer that has expired is decided about" : "an input is taken");
        for (Cycle now = begin + Cycle{1}; now < end; now += Cycle{1}) {
            show(now);
            look_at_decision(now);
            rtl_.tick();
        }
        check_.require(end, "done_o", rtl_->done_o, 1, "8 cycles after a decision has begun");
        check_.expect(end, "done_input_o", rtl_->done_input_o, inputs.number(), "what was decided about");
        done_ = true;
        free_ = end;
        const TransferKey of{rtl_->note_responder_o != 0 ? Role::responder : Role::initiator,
                             Tid{static_cast<std::uint16_t>(rtl_->tid_o)}};
        if (rtl_->timer_write_o != 0) {
            set_deadline(end);
            keys_[rtl_->done_entry_o] = of;
        }
        if (actions != nullptr) act(*actions);
        report(of);
    }

    /// Now and then, where there is time, the input has to wait for a cycle: what decisions lead to might find a queue
    /// full. Only to see that none begins, as nothing in a run would be full.
    bool holds(Cycle idle) {
        constexpr std::uint64_t kEvery = 4;
        return check_.strict() && idle >= Cycle{kEntries} && ++could_be_held_ % kEvery == 0;
    }

    void show(Cycle now) {
        rtl_.at(now);
        rtl_->now_i = static_cast<std::uint32_t>(now.n);
        rtl_.settle();
    }
    static constexpr const char* kNoCause = "no decision without a cause";
    /// A cycle between decisions, or the one in which one begins.
    void wait(Cycle now, const char* promise = kNoCause) {
        show(now);
        check_.require(now, "idle_o", rtl_->idle_o, 1, promise);
        look_between(now);
        rtl_.tick();
        done_ = false;
    }

    void look_at_decision(Cycle now) const {
        constexpr const char* kPromise = "a decision is under way";
        check_.expect(now, "idle_o", rtl_->idle_o, 0, kPromise);
        check_.expect(now, "done_o", rtl_->done_o, 0, kPromise);
        check_.expect(now, "frame_ready_o", rtl_->frame_ready_o, 0, kPromise);
        check_.expect(now, "command_ready_o", rtl_->command_ready_o, 0, kPromise);
        check_.expect(now, "sent_ready_o", rtl_->sent_ready_o, 0, kPromise);
    }
    void look_between(Cycle now) const {
        const bool free = rtl_->hold_i == 0;
        const bool no_frame = free && rtl_->frame_valid_i == 0;
        check_.expect(now, "done_o", rtl_->done_o, done_, "for one cycle, 8 cycles after a decision has begun");
        check_.expect(now, "frame_ready_o", rtl_->frame_ready_o, free, "between decisions, but for hold_i");
        check_.expect(now, "command_ready_o", rtl_->command_ready_o, no_frame, "the same, and no frame waits");
        check_.expect(now, "sent_ready_o", rtl_->sent_ready_o, no_frame && rtl_->command_valid_i == 0,
                      "the same, and no command waits");
    }

    void set_deadline(Cycle now) {
        const Cycle deadline = ports::deadline(rtl_->timer_on_o != 0, rtl_->timer_deadline_o, now);
        deadlines_[rtl_->done_entry_o] = deadline;
        next_deadline_ = std::min(next_deadline_, deadline);
    }

    void act(TransportActions& actions) {
        const TransferKey of{Role::responder, Tid{static_cast<std::uint16_t>(rtl_->tid_o)}};  // of what is kept
        if (rtl_->place_o != 0) actions.place(rtl_->address_o, rtl_->bytes_o);
        if (rtl_->keep_o != 0) actions.keep(of, Sn{rtl_->sn_o}, rtl_->address_o, rtl_->bytes_o);
        if (rtl_->drop_o != 0) actions.drop(of);
        if (rtl_->send_o != 0) {
            DrpHeader h = header(rtl_->send_ctrl_o);
            h.len = rtl_->send_len_o;
            h.sn = rtl_->send_sn_o;
            h.ackn = rtl_->send_ackn_o;
            h.sba = rtl_->send_sba_o;
            h.dba = rtl_->send_dba_o;
            actions.send(h);
        }
        if (rtl_->release_o != 0) {
            DrpHeader h = header(rtl_->fetch_ctrl_o);
            h.type = DrpType::rel;
            h.sba = rtl_->fetch_sba_o;
            h.dba = rtl_->fetch_dba_o;
            actions.send(h);
        }
        if (rtl_->drain_o != 0) actions.drain(of);
        if (rtl_->event_o != 0) {
            Event event;
            event.code = static_cast<EventCode>(rtl_->event_o);
            event.status = rtl_->event_status_o;
            event.tid = of.tid;
            event.length = rtl_->event_length_o;
            event.dba = rtl_->event_dba_o;
            event.read = rtl_->event_read_o;
            event.indirect = rtl_->event_indirect_o;
            event.generation = Generation{static_cast<std::uint16_t>(rtl_->event_generation_o)};
            actions.notify(event);
        }
    }

    [[nodiscard]] DrpHeader header(unsigned ctrl) const { return ports::header(ctrl, rtl_->tid_o); }

    void report(const TransferKey& of) {
        for (std::uint64_t notes = rtl_->notes_o; notes != 0; notes &= notes - 1) {
            const int bit = std::countr_zero(notes);
            ++counts_[static_cast<std::size_t>(bit)];
            if (observer_ == nullptr) continue;
            observer_->noted(static_cast<TransportCount>(bit), of);
        }
    }

    mutable Clocked<Controller> rtl_;
    TransportObserver* observer_ = nullptr;  // not owned
    std::array<Cycle, kEntries> deadlines_{};
    std::array<TransferKey, kEntries> keys_{};
    Cycle next_deadline_ = kNever;
    PortCheck check_;
    Cycle free_;         // the last decision has ended
    bool done_ = false;  // the ports show its end
    std::uint64_t could_be_held_ = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(TransportCount::count)> counts_{};
};

}  // namespace rnicsim
