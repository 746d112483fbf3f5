// The transport controller in Verilog behind TransportEngine. It is clocked for decisions; of the idle cycles in
// between only as many as bring the scanner of its timers to the right place: it comes round every 64 cycles.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/contract.h"
#include "model/rtl/ports.h"

#include <algorithm>
#include <array>
#include <bit>

namespace rnicsim {

template <typename Controller>
class TransportRtl final : public TransportEngine {
  public:
    explicit TransportRtl(const TransportConfig& config) {
        ports::configure_transport(*rtl_, config);
        rtl_->cfg_dynamic_i = config.method == Method::dynamic;
        deadlines_.fill(kNever);
        rtl_.settle();
    }

    void set_observer(TransportObserver* observer) override { observer_ = observer; }

    void on_command(Cycle now, const Command& command, TransportActions& actions) override {
        rtl_->command_valid_i = 1;
        rtl_->command_code_i = static_cast<unsigned>(command.code);
        rtl_->command_tid_i = raw(command.tid);
        rtl_->command_length_i = command.length;
        rtl_->command_sba_i = command.sba;
        rtl_->command_dba_i = command.dba;
        rtl_->command_generation_i = raw(command.generation);
        decide(now, &actions);
    }
    void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) override {
        rtl_->frame_valid_i = 1;
        rtl_->frame_ctrl_i = ports::ctrl(header);
        rtl_->frame_tid_i = raw(header.tid);
        rtl_->frame_len_i = header.len;
        rtl_->frame_sn_i = header.sn;
        rtl_->frame_ackn_i = header.ackn;
        rtl_->frame_sba_i = header.sba;
        rtl_->frame_dba_i = header.dba;
        decide(now, &actions);
    }
    void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override {
        decide(now, &actions);
        if (rtl_->done_entry_o != entry)
            throw RtlFault("transport_controller (Verilog): another timer than the one that expired");
    }
    void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override {
        rtl_->sent_valid_i = 1;
        rtl_->sent_entry_i = entry;
        decide(now, &actions);
    }
    std::optional<DataJob> next_data(Cycle now) override {
        if (!has_data()) return std::nullopt;
        rtl_->fetch_enable_i = 1;
        decide(now, nullptr);
        if (rtl_->fetch_o == 0) throw RtlFault("transport_controller (Verilog): no fetch");
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

    [[nodiscard]] Key key(ConnectionTable::Index entry) const override { return keys_[entry]; }
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
    static constexpr std::int64_t kSteps = rtl_contract::kDecision.n;

    /// One decision, which ends at `end`, on the input that has been set. `actions`: nullptr for a fetch, which has
    /// none.
    void decide(Cycle end, TransportActions* actions) {
        const Cycle begin = end - rtl_contract::kDecision;
        const bool frame = std::exchange(rtl_->frame_valid_i, 0) != 0;
        const bool command = std::exchange(rtl_->command_valid_i, 0) != 0;
        const bool sent = std::exchange(rtl_->sent_valid_i, 0) != 0;
        const bool fetch = std::exchange(rtl_->fetch_enable_i, 0) != 0;
        for (Cycle now = begin - Cycle{(begin - free_).n % kEntries}; now < begin; now += Cycle{1}) tick(now);
        if (rtl_->idle_o == 0) throw RtlFault("transport_controller (Verilog): a decision without a cause");
        rtl_->frame_valid_i = frame;
        rtl_->command_valid_i = command;
        rtl_->sent_valid_i = sent;
        rtl_->fetch_enable_i = fetch;
        rtl_->buffer_full_i = actions != nullptr && actions->buffer_full();
        tick(begin);
        rtl_->frame_valid_i = rtl_->command_valid_i = rtl_->sent_valid_i = rtl_->fetch_enable_i = 0;
        if (rtl_->idle_o != 0) throw RtlFault("transport_controller (Verilog): an input is not taken");
        for (Cycle now = begin + Cycle{1}; now < end; now += Cycle{1}) tick(now);
        if (rtl_->done_o == 0) throw RtlFault("transport_controller (Verilog): a decision does not end");
        free_ = end;
        const Key of{rtl_->note_responder_o != 0 ? Role::responder : Role::initiator,
                     Tid{static_cast<std::uint16_t>(rtl_->tid_o)}};
        if (rtl_->timer_write_o != 0) {
            set_deadline(end);
            keys_[rtl_->done_entry_o] = of;
        }
        if (actions != nullptr) act(*actions);
        report(of);
    }

    void tick(Cycle now) {
        rtl_.at(now);
        rtl_->now_i = static_cast<std::uint32_t>(now.n);
        rtl_.settle();
        rtl_.tick();
    }

    void set_deadline(Cycle now) {
        const Cycle deadline = ports::deadline(rtl_->timer_on_o != 0, rtl_->timer_deadline_o, now);
        deadlines_[rtl_->done_entry_o] = deadline;
        next_deadline_ = std::min(next_deadline_, deadline);
    }

    void act(TransportActions& actions) {
        const Tid tid{static_cast<std::uint16_t>(rtl_->tid_o)};
        if (rtl_->place_o != 0) actions.place(rtl_->address_o, rtl_->bytes_o);
        if (rtl_->keep_o != 0) actions.keep(tid, Sn{rtl_->sn_o}, rtl_->address_o, rtl_->bytes_o);
        if (rtl_->drop_o != 0) actions.drop(tid);
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
        if (rtl_->drain_o != 0) actions.drain(tid);
        if (rtl_->event_o != 0) {
            Event event;
            event.code = static_cast<EventCode>(rtl_->event_o);
            event.status = rtl_->event_status_o;
            event.tid = tid;
            event.length = rtl_->event_length_o;
            event.dba = rtl_->event_dba_o;
            event.read = rtl_->event_read_o;
            event.indirect = rtl_->event_indirect_o;
            event.generation = Generation{static_cast<std::uint16_t>(rtl_->event_generation_o)};
            actions.notify(event);
        }
    }

    [[nodiscard]] DrpHeader header(unsigned ctrl) const { return ports::header(ctrl, rtl_->tid_o); }

    void report(const Key& of) {
        for (std::uint64_t notes = rtl_->notes_o; notes != 0; notes &= notes - 1) {
            const int bit = std::countr_zero(notes);
            ++counts_[static_cast<std::size_t>(bit)];
            if (observer_ == nullptr) continue;
            observer_->noted(static_cast<TransportCount>(bit), of.role, of.tid);
        }
    }

    mutable Clocked<Controller> rtl_{"transport_controller"};
    TransportObserver* observer_ = nullptr;  // not owned
    std::array<Cycle, kEntries> deadlines_{};
    std::array<Key, kEntries> keys_{};
    Cycle next_deadline_ = kNever;
    Cycle free_;  // the last decision has ended
    std::array<std::uint64_t, static_cast<std::size_t>(TransportCount::count)> counts_{};
};

}  // namespace rnicsim
