// SPDX-License-Identifier: Apache-2.0
// What both ends of a tensor connection do alike: they tell each other where messages go, and then write one message at
// a time to the other end's only buffer, which says with an ACK that it has read it.
#pragma once

#include "testbench/applications/tensor/messages.h"
#include "testbench/applications/tensor/settings.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim::applications::tensor {

class Channel : public End {
  public:
    explicit Channel(const TrafficConfig& item)
        : settings_(tensor_of(item)), most_(item.size), depth_(settings_.under_way(item.verbs.depth)) {}

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& actions) override;
    void on(const Event& event, Actions& actions) final;

    /// Those that `depth` tensors under way need: tensors, a message and an ACK.
    static constexpr std::uint32_t receives(std::uint32_t depth) { return depth + 2; }

  protected:
    virtual void asked(const Event& /*event*/, Actions& /*actions*/) {}
    /// The other end has told where messages go.
    virtual void connected(Actions& actions) = 0;
    virtual void came(const Message& message, Actions& actions) = 0;
    virtual void tensor_came(std::uint32_t /*operation*/, Actions& /*actions*/) {}
    /// The WRITE from this slot is complete.
    virtual void slot_is_free(std::uint32_t /*slot*/, Actions& /*actions*/) {}
    /// A message has been posted.
    virtual void posted(const Message& /*message*/, Actions& /*actions*/) {}
    virtual void fails(Actions& /*actions*/) {}

    [[nodiscard]] bool is_broken() const { return broken_; }
    [[nodiscard]] const TensorSettings& settings() const { return settings_; }
    [[nodiscard]] std::uint32_t depth() const { return depth_; }
    [[nodiscard]] Place slot(std::uint32_t number) const { return {kSlots, number * most_}; }
    [[nodiscard]] Place tensor(std::uint32_t number) const { return {kTensors, number * most_}; }
    /// What protobuf does, beside the copy.
    void serialize(std::uint32_t bytes, Actions& actions) const;
    static void tell_address(Actions& actions);
    void say(const Message& message, Actions& actions);
    void write_tensor(std::uint32_t from, const Message& request, Actions& actions);

  private:
    // Tags of WRITEs that are not a slot's.
    enum : std::uint32_t { kSaid = 0xFFFF'FFFF, kAcked = 0xFFFF'FFFE };

    void go_on(Actions& actions);
    void received(const Event& event, Actions& actions);
    void post(std::uint32_t tag, std::uint32_t immediate, Place from, std::uint32_t bytes, const Remote& to,
              Actions& actions) const;

    const TensorSettings& settings_;
    const std::uint32_t most_, depth_;
    Remote peer_;  // its buffer of messages
    std::deque<Message> waiting_;
    bool sends_ = false;   // the WRITE of a message is not complete
    bool is_read_ = true;  // the other end has read the last one
    bool broken_ = false;
    std::uint32_t have_ = 0;  // bytes of its address
};

}  // namespace rnicsim::applications::tensor
