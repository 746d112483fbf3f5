// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/ladder_svg.h"

#include "testbench/events/microseconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace rnicsim {
namespace {

// Pixels.
constexpr int kWidth = 1120, kTop = 96, kFoot = 30;
constexpr std::array<int, 4> kLane{262, 350, 750, 838};  // Lane, but for stages
constexpr int kStage = 58;                               // from stage to stage, between the responder's RNIC and host
constexpr int kKernel = 190;                             // a kernel's, between those of its host and its RNIC
constexpr int kMore = 36;                                // at the left of an item's, for longer words
constexpr int kStay = 30, kLeastStay = 8;                // width of a stay of all lines, and of one
constexpr int kRow = 19;                                 // from row to row
constexpr int kSlant = 9;                                // a frame arrives so much lower
constexpr int kBreak = 26;                               // more, where time is left out
constexpr Time kLong = kMicrosecond * 100;               // without anything: left out
constexpr int kFill = 46;                                // the indirect buffer at its fullest

/// Of a role the colour on white, and on a dark screen.
struct Colour {
    std::string_view role, light, dark;
};
constexpr std::array<Colour, 14> kColours{{
    {"ink", "#1f2328", "#e6e8eb"},
    {"dim", "#6a737d", "#9aa4ae"},
    {"line", "#c4c9cf", "#454c54"},
    {"paper", "#ffffff", "#15181c"},
    {"data", "#0b63c4", "#6cb0ff"},
    {"again", "#a14a00", "#f0a35e"},
    {"control", "#1f2328", "#e6e8eb"},
    {"ack", "#6a737d", "#9aa4ae"},
    {"trouble", "#c22121", "#ff7b72"},
    {"turn", "#1a7f37", "#56d364"},
    {"store", "#d9b8f5", "#5d3f7d"},
    {"kept", "#e8f6ec", "#16281c"},
    {"stay", "#7fb2e5", "#3f74ab"},
    {"risk", "#e8a33d", "#b97a1c"},
}};

constexpr std::string_view kFont = "\n  svg { font: 12px system-ui, sans-serif; }\n";
/// A role stands for its colour. As colours they are written out: many programs that show SVG know no variables of CSS,
/// and would draw all in black.
constexpr std::string_view kRules =
    R"(  .paper { fill: $paper; } text { fill: $ink; } .dim { fill: $dim; font-size: 11px; }
  .title { font-size: 14px; font-weight: 600; } .head { font-weight: 600; } .life { stroke: $line; stroke-width: 2; }
  .time { fill: $dim; font-size: 11px; font-variant-numeric: tabular-nums; }
  .data { stroke: $data; fill: $data; } .again { stroke: $again; fill: $again; }
  .control { stroke: $control; fill: $control; } .ack { stroke: $ack; fill: $ack; }
  .many { stroke-width: 5; stroke-opacity: .35; } .one { stroke-width: 1.6; } .indirect { stroke-dasharray: 7 3; }
  text.data, text.again, text.control, text.ack { stroke: none; } rect.label { fill: $paper; }
  text.trouble { fill: $trouble; } text.turn { fill: $turn; font-weight: 600; }
  .cross { stroke: $trouble; stroke-width: 2.4; } circle.trouble { fill: $trouble; } circle.turn { fill: $turn; }
  .kept { fill: $kept; } .stay { fill: $stay; } .written { fill: $risk; } .persisted { fill: $trouble; }
  path.trouble { fill: $trouble; } path.turn { fill: $turn; } path.plain { fill: $dim; }
  circle.plain { fill: $dim; } .store { fill: $store; } .gap { stroke: $paper; stroke-width: 6; }
)";

std::string rules(std::string_view Colour::*shade) {
    std::string text(kRules);
    for (const Colour& colour : kColours) {
        const std::string role = '$' + std::string(colour.role) + ';';
        for (std::size_t at = text.find(role); at != std::string::npos; at = text.find(role, at))
            text.replace(at, role.size() - 1, colour.*shade);
    }
    return text;
}

