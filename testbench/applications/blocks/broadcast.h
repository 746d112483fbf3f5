// SPDX-License-Identifier: Apache-2.0
// A producer that has its blocks verified, and one of its peers.
#pragma once

#include "testbench/applications/blocks/session.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::blocks {

/// Its operation i is block i, until this peer's verdict has come.
class Producer final : public Session {
  public:
    using Session::Session;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Producer>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    [[nodiscard]] bool asks() const override { return true; }
    void asked(const Event& event, Actions& actions) override;
    void connected(Actions& actions) override;
    void came(const Message& message, Actions& actions) override;
    void block_sent(Actions& actions) override;
    void fails(Actions& actions) override;
    void send_more(Actions& actions);

    std::deque<std::uint32_t> waiting_;                 // bytes of blocks
    std::uint32_t sent_ = 0, complete_ = 0, done_ = 0;  // blocks
    bool asked_ = false, connected_ = false;
};

class Peer final : public Session {
  public:
    using Session::Session;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Peer>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    [[nodiscard]] bool asks() const override { return false; }
    void connected(Actions& /*actions*/) override {}
    void block_came(std::uint32_t bytes, Actions& actions) override;

    std::uint32_t came_ = 0;  // blocks
};

}  // namespace rnicsim::applications::blocks
