#include "model/host/verbs/verbs_driver.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>

namespace rnicsim {

VerbsDriver::VerbsDriver(const VerbsHostConfig& config, Memory& memory, RootComplex& root_complex,
                         ClockedWakeup& wakeup)
    : config_(config), memory_(memory), root_complex_(root_complex), wakeup_(wakeup) {
    memory_.set_watcher(this);
}

void VerbsDriver::attach(VerbsProgram& program, rc::RcRnic& card) {
    program_ = &program;
    card_ = &card;
}

rc::Cqn VerbsDriver::create_cq(const rc::CqRing& ring) {
    queues_.push_back({ring});
    const rc::Cqn cq = card_->create_cq(ring);
    assert(static_cast<std::size_t>(cq) + 1 == queues_.size());
    if (config_.events) plan(Call::What::arm, {}, queues_.size() - 1);
    return cq;
}

rc::ReceiveQueueNumber VerbsDriver::create_receive_queue(const rc::ReceiveRing& ring, bool shared) {
    receives_.push_back({ring});
    const rc::ReceiveQueueNumber queue = card_->create_receive_queue(ring, shared);
    assert(static_cast<std::size_t>(queue) + 1 == receives_.size());
    return queue;
}

rc::Qpn VerbsDriver::create_qp(rc::QpInit init, const rc::SendRing& sends) {
    init.send_queue_size = sends.entries;
    const rc::Qpn qp = card_->create_qp(init, sends);
    if (qp.n >= place_.size()) place_.resize(qp.n + 1);
    place_[qp.n] = sends_.size();
    sends_.push_back({sends});
    return qp;
}

Cycle VerbsDriver::occupy(Cycle from, Cycle cost) {
    free_at_ = std::max(from, free_at_) + cost;
    wakeup_.at(free_at_);
    return free_at_;
}

Cycle VerbsDriver::post_send(Cycle now, rc::Qpn qp, rc::SendWqe wqe) {
    const std::uint64_t bytes = bytes_of(wqe);
    const bool may_be_inline = !rc::has_answer(wqe.verb) && wqe.sges.size() <= 1 && bytes <= config_.inline_bytes;
    if (may_be_inline) {
        wqe.inline_data = true;
        wqe.inline_length = static_cast<std::uint32_t>(bytes);
    }
    Task task;
    task.what = Task::What::send;
    task.qp = qp;
    task.wqe = wqe;
    const Cycle begins = std::max(now, free_at_);
    const Cycle extra = config_.posting == Posting::push ? config_.costs.push : Cycle{};
    tasks_.push(task, occupy(now, config_.costs.post + extra));
    return begins;
}

Cycle VerbsDriver::post_receive(Cycle now, rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges) {
    Task task;
    task.what = Task::What::receive;
    task.of = static_cast<std::uint32_t>(queue);
    task.sges = sges;
    const Cycle begins = std::max(now, free_at_);
    tasks_.push(task, occupy(now, config_.costs.receive));
    return begins;
}

void VerbsDriver::arm_limit(Cycle now, rc::ReceiveQueueNumber queue, std::uint32_t limit) {
    Task task;
    task.what = Task::What::arm_limit;
    task.of = static_cast<std::uint32_t>(queue);
    task.limit = limit;
    tasks_.push(task, occupy(now, {}));
}

void VerbsDriver::plan(Call::What what, Cycle at, std::uint64_t of) {
    calls_.push_back({what, at, called_++, of});
    std::ranges::push_heap(calls_, [](const Call& a, const Call& b) { return a.later_than(b); });
    wakeup_.at(at);
}

Cycle VerbsDriver::next_due() const {
    return std::min({tasks_.next_due(), visible_.next_due(), calls_.empty() ? kNever : calls_.front().at});
}

void VerbsDriver::run(Cycle now) {
    while (next_due() <= now) {
        if (visible_.ready(now)) {
            const Visible seen = visible_.pop();
            Task task;
            task.what = seen.cqe ? Task::What::poll : Task::What::notice;
            task.of = seen.of;
            tasks_.push(task, occupy(now, config_.costs.poll));
        } else if (tasks_.ready(now)) {
            carry_out(now, tasks_.pop());
        } else {
            std::ranges::pop_heap(calls_, [](const Call& a, const Call& b) { return a.later_than(b); });
            const Call call = calls_.back();
            calls_.pop_back();
            carry_out(now, call);
        }
    }
}

void VerbsDriver::carry_out(Cycle now, const Task& task) {
    switch (task.what) {
        case Task::What::send: write_send(now, task); break;
        case Task::What::receive:
            write_receive(rc::ReceiveQueueNumber{static_cast<std::uint32_t>(task.of)}, task.sges);
            break;
        case Task::What::poll: take_completion(now, static_cast<std::uint32_t>(task.of)); break;
        case Task::What::notice: program_->noticed(now, task.of); break;
        case Task::What::arm: arm(now, static_cast<std::uint32_t>(task.of), 0); break;
        case Task::What::arm_limit:
            write_words(now, rc::page::kLimit, static_cast<std::uint32_t>(task.of), task.limit);
            break;
        case Task::What::limit:
            program_->limit_reached(now, rc::ReceiveQueueNumber{static_cast<std::uint32_t>(task.of)});
            break;
    }
}

void VerbsDriver::write_send(Cycle now, const Task& task) {
    Sends& of = sends_[place_[task.qp.n]];
    const std::uint32_t bytes = rc::wqe_bytes(task.wqe);
    assert(bytes <= of.ring.stride);
    const std::uint32_t slot = of.posted & (of.ring.entries - 1);
    std::span<const std::uint8_t> payload;
    if (task.wqe.inline_data && task.wqe.inline_length != 0) {
        payload = memory_.at(task.wqe.sges[0].address, task.wqe.inline_length);
    }
    const std::span<std::uint8_t> wqe = memory_.at(of.ring.address + std::uint64_t{slot} * of.ring.stride, bytes);
    rc::write_wqe(wqe, task.wqe, task.qp, of.posted, payload);
    ++of.posted;
    ++counters_.sends;
    if (config_.posting == Posting::push) {
        ++counters_.pushes;
        for (std::uint32_t at = 0; at < bytes; at += rc::kWqeBlock) {
            root_complex_.write_register(now, rc::page::kPush + at, wqe.subspan(at, rc::kWqeBlock));
        }
        return;
    }
    write_words(now, rc::page::kSend, task.qp.n, of.posted);
}

void VerbsDriver::write_words(Cycle now, std::uint64_t offset, std::uint32_t first, std::uint32_t second) {
    std::array<std::uint8_t, 8> words{};
    boost::endian::store_little_u32(words.data(), first);
    boost::endian::store_little_u32(&words[4], second);
    root_complex_.write_register(now, offset, words);
}

void VerbsDriver::write_receive(rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges) {
    Receives& of = receives_[static_cast<std::size_t>(queue)];
    const std::uint32_t slot = of.posted & (of.ring.entries - 1);
    rc::write_receive(memory_.at(of.ring.address + std::uint64_t{slot} * rc::kReceiveWqeBytes, rc::kReceiveWqeBytes),
                      sges);
    ++of.posted;
    ++counters_.receives;
    boost::endian::store_little_u32(memory_.at(of.ring.record, 4).data(), of.posted);
}

void VerbsDriver::take_completion(Cycle now, std::uint32_t cq) {
    Queue& queue = queues_[cq];
    const std::uint32_t slot = queue.taken & (queue.ring.entries - 1);
    const std::span<std::uint8_t> entry =
        memory_.at(queue.ring.address + std::uint64_t{slot} * rc::kCqeBytes, rc::kCqeBytes);
    if (rc::cqe_phase(entry) != ((queue.taken & queue.ring.entries) == 0)) {
        throw std::logic_error("a CQE has the phase of the ring's last use");
    }
    const rc::Completion completion = rc::read_cqe(entry);
    ++queue.taken;
    ++counters_.completions;
    // The card has to know before its ring seems full.
    if (queue.taken - queue.told >= queue.ring.entries / 2) arm(now, cq, rc::page::kConsumerOnly);
    program_->completed(now, completion);
}

void VerbsDriver::arm(Cycle now, std::uint32_t cq, std::uint32_t bits) {
    Queue& queue = queues_[cq];
    queue.told = queue.taken;
    write_words(now, rc::page::kArm, cq | bits, queue.taken);
}

void VerbsDriver::interrupt(Cycle at, std::uint32_t vector) {
    ++counters_.interrupts;
    plan(Call::What::handler, at + config_.interrupt_latency, vector);
}

void VerbsDriver::carry_out(Cycle now, const Call& call) {
    switch (call.what) {
        case Call::What::program: program_->called(now, call.of); break;
        case Call::What::arm: arm(now, static_cast<std::uint32_t>(call.of), 0); break;
        case Call::What::handler: handle(now, static_cast<std::uint32_t>(call.of)); break;
    }
}

/// Of a CQ: takes all entries that are there, then arms it again: the card knows what has come since.
void VerbsDriver::handle(Cycle now, std::uint32_t vector) {
    Task task;
    if ((vector & rc::page::kLimitVector) != 0) {
        task.what = Task::What::limit;
        task.of = vector & ~rc::page::kLimitVector;
        tasks_.push(task, occupy(now, config_.costs.poll));
        return;
    }
    const std::uint32_t cq = vector;
    task.of = cq;
    task.what = Task::What::poll;
    for (Queue& queue = queues_[cq]; queue.unseen != 0; --queue.unseen) {
        tasks_.push(task, occupy(now, config_.costs.poll));
    }
    task.what = Task::What::arm;
    tasks_.push(task, occupy(now, {}));
}

void VerbsDriver::written(std::uint64_t address, std::uint64_t bytes, Time visible) {
    const Cycle due = wakeup_.clock().edge(visible);
    for (std::size_t cq = 0; cq < queues_.size(); ++cq) {
        Queue& queue = queues_[cq];
        if (address - queue.ring.address >= std::uint64_t{queue.ring.entries} * rc::kCqeBytes) continue;
        if (config_.events) {
            ++queue.unseen;
            return;
        }
        visible_.push({true, cq}, due);
        wakeup_.at(due);
        return;
    }
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        if (watched_[i].address - address >= bytes) continue;
        visible_.push({false, watched_[i].what}, due);
        wakeup_.at(due);
        watched_[i] = watched_.back();
        watched_.pop_back();
        return;
    }
}

}  // namespace rnicsim
