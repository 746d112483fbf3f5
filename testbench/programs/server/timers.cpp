// SPDX-License-Identifier: Apache-2.0
// alarm() and setitimer() of programs: SIGALRM at a simulated time.
#include "testbench/programs/server/server.h"

#include <systemc>

#include <algorithm>
#include <csignal>

namespace rnicsim::programs {

Cycle timer_cycles(const Clock& clock, std::int64_t ps) {
    constexpr Time kMost = kSecond * 1'000'000;
    return std::max(clock.edge(Time{std::min(ps, kMost.ps)}), Cycle{1});
}

void Server::set_timer(Program& program, const Timer& timer, Cycle now) {
    const Clock& clock = services_[program.host]->host().clock();
    program.timer = {timer.first > 0, timer.again > 0 ? timer_cycles(clock, timer.again) : Cycle{},
                     program.timer.setting + 1};
    if (program.timer.runs) plan_timer(program, now + timer_cycles(clock, timer.first));
}

void Server::plan_timer(Program& program, Cycle due) {
    ProgramHost& host = services_[program.host]->host();
    program.timer.runs = host.clock().time(due) <= kLastTimer;
    if (!program.timer.runs) return;
    host.call_at(due, [this, &program, setting = program.timer.setting](Cycle now) {
        if (!program.gone && program.timer.setting == setting) expire(program, now);
    });
}

void Server::expire(Program& program, Cycle now) {
    program.timer.runs = false;
    if (program.timer.again != Cycle{}) plan_timer(program, now + program.timer.again);
    shown_.show(current_time());
    ::kill(program.process, SIGALRM);
    signaled(program);
    sc_core::sc_pause();
}

void Server::signaled(Program& program) {
    for (Connection& c : connections_) {
        if (!c.introduced() || &c.program() != &program || c.state() == Connection::State::gone) continue;
        c.signaled = true;
        if (c.state() == Connection::State::running) c.spinning.touch(c.computed());
    }
}

}  // namespace rnicsim::programs
