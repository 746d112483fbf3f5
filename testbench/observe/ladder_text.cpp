// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/ladder_text.h"

#include "testbench/events/microseconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::size_t kHost = 29;  // columns of a host
constexpr std::size_t kWire = 52;  // between the two RNICs

// With kernels.
constexpr std::size_t kThreadColumn = 30, kKernelColumn = 22, kLessWire = 44;

/// "-- DATA 3 ------------>", with an x where a frame is lost or damaged.
std::string arrow(const LadderFrames& frames, const std::size_t width) {
    const char shaft = frames.look == LadderFrames::Look::data ? '=' : '-';
    const std::string label = (' ' + frames.label() + ' ').substr(0, width - 4);
    std::string line(width, shaft);
    if (frames.by_initiator) {
        line.replace(2, label.size(), label);
        line.back() = '>';
        if (frames.damaged) line.back() = 'x';
        if (frames.lost) line.replace(width * 3 / 4, width, "x" + std::string(width - width * 3 / 4 - 1, ' '));
    } else {
        line.replace(width - 2 - label.size(), label.size(), label);
        line.front() = '<';
        if (frames.damaged) line.front() = 'x';
        if (frames.lost) line.replace(0, width / 4, std::string(width / 4 - 1, ' ') + 'x');
    }
    return line;
}

/// "  16!": how many lines are in each stage.
std::string stays_text(const Ladder& ladder, const LadderRow& row) {
    constexpr std::string_view kRisks = " ?!";
    std::string text;
    for (const LadderStage& stage : ladder.stages) {
        const LadderStay& stay = row.stays.at(stage_of(stage.lane));
        text += fmt::format("{:>4}{}", stay.lines == 0 ? "." : std::to_string(stay.lines),
                            stay.lines == 0 ? ' ' : kRisks.at(static_cast<std::size_t>(stay.risk)));
    }
    return text;
}

std::string first_line(const Ladder& ladder) {
    const std::string& a = ladder.initiator;
    const std::string& b = ladder.responder;
    std::string stages;
    for (const LadderStage& stage : ladder.stages) stages += fmt::format("{:>4} ", stage.name);
    const std::string_view host = ladder.stages.empty() ? "host" : "CPU";
    const std::string near = fmt::format("RNIC {}", a);
    return fmt::format("{:>10}  {:<{}}{}{:>{}}{}  {}\n", "\u00B5s", fmt::format("{} {}", host, a), kHost, near,
                       fmt::format("RNIC {}", b), kWire + 2 - std::min(near.size(), kWire), stages,
                       fmt::format("{} {}", host, b));
}

/// What the numbers of stays are.
std::string last_line(const Ladder& ladder) {
    if (ladder.stages.empty()) return {};
    std::string kept;
    for (const LadderStage& stage : ladder.stages) {
        if (stage.kept) kept += fmt::format("{}{}", kept.empty() ? "" : ", ", stage.name);
    }
    return fmt::format(
        "\nwrites of lines of the item in each stage; a power cut leaves {}; '?': it would lose some, and {} was told "
        "that "
        "they are written, '!': durable\n",
        kept, ladder.initiator);
}

