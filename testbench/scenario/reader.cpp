// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "testbench/scenario/axis_reader.h"
#include "testbench/scenario/document.h"
#include "testbench/scenario/file_text.h"
#include "testbench/scenario/network_reader.h"
#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/old_names.h"
#include "testbench/scenario/variant_reader.h"

namespace rnicsim {
namespace {

std::string join(const std::string& section, const std::string& member) {
    return section.empty() ? member : section + '.' + member;
}

/// One reading of one source: a file, or the text of one --set.
class Reader {
  public:
    Reader(std::string source, ParsedScenario& out) : in_(std::move(source), &out.warnings), out_(out) {}

    /// YAML forbids the same key twice in a map, but yaml-cpp silently takes one of them. The same key written in two
    /// ways, "system.link: ..." and "system: {link: ...}", is refused, too. So are nodes that lie very deep or are very
    /// many: they come from aliases, which may even contain themselves.
    void check_unique(const std::string& path, const YAML::Node& node, const int depth = 0) {
        constexpr int kDeepest = 32;
        constexpr std::size_t kMostNodes = 100'000;
        if (depth > kDeepest || ++nodes_ > kMostNodes) {
            reject(where(node), "",
                   depth > kDeepest
                       ? "sections or lists lie too deep in each other, expected at most " + std::to_string(kDeepest)
                       : "too many values, expected at most " + std::to_string(kMostNodes));
        }
        if (node.IsSequence()) {
            for (std::size_t i = 0; i < node.size(); ++i) {
                check_unique(path + '[' + std::to_string(i) + ']', node[i], depth + 1);
            }
        }
        if (!node.IsMap()) return;
        for (const auto& pair : node) {
            if (!pair.first.IsScalar() || pair.first.Scalar().empty())
                reject(where(pair.first), path, "found " + shown(pair.first) + " as a key, expected a name");
            const std::string written = join(path, pair.first.Scalar());
            const std::string member = named_now(written);
            const auto [before, is_new] = seen_.emplace(member, written);
            if (!is_new) {
                const std::string& old = written == member ? before->second : written;
                reject(where(pair.first), member,
                       "given twice, expected once" + (old == member ? "" : "; " + old + " is its old name"));
            }
            check_unique(member, pair.second, depth + 1);
        }
    }

    void section(const std::string& path, const YAML::Node& node) {
        if (node.IsNull()) return;  // "run:" with nothing in it: all defaults
        if (!node.IsMap()) reject(where(node), path, "found " + shown(node) + ", expected a section of keys");
        for (const auto& pair : node) entry(join(path, pair.first.Scalar()), pair.first, pair.second);
    }

    void entry(const std::string& written, const YAML::Node& name, const YAML::Node& node) {
        const std::string path = in_.named_now(written, where(name));
        if (path == kMethods) {
            out_.variants = read_methods(in_, out_.variants, node);
            return;
        }
        if (path == kVariants) {
            if (!node.IsNull()) {
                out_.variants = read_variants(in_, out_.variants, node);
            } else if (out_.variants.key == kVariants) {
                out_.variants = both_methods();  // --set run.variants=null: as if they were not written
            }
            return;
        }
        if (path == kCompare) {
            out_.compare = read_compare(in_, node);
            return;
        }
        if (path == "run.sweep") {
            out_.axes = read_sweep(in_, path, node);
            return;
        }
        if (path == "run.reference") return reference(path, node);
        if (NetworkReader::reads(path)) {
            return NetworkReader(in_, out_.network,
                                 [this](const std::string& of, const YAML::Node& key, const YAML::Node& value) {
                                     entry(of, key, value);
                                 })
                .read(path, node);
        }
        if (const Key* const key = find_key(path)) {
            out_.values[path] = {in_.value(*key, path, node), where(node)};
            return;
        }
        if (is_section(path)) {
            section(path, node);
            // {persistence: {}}: with all its defaults
            if (common_path(path) == kPersistence && node.IsMap() && node.size() == 0)
                entry(path + ".domain", name, YAML::Node(std::string(find_key(path + ".domain")->fallback)));
            return;
        }
        unknown(path, name);
    }

    [[noreturn]] void unknown(const std::string& path, const YAML::Node& name) {
        std::size_t dot = path.rfind('.');
        // The first part that nobody knows: of "sytem.link.loss" the first one.
        while (dot != std::string::npos && !is_section(path.substr(0, dot)) && find_key(path.substr(0, dot)) == nullptr)
            dot = dot == 0 ? std::string::npos : path.rfind('.', dot - 1);
        const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot);
        const std::vector<std::string> members = members_of(parent);
        const std::string member = path.substr(dot + 1, path.find('.', dot + 1) - (dot + 1));
        std::string near = suggestion(member, members);
        if (members.empty()) near = "; '" + parent + "' has no keys below it";
        std::string what = "unknown key";
        if (near.empty()) {
            what += ", expected one of";
            for (std::size_t i = 0; i < members.size(); ++i) what += (i == 0 ? " " : ", ") + members[i];
        }
        reject(where(name), path, what + near);
    }

  private:
    [[nodiscard]] std::string where(const YAML::Node& node) const { return in_.where(node); }

    void reference(const std::string& path, const YAML::Node& node) {
        if (!node.IsMap()) reject(where(node), path, "found " + shown(node) + ", expected source and gains");
        for (const auto& pair : node) {
            const std::string name = pair.first.Scalar();
            if (name == "source") {
                out_.reference_source = pair.second.Scalar();
            } else if (name == "gains") {
                if (!pair.second.IsSequence()) {
                    reject(where(pair.second), path + ".gains",
                           "found " + shown(pair.second) + ", expected a list such as [{fault: 1 %, gain: 1.9 %}]");
                }
                for (const YAML::Node& item : pair.second) {
                    out_.reference.push_back(gain(path + ".gains", item));
                    out_.reference_where.push_back(where(item));
                }
            } else {
                reject(where(pair.first), path + '.' + name, "unknown key" + suggestion(name, {"source", "gains"}));
            }
        }
        if (out_.reference_source.empty()) reject(where(node), path, "no source, expected who published the gains");
    }

