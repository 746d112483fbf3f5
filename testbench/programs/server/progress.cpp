// SPDX-License-Identifier: Apache-2.0
// How far simulated time may go.
#include "testbench/programs/server/server.h"
#include "testbench/records/run_result.h"
#include "testbench/run/conservation.h"
#include "testbench/run/systemc_report.h"

#include <systemc>

#include <poll.h>
#include <algorithm>

namespace rnicsim::programs {
namespace {

constexpr Time kMostStep = kSecond * 100;   // of nobody's answer
constexpr Time kSlice = kMicrosecond * 10;  // of free time, between two looks at the sockets
constexpr std::chrono::milliseconds kFreePatience{1};
constexpr std::chrono::milliseconds kLookAtAll{1};
// Of timers, and of waits for something outside, alone: run() waits as long for messages, in the machine's time. It
// begins after so many looks, for timers a second or more: who is seen blocked for a moment, as in its exit, does not
// let time go on; for waits a millisecond or more, as with them it is said what the program is about. After so many
// quiet looks, ten milliseconds or more, time goes on to the next timeout at once.
constexpr Time kPace = kMicrosecond * 100;
constexpr unsigned kLooksAlone = 10'000;
constexpr unsigned kLooksPaced = 10;
constexpr unsigned kLooksQuiet = 100;

}  // namespace

Server::Threads Server::look() {
    // Who waits for the simulator may have been stopped, too; they are many, and seldom that.
    const auto now = std::chrono::steady_clock::now();
    const bool looks_at_all = stopped_ || now - looked_at_all_ > kLookAtAll;
    stopped_ = false;
    const auto stopped = [this] {
        stopped_ = true;
        return Threads::compute;
    };
    // Twice: one that has been seen blocked may have been woken by another, which has been seen blocked after that.
    unsigned spinning = 0;
    for (int times = 0; times < 2; ++times) {
        unsigned outside = 0;
        for (Connection& c : connections_) {
            if (!c.introduced() || c.state() == Connection::State::gone) continue;
            if (!c.may_compute()) {
                if (looks_at_all && c.doing() == Connection::Doing::stopped) return stopped();
                continue;
            }
            const Connection::Doing doing = c.doing();
            if (doing == Connection::Doing::stopped) return stopped();
            const bool is_outside = doing == Connection::Doing::blocked;
            if (!is_outside && (c.state() != Connection::State::running || !c.spinning.spins(c.computed())))
                return Threads::compute;
            // It may have asked for something just before that.
            pollfd said{c.descriptor(), POLLIN, 0};
            if (::poll(&said, 1, 0) != 0) return Threads::compute;
            if (is_outside) {
                ++outside;
                c.signaled = false;
            } else {
                c.spinning.think();
                ++spinning;
            }
        }
        if (outside < 2) break;
    }
    if (looks_at_all) looked_at_all_ = now;
    return spinning != 0 ? Threads::spin : Threads::rest;
}

/// To the next write into the memory of one of those, or somebody's answer, or by a slice.
void Server::spin() {
    const auto spins = [](const Connection& c) {
        return c.state() == Connection::State::running && c.spinning.thought_to();
    };
    Time slice = Spinning::kMostSlice;
    for (const Connection& c : connections_) {
        if (spins(c)) slice = std::min(slice, c.spinning.slice());
    }
    const Time end = current_time() + slice;
    run_to(end);
    if (current_time() < end) return;
    for (Connection& c : connections_) {
        if (spins(c)) c.spinning.pass(c.computed());
    }
}

/// Who spins must not see anything before its time, which it could look at.
bool Server::keep(ProcessMemory::Window window, Time visible) {
    if (visible == kEndOfTime) return false;  // an IIO holds it, for nobody knows how long: it is seen too early
    if (options_.strict) {
        for (Connection& c : connections_) {
            if (c.introduced() && c.program().window == window) look_again(c, visible);
        }
    }
    const auto spins = [window](Connection& c) {
        return c.state() == Connection::State::running && c.spinning.thought_to() && c.program().window == window;
    };
    if (std::ranges::none_of(connections_, spins) && !memory_.keeps(window)) return false;
    const auto program = std::ranges::find(programs_, window, &Program::window);
    if (program == programs_.end()) return false;
    ProgramHost& host = services_[program->host]->host();
    host.call_at(host.edge(visible), [this, window, spins](Cycle) {
        shown_.show(current_time());
        memory_.deliver(window);
        for (Connection& c : connections_) {
            if (!spins(c)) continue;
            c.spinning.touch(c.computed());
            sc_core::sc_pause();
        }
    });
    return true;
}

bool Server::advance() {
    for (const auto& service : services_) {
        service->hand_on_events();
        service->send_waiting();
    }
    const auto any = [&](auto... states) {
        return std::ranges::any_of(connections_, [&](const Connection& c) { return ((c.state() == states) || ...); });
    };
    using enum Connection::State;
    if (!options_.strict) return advance_freely(any(asks, waits));
    const Threads threads = look();
    if (threads == Threads::compute || !sc_core::sc_pending_activity()) return false;
    if (threads == Threads::spin) {
        spin();
        return true;
    }
    if (std::ranges::none_of(connections_, &Connection::hurries)) {
        advance_alone(any(waits));
        return false;
    }
    alone_ = quiet_ = 0;
    // Until somebody is answered; who sleeps for days is not waited for by the millisecond.
    const Time end = current_time() + step_;
    run_to(end);
    step_ = current_time() < end ? kMillisecond : std::min(step_ * 2, kMostStep);
    return true;
}

/// What all wait for elsewhere may come at any moment, and no timeout is to be over before. But where all processes are
/// quiet nobody is left to send it.
void Server::advance_alone(bool waits) {
    ++alone_;
    const bool timers = timers_run();
    if (!waits && !timers) return;
    quiet_ = outside_.quiet && outside_.quiet() ? quiet_ + 1 : 0;
    if (quiet_ > kLooksQuiet) {
        run_to(current_time() + kMostStep);
    } else if (alone_ > (waits ? kLooksPaced : kLooksAlone)) {
        run_to(current_time() + kPace);
    }
}

bool Server::advance_freely(bool awaited) {
    const auto now = std::chrono::steady_clock::now();
    for (Connection& c : connections_) {
        if (c.state() == Connection::State::waits && (!c.poll.empty() || c.longest) && now - c.since > kFreePatience)
            wake(c, c.service().host().edge({}), true);
    }
    const bool busy = std::ranges::any_of(services_, [](const auto& s) { return !s->host().idle(); });
    if (!awaited && !busy && system_.idle()) return false;
    if (!sc_core::sc_pending_activity()) return false;
    run_to(current_time() + kSlice);
    return true;
}

void Server::run_to(Time end) {
    try {
        system_.run(end - current_time(), Ahead::never);
    } catch (const sc_core::sc_report& report) { throw RunError(said_by(report)); }
    if (!judge_.violation().empty()) throw RunError(judge_.violation());
    if (const std::string lost = not_conserved(system_, config_); !lost.empty()) throw RunError(lost);
    for (const auto& service : services_) service->host().pause();
    shown_.show(current_time());
}

}  // namespace rnicsim::programs
