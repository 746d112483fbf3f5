#include "testbench/run/watchdog.h"

#include "model/faults/tape.h"
#include "testbench/kits/rc/verbs_waits.h"
#include "testbench/kits/waits.h"
#include "testbench/records/report_clock.h"
#include "testbench/run/pfc_deadlock.h"
#include "testbench/workloads/transfers/waits.h"
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

/// Frames of plain hosts and RoCEv2 RNICs: all may be on wires at once, and a pause that nobody takes back, since that
/// frame was lost, ends by itself.
Cycle held_from_stations(const RunConfig& config) {
    if (config.stations.empty() && config.verbs.empty()) return {};
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
    return config.watchdog + held_by_link(config) + held_from_stations(config) + held_by_verbs(config) +
           held_by_transfers(config);
}

std::string standstill(const RunConfig& config, System& system, Cycle waited) {
    return "watchdog: " + pfc_deadlock(config, system) +
           "no transfer has ended, no payload has reached memory and no host has taken an event of one" +
           (config.stations.empty() ? "" : ", and no plain host has sent or got a frame") + " for " +
           std::to_string(waited.n) + " cycles, now cycle " + std::to_string(current_cycle().n);
}

}  // namespace rnicsim
