// SPDX-License-Identifier: Apache-2.0
#include "testbench/tape/line_reader.h"

#include "testbench/scenario/decimal.h"
#include "testbench/scenario/scenario.h"
#include "tlm/time/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace rnicsim {
namespace {

/// In cycles: longer than any run, and small enough for sums of several.
constexpr std::int64_t kLongest = std::int64_t{1} << 48;
/// Ten times the lateness that a scenario's link may have: a longer one would only lengthen the run.
constexpr Time kLatest = kMillisecond * 100;
constexpr std::int64_t kCycle = 8'000;  // ps

/// The number before a unit: "60" of "60 cycles".
std::string_view before(std::string_view text, std::string_view unit) {
    text.remove_suffix(unit.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

void LineReader::refuse(const std::string& what, const std::string& expected) const {
    throw ScenarioError(where_ + ": " + what + ", expected " + expected);
}

std::string LineReader::found(std::string_view word) {
    return word.empty() ? std::string("the line ends") : fmt::format("found '{}'", word);
}

void LineReader::skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

bool LineReader::done() {
    skip_blanks();
    return rest_.empty();
}

std::string_view LineReader::word() {
    skip_blanks();
    const std::string_view found = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(found.size());
    return found;
}

std::string_view LineReader::tail() {
    skip_blanks();
    return std::exchange(rest_, {});
}

void LineReader::end() {
    if (!done()) refuse(found(rest_), "the end of the line");
}

std::uint64_t LineReader::number(std::string_view digits, std::uint64_t most, const std::string& expected) const {
    std::uint64_t value = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || last != digits.data() + digits.size() || value > most) refuse(found(digits), expected);
    return value;
}

std::uint64_t LineReader::ordinal() {
    const std::string_view text = word();
    const std::string expected = "which transmission or attempt, #1 for the first";
    if (!text.starts_with('#')) refuse(found(text), expected);
    const std::uint64_t n = number(text.substr(1), std::uint64_t{1} << 32, expected);
    if (n == 0) refuse(found(text), expected);
    return n - 1;
}

Cycle LineReader::cycles(std::string_view text, std::string_view or_else) const {
    constexpr std::string_view kCycles = "cycles";
    const std::string expected =
        std::string("a time of whole cycles of 8 ns such as '60 cycles' or '4 us'").append(or_else);
    if (text.ends_with(kCycles)) return {static_cast<std::int64_t>(number(before(text, kCycles), kLongest, expected))};
    const std::optional<std::int64_t> ns = in_smallest(text, Kind::time);
    if (!ns || *ns < 0 || *ns % 8 != 0 || *ns / 8 > kLongest) refuse(found(text), expected);
    return {*ns / 8};
}

Time LineReader::time(std::string_view text) const {
    constexpr std::string_view kPicoseconds = "ps";
    if (!names_->network()) return kGmiiClock.time(cycles(text));
    if (!text.ends_with(kPicoseconds))
        return kGmiiClock.time(cycles(text, ", or of whole picoseconds such as '720 ps'"));
    return Time{static_cast<std::int64_t>(
        number(before(text, kPicoseconds), kLongest * kCycle, "a whole number of picoseconds such as '720 ps'"))};
}

Time LineReader::lateness() {
    const std::string_view text = tail();
    const Time late = time(text);
    if (late > kLatest) refuse(found(text), "100 ms at most; a frame that never comes is lost");
    return late;
}

std::pair<unsigned, std::uint64_t> LineReader::transfer() {
    const std::string_view text = word();
    const std::string expected =
        names_->has_qps(0)
            ? "a QP such as " + names_->qp(0, 0)
            : "a transfer, its initiator's end and its number from 0, such as " + names_->hosts().transfer(0, 7);
    const auto [initiator, rest] = names_->hosts().split(text);
    if (!initiator) refuse(found(text), expected);
    if (!names_->has_transfers(*initiator))
        refuse(found(text) +
                   (names_->has_qps(*initiator) ? ", and that host has QPs" : ", and a plain host has no transfers"),
               names_->has_qps(*initiator) ? "one of them, such as " + names_->qp(*initiator, 0)
                                           : "ORDINARY, or a transfer of a DRP host");
    return {*initiator, number(rest, std::uint64_t{1} << 48, expected)};
}

}  // namespace rnicsim
