// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/workload_guide.h"

#include "model/traffic.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace rnicsim::runner {
namespace {

/// `item`: its keys behind who asks whom; `system`: lines of the section.
std::string scenario_of(std::string_view item, std::string_view system = {}) {
    return fmt::format(
        "system:\n  rnic: {{profile: cx5_100g}}\n{}  link: {{rate: 100 Gbps, delay: 390.4 ns}}\n  hosts: {{asks: {{}}, "
        "answers: {{}}}}\n  links: [{{between: [asks, answers]}}]\nrun:\n  repetitions: 1\n  transfers: 20\n  "
        "traffic:\n"
        "    - {{name: all, from: asks, to: answers, {}}}\n",
        system, item);
}

std::vector<std::string> in_run(std::initializer_list<std::string_view> names) {
    std::vector<std::string> paths;
    for (const std::string_view name : names) paths.push_back("run." + std::string(name));
    return paths;
}

std::vector<std::string> below(std::string_view section) {
    std::vector<std::string> paths;
    for (const Key& key : all_keys())
        if (key.path.starts_with(section)) paths.push_back(key.path);
    return paths;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSchemes{
    {{"fig2", "WRITE; when it is complete, READ"},
     {"fig3", "WRITE; when it is complete, SEND, upon which the responder's processor flushes and sends back"},
     {"fig10", "WRITE_PERSIST: the card says when data are durable"},
     {"fig11", "WRITE_PERSIST, upon which the responder's processor flushes and has a persist ACK sent"},
     {"apm", "WRITE and READ, posted together"},
     {"flush", "WRITE and FLUSH, posted together"},
     {"gpspm", "fig3 with WRITE and SEND posted together"},
     {"ack", "WRITE, whose ACK is taken for the word that data are durable: it is none"}}};

WorkloadGuide guide_of(std::string_view scheme, std::string_view about) {
    const std::string_view unsafe = scheme == "ack" ? ", unsafe: true" : "";
    return {std::string(scheme), "scheme", std::string(about) + " (run.scheme)",
            in_run({"scheme", "size", "transfers", "connections", "depth", "mark", "acks", "pack", "receives_ahead",
                    "behind", "unsafe"}),
            scenario_of(fmt::format("scheme: {}, size: 64 B, depth: 1{}", scheme, unsafe),
                        "  host: {persistence: {ddio: false}}\n")};
}

WorkloadGuide guide_of(const applications::Application& application) {
    const std::string name(application.name());
    std::vector<std::string> keys = below("run." + name + ".");
    for (std::string& path : in_run({"size", "sizes", "transfers", "connections", "depth", "think", "pairs"})) {
        if (application.one_at_a_time() && path == "run.depth") continue;
        keys.push_back(std::move(path));
    }
    std::string parts;
    for (const std::string_view part : application.parts()) parts.append(parts.empty() ? "" : ", ").append(part);
    return {
        name,
        "application",
        "a program's own protocol; of its time: " + parts,
        std::move(keys),
        application.is_among_its_hosts()
            ? "system:\n  rnic: {profile: cx5_100g}\n  host: {cpu: {profile: xeon_2018}}\n  link: {rate: 100 Gbps, "
              "delay: 390.4 ns}\n  hosts: {node: {count: 2}}\n  switches: {ring: {mtu: 4200 B}}\n  links: [{between: "
              "[node, ring]}]\nrun:\n  repetitions: 1\n  transfers: 20\n  traffic:\n    - {name: all, from: node, "
              "to: node, application: " +
                  name + ", size: 4 KiB}\n"
            : scenario_of(
                  "application: " + name + ", size: 4 KiB",
                  std::string("  host: {cpu: {profile: xeon_2018}}\n") +
                      (application.is_over_a_bridge() ? "  bridges: [{name: n0, between: [asks, answers]}]\n" : "")),
        &application};
}

}  // namespace

std::vector<WorkloadGuide> workload_guides() {
    std::vector<WorkloadGuide> all{
        {"transfers", "DRP",
         "transfers between DRP RNICs, the paper's: WRITE or READ of a region that is registered for it",
         in_run({"operation", "size", "transfers", "in_flight", "think", "pace", "pairs"}), "run:\n  transfers: 20\n"},
        {"frames", "plain", "Ethernet frames between plain hosts",
         in_run({"size", "transfers", "pace", "think", "class", "ecn", "pairs"}),
         "system:\n  rnic: {personality: plain}\n  hosts: {asks: {}, answers: {}}\n  links: [{between: [asks, "
         "answers]}]\nrun:\n  traffic: [{name: all, from: asks, to: answers, size: 1500 B, transfers: 100}]\n"},
        {"messages", "verbs", "messages of one verb, as perftest has them",
         in_run({"operation", "size", "sizes", "transfers", "service", "pattern", "depth", "outstanding", "connections",
                 "regions", "signal_every", "dscp", "pace", "think", "pairs"}),
         scenario_of("operation: send, size: 4 KiB")},
        {"mix", "verbs", "messages whose verb is drawn for each", below("run.mix."),
         scenario_of("mix: {write: 50 %, read: 50 %}, size: 4 KiB")},
    };
    for (const auto& [scheme, about] : kSchemes) all.push_back(guide_of(scheme, about));
    for (const ListedApplication& of : all_applications())
        if (of.protocol != nullptr) all.push_back(guide_of(*of.protocol));
    return all;
}

WorkloadGuide workload_guide(std::string_view name) {
    std::vector<WorkloadGuide> all = workload_guides();
    const auto found = std::ranges::find(all, name, &WorkloadGuide::name);
    if (found != all.end()) return std::move(*found);
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const WorkloadGuide& of : all) names.push_back(of.name);
    const std::string near = nearest(name, names);
    throw ScenarioError(fmt::format("workloads {}: expected a name that `rnicsim workloads` prints{}", name,
                                    near.empty() ? "" : ", perhaps " + near));
}

ScenarioOfText::ScenarioOfText(std::string_view text) : file_(::memfd_create("scenario", MFD_CLOEXEC)) {
    const auto fails = [] { throw std::system_error(errno, std::generic_category(), "a scenario in memory"); };
    if (file_ < 0) fails();
    while (!text.empty()) {
        const auto written = ::write(file_, text.data(), text.size());
        if (written < 0) fails();
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

ScenarioOfText::~ScenarioOfText() { ::close(file_); }

std::string ScenarioOfText::path() const { return fmt::format("/proc/self/fd/{}", file_); }

}  // namespace rnicsim::runner
