// SPDX-License-Identifier: Apache-2.0
// What clients and servers of keys and values say, as text (RESP, Redis' protocol), and where an end's memory has what.
#pragma once

#include "testbench/applications/end.h"
#include "testbench/applications/kv/settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace rnicsim::applications::kv {

// Areas, of both ends; those of rings are nts', whose first is kOut.
inline constexpr std::uint32_t kOut = 0;      ///< messages to be sent, a place for each operation under way
inline constexpr std::uint32_t kIn = 1;       ///< the query buffer: what has been read
inline constexpr std::uint32_t kSlots = 2;    ///< of receives
inline constexpr std::uint32_t kReceive = 3;  ///< what the other end writes
inline constexpr std::uint32_t kSend = 4;     ///< copies of what is written there
inline constexpr std::uint32_t kTell = 5;     ///< a message about memory

/// Valkey's messages about memory: RegisterXferMemory has an address, a length and a key.
inline constexpr std::uint32_t kTold = 32;

/// Text of a message in front of its value, or all of it.
struct Head {
    std::array<char, 1100> text{};
    std::uint32_t bytes = 0;
};
[[nodiscard]] Head command_head(const KvSettings& of, std::uint32_t operation, std::uint32_t value);
[[nodiscard]] Head answer_head(const KvSettings& of, std::uint32_t value);
/// Bytes of a whole message.
[[nodiscard]] std::uint32_t command_bytes(const KvSettings& of, std::uint32_t value);
[[nodiscard]] std::uint32_t answer_bytes(const KvSettings& of, std::uint32_t value);
/// ... of the longest one.
[[nodiscard]] inline std::uint32_t message_bytes(const KvSettings& of, std::uint32_t value) {
    return std::max(command_bytes(of, value), answer_bytes(of, value));
}
/// Behind a value.
inline constexpr std::string_view kLineEnd = "\r\n";

/// A command that is complete, or is none. Its key says which operation it is and how long the value, so that a store
/// without a past has it.
struct Command {
    std::uint32_t operation = 0, value = 0;  ///< `value`: bytes
    std::uint32_t value_at = 0;              ///< of a set: in the text
    std::uint32_t bytes = 0;
    bool is_wrong = false;  ///< it is none
};
[[nodiscard]] std::optional<Command> read_command(const KvSettings& of, std::span<const std::uint8_t> text);
struct Answer {
    std::uint32_t value = 0, value_at = 0, bytes = 0;
    bool is_wrong = false;
};
[[nodiscard]] std::optional<Answer> read_answer(const KvSettings& of, std::span<const std::uint8_t> text);

}  // namespace rnicsim::applications::kv
