// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/event_log.h"

#include "testbench/events/frame_text.h"
#include "testbench/events/microseconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string_view>

namespace rnicsim {
namespace {

std::string of_transfer(Tid tid, Role role) {
    return fmt::format(", tid {} as {}", raw(tid), role == Role::initiator ? "initiator" : "responder");
}

std::string access(std::string_view what, std::uint32_t bytes, std::uint64_t address) {
    return fmt::format("{} {} B at 0x{:x}", what, bytes, address);
}

std::string bytes_hash(std::uint64_t hash) { return hash == 0 ? "" : fmt::format("  [bytes {:x}]", hash); }

std::string text(const WireFrame& frame) {
    const std::string name = frame_text(frame.header, frame.bth, frame.bytes);
    switch (frame.step) {
        case WireFrame::Step::sent: return fmt::format("sends {}, {} B{}", name, frame.bytes, bytes_hash(frame.hash));
        case WireFrame::Step::lost: return "loses on the link " + name;
        case WireFrame::Step::damaged: return "damages on the link " + name + bytes_hash(frame.hash);
        case WireFrame::Step::arrives: return "reaches the other end with " + name;
        case WireFrame::Step::dropped: return "drops " + name;
    }
    return {};
}

std::string text(const MemoryAccess& memory) {
    return access(memory.write ? "memory is written:" : "memory is read:", memory.bytes, memory.address) +
           bytes_hash(memory.hash);
}

std::string text(const DmaRequest& dma) {
    if (dma.kind == TlpKind::message_signalled_interrupt) return "interrupt";
    return access(dma.kind == TlpKind::memory_write ? "DMA write" : "DMA read", dma.bytes, dma.address);
}

std::string text(const DecisionCause& cause) {
    return "has decided about " + cause_text(cause) + of_transfer(cause.tid, cause.role);
}

std::string text(const DecisionResult& result) {
    return fmt::format("decides: {}{}", kTransportCountNames.at(static_cast<std::size_t>(result.what)),
                       of_transfer(result.tid, result.role));
}

std::string text(const BufferFill& fill) { return fmt::format("indirect buffer holds {} slots", fill.slots); }

std::string text(const Overrun& overrun) { return "has no room for " + frame_text(overrun.header); }

std::string text(const SoftwareStep& software) {
    return fmt::format("host: {} {}{}", kHostStepNames.at(static_cast<std::size_t>(software.step)), software.value,
                       of_transfer(software.tid, software.role));
}

std::string text(const MessageStep& step) {
    return fmt::format("program: {} message {} of QP {}", step_name(step.step), step.number, step.from.n);
}

std::string text(const PersistStep& step) {
    return fmt::format("program: {} item {} of host {}'s q{}", step_name(step.step), step.number, step.sender, step.qp);
}

std::string text(const LineStep& line) {
    return access(std::string(line.stored ? "store " : "line write ") + std::to_string(line.number) + " enters the " +
                      std::string(stage_name(line.stage)) + ":",
                  static_cast<std::uint32_t>(std::popcount(line.mask)), line.address);
}

std::string text(const QpNote& note) {
    return fmt::format("QP {}: {}", note.qp.n, rc::kRcCountNames.at(static_cast<std::size_t>(note.what)));
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

std::string_view step_name(MessageStep::Step step) {
    constexpr std::array<std::string_view, 4> kNames{"posted", "completed", "arrived", "failed"};
    return kNames.at(static_cast<std::size_t>(step));
}

std::string_view step_name(PersistStep::Step step) {
    constexpr std::array<std::string_view, 8> kNames{"posted",  "follows", "answers",   "arrived",
                                                     "flushes", "written", "persisted", "failed"};
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

std::string cause_text(const DecisionCause& cause) {
    constexpr std::array<std::string_view, 6> kCommands{"nothing",    "RDMA write",     "RDMA read",
                                                        "registered", "not registered", "a frame to send"};
    const auto command = static_cast<std::size_t>(cause.command.value_or(CommandCode::none));
    switch (cause.input) {
        case TransportInput::frame: return frame_text(cause.header.value_or(DrpHeader{}));
        case TransportInput::fetch: return "a fetch of " + frame_text(cause.header.value_or(DrpHeader{}));
        case TransportInput::command: return "the command: " + std::string(kCommands.at(command));
        case TransportInput::timer: return "a timer";
        case TransportInput::transmitted: return "a data frame that has left";
    }
    return {};
}

std::string describe(const LoggedEvent& event, const HostNames& hosts) {
    return fmt::format("{} us  {}  {}", exact_microseconds(event.at), hosts[event.end],
                       std::visit([](const auto& what) { return text(what); }, event.what));
}

}  // namespace rnicsim
