// SPDX-License-Identifier: Apache-2.0
// What programs of the machine ask of a simulated card (rnicsim exec, serve).
#pragma once

#include "testbench/events/event_row.h"
#include "tlm/roce/packet.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// A program of the machine begins to use a host's card.
struct ProgramBegins {
    static constexpr bool kOfHost = true;
    std::uint16_t program = 0;       ///< on its host, in the order of their coming, from 0
    std::array<char, 24> letters{};  ///< its name, cut to what fits

    [[nodiscard]] std::string_view name() const { return {letters.data()}; }

    friend bool operator==(const ProgramBegins&, const ProgramBegins&) = default;
};

/// A QP of such a program knows its peer: its packets can be told from now on.
struct QpConnected {
    static constexpr bool kOfHost = true;
    std::uint16_t program = 0;
    std::uint16_t peer = 0;  ///< host
    std::uint32_t qp = 0;    ///< in order of creation on its host, from 0
    roce::Qpn number, peer_number;
    roce::Psn first, peer_first;  ///< that it sends, that it expects
    bool datagram = false;        ///< it has no peer

    friend bool operator==(const QpConnected&, const QpConnected&) = default;
};

/// A call of such a program that has ended.
struct VerbsCall {
    static constexpr bool kOfHost = true;
    /// By kVerbsCallNames.
    enum class What : std::uint8_t {
        open_device,
        query_device,
        alloc_pd,
        dealloc_pd,
        reg_mr,
        rereg_mr,
        dereg_mr,
        create_comp_channel,
        destroy_comp_channel,
        create_cq,
        resize_cq,
        destroy_cq,
        req_notify_cq,
        poll_cq,
        create_srq,
        modify_srq,
        query_srq,
        destroy_srq,
        create_qp,
        modify_qp,
        query_qp,
        destroy_qp,
        post_send,
        post_recv,
        post_srq_recv,
        wait,
        rdma_cm
    };
    static constexpr std::uint32_t kNone = ~0U;

    What what{};
    std::uint16_t program = 0;
    std::uint16_t thread = 0;  ///< of this program, from 0
    std::uint32_t qp = kNone;  ///< that it is about, in order of creation on its host
    std::uint32_t first = 0;   ///< posts: index in the queue of the first work request
    std::uint32_t count = 0;   ///< posts: work requests; poll_cq: completions; modify_qp: the state, as ibv_qp_state
    std::int32_t error = 0;    ///< errno
    Time begins;

    friend bool operator==(const VerbsCall&, const VerbsCall&) = default;
};
inline constexpr std::array<std::string_view, 27> kVerbsCallNames{"open_device",
                                                                  "query_device",
                                                                  "alloc_pd",
                                                                  "dealloc_pd",
                                                                  "reg_mr",
                                                                  "rereg_mr",
                                                                  "dereg_mr",
                                                                  "create_comp_channel",
                                                                  "destroy_comp_channel",
                                                                  "create_cq",
                                                                  "resize_cq",
                                                                  "destroy_cq",
                                                                  "req_notify_cq",
                                                                  "poll_cq",
                                                                  "create_srq",
                                                                  "modify_srq",
                                                                  "query_srq",
                                                                  "destroy_srq",
                                                                  "create_qp",
                                                                  "modify_qp",
                                                                  "query_qp",
                                                                  "destroy_qp",
                                                                  "post_send",
                                                                  "post_recv",
                                                                  "post_srq_recv",
                                                                  "wait",
                                                                  "rdma_cm"};

std::string text(const ProgramBegins& program);
EventPlace place_of(const ProgramBegins& program);
EventColumns columns_of(const ProgramBegins& program, const HostNames& hosts);
std::string text(const QpConnected& qp);
EventPlace place_of(const QpConnected& qp);
EventColumns columns_of(const QpConnected& qp, const HostNames& hosts);
std::string text(const VerbsCall& call);
EventPlace place_of(const VerbsCall& call);
EventColumns columns_of(const VerbsCall& call, const HostNames& hosts);
/// "post_send a.q0 #7..9", "poll_cq: 2", "modify_qp a.q0 to RTS".
std::string call_text(const VerbsCall& call, const HostNames& hosts, unsigned host);

}  // namespace rnicsim
