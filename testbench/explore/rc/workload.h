// SPDX-License-Identifier: Apache-2.0
// The bounds of one exploration of reliable connections.
#pragma once

#include "model/rnic/rc/persist/mode.h"
#include "model/rnic/rc/policies/retransmission.h"
#include "model/rnic/rc/verbs.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim::rc {

enum class Requesters : std::uint8_t {
    one,        ///< a asks b
    both_ends,  ///< a and b ask each other
    shared,     ///< a and c ask two QPs of b, which share a receive queue
};

/// When a WRITE_PERSIST without a PACK is repeated (V-P4).
enum class RepeatTimer : std::uint8_t {
    off,      ///< never
    shorter,  ///< before any other timer
    longer    ///< after all others
};

/// Of messages that are to be durable (V-P1 to V-P5).
struct PersistBounds {
    PersistMode mode{PersistMark::opcode, PersistPack::opcode, true};
    RepeatTimer repeat = RepeatTimer::shorter;
    std::uint32_t outstanding = 1;  ///< flush reads at once
    std::uint32_t capacity = 3;     ///< jobs that a persist module holds
    bool coalesce = false;
    bool read_bypass = false;  ///< wrong (n10)
};

struct Workload {
    std::vector<Verb> messages;  ///< of a
    std::vector<Verb> others{};  ///< of b or c, if they ask as well
    Requesters requesters = Requesters::one;
    std::uint32_t packets = 2;  ///< of each message that has payload
    std::uint32_t window = 3, rd_atomic = 1;
    std::uint32_t faults = 1;
    std::uint32_t retry = 2, rnr = 7;            ///< retry_cnt, rnr_retry; rnr 7: endless
    std::optional<std::uint32_t> receives = {};  ///< WQEs posted at most to each queue; none: one for each taker
    bool apart = false;                          ///< messages go to and come from different places
    bool to_error = false;                       ///< one end's QP may be modified to ERR at any time
    bool deregister = false;                     ///< ... or b's region deregistered, if not that
    bool only_timers = false;                    ///< have faults: they are early
    PersistBounds persist = {};                  ///< if a message of either is a WRITE_PERSIST or a FLUSH
    const Retransmission* retransmission = &rc::retransmission("go_back_n");
};

/// Does a message of either end ask for this?
inline bool asks_for(const Workload& workload, Verb verb) {
    const auto has = [verb](const std::vector<Verb>& all) { return std::ranges::find(all, verb) != all.end(); };
    return has(workload.messages) || has(workload.others);
}
/// Has a card to make something durable?
inline bool persists(const Workload& workload) {
    return asks_for(workload, Verb::write_persist) || asks_for(workload, Verb::flush);
}

}  // namespace rnicsim::rc
