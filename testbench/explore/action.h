// SPDX-License-Identifier: Apache-2.0
// One step of an exploration.
#pragma once

#include <cstdint>

namespace rnicsim::explore {

enum class Step : std::uint8_t {
    start,           ///< the host of `end` asks for its next transfer
    fetch,           ///< `end` decides which data frame to send next
    transmit,        ///< the oldest fetched data frame of `end` goes onto the wire
    deliver,         ///< the first frame in flight from `end` to end `which` arrives
    drained,         ///< bulk DMAs of `end` with data of end `which` have left: their slots are free
    registered,      ///< the host of `end` serves its oldest request: it registers the region
    not_registered,  ///< ... and fails
    retry_succeeds,  ///< the host of `end` tries transfer `which` again by itself
    retry_fails,
    verdict,        ///< the RNIC of `end` gets its host's oldest verdict, where verdicts may be late
    request_timer,  ///< of table entry `which` of `end`; so the next three
    data_timer,
    release_timer,
    idle_timer,
    // Faults: of the first frame in flight from `end` to end `which`.
    lose,
    duplicate,       ///< the copy follows at once
    duplicate_late,  ///< the copy is the last of all in flight
    overtaken,       ///< by the next one
    overtaken_by_all,
};

/// A timer that expires early is a fault (World::cost()).
struct Action {
    Step step = Step::start;
    std::uint8_t end = 0;  ///< from 0; of a frame: where it comes from
    std::uint8_t which = 0;
};

constexpr bool is_timer(Step step) { return step >= Step::request_timer && step <= Step::idle_timer; }
constexpr bool is_link_fault(Step step) { return step >= Step::lose; }

}  // namespace rnicsim::explore
