// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/charges.h"

#include "model/host/cpu/copy_cost.h"

#include <algorithm>

namespace rnicsim::programs {
namespace {

Time times(Time each, std::uint64_t count) {
    if (each != Time{} && count > static_cast<std::uint64_t>(kMostCharge.ps / each.ps)) return kMostCharge;
    return each * static_cast<std::int64_t>(count);
}

}  // namespace

std::optional<Time> cost_of(const Charged& what, const VerbsHostConfig& host) {
    constexpr std::uint64_t kMostCopied = std::uint64_t{1} << 34U;  // bytes
    const CpuConfig& cpu = host.cpu;
    const Clock& clock = host.clock;
    switch (what.kind) {
        case ChargeKind::copy: {
            const std::uint64_t bytes = std::min(what.amount, kMostCopied);
            return clock.time(cpu.copy.base + copy_cost_of_part(cpu.copy, bytes, what.of, clock));
        }
        case ChargeKind::touch: return times(clock.time(cpu.touch), what.amount);
        case ChargeKind::call: return times(clock.time(cpu.ipc), what.amount);
        case ChargeKind::system_call: return times(clock.time(cpu.syscall), what.amount);
        case ChargeKind::work: return clock.time(clock.edge(times(Time{1}, what.amount)));
    }
    return {};
}

}  // namespace rnicsim::programs
