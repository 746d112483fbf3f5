// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/ntb/ring_ladder.h"

#include <fmt/format.h>

#include <array>

namespace rnicsim::explore {
namespace {

/// Ends in an x if it is lost.
std::string arrow(const std::string& label, bool rightwards, bool lost) {
    constexpr std::size_t kBridge = 30;
    std::string line(kBridge, '-');
    line.replace(2, label.size() + 2, fmt::format(" {} ", label));
    line.resize(kBridge);
    char& head = rightwards ? line.back() : line.front();
    if (lost) {
        head = 'x';
    } else {
        head = rightwards ? '>' : '<';
    }
    return line;
}

std::string line_of(const RingLine& of) {
    std::array<std::string, 4> columns;
    if (of.place == RingLine::Place::stream) {
        columns[2] = fmt::format("{:~^30}", of.side == 0 ? " stream > " : " < stream ");
    } else if (of.place == RingLine::Place::bridge || of.place == RingLine::Place::lost) {
        columns[2] = arrow(of.text, of.side == 0, of.place == RingLine::Place::lost);
    } else if (of.place == RingLine::Place::link) {
        columns[2] = fmt::format("{:=^30}", " " + of.text + " ");
    } else if (of.side == 1) {
        columns[3] = of.place == RingLine::Place::buffers ? of.text + " leave" : of.text;
    } else {
        columns.at(of.place == RingLine::Place::core ? 0 : 1) = of.text;
    }
    std::string text = fmt::format("  {:<27}|{:<27}|{:<30}| {}", columns[0], columns[1], columns[2], columns[3]);
    text.resize(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

}  // namespace

std::string draw_ring(const RingSetting& setting, const std::vector<RingMove>& trace, const std::string& rule) {
    std::vector<RingLine> lines;
    RingWorld world(setting, &lines);
    for (const RingMove& move : trace) static_cast<void>(world.apply(move));
    std::string text =
        fmt::format("  {:<27} {:<27} {:<30}  {}\n", "sender's core", "leaves its buffers", "bridge", "receiver");
    for (const RingLine& line : lines) text += line_of(line);
    return text + "  ! " + rule + '\n';
}

}  // namespace rnicsim::explore
