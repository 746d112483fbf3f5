// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/tree.h"

#include <cstddef>
#include <vector>

namespace rnicsim::runner {
namespace {

struct Line {
    std::size_t indent;
    std::string_view text;
};

std::vector<Line> split(std::string_view yaml) {
    std::vector<Line> lines;
    while (!yaml.empty()) {
        const std::size_t end = yaml.find('\n');
        const std::string_view line = yaml.substr(0, end);
        yaml.remove_prefix(end == std::string_view::npos ? yaml.size() : end + 1);
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string_view::npos) continue;
        std::string_view text = line.substr(indent);
        if (text.ends_with(':')) text.remove_suffix(1);
        lines.push_back({indent, text});
    }
    return lines;
}

/// True if a later line stands at this indentation before the block that it belongs to ends.
bool has_sibling(const std::vector<Line>& lines, const std::size_t index, const std::size_t indent) {
    for (std::size_t i = index + 1; i < lines.size() && lines[i].indent >= indent; ++i) {
        if (lines[i].indent == indent) return true;
    }
    return false;
}

}  // namespace

std::string draw_tree(const std::string_view root, const std::string_view yaml) {
    const std::vector<Line> lines = split(yaml);
    std::string text = std::string(root) + '\n';
    std::vector<std::size_t> parents;  // indentation of the enclosing lines
    for (std::size_t i = 0; i < lines.size(); ++i) {
        while (!parents.empty() && parents.back() >= lines[i].indent) parents.pop_back();
        for (const std::size_t indent : parents) text += has_sibling(lines, i, indent) ? "│  " : "   ";
        text += has_sibling(lines, i, lines[i].indent) ? "├─ " : "└─ ";
        text += std::string(lines[i].text) + '\n';
        parents.push_back(lines[i].indent);
    }
    return text;
}

}  // namespace rnicsim::runner
