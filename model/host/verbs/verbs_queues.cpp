// SPDX-License-Identifier: Apache-2.0
#include "model/host/verbs/verbs_queues.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cassert>
#include <stdexcept>
#include <utility>

namespace rnicsim {

rc::Cqn VerbsQueues::create_cq(const rc::CqRing& ring) {
    const rc::Cqn cq = card_->create_cq(ring);
    const auto number = static_cast<std::size_t>(cq);
    if (number >= queues_.size()) queues_.resize(number + 1);
    queues_[number] = {};
    queues_[number].ring = ring;
    return cq;
}

void VerbsQueues::destroy_cq(rc::Cqn cq) {
    Queue& queue = queues_[static_cast<std::size_t>(cq)];
    if (queue.before.entries != 0) --moving_;
    queue = {};
}

void VerbsQueues::move_cq(rc::Cqn cq, const rc::CqRing& ring) {
    Queue& queue = queues_[static_cast<std::size_t>(cq)];
    assert(moved(cq));
    queue.before = std::exchange(queue.ring, ring);
    queue.from = card_->move_cq(cq, ring);
    ++moving_;
    end_move(queue);
}

void VerbsQueues::end_move(Queue& queue) {
    if (queue.taken != queue.from || queue.before.entries == 0) return;
    queue.before = {};
    --moving_;
}

rc::ReceiveQueueNumber VerbsQueues::create_receive_queue(const rc::ReceiveRing& ring, bool shared) {
    const rc::ReceiveQueueNumber queue = card_->create_receive_queue(ring, shared);
    const auto number = static_cast<std::size_t>(queue);
    if (number >= receives_.size()) receives_.resize(number + 1);
    receives_[number] = {ring};
    return queue;
}

rc::Qpn VerbsQueues::create_qp(rc::QpInit init, const rc::SendRing& sends) {
    init.send_queue_size = sends.entries;
    const rc::Qpn qp = card_->create_qp(init, sends);
    if (qp.n >= place_.size()) place_.resize(qp.n + 1, kNone);
    if (place_[qp.n] == kNone) {
        place_[qp.n] = sends_.size();
        sends_.emplace_back();
    }
    sends_[place_[qp.n]] = {sends};
    return qp;
}

void VerbsQueues::restart(rc::Qpn qp, std::optional<rc::ReceiveQueueNumber> receives) {
    sends_[place_[qp.n]].posted = 0;
    if (!receives) return;
    Receives& of = receives_[static_cast<std::size_t>(*receives)];
    of.posted = 0;
    boost::endian::store_little_u32(memory_.at(of.ring.record, 4).data(), of.posted);
}

void VerbsQueues::send(Cycle now, rc::Qpn qp, const rc::SendWqe& what, std::span<const std::uint8_t> payload,
                       Posting posting, Bell bell) {
    Sends& of = sends_[place_[qp.n]];
    const std::uint32_t bytes = rc::wqe_bytes(what);
    assert(bytes <= of.ring.stride);
    const std::uint32_t slot = of.posted & (of.ring.entries - 1);
    const std::span<std::uint8_t> wqe = memory_.at(of.ring.address + std::uint64_t{slot} * of.ring.stride, bytes);
    rc::write_wqe(wqe, what, qp, of.posted, payload);
    ++of.posted;
    ++counters_.sends;
    if (posting == Posting::push) {
        ++counters_.pushes;
        for (std::uint32_t at = 0; at < bytes; at += rc::kWqeBlock) {
            root_complex_.write_register(now, rc::page::kPush + at, wqe.subspan(at, rc::kWqeBlock));
        }
        return;
    }
    if (bell == Bell::rings) write_words(now, rc::page::kSend, qp.n, of.posted);
}

void VerbsQueues::write_words(Cycle now, std::uint64_t offset, std::uint32_t first, std::uint32_t second) {
    std::array<std::uint8_t, 8> words{};
    boost::endian::store_little_u32(words.data(), first);
    boost::endian::store_little_u32(&words[4], second);
    root_complex_.write_register(now, offset, words);
}

void VerbsQueues::receive(rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges) {
    Receives& of = receives_[static_cast<std::size_t>(queue)];
    const std::uint32_t slot = of.posted & (of.ring.entries - 1);
    rc::write_receive(memory_.at(of.ring.address + std::uint64_t{slot} * of.ring.stride, of.ring.stride), sges);
    ++of.posted;
    ++counters_.receives;
    boost::endian::store_little_u32(memory_.at(of.ring.record, 4).data(), of.posted);
}

void VerbsQueues::flush_if_failed(Cycle now, rc::Qpn qp) {
    if (card_->transport().qp(qp)->state != rc::QpState::error) return;
    ask(now, [this, qp](Cycle) {
        if (card_->transport().qp(qp) != nullptr) card_->flush_receives(qp);
    });
}

void VerbsQueues::flush_if_failed(Cycle now, rc::ReceiveQueueNumber queue) {
    const rc::ReceiveQueue& of = card_->transport().receive_queue(queue);
    if (!of.shared()) flush_if_failed(now, of.owner());
}

rc::Completion VerbsQueues::take(Cycle now, rc::Cqn cq) {
    Queue& queue = queues_[static_cast<std::size_t>(cq)];
    const rc::CqRing& ring = moved(cq) ? queue.ring : queue.before;
    const std::uint32_t slot = queue.taken & (ring.entries - 1);
    const std::span<std::uint8_t> entry = memory_.at(ring.address + std::uint64_t{slot} * rc::kCqeBytes, rc::kCqeBytes);
    if (rc::cqe_phase(entry) != ((queue.taken & ring.entries) == 0)) {
        throw std::logic_error("a CQE has the phase of the ring's last use");
    }
    const rc::Completion completion = rc::read_cqe(entry);
    ++queue.taken;
    if (moving_ != 0) end_move(queue);
    ++counters_.completions;
    // The card has to know before its ring seems full.
    if (queue.taken - queue.told >= queue.ring.entries / 2) arm(now, cq, rc::page::kConsumerOnly);
    return completion;
}

void VerbsQueues::arm(Cycle now, rc::Cqn cq, std::uint32_t bits) {
    Queue& queue = queues_[static_cast<std::size_t>(cq)];
    queue.told = queue.taken;
    write_words(now, rc::page::kArm, static_cast<std::uint32_t>(cq) | bits, queue.taken);
}

void VerbsQueues::arm_limit(Cycle now, rc::ReceiveQueueNumber queue, std::uint32_t limit) {
    write_words(now, rc::page::kLimit, static_cast<std::uint32_t>(queue), limit);
}

void VerbsQueues::ask(Cycle now, rc::RcRnic::Command command) {
    card_->queue_command(std::move(command));
    write_words(now, rc::page::kAdmin, 0, 0);
}

std::optional<rc::Cqn> VerbsQueues::cq_at(std::uint64_t address) const {
    const auto lies_in = [address](const rc::CqRing& ring) {
        return address - ring.address < std::uint64_t{ring.entries} * rc::kCqeBytes;
    };
    for (std::size_t cq = 0; cq < queues_.size(); ++cq) {
        if (lies_in(queues_[cq].ring)) return rc::Cqn{static_cast<std::uint32_t>(cq)};
    }
    for (std::size_t cq = 0; moving_ != 0 && cq < queues_.size(); ++cq) {
        if (lies_in(queues_[cq].before)) return rc::Cqn{static_cast<std::uint32_t>(cq)};
    }
    return {};
}

}  // namespace rnicsim
