// SPDX-License-Identifier: Apache-2.0
#include "model/host/verbs/verbs_driver.h"

#include <algorithm>
#include <optional>

namespace rnicsim {
namespace {

rc::Cqn cq_of(std::uint64_t number) { return rc::Cqn{static_cast<std::uint32_t>(number)}; }

}  // namespace

rc::Cqn VerbsDriver::create_cq(const rc::CqRing& ring, Thread thread) {
    const rc::Cqn cq = queues_.create_cq(ring);
    unseen_.push_back(0);
    thread_of_cq_.push_back(thread);
    if (config_.events) plan(Call::What::arm, {}, static_cast<std::uint64_t>(cq));
    return cq;
}

rc::Qpn VerbsDriver::create_qp(rc::QpInit init, const rc::SendRing& sends) {
    const rc::Qpn qp = queues_.create_qp(init, sends);
    if (qp.n >= thread_of_qp_.size()) thread_of_qp_.resize(qp.n + 1);
    thread_of_qp_[qp.n] = thread_of_cq_[static_cast<std::size_t>(init.send_cq)];
    return qp;
}

Cycle VerbsDriver::occupy(Thread thread, Cycle from, Charge kind, Cycle cost, WorkedBy by) {
    const Cycle begins = std::max(from, cores_.free_at(thread));
    const Cycle done = cores_.occupy(thread, from, kind, cost);
    if (observer_ != nullptr) {
        if (done - cost != begins)
            observer_->worked(thread, Charge::context_switch, WorkedBy::kernel, begins, done - cost);
        observer_->worked(thread, kind, by, done - cost, done);
    }
    rests_from_[static_cast<std::size_t>(thread)] = done;
    wakeup_.at(done);
    return done;
}

Cycle VerbsDriver::serve(Thread thread, Cycle from, Charge kind, Cycle cost) {
    const Cycle done = cores_.serve(thread, from, kind, cost);
    if (observer_ != nullptr) observer_->worked(thread, kind, WorkedBy::interrupt, done - cost, done);
    wakeup_.at(done);
    return done;
}

void VerbsDriver::wake(Thread thread, Cycle now) {
    // Else it looks for events before it sleeps.
    const bool sleeps = rests_from_[static_cast<std::size_t>(thread)] <= now;
    if (!sleeps || config_.cpu.wake == Cycle{}) return;
    cores_.turn_to(thread);  // which waking is, too
    occupy(thread, now, Charge::wake, config_.cpu.wake, WorkedBy::kernel);
}

Cycle VerbsDriver::post_send(Cycle now, rc::Qpn qp, rc::SendWqe wqe, Bell bell) {
    const std::uint64_t bytes = bytes_of(wqe);
    const bool may_be_inline = rc::carries_payload(wqe.verb) && wqe.sges.size() <= 1 && bytes <= config_.inline_bytes;
    if (may_be_inline) {
        wqe.inline_data = true;
        wqe.inline_length = static_cast<std::uint32_t>(bytes);
    }
    Task task;
    task.what = Task::What::send;
    task.qp = qp;
    task.wqe = wqe;
    task.bell = bell;
    const Thread thread = thread_of(qp);
    const Cycle begins = std::max(now, cores_.free_at(thread));
    const Cycle extra = config_.posting == Posting::push ? config_.costs.push : Cycle{};
    give(thread, task, occupy(thread, now, Charge::post, config_.costs.post + extra));
    return begins;
}

Cycle VerbsDriver::post_receive(Cycle now, rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges, Thread thread) {
    Task task;
    task.what = Task::What::receive;
    task.of = static_cast<std::uint32_t>(queue);
    task.sges = sges;
    const Cycle begins = std::max(now, cores_.free_at(thread));
    give(thread, task, occupy(thread, now, Charge::receive, config_.costs.receive));
    return begins;
}

void VerbsDriver::arm_limit(Cycle now, rc::ReceiveQueueNumber queue, std::uint32_t limit, Thread thread) {
    Task task;
    task.what = Task::What::arm_limit;
    task.of = static_cast<std::uint32_t>(queue);
    task.limit = limit;
    give(thread, task, occupy(thread, now, Charge::arm, {}));
}

void VerbsDriver::register_memory(Cycle now, Thread thread, const Registration& region, std::uint64_t what) {
    const Time cost = config_.cpu.registration.of(config_.page.pages_of(region.range));
    command(now, thread, Charge::registration, cost, {true, region, 0, what, {}});
}

Cycle VerbsDriver::fail_to_register(Cycle now, Thread thread) {
    ++failed_registrations_;
    return occupy(thread, now, Charge::registration, wakeup_.clock().edge(config_.cpu.registration.base));
}

void VerbsDriver::deregister_memory(Cycle now, Thread thread, std::uint32_t key, const rc::Range& range,
                                    std::uint64_t what) {
    const Time cost = config_.cpu.deregistration.of(config_.page.pages_of(range));
    command(now, thread, Charge::deregistration, cost, {false, {}, key, what, {}});
}

void VerbsDriver::command(Cycle now, Thread thread, Charge kind, Time cost, Command command) {
    std::size_t number = commands_.size();
    if (free_commands_.empty()) {
        commands_.emplace_back();
    } else {
        number = free_commands_.back();
        free_commands_.pop_back();
    }
    const Cycle begins = std::max(now, cores_.free_at(thread));
    command.done = occupy(thread, now, kind, wakeup_.clock().edge(cost), WorkedBy::kernel);
    commands_[number] = command;
    plan(Call::What::command, begins, number);
}

/// The answer comes back over PCIe.
void VerbsDriver::ask_card(Cycle now, std::uint64_t number) {
    queues_.ask(now, [this, number](Cycle at) {
        Command& of = commands_[number];
        rc::RcRnic& card = queues_.card();
        if (of.registers) {
            of.answer =
                card.add_region(of.region.pd, of.region.range, of.region.access, config_.page, of.region.range.address);
        } else if (card.remove_region(of.key)) {
            of.answer = of.key;
        }
        const Cycle came = wakeup_.clock().edge(card.clock().time(at)) + config_.pcie.latency;
        // Behind all else of its cycle, whenever the card has come to it.
        push({Call::What::answer, std::max(of.done, came), ~number, number, {}});
    });
}

void VerbsDriver::plan(Call::What what, Cycle at, std::uint64_t of, Thread thread) {
    push({what, at, called_++, of, thread});
}

void VerbsDriver::push(const Call& call) {
    calls_.push_back(call);
    std::ranges::push_heap(calls_, [](const Call& a, const Call& b) { return a.later_than(b); });
    wakeup_.at(call.at);
}

Cycle VerbsDriver::next_task() const {
    Cycle next = kNever;
    for (const Inbox<Task>& tasks : tasks_) next = std::min(next, tasks.next_due());
    return next;
}

Cycle VerbsDriver::next_due() const {
    return std::min({next_task(), visible_.next_due(), calls_.empty() ? kNever : calls_.front().at});
}

/// In a cycle: what memory shows; tasks and calls in the order in which they were asked for, as who asks for a copy and
/// then for a post of it relies on; timers; answers of the card.
void VerbsDriver::run(Cycle now) {
    while (next_due() <= now) {
        if (visible_.ready(now)) {
            take_up(visible_.pop(), now);
            continue;
        }
        Inbox<Task>* first = nullptr;
        for (Inbox<Task>& of : tasks_)
            if (of.ready(now) && (first == nullptr || of.front().order < first->front().order)) first = &of;
        const bool call_is_due = !calls_.empty() && calls_.front().at <= now;
        if (first != nullptr && !(call_is_due && calls_.front().order < first->front().order)) {
            carry_out(now, first->pop());
        } else {
            std::ranges::pop_heap(calls_, [](const Call& a, const Call& b) { return a.later_than(b); });
            const Call call = calls_.back();
            calls_.pop_back();
            carry_out(now, call);
        }
    }
}

void VerbsDriver::take_up(const Visible& seen, Cycle now) {
    Task task;
    task.what = seen.cqe ? Task::What::poll : Task::What::notice;
    task.of = seen.of;
    give(seen.thread, task, occupy(seen.thread, now, Charge::poll, config_.costs.poll));
}

void VerbsDriver::carry_out(Cycle now, const Task& task) {
    switch (task.what) {
        case Task::What::send: write_send(now, task); break;
        case Task::What::receive: write_receive(now, task); break;
        case Task::What::poll: of_card().completed(now, queues_.take(now, cq_of(task.of))); break;
        case Task::What::notice: program_of(task.of).noticed(now, ProgramNumber::own(task.of)); break;
        case Task::What::arm: queues_.arm(now, cq_of(task.of), armed_with_); break;
        case Task::What::arm_limit:
            queues_.arm_limit(now, rc::ReceiveQueueNumber{static_cast<std::uint32_t>(task.of)}, task.limit);
            break;
        case Task::What::limit:
            of_card().limit_reached(now, rc::ReceiveQueueNumber{static_cast<std::uint32_t>(task.of)});
            break;
    }
}

void VerbsDriver::write_send(Cycle now, const Task& task) {
    std::span<const std::uint8_t> payload;
    if (task.wqe.inline_data && task.wqe.inline_length != 0) {
        payload = memory_.at(task.wqe.sges[0].address, task.wqe.inline_length);
    }
    queues_.send(now, task.qp, task.wqe, payload, config_.posting, task.bell);
}

void VerbsDriver::write_receive(Cycle now, const Task& task) {
    const rc::ReceiveQueueNumber queue{static_cast<std::uint32_t>(task.of)};
    queues_.receive(queue, task.sges);
    of_card().receive_written(queue, task.sges);
    queues_.flush_if_failed(now, queue);
}

void VerbsDriver::interrupt(Cycle at, std::uint32_t vector) {
    plan(Call::What::handler, at + config_.interrupt_latency, vector);
}

void VerbsDriver::carry_out(Cycle now, const Call& call) {
    switch (call.what) {
        case Call::What::program: program_of(call.of).called(now, ProgramNumber::own(call.of)); break;
        case Call::What::arm: queues_.arm(now, cq_of(call.of), armed_with_); break;
        case Call::What::handler: handle(now, static_cast<std::uint32_t>(call.of)); break;
        case Call::What::command: ask_card(now, call.of); break;
        case Call::What::answer: {
            const Command of = commands_[call.of];
            free_commands_.push_back(call.of);
            program_of(of.what).registered(now, ProgramNumber::own(of.what), of.answer);
            break;
        }
        case Call::What::byte: take_up({false, call.of, call.thread}, now); break;
        case Call::What::entry:
            if (config_.events) {
                ++unseen_[call.of];
            } else {
                take_up({true, call.of, thread_of_cq_[call.of]}, now);
            }
            break;
    }
}

/// Of a CQ: takes all entries that are there, then arms it again: the card knows what has come since.
void VerbsDriver::handle(Cycle now, std::uint32_t vector) {
    const bool limit = (vector & rc::page::kLimitVector) != 0;
    const std::uint32_t cq = vector;
    const Thread thread = handled_by(vector);
    wake(thread, now);
    occupy(thread, now, Charge::event_read, config_.cpu.event_read, WorkedBy::kernel);
    Task task;
    if (limit) {
        task.what = Task::What::limit;
        task.of = vector & ~rc::page::kLimitVector;
        give(thread, task, occupy(thread, now, Charge::poll, config_.costs.poll));
        return;
    }
    task.of = cq;
    task.what = Task::What::poll;
    for (std::uint32_t& unseen = unseen_[cq]; unseen != 0; --unseen) {
        give(thread, task, occupy(thread, now, Charge::poll, config_.costs.poll));
    }
    task.what = Task::What::arm;
    give(thread, task, occupy(thread, now, Charge::arm, config_.cpu.arm));
}

/// One that has passed an earlier one, as relaxed ordering lets it, is planned by itself.
void VerbsDriver::see(const Visible& seen, Cycle due) {
    if (!visible_.takes(due)) return plan(seen.cqe ? Call::What::entry : Call::What::byte, due, seen.of, seen.thread);
    visible_.push(seen, due);
    wakeup_.at(due);
}

Time VerbsDriver::unseen(Cycle now, std::uint64_t address, std::uint64_t bytes) {
    const Time at = wakeup_.clock().time(now);
    while (!unseen_writes_.empty() && unseen_writes_.front().visible <= at) unseen_writes_.pop_front();
    Time last = at;  // what comes up another link may be seen before those in front of it
    for (const Written& write : unseen_writes_) {
        const bool apart =
            write.range.address >= address + bytes || address >= write.range.address + write.range.length;
        if (!apart) last = std::max(last, write.visible);
    }
    return last - at;
}

void VerbsDriver::written(std::uint64_t address, std::uint64_t bytes, Time visible) {
    const Cycle due = wakeup_.clock().edge(visible);
    if (follows_writes_ && visible > current_time()) {
        while (!unseen_writes_.empty() && unseen_writes_.front().visible <= current_time()) unseen_writes_.pop_front();
        unseen_writes_.push_back({{address, bytes}, visible});
    }
    if (const std::optional<rc::Cqn> cq = queues_.cq_at(address)) {
        const auto number = static_cast<std::size_t>(*cq);
        if (!config_.events) {
            see({true, number, thread_of_cq_[number]}, due);
        } else if (config_.persistence) {
            plan(Call::What::entry, due, number);  // it may wait for a while behind data
        } else {
            ++unseen_[number];
        }
        return;
    }
    for (std::size_t i = 0; i < watched_.size();) {
        if (watched_[i].address - address >= bytes) {
            ++i;
            continue;
        }
        see({false, watched_[i].what, watched_[i].thread}, due);
        watched_[i] = watched_.back();
        watched_.pop_back();
    }
}

}  // namespace rnicsim
