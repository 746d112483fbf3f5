// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/replay.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

namespace rnicsim::explore {
namespace {

constexpr std::string_view kSwitch = "s0";

/// A scenario that is being written.
class Scenario {
  public:
    void begin() { out_ << YAML::BeginMap; }
    void begin(std::string_view name) {
        key(name);
        begin();
    }
    void end() { out_ << YAML::EndMap; }
    void add_empty(std::string_view name) {
        key(name);
        out_ << YAML::Flow << YAML::BeginMap << YAML::EndMap;
    }
    void begin_list(std::string_view name) {
        key(name);
        out_ << YAML::BeginSeq;
    }
    void end_list() { out_ << YAML::EndSeq; }
    /// What begins next stands in one line.
    void in_one_line() { out_ << YAML::Flow; }
    void add(std::string_view name, const auto& value) {
        key(name);
        out_ << value;
    }
    void add_words(std::string_view name, const std::vector<std::string>& words) {
        key(name);
        out_ << YAML::Flow << words;
    }
    void remark(std::string_view text) { out_ << YAML::Comment(std::string(text)); }
    [[nodiscard]] std::string text() const { return out_.c_str(); }

  private:
    void key(std::string_view name) { out_ << YAML::Key << std::string(name) << YAML::Value; }
    YAML::Emitter out_;
};

std::string bytes(std::uint64_t n) { return std::to_string(n) + " B"; }

void add_transport(Scenario& out, const Setting& setting) {
    const Bounds& b = setting.bounds;
    out.begin("rnic");
    out.begin("drp");
    out.add("segment", bytes(setting.transport.segment));
    out.add("window", b.window);
    out.add("duplicate_acks", b.duplicate_acks);
    out.add("max_requests", setting.transport.max_requests);
    out.add("max_retransmissions", setting.transport.max_retransmissions);
    out.add("request_timer", "2.4 ms");
    out.add("data_timer", "0.5 ms");
    out.add("release_timer", "0.5 ms");
    out.add("idle_timeout", "100 ms");
    if (b.table != 0) out.add("table_entries", b.table);
    if (any_dynamic(b)) {
        if (b.rules.mode_choice == "paper") out.add("indirect_after_timeouts", b.indirect_after);
        out.add("indirect_buffer", bytes(std::uint64_t{b.slots} * setting.transport.segment));
    }
    for (const auto& [key, name] : other_rules(b.rules)) out.add(key, name);
    if (b.rules.buffer_admission == "per_initiator") out.add("buffer_quota", setting.transport.buffer_quota);
    if (b.rules.busy_answer) out.add("busy_answer", true);
    out.end();
    out.end();
}

/// One end's own.
void add_method(Scenario& out, const std::string& end, Method method) {
    out.begin(end);
    out.begin("rnic");
    out.begin("drp");
    out.add("method", std::string(method_name(method)));
    out.end();
    out.end();
    out.end();
}

/// Each end has a link to one switch.
void add_network(Scenario& out, const Setting& setting) {
    const HostNames& names = setting.names;
    out.begin("hosts");
    for (unsigned end = 0; end < names.size(); ++end) {
        if (end == kHub && setting.bounds.hub_method) {
            add_method(out, names[end], *setting.bounds.hub_method);
        } else {
            out.add_empty(names[end]);
        }
    }
    out.end();
    out.begin("switches");
    out.add_empty(kSwitch);
    out.end();
    out.begin_list("links");
    for (unsigned end = 0; end < names.size(); ++end) {
        out.in_one_line();
        out.begin();
        out.add_words("between", {names[end], std::string(kSwitch)});
        out.end();
    }
    out.end_list();
}

/// The operation is that of `run`, where b does not ask, too.
void add_traffic(Scenario& out, const Setting& setting) {
    out.begin_list("traffic");
    for (unsigned end = 0; end < setting.names.size(); ++end) {
        const auto own = std::ranges::find(setting.plans, end, &Plan::initiator);
        if (own == setting.plans.end()) continue;
        out.in_one_line();
        out.begin();
        out.add("from", setting.names[end]);
        out.add("to", setting.names[own->responder]);
        out.add("operation", own->operation == Operation::read ? "read" : "write");
        out.add("transfers", std::ranges::count(setting.plans, end, &Plan::initiator));
        out.end();
    }
    out.end_list();
}

/// Of two ends on a link.
void add_directions(Scenario& out, const Bounds& b) {
    const bool both = b.traffic == Traffic::both_ends;
    // Where both ends ask, the exploration has a write and b read; a scenario cannot say that of single ends.
    out.add("operation", b.traffic == Traffic::read ? "read" : "write");
    if (both) out.remark("b's are reads in the exploration");
    if (both) out.add("direction", "both");
    out.add("transfers", both ? (b.transfers + 1) / 2 : b.transfers);
}

}  // namespace

std::string replay_scenario(const Setting& setting, bool slow_host) {
    const Bounds& b = setting.bounds;
    Scenario out;
    out.begin();
    out.begin("system");
    if (slow_host) {
        out.begin("host");
        out.begin("registration");
        out.add("base_cost", "2.6 ms");
        out.remark("longer than the request timer");
        out.end();
        out.end();
    }
    add_transport(out, setting);
    if (setting.network) {
        add_network(out, setting);
    } else if (b.hub_method) {
        add_method(out, setting.names[kHub], *b.hub_method);
    }
    out.end();
    out.begin("run");
    out.add_words("methods", {b.method == Method::dynamic ? "dynamic" : "traditional"});
    out.add("size", bytes(setting.plans.front().length));
    out.add("in_flight", b.transfers);
    if (setting.network) {
        add_traffic(out, setting);
    } else {
        add_directions(out, b);
    }
    out.end();
    out.end();

    std::string text = "# Replay it under a scenario with:\n";
    std::istringstream lines(out.text());
    for (std::string line; std::getline(lines, line);) text += "#   " + line + "\n";
    return text;
}

std::string replay_way(const Setting& setting, unsigned from, unsigned to) {
    if (!setting.network) return setting.names.direction(from, to);
    const std::string of_switch(kSwitch);
    return from == kHub ? of_switch + '>' + setting.names[to] : setting.names[from] + '>' + of_switch;
}

}  // namespace rnicsim::explore
