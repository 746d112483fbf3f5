// The bounds of one exploration of reliable connections.
#pragma once

#include "model/rnic/rc/policies/retransmission.h"
#include "model/rnic/rc/verbs.h"

#include <optional>
#include <vector>

namespace rnicsim::rc {

enum class Requesters : std::uint8_t {
    one,        ///< a asks b
    both_ends,  ///< a and b ask each other
    shared,     ///< a and c ask two QPs of b, which share a receive queue
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
    const Retransmission* retransmission = &rc::retransmission("go_back_n");
};

}  // namespace rnicsim::rc
