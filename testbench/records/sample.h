// SPDX-License-Identifier: Apache-2.0
// What became of one thing that the traffic of a run asks for: a transfer, a message, an ordinary frame, a durable
// item. The same record for all of them; its kind (sample_kind.h) has the words for what they have of their own.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rnicsim {

struct Sample {
    /// Where its time went, in ps; what each of them is says its kind. They add up to took().
    using Parts = std::array<std::int64_t, 7>;

    std::uint32_t id = 0;         ///< order in which its initiator had it, from 0; of items and QPs as its kind says
    std::uint32_t qp = 0;         ///< of messages: at its initiator, in order of creation, from 0
    std::uint16_t item = 0;       ///< of the traffic, from 0
    std::uint16_t initiator = 0;  ///< host that asks for it, or sends it
    std::uint16_t responder = 0;  ///< host that answers, or receives it
    std::uint8_t operation = 0;   ///< by its kind
    std::uint8_t status = 0;      ///< 0: it completed; else why not, by its kind
    bool mark = false;            ///< what its kind marks
    std::uint32_t bytes = 0;
    Time start;  ///< its initiator has it
    Time end;    ///< it has completed; if not, when the last is known of it
    Parts parts{};

    [[nodiscard]] bool failed() const { return status != 0; }
    [[nodiscard]] Time took() const { return end - start; }
};
static_assert(std::is_trivially_copyable_v<Sample>, "files hold its bytes");

}  // namespace rnicsim
