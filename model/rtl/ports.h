// SPDX-License-Identifier: Apache-2.0
// What several blocks in Verilog have on their ports, and how it is written in the models.
#pragma once

#include "model/rnic/drp/config.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/ids.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim::ports {

/// The first byte on the wire is the most significant one.
inline std::uint64_t address(const MacAddress& mac) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : mac) value = value << 8 | byte;
    return value;
}

/// Type, flags and TID; the other fields have ports of their own.
inline DrpHeader header(unsigned ctrl, unsigned tid) {
    DrpHeader h;
    h.type = static_cast<DrpType>(ctrl & kCtrlTypeMask);
    h.operation = (ctrl & kCtrlRead) != 0 ? Operation::read : Operation::write;
    h.indirect = (ctrl & kCtrlIndirect) != 0;
    h.valid = (ctrl & kCtrlValid) != 0;
    h.tid = Tid{static_cast<std::uint16_t>(tid)};
    return h;
}

/// The other way round: type, flags.
inline std::uint8_t ctrl(const DrpHeader& h) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(h.type) | (h.operation == Operation::read ? kCtrlRead : 0U) |
                                     (h.indirect ? kCtrlIndirect : 0U) | (h.valid ? kCtrlValid : 0U));
}

/// A deadline of 32 bits, less than half of what they count away from `now`; kNever if the timer is off.
inline Cycle deadline(bool on, std::uint32_t low, Cycle now) {
    return on ? now + Cycle{static_cast<std::int32_t>(low - static_cast<std::uint32_t>(now.n))} : kNever;
}

/// cfg_*_i of the transport controller, and of what holds one.
template <typename Module>
void configure_transport(Module& module, const TransportConfig& config) {
    const auto cycles = [](Cycle c) { return static_cast<std::uint32_t>(c.n); };
    module.cfg_segment_i = config.segment;
    module.cfg_window_i = config.window;
    module.cfg_go_back_n_i = !config.retransmission->takes_ahead();
    module.cfg_duplicate_acks_i = config.duplicate_acks;
    module.cfg_request_timer_i = cycles(config.request_timer);
    module.cfg_data_timer_i = cycles(config.data_timer);
    module.cfg_release_timer_i = cycles(config.release_timer);
    module.cfg_idle_timeout_i = cycles(config.idle_timeout);
    module.cfg_max_requests_i = config.max_requests;
    module.cfg_max_retransmissions_i = config.max_retransmissions;
    module.cfg_indirect_after_i = config.indirect_after_timeouts;
    module.cfg_resume_i = config.resume_on_valid_ack;
}

}  // namespace rnicsim::ports
