// SPDX-License-Identifier: Apache-2.0
// The operations of an item between this process and another: asked for, timed, judged.
#pragma once

#include "model/config.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/programs/apps/ibv_end.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

namespace rnicsim::apps {

/// One side of all connections of an item with an application.
class Operations final : private Board {
  public:
    /// All outlive it. `side` 0 asks; a socket for each connection. Throws Unusable.
    Operations(const RunConfig& config, std::size_t item, unsigned side, const Card& card,
               std::span<const int> sockets);

    [[nodiscard]] const std::deque<IbvEnd>& ends() const { return ends_; }
    std::deque<IbvEnd>& ends() { return ends_; }
    /// Until both sides are through. Empty: all is well, else what is wrong.
    [[nodiscard]] std::string run();
    /// A row for each operation of who asks, as `rnicsim run --transfers-csv` has them.
    void write_csv(std::ostream& out) const;
    [[nodiscard]] double mean_us() const;

  private:
    struct Operation {
        std::uint32_t bytes = 0;
        Clock::time_point start, end, marked;
        bool failed = false;
        std::array<std::chrono::nanoseconds, 7> parts{};
    };
    struct Connection {
        explicit Connection(MessageKinds its) : kinds(its) {}
        MessageKinds kinds;
        std::vector<Operation> operations;
        applications::EndCounts expected;
        std::uint32_t begun = 0, asked = 0, over = 0;
    };
    // Board
    void marked(std::size_t connection, std::uint32_t operation, unsigned part) override;
    void ended(std::size_t connection, std::uint32_t operation, applications::Outcome outcome) override;
    void differs(std::size_t connection, std::uint32_t operation) override;
    void violates(std::size_t connection, const std::string& what) override;

    bool ask();
    bool poll();
    [[nodiscard]] bool is_through(std::size_t connection) const;
    [[nodiscard]] std::optional<applications::Count> unlike(std::size_t connection) const;
    [[nodiscard]] std::string wrong_with(std::size_t connection) const;

    const RunConfig& config_;
    const TrafficConfig& item_;
    const applications::Application& application_;
    const unsigned side_;
    const bool stream_;  // takes part
    const Card& card_;
    std::vector<Connection> connections_;
    std::deque<IbvEnd> ends_;
    std::unordered_map<std::uint32_t, IbvEnd*> by_qp_;
    std::string wrong_;
};

}  // namespace rnicsim::apps
