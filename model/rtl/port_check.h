// What a block in Verilog has on its ports, held to what is promised of them (rtl/README.md): the first difference is
// named by port, cycle, and the time at which the block's waveform shows it.
#pragma once

#include "tlm/units.h"

#include <cstdint>
#include <string>

namespace rnicsim {

class PortCheck {
  public:
    /// `block`: as in rtl/, "gmac_tx". `module`: who stands for it. `strict`: a difference throws RtlFault; else
    /// nothing is looked at, so that a block with other timing can be used in a run.
    PortCheck(const std::string& block, const std::string& module, bool strict);

    [[nodiscard]] bool strict() const { return strict_; }
    /// "a: gmac_tx (my_mac)"
    [[nodiscard]] const std::string& name() const { return name_; }

    /// `promise`: why it is expected.
    void expect(Cycle now, const char* port, std::uint64_t found, std::uint64_t expected, const char* promise) const {
        if (strict_ && found != expected) [[unlikely]]
            differs(now, port, found, expected, promise);
    }

  private:
    [[noreturn]] void differs(Cycle now, const char* port, std::uint64_t found, std::uint64_t expected,
                              const char* promise) const;

    std::string name_;
    bool strict_;
};

}  // namespace rnicsim
