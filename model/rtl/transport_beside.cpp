// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/transport_beside.h"

#include "model/rtl/ports.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

namespace rnicsim {
namespace {

constexpr const char* kPromise = "what the model has decided";

/// A port, and what is on it at the end of a decision.
struct Output {
    const char* port;
    std::uint64_t value;
};

/// What one decision asks for, as the Verilog puts it on its ports; handed on, if there is somebody to do it.
class Outputs final : public TransportActions {
  public:
    /// `asked`: who knows whether the buffer is full. `done_by`: nullptr = nobody.
    Outputs(const TransportActions& asked, TransportActions* done_by) : asked_(asked), done_by_(done_by) {}

    /// By what is asked for, as ports know no order.
    [[nodiscard]] const std::map<std::string_view, std::vector<Output>>& all() const { return outputs_; }

    void send(const DrpHeader& h) override {
        // A second frame of one decision is a REL, with ports of its own.
        if (sends_++ == 0) {
            begin("send_o");
            put("send_ctrl_o", ports::ctrl(h));
            put("tid_o", raw(h.tid));
            put("send_len_o", h.len);
            put("send_sn_o", h.sn);
            put("send_ackn_o", h.ackn);
            put("send_sba_o", h.sba);
            put("send_dba_o", h.dba);
        } else {
            begin("release_o");
            put("tid_o", raw(h.tid));
            put("fetch_ctrl_o", ports::ctrl(h));
            put("fetch_sba_o", h.sba);
            put("fetch_dba_o", h.dba);
        }
        if (done_by_ != nullptr) done_by_->send(h);
    }
    void place(std::uint64_t address, std::uint32_t bytes) override {
        begin("place_o");
        put("address_o", address);
        put("bytes_o", bytes);
        if (done_by_ != nullptr) done_by_->place(address, bytes);
    }
    [[nodiscard]] bool buffer_full() const override { return asked_.buffer_full(); }
    [[nodiscard]] std::uint32_t buffered_of(Peer peer) const override { return asked_.buffered_of(peer); }
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) override {
        begin("keep_o");
        put("tid_o", raw(of.tid));
        put("sn_o", sn.n);
        put("address_o", address);
        put("bytes_o", bytes);
        if (done_by_ != nullptr) done_by_->keep(of, sn, address, bytes);
    }
    void drain(const TransferKey& of) override {
        begin("drain_o");
        put("tid_o", raw(of.tid));
        if (done_by_ != nullptr) done_by_->drain(of);
    }
    void drop(const TransferKey& of) override {
        begin("drop_o");
        put("tid_o", raw(of.tid));
        if (done_by_ != nullptr) done_by_->drop(of);
    }
    void notify(const Event& event) override {
        begin("event_o", static_cast<std::uint64_t>(event.code));
        put("event_status_o", event.status);
        put("tid_o", raw(event.tid));
        put("event_length_o", event.length);
        put("event_dba_o", event.dba);
        put("event_read_o", event.read);
        put("event_indirect_o", event.indirect);
        put("event_generation_o", raw(event.generation));
        if (done_by_ != nullptr) done_by_->notify(event);
    }

  private:
    void begin(const char* port, std::uint64_t value = 1) {
        asked_for_ = &outputs_[port];
        put(port, value);
    }
    void put(const char* port, std::uint64_t value) { asked_for_->push_back({port, value}); }

    const TransportActions& asked_;
    TransportActions* done_by_;
    std::map<std::string_view, std::vector<Output>> outputs_;
    std::vector<Output>* asked_for_ = nullptr;
    int sends_ = 0;
};

void compare(const PortCheck& check, Cycle now, const Outputs& found, const Outputs& expected) {
    for (const auto& [what, outputs] : found.all()) {
        const auto other = expected.all().find(what);
        if (other == expected.all().end()) check.expect(now, outputs.front().port, outputs.front().value, 0, kPromise);
        for (std::size_t i = 0; i < std::min(outputs.size(), other->second.size()); ++i) {
            check.expect(now, outputs[i].port, outputs[i].value, other->second[i].value, kPromise);
        }
    }
    for (const auto& [what, outputs] : expected.all()) {
        if (!found.all().contains(what)) check.expect(now, outputs.front().port, 0, outputs.front().value, kPromise);
    }
}

}  // namespace

