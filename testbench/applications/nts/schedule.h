// SPDX-License-Identifier: Apache-2.0
// Which slot of which connection a partition sends next. Connections of one priority take turns, `batch` slots each,
// or a whole message each; one of a lower priority when all above have nothing, or have had `max_rounds` turns.
// Messages of a connection keep their order. One whose other end has no room stands back until it is told that it has.
// What the ends tell each other of that goes with the first priority. A value.
#pragma once

#include "testbench/applications/nts/partition.h"
#include "testbench/applications/nts/ring_program.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim::nts {

class Schedule {
  public:
    static constexpr std::size_t kPriorities = 8;

    /// `settings` outlives it.
    Schedule(const applications::NtsSettings& settings, const Partition& partition);

    /// The member's next message; `at`, in the memory of all.
    void add(std::uint32_t member, std::uint32_t at, std::uint32_t bytes);
    /// The program at the other end has taken so many of its messages.
    void freed(std::uint32_t member, std::uint64_t taken);
    /// A slot's part of a message, with its tag; nothing: none waits.
    std::optional<Message> next();
    void state(std::vector<std::uint64_t>& words) const;

    /// Of a slot: whose it is, and whether its message ends there.
    [[nodiscard]] static std::uint16_t tag_of(std::uint32_t member, bool is_last) {
        return static_cast<std::uint16_t>(member << 1U | (is_last ? 1U : 0U));
    }
    [[nodiscard]] static std::uint32_t member_in(std::uint16_t tag) { return tag >> 1U; }
    [[nodiscard]] static bool is_last_in(std::uint16_t tag) { return (tag & 1U) != 0; }
    static constexpr std::uint32_t kMostMembers = (1U << 15U) - 1;

  private:
    struct Waiting {
        std::uint32_t at = 0, bytes = 0;  // what is left
    };
    struct Sending {
        std::deque<Waiting> messages;
        std::uint8_t priority = 0;
        std::uint32_t limit = 0;             // Member::limit; 0 where nobody tells
        std::uint64_t begun = 0, taken = 0;  // messages; by the program there, as it has told
        bool is_inside = false;              // a message
        bool stands = false;                 // among its class' members, or it is its turn
        [[nodiscard]] bool may_go() const {
            return !messages.empty() && (is_inside || limit == 0 || begun - taken < limit);
        }
    };
    struct Class {
        std::deque<std::uint32_t> members;  // with something to send, whose turn is next first
        std::uint32_t rounds = 0;           // that it has had while a lower one waited
    };
    [[nodiscard]] Class* first_class();
    void stand(std::uint32_t member);

    const applications::NtsSettings* settings_;
    std::vector<Sending> sending_;  // by member; the last one: what the ends tell
    std::array<Class, kPriorities> classes_;
    std::optional<std::uint32_t> turn_;  // whose it is
    std::uint32_t slots_ = 0;            // that it has sent in its turn
};

}  // namespace rnicsim::nts
