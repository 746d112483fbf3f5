// SPDX-License-Identifier: Apache-2.0
// The two ends of a connection: side 0 sends messages, side 1 takes them and, if it is asked to, sends each back. An
// operation ends where its message is taken last. Values.
#pragma once

#include "testbench/applications/nts/message_pipe.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim::nts {

/// Where the time of an operation goes: on the way there, on the way back.
enum class Part : std::uint8_t { there, back };

class RingEnd final : public applications::End, private MessagePipe::User {
  public:
    RingEnd(const TrafficConfig& item, const applications::Seat& seat);
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<RingEnd>(*this); }
    void start(Actions& actions) override { pipe_.start(actions); }
    void on(const applications::Event& event, Actions& actions) override;
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    void asked(const applications::Event& event, Actions& actions);
    void came(const Queue::Entry& message, Actions& actions) override;

    unsigned side_;
    bool answers_;
    MessagePipe pipe_;
    std::uint32_t operation_ = 0;  // of what comes next
};

}  // namespace rnicsim::nts
