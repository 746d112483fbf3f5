// SPDX-License-Identifier: Apache-2.0
// Turns what a host's cores work for and store, and what its card counts, into logged events.
#pragma once

#include "model/host/cpu/processor_observer.h"
#include "model/host/cpu/store_observer.h"
#include "model/rnic/rc/rc_observer.h"
#include "testbench/events/event_log.h"
#include "tlm/time/clock.h"
#include "tlm/wakeup.h"

#include <cstdint>

namespace rnicsim {

class HostEvents final : public ProcessorObserver, public StoreObserver, public rc::RcObserver {
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
    void given(std::size_t core, std::uint64_t address, std::uint32_t bytes, Time told, Time at) override {
        store({.core = static_cast<std::uint16_t>(core), .bytes = bytes, .address = address}, told, at);
    }
    void waited(std::size_t core, StoreWait why, Time from, Time to) override {
        store({.step = StoreStep::Step::waited, .why = why, .core = static_cast<std::uint16_t>(core)}, from, to);
    }
    void noted(rc::Qpn qp, rc::RcCount what) override {
        const Time now = current_time();
        sink_.event({.at = now, .since = now, .end = static_cast<std::uint16_t>(host_), .what = QpNote{qp, what}}, {});
    }
    void reached(rc::Qpn /*qp*/, rc::Stage /*stage*/, std::uint32_t /*end*/, Time /*at*/) override {}
    void progressed(rc::Qpn /*qp*/, bool /*again*/, Time /*at*/) override {}
    void goes_back(rc::Qpn /*qp*/, Time /*not_before*/, Time /*at*/) override {}

  private:
    void store(const StoreStep& step, Time since, Time at) {
        sink_.event({.at = at, .since = since, .end = static_cast<std::uint16_t>(host_), .what = step}, {});
    }

    EventSink& sink_;
    const unsigned host_;
    const Clock clock_;
};

}  // namespace rnicsim
