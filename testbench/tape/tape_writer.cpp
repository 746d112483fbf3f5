// SPDX-License-Identifier: Apache-2.0
#include "testbench/tape/tape_text.h"
#include "tlm/time/clock.h"

#include <fmt/format.h>

namespace rnicsim {
namespace {

/// In whole cycles of 1 Gb/s, as a hand writes it, or else in picoseconds.
std::string in_words(Time time) {
    const Cycle cycle = kGmiiClock.cycle(time);
    if (kGmiiClock.time(cycle) == time) return fmt::format("{} cycles", cycle.n);
    return fmt::format("{} ps", time.ps);
}

std::string line_of(const TapedFrame& taped, const TapeNames& names) {
    const FrameName& frame = taped.frame;
    std::string line = names.direction({frame.link, frame.from_side}) + ' ';
    if (is_roce(frame.kind)) {
        line += names.qp(frame.initiator, frame.transfer) + ' ';
    } else if (is_tcp(frame.kind)) {
        line += names.hosts().stream(frame.initiator, frame.transfer) + ' ';
    } else if (frame.kind != FrameKind::ordinary) {
        line += names.hosts().transfer(frame.initiator, frame.transfer) + ' ';
    }
    line += kFrameKindNames.at(static_cast<std::size_t>(frame.kind));
    if (frame.kind == FrameKind::data) line += fmt::format(" {}", frame.sn);
    if (has_psn(frame.kind) || is_tcp(frame.kind)) line += fmt::format(" +{}", frame.sn);
    line += fmt::format(" #{} {}", frame.ordinal + 1, kFrameFaultNames.at(static_cast<std::size_t>(taped.fault)));
    if (taped.fault == FrameFault::corrupted) return line + fmt::format(" {}", taped.value);
    return taped.value == 0 ? line : line + ' ' + in_words(Time{taped.value});
}

std::string line_of(const TapedRegistration& attempt, const TapeNames& names) {
    const HostNames& hosts = names.hosts();
    return fmt::format("{} {} REGISTRATION #{} failed", hosts[attempt.end],
                       hosts.transfer(attempt.initiator, attempt.transfer), attempt.attempt + 1);
}

std::string line_of(const TapedTask& task, const TapeNames& names) {
    return fmt::format("{} TASK {} #{} {} {} cycles", names.hosts()[task.end], task.task, task.n + 1,
                       task.holds ? "holds" : "rests", task.time.n);
}

std::string line_of(const LinkDown& down, const TapeNames& names) {
    return fmt::format("{} DOWN {}..{}", names.link(down.link), in_words(down.from), in_words(down.to));
}

}  // namespace

std::string tape_line(const TapeEntry& entry, const TapeNames& names) {
    return std::visit([&](const auto& what) { return line_of(what, names); }, entry);
}

std::string write_tape(const FaultTape& tape, const TapeNames& names) {
    std::string text = names.first_line() + '\n';
    for (const TapeEntry& entry : tape) text += tape_line(entry, names) + '\n';
    return text;
}

}  // namespace rnicsim
