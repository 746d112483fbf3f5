// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/rc/program_events.h"

#include <fmt/format.h>

#include <array>

namespace rnicsim {
namespace {

/// What else a call tells.
std::string details(const VerbsCall& call) {
    constexpr std::array<std::string_view, 7> kStates{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    switch (call.what) {
        case VerbsCall::What::post_send:
        case VerbsCall::What::post_recv:
        case VerbsCall::What::post_srq_recv:
            return call.count == 1 ? fmt::format(" #{}", call.first)
                                   : fmt::format(" #{}..{}", call.first, call.first + call.count - 1);
        case VerbsCall::What::modify_qp:
            return call.count < kStates.size() ? fmt::format(" to {}", kStates.at(call.count)) : "";
        case VerbsCall::What::poll_cq: return call.count == 0 ? ": nothing" : fmt::format(": {}", call.count);
        default: return {};
    }
}

}  // namespace

std::string call_text(const VerbsCall& call, const HostNames& hosts, unsigned host) {
    std::string text(kVerbsCallNames.at(static_cast<std::size_t>(call.what)));
    if (call.qp != VerbsCall::kNone) text += ' ' + hosts.qp(host, call.qp);
    text += details(call);
    if (call.error != 0) text += fmt::format(": error {}", call.error);
    return text;
}

std::string text(const ProgramBegins& program) {
    return fmt::format("program {} begins: {}", program.program, program.name());
}

std::string text(const QpConnected& qp) {
    return fmt::format("QP {} of program {} is connected to QP {}", qp.number.n, qp.program, qp.peer_number.n);
}

std::string text(const VerbsCall& call) {
    return fmt::format("program {}: {}", call.program, kVerbsCallNames.at(static_cast<std::size_t>(call.what)));
}

EventPlace place_of(const ProgramBegins& /*program*/) { return {"program", "begins"}; }

EventPlace place_of(const QpConnected& /*qp*/) { return {"qp", "connected"}; }

EventPlace place_of(const VerbsCall& call) { return {"call", kVerbsCallNames.at(static_cast<std::size_t>(call.what))}; }

EventColumns columns_of(const ProgramBegins& program, const HostNames& /*hosts*/) { return {.bytes = program.program}; }

EventColumns columns_of(const QpConnected& qp, const HostNames& /*hosts*/) { return {.qp = qp.number}; }

EventColumns columns_of(const VerbsCall& call, const HostNames& /*hosts*/) { return {.bytes = call.count}; }

}  // namespace rnicsim
