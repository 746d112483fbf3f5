// SPDX-License-Identifier: Apache-2.0
// Judges the messages of UC or UD that come to one end of a connection. Messages may be lost, so which one it is shows
// by its bytes: each is whole (V-U1), and none comes oftener than the wire brought it.
#pragma once

#include "model/traffic.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class UnreliableMessages {
  public:
    /// `key_of(m)`: of message m, as message_key() has it.
    UnreliableMessages(const TrafficConfig& item, const MessageKinds& kinds, const VerbsLayout::Buffer& in,
                       std::size_t connection, unsigned sender)
        : item_(&item), kinds_(kinds), in_(in), connection_(connection), sender_(sender), slots_(in.slots) {}

    /// The peer has posted one more.
    void posted() { times_.push_back(0); }
    /// Of a WRITE: `bytes` are placed. Returns what is wrong, or nothing.
    std::string placed(std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// A receive has ended with such a message, in this memory; a datagram's begins with addresses.
    std::string received(rc::Verb verb, std::span<const std::uint8_t> memory, std::uint32_t immediate);

    /// Has it come?
    [[nodiscard]] bool came(std::uint32_t message) const { return message < times_.size() && times_[message] != 0; }
    /// Messages that have come, and how often more than once.
    [[nodiscard]] std::uint64_t arrivals() const { return arrivals_; }
    [[nodiscard]] std::uint64_t copies() const { return copies_; }

  private:
    /// Where a WRITE is placed now.
    struct Slot {
        std::optional<std::uint32_t> message;
        std::uint32_t placed = 0;
    };
    [[nodiscard]] std::uint64_t key_of(std::uint32_t message) const;
    /// The message that begins with these bytes, of those in steps of `step` that may be such: the likeliest first.
    template <class MayBe>
    [[nodiscard]] std::optional<std::uint32_t> find(std::span<const std::uint8_t> bytes, std::uint32_t likely,
                                                    std::uint32_t step, MayBe may_be) const;
    void arrives(std::uint32_t message);

    const TrafficConfig* item_;  // not owned
    MessageKinds kinds_;
    VerbsLayout::Buffer in_;
    std::size_t connection_;
    unsigned sender_;
    std::vector<Slot> slots_;
    std::vector<std::uint8_t> times_;  // by message: how often it has come, up to 255
    std::uint32_t next_ = 0;           // behind the last one that has come
    std::uint64_t arrivals_ = 0, copies_ = 0;
};

}  // namespace rnicsim
