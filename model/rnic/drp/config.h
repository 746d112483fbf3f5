// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of one DRP RNIC. Every latency is a key of the scenario; its source is in `describe --keys`.
#pragma once

#include "model/rnic/common/config.h"
#include "model/rnic/drp/block_list.h"
#include "model/rnic/drp/policies/names.h"
#include "tlm/drp/ids.h"
#include "tlm/time/clock.h"
#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim {

struct FilterConfig {
    Cycle latency{3};  ///< frame handed in -> classified
};

/// The transport controller: PROTOCOL.md sections 3 to 6.
struct TransportConfig {
    Method method = Method::dynamic;
    std::uint32_t segment = 1024;  ///< payload bytes of every data frame but the last
    std::uint32_t window = 8;      ///< frames, 1..64
    const WindowRule* window_rule = &rnicsim::window_rule("fixed");
    const Retransmission* retransmission =
        &rnicsim::retransmission("selective_repeat");  ///< not owned, as all policies
    std::uint32_t duplicate_acks = 3;                  ///< fast retransmission on this duplicate ACK; 0 = off
    Cycle request_timer{300'000};
    Cycle data_timer{62'500};
    const DataTimerRule* data_timer_rule = &rnicsim::data_timer_rule("fixed");
    Cycle release_timer{62'500};
    Cycle idle_timeout{12'500'000};   ///< responder: silence after which an entry is freed
    std::uint32_t max_requests = 16;  ///< REQ sent without a valid REQ_ACK before the transfer fails; REQ_ACK of a read
    std::uint32_t max_retransmissions = 16;  ///< data or release timer expiries without progress
    const ModeChoice* mode_choice = &rnicsim::mode_choice("paper");
    std::uint32_t indirect_after_timeouts = 2;
    const Acknowledgement* acknowledgement = &rnicsim::acknowledgement("each");
    const BufferAdmission* buffer_admission = &rnicsim::buffer_admission("any");
    std::uint32_t buffer_quota = 8;   ///< frames of one initiator in the indirect buffer, with per_initiator
    bool resume_on_valid_ack = true;  ///< a stalled indirect window resumes on the valid REQ_ACK
    const ResumeRule* resume_rule = &rnicsim::resume_rule("window_full");
    bool busy_answer = false;  ///< a REQ that finds the table full is answered: busy
    bool bulk_drain = true;    ///< the indirect buffer goes to memory in one DMA request, not one per frame
    std::uint32_t table_entries = 64;
    std::uint32_t indirect_buffer = 48 * 1024;  ///< bytes; 0 = none
    std::uint32_t tx_buffer = 22 * 1024;        ///< bytes of transmit frames between DMA and wire
    std::uint32_t rx_buffer = 40 * 1024;        ///< bytes of received data frames between wire and DMA
    double ordinary_share = 0.25;               ///< of the frames sent while both DRP data and ordinary frames wait
    Cycle decision{8};                          ///< length of a decision; one is made at a time
};

/// The RNIC's side of the queues in host memory.
struct QueuesConfig {
    Cycle latency{4};  ///< frame, status or completion in hand -> DMA request or transmit queue
};

struct RnicConfig {
    GmacConfig gmac;
    FilterConfig filter;
    PcieConfig pcie;
    TransportConfig transport;
    QueuesConfig queues;
    BlockNames blocks;
    Clock clock = kGmiiClock;
};

}  // namespace rnicsim
