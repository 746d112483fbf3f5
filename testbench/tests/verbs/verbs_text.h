// SPDX-License-Identifier: Apache-2.0
// Packets, completions and events as short lines, to compare a test's expectation with.
#pragma once

#include "model/rnic/rc/actions.h"

#include <array>
#include <string>
#include <vector>

namespace rnicsim::rc {

using Lines = std::vector<std::string>;

inline std::string name_of(roce::Opcode o) {
    const roce::OpcodeMeaning* const known = roce::meaning(o);
    const Service service = known == nullptr ? Service::reliable : known->service;
    if (service == Service::unreliable || service == Service::datagram) {
        return (service == Service::unreliable ? "uc_" : "ud_") + name_of(roce::operation_of(o));
    }
    switch (o) {
        using enum roce::Opcode;
        case send_first: return "send_first";
        case send_middle: return "send_middle";
        case send_last: return "send_last";
        case send_last_imm: return "send_last_imm";
        case send_only: return "send_only";
        case send_only_imm: return "send_only_imm";
        case write_first: return "write_first";
        case write_middle: return "write_middle";
        case write_last: return "write_last";
        case write_last_imm: return "write_last_imm";
        case write_only: return "write_only";
        case write_only_imm: return "write_only_imm";
        case read_request: return "read_request";
        case read_first: return "read_first";
        case read_middle: return "read_middle";
        case read_last: return "read_last";
        case read_only: return "read_only";
        case ack: return "ack";
        case atomic_ack: return "atomic_ack";
        case compare_swap: return "compare_swap";
        case fetch_add: return "fetch_add";
        case send_last_inv: return "send_last_inv";
        case send_only_inv: return "send_only_inv";
        case flush: return "flush";
        case atomic_write: return "atomic_write";
        case write_persist_first: return "persist_first";
        case write_persist_middle: return "persist_middle";
        case write_persist_last: return "persist_last";
        case write_persist_only: return "persist_only";
        case persist_ack: return "pack";
        case selective_write_first: return "selective_first";
        case selective_write_middle: return "selective_middle";
        case selective_write_last: return "selective_last";
        case selective_write_only: return "selective_only";
        default: return "opcode " + std::to_string(static_cast<int>(o));
    }
}

inline std::string name_of(Status s) {
    switch (s) {
        case Status::success: return "success";
        case Status::loc_len: return "loc_len";
        case Status::loc_qp_op: return "loc_qp_op";
        case Status::loc_prot: return "loc_prot";
        case Status::wr_flush: return "wr_flush";
        case Status::bad_resp: return "bad_resp";
        case Status::rem_inv_req: return "rem_inv_req";
        case Status::rem_access: return "rem_access";
        case Status::rem_op: return "rem_op";
        case Status::retry_exc: return "retry_exc";
        case Status::rnr_retry_exc: return "rnr_retry_exc";
    }
    return "?";
}

inline std::string name_of(EventKind kind) {
    static constexpr std::array kNames{"qp_request_error", "qp_access_error", "qp_fatal",         "sq_drained",
                                       "last_wqe_reached", "cq_error",        "srq_limit_reached"};
    return kNames.at(static_cast<std::size_t>(kind));
}

/// For example "write_first 100 +256 at 4096:600", "send_last 101 +88 ask", "ack 101 msn 1", "nak 103 sequence".
inline std::string text(const roce::Header& h) {
    using enum roce::Opcode;
    static constexpr std::array kNaks{"sequence", "invalid", "access", "operational", "rd"};
    const std::string psn = " " + std::to_string(h.psn.n);
    if (h.opcode == ack) {
        switch (h.aeth.kind) {
            case roce::AckKind::ack: return "ack" + psn + " msn " + std::to_string(h.aeth.msn.n);
            case roce::AckKind::rnr_nak: return "rnr" + psn + " " + std::to_string(h.aeth.value);
            case roce::AckKind::nak: return "nak" + psn + " " + kNaks.at(h.aeth.value);
        }
    }
    if (h.opcode == selective_nak) return "selective_nak" + psn + " arrived " + std::to_string(h.arrived.n);
    std::string line = name_of(h.opcode) + psn;
    if (h.opcode == atomic_ack) return line + " was " + std::to_string(h.original);
    if (h.payload != 0) line += " +" + std::to_string(h.payload);
    if (h.address != 0) line += " at " + std::to_string(h.address) + ":" + std::to_string(h.length);
    if (h.apart) line += " apart";
    if (h.immediate != 0) line += " imm " + std::to_string(h.immediate);
    if (h.from.n != 0) {
        line += " to " + std::to_string(h.to.n) + " from " + std::to_string(h.from.n);
        line += " key " + std::to_string(h.queue_key);
    }
    if (h.solicited) line += " se";
    if (h.ack_request) line += " ask";
    return line;
}

/// "cqe 0 success", "receive 0 success 300 B imm 7 se".
inline std::string text(const Completion& c) {
    std::string line = (c.receive ? "receive " : "cqe ") + std::to_string(c.index) + " " + name_of(c.status);
    if (c.bytes != 0) line += " " + std::to_string(c.bytes) + " B";
    if (c.immediate_or_key != 0) line += " imm " + std::to_string(c.immediate_or_key);
    if (c.address != 0) line += " from " + std::to_string(c.address);
    if (c.grh) line += " grh from " + std::to_string(c.from.n);
    if (c.receive && c.solicited && c.status == Status::success) line += " se";
    return line;
}

inline std::string text(const Placement& p) {
    std::string line = (p.with_grh ? "place grh " : "place ") + std::to_string(p.psn.n);
    for (const Segment& s : p.to) line += " " + std::to_string(s.address) + "+" + std::to_string(s.length);
    return line;
}

}  // namespace rnicsim::rc
