#include "testbench/tape/tape_text.h"

#include "testbench/scenario/decimal.h"
#include "testbench/scenario/scenario.h"
#include "tlm/time/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::string_view kFirstLine = "rnicsim fault tape 1";
constexpr std::array<std::string_view, 5> kFaultNames{"lost", "corrupted", "duplicated", "delayed", "overtaken"};
/// In cycles: longer than any run, and small enough for sums of several.
constexpr std::int64_t kLongest = std::int64_t{1} << 48;
/// Ten times the lateness that a scenario's link may have: a longer one would only lengthen the run.
constexpr Time kLatest = kMillisecond * 100;

/// Times of the wire are written in byte times of 1 Gb/s.
std::int64_t cycles(Time time) { return kGmiiClock.cycle(time).n; }

/// One line, word by word. Every error names the line.
class LineReader {
  public:
    LineReader(std::string_view line, std::string where, const HostNames& hosts)
        : rest_(line), where_(std::move(where)), hosts_(&hosts) {}

    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const {
        throw ScenarioError(where_ + ": " + what + ", expected " + expected);
    }
    [[nodiscard]] bool done() {
        skip_blanks();
        return rest_.empty();
    }
    /// The next word; "" at the end of the line.
    std::string_view word() {
        skip_blanks();
        const std::string_view found = rest_.substr(0, rest_.find_first_of(" \t"));
        rest_.remove_prefix(found.size());
        return found;
    }
    /// The rest of the line.
    std::string_view tail() {
        skip_blanks();
        return std::exchange(rest_, {});
    }
    void end() {
        if (!done()) refuse(found(rest_), "the end of the line");
    }

    static std::string found(std::string_view word) {
        return word.empty() ? std::string("the line ends") : fmt::format("found '{}'", word);
    }

    std::uint64_t number(std::string_view digits, std::uint64_t most, const std::string& expected) const {
        std::uint64_t value = 0;
        const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || last != digits.data() + digits.size() || value > most) {
            refuse(found(digits), expected);
        }
        return value;
    }
    /// "#3": the third, 2.
    std::uint64_t ordinal() {
        const std::string_view text = word();
        const std::string expected = "which transmission or attempt, #1 for the first";
        if (!text.starts_with('#')) refuse(found(text), expected);
        const std::uint64_t n = number(text.substr(1), std::uint64_t{1} << 32, expected);
        if (n == 0) refuse(found(text), expected);
        return n - 1;
    }
    /// How much later a frame arrives: the rest of the line.
    Time lateness() {
        const std::string_view text = tail();
        const Time late = kGmiiClock.time(time(text));
        if (late > kLatest) refuse(found(text), "100 ms at most; a frame that never comes is lost");
        return late;
    }
    /// "480 ns", "60 cycles"
    Cycle time(std::string_view text) const {
        constexpr std::string_view kCycles = "cycles";
        const std::string expected = "a time of whole cycles of 8 ns such as '60 cycles' or '4 us'";
        if (text.ends_with(kCycles)) {
            std::string_view digits = text.substr(0, text.size() - kCycles.size());
            while (digits.ends_with(' ')) digits.remove_suffix(1);
            return {static_cast<std::int64_t>(number(digits, kLongest, expected))};
        }
        const std::optional<std::int64_t> ns = in_smallest(text, Kind::time);
        if (!ns || *ns < 0 || *ns % 8 != 0 || *ns / 8 > kLongest) refuse(found(text), expected);
        return {*ns / 8};
    }
    /// "a7"
    std::pair<unsigned, std::uint64_t> transfer() {
        const std::string_view text = word();
        const std::string expected = "a transfer, its initiator's end and its number from 0, such as a7";
        const auto [initiator, rest] = hosts_->split(text);
        if (!initiator) refuse(found(text), expected);
        return {*initiator, number(rest, std::uint64_t{1} << 48, expected)};
    }
    [[nodiscard]] const HostNames& hosts() const { return *hosts_; }

  private:
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

    std::string_view rest_;
    std::string where_;
    const HostNames* hosts_;  // not owned
};

