// SPDX-License-Identifier: Apache-2.0
// The two ends of a host in a ring: one sends to the next host, the other receives from the last one.
#pragma once

#include "testbench/applications/allreduce/ring.h"
#include "testbench/applications/fifo/receiver.h"
#include "testbench/applications/fifo/sender.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim::applications::allreduce {

/// Where the time of an operation goes: until all that is to be added at this host has been, and the rest.
enum class Part : std::uint8_t { reduce, gather };

/// Its user asks for the operation here.
class RingSender final : public fifo::Sender {
  public:
    RingSender(const fifo::Lane& lane, const Ring& ring) : Sender(lane), ring_(ring) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<RingSender>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    void asked(const Event& event, Actions& actions) override;
    void woken(Actions& actions) override;
    void sent(std::uint64_t message, Outcome outcome, Actions& actions) override;
    void send_more(Actions& actions);
    void end_if_over(Actions& actions);
    void broke(Actions& actions) override;

    const Ring ring_;
    std::uint32_t operation_ = 0, bytes_ = 0;  // what is under way
    bool busy_ = false, marked_ = false;
};

class RingReceiver final : public fifo::Receiver {
  public:
    RingReceiver(const fifo::Lane& lane, const Ring& ring) : Receiver(lane), ring_(ring) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<RingReceiver>(*this); }

  private:
    /// The host's own share has to be there.
    [[nodiscard]] bool has_use(std::uint64_t message, Actions& actions) const override {
        return ring_.get(Ring::Known::asked, actions) > message / ring_.steps();
    }
    void got(std::uint64_t message, std::uint32_t bytes, Actions& actions) override;
    void woken(Actions& actions) override;
    void broke(Actions& actions) override;

    const Ring ring_;
};

}  // namespace rnicsim::applications::allreduce
