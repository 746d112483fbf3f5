// SPDX-License-Identifier: Apache-2.0
// What a block in Verilog has on its ports, held to what is promised of them (rtl/README.md): the first difference is
// named by port, cycle, and the time at which the block's waveform shows it.
#pragma once

#include "model/rtl/block_place.h"
#include "tlm/time/clock.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <string>

namespace rnicsim {

class PortCheck {
  public:
    /// `block`: as in rtl/, "gmac_tx". `module`: who stands for it. In a strict place a difference throws RtlFault;
    /// else only what others need to go on is looked at, so that a block with other timing can be used in a run.
    PortCheck(const std::string& block, const std::string& module, const BlockPlace& place, Clock clock = kGmiiClock);

    [[nodiscard]] bool strict() const { return strict_; }
    /// "a: gmac_tx (my_mac)"
    [[nodiscard]] const std::string& name() const { return name_; }

    /// `promise`: why it is expected.
    void expect(Cycle now, const char* port, std::uint64_t found, std::uint64_t expected, const char* promise) const {
        if (strict_ && found != expected) [[unlikely]]
            differs(now, port, found, expected, promise);
    }
    /// The same of what others need to go on, in any case.
    void require(Cycle now, const char* port, std::uint64_t found, std::uint64_t expected, const char* promise) const {
        if (found != expected) [[unlikely]]
            differs(now, port, found, expected, promise);
    }
    /// Where no one value is the right one.
    [[noreturn]] void fault(Cycle now, const char* port, const std::string& what) const;

  private:
    [[noreturn]] void differs(Cycle now, const char* port, std::uint64_t found, std::uint64_t expected,
                              const char* promise) const;

    [[nodiscard]] std::string in_cycle(Cycle now) const;

    std::string name_;
    bool strict_;
    Clock clock_;
};

/// Gives up on Verilog that would never come to an end.
class Watchdog {
  public:
    /// `port`: that has to come.
    Watchdog(const PortCheck& check, const char* port, const char* what) : check_(check), port_(port), what_(what) {}
    void tick(Cycle now) {
        constexpr int kLongest = 8192;  // five frames of the longest kind
        if (++ticks_ > kLongest) check_.fault(now, port_, what_);
    }

  private:
    const PortCheck& check_;
    const char* port_;
    const char* what_;
    int ticks_ = 0;
};

}  // namespace rnicsim
