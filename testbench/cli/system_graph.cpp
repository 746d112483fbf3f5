// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/system_graph.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "testbench/records/report_clock.h"
#include "testbench/results/script.h"
#include "testbench/results/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

std::string ns(Time time) { return fmt::format("{:.15g} ns", static_cast<double>(time.ps) / kNanosecond.ps); }
std::string ns(Cycle cycles) { return ns(kReportClock.time(cycles)); }
std::string percent(double share) { return fmt::format("{:g} %", share * 100); }
std::string bytes(std::uint64_t n) { return n % 1024 == 0 ? fmt::format("{} KiB", n / 1024) : fmt::format("{} B", n); }

/// What all points of the sweep have at one place of the drawing.
class Points {
  public:
    explicit Points(std::vector<RunConfig> configs) : configs_(std::move(configs)) {}

    /// The value; where it is swept its values, or from where to where if they are many.
    template <typename Text>
    [[nodiscard]] std::string text(const Text& of) const {
        constexpr std::size_t kListed = 4;
        std::vector<std::string> texts;
        for (const RunConfig& config : configs_) {
            std::string value = of(config);
            if (std::ranges::find(texts, value) == texts.end()) texts.push_back(std::move(value));
        }
        if (texts.size() > kListed) return fmt::format("{} .. {}", texts.front(), texts.back());
        return fmt::format("{}", fmt::join(texts, ", "));
    }
    [[nodiscard]] bool any(const std::function<bool(const RunConfig&)>& holds) const {
        return std::ranges::any_of(configs_, holds);
    }

  private:
    std::vector<RunConfig> configs_;
};

class Graph {
  public:
    Graph(const std::string& title, const HostNames& names, const std::vector<std::string>& variants, Points points)
        : names_(names), points_(std::move(points)), kinds_(fmt::format("{}", fmt::join(variants, " or "))) {
        add("digraph system {{\n  graph [label=\"{}\", labelloc=t, rankdir=TB, fontname=sans, compound=true];\n"
            "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=sans, fontsize=10];\n"
            "  edge [fontname=sans, fontsize=9, dir=both];\n",
            title);
    }

    void host(unsigned end) {
        const std::string& name = names_[end];
        const auto of = [&](const auto& text) {
            return points_.text([&](const RunConfig& config) { return text(drp_of(config, end).host); });
        };
        begin(name, fmt::format("host {}", name));
        node(name, "processor",
             fmt::format("processor, driver\\ninterrupt {}\\nevent {}, command {}",
                         of([](const HostConfig& h) { return ns(h.software.interrupt_latency); }),
                         of([](const HostConfig& h) { return ns(h.software.event_cost); }),
                         of([](const HostConfig& h) { return ns(h.software.command_cost); })));
        node(name, "registrar",
             fmt::format("registration\\n{} + {} a page\\nfails: {}",
                         of([](const HostConfig& h) { return ns(h.registration.base_cost); }),
                         of([](const HostConfig& h) { return ns(h.registration.page_cost); }),
                         of([](const HostConfig& h) { return percent(h.registration.failure); })));
        node(name, "memory", fmt::format("memory\\n{}", of([](const HostConfig& h) { return ns(h.memory.latency); })));
        node(name, "root", "root complex");
        add("    {0}_processor -> {0}_registrar;\n    {0}_processor -> {0}_memory;\n    {0}_memory -> {0}_root;\n  "
            "}}\n",
            name);
    }

    void rnic(unsigned end) {
        const std::string& name = names_[end];
        const auto of = [&](const auto& text) {
            return points_.text([&](const RunConfig& config) { return text(drp_of(config, end).rnic); });
        };
        begin(name, fmt::format("RNIC {}, {}", name, kinds_));
        block(end, "dma", Block::dma_engine,
              fmt::format("PCIe endpoint, DMA engine\\nset-up {}, {} tags",
                          of([](const RnicConfig& r) { return ns(r.pcie.request_overhead); }),
                          of([](const RnicConfig& r) { return std::to_string(r.pcie.tags); })));
        node(name, "queues", "host interface\\nrings, ordinary frames");
        block(end, "transport", Block::transport_controller,
              fmt::format("transport controller\\nsegment {}, window {}\\n{}",
                          of([](const RnicConfig& r) { return bytes(r.transport.segment); }),
                          of([](const RnicConfig& r) { return std::to_string(r.transport.window); }),
                          of([](const RnicConfig& r) { return std::string(r.transport.retransmission->name()); })));
        const auto is_dynamic = [&](const RunConfig& config) {
            return drp_of(config, end).rnic.transport.method == Method::dynamic;
        };
        const auto has_buffer = [&](const RunConfig& config) {
            return is_dynamic(config) && drp_of(config, end).rnic.transport.indirect_buffer != 0;
        };
        if (points_.any(has_buffer)) {
            const bool some = points_.any([&](const RunConfig& config) { return !is_dynamic(config); });
            const std::string whose = some ? " (dynamic)" : "";
            block(end, "buffer", Block::indirect_buffer,
                  fmt::format("indirect buffer{}\\n{}", whose,
                              of([](const RnicConfig& r) { return bytes(r.transport.indirect_buffer); })));
            add("    {0}_transport -> {0}_buffer [dir=forward];\n    {0}_dma -> {0}_buffer [dir=back];\n", name);
        }
        block(end, "filter", Block::frame_filter,
              fmt::format("frame filter\\n{}", of([](const RnicConfig& r) { return ns(r.filter.latency); })));
        block(
            end, "gmac", Block::gmac,
            fmt::format("MAC\\ntransmit {}, receive {}", of([](const RnicConfig& r) { return ns(r.gmac.tx_latency); }),
                        of([](const RnicConfig& r) { return ns(r.gmac.rx_latency); })));
        add("    {0}_dma -> {0}_queues;\n    {0}_dma -> {0}_transport;\n    {0}_queues -> {0}_transport;\n"
            "    {0}_transport -> {0}_gmac [dir=forward];\n    {0}_gmac -> {0}_filter [dir=forward];\n"
            "    {0}_filter -> {0}_transport [dir=forward];\n    {0}_queues -> {0}_gmac [dir=forward];\n    {0}_filter "
            "-> {0}_queues [dir=forward];\n  }}\n",
            name);
        add("  {0}_root -> {0}_dma [label=\"PCIe gen {1} x{2}\\n{3}\", penwidth=2];\n", name,
            of([](const RnicConfig& r) { return std::to_string(r.pcie.generation); }),
            of([](const RnicConfig& r) { return std::to_string(r.pcie.lanes); }),
            of([](const RnicConfig& r) { return ns(r.pcie.latency); }));
    }

