// SPDX-License-Identifier: Apache-2.0
// The responder's part of making data durable: which requests ask for it, what is under way, and the answers
// (V-P1 to V-P4).
#pragma once

#include "model/rnic/rc/qp.h"
#include "model/rnic/rc/request_checks.h"

#include <cstdint>
#include <optional>

namespace rnicsim::rc {

/// Is the WRITE that this packet belongs to, into the region of `key`, a WRITE_PERSIST?
inline bool is_persist(const Qp& qp, const RequestKind& kind, std::uint32_t key, const MrTable& regions) {
    if (!kind.write || kind.immediate || !qp.init.persist) return false;
    return qp.init.persist->mark == PersistMark::opcode ? kind.persist : regions.has(key, qp.init.pd, kWritePersist);
}
/// The last packet of a WRITE_PERSIST, or a FLUSH, has been accepted. `address`: on the bus, of its last byte, if it
/// has one.
void accept_persist(Qp& qp, Psn psn, std::optional<std::uint64_t> address, bool flush, Decision& d);
/// FLUSHes are under way: an ATOMIC WRITE waits for them (V-P5).
inline bool flushes(const Qp& qp) { return qp.responder.flushes != 0; }
/// All up to here is durable.
void persisted(Qp& qp, Psn psn, Decision& d);

}  // namespace rnicsim::rc
