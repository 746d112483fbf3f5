// Wakes one SC_METHOD at the earliest cycle asked for. No clock: an idle module costs nothing.
#pragma once

#include "tlm/units.h"

#include <systemc>

namespace rnicsim {

inline sc_core::sc_time to_sc_time(Cycle c) {
    // The kernel's resolution is 1 ps (its default); checked once when a system is built.
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(to_ps(c)));
}
inline Cycle current_cycle() { return {static_cast<std::int64_t>(sc_core::sc_time_stamp().value()) / kPsPerCycle}; }

class Wakeup {
  public:
    explicit Wakeup(const char* name) : event_(name) {}

    [[nodiscard]] const sc_core::sc_event& event() const { return event_; }

    /// Asks to run at `due`, which must not be in the past. A pending earlier request remains. While the method runs
    /// this does nothing: at its end the method itself says what comes next.
    void at(Cycle due) {
        if (awake_ || due >= pending_) return;
        pending_ = due;
        event_.notify(to_sc_time(due - current_cycle()));
    }

    /// To be called first when the method runs. Returns the current cycle.
    Cycle woke() {
        const Cycle now = current_cycle();
        passed(now);
        ++activations_;
        awake_ = true;
        return now;
    }
    /// To be called last, with the next cycle in which there is something to do; kNever: none is known.
    void sleep_until(Cycle due) {
        awake_ = false;
        if (due != kNever) at(due);
    }
    /// The same for a second wake-up of that method.
    void passed(Cycle now) {
        if (pending_ <= now) pending_ = kNever;
    }

    [[nodiscard]] std::uint64_t activations() const { return activations_; }

  private:
    sc_core::sc_event event_;
    Cycle pending_ = kNever;
    bool awake_ = false;
    std::uint64_t activations_ = 0;
};

}  // namespace rnicsim
