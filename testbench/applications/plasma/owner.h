// SPDX-License-Identifier: Apache-2.0
// The manager that has the objects: it answers TRANSFER with DATA, and sends the object or lets it be read. A user that
// dies does not say that it has read it: a lease ends what it was given.
#pragma once

#include "testbench/applications/plasma/messages.h"
#include "testbench/applications/plasma/set_up.h"
#include "testbench/applications/plasma/settings.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim::applications::plasma {

class Owner final : public End {
  public:
    Owner(const TrafficConfig& item, const Seat& seat)
        : settings_(plasma_of(item)),
          set_up_(item, seat),
          slot_bytes_(std::max(kMessage, carries_by(item, Method::sendrecv) ? settings_.chunk : 0)) {}

    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Owner>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        words.insert(words.end(), {message_.have(), object_.operation, object_.bytes, sent_,
                                   (busy_ ? 1U : 0U) + (unread_ ? 2U : 0U) + (closed_ ? 4U : 0U),
                                   static_cast<std::uint64_t>(object_.about), static_cast<std::uint64_t>(memory_)});
        set_up_.state(words);
    }
    void start(Actions& actions) override;
    void on(const Event& event, Actions& actions) override;

  private:
    // Tags of what ends.
    enum : std::uint32_t { kChunk, kInfo, kRegistered, kGivenUp, kSetUp };
    /// The object's: not registered, or on the way there, registered, on the way back.
    enum class Memory : std::uint8_t { none, asked, lent, given_up };

    void done(const Event& event, Actions& actions);
    void received(std::uint32_t tag, Actions& actions);
    void fails(Actions& actions);
    void give_up(Actions& actions);
    void got_transfer(Actions& actions);
    void go_on(Actions& actions);
    void write_more(Actions& actions);
    void send_window(Actions& actions);
    void rest_if_connected(Actions& actions);
    void over(Actions& actions);
    void rest(Actions& actions);
    void post_receive(std::uint32_t tag, Actions& actions) const {
        actions.post_receive({kSlots, tag * slot_bytes_}, slot_bytes_, tag);
    }
    /// What is under way is an object, and not where one is, or HELLO.
    [[nodiscard]] bool has_object() const { return busy_ && object_.about == Message::About::object; }
    [[nodiscard]] Method method() const { return settings_.method_of(object_.bytes); }

    const PlasmaSettings& settings_;
    SetUp set_up_;
    const std::uint32_t slot_bytes_;
    StreamMessage message_;
    Message object_;       // that is under way
    bool busy_ = false;    // one is
    bool unread_ = false;  // the stream has more, and it is not its turn
    bool closed_ = false;
    Memory memory_ = Memory::none;
    std::uint32_t sent_ = 0;  // bytes of it
};

}  // namespace rnicsim::applications::plasma
