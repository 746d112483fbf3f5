// SPDX-License-Identifier: Apache-2.0
// What a host's cores store behind a bridge, until it is with the root port.
#pragma once

#include "model/host/cpu/store_observer.h"
#include "testbench/events/event_row.h"

#include <cstdint>
#include <string>

namespace rnicsim {

struct StoreStep {
    static constexpr bool kOfHost = true;
    enum class Step : std::uint8_t {
        given,  ///< to the root port, `at`; `since`: its line was told to leave
        waited  ///< an instruction, from `since` to `at`
    };
    Step step = Step::given;
    StoreWait why{};         ///< of `waited`
    std::uint16_t core = 0;  ///< of the host
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;

    friend bool operator==(const StoreStep&, const StoreStep&) = default;
};

std::string text(const StoreStep& step);
EventPlace place_of(const StoreStep& step);
EventColumns columns_of(const StoreStep& step, const HostNames& hosts);

}  // namespace rnicsim
