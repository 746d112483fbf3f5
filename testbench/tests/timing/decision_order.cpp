// SPDX-License-Identifier: Apache-2.0
// Which input the transport controller takes first of two that wait in the same cycle (PROTOCOL.md 8.3).
#include "model/faults/random_faults.h"
#include "model/rnic/drp/end/drp_end.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/tests/support/frames.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

using Inputs = std::vector<TransportInput>;

/// Decides nothing; writes down what it is asked to decide about.
class InputRecorder final : public TransportEngine {
  public:
    explicit InputRecorder(Inputs& decided) : decided_(decided) {}

    void on_frame(Cycle, const DrpHeader&, TransportActions&) override { decided_.push_back(TransportInput::frame); }
    void on_command(Cycle, const Command&, TransportActions&) override { decided_.push_back(TransportInput::command); }
    void on_transmitted(Cycle, ConnectionTable::Index, TransportActions&) override {
        decided_.push_back(TransportInput::transmitted);
    }
    std::optional<DataJob> next_data(Cycle) override {
        decided_.push_back(TransportInput::fetch);
        data_waits_ = false;
        DataJob job;
        job.header.len = 1;
        return job;
    }
    void on_timer(Cycle, ConnectionTable::Index, TransportActions&) override {
        decided_.push_back(TransportInput::timer);
        deadline_ = kNever;
    }

    void offer_data() { data_waits_ = true; }
    /// The scanner finds it at `found`, if that is later.
    void expire(Cycle at, Cycle found) {
        deadline_ = at;
        found_ = found;
    }

    void set_observer(TransportObserver*) override {}
    [[nodiscard]] bool has_data() const override { return data_waits_; }
    [[nodiscard]] Cycle next_deadline() const override { return deadline_; }
    void refresh_deadline() override {}
    [[nodiscard]] Expiry next_expiry(Cycle from, ConnectionTable::Index) const override {
        return {std::max({from, deadline_, found_}), 0};
    }
    [[nodiscard]] TransferKey key(ConnectionTable::Index) const override { return {}; }
    [[nodiscard]] const ConnectionTable* visible() const override { return nullptr; }
    [[nodiscard]] std::uint64_t count(TransportCount) const override { return 0; }
    [[nodiscard]] std::uint32_t entries_used() const override { return 0; }
    [[nodiscard]] std::vector<std::string> waiting(Cycle) const override { return {}; }

  private:
    Inputs& decided_;
    bool data_waits_ = false;
    Cycle deadline_ = kNever;
    Cycle found_;
};

class RecordingBlocks final : public BlockFactory {
  public:
    explicit RecordingBlocks(Inputs& decided) : decided_(decided) {}
    [[nodiscard]] std::unique_ptr<TransportEngine> transport(const RnicConfig&) const override {
        auto engine = std::make_unique<InputRecorder>(decided_);
        made = engine.get();
        return engine;
    }
    mutable InputRecorder* made = nullptr;

  private:
    Inputs& decided_;
};

/// What is decided when both inputs are there in the cycle in which the decision before has ended. A timer has expired
/// `overdue` before that, and the scanner finds it in that cycle.
Inputs order_of(TransportInput one, TransportInput other, Cycle overdue = {}) {
    RunConfig config = default_config();
    config.traffic[0].transfers = 0;
    Inputs decided;
    const RecordingBlocks blocks(decided);
    RandomFaults faults(fault_config(config));
    const BlockFactory models{};
    const KitEnds ends({1 << 23, 1 << 23}, {BlockMakers{&blocks}, BlockMakers{&models}});
    System system("system", config, ends, faults, nullptr);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    TransportController& transport = drp_end(system, 0).rnic.transport;

    const auto give = [&](TransportInput input, Cycle at) {
        switch (input) {
            case TransportInput::frame: transport.put(system.frames().take(), DrpHeader{}, at); break;
            case TransportInput::command: transport.command(at, Command{}); break;
            case TransportInput::transmitted: transport.data_transmitted(at, 0); break;
            case TransportInput::fetch: blocks.made->offer_data(); break;
            case TransportInput::timer: blocks.made->expire(at - overdue, at); break;
        }
    };
    const Cycle decision = drp_of(config, 0).rnic.transport.decision;
    const Cycle both = Cycle{100} + decision;
    give(TransportInput::command, Cycle{100});
    REQUIRE(transport.plan(Cycle{100}) == both);
    // As in Rnic::cycle(): a decision ends, new inputs come, the next decision is planned.
    if (one == TransportInput::fetch || other == TransportInput::fetch) give(TransportInput::fetch, both);
    transport.run(both);
    if (one != TransportInput::fetch) give(one, both);
    if (other != TransportInput::fetch) give(other, both);
    for (const int n : {1, 2}) {
        const Cycle end = both + decision * n;
        REQUIRE(transport.plan(end - decision) == end);
        transport.run(end);
    }
    decided.erase(decided.begin());
    return decided;
}

TEST_CASE("a frame and a command in the same cycle: the frame first", "[timing]") {
    CHECK(order_of(TransportInput::command, TransportInput::frame) ==
          Inputs{TransportInput::frame, TransportInput::command});
}

TEST_CASE("a command and a data frame that has left in the same cycle: the command first", "[timing]") {
    CHECK(order_of(TransportInput::transmitted, TransportInput::command) ==
          Inputs{TransportInput::command, TransportInput::transmitted});
}

TEST_CASE("a data frame that has left and a fetch in the same cycle: what has left first", "[timing]") {
    CHECK(order_of(TransportInput::fetch, TransportInput::transmitted) ==
          Inputs{TransportInput::transmitted, TransportInput::fetch});
}

TEST_CASE("a frame and a timer that the scanner finds in the same cycle: the frame first", "[timing]") {
    CHECK(order_of(TransportInput::timer, TransportInput::frame, Cycle{5}) ==
          Inputs{TransportInput::frame, TransportInput::timer});
}

TEST_CASE("a fetch and a timer in the same cycle: the fetch first", "[timing]") {
    CHECK(order_of(TransportInput::timer, TransportInput::fetch) ==
          Inputs{TransportInput::fetch, TransportInput::timer});
}

}  // namespace
}  // namespace rnicsim
