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
    bool several_slots = false;  ///< each message takes two; else one
    bool held = false;           ///< a buffer leaves only when it has to
    std::uint32_t buffers = 2;   ///< of a core
    std::uint8_t downs = 0;      ///< of the link, at any time
    std::uint8_t resets = 0;     ///< of the receiver, at any time
    bool stream = false;         ///< messages go there while the link is down
};
[[nodiscard]] NamedRing ring_of(const RingBounds& bounds);
/// Each place of the indices, both alignments, both ways in which a line leaves, messages of one slot and of two,
/// polled or by doorbell, buffers that leave at any time and only when they have to.
[[nodiscard]] std::vector<NamedRing> standard_rings();
/// Each place of the indices and a doorbell, with so many faults each.
[[nodiscard]] std::vector<NamedRing> faulty_rings(std::uint8_t downs, std::uint8_t resets);

/// Without these no order of events misses a rule.
struct RingNeeds {
    std::vector<nts::Index> index{};      ///< one of them; none: any
    std::optional<nts::Notify> notify{};  ///< nothing: any
    std::uint8_t downs = 0, faults = 0;   ///< at least; `faults`: downs and resets together
};

/// What is wrong with a ring: a rule that is left out, where that shows.
struct WrongRing {
    std::string_view name;  ///< "H2"
    std::string_view what;
    RingBounds bounds;
    nts::RingRules rules;
    RingNeeds needs{};
    std::vector<std::uint32_t> words{};  ///< of its messages' payloads; none: those of any ring
    bool relaxed = false;                ///< completions may pass writes
};
[[nodiscard]] const std::vector<WrongRing>& wrong_rings();
/// What other bounds would have to be for it to show, as options; empty: it may show within these.
[[nodiscard]] std::string hidden_by(const WrongRing& wrong, const RingBounds& bounds);
/// ... with other bounds than those where it shows.
[[nodiscard]] NamedRing ring_of(const WrongRing& wrong, const RingBounds& bounds);

}  // namespace rnicsim::explore