    ReferenceGain gain(const std::string& path, const YAML::Node& node) {
        static const Key kGain{"gain", Kind::probability, "1.9 %", 0, 1'000'000, {}, "", ""};
        if (!node.IsMap() || !node["gain"]) {
            reject(where(node), path, "expected an entry such as {fault: 1 %, gain: 1.9 %}");
        }
        ReferenceGain result;
        for (const auto& pair : node) {
            const std::string name = pair.first.Scalar();
            if (name == "gain") {
                result.gain = in_.value(kGain, path + ".gain", pair.second).fraction;
            } else {
                result.at.emplace_back(name, pair.second.Scalar());
            }
        }
        return result;
    }

    NodeReader in_;
    ParsedScenario& out_;
    std::map<std::string, std::string> seen_;  ///< paths, and as they are written
    std::size_t nodes_ = 0;
};

void check_reference(const ParsedScenario& parsed) {
    for (std::size_t i = 0; i < parsed.reference.size(); ++i) {
        for (std::size_t other = 0; other < i; ++other) {
            if (std::ranges::is_permutation(parsed.reference[other].at, parsed.reference[i].at)) {
                reject(parsed.reference_where[i], "run.reference.gains",
                       "a second gain of the same point, expected one");
            }
        }
        for (const auto& [name, text] : parsed.reference[i].at) {
            const auto axis = std::ranges::find(parsed.axes, name, &ParsedAxis::name);
            if (axis == parsed.axes.end()) {
                reject(parsed.reference_where[i], "run.reference.gains", "'" + name + "' is no axis of run.sweep");
            }
            if (std::ranges::find(axis->texts, text) == axis->texts.end()) {
                reject(parsed.reference_where[i], "run.reference.gains",
                       "'" + text + "' is not among the values of axis '" + name + "'");
            }
        }
        for (const ParsedAxis& axis : parsed.axes) {
            if (std::ranges::find(parsed.reference[i].at, axis.name, &std::pair<std::string, std::string>::first) ==
                parsed.reference[i].at.end()) {
                reject(parsed.reference_where[i], "run.reference.gains",
                       "no value of axis '" + axis.name + "', expected one");
            }
        }
    }
}

/// The column, from 0, of a tab in the indentation of this line: the usual reason why a file is not YAML.
std::optional<std::size_t> indenting_tab(const std::string& text, int line) {
    std::size_t begin = 0;
    for (; line > 0 && begin != std::string::npos; --line) {
        begin = text.find('\n', begin);
        if (begin != std::string::npos) ++begin;
    }
    if (line != 0 || begin == std::string::npos) return std::nullopt;
    const std::size_t first = text.find_first_not_of(' ', begin);
    if (first == std::string::npos || text[first] != '\t') return std::nullopt;
    return first - begin;
}

}  // namespace

void reject(const std::string& where, const std::string& path, const std::string& what) {
    throw ScenarioError(where + ": " + (path.empty() ? "" : path + ": ") + what);
}

ParsedScenario read_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides,
                             const std::vector<AxisOption>& axes) {
    const std::string name = file.string();
    const std::string text = text_of(file);
    ParsedScenario parsed;
    parsed.variants = both_methods();
    try {
        const YAML::Node document = read_document(NodeReader(name), text);
        if (!document.IsMap()) reject(name + ":1:1", "", "expected the sections system, simulation and run");
        Reader reader(name, parsed);
        reader.check_unique("", document);
        reader.section("", document);
        check_reference(parsed);
    } catch (const YAML::Exception& error) {
        if (const auto tab = indenting_tab(text, error.mark.line)) {
            reject(name + ':' + std::to_string(error.mark.line + 1) + ':' + std::to_string(*tab + 1), "",
                   "not YAML: a tab in the indentation, expected blanks");
        }
        reject(name + ':' + std::to_string(error.mark.line + 1) + ':' + std::to_string(error.mark.column + 1), "",
               "not YAML: " + error.msg);
    }
    for (const auto& [written, value] : overrides) {
        const std::string key = NodeReader("--set", &parsed.warnings).named_now(written, "--set");
        try {
            Reader reader("--set", parsed);
            const YAML::Node node = read_document(NodeReader("--set"), value);
            reader.check_unique(key, node);
            if (is_section(key) || NetworkReader::reads(key)) {
                reject("--set", key, "is a section, expected one of its keys");
            }
            reader.entry(key, node, node);
        } catch (const YAML::Exception&) { reject("--set", key, "'" + value + "' is not a YAML value"); }
    }
    // Of the scenario's own axes: a further one makes it another experiment. Without any the sweep was taken away.
    if (!parsed.axes.empty()) check_reference(parsed);
    add_axis_options(axes, parsed);
    for (const auto& [written, value] : overrides) {
        const std::string key = named_now(written);
        for (const ParsedAxis& axis : parsed.axes) {
            if (std::ranges::find(axis.keys, key) == axis.keys.end()) continue;
            reject("--set", key,
                   axis.where == "--axis"
                       ? "is swept by --axis too, expected one of them"
                       : "is swept by axis '" + axis.name + "'; use --set run.sweep=null to sweep nothing");
        }
    }
    settle_variants(parsed);
    return parsed;
}

}  // namespace rnicsim
