#include "testbench/explore/bounds.h"
#include "model/host_names.h"

#include <algorithm>
#include <array>

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

TransportConfig transport_of(const Bounds& bounds) {
    TransportConfig config;
    config.method = bounds.method;
    config.segment = kSegment;
    config.window = bounds.window;
    config.mode_choice = &mode_choice(bounds.rules.mode_choice);
    config.retransmission = &retransmission(bounds.rules.retransmission);
    config.acknowledgement = &acknowledgement(bounds.rules.acknowledgement);
    config.buffer_admission = &buffer_admission(bounds.rules.buffer_admission);
    config.buffer_quota = 1;
    config.window_rule = &window_rule(bounds.rules.window_rule);
    config.resume_rule = &resume_rule(bounds.rules.resume_rule);
    config.duplicate_acks = bounds.duplicate_acks;
    config.request_timer = kRequestTimer;
    config.data_timer = kDataTimer;
    config.release_timer = kReleaseTimer;
    config.idle_timeout = kIdleTimeout;
    // A fault costs at most one request or retransmission, a failed registration one request.
    config.max_requests = 2 + bounds.faults + bounds.failures;
    config.max_retransmissions = 1 + bounds.faults;
    config.indirect_after_timeouts = bounds.indirect_after;
    config.table_entries = bounds.transfers;  // each has one at each end
    config.indirect_buffer = bounds.method == Method::dynamic ? bounds.slots * kSegment : 0;
    return config;
}

const char* method_name(Method method) { return method == Method::dynamic ? "dynamic" : "traditional"; }

}  // namespace

std::string Plan::name() const { return HostNames().transfer(initiator, number); }

Setting::Setting(const Bounds& chosen) : bounds(chosen), transport(transport_of(chosen)) {
    for (std::uint32_t i = 0; i < chosen.transfers; ++i) {
        const bool both = chosen.traffic == Traffic::both_ends;
        Plan plan;
        plan.initiator = both ? i % 2 : 0;
        plan.number = both ? i / 2 : i;
        plan.operation = chosen.traffic == Traffic::read || plan.initiator == 1 ? Operation::read : Operation::write;
        plan.length = (chosen.frames - 1) * kSegment + kLastFrame;
        plan.sba = 0x0100'0000 + std::uint64_t{i} * 0x10'0000;
        plan.dba = 0x0200'0000 + std::uint64_t{i} * 0x10'0000;
        plans.push_back(plan);
    }
}

std::uint32_t Setting::bytes_of(std::uint32_t sn) const { return sn + 1 == bounds.frames ? kLastFrame : kSegment; }

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

std::string describe(const Bounds& b) {
    constexpr std::array kTraffic{"write", "read", "both ends"};
    std::string text = std::string(kTraffic.at(static_cast<std::size_t>(b.traffic))) + ", " + method_name(b.method) +
                       ", " + std::to_string(b.transfers) + " x " + std::to_string(b.frames) + ", window " +
                       std::to_string(b.window) + ", F " + std::to_string(b.faults) + ", R " +
                       std::to_string(b.failures);
    if (b.method == Method::dynamic) text += ", slots " + std::to_string(b.slots);
    text += ", staged " + std::to_string(b.staged);
    if (b.fetch_at_once) text += " at once";
    if (b.forgetful) text += ", forgetful";
    if (b.prompt) text += ", prompt";
    if (b.duplicate_acks != 1) text += ", duplicates " + std::to_string(b.duplicate_acks);
    if (b.indirect_after != 1) text += ", indirect after " + std::to_string(b.indirect_after);
    for (const auto& [key, name] : other_rules(b.rules)) text += ", " + name;
    return text;
}

std::string options(const Bounds& b) {
    constexpr std::array kTraffic{"write", "read", "both-ends"};
    std::string text = std::string("--operation ") + kTraffic.at(static_cast<std::size_t>(b.traffic)) + " --method " +
                       method_name(b.method);
    const auto add = [&text](const char* name, std::uint32_t value) {
        text += std::string(" --") + name + " " + std::to_string(value);
    };
    add("transfers", b.transfers);
    add("frames", b.frames);
    add("window", b.window);
    add("faults", b.faults);
    add("failures", b.failures);
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
    return text;
}

std::vector<Bounds> standard_set() {
    std::vector<Bounds> set;
    constexpr std::array kMethods{Method::traditional, Method::dynamic};
    for (const Traffic traffic : {Traffic::write, Traffic::read}) {
        for (const Method method : kMethods) {
            Bounds one;
            one.traffic = traffic;
            one.method = method;
            one.prompt = true;
            set.push_back(one);
            one.prompt = false;  // not under go-back-N: README.md
            one.rules.retransmission = "go_back_n";
            one.faults = 1;
            set.push_back(one);
        }
    }
    Bounds small;  // the second frame already finds the buffer full
    small.slots = 1;
    small.faults = 1;
    small.prompt = true;
    set.push_back(small);
    for (const Traffic traffic : {Traffic::write, Traffic::read, Traffic::both_ends}) {
        for (const Method method : kMethods) {
            Bounds two;
            two.traffic = traffic;
            two.method = method;
            two.transfers = 2;
            two.frames = 2;
            two.faults = 1;
            two.staged = 1;
            two.prompt = true;
            two.fetch_at_once = true;
            set.push_back(two);
            two.frames = 4;
            two.failures = 0;
            set.push_back(two);
        }
    }
    for (const Traffic traffic : {Traffic::write, Traffic::read}) {
        for (const Method method : kMethods) {
            Bounds again;
            again.traffic = traffic;
            again.method = method;
            again.frames = 2;
            again.staged = 1;
            again.fetch_at_once = true;
            again.forgetful = true;
            set.push_back(again);
        }
    }
    Bounds beyond;  // its initiator continues where the first use of the TID ended
    beyond.frames = 3;
    beyond.window = 1;
    beyond.staged = 1;
    beyond.fetch_at_once = true;
    beyond.forgetful = true;
    set.push_back(beyond);
    return set;
}

}  // namespace rnicsim::explore
