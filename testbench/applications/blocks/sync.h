// SPDX-License-Identifier: Apache-2.0
// A node that lacks blocks, and one that has them: irreversible ones first, then those that can be reversed, then each
// as it comes.
#pragma once

#include "testbench/applications/blocks/session.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim::applications::blocks {

/// It gets block i as its operation i.
class Node final : public Session {
  public:
    using Session::Session;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Node>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    [[nodiscard]] bool asks() const override { return true; }
    void asked(const Event& event, Actions& actions) override;
    void connected(Actions& actions) override;
    void block_came(std::uint32_t bytes, Actions& actions) override;
    void fails(Actions& actions) override;
    void take_all(Actions& actions);
    void ask_for_more(Actions& actions) const;

    std::uint32_t wanted_ = 0, came_ = 0, done_ = 0;  // blocks
};

class Source final : public Session {
  public:
    using Session::Session;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Source>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    [[nodiscard]] bool asks() const override { return false; }
    void connected(Actions& actions) override;
    void came(const Message& message, Actions& actions) override;
    void acknowledged(Actions& actions) override;
    void block_sent(Actions& actions) override;
    void timer(Actions& actions) override;
    void send_more(Actions& actions);

    std::uint32_t has_ = 0;                              // blocks of the chain so far
    std::uint32_t allowed_ = 0;                          // ... that the other node wants
    std::uint32_t sent_ = 0, complete_ = 0, acked_ = 0;  // ... whose WRITE is complete; that it has verified
};

}  // namespace rnicsim::applications::blocks
