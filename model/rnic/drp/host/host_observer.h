// SPDX-License-Identifier: Apache-2.0
// Reports what the host's software does, step by step.
#pragma once

#include "model/transfer_key.h"
#include "tlm/time/cycle.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace rnicsim {

enum class HostStep : std::uint8_t {
    requested,            ///< the upper layer asks for a transfer
    command_posted,       ///< a command is in the ring and its doorbell has rung; `value`: CommandCode
    event_taken,          ///< an entry of the event ring has been handled; `value`: EventCode
    acknowledged,         ///< the upper layer gets the REQ_ACK; `value`: 1 = a simulated one
    completed,            ///< the upper layer gets the completion
    failed,               ///< ... an error; `value`: TransferError
    registered,           ///< an attempt to register a peer's region has succeeded
    registration_failed,  ///< ... has failed by a draw (FRP)
    no_memory,            ///< ... has found too little memory free
    refused,              ///< ... is outside the memory for transfers
    released,             ///< a peer's region is not registered any more
    count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(HostStep::count)> kHostStepNames{
    "requested",  "command_posted",      "event_taken", "acknowledged", "completed", "failed",
    "registered", "registration_failed", "no_memory",   "refused",      "released"};

class HostObserver {
  public:
    virtual ~HostObserver() = default;
    /// The step ends now; the processor worked for it from `since` on. Ordinary frames are of no transfer: their TID
    /// is 0.
    virtual void step(HostStep what, const TransferKey& of, std::uint32_t value, Cycle since) = 0;
};

}  // namespace rnicsim
