// SPDX-License-Identifier: Apache-2.0
// What is sent through a ring that is explored: all messages, whose bytes say which they are.
#pragma once

#include "testbench/applications/nts/ring_program.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::explore {

struct RingPlan {
    /// `words`: of the messages' payloads.
    RingPlan(const nts::RingShape& shape, const nts::RingRules& rules, std::span<const std::uint32_t> words)
        : program(shape, rules) {
        for (const std::uint32_t count : words) {
            const std::uint64_t number = messages.size();
            messages.push_back({number << kNumberShift, count * nts::kWord, static_cast<std::uint16_t>(number + 1)});
        }
    }
    [[nodiscard]] const nts::Message* message(std::uint64_t number) const {
        return number < messages.size() ? &messages[number] : nullptr;
    }
    /// What is sent from there on: never 0, of no other message.
    [[nodiscard]] static constexpr std::uint64_t payload_word(std::uint64_t from) {
        const std::uint64_t message = from >> kNumberShift,
                            word = from % (std::uint64_t{1} << kNumberShift) / nts::kWord;
        return 0x0101'0101'0101'0101U * (message + 1) + ((word + 1) << 56U);
    }

    nts::RingProgram program;
    std::vector<nts::Message> messages;

  private:
    static constexpr unsigned kNumberShift = 32;
};

}  // namespace rnicsim::explore