template <typename Decide>
void TransportBeside::both(Cycle now, TransportActions& actions, const Decide& decide) {
    Outputs expected(actions, nullptr);
    decide(*model_, expected);  // first: what the Verilog leads to may fill the buffer
    Outputs found(actions, &actions);
    decide(*verilog_, found);
    compare(check_, now, found, expected);
    compare_state(now);
}

void TransportBeside::compare_state(Cycle now) {
    decided_ = now;
    for (std::size_t i = 0; i < static_cast<std::size_t>(TransportCount::count); ++i) {
        const auto c = static_cast<TransportCount>(i);
        if (verilog_->count(c) == model_->count(c)) continue;
        check_.expect(now, ("notes_o[" + std::to_string(i) + "]").c_str(),
                      verilog_->count(c) > model_->count(c) ? 1 : 0, verilog_->count(c) > model_->count(c) ? 0 : 1,
                      kTransportCountNames.at(i).data());
    }
    check_.expect(now, "note_responder_o", found_.last().role == Role::responder,
                  expected_.last().role == Role::responder, kPromise);
    check_.expect(now, "tid_o", raw(found_.last().tid), raw(expected_.last().tid), kPromise);
    check_.expect(now, "entries_o", verilog_->entries_used(), model_->entries_used(), "entries in use");
    check_.expect(now, "data_o", verilog_->has_data() ? 1 : 0, model_->has_data() ? 1 : 0, "an entry has data to send");
}

void TransportBeside::on_command(Cycle now, const Command& command, TransportActions& actions) {
    both(now, actions, [&](TransportEngine& engine, TransportActions& to) { engine.on_command(now, command, to); });
}

void TransportBeside::on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) {
    both(now, actions, [&](TransportEngine& engine, TransportActions& to) { engine.on_frame(now, header, to); });
}

void TransportBeside::on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) {
    both(now, actions, [&](TransportEngine& engine, TransportActions& to) { engine.on_timer(now, entry, to); });
}

void TransportBeside::on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) {
    both(now, actions, [&](TransportEngine& engine, TransportActions& to) { engine.on_transmitted(now, entry, to); });
}

std::optional<DataJob> TransportBeside::next_data(Cycle now) {
    const std::optional<DataJob> expected = model_->next_data(now);
    std::optional<DataJob> found = verilog_->next_data(now);
    check_.expect(now, "fetch_o", found ? 1 : 0, expected ? 1 : 0, kPromise);
    if (found && expected) {
        check_.expect(now, "done_entry_o", found->entry, expected->entry, kPromise);
        check_.expect(now, "tid_o", raw(found->header.tid), raw(expected->header.tid), kPromise);
        check_.expect(now, "fetch_ctrl_o", ports::ctrl(found->header), ports::ctrl(expected->header), kPromise);
        check_.expect(now, "bytes_o", found->header.len, expected->header.len, kPromise);
        check_.expect(now, "sn_o", found->header.sn, expected->header.sn, kPromise);
        check_.expect(now, "fetch_sba_o", found->header.sba, expected->header.sba, kPromise);
        check_.expect(now, "fetch_dba_o", found->header.dba, expected->header.dba, kPromise);
        check_.expect(now, "address_o", found->address, expected->address, kPromise);
    }
    compare_state(now);
    return found;
}

void TransportBeside::refresh_deadline() {
    verilog_->refresh_deadline();
    model_->refresh_deadline();
    check_.expect(decided_, "timer_deadline_o", static_cast<std::uint64_t>(verilog_->next_deadline().n),
                  static_cast<std::uint64_t>(model_->next_deadline().n), "the first timer that runs, in cycles");
}

TransportEngine::Expiry TransportBeside::next_expiry(Cycle from, ConnectionTable::Index position) const {
    const Expiry found = verilog_->next_expiry(from, position);
    const Expiry expected = model_->next_expiry(from, position);
    check_.expect(from, "timer_deadline_o", static_cast<std::uint64_t>(found.found.n),
                  static_cast<std::uint64_t>(expected.found.n), "the next timer that the scanner finds, in cycles");
    return found;
}

}  // namespace rnicsim
