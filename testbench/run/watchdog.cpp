// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/watchdog.h"

#include "model/faults/tape.h"
#include "testbench/kits/kits.h"
#include "testbench/kits/waits.h"
#include "testbench/records/report_clock.h"
#include "testbench/run/pfc_deadlock.h"
#include "tlm/ethernet/pause_frame.h"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace rnicsim {
namespace {

/// How long the links can hold frames. Holding one is no progress: the links may do so even if nothing ever completes.
Cycle held_by_link(const RunConfig& config) {
    // A frame and its answer; copies delay the frames behind them.
    if (config.tape == nullptr) {
        Time late;
        for (const LinkConfig& link : config.links) late = std::max(late, link.lateness * 2 + link.jitter);
        return kReportClock.edge(late * most_hops(config) * 2 + held_by_switches(config) * 2);
    }
    // A tape decides how long a frame is held, but each of its faults happens once.
    Time all = held_by_switches(config) * 2;
    for (const TapeEntry& entry : *config.tape) {
        const auto* const frame = std::get_if<TapedFrame>(&entry);
        if (frame == nullptr || frame->fault == FrameFault::corrupted || frame->fault == FrameFault::lost) continue;
        all += Time{frame->value};
    }
    return kReportClock.edge(all);
}

/// Hosts that fill their wires: all frames may be on them at once, and a pause that nobody takes back, since that
/// frame was lost, ends by itself.
Cycle held_on_wires(const RunConfig& config) {
    bool filled = false;
    for (unsigned host = 0; host < config.hosts.size(); ++host) filled = filled || kit_of(config, host).fills_wires();
    if (!filled) return {};
    Time delay, pause;
    for (const LinkConfig& link : config.links) {
        delay = std::max(delay, link.delay);
        for (const SwitchConfig& of : config.switches)
            if (of.pfc.classes != 0) pause = std::max(pause, quanta(link.timing, of.pfc.quanta));
    }
    return kReportClock.edge(delay * most_hops(config) + pause);
}

}  // namespace

Cycle watchdog_limit(const RunConfig& config) {
    Cycle limit = config.watchdog + held_by_link(config) + held_on_wires(config);
    for (const PersonalityKit* kit : kits_of(config)) limit += kit->patience(config);
    return limit;
}

std::string standstill(const RunConfig& config, System& system, Cycle waited) {
    std::string text = "watchdog: " + pfc_deadlock(config, system) +
                       "no transfer has ended, no payload has reached memory and no host has taken an event of one";
    for (const PersonalityKit* kit : kits_of(config)) text += kit->stands_still();
    return text + " for " + std::to_string(waited.n) + " cycles, now cycle " + std::to_string(current_cycle().n);
}

}  // namespace rnicsim
