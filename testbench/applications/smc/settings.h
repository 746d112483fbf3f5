// SPDX-License-Identifier: Apache-2.0
// Sockets over shared memory: how large it is, how it is read, and what may be wrong.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"

#include <cstdint>

namespace rnicsim::applications {

struct SmcSettings {
    std::uint32_t rmb = 64 << 10;   ///< bytes of the ring that the other end writes to, and of that of who sends
    std::uint32_t read = 64 << 10;  ///< bytes of a recv(), at most
    bool refused = false;           ///< by the other end: all goes by TCP
    // Faults, to see what they do: `unsafe` lets them be run.
    bool wait = true;    ///< who sends waits for room
    bool update = true;  ///< who reads says so, where nothing else does
    bool unsafe = false;

    /// Who has read no more than this keeps it to itself (RFC 7609: a tenth).
    [[nodiscard]] std::uint32_t limit() const { return rmb / 10; }
    /// Who has read so much that nobody knows of says so.
    [[nodiscard]] bool is_worth_telling(std::uint64_t bytes, bool writer_waits) const {
        return update && bytes > limit() && (bytes > rmb / 2 || writer_waits);
    }
};

const Fields<SmcSettings>& smc_fields();
[[nodiscard]] inline const SmcSettings& smc_of(const TrafficConfig& item) { return item.settings.of<SmcSettings>(); }

}  // namespace rnicsim::applications
