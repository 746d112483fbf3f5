// SPDX-License-Identifier: Apache-2.0
// What programs do with messages of RoCEv2 RNICs, and what these note of their QPs.
#pragma once

#include "model/rnic/rc/counts.h"
#include "model/rnic/rc/verbs.h"
#include "testbench/events/event_row.h"
#include "tlm/roce/packet.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// Which receive WQE of a shared queue a message takes, nobody knows before it arrives.
inline constexpr std::uint64_t kUnknownPlace = ~std::uint64_t{0};

/// What a program on a host with a RoCEv2 RNIC does with a message, or sees of it.
struct MessageStep {
    static constexpr bool kOfHost = true;
    enum class Step : std::uint8_t {
        posted,     ///< `at`: the program calls; what follows takes its processor's time
        completed,  ///< its sender has taken a completion: its own, or a later one that stands for it
        arrived,    ///< its receiver has taken its completion, or has seen its last byte
        failed,     ///< its sender has taken a completion with an error
    };
    Step step = Step::posted;
    std::uint16_t sender = 0, receiver = 0;  ///< hosts
    std::uint32_t qp = 0;                    ///< at its sender, in order of creation, from 0
    std::uint32_t number = 0;                ///< of this QP, from 0
    rc::Verb verb{};                         ///< this and what follows: of `posted`
    std::uint32_t bytes = 0;
    roce::Qpn from, to;
    roce::Psn first;  ///< it takes `packets` PSNs from here on
    std::uint32_t packets = 0;
    roce::Psn first_of_qp;    ///< what `from` has sent first
    std::uint64_t place = 0;  ///< where its payload lands: at the receiver, of READ and atomics the sender
    rc::Status status = rc::Status::success;  ///< of `failed`

    friend bool operator==(const MessageStep&, const MessageStep&) = default;
};

/// Something that a RoCEv2 RNIC counts happens to this QP of it.
struct QpNote {
    roce::Qpn qp;
    rc::RcCount what{};

    friend bool operator==(const QpNote&, const QpNote&) = default;
};

std::string text(const MessageStep& step);
EventPlace place_of(const MessageStep& step);
EventColumns columns_of(const MessageStep& step, const HostNames& hosts);
std::string text(const QpNote& note);
EventPlace place_of(const QpNote& note);
EventColumns columns_of(const QpNote& note, const HostNames& hosts);
/// "posted", `completed`, `arrived` ...
std::string_view step_name(MessageStep::Step step);
/// "WRITE", "FETCH_ADD"
std::string shown(rc::Verb verb);
/// As ibv_wc_status_str(3) names it, without IBV_WC_: "RETRY_EXC_ERR".
std::string_view status_name(rc::Status status);

}  // namespace rnicsim