std::string style() {
    return std::string(kFont) + rules(&Colour::light) + "  @media (prefers-color-scheme: dark) {" +
           rules(&Colour::dark) + "  }\n";
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            default: result += c;
        }
    }
    return result;
}

/// Of a text of 12 pixels, rather more than less.
int width_of(std::string_view text) {
    double width = 8;
    for (const char c : text) width += (c >= 'A' && c <= 'Z') || c == '_' ? 8.6 : 7.0;
    return static_cast<int>(width);
}

class Picture {
  public:
    explicit Picture(const Ladder& ladder) : ladder_(ladder) {
        int y = kTop;
        for (std::size_t i = 0; i < ladder.rows.size(); ++i) {
            if (i != 0) y += kRow + (leaves_out(i) ? kBreak : 0);
            y_.push_back(y);
        }
        height_ = y + kSlant + kFoot;
        left_ = ladder.stages.empty() ? 0 : kMore;
        if (ladder.kernels) left_ = kKernel;
        wider_ = static_cast<int>(ladder.stages.size()) * kStage + left_ + (ladder.kernels ? kKernel : 0);
        for (const LadderRow& row : ladder.rows) {
            for (const LadderStay& stay : row.stays) most_ = std::max(most_, stay.lines);
        }
    }

    std::string draw() {
        add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
            R"(role="img" aria-label="{2}">)",
            kWidth + wider_, height_, escaped(ladder_.title));
        add("<style>{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", style());
        kept();
        head();
        store();
        for (const int x : lanes()) line(x, kTop - 14, x, height_ - kFoot + 12, "life");
        for (const LadderStage& stage : ladder_.stages) stays(stage.lane);
        for (std::size_t i = 1; i < ladder_.rows.size(); ++i) {
            if (leaves_out(i)) gap(i);
        }
        for (std::size_t i = 0; i < ladder_.rows.size(); ++i) row(i);
        svg_ += "</svg>\n";
        return std::move(svg_);
    }

  private:
    template <typename... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(svg_), format, std::forward<Values>(values)...);
    }
    void line(int x1, int y1, int x2, int y2, std::string_view style) {
        add("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style, x1, y1, x2, y2);
    }
    void text(int x, int y, std::string_view anchor, std::string_view style, std::string_view content) {
        add("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", style, x, y, anchor,
            escaped(content));
    }
    [[nodiscard]] int lane(Lane which) const {
        if (which == Lane::responder_host) return kLane[3] + wider_;
        if (which == Lane::initiator_host && ladder_.kernels) return kLane[0];
        if (which == Lane::initiator_kernel) return kLane[0] + kKernel;
        if (which == Lane::responder_kernel) return kLane[3] + left_;
        if (which < Lane::iio) return kLane.at(static_cast<std::size_t>(which)) + left_;
        const auto found = std::ranges::find(ladder_.stages, which, &LadderStage::lane);
        return kLane[2] + left_ + kStage * static_cast<int>(found - ladder_.stages.begin() + 1);
    }
    [[nodiscard]] std::vector<int> lanes() const {
        std::vector<int> all;
        for (const Lane of : {Lane::initiator_host, Lane::initiator_rnic, Lane::responder_rnic, Lane::responder_host})
            all.push_back(lane(of));
        for (const LadderStage& stage : ladder_.stages) all.push_back(lane(stage.lane));
        if (!ladder_.kernels) return all;
        for (const Lane of : {Lane::initiator_kernel, Lane::responder_kernel}) all.push_back(lane(of));
        return all;
    }
    [[nodiscard]] bool leaves_out(std::size_t i) const {
        const LadderRow& before = ladder_.rows[i - 1];
        Time quiet_from = before.at;
        if (const auto* const frames = std::get_if<LadderFrames>(&before.what)) {
            if (frames->arrives != kEndOfTime) quiet_from = frames->arrives;
        }
        return ladder_.rows[i].at - quiet_from > kLong;
    }

    void head() {
        const std::size_t cut = ladder_.title.find(", ", 40);
        text(20, 24, "start", "title", ladder_.title.substr(0, cut));
        if (cut != std::string::npos) text(20, 42, "start", "dim", ladder_.title.substr(cut + 2));
        const std::string host = ladder_.kernels ? "thread of " : ladder_.stages.empty() ? "host " : "CPU ";
        for (const Lane of : {Lane::initiator_kernel, Lane::responder_kernel})
            if (ladder_.kernels) text(lane(of), kTop - 22, "middle", "head", "kernel");
        const std::string device = std::string(ladder_.device) + ' ';
        const std::array names{host + ladder_.initiator, device + ladder_.initiator, device + ladder_.responder,
                               host + ladder_.responder};
        for (std::size_t i = 0; i < names.size(); ++i)
            text(lane(static_cast<Lane>(i)), kTop - 22, "middle", "head", names.at(i));
        for (const LadderStage& stage : ladder_.stages) text(lane(stage.lane), kTop - 22, "middle", "head", stage.name);
        text(12, kTop - 22, "start", "dim", "\u00B5s");
        if (ladder_.fullest == 0) return;
        text(kWidth - 12, kTop - 36, "end", "dim", "indirect buffer");
        text(kWidth - 12, kTop - 22, "end", "dim",
             fmt::format("at most {} slot{}", ladder_.fullest, ladder_.fullest == 1 ? "" : "s"));
    }

    /// How full the indirect buffer is, beside the responder's host.
    void store() {
        if (ladder_.fullest == 0) return;
        for (std::size_t i = 0; i < ladder_.rows.size(); ++i) {
            const int until = i + 1 < y_.size() ? y_[i + 1] : height_ - kFoot;
            const int width = static_cast<int>(ladder_.rows[i].fill * kFill / std::max(ladder_.fullest, 1U));
            if (width == 0) continue;
            add("<rect class=\"store\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{} slots</title></rect>\n",
                kWidth - 12 - width, y_[i], width, until - y_[i], ladder_.rows[i].fill);
        }
    }

    /// What a power cut leaves.
    void kept() {
        const auto first = std::ranges::find(ladder_.stages, true, &LadderStage::kept);
        if (first == ladder_.stages.end()) return;
        const int left = lane(first->lane) - kStage / 2, right = lane(ladder_.stages.back().lane) + kStage / 2;
        add("<rect class=\"kept\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, kTop - 52, right - left,
            height_ - kFoot + 12 - (kTop - 52));
        text((left + right) / 2, kTop - 39, "middle", "dim", "survives");
    }

    /// How many of the lines are in the stage, and what that means.
    void stays(Lane which) {
        constexpr std::array<std::string_view, 3> kRisks{"stay", "written", "persisted"};
        constexpr std::array<std::string_view, 3> kWords{"", ", lost in a power cut although told as written",
                                                         ", lost in a power cut although told as durable"};
        for (std::size_t i = 0; i < ladder_.rows.size(); ++i) {
            const LadderStay& stay = ladder_.rows[i].stays.at(stage_of(which));
            if (stay.lines == 0) continue;
            const int until = i + 1 < y_.size() ? y_[i + 1] : height_ - kFoot + 12;
            const int width = kLeastStay + static_cast<int>(stay.lines * (kStay - kLeastStay) / most_);
            add("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{} line "
                "write{}{}</title></rect>\n",
                kRisks.at(static_cast<std::size_t>(stay.risk)), lane(which) - width / 2, y_[i], width, until - y_[i],
                stay.lines, stay.lines == 1 ? "" : "s", kWords.at(static_cast<std::size_t>(stay.risk)));
        }
    }

    void gap(std::size_t i) {
        const int middle = y_[i - 1] + (y_[i] - y_[i - 1]) / 2 + kSlant / 2;
        for (const int x : lanes()) {
            line(x - 6, middle + 3, x + 6, middle - 3, "gap");
            line(x - 6, middle, x + 6, middle - 6, "life");
            line(x - 6, middle + 6, x + 6, middle, "life");
        }
        const LadderRow& before = ladder_.rows[i - 1];
        text((kLane[1] + kLane[2]) / 2 + left_, middle + 4, "middle", "dim",
             fmt::format("{} \u00B5s later", microseconds(ladder_.rows[i].at - before.at)));
    }

    void row(std::size_t i) {
        const LadderRow& row = ladder_.rows[i];
        const int y = y_[i];
        text(76, y + 4, "end", "time", microseconds(row.at - ladder_.start));
        if (const auto* const frames = std::get_if<LadderFrames>(&row.what)) {
            draw(*frames, y);
        } else {
            draw(std::get<LadderMark>(row.what), y);
        }
    }

    void draw(const LadderMark& mark, int y) {
        constexpr std::array<std::string_view, 3> kTones{"plain", "trouble", "turn"};
        const std::string_view tone = kTones.at(static_cast<std::size_t>(mark.tone));
        const int x = lane(mark.lane);
        const bool of_stage = mark.lane >= Lane::iio && mark.lane <= Lane::scm;
        if (mark.flag) {
            add("<path class=\"{0}\" d=\"M{1},{2} v-11 l11,4 l-11,4\"/>\n", tone, x, y + 2);
        } else {
            add("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>\n", tone, x, y);
        }
        // Between the stages there is no room for it.
        const int beside = of_stage ? lane(Lane::responder_rnic) : x;
        const bool leftwards = mark.lane == Lane::initiator_host || mark.lane == Lane::initiator_kernel ||
                               mark.lane == Lane::responder_rnic || of_stage;
        text(leftwards ? beside - 9 : x + 9, y + 4, leftwards ? "end" : "start", of_stage ? "dim" : tone, mark.label());
    }

    void draw(const LadderFrames& frames, int y) {
        const int from = lane(frames.by_initiator ? Lane::initiator_rnic : Lane::responder_rnic);
        const int to = lane(frames.by_initiator ? Lane::responder_rnic : Lane::initiator_rnic);
        constexpr std::array<std::string_view, 3> kLooks{"control", "data", "ack"};
        const bool data = frames.look == LadderFrames::Look::data;
        const std::string_view kind = frames.again ? "again" : kLooks.at(static_cast<std::size_t>(frames.look));
        const int x = frames.lost ? from + (to - from) * 3 / 4 : to;
        const int bottom = frames.lost ? y + kSlant * 3 / 4 : y + kSlant;
        const bool many = frames.count > 1;
        const std::string dashes = frames.indirect && data ? " indirect" : "";
        if (many) line(from, y, x, bottom, fmt::format("{} many", kind));
        line(from, y, x, bottom, fmt::format("{} one{}", kind, dashes));
        if (frames.lost || frames.damaged) {
            line(x - 5, bottom - 5, x + 5, bottom + 5, "cross");
            line(x - 5, bottom + 5, x + 5, bottom - 5, "cross");
        } else {
            const int back = frames.by_initiator ? -8 : 8;
            add("<path class=\"{}\" d=\"M{},{} l{},-4 v8 z\"/>\n", kind, to, bottom, back);
        }
        // Room for the label is cut out of the line.
        const std::string label = frames.label();
        const int width = width_of(label);
        const int at = frames.by_initiator ? from + 70 : from - 70;
        add("<rect class=\"label\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\"/>\n",
            frames.by_initiator ? at - 4 : at - width + 4, y - 6, width);
        text(at, y + kSlant / 2 + 1, frames.by_initiator ? "start" : "end", kind, label);
        if (const std::string way = frames.on_the_way(); !way.empty())
            text(lane(Lane::responder_host) + 9, y + kSlant / 2 + 1, "start", "dim", way);
    }

    const Ladder& ladder_;
    std::vector<int> y_;
    int height_ = 0, left_ = 0, wider_ = 0;
    std::uint32_t most_ = 1;  // lines in one stage
    std::string svg_;
};

}  // namespace

std::string draw_svg(const Ladder& ladder) { return Picture(ladder).draw(); }

std::string draw_html(const Ladder& ladder) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>{}</title>\n<style>body {{ margin: 1rem auto; max-width: 1120px; }} div {{ overflow-x: auto; }} svg {{ "
        "min-width: 860px; max-width: 100%; height: auto; }}</style>\n"
        "</head>\n<body>\n<div>{}</div>\n</body>\n</html>\n",
        escaped(ladder.title), draw_svg(ladder));
}

}  // namespace rnicsim
