// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/store_events.h"

#include "testbench/events/wire_events.h"

#include <fmt/format.h>

namespace rnicsim {

std::string text(const StoreStep& step) {
    if (step.step == StoreStep::Step::given)
        return access_text(fmt::format("core {}: gives the root port", step.core), step.bytes, step.address);
    return fmt::format("core {}: waited for {}", step.core, kStoreWaitNames.at(static_cast<std::size_t>(step.why)));
}

EventPlace place_of(const StoreStep& step) {
    return {"store", step.step == StoreStep::Step::given ? "given" : "waited"};
}

EventColumns columns_of(const StoreStep& step, const HostNames& /*hosts*/) {
    if (step.step == StoreStep::Step::waited)
        return {.verb = std::string(kStoreWaitNames.at(static_cast<std::size_t>(step.why)))};
    return {.bytes = step.bytes, .address = step.address};
}

}  // namespace rnicsim
