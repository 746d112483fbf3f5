// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog with the model beside it, which gets the same inputs: the first output that
// differs is named by its port. What follows from a decision is the Verilog's.
#pragma once

#include "model/rnic/drp/transport_engine.h"
#include "model/rtl/port_check.h"

#include <memory>

namespace rnicsim {

class TransportBeside final : public TransportEngine {
  public:
    TransportBeside(std::unique_ptr<TransportEngine> verilog, std::unique_ptr<TransportEngine> model, PortCheck check)
        : verilog_(std::move(verilog)), model_(std::move(model)), check_(std::move(check)) {
        verilog_->set_observer(&found_);
        model_->set_observer(&expected_);
    }
    TransportBeside(const TransportBeside&) = delete;
    TransportBeside& operator=(const TransportBeside&) = delete;
    ~TransportBeside() override = default;

    void set_observer(TransportObserver* observer) override { found_.set_observer(observer); }

    void on_command(Cycle now, const Command& command, TransportActions& actions) override;
    void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) override;
    void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override;
    void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override;
    std::optional<DataJob> next_data(Cycle now) override;
    [[nodiscard]] bool has_data() const override { return verilog_->has_data(); }

    [[nodiscard]] Cycle next_deadline() const override { return verilog_->next_deadline(); }
    void refresh_deadline() override;
    [[nodiscard]] Expiry next_expiry(Cycle from, ConnectionTable::Index position) const override;

    [[nodiscard]] TransferKey key(ConnectionTable::Index entry) const override { return verilog_->key(entry); }
    [[nodiscard]] const ConnectionTable* visible() const override { return nullptr; }
    [[nodiscard]] std::uint64_t count(TransportCount c) const override { return verilog_->count(c); }
    [[nodiscard]] std::uint32_t entries_used() const override { return verilog_->entries_used(); }
    [[nodiscard]] std::vector<std::string> waiting(Cycle now) const override { return verilog_->waiting(now); }

  private:
    /// One decision of both, which `decide` asks an engine for.
    template <typename Decide>
    void both(Cycle now, TransportActions& actions, const Decide& decide);
    /// What is to be seen between decisions.
    void compare_state(Cycle now);

    /// Whose decision the last one was; tells who looks on.
    class Noted final : public TransportObserver {
      public:
        void set_observer(TransportObserver* observer) { observer_ = observer; }
        void noted(TransportCount what, const TransferKey& of) override {
            last_ = of;
            if (observer_ != nullptr) observer_->noted(what, of);
        }
        [[nodiscard]] const TransferKey& last() const { return last_; }

      private:
        TransportObserver* observer_ = nullptr;  // not owned
        TransferKey last_;
    };

    Noted found_, expected_;
    std::unique_ptr<TransportEngine> verilog_, model_;
    PortCheck check_;
    Cycle decided_;  // the last decision has ended
};

}  // namespace rnicsim
