// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/cycle_order.h"

#include "testbench/records/report_clock.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <variant>

namespace rnicsim {
namespace {

/// Of one operation: what is told at both ends.
bool is_of_both_ends(const LoggedEvent& event) {
    const auto* const step = std::get_if<OperationStep>(&event.what);
    return step != nullptr && step->step != OperationStep::Step::asked;
}

}  // namespace

std::size_t CycleOrder::module_of(const LoggedEvent& event) const {
    if (const auto* const step = std::get_if<BridgeStep>(&event.what)) {
        const std::size_t first = 2 * nodes_ + kOfBridge * step->bridge, side = event.end < step->to ? 0 : 1;
        if (step->step == BridgeStep::Step::sent) return first + side;
        return first + kCrossing + (step->step == BridgeStep::Step::credits_back ? 1 + side : 0);
    }
    if (is_of_both_ends(event)) return held_.size() - 1;
    const bool host = std::visit(
        [](const auto& what) {
            return requires { std::remove_cvref_t<decltype(what)>::kOfHost; };
        },
        event.what);
    return std::size_t{event.end} * 2 + (host ? 0 : 1);
}

/// A host and the bridge itself both send, and give credits back, in the same direction.
void CycleOrder::sort(std::size_t module) {
    if (module + 1 == held_.size()) {
        std::ranges::stable_sort(held_[module], {}, [](const Held& held) {
            const auto& step = std::get<OperationStep>(held.event.what);
            return std::tuple(step.of.asks, step.of.answers, step.of.qp, step.number, step.step, step.part);
        });
        return;
    }
    if (module < 2 * nodes_ || (module - 2 * nodes_) % kOfBridge == kCrossing) return;
    std::ranges::stable_sort(held_[module], {}, [](const Held& held) {
        const auto& step = std::get<BridgeStep>(held.event.what);
        return std::tuple(held.event.since, held.event.at, step.address, step.tag, step.bytes);
    });
}

void CycleOrder::event(const LoggedEvent& event, std::span<const std::uint8_t> frame) {
    next_.at_once(event);
    const Cycle now = current_cycle();
    if (now != cycle_) finish();
    cycle_ = now;
    const std::size_t module = module_of(event);
    if (module == 0) return next_.event(event, frame);
    const std::size_t begin = bytes_.size();
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
    held_[module].push_back({event, begin, bytes_.size()});
}

void CycleOrder::finish() {
    for (std::size_t module = 0; module < held_.size(); ++module) {
        if (held_[module].size() > 1) sort(module);
        for (const Held& held : held_[module]) {
            next_.event(held.event, std::span(bytes_).subspan(held.frame_begin, held.frame_end - held.frame_begin));
        }
        held_[module].clear();
    }
    bytes_.clear();
}

}  // namespace rnicsim
