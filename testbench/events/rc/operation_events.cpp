// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/rc/operation_events.h"

#include "testbench/events/rc/message_events.h"

#include <fmt/format.h>

namespace rnicsim {
namespace {

constexpr std::array<std::string_view, 4> kSteps{"asked", "marked", "ended", "failed"};

std::string size(std::uint32_t bytes) {
    return bytes != 0 && bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} B", bytes);
}

}  // namespace

std::string text(const OperationStep& step) {
    std::string is = fmt::format("application: {} operation {} of host {}'s q{}",
                                 kSteps.at(static_cast<std::size_t>(step.step)), step.number, step.of.asks, step.of.qp);
    if (step.step == OperationStep::Step::marked) is += fmt::format(", part {}", step.part);
    return is;
}

EventPlace place_of(const OperationStep& step) { return {"operation", kSteps.at(static_cast<std::size_t>(step.step))}; }

EventColumns columns_of(const OperationStep& step, const HostNames& hosts) {
    EventColumns columns{.message = hosts.message(step.of.asks, step.of.qp, step.number)};
    if (step.step == OperationStep::Step::asked) columns.bytes = step.bytes;
    if (step.step == OperationStep::Step::marked) columns.bytes = step.part;
    return columns;
}

std::string end_text(const EndStep& step) {
    using enum EndStep::What;
    switch (step.what) {
        case posts: return fmt::format("posts {} of {}", shown(step.verb), size(step.bytes));
        case registers: return "registers " + size(step.bytes);
        case deregisters: return "gives memory up";
        case writes: return fmt::format("sends {} by TCP", size(step.bytes));
        case reads: return fmt::format("reads up to {}", size(step.bytes));
        case copies: return "copies " + size(step.bytes);
        case calls: return "calls a process";
        case received: return "receives " + size(step.bytes);
        case completed: return "has a completion";
        case got: return fmt::format("has {} by TCP", size(step.bytes));
        case told: return fmt::format("is told of {}", size(step.bytes));
    }
    return {};
}

std::string text(const EndStep& step) {
    return fmt::format("application: {}, for host {}'s q{}", end_text(step), step.of.asks, step.of.qp);
}

EventPlace place_of(const EndStep& step) {
    return {"application", kEndStepNames.at(static_cast<std::size_t>(step.what))};
}

EventColumns columns_of(const EndStep& step, const HostNames& hosts) {
    EventColumns columns{.bytes = step.bytes, .message = hosts.qp(step.of.asks, step.of.qp)};
    if (step.what == EndStep::What::posts) columns.verb = shown(step.verb);
    return columns;
}

std::string text(const CoreStep& step) {
    return fmt::format("core of thread {}: {}, {}", step.thread, kChargeNames.at(static_cast<std::size_t>(step.kind)),
                       kWorkedByNames.at(static_cast<std::size_t>(step.by)));
}

EventPlace place_of(const CoreStep& step) { return {"core", kChargeNames.at(static_cast<std::size_t>(step.kind))}; }

EventColumns columns_of(const CoreStep& step, const HostNames& /*hosts*/) {
    return {.verb = std::string(kWorkedByNames.at(static_cast<std::size_t>(step.by)))};
}

}  // namespace rnicsim
