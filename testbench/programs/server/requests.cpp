// SPDX-License-Identifier: Apache-2.0
// What threads of programs ask for, each at its time; polls and waits.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/programs/server/charges.h"
#include "testbench/programs/server/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace rnicsim::programs {
namespace {

constexpr Time kMostPatience = kMicrosecond * 100;  // of a vain poll, doubled from a microsecond
constexpr Time kMostSleep = kSecond * 1'000'000;    // at once, and
constexpr Time kLastWaking = kMostSleep * 8;        // at all: simulated time has 106 days

/// Throws Refusal.
Posts posts_of(const Asked& asked, std::span<const std::byte> body) {
    return asked.op == Op::arm ? Posts{} : Body(body).take<Posts>();
}

bool is_answered(Op op) {
    return op != Op::post_send && op != Op::post_receive && op != Op::post_srq_receive && op != Op::arm;
}

/// Does not end what its thread is waiting for.
bool is_aside(Op op) {
    return op == Op::stop_waiting || op == Op::set_timer || op == Op::set_own_timer || op == Op::free_timer;
}

}  // namespace

void Server::request(Connection& c, const RequestHeader& header, std::vector<std::byte> body) {
    HostService& service = c.service();
    service.send_waiting();
    Time at = options_.strict ? std::max({std::min(Time{header.at}, kLastWaking), c.clock(), current_time()})
                              : current_time();
    // To see that a byte in memory has changed costs as much as to take a completion.
    if (options_.strict && c.spinning.has_seen()) {
        at += service.host().clock().time(verbs_of(config_, c.program().host).host.costs.poll);
        c.spinning.begin(c.computed());
    }
    const Cycle due = service.host().edge(at);
    const Op op = header.op;
    const Asked asked = c.ask(op, body, at);
    if (is_answered(op) && op != Op::poll) c.spinning.forget();
    if (is_aside(op)) return aside(c, op, Body(body), due);
    if (op == Op::make_timer) {
        c.set_state(Connection::State::asks);
        const TimerInit init = Body(body).take<TimerInit>();
        service.host().call_at(
            due, [this, &c, init, at = service.host().clock().time(due)](Cycle) { make_timer(c, init, at); }, c.rank());
        return;
    }
    if (!is_answered(op)) {
        const VerbsCosts& costs = verbs_of(config_, c.program().host).host.costs;
        const bool pushes = verbs_of(config_, c.program().host).host.posting == Posting::push;
        const Cycle sends = costs.post + (pushes ? costs.push : Cycle{});
        const Cycle cost = op == Op::arm ? Cycle{} : op == Op::post_send ? sends : costs.receive;
        const Time done = at + service.host().clock().time(cost);  // the card hears of it at the end of the call
        c.advance(done);
        c.spinning.begin(c.computed());
        service.host().call_at(
            service.host().edge(done),
            [this, &c, asked, op, body = std::move(body)](Cycle now) {
                if (c.program().gone) return;
                try {
                    if (options_.observer != nullptr)
                        options_.observer->told(c.program(), asked, posts_of(asked, body),
                                                c.service().host().clock().time(now));
                    c.service().tell(c.program(), op, body, now);
                } catch (const Refusal&) { spdlog::warn("{}: a malformed work request", c.program().name); }
            },
            c.rank());
        return;
    }
    if (op == Op::async_events && !std::exchange(c.program().opened, true))
        spdlog::info("{} ({}) on {}", c.program().name, c.program().process, config_.names[c.program().host]);
    c.set_state(Connection::State::asks);
    if (op == Op::sleep || op == Op::charge) {
        const std::optional<Time> asks =
            op == Op::sleep ? Time{std::max(Body(body).take<Sleep>().time, std::int64_t{0})}
                            : cost_of(Body(body).take<Charged>(), verbs_of(config_, c.program().host).host);
        if (!asks) return c.answer(current_time(), EINVAL, {}, -1);
        const Time time = std::min(*asks, kMostSleep);
        if (at + time > kLastWaking) return c.answer(current_time(), EOVERFLOW, {}, -1);
        const Clock& clock = service.host().clock();
        service.host().call_at(
            due + clock.edge(time), [&c, &clock](Cycle now) { c.answer(clock.time(now), 0, {}, -1); }, c.rank());
        return;
    }
    if (op == Op::poll || op == Op::wait) {
        ++c.wait_number;  // now: it may be stopped before its time comes
        c.poll.clear();
        c.longest.reset();
        c.outside = c.paced = false;
        if (op == Op::poll) {
            static_cast<void>(Body(body).take<Poll>());
            c.poll = std::move(body);
        } else {
            const Wait wait = Body(body).take<Wait>();
            c.outside = wait.outside != 0;
            c.paced = wait.paced != 0;
            if (wait.longest >= 0 && at + kMostSleep <= kLastWaking)
                c.longest = service.host().clock().edge(Time{std::min(wait.longest, kMostSleep.ps)});
        }
        service.host().call_at(
            due, [this, &c](Cycle now) { wait(c, now); }, c.rank());
        return;
    }
    service.host().call_at(
        due,
        [this, &c, op, body = std::move(body)](Cycle now) {
            if (!ConnectionManager::has(op)) return c.service().call(c, op, body, now);
            if (!c.program().gone) manager_.call(c, op, body, c.service().host().clock().time(now));
        },
        c.rank());
}

