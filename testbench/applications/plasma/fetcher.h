// SPDX-License-Identifier: Apache-2.0
// The manager whose user wants an object: it asks for it with TRANSFER, makes a copy of it in its own store, and seals
// it. One object at a time.
#pragma once

#include "testbench/applications/plasma/messages.h"
#include "testbench/applications/plasma/set_up.h"
#include "testbench/applications/plasma/settings.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::plasma {

/// Where the time of an object goes: until DATA is read, until the store has made room, until its memory is registered
/// and INFO has come, until the bytes are there, until its memory is given up, until it is sealed.
enum class Part : std::uint8_t { ask, create, prepare, body, give_up, seal };

class Fetcher final : public End {
  public:
    Fetcher(const TrafficConfig& item, const Seat& seat)
        : settings_(plasma_of(item)),
          set_up_(item, seat),
          slot_bytes_(std::max(kMessage, carries_by(item, Method::sendrecv) ? settings_.chunk : 0)) {}

    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Fetcher>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        words.insert(words.end(), {message_.have(), object_.operation, object_.bytes, place_.address, got_, chunks_,
                                   static_cast<std::uint64_t>(state_),
                                   (has_info_ ? 1U : 0U) + (is_registered_ ? 2U : 0U) + (unread_ ? 4U : 0U) +
                                       (broken_ ? 8U : 0U) + (greeted_ ? 16U : 0U)});
        set_up_.state(words);
        for (const Slot& slot : come_) words.push_back(std::uint64_t{slot.tag} << 32U | slot.bytes);
    }
    void start(Actions& actions) override;
    void on(const Event& event, Actions& actions) override;

  private:
    enum class State : std::uint8_t { rests, looks_up, greets, connects, asks, creates, prepares, gets, gives_up };
    // Tags of what ends.
    enum : std::uint32_t { kAck, kRead, kFin, kCreated, kRegistered, kGivenUp, kSetUp };
    struct Slot {
        std::uint32_t tag = 0, bytes = 0;
    };

    void asked(const Event& event, Actions& actions);
    void greet(Actions& actions);
    void go_on_if_connected(Actions& actions);
    void say(State state, Message::About about, Actions& actions);
    void read(std::uint32_t bytes, Actions& actions);
    void created(Actions& actions);
    void take_chunks(Actions& actions);
    void read_if_ready(Actions& actions);
    void seal(Actions& actions);
    void fails(Actions& actions);
    void give_up(Actions& actions);
    void mark(Part part, Actions& actions) const { actions.mark(object_.operation, static_cast<unsigned>(part)); }
    void post_receive(std::uint32_t tag, Actions& actions) const {
        actions.post_receive({kSlots, tag * slot_bytes_}, slot_bytes_, tag);
    }
    [[nodiscard]] Method method() const { return settings_.method_of(object_.bytes); }

    const PlasmaSettings& settings_;
    SetUp set_up_;
    const std::uint32_t slot_bytes_;
    State state_ = State::rests;
    StreamMessage message_;
    Message object_;  // that is wanted
    Remote place_;    // where it is: INFO may come before DATA
    bool has_info_ = false, is_registered_ = false;
    bool unread_ = false;  // the stream has more, and it is not its turn
    bool broken_ = false;
    bool greeted_ = false;      // HELLO has been answered
    std::uint32_t got_ = 0;     // bytes of it
    std::uint32_t chunks_ = 0;  // of it
    std::deque<Slot> come_;     // SENDs that are not taken yet
};

}  // namespace rnicsim::applications::plasma
