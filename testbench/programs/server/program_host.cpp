// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/program_host.h"

#include <algorithm>
#include <utility>

namespace rnicsim::programs {

ProgramHost::ProgramHost(VerbsHost& host, const Clock& clock, Cycle to_program, Entry entry, Interrupt interrupt)
    : host_(host), clock_(clock), to_program_(to_program), entry_(std::move(entry)), interrupt_(std::move(interrupt)) {
    host_.run_software(*this);
}

void ProgramHost::call_at(Cycle due, Call call, Rank rank) {
    calls_.push_back({due, pauses_, rank, called_++, std::move(call)});
    std::ranges::push_heap(calls_, [](const Planned& a, const Planned& b) { return a.later_than(b); });
    host_.wake_at(due);
}

void ProgramHost::run(Cycle now) {
    while (next_due() <= now) {
        std::ranges::pop_heap(calls_, [](const Planned& a, const Planned& b) { return a.later_than(b); });
        const Planned planned = std::move(calls_.back());
        calls_.pop_back();
        planned.call(now);
    }
}

void ProgramHost::interrupt(Cycle at, std::uint32_t vector) {
    call_at(at + to_program_, [this, vector](Cycle now) { interrupt_(now, vector); });
}

void ProgramHost::written(std::uint64_t address, std::uint64_t /*bytes*/, Time visible) {
    const auto cq = host_.queues.cq_at(address);
    if (cq) call_at(clock_.edge(visible), [this, cq](Cycle now) { entry_(now, *cq); });
}

}  // namespace rnicsim::programs
