// SPDX-License-Identifier: Apache-2.0
// Which transfer, as one RNIC or its host knows it.
#pragma once

#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"
#include "tlm/drp/ids.h"

#include <compare>
#include <cstdint>

namespace rnicsim {

/// An end's part in a transfer.
enum class Role : std::uint8_t { initiator, responder };

/// A TID belongs to its initiator: the same one may be in use by this end and by each of its peers (PROTOCOL.md 3.21).
struct TransferKey {
    Role role = Role::initiator;
    Tid tid{};
    Peer peer{};

    friend constexpr auto operator<=>(const TransferKey&, const TransferKey&) = default;
};

/// The transfer of a frame, command or event, in which this end has that part.
constexpr TransferKey key_of(Role role, const DrpHeader& header) { return {role, header.tid, header.peer}; }
constexpr TransferKey key_of(Role role, const Command& command) { return {role, command.tid, command.peer}; }
constexpr TransferKey key_of(Role role, const Event& event) { return {role, event.tid, event.peer}; }

/// The same, where the part follows from who sends such a frame, command or event.
inline TransferKey key_of_received(const DrpHeader& header) {
    return key_of(header.from_initiator() ? Role::responder : Role::initiator, header);
}
inline TransferKey key_of_sent(const DrpHeader& header) {
    return key_of(header.from_initiator() ? Role::initiator : Role::responder, header);
}
constexpr TransferKey key_of(const Command& command) {
    return key_of(asks_for_transfer(command.code) ? Role::initiator : Role::responder, command);
}
constexpr TransferKey key_of(const Event& event) {
    const bool of_a_peer = event.code == EventCode::register_region || event.code == EventCode::released;
    return key_of(of_a_peer ? Role::responder : Role::initiator, event);
}

}  // namespace rnicsim
