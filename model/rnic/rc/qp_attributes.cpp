// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/qp_attributes.h"

#include <algorithm>
#include <array>
#include <span>

namespace rnicsim::rc {
namespace {

using namespace attribute;

struct Transition {
    QpState from{}, to{};
    AttributeMask required, optional;
};
using enum QpState;

constexpr std::array kOfReliable{
    Transition{reset, init, kAccess, kNone},
    Transition{init, init, kNone, kAccess},
    Transition{init, rtr, kForRtr, kAccess},
    Transition{rtr, rts, kForRts, kAccess | kMinRnrTimer},
    Transition{rts, rts, kNone, kAccess | kMinRnrTimer},
    Transition{rts, sqd, kNone, kNone},
    Transition{sqd, rts, kNone, kAccess | kMinRnrTimer},
    Transition{sqd, sqd, kNone,
               kAccess | kPeer | kMaxDestRdAtomic | kMinRnrTimer | kMaxRdAtomic | kRetryCnt | kRnrRetry | kTimeout},
};
constexpr std::array kOfUnreliable{
    Transition{reset, init, kAccess, kNone},
    Transition{init, init, kNone, kAccess},
    Transition{init, rtr, kPeer | kPathMtu | kDestQpn | kRqPsn, kAccess},
    Transition{rtr, rts, kSqPsn, kAccess},
    Transition{rts, rts, kNone, kAccess},
    Transition{rts, sqd, kNone, kNone},
    Transition{sqd, rts, kNone, kAccess},
    Transition{sqd, sqd, kNone, kAccess | kPeer},
    Transition{sqe, rts, kNone, kAccess},
};
constexpr std::array kOfDatagram{
    Transition{reset, init, kQueueKey, kNone}, Transition{init, init, kNone, kQueueKey},
    Transition{init, rtr, kNone, kQueueKey},   Transition{rtr, rts, kSqPsn, kQueueKey},
    Transition{rts, rts, kNone, kQueueKey},    Transition{rts, sqd, kNone, kNone},
    Transition{sqd, rts, kNone, kQueueKey},    Transition{sqd, sqd, kNone, kQueueKey},
    Transition{sqe, rts, kNone, kQueueKey},
};

std::span<const Transition> transitions(Service service) {
    switch (service) {
        case Service::unreliable: return kOfUnreliable;
        case Service::datagram: return kOfDatagram;
        default: return kOfReliable;
    }
}

/// Null: there is none.
const Transition* transition(Service service, QpState from, QpState to) {
    const std::span<const Transition> all = transitions(service);
    const auto found = std::ranges::find_if(all, [&](const Transition& t) { return t.from == from && t.to == to; });
    return found == all.end() ? nullptr : &*found;
}

bool good(AttributeMask mask, const QpAttributes& v) {
    constexpr std::array<std::uint32_t, 5> kMtus{256, 512, 1024, 2048, 4096};
    if (mask.includes(kPathMtu) && std::ranges::find(kMtus, v.path_mtu) == kMtus.end()) return false;
    if (mask.includes(kRetryCnt) && v.retry_cnt > 7) return false;
    if (mask.includes(kRnrRetry) && v.rnr_retry > 7) return false;
    if (mask.includes(kTimeout) && v.timeout > 31) return false;
    if (mask.includes(kMinRnrTimer) && v.min_rnr_timer > 31) return false;
    if (mask.includes(kRqPsn) && v.rq_psn.n > Psn::kMask) return false;
    return !mask.includes(kSqPsn) || v.sq_psn.n <= Psn::kMask;
}

}  // namespace

ModifyError check_modify(Service service, QpState from, QpState to, AttributeMask mask, const QpAttributes& values) {
    if (to == reset || to == error) return mask.bits == 0 ? ModifyError::none : ModifyError::excess_attribute;
    const Transition* const found = transition(service, from, to);
    if (found == nullptr) return ModifyError::bad_transition;
    if (!mask.includes(found->required)) return ModifyError::missing_attribute;
    if (!(found->required | found->optional).includes(mask)) return ModifyError::excess_attribute;
    return good(mask, values) ? ModifyError::none : ModifyError::bad_value;
}

AttributeMask needed_attributes(Service service, QpState from, QpState to) {
    return transition(service, from, to)->required;
}

void set_attributes(QpAttributes& to, const QpAttributes& from, AttributeMask mask) {
    if (mask.includes(kAccess)) to.access = from.access;
    if (mask.includes(kPeer)) to.peer = from.peer, to.path = from.path;
    if (mask.includes(kPathMtu)) to.path_mtu = from.path_mtu;
    if (mask.includes(kDestQpn)) to.dest_qpn = from.dest_qpn;
    if (mask.includes(kRqPsn)) to.rq_psn = from.rq_psn;
    if (mask.includes(kMaxDestRdAtomic)) to.max_dest_rd_atomic = from.max_dest_rd_atomic;
    if (mask.includes(kMinRnrTimer)) to.min_rnr_timer = from.min_rnr_timer;
    if (mask.includes(kSqPsn)) to.sq_psn = from.sq_psn;
    if (mask.includes(kMaxRdAtomic)) to.max_rd_atomic = from.max_rd_atomic;
    if (mask.includes(kRetryCnt)) to.retry_cnt = from.retry_cnt;
    if (mask.includes(kRnrRetry)) to.rnr_retry = from.rnr_retry;
    if (mask.includes(kTimeout)) to.timeout = from.timeout;
    if (mask.includes(kQueueKey)) to.queue_key = from.queue_key;
}

}  // namespace rnicsim::rc
