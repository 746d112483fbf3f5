// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/memory_use.h"

#include "model/rnic/rc/early_writes.h"

#include <algorithm>

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::Opcode;

/// The part of the SGEs' memory that begins at `offset`.
template <std::size_t N>
MemoryUses part_of(const FixedList<Sge, N>& sges, std::uint32_t offset, std::uint32_t bytes) {
    MemoryUses uses;
    for (const Sge& sge : sges) {
        if (bytes == 0) break;
        if (offset >= sge.length) {
            offset -= sge.length;
            continue;
        }
        const std::uint32_t length = std::min(bytes, sge.length - offset);
        uses.push({sge.lkey, {sge.address + offset, length}});
        bytes -= length;
        offset = 0;
    }
    return uses;
}

MemoryUses one(std::uint32_t key, const Segment& where) {
    MemoryUses uses;
    if (where.length != 0) uses.push({key, where});
    return uses;
}

MemoryUses of_response(const Qp& qp, const Header& h) {
    const SendQueue& queue = qp.requester.queue;
    const std::uint32_t bytes = h.opcode == Opcode::atomic_ack ? kAtomicBytes : h.payload;
    if (bytes == 0 || distance(queue.oldest(), h.psn) >= queue.outstanding()) return {};
    const SendEntry& entry = queue.entry_of(h.psn);
    if (!brings_data(entry.wqe.verb)) return {};
    return part_of(entry.wqe.sges, distance(entry.first, h.psn) * qp.attributes.path_mtu, bytes);
}

MemoryUses of_write(const Qp& qp, const RequestKind& kind, const Header& h) {
    if (kind.first || kind.addressed) return one(h.key, {h.address, h.payload});
    const auto known = write_of(qp.responder, h.psn, qp.attributes.path_mtu);
    if (!known) return {};
    const std::uint32_t offset = distance(known->first, h.psn) * qp.attributes.path_mtu;
    return one(known->key, {known->address + offset, h.payload});
}

}  // namespace

MemoryUses memory_of(const Qp& qp, const Header& h, const ReceiveQueue& receives) {
    if (is_response(h.opcode)) return of_response(qp, h);
    const RequestKind kind = kind_of(h.opcode);
    const Responder& r = qp.responder;
    const std::int32_t difference = ahead(h.psn, r.expected);
    if (difference < 0) return {};
    if (kind.write) return of_write(qp, kind, h);
    if (difference != 0) return {};
    if (kind.atomic || kind.atomic_write) return one(h.key, {h.address, kAtomicBytes});
    if (kind.flush) return one(h.key, {h.address, std::min(h.length, 1U)});  // its right is looked up
    if (!kind.send) return {};  // a READ's memory is read when it is answered
    if (!kind.first) return r.receive ? part_of(r.receive->sges, r.bytes, h.payload) : MemoryUses{};
    const ReceiveWqe* const next = receives.next();
    return next == nullptr ? MemoryUses{} : part_of(next->sges, 0, h.payload);
}

MemoryUses memory_of_next(const Qp& qp, Lane lane) {
    const std::uint32_t mtu = qp.attributes.path_mtu;
    if (lane == Lane::answer) {
        if (qp.responder.answers.empty()) return {};
        const Answer& a = qp.responder.answers.front();
        if (a.kind != AnswerKind::read) return {};
        const std::uint32_t offset = a.sent * mtu;
        return one(a.key, {a.address + offset, std::min(a.length - offset, mtu)});
    }
    const SendQueue& queue = qp.requester.queue;
    if (queue.current() == nullptr) return {};
    const SendWqe& wqe = queue.current()->wqe;
    if (wqe.inline_data || !carries_payload(wqe.verb)) return {};
    const std::uint32_t at = queue.current_begun() ? distance(queue.current()->first, queue.cursor()) : 0;
    return part_of(wqe.sges, at * mtu, mtu);
}

}  // namespace rnicsim::rc
