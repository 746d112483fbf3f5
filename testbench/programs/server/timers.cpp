// alarm() and setitimer() of programs: SIGALRM at a simulated time.
#include "testbench/programs/server/server.h"

#include <systemc>

#include <algorithm>
#include <csignal>

namespace rnicsim::programs {
namespace {

constexpr Time kMostTimer = kSecond * 1'000'000;  // at once, and
constexpr Time kLastTime = kMostTimer * 8;        // at all, as with sleeps: simulated time has 106 days

Cycle cycles_of(const Clock& clock, std::int64_t ps) {
    return std::max(clock.edge(Time{std::min(ps, kMostTimer.ps)}), Cycle{1});
}

}  // namespace

void Server::set_timer(Program& program, const Timer& timer, Cycle now) {
    const Clock& clock = services_[program.host]->host().clock();
    program.timer = {timer.first > 0, timer.again > 0 ? cycles_of(clock, timer.again) : Cycle{},
                     program.timer.setting + 1};
    if (program.timer.runs) plan_timer(program, now + cycles_of(clock, timer.first));
}

void Server::plan_timer(Program& program, Cycle due) {
    ProgramHost& host = services_[program.host]->host();
    program.timer.runs = host.clock().time(due) <= kLastTime;
    if (!program.timer.runs) return;
    host.call_at(due, [this, &program, setting = program.timer.setting](Cycle now) {
        if (!program.gone && program.timer.setting == setting) expire(program, now);
    });
}

/// Time stands still while a handler runs, whatever its thread has asked for.
void Server::expire(Program& program, Cycle now) {
    program.timer.runs = false;
    if (program.timer.again != Cycle{}) plan_timer(program, now + program.timer.again);
    shown_.show(current_time());
    ::kill(program.process, SIGALRM);
    for (Connection& c : connections_) {
        if (!c.introduced() || &c.program() != &program || c.state() == Connection::State::gone) continue;
        c.signaled = true;
        if (c.state() == Connection::State::running) c.spinning.touch(c.computed());
    }
    sc_core::sc_pause();
}

}  // namespace rnicsim::programs
