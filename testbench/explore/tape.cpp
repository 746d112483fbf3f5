// SPDX-License-Identifier: Apache-2.0
// Fault tapes: one line for each fault; the simulator's link and host carry it out.
#include "testbench/explore/hands.h"
#include "testbench/explore/narrative.h"
#include "testbench/explore/replay.h"

#include <algorithm>

namespace rnicsim::explore {
namespace {

// Cycles. Longer than a frame, its answer and a bulk DMA take; shorter than any timer.
constexpr int kOvertaken = 2'000;
constexpr int kOvertakenByAll = 20'000;

/// As late as makes this timer expire first.
std::string late(Step timer) {
    const int length = timer == Step::request_timer   ? kReplayTimers.request
                       : timer == Step::data_timer    ? kReplayTimers.data
                       : timer == Step::release_timer ? kReplayTimers.release
                                                      : kReplayTimers.idle;
    return " delayed " + std::to_string(length + length / 4) + " cycles";
}

/// "a>b a0 DATA 2 #1"
std::string first_of(const Setting& setting, const Wire& wire) {
    return replay_way(setting, wire.from, wire.to) + ' ' + frame_name(setting, wire.flights.front());
}

/// The end that the transfer of this timer is with.
unsigned far_of(const World& world, const Action& timer) {
    return raw(world.end(timer.end).logic.table()[timer.which].peer);
}

/// A wire with a frame in flight between the two ends of this timer's transfer, or nullptr.
const Wire* in_flight(const World& world, const Action& timer) {
    const auto carries = [&](const Wire& wire) {
        return !wire.flights.empty() && wire.joins(timer.end, far_of(world, timer));
    };
    const auto found = std::ranges::find_if(world.wires(), carries);
    return found == world.wires().end() ? nullptr : &*found;
}

/// The line of an attempt to register, which is the next one of that transfer.
std::string failed(const World& world, unsigned end, std::uint32_t transfer) {
    return world.setting().names[end] + ' ' + world.setting().name_of(transfer) + " REGISTRATION #" +
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
    const std::uint32_t transfer = world.setting().find(timer.end, entry.key());
    const Flight flight{answer, transfer, next_ordinal(world.progress()[transfer], answer)};
    return replay_way(world.setting(), raw(entry.peer), timer.end) + ' ' + frame_name(world.setting(), flight);
}

/// A request timer is early, and only a host's registration is pending.
bool waits_for_host(const World& world, const Action& action) {
    return action.step == Step::request_timer && world.cost(action) != 0 && in_flight(world, action) == nullptr &&
           !world.end(far_of(world, action)).asked.empty();
}

/// The line of a step; empty = no fault, or one that the scenario causes.
std::string tape_line(const World& world, const Action& action) {
    const auto head = [&] { return first_of(world.setting(), wire_of(world.wires(), action.end, action.which)); };
    switch (action.step) {
        case Step::lose: return head() + " lost";
        case Step::duplicate: return head() + " duplicated";
        case Step::duplicate_late: return head() + " duplicated " + std::to_string(kOvertaken) + " cycles";
        case Step::overtaken: return head() + " overtaken " + std::to_string(kOvertaken) + " cycles";
        case Step::overtaken_by_all: return head() + " overtaken " + std::to_string(kOvertakenByAll) + " cycles";
        case Step::not_registered: return failed(world, action.end, world.end(action.end).asked.front().transfer);
        case Step::retry_fails: return failed(world, action.end, action.which);
        default: break;
    }
    if (world.cost(action) == 0 || waits_for_host(world, action)) return {};
    if (const Wire* wire = in_flight(world, action)) return first_of(world.setting(), *wire) + late(action.step);
    if (const std::string answer = awaited(world, action); !answer.empty()) return answer + late(action.step);
    return "# here a timer is early although no frame is in flight: a host or a DMA is slow, which no tape can express";
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
    std::string text = std::string("rnicsim fault tape ") + (setting.network ? "2" : "1") + "\n# rnicsim explore " +
                       options(setting.bounds) + "\n# " + breach + "\n" + replay_scenario(setting, slow_host) +
                       "# The way there:\n";
    for (const std::string& line : in_words(setting, trace)) text += "#   " + line + "\n";
    return text + lines;
}

}  // namespace rnicsim::explore
