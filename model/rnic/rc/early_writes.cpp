// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/early_writes.h"

#include "model/rnic/rc/pending_answers.h"
#include "model/rnic/rc/persists.h"

namespace rnicsim::rc {

std::optional<KnownWrite> write_of(const Responder& r, Psn psn, std::uint32_t mtu) {
    const auto holds = [&](const KnownWrite& w) { return distance(w.first, psn) < packets_of(w.left, mtu); };
    if (r.incoming == Incoming::write) {
        const KnownWrite under_way{r.expected, r.address, r.key, r.left};
        if (holds(under_way)) return under_way;
    }
    for (auto n = r.early.writes.first(); n != r.early.writes.end(); ++n) {
        if (holds(r.early.writes[n])) return r.early.writes[n];
    }
    return {};
}

namespace {

using roce::Header;

/// On the bus, as two regions may have one place. Precondition: the PSN is one of this WRITE's.
Segment place_of(const KnownWrite& w, Psn psn, std::uint32_t mtu, const MrTable& regions) {
    const std::uint32_t offset = distance(w.first, psn) * mtu;
    return {regions.bus(w.key, w.address + offset), std::min(w.left - offset, mtu)};
}

/// V-S11: nothing that is missing before `psn` will be placed there, as it is older. What is not known may be, unless
/// the packet says that it is apart.
bool is_free(const Qp& qp, Psn psn, const Segment& place, bool apart, const MrTable& regions) {
    const Responder& r = qp.responder;
    const std::uint32_t mtu = qp.attributes.path_mtu;
    for (Psn missing = r.expected; missing != psn; missing = missing + 1) {
        if (r.early.came.has(distance(r.expected, missing))) continue;
        const auto write = write_of(r, missing, mtu);
        if (write ? overlap(place_of(*write, missing, mtu, regions), place) : !apart) return false;
    }
    return true;
}

/// Do both say the same of the later one's packets? `later` begins within `earlier`.
bool agree(const KnownWrite& earlier, const KnownWrite& later, std::uint32_t mtu) {
    const std::uint32_t offset = distance(earlier.first, later.first) * mtu;
    return later.key == earlier.key && later.address == earlier.address + offset && later.left == earlier.left - offset;
}

/// The message of a packet that says where it goes becomes known from this one on. False: others have said something
/// else of it.
bool learn(CountedRing<KnownWrite>& writes, const KnownWrite& write, std::uint32_t mtu) {
    auto n = writes.first();
    while (n != writes.end() && ahead(writes[n].first, write.first) < 0) ++n;
    if (n != writes.end() && distance(write.first, writes[n].first) < packets_of(write.left, mtu)) {
        if (!agree(write, writes[n], mtu)) return false;
        writes[n] = write;
    } else {
        writes.insert(n, write);
    }
    return true;
}

/// What it knows of messages that are under way, or over.
void forget_passed(Responder& r) {
    CountedRing<KnownWrite>& writes = r.early.writes;
    while (!writes.empty() && ahead(writes.front().first, r.expected) < 0) writes.pop();
}

/// V-S10. What is wrong is not placed; it is refused in its turn.
bool place_early(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    const std::uint32_t mtu = qp.attributes.path_mtu;
    if (distance(r.expected, h.psn) >= d.config.window) return false;
    // An immediate makes a completion, which needs a receive WQE: in order. The rest of the verdict is about the
    // message under way, which need not be the packet's.
    if (!kind.write || kind.immediate || !d.checks.check(kind, h, qp, d.regions).allowed) return false;
    const std::optional<KnownWrite> known = write_of(r, h.psn, mtu);
    if (is_persist(qp, kind, known ? known->key : h.key, d.regions)) return false;  // V-P2
    const bool says_place = kind.first || kind.addressed;
    const KnownWrite said{h.psn, h.address, h.key, h.length, kind.first};
    if (says_place && h.length > kMaxMessage) return false;
    if (known ? kind.first || (says_place && !agree(*known, said, mtu)) : !says_place) return false;
    const KnownWrite write = known.value_or(said);
    const Segment place = place_of(write, h.psn, mtu, d.regions);
    const bool last = distance(write.first, h.psn) + 1 == packets_of(write.left, mtu);
    if (kind.last != last || h.payload != place.length || !is_free(qp, h.psn, place, h.apart, d.regions)) return false;
    if (!d.regions.allows(write.key, qp.init.pd, {write.address, write.left}, kRemoteWrite)) return false;
    if (!known && !learn(r.early.writes, write, mtu)) return false;
    r.early.came.mark(distance(r.expected, h.psn));
    if (place.length != 0) {
        ++r.asked_to_place;
        d.actions.place({qp.number, h.psn, true, {place}});
    }
    return true;
}

}  // namespace

bool take_early(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    if (r.early.came.has(distance(r.expected, h.psn))) {
        d.note(RcCount::duplicates, qp);
        return true;
    }
    if (place_early(qp, kind, h, d)) {
        push_selective_nak(qp, h.psn, d);
        return true;
    }
    if (r.early.came.empty() || r.nak_sent) return false;
    if (!r.early.dropped || ahead(h.psn, *r.early.dropped) > 0) r.early.dropped = h.psn;
    return true;
}

bool pass_early(Qp& qp) {
    Responder& r = qp.responder;
    const std::uint32_t mtu = qp.attributes.path_mtu;
    forget_passed(r);
    if (!r.early.came.has(0)) return false;
    while (r.early.came.has(0)) {
        if (r.incoming == Incoming::none) {
            forget_passed(r);
            if (!r.early.writes.front().from_start) return true;
            const KnownWrite begun = r.early.writes.pop_front();
            r.incoming = Incoming::write;
            r.persist = false;
            r.bytes = 0;
            r.address = begun.address;
            r.key = begun.key;
            r.left = begun.left;
        }
        const std::uint32_t payload = std::min(r.left, mtu);
        r.address += payload;
        r.left -= payload;
        r.bytes += payload;
        r.expected = r.expected + 1;
        r.early.came.advance(1);
        if (r.left == 0) {
            r.incoming = Incoming::none;
            r.msn = r.msn + 1;
        }
    }
    forget_passed(r);
    return true;
}

}  // namespace rnicsim::rc
