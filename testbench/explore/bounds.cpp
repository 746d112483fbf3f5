// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/bounds.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace rnicsim::explore {
namespace {

constexpr std::uint32_t kSegment = 1000;
constexpr std::uint32_t kLastFrame = 600;

// Every input except timers comes at cycle 0, and a timer expires at its own deadline. With these lengths an entry's
// idle timer is always behind its request timer, and so on: on_timer() takes the first of idle, request, data, release
// that has expired, so each can be chosen. A transfer restarts a timer far less than 10^3 times in a row.
constexpr Cycle kRequestTimer{1'000'000'000'000'000};
constexpr Cycle kDataTimer{10'000'000'000};
constexpr Cycle kReleaseTimer{100'000};
constexpr Cycle kIdleTimeout{1'000'000'000'000'000'000};

std::size_t transfers_in_all(const Bounds& bounds) { return std::size_t{bounds.initiators} * bounds.transfers; }

TransportConfig common_transport(const Bounds& bounds) {
    TransportConfig config;
    config.segment = kSegment;
    config.window = bounds.window;
    config.mode_choice = &mode_choice(bounds.rules.mode_choice);
    config.retransmission = &retransmission(bounds.rules.retransmission);
    config.acknowledgement = &acknowledgement(bounds.rules.acknowledgement);
    config.buffer_admission = &buffer_admission(bounds.rules.buffer_admission);
    config.buffer_quota = 1;
    config.window_rule = &window_rule(bounds.rules.window_rule);
    config.resume_rule = &resume_rule(bounds.rules.resume_rule);
    config.busy_answer = bounds.rules.busy_answer;
    config.duplicate_acks = bounds.duplicate_acks;
    config.request_timer = kRequestTimer;
    config.data_timer = kDataTimer;
    config.release_timer = kReleaseTimer;
    config.idle_timeout = kIdleTimeout;
    // A fault costs at most one request or retransmission, a failed registration one request.
    config.max_requests = 2 + bounds.faults + bounds.failures;
    config.max_retransmissions = 1 + bounds.faults;
    config.indirect_after_timeouts = bounds.indirect_after;
    // 0: each has one at each end.
    config.table_entries = bounds.table != 0 ? bounds.table : static_cast<std::uint32_t>(transfers_in_all(bounds));
    return config;
}

/// Keys that a scenario with two ends on a link refuses: two ends with such rules are a network, too.
bool needs_network(const Bounds& bounds) {
    const Rules own;
    const Rules& rules = bounds.rules;
    return bounds.initiators > 1 || rules.window_rule != own.window_rule || rules.resume_rule != own.resume_rule ||
           rules.buffer_admission == "per_initiator" || rules.busy_answer;
}

HostNames names_of(const Bounds& bounds, bool network) {
    std::vector<std::string> names{"a", "b"};
    if (bounds.initiators > 1) names.emplace_back("c");
    return network ? HostNames::of_network(names) : HostNames(names);
}

/// Who asks in turn.
std::vector<unsigned> askers(const Bounds& bounds) {
    if (bounds.traffic == Traffic::both_ends) return {0, kHub};
    if (bounds.initiators > 1) return {0, 2};
    return {0};
}

}  // namespace

Setting::Setting(const Bounds& chosen)
    : bounds(chosen),
      transport(common_transport(chosen)),
      network(needs_network(chosen)),
      names(names_of(chosen, network)) {
    const std::vector<unsigned> turn = askers(chosen);
    for (std::uint32_t i = 0; i < transfers_in_all(chosen); ++i) {
        Plan plan;
        plan.initiator = turn[i % turn.size()];
        plan.responder = plan.initiator == kHub ? 0 : kHub;
        plan.number = i / static_cast<std::uint32_t>(turn.size());
        const bool reads = chosen.traffic == Traffic::read || plan.initiator == kHub;
        plan.operation = reads ? Operation::read : Operation::write;
        plan.length = (chosen.frames - 1) * kSegment + kLastFrame;
        plan.sba = 0x0100'0000 + std::uint64_t{i} * 0x10'0000;
        plan.dba = 0x0200'0000 + std::uint64_t{i} * 0x10'0000;
        plans.push_back(plan);
    }
}

Method Setting::method_of(unsigned end) const {
    return end == kHub ? bounds.hub_method.value_or(bounds.method) : bounds.method;
}

TransportConfig Setting::transport_of(unsigned end) const {
    TransportConfig config = transport;
    config.method = method_of(end);
    config.indirect_buffer = config.method == Method::dynamic ? bounds.slots * kSegment : 0;
    return config;
}

std::uint32_t Setting::bytes_of(std::uint32_t sn) const { return sn + 1 == bounds.frames ? kLastFrame : kSegment; }

std::uint32_t Setting::find(unsigned end, const TransferKey& key) const {
    for (std::uint32_t i = 0; i < plans.size(); ++i) {
        if (plans[i].has(end) && plans[i].key_at(end) == key) return i;
    }
    throw std::logic_error("TID " + std::to_string(raw(key.tid)) + " means no transfer between these two ends");
}

std::string Setting::name_of(std::uint32_t transfer) const {
    return names.transfer(plans[transfer].initiator, plans[transfer].number);
}

std::vector<std::pair<std::string, std::string>> other_rules(const Rules& rules) {
    const Rules own;
    std::vector<std::pair<std::string, std::string>> others;
    const auto add = [&](const char* key, const std::string& name, const std::string& usual) {
        if (name != usual) others.emplace_back(key, name);
    };
    add("mode_choice", rules.mode_choice, own.mode_choice);
    add("retransmission", rules.retransmission, own.retransmission);
    add("acknowledgement", rules.acknowledgement, own.acknowledgement);
    add("buffer_admission", rules.buffer_admission, own.buffer_admission);
    add("window_rule", rules.window_rule, own.window_rule);
    add("resume_rule", rules.resume_rule, own.resume_rule);
    return others;
}

bool any_dynamic(const Bounds& b) { return b.method == Method::dynamic || b.hub_method == Method::dynamic; }

std::string describe(const Bounds& b) {
    constexpr std::array kTraffic{"write", "read", "both ends"};
    std::string text =
        std::string(kTraffic.at(static_cast<std::size_t>(b.traffic))) + ", " + std::string(method_name(b.method)) +
        (b.hub_method ? ", b " + std::string(method_name(*b.hub_method)) : std::string()) +
        (b.initiators > 1 ? ", " + std::to_string(b.initiators) + " initiators, " : ", ") +
        std::to_string(b.transfers) + " x " + std::to_string(b.frames) + ", window " + std::to_string(b.window) +
        ", F " + std::to_string(b.faults) + ", R " + std::to_string(b.failures);
    if (any_dynamic(b)) text += ", slots " + std::to_string(b.slots);
    if (b.table != 0) text += ", table " + std::to_string(b.table);
    text += ", staged " + std::to_string(b.staged);
    if (b.fetch_at_once) text += " at once";
    if (b.forgetful) text += ", forgetful";
    if (b.prompt) text += ", prompt";
    if (b.duplicate_acks != 1) text += ", duplicates " + std::to_string(b.duplicate_acks);
    if (b.indirect_after != 1) text += ", indirect after " + std::to_string(b.indirect_after);
    for (const auto& [key, name] : other_rules(b.rules)) text += ", " + name;
    if (b.rules.busy_answer) text += ", busy answer";
    return text;
}

std::string options(const Bounds& b) {
    constexpr std::array kTraffic{"write", "read", "both-ends"};
    std::string text = std::string("--operation ") + kTraffic.at(static_cast<std::size_t>(b.traffic)) + " --method " +
                       std::string(method_name(b.method));
    if (b.hub_method) text += " --method-of-b " + std::string(method_name(*b.hub_method));
    const auto add = [&text](const char* name, std::uint32_t value) {
        text += std::string(" --") + name + " " + std::to_string(value);
    };
    if (b.initiators != 1) add("initiators", b.initiators);
    add("transfers", b.transfers);
    add("frames", b.frames);
    add("window", b.window);
    add("faults", b.faults);
    add("failures", b.failures);
    if (b.table != 0) add("table", b.table);
    add("slots", b.slots);
    add("staged", b.staged);
    add("duplicate-acks", b.duplicate_acks);
    add("indirect-after", b.indirect_after);
    if (b.fetch_at_once) text += " --fetch-at-once";
    if (b.forgetful) text += " --forgetful";
    if (b.prompt) text += " --prompt";
    for (const auto& [key, name] : other_rules(b.rules)) {
        std::string option = key;
        std::ranges::replace(option, '_', '-');
        text.append(" --").append(option).append(" ").append(name);
    }
    if (b.rules.busy_answer) text += " --busy-answer";
    return text;
}

}  // namespace rnicsim::explore
