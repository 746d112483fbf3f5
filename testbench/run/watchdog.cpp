// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/watchdog.h"

#include "model/faults/tape.h"
#include "model/ntb/bridge.h"
#include "testbench/events/microseconds.h"
#include "testbench/kits/kits.h"
#include "testbench/kits/waits.h"
#include "testbench/run/pfc_deadlock.h"
#include "tlm/ethernet/pause_frame.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace rnicsim {
namespace {

/// How long the links can hold frames. Holding one is no progress: the links may do so even if nothing ever completes.
Time held_by_link(const RunConfig& config) {
    // A frame and its answer; copies delay the frames behind them.
    if (config.tape == nullptr) {
        Time late;
        for (const LinkConfig& link : config.links) late = std::max(late, link.lateness * 2 + link.jitter);
        return late * most_hops(config) * 2 + held_by_switches(config) * 2;
    }
    // A tape decides how long a frame is held, but each of its faults happens once.
    Time all = held_by_switches(config) * 2;
    for (const TapeEntry& entry : *config.tape) {
        const auto* const frame = std::get_if<TapedFrame>(&entry);
        if (frame == nullptr || frame->fault == FrameFault::corrupted || frame->fault == FrameFault::lost) continue;
        all += Time{frame->value};
    }
    return all;
}

/// Hosts that fill their wires: all frames may be on them at once, and a pause that nobody takes back, since that
/// frame was lost, ends by itself.
Time held_on_wires(const RunConfig& config) {
    bool filled = false;
    for (unsigned host = 0; host < config.hosts.size(); ++host) filled = filled || kit_of(config, host).fills_wires();
    if (!filled) return {};
    Time delay, pause;
    for (const LinkConfig& link : config.links) {
        delay = std::max(delay, link.delay);
        for (const SwitchConfig& of : config.switches)
            if (of.pfc.classes != 0) pause = std::max(pause, quanta(link.timing, of.pfc.quanta));
    }
    return delay * most_hops(config) + pause;
}

/// Over a link that is down nothing comes; where it is down too often for what is to cross no ring gets far, and a core
/// whose load is lost waits for its time-out.
std::string bridges_down(const RunConfig& config, const System& system, Time now) {
    std::string text;
    for (std::size_t i = 0; i < system.bridges(); ++i) {
        const std::string& name = config.bridges[i].name;
        const Time down = system.bridge(i).down_for(now);
        if (!system.bridge(i).was_down()) continue;
        text += "; the link of bridge '" + name + "' was down for " + exact_microseconds(down) +
                " us of these, expected less by " +
                (config.tape == nullptr ? std::string("system.bridge.down") : "the tape's link " + name + " DOWN") +
                ", or messages that go by TCP meanwhile (run.nts.failover); a load that it loses takes "
                "host.root_port.completion_timeout";
    }
    return text;
}

}  // namespace

Time watchdog_limit(const RunConfig& config) {
    Time limit = config.watchdog + held_by_link(config) + held_on_wires(config);
    for (const PersonalityKit* kit : kits_of(config)) limit += kit->patience(config);
    return limit;
}

std::string standstill(const RunConfig& config, System& system, Time waited) {
    std::string text = "watchdog: " + pfc_deadlock(config, system) +
                       "no transfer has ended, no payload has reached memory and no host has taken an event of one";
    for (const PersonalityKit* kit : kits_of(config)) text += kit->stands_still();
    return text + " for " + exact_microseconds(waited) + " us, now " + exact_microseconds(current_time()) + " us" +
           bridges_down(config, system, current_time());
}

}  // namespace rnicsim