/// `from_side`: of the one link, whose side is the host of this number.
TapedFrame read_frame(LineReader& in, std::uint8_t from_side) {
    TapedFrame taped;
    taped.frame.from_side = from_side;
    LineReader ahead = in;
    if (ahead.word() == "ORDINARY") {
        in = ahead;
        taped.frame.kind = FrameKind::ordinary;
    } else {
        const auto [initiator, transfer] = in.transfer();
        taped.frame.initiator = static_cast<std::uint16_t>(initiator);
        taped.frame.transfer = transfer;
        const std::string_view kind = in.word();
        const auto* const found = std::ranges::find(kFrameKindNames, kind);
        if (found == kFrameKindNames.end()) {
            in.refuse(LineReader::found(kind), "REQ, REQ_ACK, DATA, ACK, REL or REL_ACK");
        }
        taped.frame.kind = static_cast<FrameKind>(found - kFrameKindNames.begin());
        if (taped.frame.kind == FrameKind::ordinary) {
            in.refuse("found 'ORDINARY' behind a transfer", "it behind the direction, it belongs to no transfer");
        }
        if (taped.frame.kind == FrameKind::data) {
            taped.frame.sn = static_cast<std::uint32_t>(in.number(in.word(), ~0U, "the SN of the data frame"));
        }
    }
    taped.frame.ordinal = in.ordinal();
    const std::string_view fault = in.word();
    const auto* const found = std::ranges::find(kFaultNames, fault);
    if (found == kFaultNames.end()) {
        in.refuse(LineReader::found(fault), "lost, corrupted BIT, duplicated [TIME], delayed TIME or overtaken TIME");
    }
    taped.fault = static_cast<FrameFault>(found - kFaultNames.begin());
    switch (taped.fault) {
        case FrameFault::lost: break;
        case FrameFault::corrupted:
            taped.value = static_cast<std::int64_t>(in.number(in.word(), ~0U, "the bit of the frame that is flipped"));
            break;
        case FrameFault::duplicated:
            if (!in.done()) taped.value = in.lateness().ps;
            break;
        case FrameFault::delayed:
        case FrameFault::overtaken:
            taped.value = in.lateness().ps;
            if (taped.value == 0) in.refuse("found no time", "at least a cycle");
            break;
    }
    return taped;
}

LinkDown read_down(LineReader& in) {
    if (const std::string_view word = in.word(); word != "DOWN") in.refuse(LineReader::found(word), "DOWN FROM..TO");
    const std::string_view text = in.tail();
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) in.refuse(LineReader::found(text), "FROM..TO, such as 1 ms..2 ms");
    std::string_view from = text.substr(0, dots);
    while (from.ends_with(' ')) from.remove_suffix(1);
    std::string_view to = text.substr(dots + 2);
    while (to.starts_with(' ')) to.remove_prefix(1);
    const LinkDown down{.from = kGmiiClock.time(in.time(from)), .to = kGmiiClock.time(in.time(to))};
    if (down.from >= down.to) in.refuse(LineReader::found(text), "a time TO after FROM");
    return down;
}

TapeEntry read_of_host(LineReader& in, unsigned end) {
    LineReader ahead = in;
    if (ahead.word() == "TASK") {
        in = ahead;
        TapedTask task;
        task.end = end;
        task.task = static_cast<std::uint32_t>(in.number(in.word(), 63, "the number of a task, from 0"));
        task.n = in.ordinal();
        const std::string_view state = in.word();
        if (state != "holds" && state != "rests") in.refuse(LineReader::found(state), "holds TIME or rests TIME");
        task.holds = state == "holds";
        task.time = in.time(in.tail());
        return task;
    }
    const auto [initiator, transfer] = in.transfer();
    if (initiator == end) {
        in.refuse("found a transfer that this end asks for itself", "one of its peer, whose memory it registers");
    }
    if (const std::string_view word = in.word(); word != "REGISTRATION") {
        in.refuse(LineReader::found(word), "REGISTRATION #N failed");
    }
    const std::uint64_t attempt = in.ordinal();
    if (const std::string_view word = in.word(); word != "failed") in.refuse(LineReader::found(word), "failed");
    return TapedRegistration{end, initiator, transfer, static_cast<std::uint32_t>(attempt)};
}

TapeEntry read_entry(LineReader& in) {
    const std::string_view first = in.word();
    TapeEntry entry;
    const HostNames& hosts = in.hosts();
    const std::size_t arrow = first.find('>');
    const std::optional<unsigned> host = hosts.find(first.substr(0, arrow));
    if (host && arrow == std::string_view::npos) {
        entry = read_of_host(in, *host);
    } else if (host && hosts.find(first.substr(arrow + 1)) == 1 - *host) {
        entry = read_frame(in, static_cast<std::uint8_t>(*host));
    } else if (first == "link") {
        entry = read_down(in);
    } else {
        in.refuse(LineReader::found(first), "a>b or b>a and a frame, a or b and a registration or task, or link DOWN");
    }
    in.end();
    return entry;
}

/// The part of a line that a tape may have only once; times of the link may overlap.
std::string key_of(const TapeEntry& entry, const HostNames& hosts) {
    std::string line = tape_line(entry, hosts);
    if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
        const std::string_view fault = kFaultNames.at(static_cast<std::size_t>(taped->fault));
        return line.substr(0, line.rfind(fault) + fault.size());
    }
    if (std::holds_alternative<TapedTask>(entry)) return line.substr(0, line.find(' ', line.find('#')));
    return line;
}

/// A frame that is lost has no other fault.
void check_lost(const std::map<FrameName, std::set<FrameFault>>& faults, const TapedFrame& taped,
                const std::string& where) {
    const auto found = faults.find(taped.frame);
    if (found == faults.end()) return;
    if (taped.fault == FrameFault::lost || found->second.contains(FrameFault::lost)) {
        throw ScenarioError(where + ": the frame is lost and meets another fault, expected one or the other");
    }
}