void Server::aside(Connection& c, Op op, Body body, Cycle due) {
    ProgramHost& host = c.service().host();
    Program& program = c.program();
    if (op == Op::stop_waiting) {
        c.outside = c.paced = false;
        return host.call_at(
            due,
            [this, &c, number = c.wait_number](Cycle now) {
                if (c.state() == Connection::State::waits && c.poll.empty() && c.wait_number == number)
                    wake(c, now, true);
            },
            c.rank());
    }
    if (op == Op::set_timer) {
        const Timer timer = body.take<Timer>();
        if (timer.first > 0) program.timer.runs = true;  // time has to go on until it is set
        return host.call_at(
            due, [this, &program, timer](Cycle now) { set_timer(program, timer, now); }, c.rank());
    }
    if (op == Op::free_timer) {
        const auto handle = body.take<Handle>();
        return host.call_at(
            due, [this, handle](Cycle) { free_timer(handle); }, c.rank());
    }
    const TimerSetting setting = body.take<TimerSetting>();
    const auto own = timers_.all().find(setting.timer);
    if (own != timers_.all().end() && setting.to.first > 0) own->second.timer.runs = true;
    host.call_at(
        due, [this, setting](Cycle now) { set_timer(setting, now); }, c.rank());
}

/// An empty poll waits, for a while, until its program has news: what it would have asked again and again for. Who
/// looks at several CQs in turn waits at one of them only, or what else the turn has would be seen late.
void Server::wait(Connection& c, Cycle now) {
    if (c.state() == Connection::State::gone) return;
    if (!c.poll.empty()) {
        if (c.service().poll(c, c.poll, now)) return c.found();
        const Handle cq = Body(c.poll).take<Poll>().cq;
        const bool turns = !c.vain.waits_at(cq);
        const bool elsewhere = c.vain.looks_elsewhere(c.service().newest_elsewhere(c.program(), cq));
        if (!turns) c.vain.come_back();
        if (elsewhere) return wake(c, now + Cycle{1}, true);
        if (turns) return wake(c, now, true);
        c.longest = c.service().host().clock().edge(c.patience);
        c.patience = std::min(c.patience * 2, kMostPatience);
    } else if (c.news) {
        return wake(c, now, false);
    }
    c.set_state(Connection::State::waits);
    c.waits_since = now;
    c.since = std::chrono::steady_clock::now();
    const std::uint64_t number = c.wait_number;
    if (!options_.strict || !c.longest) return;
    c.service().host().call_at(now + *c.longest, [this, &c, number](Cycle then) {
        if (c.state() == Connection::State::waits && c.wait_number == number) wake(c, then, true);
    });
}

/// Who polls in vain may wait for memory to change, and looks at it between two polls. A long message comes in many
/// writes: as with clocks, what is waited for is seen a sixteenth of the wait late.
void Server::look_again(Connection& c, Time visible) {
    if (c.state() != Connection::State::waits || c.poll.empty() || c.looks_again == c.wait_number) return;
    c.looks_again = c.wait_number;
    ProgramHost& host = c.service().host();
    const Cycle due = std::max(host.edge(visible), c.waits_since + Cycle{c.longest->n / 16});
    host.call_at(due, [this, &c, number = c.wait_number](Cycle now) {
        if (c.state() == Connection::State::waits && c.wait_number == number) wake(c, now, true);
    });
}

void Server::wake(Connection& c, Cycle now, bool timed_out) {
    const Time at = c.service().host().clock().time(now);
    if (c.poll.empty()) return c.answer(at, 0, Reply(Woken{timed_out ? std::uint8_t{1} : std::uint8_t{0}}), -1);
    c.set_state(Connection::State::asks);
    if (!timed_out && c.service().poll(c, c.poll, now)) return c.found();
    c.answer(at, 0, Reply(Polled{}), -1);
}

void Server::news(Program& program) {
    const Cycle now = services_[program.host]->host().edge({});
    for (Connection& c : connections_) {
        if (!c.introduced() || &c.program() != &program) continue;
        if (c.state() == Connection::State::waits) {
            wake(c, now, false);
        } else {
            c.news = true;
        }
    }
}

}  // namespace rnicsim::programs