    std::string finish() {
        add("  wire [label=\"wire: 1 Gb/s, {}\\nloses {}\"];\n  a_gmac -> wire [penwidth=2];\n  b_gmac -> wire "
            "[penwidth=2];\n}}\n",
            points_.text([](const RunConfig& config) { return ns(config.links[0].delay); }),
            points_.text([](const RunConfig& config) { return percent(config.links[0].loss); }));
        return std::move(text_);
    }

  private:
    template <typename... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    }
    void begin(const std::string& end, const std::string& what) {
        add("  subgraph cluster_{}{} {{\n    label=\"{}\"; labeljust=l; style=rounded; color=gray; fontname=sans;\n",
            end, ++clusters_, what, end);
    }
    void node(const std::string& end, const char* id, const std::string& label) {
        add("    {}_{} [label=\"{}\"];\n", end, id, label);
    }
    void block(unsigned end, const char* id, Block which, const std::string& label) {
        const std::string name =
            points_.text([&](const RunConfig& config) { return drp_of(config, end).rnic.blocks[which]; });
        if (name == "model") return node(names_[end], id, label);
        add("    {}_{} [label=\"{}\\n[{}]\", fillcolor=\"#cfe8ff\"];\n", names_[end], id, label, name);
    }

    const HostNames names_;
    Points points_;
    std::string kinds_;  // the variants
    std::string text_;
    int clusters_ = 0;
};

/// Steps from the nearest host, of each switch; of one that has none, as many as there are switches.
std::vector<std::size_t> levels_of(const RunConfig& config) {
    std::vector<std::size_t> levels(config.switches.size(), config.switches.size());
    const auto level = [&](const Node& node) { return node.kind == Node::Kind::host ? 0 : levels[node.index]; };
    for (bool changed = true; changed;) {
        changed = false;
        for (const LinkConfig& link : config.links) {
            for (const unsigned side : {0U, 1U}) {
                const Node& node = link.between.at(side);
                if (node.kind == Node::Kind::host || levels[node.index] <= level(link.between.at(1 - side)) + 1)
                    continue;
                levels[node.index] = level(link.between.at(1 - side)) + 1;
                changed = true;
            }
        }
    }
    return levels;
}

/// The text that most have, if it is more than one's: said once for all of them.
std::string said_once(const std::vector<std::string>& texts) {
    const auto times = [&](const std::string& text) { return std::ranges::count(texts, text); };
    const auto most = std::ranges::max_element(texts, {}, times);
    return most == texts.end() || times(*most) < 2 ? "" : *most;
}

