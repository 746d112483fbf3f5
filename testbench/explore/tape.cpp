// Fault tapes: a line for each fault, which the simulator's link and host carry out.
#include "testbench/explore/hands.h"
#include "testbench/explore/narrative.h"

namespace rnicsim::explore {
namespace {

// Cycles. Longer than a frame, its answer and a bulk DMA take; shorter than any timer.
constexpr int kOvertaken = 2'000;
constexpr int kOvertakenByAll = 20'000;
// Cycles of the scenario's timers below: what is late is late by a little more.
constexpr int kRequestTimer = 300'000, kDataTimer = 62'500, kReleaseTimer = 62'500, kIdleTimeout = 12'500'000;

std::string late(Step timer) {
    const int length = timer == Step::request_timer   ? kRequestTimer
                       : timer == Step::data_timer    ? kDataTimer
                       : timer == Step::release_timer ? kReleaseTimer
                                                      : kIdleTimeout;
    return " delayed " + std::to_string(length + length / 4) + " cycles";
}

/// "a>b a0 DATA 2 #1", the first frame in flight from `end`.
std::string head(const World& world, unsigned end) {
    return std::string(end == 0 ? "a>b " : "b>a ") + frame_name(world.setting(), world.end(end).sent.front());
}

/// The line of an attempt to register, which is the next one of that transfer.
std::string failed(const World& world, unsigned end, std::uint32_t transfer) {
    return std::string(end == 0 ? "a " : "b ") + world.setting().plans[transfer].name() + " REGISTRATION #" +
           std::to_string(world.progress()[transfer].attempts + 1) + " failed";
}

/// What a step is on a tape; empty = no fault.
std::string tape_line(const World& world, const Action& action) {
    switch (action.step) {
        case Step::lose: return head(world, action.end) + " lost";
        case Step::duplicate: return head(world, action.end) + " duplicated";
        case Step::duplicate_late:
            return head(world, action.end) + " duplicated " + std::to_string(kOvertaken) + " cycles";
        case Step::overtaken: return head(world, action.end) + " overtaken " + std::to_string(kOvertaken) + " cycles";
        case Step::overtaken_by_all:
            return head(world, action.end) + " overtaken " + std::to_string(kOvertakenByAll) + " cycles";
        case Step::not_registered: return failed(world, action.end, world.end(action.end).asked.front());
        case Step::retry_fails: return failed(world, action.end, action.which);
        default: break;
    }
    if (world.cost(action) == 0) return {};
    for (const unsigned end : {0U, 1U}) {
        if (!world.end(end).sent.empty()) return head(world, end) + late(action.step);
    }
    return "# here a timer is early although no frame is in flight: a host or a DMA is slow, which no tape can say";
}

std::string scenario(const Setting& setting) {
    const Bounds& b = setting.bounds;
    const bool dynamic = b.method == Method::dynamic;
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    std::string text = "# Replay it under a scenario with:\n#   system:\n#     rnic:\n#       transport:\n";
    const auto add = [&text](const std::string& line) { text += "#         " + line + "\n"; };
    add("segment: " + number(setting.transport.segment) + " B");
    add("window: " + number(b.window));
    add("duplicate_acks: " + number(b.duplicate_acks));
    add("indirect_after_timeouts: " + number(setting.transport.indirect_after_timeouts));
    add("max_requests: " + number(setting.transport.max_requests));
    add("max_retransmissions: " + number(setting.transport.max_retransmissions));
    add("request_timer: 2.4 ms");
    add("data_timer: 0.5 ms");
    add("release_timer: 0.5 ms");
    add("idle_timeout: 100 ms");
    if (dynamic) add("indirect_buffer: " + number(std::uint64_t{b.slots} * setting.transport.segment) + " B");
    for (const auto& [key, name] : other_rules(b.rules)) add(key + ": " + name);
    const bool both = b.traffic == Traffic::both_ends;
    text += "#   run:\n";
    text += std::string("#     methods: [") + (dynamic ? "dynamic" : "traditional") + "]\n";
    // Where both ends ask, the exploration has a write and b read; a scenario cannot say that of single ends.
    text += std::string("#     operation: ") + (b.traffic == Traffic::read ? "read" : "write") +
            (both ? "  # b's are reads in the exploration" : "") + "\n";
    if (both) text += "#     direction: both\n";
    text += "#     size: " + number(setting.plans.front().length) + " B\n";
    text += "#     transfers: " + number(both ? (b.transfers + 1) / 2 : b.transfers) + "\n";
    text += "#     in_flight: " + number(b.transfers) + "\n";
    return text;
}

}  // namespace

std::string fault_tape(const Setting& setting, const std::vector<Action>& trace, const std::string& breach) {
    std::string text = "rnicsim fault tape 1\n# rnicsim explore " + options(setting.bounds) + "\n# " + breach + "\n" +
                       scenario(setting) + "# The way there:\n";
    for (const std::string& line : in_words(setting, trace)) text += "#   " + line + "\n";
    World world(setting);
    for (const Action& action : trace) {
        const std::string line = tape_line(world, action);
        if (!line.empty()) text += line + "\n";
        world.apply(action);
    }
    return text;
}

}  // namespace rnicsim::explore
