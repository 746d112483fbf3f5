// SPDX-License-Identifier: Apache-2.0
// Turns what a host's cores work for, and what its card counts, into logged events.
#pragma once

#include "model/host/cpu/processor_observer.h"
#include "model/rnic/rc/rc_observer.h"
#include "testbench/events/event_log.h"
#include "tlm/time/clock.h"
#include "tlm/wakeup.h"

#include <cstdint>

namespace rnicsim {

class HostEvents final : public ProcessorObserver, public rc::RcObserver {
  public:
    /// `sink` must outlive it.
    HostEvents(EventSink& sink, unsigned host, const Clock& clock) : sink_(sink), host_(host), clock_(clock) {}

    void worked(Thread thread, Charge kind, WorkedBy by, Cycle from, Cycle to) override {
        if (from == to) return;
        sink_.event({.at = clock_.time(to),
                     .since = clock_.time(from),
                     .end = static_cast<std::uint16_t>(host_),
                     .what = CoreStep{kind, by, static_cast<std::uint16_t>(thread)}},
                    {});
    }
    void noted(rc::Qpn qp, rc::RcCount what) override {
        const Time now = current_time();
        sink_.event({.at = now, .since = now, .end = static_cast<std::uint16_t>(host_), .what = QpNote{qp, what}}, {});
    }
    void reached(rc::Qpn /*qp*/, rc::Stage /*stage*/, std::uint32_t /*end*/, Time /*at*/) override {}
    void progressed(rc::Qpn /*qp*/, bool /*again*/, Time /*at*/) override {}
    void goes_back(rc::Qpn /*qp*/, Time /*not_before*/, Time /*at*/) override {}

  private:
    EventSink& sink_;
    const unsigned host_;
    const Clock clock_;
};

}  // namespace rnicsim
