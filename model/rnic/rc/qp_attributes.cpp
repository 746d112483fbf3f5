#include "model/rnic/rc/qp_attributes.h"

#include <algorithm>
#include <array>

namespace rnicsim::rc {
namespace {

using namespace attribute;

struct Transition {
    QpState from{}, to{};
    AttributeMask required, optional;
};
constexpr std::array kTransitions{
    Transition{QpState::reset, QpState::init, kAccess, kNone},
    Transition{QpState::init, QpState::init, kNone, kAccess},
    Transition{QpState::init, QpState::rtr, kForRtr, kAccess},
    Transition{QpState::rtr, QpState::rts, kForRts, kAccess | kMinRnrTimer},
    Transition{QpState::rts, QpState::rts, kNone, kAccess | kMinRnrTimer},
    Transition{QpState::rts, QpState::sqd, kNone, kNone},
    Transition{QpState::sqd, QpState::rts, kNone, kAccess | kMinRnrTimer},
    Transition{QpState::sqd, QpState::sqd, kNone,
               kAccess | kPeer | kMaxDestRdAtomic | kMinRnrTimer | kMaxRdAtomic | kRetryCnt | kRnrRetry | kTimeout},
};

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

ModifyError check_modify(QpState from, QpState to, AttributeMask mask, const QpAttributes& values) {
    if (to == QpState::reset || to == QpState::error) {
        return mask.bits == 0 ? ModifyError::none : ModifyError::excess_attribute;
    }
    const auto* const found =
        std::ranges::find_if(kTransitions, [&](const Transition& t) { return t.from == from && t.to == to; });
    if (found == kTransitions.end()) return ModifyError::bad_transition;
    if (!mask.includes(found->required)) return ModifyError::missing_attribute;
    if (!(found->required | found->optional).includes(mask)) return ModifyError::excess_attribute;
    return good(mask, values) ? ModifyError::none : ModifyError::bad_value;
}

void set_attributes(QpAttributes& to, const QpAttributes& from, AttributeMask mask) {
    if (mask.includes(kAccess)) to.access = from.access;
    if (mask.includes(kPeer)) to.peer = from.peer;
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
}

}  // namespace rnicsim::rc
