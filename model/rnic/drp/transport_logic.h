// SPDX-License-Identifier: Apache-2.0
// What the transport controller decides: both roles, both operations, both methods (PROTOCOL.md sections 3 to 6).
// Plain C++, no SystemC.
#pragma once

#include "model/rnic/drp/config.h"
#include "model/rnic/drp/policies/data_timer_rule.h"
#include "model/rnic/drp/transport_engine.h"

#include <tuple>

namespace rnicsim {

class TransportLogic final : public TransportEngine {
  public:
    explicit TransportLogic(const TransportConfig& config);
    void set_observer(TransportObserver* observer) override { observer_ = observer; }

    void on_command(Cycle now, const Command& command, TransportActions& actions) override;
    void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) override;
    void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override;
    void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override;
    std::optional<DataJob> next_data(Cycle now) override;
    [[nodiscard]] bool has_data() const override;
    /// Has this entry a data frame to send?
    [[nodiscard]] static bool has_data(const Transfer& t);

    [[nodiscard]] Cycle next_deadline() const override { return next_deadline_; }
    void refresh_deadline() override;
    [[nodiscard]] Expiry next_expiry(Cycle from, ConnectionTable::Index position) const override;

    [[nodiscard]] std::uint64_t count(TransportCount c) const override { return counts_[static_cast<std::size_t>(c)]; }
    [[nodiscard]] std::uint32_t entries_used() const override { return table_.used(); }
    [[nodiscard]] TransferKey key(ConnectionTable::Index entry) const override { return table_[entry].key(); }
    [[nodiscard]] const ConnectionTable* visible() const override { return &table_; }
    [[nodiscard]] const ConnectionTable& table() const { return table_; }
    /// The state outside the table, to compare states: transfers released, the oldest of a full ring, the entry served
    /// last. Not the generation: it only has to differ.
    [[nodiscard]] auto memory() const { return std::tie(released_, released_next_, turn_); }
    [[nodiscard]] std::vector<std::string> waiting(Cycle now) const override;

  private:
    // Initiator (transport_initiator.cpp).
    void start(Cycle now, const Command& command, TransportActions& actions);
    void on_request_ack(Cycle now, const DrpHeader& header, TransportActions& actions);
    void on_release_ack(Cycle now, const DrpHeader& header, TransportActions& actions);
    void request_expired(Cycle now, Transfer& t, TransportActions& actions);
    void go_indirect(Transfer& t, TransportActions& actions);
    void release_expired(Cycle now, Transfer& t, TransportActions& actions);
    void release_when_done(Cycle now, Transfer& t, TransportActions& actions);
    void send_request(Cycle now, Transfer& t, TransportActions& actions);
    void report_request_ack(Transfer& t, bool simulated, TransportActions& actions);

    // Responder (transport_responder.cpp).
    void on_request(Cycle now, const DrpHeader& header, TransportActions& actions);
    void answer_busy(const DrpHeader& request, TransportActions& actions);
    void on_verdict(Cycle now, const Command& command, TransportActions& actions);
    void on_release(Cycle now, const DrpHeader& header, TransportActions& actions);
    void issue_valid(Cycle now, Transfer& t, TransportActions& actions);
    void request_ack_expired(Cycle now, Transfer& t, TransportActions& actions);
    void give_up(Cycle now, Transfer& t, TransportActions& actions);
    void remember_given_up(Cycle now, Transfer& t);
    /// Would a REL_ACK to this REL be true? `t`: the transfer, or nullptr.
    [[nodiscard]] bool may_answer(const Transfer* t, const DrpHeader& release) const;
    [[nodiscard]] bool released_lately(const TransferKey& key) const;
    [[nodiscard]] Generation next_generation();
    /// Is this transfer over or closing? Then its TID starts no new one.
    [[nodiscard]] bool is_over(const TransferKey& key) const;

    // Data phase, either role (transport_data.cpp).
    void on_data(Cycle now, const DrpHeader& header, TransportActions& actions);
    void on_ack(Cycle now, const DrpHeader& header, TransportActions& actions);
    void accept_data(Transfer& t, const DrpHeader& header, TransportActions& actions);
    void keep_indirect(Cycle now, Transfer* t, const DrpHeader& header, TransportActions& actions);
    void acknowledge_data(Transfer& t, bool in_order, bool last, TransportActions& actions);
    void data_expired(Cycle now, Transfer& t, TransportActions& actions);
    void start_sending(Transfer& t, bool indirect);
    void time_round_trip(Cycle now, Transfer& t, Sn sn, bool again);
    [[nodiscard]] Cycle data_timer(const Transfer& t) const;
    [[nodiscard]] RoundTrips& round_trips(Peer peer);

    // Common.
    void reply(const Transfer& t, DrpType type, bool valid, TransportActions& actions);
    void acknowledge(Transfer& t, TransportActions& actions);
    void close(Cycle now, Transfer& t, TransferError error, TransportActions& actions);
    void finish(Cycle now, Transfer& t, TransportActions& actions);
    void notify(const Transfer& t, EventCode code, std::uint8_t status, TransportActions& actions) const;
    void arm(Cycle& deadline, Cycle at);
    void note(TransportCount c, const TransferKey& of);
    void report();
    [[nodiscard]] bool dynamic() const { return config_.method == Method::dynamic; }

    TransportConfig config_;
    ConnectionTable table_;
    std::vector<TransferKey> released_;  // transfers released lately at this responder, a ring
    std::size_t released_next_ = 0;
    std::vector<RoundTrips> round_trips_;    // by peer, as far as measured
    Generation generation_{};                // the last one used
    TransportObserver* observer_ = nullptr;  // not owned
    ConnectionTable::Index turn_ = 0;        // round robin: entry served last
    Cycle next_deadline_ = kNever;
    std::array<std::uint64_t, static_cast<std::size_t>(TransportCount::count)> counts_{};
    // Of this decision.
    std::uint64_t noted_ = 0;  // bit: TransportCount
    TransferKey noted_of_;
};

}  // namespace rnicsim
