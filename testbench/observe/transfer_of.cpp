// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/transfer_of.h"

namespace rnicsim {

const DrpHeader* header_of(const LoggedEvent& event) {
    if (const auto* const frame = std::get_if<WireFrame>(&event.what)) return frame->header ? &*frame->header : nullptr;
    if (const auto* const cause = std::get_if<DecisionCause>(&event.what))
        return cause->header ? &*cause->header : nullptr;
    if (const auto* const overrun = std::get_if<Overrun>(&event.what)) return &overrun->header;
    return nullptr;
}

std::optional<TransferName> TransferNames::of(const LoggedEvent& event) {
    using Name = std::optional<TransferName>;
    const unsigned here = event.end;
    const auto named = [this](unsigned initiator, Tid tid) -> Name {
        return TransferName{initiator, numbers_[initiator].number_of(tid)};
    };
    const auto by_role = [&](const auto& what) {
        return named(what.role == Role::initiator ? here : what.other, what.tid);
    };
    const auto by_header = [&](unsigned from, unsigned to, const DrpHeader& header) {
        return named(header.from_initiator() ? from : to, header.tid);
    };
    const Overloaded name_of{
        [&](const WireFrame& frame) { return frame.header ? by_header(frame.from, frame.to, *frame.header) : Name(); },
        [&](const Overrun& overrun) { return by_header(overrun.other, here, overrun.header); },
        [&](const DecisionCause& cause) { return by_role(cause); },
        [&](const DecisionResult& result) { return by_role(result); },
        [&](const SoftwareStep& step) { return step.of_ordinary_frame() ? Name() : by_role(step); },
        [](const auto&) { return Name(); },  // not of a transfer, or with a name of its own
    };
    return std::visit(name_of, event.what);
}

}  // namespace rnicsim
