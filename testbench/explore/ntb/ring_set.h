// SPDX-License-Identifier: Apache-2.0
// Which rings are explored: those that are right, in all their forms, and what each of the rules of nts::RingRules is
// for, by a ring that breaks it.
#pragma once

#include "testbench/explore/ntb/ring_world.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::explore {

struct NamedRing {
    std::string name;
    RingSetting setting;
};

/// What can be chosen; the rest is of the smallest size that shows something.
struct RingBounds {
    nts::Index index = nts::Index::shadow;
    nts::Align align = nts::Align::line;
    nts::Notify notify = nts::Notify::poll;
    PartialLine partial = PartialLine::chunks;
    bool several_slots = false;  ///< a message of two slots among those of one
    bool holds = false;
    std::uint32_t buffers = 2;
};
[[nodiscard]] NamedRing ring_of(const RingBounds& bounds);
/// Each place of the indices, both alignments, both ways in which a line leaves, messages of one slot and of several,
/// polled or by doorbell, buffers that leave at any time and only when they have to.
[[nodiscard]] std::vector<NamedRing> standard_rings();

/// H1 to H12: a rule that is left out.
struct WrongRing {
    std::string_view name;  ///< "H2"
    std::string_view what;  ///< is wrong
    NamedRing ring;
};
[[nodiscard]] std::vector<WrongRing> wrong_rings();

}  // namespace rnicsim::explore
