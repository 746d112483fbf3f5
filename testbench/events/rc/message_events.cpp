// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/rc/message_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace rnicsim {

std::string_view step_name(MessageStep::Step step) {
    constexpr std::array<std::string_view, 4> kNames{"posted", "completed", "arrived", "failed"};
    return kNames.at(static_cast<std::size_t>(step));
}

std::string shown(rc::Verb verb) {
    std::string name(rc::verb_name(verb));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
}

std::string_view status_name(rc::Status status) {
    switch (status) {
        case rc::Status::success: return "SUCCESS";
        case rc::Status::loc_len: return "LOC_LEN_ERR";
        case rc::Status::loc_qp_op: return "LOC_QP_OP_ERR";
        case rc::Status::loc_prot: return "LOC_PROT_ERR";
        case rc::Status::wr_flush: return "WR_FLUSH_ERR";
        case rc::Status::bad_resp: return "BAD_RESP_ERR";
        case rc::Status::rem_inv_req: return "REM_INV_REQ_ERR";
        case rc::Status::rem_access: return "REM_ACCESS_ERR";
        case rc::Status::rem_op: return "REM_OP_ERR";
        case rc::Status::retry_exc: return "RETRY_EXC_ERR";
        case rc::Status::rnr_retry_exc: return "RNR_RETRY_EXC_ERR";
    }
    return {};
}

std::string text(const MessageStep& step) {
    return fmt::format("program: {} message {} of QP {}", step_name(step.step), step.number, step.from.n);
}

std::string text(const QpNote& note) {
    return fmt::format("QP {}: {}", note.qp.n, rc::kRcCountNames.at(static_cast<std::size_t>(note.what)));
}

EventPlace place_of(const MessageStep& step) { return {"program", step_name(step.step)}; }

EventPlace place_of(const QpNote& note) { return {"qp", rc::kRcCountNames.at(static_cast<std::size_t>(note.what))}; }

EventColumns columns_of(const MessageStep& step, const HostNames& hosts) {
    EventColumns columns{.qp = step.from, .message = hosts.message(step.sender, step.qp, step.number)};
    if (step.step != MessageStep::Step::posted) return columns;
    columns.bytes = step.bytes;
    if (step.place != kUnknownPlace) columns.address = step.place;
    columns.verb = shown(step.verb);
    return columns;
}

EventColumns columns_of(const QpNote& note, const HostNames& /*hosts*/) { return {.qp = note.qp}; }

}  // namespace rnicsim
