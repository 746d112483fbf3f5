// SPDX-License-Identifier: Apache-2.0
// States of a QP and what has to be known in them (ibv_modify_qp(3), IBTA vol. 1, 10.3.1; V-Q1). Port and P_Key index
// are the driver's: the card has one port, and one partition.
#pragma once

#include "model/rnic/rc/mr_table.h"
#include "model/rnic/rc/persist/mode.h"
#include "model/rnic/rc/verbs.h"
#include "tlm/drp/ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rnicsim::rc {

/// `sqe`: of UC and UD only: a WQE of the send queue has failed, the receive queue goes on.
enum class QpState : std::uint8_t { reset, init, rtr, rts, sqd, sqe, error };
inline constexpr std::array<std::string_view, 7> kQpStateNames{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};

/// Its responder is at work.
constexpr bool takes_requests(QpState state) { return state >= QpState::rtr && state <= QpState::sqe; }

/// Fixed when the QP is made.
struct QpInit {
    Service service = Service::reliable;
    Pd pd{};
    Cqn send_cq{}, receive_cq{};
    ReceiveQueueNumber receive_queue{};
    std::uint32_t send_queue_size = 128;  ///< WQEs
    std::optional<PersistMode> persist;   ///< none: it makes and takes no WRITE_PERSIST
};

struct QpAttributes {
    Access access;  ///< remote rights
    Peer peer{};
    Path path{};
    std::uint32_t path_mtu = 1024;  ///< bytes of payload: 256, 512, 1024, 2048, 4096
    Qpn dest_qpn;
    Psn rq_psn;  ///< expected first
    std::uint8_t max_dest_rd_atomic = 1;
    std::uint8_t min_rnr_timer = 12;  ///< a code: rnr_time()
    Psn sq_psn;                       ///< sent first
    std::uint8_t max_rd_atomic = 1;
    std::uint8_t retry_cnt = 7, rnr_retry = 7;
    std::uint8_t timeout = 14;  ///< a code: ack_time()
    std::uint32_t queue_key = 0;
};
inline constexpr std::uint8_t kEndlessRnrRetry = 7;

/// Which attributes a modification sets, as ibv_qp_attr_mask.
struct AttributeMask {
    std::uint16_t bits = 0;
    friend constexpr AttributeMask operator|(AttributeMask a, AttributeMask b) {
        return {static_cast<std::uint16_t>(a.bits | b.bits)};
    }
    [[nodiscard]] constexpr bool includes(AttributeMask other) const { return (bits & other.bits) == other.bits; }
};
namespace attribute {
// kPeer: with its path.
inline constexpr AttributeMask kNone{0}, kAccess{1}, kPeer{2}, kPathMtu{4}, kDestQpn{8}, kRqPsn{16},
    kMaxDestRdAtomic{32}, kMinRnrTimer{64}, kSqPsn{128}, kMaxRdAtomic{256}, kRetryCnt{512}, kRnrRetry{1024},
    kTimeout{2048}, kQueueKey{4096};
inline constexpr AttributeMask kForRtr = kPeer | kPathMtu | kDestQpn | kRqPsn | kMaxDestRdAtomic | kMinRnrTimer;
inline constexpr AttributeMask kForRts = kSqPsn | kMaxRdAtomic | kRetryCnt | kRnrRetry | kTimeout;
}  // namespace attribute

enum class ModifyError : std::uint8_t {
    none,
    unknown_qp,
    bad_transition,
    missing_attribute,
    excess_attribute,
    bad_value
};

/// May a QP go from `from` to `to` with these attributes?
ModifyError check_modify(Service service, QpState from, QpState to, AttributeMask mask, const QpAttributes& values);
/// Those without which it may not. Precondition: there is such a transition.
AttributeMask needed_attributes(Service service, QpState from, QpState to);
/// Copies the attributes that the mask names.
void set_attributes(QpAttributes& to, const QpAttributes& from, AttributeMask mask);

}  // namespace rnicsim::rc
