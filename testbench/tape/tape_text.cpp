// SPDX-License-Identifier: Apache-2.0
#include "testbench/tape/tape_text.h"

#include "testbench/scenario/scenario.h"
#include "testbench/tape/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// The kind of that name among those from `first` to before `last`.
FrameKind read_kind(LineReader& in, std::size_t first, std::size_t last, const std::string& expected) {
    const std::string_view kind = in.word();
    const auto names = std::span(kFrameKindNames).subspan(first, last - first);
    const auto found = std::ranges::find(names, kind);
    if (found == names.end()) in.refuse(LineReader::found(kind), expected);
    return static_cast<FrameKind>(first + static_cast<std::size_t>(found - names.begin()));
}

/// "a7 DATA 12": the words of a DRP frame.
void read_drp(LineReader& in, FrameName& frame) {
    const auto [initiator, transfer] = in.transfer();
    frame.initiator = static_cast<std::uint16_t>(initiator);
    frame.transfer = transfer;
    frame.kind = read_kind(in, 0, kFirstRoceKind, "REQ, REQ_ACK, DATA, ACK, REL or REL_ACK");
    if (frame.kind == FrameKind::ordinary) {
        in.refuse("found 'ORDINARY' behind a transfer", "it behind the direction, it belongs to no transfer");
    }
    if (frame.kind == FrameKind::data) {
        frame.sn = static_cast<std::uint32_t>(in.number(in.word(), ~0U, "the SN of the data frame"));
    }
}

/// "a.q3 WRITE +12": those of a RoCEv2 packet, whose QP has been found.
void read_roce(LineReader& in, const TapeNames::QpName& qp, FrameName& frame) {
    frame.initiator = qp.host;
    frame.transfer = in.number(qp.number, (1U << 24U) - 1, "the number of a QP of its host, from 0, such as q3");
    frame.kind = read_kind(in, kFirstRoceKind, kFirstTcpKind,
                           "SEND, WRITE, READ, ATOMIC, RESPONSE, ACK, ATOMIC_ACK, CNP, FLUSH or PACK");
    if (!has_psn(frame.kind)) return;
    const std::string_view psn = in.word();
    const std::string expected = "the PSN from the QP's first one, such as +12";
    if (!psn.starts_with('+')) in.refuse(LineReader::found(psn), expected);
    frame.sn = static_cast<std::uint32_t>(in.number(psn.substr(1), (1U << 24U) - 1, expected));
}

/// "a.s3 TCP +1449": those of a TCP frame, whose stream has been found.
void read_tcp(LineReader& in, const TapeNames::QpName& stream, FrameName& frame) {
    frame.initiator = stream.host;
    frame.transfer =
        in.number(stream.number, (1U << 16U) - 1, "the number of a stream of its host, from 0, such as s3");
    frame.kind = read_kind(in, kFirstTcpKind, kFrameKindNames.size(), "TCP or TCP_ACK");
    const std::string_view bytes = in.word();
    const std::string expected = "where in the stream, such as +1449";
    if (!bytes.starts_with('+')) in.refuse(LineReader::found(bytes), expected);
    frame.sn = static_cast<std::uint32_t>(in.number(bytes.substr(1), ~0U, expected));
}

