#include "testbench/observe/ladder_text.h"

#include "testbench/observe/microseconds.h"

#include <fmt/format.h>

#include <string_view>

namespace rnicsim {
namespace {

constexpr std::size_t kHost = 29;  // columns of a host
constexpr std::size_t kWire = 52;  // between the two RNICs

/// "-- DATA 3 ------------>", with an x where a frame is lost or damaged.
std::string arrow(const LadderFrames& frames) {
    const char shaft = frames.look == LadderFrames::Look::data ? '=' : '-';
    const std::string label = ' ' + frames.label() + ' ';
    std::string line(kWire, shaft);
    if (frames.by_initiator) {
        line.replace(2, label.size(), label);
        line.back() = '>';
        if (frames.damaged) line.back() = 'x';
        if (frames.lost) line.replace(kWire * 3 / 4, kWire, "x" + std::string(kWire - kWire * 3 / 4 - 1, ' '));
    } else {
        line.replace(kWire - 2 - label.size(), label.size(), label);
        line.front() = '<';
        if (frames.damaged) line.front() = 'x';
        if (frames.lost) line.replace(0, kWire / 4, std::string(kWire / 4 - 1, ' ') + 'x');
    }
    return line;
}

}  // namespace

std::string draw_text(const Ladder& ladder) {
    const std::string& a = ladder.initiator;
    const std::string& b = ladder.responder;
    std::string text = ladder.title + "\n\n";
    text += fmt::format("{:>10}  {:<{}}{}{}{}  {}\n", "\u00B5s", fmt::format("host {}", a), kHost, "RNIC ", a,
                        fmt::format("{:>{}}", fmt::format("RNIC {}", b), kWire - 4), fmt::format("host {}", b));
    std::uint32_t fill = 0;
    for (const LadderRow& row : ladder.rows) {
        std::string left, wire(kWire, ' '), right;
        char near = '|', far = '|';
        if (const auto* const frames = std::get_if<LadderFrames>(&row.what)) {
            wire = arrow(*frames);
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
            }
        }
        if (row.fill != fill)
            right += fmt::format("{}[{} slot{} kept]", right.empty() ? "" : " ", row.fill, row.fill == 1 ? "" : "s");
        fill = row.fill;
        text += fmt::format("{:>10}  {:<{}}{}{}{}{}{}\n", microseconds(row.at - ladder.start), left, kHost, near, wire,
                            far, right.empty() ? "" : "  ", right);
    }
    return text;
}

}  // namespace rnicsim
