// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/cycle_order.h"

#include "testbench/records/report_clock.h"
#include "tlm/wakeup.h"

#include <type_traits>
#include <variant>

namespace rnicsim {
namespace {

std::size_t module_of(const LoggedEvent& event) {
    const bool host = std::visit(
        [](const auto& what) {
            return requires { std::remove_cvref_t<decltype(what)>::kOfHost; };
        },
        event.what);
    return std::size_t{event.end} * 2 + (host ? 0 : 1);
}

}  // namespace

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
    for (std::vector<Held>& module : held_) {
        for (const Held& held : module) {
            next_.event(held.event, std::span(bytes_).subspan(held.frame_begin, held.frame_end - held.frame_begin));
        }
        module.clear();
    }
    bytes_.clear();
}

}  // namespace rnicsim
