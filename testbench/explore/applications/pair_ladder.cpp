// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/applications/pair_ladder.h"

#include <fmt/format.h>

#include <string_view>

namespace rnicsim::explore {
namespace {

constexpr std::size_t kEnd = 34, kWay = 34;  // columns of an end, and between them

std::string arrow(std::string_view label, bool rightwards) {
    std::string line(kWay, '-');
    line.replace(2, label.size() + 2, fmt::format(" {} ", label));
    line.resize(kWay);
    if (rightwards) {
        line.back() = '>';
    } else {
        line.front() = '<';
    }
    return line;
}

std::string line_of(const PairLine& line) {
    const std::string way =
        line.on_the_way ? arrow(line.text.substr(0, kWay - 6), line.side == 0) : std::string(kWay, ' ');
    const std::string_view left = line.side == 0 && !line.on_the_way ? std::string_view(line.text) : "";
    const std::string_view right = line.side == 1 && !line.on_the_way ? std::string_view(line.text) : "";
    std::string text = fmt::format("  {:<{}}|{}|  {}", left, kEnd, way, right);
    text.resize(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

}  // namespace

std::string draw_pair(const PairPlan& plan, const std::vector<PairMove>& trace, const std::string& rule) {
    std::vector<PairLine> lines;
    PairWorld world(plan, &lines);
    for (const PairMove& move : trace) static_cast<void>(world.apply(move));
    std::string text = fmt::format("  {:<{}} {:<{}}   {}\n", "who asks", kEnd, "", kWay, "who answers");
    for (const PairLine& line : lines) text += line_of(line);
    return text + "  ! " + rule + '\n';
}

}  // namespace rnicsim::explore
