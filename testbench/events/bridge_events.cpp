// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/bridge_events.h"

#include <fmt/format.h>

namespace rnicsim {

std::string tlp_text(const BridgeStep& step) {
    const std::string_view name = kBridgeTlpNames.at(static_cast<std::size_t>(step.tlp));
    if (step.tlp == BridgeTlp::interrupt || step.tlp == BridgeTlp::refusal) return std::string(name);
    return fmt::format("{} {} B at 0x{:x}", name, step.bytes, step.address);
}

std::string text(const BridgeStep& step) {
    const std::string_view is = kBridgeStepNames.at(static_cast<std::size_t>(step.step));
    if (step.of_link()) return fmt::format("bridge {}: {}", step.bridge, is);
    if (step.step == BridgeStep::Step::credits_back)
        return fmt::format("bridge {}: credits of {} B of {} TLPs are back", step.bridge, step.bytes, step.tlps);
    return fmt::format("bridge {}: {} {}{}", step.bridge, is, tlp_text(step),
                       step.hash == 0 ? "" : fmt::format("  [bytes {:x}]", step.hash));
}

EventPlace place_of(const BridgeStep& step) {
    return {"bridge", kBridgeStepNames.at(static_cast<std::size_t>(step.step))};
}

EventColumns columns_of(const BridgeStep& step, const HostNames& /*hosts*/) {
    if (step.of_link()) return {};
    return {.bytes = step.bytes,
            .address = step.address,
            .verb = std::string(kBridgeTlpNames.at(static_cast<std::size_t>(step.tlp)))};
}

}  // namespace rnicsim
