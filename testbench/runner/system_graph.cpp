#include "testbench/runner/system_graph.h"

#include "testbench/runner/script.h"
#include "testbench/scenario/scenario.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace rnicsim::runner {
namespace {

std::string ns(Cycle cycles) { return fmt::format("{} ns", cycles.n * (kPsPerCycle / 1000)); }
std::string percent(double share) { return fmt::format("{:g} %", share * 100); }
std::string bytes(std::uint64_t n) { return n % 1024 == 0 ? fmt::format("{} KiB", n / 1024) : fmt::format("{} B", n); }

class Graph {
  public:
    explicit Graph(const std::string& title) {
        add("digraph system {{\n  graph [label=\"{}\", labelloc=t, rankdir=TB, fontname=sans, compound=true];\n"
            "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=sans, fontsize=10];\n"
            "  edge [fontname=sans, fontsize=9, dir=both];\n",
            title);
    }

    void host(char end, const HostConfig& host) {
        begin(end, fmt::format("host {}", end));
        node(end, "processor",
             fmt::format("processor, driver\\ninterrupt {}\\nevent {}, command {}", ns(host.software.interrupt_latency),
                         ns(host.software.event_cost), ns(host.software.command_cost)));
        node(end, "registrar",
             fmt::format("registration\\n{} + {} a page\\nfails: {}", ns(host.registration.base_cost),
                         ns(host.registration.page_cost), percent(host.registration.failure)));
        node(end, "memory", fmt::format("memory\\n{}", ns(host.memory.latency)));
        node(end, "root", "root complex");
        add("    {0}_processor -> {0}_registrar;\n    {0}_processor -> {0}_memory;\n    {0}_memory -> {0}_root;\n  "
            "}}\n",
            end);
    }

    void rnic(char end, const RnicConfig& rnic) {
        begin(end,
              fmt::format("RNIC {}, {}", end, rnic.transport.method == Method::dynamic ? "dynamic" : "traditional"));
        const TransportConfig& t = rnic.transport;
        block(end, "dma", Block::dma_engine, rnic,
              fmt::format("PCIe endpoint, DMA engine\\nset-up {}, {} tags", ns(rnic.pcie.request_overhead),
                          rnic.pcie.tags));
        node(end, "queues", "host interface\\nrings, ordinary frames");
        block(end, "transport", Block::transport_controller, rnic,
              fmt::format("transport controller\\nsegment {}, window {}\\n{}", bytes(t.segment), t.window,
                          t.retransmission->name()));
        if (t.method == Method::dynamic && t.indirect_buffer != 0) {
            block(end, "buffer", Block::indirect_buffer, rnic,
                  fmt::format("indirect buffer\\n{}", bytes(t.indirect_buffer)));
            add("    {0}_transport -> {0}_buffer [dir=forward];\n    {0}_dma -> {0}_buffer [dir=back];\n", end);
        }
        block(end, "filter", Block::frame_filter, rnic, fmt::format("frame filter\\n{}", ns(rnic.filter.latency)));
        block(end, "gmac", Block::gmac, rnic,
              fmt::format("MAC\\ntransmit {}, receive {}", ns(rnic.gmac.tx_latency), ns(rnic.gmac.rx_latency)));
        add("    {0}_dma -> {0}_queues;\n    {0}_dma -> {0}_transport;\n    {0}_queues -> {0}_transport;\n"
            "    {0}_transport -> {0}_gmac [dir=forward];\n    {0}_gmac -> {0}_filter [dir=forward];\n"
            "    {0}_filter -> {0}_transport [dir=forward];\n    {0}_queues -> {0}_gmac [dir=forward];\n    {0}_filter "
            "-> {0}_queues [dir=forward];\n  }}\n",
            end);
        add("  {0}_root -> {0}_dma [label=\"PCIe gen {1} x{2}\\n{3}\", penwidth=2];\n", end, rnic.pcie.generation,
            rnic.pcie.lanes, ns(rnic.pcie.latency));
    }

    std::string finish(const LinkConfig& link) {
        add("  wire [label=\"wire: 1 Gb/s, {}\\nloses {}\"];\n  a_gmac -> wire [penwidth=2];\n  b_gmac -> wire "
            "[penwidth=2];\n}}\n",
            ns(link.delay), percent(link.loss));
        return std::move(text_);
    }

  private:
    template <typename... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    }
    void begin(char end, const std::string& what) {
        add("  subgraph cluster_{}{} {{\n    label=\"{}\"; labeljust=l; style=rounded; color=gray; fontname=sans;\n",
            end, ++clusters_, what, end);
    }
    void node(char end, const char* id, const std::string& label) {
        add("    {}_{} [label=\"{}\"];\n", end, id, label);
    }
    void block(char end, const char* id, Block which, const RnicConfig& rnic, const std::string& label) {
        const std::string& name = rnic.blocks[which];
        if (name == "model") return node(end, id, label);
        add("    {}_{} [label=\"{}\\n[{}]\", fillcolor=\"#cfe8ff\"];\n", end, id, label, name);
    }

    std::string text_;
    int clusters_ = 0;
};

}  // namespace

std::string system_graph(const std::string& title, const RunConfig& config) {
    Graph graph(title);
    for (const unsigned end : {0U, 1U}) {
        const char name = end == 0 ? 'a' : 'b';
        graph.host(name, config.ends.at(end).host);
        graph.rnic(name, config.ends.at(end).rnic);
    }
    return graph.finish(config.link);
}

void draw_system(const std::filesystem::path& file, const std::string& title, const RunConfig& config) {
    const std::string graph = system_graph(title, config);
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
