// SPDX-License-Identifier: Apache-2.0
// What timerfd_create() and timer_create() have made for programs: a count in a descriptor, or a signal, at a simulated
// time.
#include "testbench/programs/server/server.h"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <systemc>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>

namespace rnicsim::programs {
namespace {

constexpr std::ptrdiff_t kMostTimers = 4096;  // of a program

void send(const Program& program, pid_t thread, const TimerInit& init) {
    siginfo_t info{};
    info.si_signo = init.signal;
    info.si_code = SI_TIMER;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): what the program has given
    info.si_value.sival_ptr = reinterpret_cast<void*>(init.value);
    if (thread != 0) {
        ::syscall(SYS_rt_tgsigqueueinfo, program.process, thread, init.signal, &info);
    } else {
        ::syscall(SYS_rt_sigqueueinfo, program.process, init.signal, &info);
    }
}

void count(const Descriptor& in) {
    constexpr std::uint64_t kOne = 1;
    if (in.get() >= 0) static_cast<void>(!::write(in.get(), &kOne, sizeof kOne));
}

}  // namespace

void Server::make_timer(Connection& c, const TimerInit& init, Time now) {
    Program& program = c.program();
    const auto its = [&](const auto& entry) { return entry.second.owner == &program; };
    if (init.signal < 0 || init.signal > SIGRTMAX) return c.answer(now, EINVAL, {}, -1);
    if (std::ranges::count_if(timers_.all(), its) >= kMostTimers) return c.answer(now, EAGAIN, {}, -1);
    OwnTimer made{&program, init, Descriptor(init.signal == 0 ? ::eventfd(0, EFD_CLOEXEC) : -1), {}};
    if (init.signal == 0 && made.count.get() < 0) return c.answer(now, errno, {}, -1);
    const int descriptor = made.count.get();
    c.answer(now, 0, Reply(Made{timers_.add(std::move(made))}), descriptor);
}

void Server::set_timer(const TimerSetting& setting, Cycle now) {
    const auto found = timers_.all().find(setting.timer);
    if (found == timers_.all().end()) return;
    OwnTimer& own = found->second;
    const Clock& clock = services_[own.owner->host]->host().clock();
    own.timer = {setting.to.first > 0, setting.to.again > 0 ? timer_cycles(clock, setting.to.again) : Cycle{},
                 own.timer.setting + 1};
    if (own.timer.runs) plan_timer(setting.timer, now + timer_cycles(clock, setting.to.first));
}

void Server::plan_timer(Handle handle, Cycle due) {
    OwnTimer& own = timers_.all().at(handle);
    ProgramHost& host = services_[own.owner->host]->host();
    own.timer.runs = host.clock().time(due) <= kLastTimer;
    if (!own.timer.runs) return;
    host.call_at(due, [this, handle, setting = own.timer.setting](Cycle now) {
        const auto found = timers_.all().find(handle);
        if (found != timers_.all().end() && found->second.timer.setting == setting) expire(handle, now);
    });
}

void Server::expire(Handle handle, Cycle now) {
    OwnTimer& own = timers_.all().at(handle);
    Program& program = *own.owner;
    own.timer.runs = false;
    if (own.timer.again != Cycle{}) plan_timer(handle, now + own.timer.again);
    shown_.show(current_time());
    if (own.init.signal == 0) {
        count(own.count);
        news(program);
    } else {
        const auto of = std::ranges::find_if(connections_, [&](const Connection& c) {
            return c.introduced() && c.state() != Connection::State::gone && c.program_is(program) &&
                   c.own_number() == own.init.thread;
        });
        send(program, of == connections_.end() ? 0 : of->number(), own.init);
        signaled(program);
    }
    sc_core::sc_pause();
}

void Server::free_timer(Handle handle) {
    const auto found = timers_.all().find(handle);
    if (found == timers_.all().end()) return;
    count(found->second.count);
    timers_.remove(handle);
}

void Server::free_timers(const Program& program) {
    std::vector<Handle> its;
    for (const auto& [handle, own] : timers_.all()) {
        if (own.owner == &program) its.push_back(handle);
    }
    for (const Handle handle : its) timers_.remove(handle);
}

bool Server::timers_run() const {
    return std::ranges::any_of(programs_, [](const Program& p) { return p.timer.runs; }) ||
           std::ranges::any_of(timers_.all(), [](const auto& entry) { return entry.second.timer.runs; });
}

}  // namespace rnicsim::programs
