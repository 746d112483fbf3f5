// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/request_checks.h"

namespace rnicsim::rc {

using roce::Header;
using roce::Opcode;

RequestKind kind_of(Opcode opcode) {
    RequestKind k;
    switch (opcode) {
        case Opcode::send_first: k.send = k.first = true; break;
        case Opcode::send_middle: k.send = true; break;
        case Opcode::send_last: k.send = k.last = true; break;
        case Opcode::send_last_imm: k.send = k.last = k.immediate = true; break;
        case Opcode::send_last_inv: k.send = k.last = k.invalidates = true; break;
        case Opcode::send_only: k.send = k.first = k.last = true; break;
        case Opcode::send_only_imm: k.send = k.first = k.last = k.immediate = true; break;
        case Opcode::send_only_inv: k.send = k.first = k.last = k.invalidates = true; break;
        case Opcode::write_first: k.write = k.first = true; break;
        case Opcode::write_middle: k.write = true; break;
        case Opcode::write_last: k.write = k.last = true; break;
        case Opcode::write_last_imm: k.write = k.last = k.immediate = true; break;
        case Opcode::write_only: k.write = k.first = k.last = true; break;
        case Opcode::write_only_imm: k.write = k.first = k.last = k.immediate = true; break;
        case Opcode::read_request: k.read = k.first = k.last = true; break;
        case Opcode::compare_swap:
        case Opcode::fetch_add: k.atomic = k.first = k.last = true; break;
        case Opcode::flush: k.flush = k.first = k.last = true; break;
        case Opcode::atomic_write: k.atomic_write = k.first = k.last = true; break;
        case Opcode::write_persist_only: k.persist = k.write = k.first = k.last = true; break;
        case Opcode::write_persist_first: k.persist = k.write = k.first = true; break;
        case Opcode::write_persist_middle: k.persist = k.write = true; break;
        case Opcode::write_persist_last: k.persist = k.write = k.last = true; break;
        case Opcode::selective_write_first: k.write = k.first = k.addressed = true; break;
        case Opcode::selective_write_middle: k.write = k.addressed = true; break;
        case Opcode::selective_write_last: k.write = k.last = k.addressed = true; break;
        case Opcode::selective_write_only: k.write = k.first = k.last = k.addressed = true; break;
        default: break;
    }
    return k;
}

bool is_response(Opcode opcode) {
    if (opcode == Opcode::selective_nak || opcode == Opcode::persist_ack) return true;
    return opcode >= Opcode::read_first && opcode <= Opcode::atomic_ack;
}

namespace {

/// The rights that a FLUSH needs, of its QP and of its region; nothing: it asks for what there is not.
std::optional<Access> access_of(const roce::Feth& flush) {
    switch (flush.placement) {
        case roce::FlushPlacement::visible: return kFlushVisible;
        case roce::FlushPlacement::persistent: return kFlushPersistent;
        case roce::FlushPlacement::both: return kFlushVisible | kFlushPersistent;
        case roce::FlushPlacement::none: break;
    }
    return {};
}

/// Does the RETH of a packet behind the first one say what the first one's did?
bool goes_on(const Header& h, const Responder& r) {
    return h.address == r.address && h.key == r.key && h.length == r.left;
}

bool in_sequence(const RequestKind& k, const Responder& r) {
    if (r.incoming == Incoming::none) return k.first;
    return !k.first && (r.incoming == Incoming::send ? k.send : k.write && k.persist == r.persist);
}

bool allowed(const RequestKind& k, const Header& h, const Qp& qp) {
    const Access access = qp.attributes.access;
    if (k.persist && !(qp.init.persist && qp.init.persist->mark == PersistMark::opcode)) return false;
    if (k.write) return access.includes(kRemoteWrite);
    if (k.flush) {
        const auto needs = access_of(h.feth);
        return needs && h.feth.selectivity <= roce::FlushSelectivity::region && access.includes(*needs);
    }
    if (k.atomic_write) return access.includes(kRemoteWrite) && h.address % kAtomicBytes == 0;
    if (k.read) return access.includes(kRemoteRead);
    if (k.atomic) return access.includes(kRemoteAtomic) && h.address % kAtomicBytes == 0;
    return k.send;
}

bool good_length(const RequestKind& k, const Header& h, const Responder& r, std::uint32_t mtu) {
    if (k.read) return h.payload == 0 && h.length <= kMaxMessage;
    if (k.atomic) return h.payload == 0;
    if (k.flush) return h.payload == 0 && h.length <= kMaxMessage;
    if (k.atomic_write) return h.payload == kAtomicBytes && h.length == kAtomicBytes;
    if (k.first && k.write && h.length > kMaxMessage) return false;
    // All packets but the last are full, and the last one is not empty unless it is the only one (C9-88 ff.).
    const bool full = h.payload == mtu;
    if (!(k.last ? h.payload <= mtu && (k.first || h.payload != 0) : full)) return false;
    if (!k.write) return true;
    if (k.addressed && !k.first && !goes_on(h, r)) return false;
    const std::uint32_t left = k.first ? h.length : r.left;
    return k.last ? h.payload == left : h.payload < left;
}

}  // namespace

std::optional<Range> flushed_range(const Header& h, Pd pd, const MrTable& regions) {
    if (h.feth.selectivity == roce::FlushSelectivity::region) return regions.range_of(h.key, pd);
    return Range{h.address, h.length};
}

namespace {

bool good_key(const RequestKind& k, const Header& h, const Qp& qp, const MrTable& regions) {
    const Pd pd = qp.init.pd;
    const Responder& r = qp.responder;
    if (k.invalidates) return regions.knows(h.key, pd);
    if (k.read) return regions.allows(h.key, pd, {h.address, h.length}, kRemoteRead);
    if (k.atomic) return regions.allows(h.key, pd, {h.address, kAtomicBytes}, kRemoteAtomic);
    if (k.atomic_write) return regions.allows(h.key, pd, {h.address, kAtomicBytes}, kRemoteWrite);
    if (k.flush) {
        const auto needs = access_of(h.feth);
        const auto range = flushed_range(h, pd, regions);
        return needs && range && regions.allows(h.key, pd, *range, *needs);
    }
    if (!k.write) return true;
    const Access right = k.persist ? kRemoteWrite | kWritePersist : kRemoteWrite;
    // V-S6: the whole rest, at each packet.
    if (k.first) return regions.allows(h.key, pd, {h.address, h.length}, right);
    return regions.allows(r.key, pd, {r.address, r.left}, right);
}

}  // namespace

Verdict RequestChecks::check(const RequestKind& kind, const Header& header, const Qp& qp,
                             const MrTable& regions) const {
    const Responder& r = qp.responder;
    return {in_sequence(kind, r), allowed(kind, header, qp), good_length(kind, header, r, qp.attributes.path_mtu),
            good_key(kind, header, qp, regions)};
}

}  // namespace rnicsim::rc