TapedFrame read_frame(LineReader& in, TapeNames::Direction way) {
    TapedFrame taped;
    taped.frame.link = way.link;
    taped.frame.from_side = way.side;
    LineReader ahead = in;
    const std::string_view first = ahead.word();
    if (first == "ORDINARY") {
        in = ahead;
        taped.frame.kind = FrameKind::ordinary;
    } else if (const auto stream = in.names().find_stream(first)) {
        in = ahead;
        read_tcp(in, *stream, taped.frame);
    } else if (const auto qp = in.names().find_qp(first)) {
        in = ahead;
        read_roce(in, *qp, taped.frame);
    } else {
        read_drp(in, taped.frame);
    }
    taped.frame.ordinal = in.ordinal();
    const std::string_view fault = in.word();
    const auto* const found = std::ranges::find(kFrameFaultNames, fault);
    if (found == kFrameFaultNames.end()) {
        in.refuse(LineReader::found(fault),
                  "lost, corrupted BIT, duplicated [TIME], delayed TIME, overtaken TIME or marked");
    }
    taped.fault = static_cast<FrameFault>(found - kFrameFaultNames.begin());
    switch (taped.fault) {
        case FrameFault::lost:
        case FrameFault::marked: break;
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

/// `link`: its number.
LinkDown read_down(LineReader& in, std::uint16_t link) {
    if (const std::string_view word = in.word(); word != "DOWN") in.refuse(LineReader::found(word), "DOWN FROM..TO");
    const std::string_view text = in.tail();
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) in.refuse(LineReader::found(text), "FROM..TO, such as 1 ms..2 ms");
    std::string_view from = text.substr(0, dots);
    while (from.ends_with(' ')) from.remove_suffix(1);
    std::string_view to = text.substr(dots + 2);
    while (to.starts_with(' ')) to.remove_prefix(1);
    const LinkDown down{in.time(from), in.time(to), link};
    if (down.from >= down.to) in.refuse(LineReader::found(text), "a time TO after FROM");
    return down;
}

TapeEntry read_of_host(LineReader& in, unsigned end) {
    if (!in.names().has_transfers(end))
        in.refuse(LineReader::found(in.names().hosts()[end]) + ", which has no DRP RNIC",
                  "one that has, and registers memory");
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
        task.time = in.cycles(in.tail());
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

/// The link of "link DOWN ..." or, in a network, "link NAME DOWN ...".
std::optional<std::uint16_t> link_ahead(LineReader& in, std::string_view first) {
    if (first != "link") return std::nullopt;
    if (!in.names().network()) return std::uint16_t{0};
    LineReader ahead = in;
    const std::optional<std::uint16_t> link = in.names().find_link(ahead.word());
    if (link) in = ahead;
    return link;
}

/// Of links, and of bridges where there are some.
std::string downs(const TapeNames& names) {
    const std::string link = fmt::format("'{} DOWN'", names.link(0));
    const std::optional<std::uint16_t> bridge = names.first_bridge();
    return bridge ? fmt::format("{}, of a bridge '{} DOWN'", link, names.link(*bridge)) : link;
}

/// What a line may begin with.
std::string beginnings(const TapeNames& names) {
    if (!names.network()) return "a>b or b>a and a frame, a or b and a registration or task, or link DOWN";
    return fmt::format("a direction such as {} and a frame, a host and a registration or task, or {}",
                       names.direction({}), downs(names));
}

TapeEntry read_entry(LineReader& in) {
    const std::string_view first = in.word();
    const TapeNames& names = in.names();
    TapeEntry entry;
    if (const std::optional<TapeNames::Direction> way = names.find_direction(first)) {
        entry = read_frame(in, *way);
    } else if (const std::optional<std::uint16_t> link = link_ahead(in, first)) {
        entry = read_down(in, *link);
    } else if (const std::optional<unsigned> host = names.hosts().find(first)) {
        entry = read_of_host(in, *host);
    } else if (names.network() && first == "link" && !in.done()) {
        in.refuse(LineReader::found(in.word()) + " behind 'link'", downs(names));
    } else {
        in.refuse(LineReader::found(first), beginnings(names));
    }
    in.end();
    return entry;
}

/// The part of a line that a tape may have only once.
std::string key_of(const TapeEntry& entry, const TapeNames& names) {
    std::string line = tape_line(entry, names);
    if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
        const std::string_view fault = kFrameFaultNames.at(static_cast<std::size_t>(taped->fault));
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

[[noreturn]] void refuse_first(const std::string& where, std::string_view line, const TapeNames& names) {
    std::string why;
    if (line == "rnicsim fault tape 1") why = ": the scenario has hosts with names of their own";
    if (line == "rnicsim fault tape 2") why = ": the scenario has two hosts on a link, a and b";
    throw ScenarioError(fmt::format("{}: found '{}', expected the first line '{}'{}", where, line.substr(0, 60),
                                    names.first_line(), why));
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

/// By link and beginning: the lines in which one is down.
using Downs = std::map<std::pair<std::uint16_t, Time>, std::pair<LinkDown, std::size_t>>;

/// A link is not down twice at a time. Where one time begins at the end of another it stays down.
void check_apart(Downs& downs, const LinkDown& down, std::size_t number, const TapeNames& names,
                 const std::string& where) {
    const auto behind = downs.lower_bound({down.link, down.to});
    if (behind != downs.begin()) {
        const auto& [other, line] = std::prev(behind)->second;
        if (other.link == down.link && other.to > down.from) {
            const LinkDown both{std::min(other.from, down.from), std::max(other.to, down.to), down.link};
            throw ScenarioError(fmt::format("{}: '{}' overlaps with line {}, expected one line, such as '{}'", where,
                                            tape_line(down, names), line, tape_line(both, names)));
        }
    }
    downs.emplace(std::pair(down.link, down.from), std::pair(down, number));
}

}  // namespace

FaultTape read_tape(std::string_view text, const std::string& name, const TapeNames& names) {
    FaultTape tape;
    std::map<std::string, std::size_t> lines;
    std::map<FrameName, std::set<FrameFault>> faults;
    std::map<std::pair<unsigned, std::uint32_t>, std::pair<bool, std::size_t>> turns;
    Downs downs;
    bool begun = false;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        const std::string where = name + ':' + std::to_string(number);
        if (!begun) {
            if (line != names.first_line()) refuse_first(where, line, names);
            begun = true;
            continue;
        }
        // A comment begins with # and a blank, or is a line of its own: #3 is a number.
        if (line.starts_with('#')) continue;
        line = line.substr(0, line.find(" # "));
        LineReader in(line.substr(0, line.find_last_not_of(" \t") + 1), where, names);
        if (in.done()) continue;
        const TapeEntry entry = read_entry(in);
        const auto [earlier, fresh] = lines.emplace(key_of(entry, names), number);
        if (!fresh) {
            throw ScenarioError(fmt::format("{}: '{}' is in line {} already, expected it once", where, earlier->first,
                                            earlier->second));
        }
        if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
            check_lost(faults, *taped, where);
            faults[taped->frame].insert(taped->fault);
        }
        if (const auto* const task = std::get_if<TapedTask>(&entry)) check_turn(turns, *task, number, where);
        if (const auto* const down = std::get_if<LinkDown>(&entry)) check_apart(downs, *down, number, names, where);
        tape.push_back(entry);
    }
    if (!begun)
        throw ScenarioError(fmt::format("{}: is empty, expected the first line '{}'", name, names.first_line()));
    return tape;
}

std::string load_tape_text(const std::string& name) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(name, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
        !std::filesystem::is_fifo(status)) {
        throw ScenarioError(name + ": is no file, expected a fault tape");
    }
    std::ifstream file(name, std::ios::binary);
    if (!file) throw ScenarioError(name + ": cannot be read, expected a fault tape");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) throw ScenarioError(name + ": cannot be read to its end, expected a fault tape");
    return text;
}

}  // namespace rnicsim
