// Fault tapes: one line for each fault; the simulator's link and host carry it out.
#include "model/host_names.h"
#include "testbench/explore/hands.h"
#include "testbench/explore/narrative.h"

#include <yaml-cpp/yaml.h>

#include <sstream>

namespace rnicsim::explore {
namespace {

// Cycles. Longer than a frame, its answer and a bulk DMA take; shorter than any timer.
constexpr int kOvertaken = 2'000;
constexpr int kOvertakenByAll = 20'000;
// The timers of scenario() below, in cycles: a late frame is late by a little more.
struct Timers {
    int request = 300'000;
    int data = 62'500;
    int release = 62'500;
    int idle = 12'500'000;
};
constexpr Timers kTimers;

std::string late(Step timer) {
    const int length = timer == Step::request_timer   ? kTimers.request
                       : timer == Step::data_timer    ? kTimers.data
                       : timer == Step::release_timer ? kTimers.release
                                                      : kTimers.idle;
    return " delayed " + std::to_string(length + length / 4) + " cycles";
}

/// "a>b a0 DATA 2 #1", the first frame in flight from `end`.
std::string head(const World& world, unsigned end) {
    return HostNames().direction(end, 1U - end) + ' ' + frame_name(world.setting(), world.end(end).sent.front());
}

/// The line of an attempt to register, which is the next one of that transfer.
std::string failed(const World& world, unsigned end, std::uint32_t transfer) {
    return HostNames()[end] + ' ' + world.setting().plans[transfer].name() + " REGISTRATION #" +
           std::to_string(world.progress()[transfer].attempts + 1) + " failed";
}

/// The frame that a timer waits for and that has not been sent yet: it will be late. Empty if the timer waits for no
/// single frame.
std::string awaited(const World& world, const Action& timer) {
    const Transfer& entry = world.end(timer.end).logic.table()[timer.which];
    const bool initiator = entry.role == Role::initiator;
    DrpHeader answer;
    if (timer.step == Step::request_timer && initiator) {
        answer.type = DrpType::req_ack;
    } else if (timer.step == Step::release_timer) {
        answer.type = DrpType::rel_ack;
    } else if (timer.step == Step::request_timer || (timer.step == Step::data_timer && entry.sends_data())) {
        answer.type = DrpType::data;  // an acknowledgement, "ready" included
    } else {
        return {};
    }
    const std::uint32_t transfer = find_transfer(world.setting(), initiator ? timer.end : 1U - timer.end, entry.tid);
    const Flight flight{answer, transfer, next_ordinal(world.progress()[transfer], answer)};
    return HostNames().direction(1U - timer.end, timer.end) + ' ' + frame_name(world.setting(), flight);
}

/// A request timer is early, and only a host's registration is pending.
bool waits_for_host(const World& world, const Action& action) {
    return action.step == Step::request_timer && world.cost(action) != 0 && world.end(0).sent.empty() &&
           world.end(1).sent.empty() && !world.end(1 - action.end).asked.empty();
}

/// The line of a step; empty = no fault, or one that the scenario causes.
std::string tape_line(const World& world, const Action& action) {
    switch (action.step) {
        case Step::lose: return head(world, action.end) + " lost";
        case Step::duplicate: return head(world, action.end) + " duplicated";
        case Step::duplicate_late:
            return head(world, action.end) + " duplicated " + std::to_string(kOvertaken) + " cycles";
        case Step::overtaken: return head(world, action.end) + " overtaken " + std::to_string(kOvertaken) + " cycles";
        case Step::overtaken_by_all:
            return head(world, action.end) + " overtaken " + std::to_string(kOvertakenByAll) + " cycles";
        case Step::not_registered: return failed(world, action.end, world.end(action.end).asked.front().transfer);
        case Step::retry_fails: return failed(world, action.end, action.which);
        default: break;
    }
    if (world.cost(action) == 0 || waits_for_host(world, action)) return {};
    for (const unsigned end : {0U, 1U}) {
        if (!world.end(end).sent.empty()) return head(world, end) + late(action.step);
    }
    if (const std::string answer = awaited(world, action); !answer.empty()) return answer + late(action.step);
    return "# here a timer is early although no frame is in flight: a host or a DMA is slow, which no tape can express";
}

/// The scenario under which the tape does the same, as comment lines.
std::string scenario(const Setting& setting, bool slow_host) {
    const Bounds& b = setting.bounds;
    const bool both = b.traffic == Traffic::both_ends;
    YAML::Emitter out;
    const auto section = [&](const char* name) { out << YAML::Key << name << YAML::Value << YAML::BeginMap; };
    const auto add = [&](const std::string& key, const auto& value) {
        out << YAML::Key << key << YAML::Value << value;
    };
    const auto bytes = [](std::uint64_t n) { return std::to_string(n) + " B"; };
    out << YAML::BeginMap;
    section("system");
    if (slow_host) {
        out << YAML::Key << "host" << YAML::Value << YAML::Flow << YAML::BeginMap;
        out << YAML::Key << "registration" << YAML::Value << YAML::Flow << YAML::BeginMap;
        add("base_cost", "2.6 ms");
        out << YAML::EndMap << YAML::EndMap << YAML::Comment("longer than the request timer");
    }
    section("rnic");
    section("transport");
    add("segment", bytes(setting.transport.segment));
    add("window", b.window);
    add("duplicate_acks", b.duplicate_acks);
    add("indirect_after_timeouts", setting.transport.indirect_after_timeouts);
    add("max_requests", setting.transport.max_requests);
    add("max_retransmissions", setting.transport.max_retransmissions);
    add("request_timer", "2.4 ms");
    add("data_timer", "0.5 ms");
    add("release_timer", "0.5 ms");
    add("idle_timeout", "100 ms");
    const bool dynamic = b.method == Method::dynamic;
    if (dynamic) add("indirect_buffer", bytes(std::uint64_t{b.slots} * setting.transport.segment));
    for (const auto& [key, name] : other_rules(b.rules)) add(std::string(key), std::string(name));
    out << YAML::EndMap << YAML::EndMap << YAML::EndMap;
    section("run");
    out << YAML::Key << "methods" << YAML::Value << YAML::Flow << YAML::BeginSeq
        << (dynamic ? "dynamic" : "traditional") << YAML::EndSeq;
    // Where both ends ask, the exploration has a write and b read; a scenario cannot say that of single ends.
    add("operation", b.traffic == Traffic::read ? "read" : "write");
    if (both) out << YAML::Comment("b's are reads in the exploration");
    if (both) add("direction", "both");
    add("size", bytes(setting.plans.front().length));
    add("transfers", both ? (b.transfers + 1) / 2 : b.transfers);
    add("in_flight", b.transfers);
    out << YAML::EndMap << YAML::EndMap;

    std::string text = "# Replay it under a scenario with:\n";
    std::istringstream lines(out.c_str());
    for (std::string line; std::getline(lines, line);) text += "#   " + line + "\n";
    return text;
}

}  // namespace

std::string fault_tape(const Setting& setting, const std::vector<Action>& trace, const std::string& breach) {
    std::string lines;
    bool slow_host = false;
    World world(setting);
    for (const Action& action : trace) {
        slow_host = slow_host || waits_for_host(world, action);
        const std::string line = tape_line(world, action);
        if (!line.empty()) lines += line + "\n";
        world.apply(action);
    }
    std::string text = "rnicsim fault tape 1\n# rnicsim explore " + options(setting.bounds) + "\n# " + breach + "\n" +
                       scenario(setting, slow_host) + "# The way there:\n";
    for (const std::string& line : in_words(setting, trace)) text += "#   " + line + "\n";
    return text + lines;
}

}  // namespace rnicsim::explore
