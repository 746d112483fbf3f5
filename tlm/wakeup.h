// Wakes one SC_METHOD at the earliest time asked for. No clock: an idle module costs nothing.
#pragma once

#include "tlm/time/clock.h"
#include "tlm/time/time.h"

#include <systemc>

namespace rnicsim {

inline sc_core::sc_time to_sc_time(Time t) {
    // The kernel's resolution is 1 ps (its default); checked once when a system is built.
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.ps));
}
inline Time to_time(const sc_core::sc_time& t) { return {static_cast<std::int64_t>(t.value())}; }
inline Time current_time() { return to_time(sc_core::sc_time_stamp()); }

class Wakeup {
  public:
    explicit Wakeup(const char* name) : event_(name) {}

    [[nodiscard]] const sc_core::sc_event& event() const { return event_; }

    /// Asks to run at `due`, which must not be in the past; kEndOfTime asks for nothing. A pending earlier request
    /// remains. While the method runs this does nothing: at its end the method itself says what comes next.
    void at(Time due) {
        if (awake_ || due >= pending_) return;
        pending_ = due;
        event_.notify(to_sc_time(due - current_time()));
    }

    /// To be called first when the method runs. Returns the time.
    Time woke() {
        const Time now = current_time();
        passed(now);
        ++activations_;
        awake_ = true;
        return now;
    }
    /// To be called last, with the next time at which there is something to do; kEndOfTime: none is known.
    void sleep_until(Time due) {
        awake_ = false;
        if (due != kEndOfTime) at(due);
    }
    /// The same for a second wake-up of that method.
    void passed(Time now) {
        if (pending_ <= now) pending_ = kEndOfTime;
    }

    [[nodiscard]] std::uint64_t activations() const { return activations_; }

  private:
    sc_core::sc_event event_;
    Time pending_ = kEndOfTime;
    bool awake_ = false;
    std::uint64_t activations_ = 0;
};

/// The same in cycles of a clock, with kNever for kEndOfTime.
class ClockedWakeup {
  public:
    ClockedWakeup(const char* name, const Clock& clock) : wakeup_(name), clock_(clock) {}

    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] const sc_core::sc_event& event() const { return wakeup_.event(); }
    [[nodiscard]] Cycle now() const { return clock_.cycle(current_time()); }

    void at(Cycle due) { wakeup_.at(clock_.time(due)); }
    Cycle woke() { return clock_.cycle(wakeup_.woke()); }
    void sleep_until(Cycle due) { wakeup_.sleep_until(clock_.time(due)); }
    void passed(Cycle now) { wakeup_.passed(clock_.time(now)); }

    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  private:
    Wakeup wakeup_;
    const Clock clock_;
};

}  // namespace rnicsim
