// SPDX-License-Identifier: Apache-2.0
// Who sends: it waits for the next slot of its FIFO, and writes its message where that says.
#pragma once

#include "testbench/applications/fifo/lane.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::fifo {

/// What is sent, and for whom, is its user's.
class Sender : public End {
  public:
    explicit Sender(const Lane& lane) : lane_(lane) {}

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& /*actions*/) override {}
    void on(const Event& event, Actions& actions) override;

  protected:
    /// The next message: its data are in its buffer.
    void put(std::uint32_t bytes, Actions& actions);
    [[nodiscard]] const Lane& lane() const { return lane_; }
    /// Of the next message.
    [[nodiscard]] Place next_place() const { return lane_.place_of(put_); }
    [[nodiscard]] std::uint64_t put_so_far() const { return put_; }
    [[nodiscard]] std::uint64_t complete() const { return complete_; }
    [[nodiscard]] bool has_buffer() const { return put_ - complete_ < lane_.buffers; }
    [[nodiscard]] bool is_broken() const { return broken_; }
    /// Its connection is of no use any more: all that was put fails.
    void breaks(Actions& actions, bool closes);

    virtual void asked(const Event& event, Actions& actions) = 0;
    /// By an end with which it shares memory.
    virtual void woken(Actions& /*actions*/) {}
    /// There is a slot for the message, and it goes.
    virtual void goes(std::uint64_t /*message*/, Actions& /*actions*/) {}
    /// It is complete, or has failed.
    virtual void sent(std::uint64_t message, Outcome outcome, Actions& actions) = 0;
    /// All that was put has failed.
    virtual void broke(Actions& /*actions*/) {}

  private:
    void open(Actions& actions);
    void watch(std::uint32_t slot, Actions& actions) const;
    void send_more(Actions& actions);
    void send(std::uint64_t message, std::uint32_t bytes, const Slot& to, Actions& actions) const;

    const Lane lane_;
    bool open_ = false, broken_ = false;
    std::uint64_t come_ = 0;                // slots that have
    std::uint64_t head_ = 0;                // ... that are used: messages that go
    std::uint64_t put_ = 0, complete_ = 0;  // messages
    std::deque<std::uint32_t> waiting_;     // bytes of messages that wait for their slots
};

}  // namespace rnicsim::applications::fifo