/// Threads outside, then their kernels, between them the cards.
std::string row_with_kernels(const Ladder& ladder, const LadderRow& row) {
    std::string thread, kernel(kKernelColumn, ' '), wire(kLessWire, ' '), far_kernel(kKernelColumn, ' '), far_thread;
    char near = '|', far = '|';
    const auto into = [](std::string& column, std::string_view said) { column.replace(1, said.size(), said); };
    if (const auto* const frames = std::get_if<LadderFrames>(&row.what)) {
        wire = arrow(*frames, kLessWire);
        far_thread = frames->on_the_way();
    } else {
        const auto& mark = std::get<LadderMark>(row.what);
        const std::string said = mark.label();
        switch (mark.lane) {
            case Lane::initiator_host: thread = said; break;
            case Lane::responder_host: far_thread = said; break;
            case Lane::initiator_kernel: into(kernel, said.substr(0, kKernelColumn - 1)); break;
            case Lane::responder_kernel: into(far_kernel, said.substr(0, kKernelColumn - 1)); break;
            case Lane::initiator_rnic:
                near = '*';
                into(wire, said.substr(0, kLessWire - 1));
                break;
            default: {
                const std::string fits = said.substr(0, kLessWire - 1);
                far = '*';
                wire.replace(kLessWire - 1 - fits.size(), fits.size(), fits);
            }
        }
    }
    std::string line = fmt::format("{:>10}  {:<{}}|{}{}{}{}{}|  {}", microseconds(row.at - ladder.start), thread,
                                   kThreadColumn, kernel, near, wire, far, far_kernel, far_thread);
    line.resize(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

/// Shares in whole nanoseconds that add up to what is printed of all: who loses most when they are cut gets one more.
std::vector<Time> whole_nanoseconds(const std::vector<LadderShare>& shares) {
    Time all;
    std::vector<Time> whole;
    std::vector<std::size_t> by_rest;
    for (const LadderShare& share : shares) {
        all += share.took;
        by_rest.push_back(whole.size());
        whole.push_back(kNanosecond * (share.took.ps / kNanosecond.ps));
    }
    std::ranges::stable_sort(by_rest, std::ranges::greater{},
                             [&](std::size_t i) { return shares[i].took.ps - whole[i].ps; });
    std::int64_t left = all.ps / kNanosecond.ps;
    for (const Time of : whole) left -= of.ps / kNanosecond.ps;
    for (std::int64_t i = 0; i < left; ++i) whole[by_rest[static_cast<std::size_t>(i)]] += kNanosecond;
    return whole;
}

std::string draw_with_kernels(const Ladder& ladder) {
    const std::string card = fmt::format("{} {}", ladder.device, ladder.initiator),
                      far_card = fmt::format("{} {}", ladder.device, ladder.responder);
    std::string text = ladder.title + "\n\n" +
                       fmt::format("{:>10}  {:<{}} {:<{}}{}{:>{}} {:<{}}  {}\n", "\u00B5s",
                                   "thread of " + ladder.initiator, kThreadColumn, "kernel", kKernelColumn, card,
                                   far_card, kLessWire + 1 - std::min(card.size(), kLessWire), "kernel", kKernelColumn,
                                   "thread of " + ladder.responder);
    for (const LadderRow& row : ladder.rows) text += row_with_kernels(ladder, row);
    if (ladder.shares.empty()) return text;
    const std::string all = microseconds(ladder.end - ladder.start);
    text += ladder.goes_back ? fmt::format(
                                   "\nWhere its {} \u00B5s go, from its end back: each time what that waited "
                                   "for:\n",
                                   all)
                             : fmt::format(
                                   "\nWhere its {} \u00B5s go; of what goes on at once the core of {} counts "
                                   "first, then that of {}, then links:\n",
                                   all, ladder.initiator, ladder.responder);
    const std::vector<Time> took = whole_nanoseconds(ladder.shares);
    for (std::size_t i = 0; i < took.size(); ++i)
        text += fmt::format("{:>10}  {}\n", microseconds(took[i]), ladder.shares[i].what);
    return text;
}

}  // namespace

std::string draw_text(const Ladder& ladder) {
    if (ladder.kernels) return draw_with_kernels(ladder);
    std::string text = ladder.title + "\n\n" + first_line(ladder);
    std::uint32_t fill = 0;
    for (const LadderRow& row : ladder.rows) {
        std::string left, wire(kWire, ' '), right;
        char near = '|', far = '|';
        if (const auto* const frames = std::get_if<LadderFrames>(&row.what)) {
            wire = arrow(*frames, kWire);
            right = frames->on_the_way();
        } else {
            const auto& mark = std::get<LadderMark>(row.what);
            const std::string said = mark.label();
            switch (mark.lane) {
                case Lane::initiator_host: left = said; break;
                case Lane::responder_host: right = said; break;
                case Lane::initiator_rnic:
                    near = '*';
                    wire.replace(1, said.size(), said);
                    break;
                case Lane::responder_rnic:
                    far = '*';
                    wire.replace(kWire - 1 - said.size(), said.size(), said);
                    break;
                case Lane::initiator_kernel:
                case Lane::responder_kernel: break;  // drawn elsewhere
                case Lane::iio:
                case Lane::llc:
                case Lane::imc:
                case Lane::scm: wire.replace(kWire - 1 - said.size(), said.size(), said); break;
            }
        }
        if (row.fill != fill)
            right += fmt::format("{}[{} slot{} kept]", right.empty() ? "" : " ", row.fill, row.fill == 1 ? "" : "s");
        fill = row.fill;
        std::string line = fmt::format("{:>10}  {:<{}}{}{}{}{}", microseconds(row.at - ladder.start), left, kHost, near,
                                       wire, far, stays_text(ladder, row));
        if (!right.empty()) line += "  " + right;
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text + last_line(ladder);
}

}  // namespace rnicsim
