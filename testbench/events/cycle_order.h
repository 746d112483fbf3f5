// SPDX-License-Identifier: Apache-2.0
// The order of events within one cycle. The kernel runs the modules of a cycle in no defined order, so events must not
// show it: first come those of the first host, then of its RNIC and what it sends, then the same of the next host, then
// the switches' and the bridges', and last how far operations have come, which either end of a connection tells.
#pragma once

#include "testbench/events/event_log.h"
#include "tlm/time/cycle.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim {

/// Passes events on, cycle by cycle.
class CycleOrder : public EventSink {
  public:
    /// `next` is not owned. `nodes`: hosts and switches.
    CycleOrder(EventSink& next, std::size_t nodes, std::size_t bridges)
        : next_(next), nodes_(nodes), held_(2 * nodes + kOfBridge * bridges + 1) {}

    void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) override;
    /// Passes on what it still holds. To be called at the end of the run, also after a failure.
    void finish();

  private:
    // Of a bridge: what each host sends, what the bridge does, and each host's credits.
    static constexpr std::size_t kOfBridge = 5, kCrossing = 2;
    struct Held {
        LoggedEvent event;
        std::size_t frame_begin = 0, frame_end = 0;  // in bytes_
    };
    [[nodiscard]] std::size_t module_of(const LoggedEvent& event) const;
    void sort(std::size_t module);

    EventSink& next_;
    const std::size_t nodes_;
    Cycle cycle_;
    std::vector<std::vector<Held>> held_;  // of this cycle; those of the first module are passed on at once
    std::vector<std::uint8_t> bytes_;
};

}  // namespace rnicsim
