// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/completion_queues.h"

#include "model/rnic/rc/dma.h"

#include <cassert>

namespace rnicsim::rc {

namespace {

[[maybe_unused]] bool is_ring(const CqRing& ring) {
    return ring.entries != 0 && (ring.entries & (ring.entries - 1)) == 0;
}

}  // namespace

Cqn CompletionQueues::create(const CqRing& ring) {
    assert(is_ring(ring));
    if (!free_.empty()) {
        const Cqn again = free_.back();
        free_.pop_back();
        Queue& queue = queues_[static_cast<std::size_t>(again)];
        queue = Queue{};
        queue.ring = ring;
        lines_.add_cq(static_cast<std::uint32_t>(again));
        return again;
    }
    queues_.emplace_back().ring = ring;
    const auto number = static_cast<std::uint32_t>(queues_.size() - 1);
    lines_.add_cq(number);
    return Cqn{number};
}

std::uint32_t CompletionQueues::move(Cqn cq, const CqRing& ring) {
    assert(is_ring(ring));
    Queue& queue = queues_[static_cast<std::size_t>(cq)];
    queue.ring = ring;
    return queue.producer;
}

void CompletionQueues::arm(Cycle now, std::uint32_t word, std::uint32_t consumer) {
    const std::uint32_t number = word & ~(page::kSolicitedOnly | page::kConsumerOnly);
    if (number >= queues_.size()) return;
    Queue& queue = queues_[number];
    queue.consumer = consumer;
    if (queue.consumer == queue.producer) queue.waiting = queue.solicited_waiting = false;
    if ((word & page::kConsumerOnly) != 0) return;
    queue.armed = (word & page::kSolicitedOnly) != 0 ? Armed::solicited : Armed::any;
    // What has come since the host last looked would else be announced by nobody.
    if (queue.armed == Armed::any ? queue.waiting : queue.solicited_waiting) raise(now, queue, number);
}

bool CompletionQueues::is_full(const Queue& queue) {
    return queue.producer + queue.waiting_for_line.size() - queue.consumer >= queue.ring.entries;
}

bool CompletionQueues::write(Cycle now, const Completion& completion) {
    const auto number = static_cast<std::uint32_t>(completion.cq);
    Queue& queue = queues_[number];
    if (queue.failed) {
        ++counters_.overruns;
        return true;
    }
    if (is_full(queue) && taken_) queue.consumer = taken_(completion.cq);
    if (is_full(queue)) {
        ++counters_.overruns;
        queue.failed = true;
        return false;
    }
    if (queue.waiting_for_line.empty() && lines_.cq_at_hand(now, number)) {
        produce(now, queue, completion);
    } else {
        queue.waiting_for_line.push(completion);
    }
    return true;
}

void CompletionQueues::line_came(Cycle now, Cqn cq) {
    const auto number = static_cast<std::uint32_t>(cq);
    CountedRing<Completion>& waiting = queues_[number].waiting_for_line;
    while (!waiting.empty() && lines_.cq_at_hand(now, number)) produce(now, queues_[number], waiting.pop_front());
}

void CompletionQueues::produce(Cycle now, Queue& queue, const Completion& completion) {
    const std::uint32_t slot = queue.producer & (queue.ring.entries - 1);
    const bool phase = (queue.producer & queue.ring.entries) == 0;
    ++queue.producer;
    FrameRef staged = staging(frames_, kCqeBytes);
    write_cqe(staged->writable_bytes(), completion, phase, clock_.time(now));
    const std::uint8_t* const data = staged->front(kCqeBytes).data();
    const DmaPiece piece{queue.ring.address + std::uint64_t{slot} * kCqeBytes, data, kCqeBytes, std::move(staged)};
    pcie_.write(now, {&piece, 1}, dma_purpose::kCqe, attributes_);
    ++counters_.completions;
    if (completion.status != Status::success) ++counters_.errors;
    queue.waiting = true;
    const bool solicited = completion.solicited || completion.status != Status::success;
    queue.solicited_waiting = queue.solicited_waiting || solicited;
    if (queue.armed == Armed::any || (queue.armed == Armed::solicited && solicited))
        raise(now, queue, static_cast<std::uint32_t>(completion.cq));
}

void CompletionQueues::raise(Cycle now, Queue& queue, std::uint32_t number) {
    queue.armed = Armed::no;
    queue.waiting = queue.solicited_waiting = false;
    pcie_.interrupt(now, number);
    ++counters_.interrupts;
}

}  // namespace rnicsim::rc
