// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/rc/persist_events.h"

#include "testbench/events/rc/message_events.h"
#include "testbench/events/wire_events.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace rnicsim {

std::string_view step_name(PersistStep::Step step) {
    constexpr std::array<std::string_view, 8> kNames{"posted",  "follows", "answers",   "arrived",
                                                     "flushes", "written", "persisted", "failed"};
    return kNames.at(static_cast<std::size_t>(step));
}

std::string text(const PersistStep& step) {
    return fmt::format("program: {} item {} of host {}'s q{}", step_name(step.step), step.number, step.sender, step.qp);
}

std::string text(const LineStep& line) {
    return access_text(std::string(line.stored ? "store " : "line write ") + std::to_string(line.number) +
                           " enters the " + std::string(stage_name(line.stage)) + ":",
                       static_cast<std::uint32_t>(std::popcount(line.mask)), line.address);
}

EventPlace place_of(const PersistStep& step) { return {"program", step_name(step.step)}; }

EventPlace place_of(const LineStep& line) { return {"line", stage_name(line.stage)}; }

EventColumns columns_of(const PersistStep& step, const HostNames& hosts) {
    EventColumns columns{.message = hosts.message(step.sender, step.qp, step.number)};
    if (step.packets == 0) return columns;  // it is not posted
    columns.qp = step.from;
    columns.bytes = step.bytes;
    columns.address = step.place;
    columns.verb = shown(step.verb);
    return columns;
}

EventColumns columns_of(const LineStep& line, const HostNames& hosts) {
    return {.bytes = static_cast<std::uint32_t>(std::popcount(line.mask)),
            .address = line.address + static_cast<std::uint64_t>(std::countr_zero(line.mask)),
            .message = line.stored ? std::string() : hosts.message(line.sender, line.qp, line.item)};
}

}  // namespace rnicsim
