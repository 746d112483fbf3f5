// The transport controller in Verilog with the model beside it, which gets the same inputs: the first output that
// differs is named by its port. What follows from a decision is the Verilog's.
#pragma once

#include "model/rnic/transport_engine.h"
#include "model/rtl/port_check.h"

#include <memory>

namespace rnicsim {

class TransportBeside final : public TransportEngine {
  public:
    TransportBeside(std::unique_ptr<TransportEngine> verilog, std::unique_ptr<TransportEngine> model, PortCheck check)
        : verilog_(std::move(verilog)), model_(std::move(model)), check_(std::move(check)) {}

    void set_observer(TransportObserver* observer) override { verilog_->set_observer(observer); }

    void on_command(Cycle now, const Command& command, TransportActions& actions) override;
    void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) override;
    void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override;
    void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) override;
    std::optional<DataJob> next_data(Cycle now) override;
    [[nodiscard]] bool has_data() const override { return verilog_->has_data(); }

    [[nodiscard]] Cycle next_deadline() const override { return verilog_->next_deadline(); }
    void refresh_deadline() override;
    [[nodiscard]] Expiry next_expiry(Cycle from, ConnectionTable::Index position) const override;

    [[nodiscard]] Key key(ConnectionTable::Index entry) const override { return verilog_->key(entry); }
    [[nodiscard]] const ConnectionTable* visible() const override { return nullptr; }
    [[nodiscard]] std::uint64_t count(TransportCount c) const override { return verilog_->count(c); }
    [[nodiscard]] std::uint32_t entries_used() const override { return verilog_->entries_used(); }
    [[nodiscard]] std::vector<std::string> waiting(Cycle now) const override { return verilog_->waiting(now); }

  private:
    /// One decision of both, which `decide` asks an engine for.
    template <typename Decide>
    void both(Cycle now, TransportActions& actions, const Decide& decide);
    /// What is to be seen between decisions.
    void compare_state(Cycle now) const;

    std::unique_ptr<TransportEngine> verilog_, model_;
    PortCheck check_;
};

}  // namespace rnicsim