/// A network: a box for each group of hosts and for each switch, a line for each group of links. What is inside a host
/// is the drawing of two ends. Levels, from the hosts to the spines, go from left to right where there are many
/// switches: a Clos is as high as a level, and not as wide.
std::string network_graph(const std::string& title, const Points& points, const RunConfig& first) {
    constexpr std::size_t kFew = 3;
    const bool many = first.switches.size() > kFew;
    const auto count = [](const RunConfig& config, const std::string& group) {
        return std::to_string(std::ranges::count(config.groups, group));
    };
    std::string nodes;
    std::vector<std::string> drawn;
    for (std::size_t host = 0; host < first.groups.size(); ++host) {
        const std::string& group = first.groups[host];
        if (std::ranges::find(drawn, group) != drawn.end()) continue;
        drawn.push_back(group);
        const std::string hosts = points.text([&](const RunConfig& config) { return count(config, group); });
        const bool one = hosts == "1" && first.names[static_cast<unsigned>(host)] == group;
        nodes += fmt::format("  \"{0}\" [label=\"{0}{1}\"];\n", group, one ? "" : " x " + hosts);
    }
    std::vector<std::string> of_switches;
    for (std::size_t i = 0; i < first.switches.size(); ++i) {
        of_switches.push_back(
            fmt::format("{}, {}", points.text([&](const RunConfig& config) {
                return bytes(static_cast<std::uint64_t>(config.switches.at(i).buffer));
            }),
                        points.text([&](const RunConfig& config) { return ns(config.switches.at(i).latency); })));
    }
    const std::string usual_switch = many ? said_once(of_switches) : "";
    for (std::size_t i = 0; i < first.switches.size(); ++i) {
        nodes += fmt::format("  \"{0}\" [label=\"switch {0}{1}\", fillcolor=\"#cfe8ff\"];\n", first.switches[i].name,
                             of_switches[i] == usual_switch ? "" : "\\n" + of_switches[i]);
    }
    struct Line {
        Node from, to;
        std::string text;
    };
    std::vector<Line> lines;
    std::vector<std::string> of_links;
    const std::vector<std::size_t> levels = levels_of(first);
    const auto level = [&](const Node& node) { return node.kind == Node::Kind::host ? 0 : levels[node.index]; };
    drawn.clear();
    for (const LinkConfig& link : first.links) {
        if (std::ranges::find(drawn, link.group) != drawn.end()) continue;
        drawn.push_back(link.group);
        const auto of = [&](const auto& value) {
            return points.text([&](const RunConfig& config) {
                return value(*std::ranges::find(config.links, link.group, &LinkConfig::group));
            });
        };
        of_links.push_back(fmt::format("{} Gb/s, {}\\nloses {}", of([](const LinkConfig& l) {
                                           return fmt::format("{:g}",
                                                              8000.0 / static_cast<double>(l.timing.per_byte.ps));
                                       }),
                                       of([](const LinkConfig& l) { return ns(l.delay); }),
                                       of([](const LinkConfig& l) { return percent(l.loss); })));
        const bool up = !many || level(link.between[0]) <= level(link.between[1]);
        lines.push_back({link.between.at(up ? 0 : 1), link.between.at(up ? 1 : 0), of_links.back()});
    }
    const std::string usual_link = many ? said_once(of_links) : "";
    const auto name = [&](const Node& node) {
        return node.kind == Node::Kind::host ? first.groups[node.index] : first.switches[node.index].name;
    };
    std::string edges;
    for (const Line& line : lines) {
        edges += fmt::format("  \"{}\" -- \"{}\" [{}penwidth=2];\n", name(line.from), name(line.to),
                             line.text == usual_link ? "" : "label=\"" + line.text + "\", ");
    }
    for (const ntb::Config& bridge : first.bridges) {
        edges +=
            fmt::format("  \"{}\" -- \"{}\" [label=\"bridge {}: PCIe gen {} x{}\\n{}\", penwidth=2, style=dashed];\n",
                        first.groups[bridge.between[0]], first.groups[bridge.between[1]], bridge.name,
                        bridge.generation, bridge.lanes, ns(bridge.latency));
    }
    std::string head = title;
    if (!usual_switch.empty()) head += "\\nswitch: " + usual_switch;
    if (!usual_link.empty()) head += "\\nlink: " + usual_link;
    return fmt::format(
               "graph network {{\n  graph [label=\"{}\", labelloc=t, fontname=sans{}];\n"
               "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=sans, fontsize=10];\n"
               "  edge [fontname=sans, fontsize=9];\n",
               head, many ? ", rankdir=LR, nodesep=0.2, ranksep=2, splines=line" : "") +
           nodes + edges + "}\n";
}

}  // namespace

std::string system_graph(const Scenario& scenario) {
    std::vector<RunConfig> configs;
    for (const SweepPoint& point : scenario.points)
        configs.insert(configs.end(), point.configs.begin(), point.configs.end());
    if (configs.front().network) return network_graph(scenario.name, Points(configs), configs.front());
    const HostNames names = configs.front().names;
    Graph graph(scenario.name, names, scenario.variants.names, Points(std::move(configs)));
    for (unsigned end = 0; end < names.size(); ++end) {
        graph.host(end);
        graph.rnic(end);
    }
    return graph.finish();
}

void draw_system(const std::filesystem::path& file, const Scenario& scenario) {
    const std::string graph = system_graph(scenario);
    const bool svg = file.extension() == ".svg";
    if (!svg && file.extension() != ".dot") {
        throw ScenarioError("--draw " + file.string() + ": expected the name of a file that ends with .dot or .svg");
    }
    std::filesystem::path source = file;
    if (svg) source += ".dot";
    std::ofstream out(source);
    out << graph;
    out.close();
    if (!out) throw ScenarioError("--draw " + source.string() + ": cannot be written: " + std::strerror(errno));
    if (!svg) return;
    const int code = run_program({"dot", "-Tsvg", "-o", file.string(), source.string()}, ScriptOutput::shown);
    std::filesystem::remove(source);
    if (code != 0) throw ScenarioError("--draw " + file.string() + ": `dot` failed; it comes with graphviz");
}

}  // namespace rnicsim::runner
