// SPDX-License-Identifier: Apache-2.0
// Wakes one SC_METHOD at the earliest time asked for. No clock: an idle module costs nothing.
#pragma once

#include "tlm/time/clock.h"
#include "tlm/time/time.h"

#include <string>
#include <systemc>
#include <utility>

namespace rnicsim {

inline sc_core::sc_time to_sc_time(Time t) {
    // The kernel's resolution is 1 ps (its default); checked once when a system is built.
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.ps));
}
inline Time to_time(const sc_core::sc_time& t) { return {static_cast<std::int64_t>(t.value())}; }
inline Time current_time() { return to_time(sc_core::sc_time_stamp()); }

class Wakeup {
  public:
    explicit Wakeup(const char* name) : one_(name), other_((std::string(name) + "_too").c_str()) {}

    /// To be called once, behind SC_METHOD: this wakes it.
    void wakes(sc_core::sc_sensitive& process) const { process << one_ << other_; }

    /// Asks to run at `due`, which must not be in the past; kEndOfTime asks for nothing. A pending earlier request
    /// remains. While the method runs this does nothing: at its end the method itself says what comes next.
    void at(Time due) {
        if (!awake_ && due < pending_) ask(due, current_time());
    }

    /// To be called first when the method runs. Returns the time.
    Time woke() {
        now_ = current_time();
        passed(now_);
        ++activations_;
        awake_ = true;
        return now_;
    }
    /// To be called last, with the next time at which there is something to do; kEndOfTime: none is known.
    void sleep_until(Time due) {
        awake_ = false;
        ask(due, now_);
    }
    /// The same for a second wake-up of that method.
    void passed(Time now) {
        if (pending_ <= now) pending_ = kEndOfTime;
    }

    [[nodiscard]] std::uint64_t activations() const { return activations_; }

  private:
    void ask(Time due, Time now) {
        if (shelved_ != kEndOfTime && pending_ == kEndOfTime) unshelve(due);
        if (due >= pending_) return;
        if (pending_ != kEndOfTime && shelved_ == kEndOfTime) {
            std::swap(event_, spare_);
            shelved_ = pending_;
        }
        pending_ = due;
        event_->notify(to_sc_time(due - now));
    }
    /// What moved the request has been done. Is the request made again?
    void unshelve(Time due) {
        std::swap(event_, spare_);
        if (shelved_ == due) {
            pending_ = due;
        } else {
            event_->cancel();
        }
        shelved_ = kEndOfTime;
    }

    // A request that an earlier one has moved is mostly made again after that one. Until then its notification stays:
    // the kernel needs a third of an activation to forget one and take another.
    sc_core::sc_event one_, other_;
    sc_core::sc_event* event_ = &one_;    // of `pending_`
    sc_core::sc_event* spare_ = &other_;  // of `shelved_`
    Time pending_ = kEndOfTime;
    Time shelved_ = kEndOfTime;  // notified, behind `pending_`, and not asked for
    Time now_;                   // when it was woken last
    bool awake_ = false;
    std::uint64_t activations_ = 0;
};

/// The same in cycles of a clock, with kNever for kEndOfTime.
class ClockedWakeup {
  public:
    ClockedWakeup(const char* name, const Clock& clock) : wakeup_(name), clock_(clock) {}

    [[nodiscard]] const Clock& clock() const { return clock_; }
    void wakes(sc_core::sc_sensitive& process) const { wakeup_.wakes(process); }
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
