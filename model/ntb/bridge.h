// SPDX-License-Identifier: Apache-2.0
// A non-transparent bridge: two sides, each a device below a root port of its host, with a link between them.
//
//     root port A --- link, credits ---> [ side A: windows, registers | side B ] ---> root port B
//
// What a host sends acts at the far end of the link: `latency`, and `translate` of each side, behind its last byte. All
// of a direction keeps its order. In the same picosecond side 0 acts first, and both sides before their hosts.
#pragma once

#include "model/ntb/config.h"
#include "model/ntb/outages.h"
#include "model/ntb/side.h"
#include "tlm/wakeup.h"

#include <array>
#include <memory>
#include <optional>
#include <systemc>

namespace rnicsim::ntb {

class Bridge : public sc_core::sc_module {
  public:
    /// `number`: of the system's bridges, for the observer; that is not owned, nullptr: none.
    Bridge(sc_core::sc_module_name name, const Config& config, PciePool& pool, unsigned number = 0,
           Observer* observer = nullptr);

    [[nodiscard]] Side& side(unsigned number) { return *sides_.at(number); }
    [[nodiscard]] const Side& side(unsigned number) const { return *sides_.at(number); }

    /// Its link goes down as these say, where it has this number. Before the simulation starts. Not owned.
    void follow(FaultSource& faults, unsigned link);
    /// Behind all that has come by now. Both hosts hear of it as of a doorbell (kLinkBit).
    void set_link(bool up);
    [[nodiscard]] bool is_up() const { return up_; }
    [[nodiscard]] bool was_down() const { return was_down_; }
    /// All its times down, up to now.
    [[nodiscard]] Time down_for(Time now) const { return up_ ? down_for_ : down_for_ + (now - changed_); }
    [[nodiscard]] bool idle() const;
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

    /// The link as a root port has it. `clock`: of its host.
    [[nodiscard]] static PcieConfig link_of(const Config& config, const Clock& clock);

  private:
    friend Side;
    void cycle();
    /// All that is due by now.
    void act(Time now);
    [[nodiscard]] Time next_due() const;

    const Config config_;
    PciePool& pool_;
    const unsigned number_;
    Observer* const observer_;
    Wakeup wakeup_;
    bool up_ = true, was_down_ = false;
    std::optional<Outages> outages_;
    Time stuck_until_{};           // scratchpads
    Time changed_{}, down_for_{};  // its link has, last; before that
    std::array<std::unique_ptr<Side>, 2> sides_;
};

}  // namespace rnicsim::ntb
