// SPDX-License-Identifier: Apache-2.0
// What both ends of a connection do alike: they find out by TCP whether both hosts have RDMA, register buffers, and
// then carry messages and data by WRITE with immediate, or else by TCP.
#pragma once

#include "testbench/applications/documents/messages.h"
#include "testbench/applications/documents/settings.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace rnicsim::applications::documents {

class Channel : public End {
  public:
    Channel(const TrafficConfig& item, unsigned side);

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& actions) override;
    void on(const Event& event, Actions& actions) final;

    /// Receive WQEs of an end: messages and data of all operations under way, a heartbeat, an ACK.
    static constexpr std::uint32_t receives(std::uint32_t open) { return open + 2; }

  protected:
    /// In the tag of a slot: its memory is no longer registered.
    static constexpr std::uint32_t kGivenUp = 1U << 31U;

    virtual void asked(const Event& /*event*/, Actions& /*actions*/) {}
    virtual void connected(Actions& /*actions*/) {}
    /// A message has come; its document is judged here, before the other end may write over it.
    virtual void look_at(const Message& /*message*/, Place /*document*/, Actions& /*actions*/) {}
    virtual void came(const Message& message, Actions& actions) = 0;
    /// What write_data() was asked for at the other end.
    virtual void data_came(std::uint32_t /*slot*/, Actions& /*actions*/) {}
    /// What write_data() was asked for here is complete.
    virtual void data_sent(std::uint32_t /*slot*/, Actions& /*actions*/) {}
    /// done and timer, of what it has asked for.
    virtual void ended(const Event& /*event*/, Actions& /*actions*/) {}
    virtual void fails(Actions& /*actions*/) {}

    /// Once: hosts tell each other.
    void set_up(Actions& actions);
    void say(const Message& message, Actions& actions);
    void write_data(const Message& request, Actions& actions);
    /// By TCP: so many bytes come next, for this slot.
    void expect_data(std::uint32_t slot, std::uint32_t bytes);

    [[nodiscard]] Place data(std::uint32_t slot) const {
        return settings_.registers_each() ? Place{kData + slot, 0} : Place{kData, slot * data_bytes_};
    }
    [[nodiscard]] const DocumentSettings& settings() const { return settings_; }
    [[nodiscard]] std::uint32_t open() const { return open_; }
    [[nodiscard]] bool is_broken() const { return broken_; }

  private:
    // Tags: of WRITEs that are not a slot's data, and of the pool.
    enum : std::uint32_t { kSaid = 0xFFFF'FFFF, kAcked = 0xFFFF'FFFE, kPool = 0xFFFF'FFFD };
    /// By the stream, on its way out: a message in its slot, or data.
    struct Out {
        Place from;
        std::uint32_t bytes = 0, slot = 0;
        bool is_data = false;
    };
    struct Expected {
        std::uint32_t slot = 0, bytes = 0;
    };
    void tell_hello(Actions& actions);
    void received(const Event& event, Actions& actions);
    void got_message(std::uint32_t slot, Actions& actions);
    void go_on(Actions& actions);
    void put(const Message& message, Place at, Actions& actions) const;
    void post(std::uint32_t tag, std::uint32_t immediate, Place from, std::uint32_t bytes, const Remote& to,
              Actions& actions) const;
    void push(const Out& out, Actions& actions);
    void sent(Actions& actions);
    void read_more(Actions& actions);
    void heard(Actions& actions);
    [[nodiscard]] std::uint32_t slot_of(const Message& message) const {
        return settings_.takes_turns() ? 0 : message.slot;
    }

    const DocumentSettings& settings_;
    const unsigned side_;
    const std::uint32_t open_, data_bytes_, pool_bytes_;
    Remote peer_;                  // its slots
    std::deque<Message> waiting_;  // for their turn
    bool sends_ = false;           // the WRITE of a message is not complete
    bool is_read_ = true;          // the other end has read the last one
    bool broken_ = false, told_ = false, there_ = false;
    std::deque<Out> out_;            // by the stream; the first is being sent
    std::deque<Expected> expected_;  // by the stream; none: a message
    bool readable_ = false, reads_ = false;
    std::uint32_t have_ = 0;       // bytes of what comes by the stream
    std::uint32_t came_slot_ = 0;  // ... and where it comes, if it is a message
};

}  // namespace rnicsim::applications::documents
