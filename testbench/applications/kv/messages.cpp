// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace rnicsim::applications::kv {
namespace {

constexpr std::uint32_t kDigits = 8;  // of a number in a key, hexadecimal

template <typename... Args>
void append(Head& to, fmt::format_string<Args...> format, Args&&... args) {
    const auto done =
        fmt::format_to_n(to.text.data() + to.bytes, to.text.size() - to.bytes, format, std::forward<Args>(args)...);
    to.bytes += static_cast<std::uint32_t>(done.size);
}

std::optional<std::uint32_t> number(std::string_view text, int base) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// "$12\r\n", the length of what is behind it.
struct Length {
    std::uint32_t value = 0, bytes = 0;
    bool is_wrong = false;
};
std::optional<Length> read_length(std::string_view text) {
    constexpr std::size_t kMost = 12;  // bytes of one
    if (!text.empty() && text.front() != '$') return Length{.is_wrong = true};
    const std::size_t end = text.find(kLineEnd);
    if (end == std::string_view::npos && text.size() < kMost) return {};
    const std::optional<std::uint32_t> value = number(text.substr(0, end).substr(1), 10);
    if (!value) return Length{.is_wrong = true};
    return Length{*value, static_cast<std::uint32_t>(end + kLineEnd.size())};
}

/// In front of the key.
void append_start(Head& to, const KvSettings& of) {
    const bool sets = of.operation == KvOperation::set;
    append(to, "*{}\r\n$3\r\n{}\r\n${}\r\n", sets ? 3 : 2, sets ? "SET" : "GET", of.key);
}

}  // namespace

Head command_head(const KvSettings& of, std::uint32_t operation, std::uint32_t value) {
    Head head;
    append_start(head, of);
    append(head, "{:08x}{:08x}{:0>{}}\r\n", operation, value, "", of.key - 2 * kDigits);
    if (of.operation == KvOperation::set) append(head, "${}\r\n", value);
    return head;
}

Head answer_head(const KvSettings& of, std::uint32_t value) {
    Head head;
    if (of.operation == KvOperation::set) {
        append(head, "+OK\r\n");
    } else {
        append(head, "${}\r\n", value);
    }
    return head;
}

std::uint32_t command_bytes(const KvSettings& of, std::uint32_t value) {
    const std::uint32_t head = command_head(of, 0, value).bytes;
    return of.operation == KvOperation::set ? head + value + static_cast<std::uint32_t>(kLineEnd.size()) : head;
}

std::uint32_t answer_bytes(const KvSettings& of, std::uint32_t value) {
    const std::uint32_t head = answer_head(of, value).bytes;
    return of.operation == KvOperation::get ? head + value + static_cast<std::uint32_t>(kLineEnd.size()) : head;
}

std::optional<Command> read_command(const KvSettings& of, std::span<const std::uint8_t> bytes) {
    Head start;
    append_start(start, of);
    const std::string_view text = as_text(bytes), expected(start.text.data(), start.bytes);
    const std::size_t common = std::min(text.size(), expected.size());
    if (text.substr(0, common) != expected.substr(0, common)) return Command{.is_wrong = true};
    const std::uint32_t behind_key = start.bytes + of.key + static_cast<std::uint32_t>(kLineEnd.size());
    if (text.size() < behind_key) return {};
    const std::optional<std::uint32_t> operation = number(text.substr(start.bytes, kDigits), 16),
                                       value = number(text.substr(start.bytes + kDigits, kDigits), 16);
    if (!operation || !value) return Command{.is_wrong = true};
    Command command{.operation = *operation, .value = *value, .bytes = behind_key};
    if (of.operation == KvOperation::get) return command;
    const std::optional<Length> length = read_length(text.substr(behind_key));
    if (!length) return {};
    if (length->is_wrong || length->value != command.value) return Command{.is_wrong = true};
    command.value_at = behind_key + length->bytes;
    command.bytes = command.value_at + length->value + static_cast<std::uint32_t>(kLineEnd.size());
    if (text.size() < command.bytes) return {};
    return command;
}

std::optional<Answer> read_answer(const KvSettings& of, std::span<const std::uint8_t> bytes) {
    const std::string_view text = as_text(bytes);
    if (of.operation == KvOperation::set) {
        const Head ok = answer_head(of, 0);
        const std::string_view expected(ok.text.data(), ok.bytes);
        const std::size_t common = std::min(text.size(), expected.size());
        if (text.substr(0, common) != expected.substr(0, common)) return Answer{.is_wrong = true};
        if (common < expected.size()) return {};
        return Answer{.bytes = ok.bytes};
    }
    const std::optional<Length> length = read_length(text);
    if (!length) return {};
    if (length->is_wrong) return Answer{.is_wrong = true};
    const Answer answer{.value = length->value,
                        .value_at = length->bytes,
                        .bytes = length->bytes + length->value + static_cast<std::uint32_t>(kLineEnd.size())};
    if (text.size() < answer.bytes) return {};
    return answer;
}

}  // namespace rnicsim::applications::kv
