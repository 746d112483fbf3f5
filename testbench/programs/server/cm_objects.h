// SPDX-License-Identifier: Apache-2.0
// What the connection manager has of programs.
#pragma once

#include "testbench/programs/server/objects.h"

#include <rdma/rdma_user_cm.h>

#include <cstdint>
#include <deque>
#include <optional>

namespace rnicsim::programs {

/// enum rdma_cm_event_type of rdma/rdma_cma.h, which is public ABI.
enum class CmTold : std::uint32_t {
    address_resolved = 0,
    address_error = 1,
    route_resolved = 2,
    connect_request = 4,
    connect_response = 5,
    unreachable = 7,
    rejected = 8,
    established = 9,
    disconnected = 10,
};

struct CmEvent {
    rdma_ucm_event_resp told{};
    Handle of = 0;       ///< the identifier that has to see it acknowledged before it may be destroyed
    Handle request = 0;  ///< made for it: the program does not know of it yet
};

/// An open /dev/infiniband/rdma_cm.
struct EventChannel {
    Program* owner = nullptr;
    Descriptor ours,
        theirs;  ///< a byte lies in `theirs`, of which the program has the other copy, while there are events
    std::deque<CmEvent> events;
    bool readable = false;
};

enum class CmState : std::uint8_t {
    idle,
    bound,
    resolved,  ///< it knows the other host
    routed,    ///< ... and may connect
    listening,
    connecting,  ///< it has asked
    answered,    ///< ... and was accepted: its program's library has to say that it is ready
    requested,   ///< made for somebody who has asked
    accepting,   ///< ... and was accepted, but the other one is not ready
    connected,
    ended,  ///< rejected or disconnected
};

/// One end of a connection (struct rdma_cm_id), or who listens.
struct Identifier {
    Program* owner = nullptr;
    Handle channel = 0;
    std::uint64_t uid = 0;  ///< the program's name for it; 0: it has none yet, and is told nothing
    std::uint16_t space = 0;
    bool datagram = false;
    bool for_request = false;  ///< made for somebody who has asked
    CmState state = CmState::idle;

    bool on_card = false;  ///< it is bound to the host's card, not to any
    bool ipv6 = false;
    std::uint16_t port = 0;  ///< its own
    bool holds_port = false;
    bool reuses_port = false;
    std::optional<unsigned> remote;  ///< host
    std::uint16_t remote_port = 0;
    bool by_loopback = false;  ///< asked for 127.0.0.1: `remote` is who listens when it connects

    Handle peer = 0;                       ///< the other end, on whatever host
    std::uint32_t psn = 0;                 ///< that it sends first
    rdma_ucm_conn_param ours{}, theirs{};  ///< as both ends have said
    std::optional<std::uint8_t> timeout;   ///< local ACK timeout that the program wants
    std::uint8_t tos = 0;                  ///< its packets' traffic class; of a connection that of who has asked

    std::uint32_t backlog = 0;   ///< of who listens: how many more requests may wait
    std::uint32_t reported = 0;  ///< events that the program has fetched
};

}  // namespace rnicsim::programs