/// A task holds memory and rests in turn.
void check_turn(std::map<std::pair<unsigned, std::uint32_t>, std::pair<bool, std::size_t>>& turns,
                const TapedTask& task, std::size_t number, const std::string& where) {
    const bool first_holds = task.holds == (task.n % 2 == 0);
    const auto [earlier, fresh] = turns.try_emplace({task.end, task.task}, first_holds, number);
    if (fresh || earlier->second.first == first_holds) return;
    throw ScenarioError(fmt::format("{}: found '{}', expected '{}': a task holds memory and rests in turn, see line {}",
                                    where, task.holds ? "holds" : "rests", task.holds ? "rests" : "holds",
                                    earlier->second.second));
}

}  // namespace

FaultTape read_tape(std::string_view text, const std::string& name, const HostNames& hosts) {
    FaultTape tape;
    std::map<std::string, std::size_t> lines;
    std::map<FrameName, std::set<FrameFault>> faults;
    std::map<std::pair<unsigned, std::uint32_t>, std::pair<bool, std::size_t>> turns;
    bool begun = false;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        const std::string where = name + ':' + std::to_string(number);
        if (!begun) {
            if (line != kFirstLine) {
                throw ScenarioError(
                    fmt::format("{}: found '{}', expected the first line '{}'", where, line.substr(0, 60), kFirstLine));
            }
            begun = true;
            continue;
        }
        // A comment begins with # and a blank, or is a line of its own: #3 is a number.
        if (line.starts_with('#')) continue;
        line = line.substr(0, line.find(" # "));
        LineReader in(line.substr(0, line.find_last_not_of(" \t") + 1), where, hosts);
        if (in.done()) continue;
        const TapeEntry entry = read_entry(in);
        const auto [earlier, fresh] = lines.emplace(key_of(entry, hosts), number);
        if (!fresh) {
            throw ScenarioError(fmt::format("{}: '{}' is in line {} already, expected it once", where, earlier->first,
                                            earlier->second));
        }
        if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
            check_lost(faults, *taped, where);
            faults[taped->frame].insert(taped->fault);
        }
        if (const auto* const task = std::get_if<TapedTask>(&entry)) check_turn(turns, *task, number, where);
        tape.push_back(entry);
    }
    if (!begun) throw ScenarioError(fmt::format("{}: is empty, expected the first line '{}'", name, kFirstLine));
    return tape;
}

FaultTape load_tape(const std::string& name, const HostNames& hosts) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(name, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
        !std::filesystem::is_fifo(status)) {
        throw ScenarioError(name + ": is no file, expected a fault tape");
    }
    std::ifstream file(name, std::ios::binary);
    if (!file) throw ScenarioError(name + ": cannot be read, expected a fault tape");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) throw ScenarioError(name + ": cannot be read to its end, expected a fault tape");
    return read_tape(text, name, hosts);
}

std::string tape_line(const TapeEntry& entry, const HostNames& hosts) {
    if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
        const FrameName& frame = taped->frame;
        std::string line = hosts.direction(frame.from_side, 1U - frame.from_side) + ' ';
        if (frame.kind != FrameKind::ordinary) line += hosts.transfer(frame.initiator, frame.transfer) + ' ';
        line += kFrameKindNames.at(static_cast<std::size_t>(frame.kind));
        if (frame.kind == FrameKind::data) line += fmt::format(" {}", frame.sn);
        line += fmt::format(" #{} {}", frame.ordinal + 1, kFaultNames.at(static_cast<std::size_t>(taped->fault)));
        if (taped->fault == FrameFault::corrupted) return line + fmt::format(" {}", taped->value);
        return taped->value == 0 ? line : line + fmt::format(" {} cycles", cycles(Time{taped->value}));
    }
    if (const auto* const attempt = std::get_if<TapedRegistration>(&entry)) {
        return fmt::format("{} {} REGISTRATION #{} failed", hosts[attempt->end],
                           hosts.transfer(attempt->initiator, attempt->transfer), attempt->attempt + 1);
    }
    if (const auto* const task = std::get_if<TapedTask>(&entry)) {
        return fmt::format("{} TASK {} #{} {} {} cycles", hosts[task->end], task->task, task->n + 1,
                           task->holds ? "holds" : "rests", task->time.n);
    }
    const auto& down = std::get<LinkDown>(entry);
    return fmt::format("link DOWN {} cycles..{} cycles", cycles(down.from), cycles(down.to));
}

std::string write_tape(const FaultTape& tape, const HostNames& hosts) {
    std::string text = std::string(kFirstLine) + '\n';
    for (const TapeEntry& entry : tape) text += tape_line(entry, hosts) + '\n';
    return text;
}

}  // namespace rnicsim
