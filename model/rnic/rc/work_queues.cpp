// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/work_queues.h"

#include "model/rnic/rc/dma.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cassert>

namespace rnicsim::rc {
namespace {

constexpr std::uint32_t kReadBytes = 1024;  // at most, of WQEs by one DMA request

}  // namespace

WorkQueues::WorkQueues(const Clock& clock, Cycle qp_interval, std::uint32_t receive_batch, PcieEndpoint& pcie,
                       FramePool& frames, ContextLines& lines, RcTransport& transport, RcActions& actions)
    : clock_(clock),
      qp_interval_(qp_interval),
      receive_batch_(receive_batch),
      pcie_(pcie),
      frames_(frames),
      lines_(lines),
      transport_(transport),
      actions_(actions) {}

void WorkQueues::add_send_ring(Qpn qp, const SendRing& ring) {
    assert(ring.entries != 0 && (ring.entries & (ring.entries - 1)) == 0);
    if (qp.n >= place_.size()) place_.resize(qp.n + 1, kNone);
    if (place_[qp.n] != kNone) {  // of a QP that is no more
        restart(qp);
        Sends& again = sends_[place_[qp.n]];
        again.ring = ring;
        again.inline_data.clear();
        again.next = {};
        return;
    }
    place_[qp.n] = sends_.size();
    Sends& sends = sends_.emplace_back();
    sends.qp = qp;
    sends.ring = ring;
}

void WorkQueues::add_receive_ring(ReceiveQueueNumber queue, const ReceiveRing& ring) {
    const auto number = static_cast<std::size_t>(queue);
    if (number >= receives_.size()) receives_.resize(number + 1);
    receives_[number].ring = ring;
    restart(queue);
}

void WorkQueues::restart(Qpn qp) {
    Sends& sends = sends_[index_of(qp)];
    sends.producer = sends.untold = 0;
    sends.waiting.clear();
    ++sends.use;
}

void WorkQueues::restart(ReceiveQueueNumber queue) {
    Receives& receives = receives_[static_cast<std::size_t>(queue)];
    receives.producer = receives.fetched = 0;
    ++receives.use;
}

void WorkQueues::doorbell(Cycle now, Qpn qp, std::uint32_t producer) {
    ++counters_.doorbells;
    const std::size_t index = index_of(qp);
    if (index == kNone) return;
    Sends& sends = sends_[index];
    const std::uint32_t count = producer - sends.producer;
    if (count == 0) return;
    sends.producer = producer;
    posted(now, sends, count);
}

void WorkQueues::posted(Cycle now, Sends& sends, std::uint32_t count) {
    sends.untold += count;
    if (sends.untold == 0 || !lines_.at_hand(now, LineUser::work_queue, sends.qp)) return;
    const std::uint32_t told = std::exchange(sends.untold, 0);
    if (!transport_.on_post(clock_.time(now), sends.qp, told, actions_)) ++counters_.refused;
}

void WorkQueues::push(Cycle now, std::span<const std::uint8_t> block) {
    assert(pushed_bytes_ + block.size() <= pushed_.size());
    std::ranges::copy(block, pushed_.begin() + pushed_bytes_);
    pushed_bytes_ += static_cast<std::uint32_t>(block.size());
    const std::uint32_t blocks = std::clamp<std::uint32_t>(pushed_[3], 1, kMostWqeBytes / kWqeBlock);
    if (pushed_bytes_ < blocks * kWqeBlock) return;
    ++counters_.pushes;
    const std::span<const std::uint8_t> bytes = std::span<const std::uint8_t>(pushed_).first(pushed_bytes_);
    pushed_bytes_ = 0;
    const WrittenWqe wqe = read_wqe(bytes);
    const std::size_t index = index_of(wqe.qp);
    if (index == kNone) return;
    Sends& sends = sends_[index];
    ++sends.producer;
    // One that comes before the time of the one in front of it, or before its QP's context, is read like any other.
    if (!sends.waiting.empty() || now < sends.next || sends.untold != 0 ||
        !lines_.at_hand(now, LineUser::work_queue, sends.qp))
        return posted(now, sends, 1);
    keep_inline(sends, wqe, bytes);
    sends.next = now + qp_interval_;
    if (!transport_.on_push(clock_.time(now), wqe.qp, wqe.wqe, actions_)) ++counters_.refused;
}

void WorkQueues::fetch_sends(Cycle now, const SendFetch& fetch) {
    const SendRing& ring = sends_[index_of(fetch.qp)].ring;
    const std::uint32_t most = kReadBytes / ring.stride;
    for (std::uint32_t done = 0; done < fetch.count;) {
        const std::uint32_t first = fetch.first + done;
        const std::uint32_t slot = first & (ring.entries - 1);
        const std::uint32_t count = std::min({fetch.count - done, most, ring.entries - slot});
        read(now, {Read::What::sends, fetch.qp.n, first, count}, ring.address + std::uint64_t{slot} * ring.stride,
             count * ring.stride);
        done += count;
        ++counters_.send_reads;
    }
}

/// The record first: it may say that there are none. One that was read before may already say that there are enough.
void WorkQueues::fetch_receives(Cycle now, ReceiveQueueNumber queue) {
    const auto number = static_cast<std::uint32_t>(queue);
    const Receives& receives = receives_[number];
    if (receives.producer - receives.fetched >= receive_batch_) return read_receives(now, number);
    read(now, {Read::What::record, number, 0, 0}, receives.ring.record, 4);
    ++counters_.receive_reads;
}

void WorkQueues::read_record(Cycle now, ReceiveQueueNumber queue) {
    const auto number = static_cast<std::uint32_t>(queue);
    read(now, {Read::What::record_alone, number, 0, 0}, receives_[number].ring.record, 4);
    ++counters_.receive_reads;
}

void WorkQueues::record_came(std::uint32_t queue, std::span<const std::uint8_t> bytes) {
    receives_[queue].producer = boost::endian::load_little_u32(bytes.data());
    transport_.on_record(ReceiveQueueNumber{queue}, receives_[queue].producer, actions_);
}

void WorkQueues::read_receives(Cycle now, std::uint32_t queue) {
    Receives& receives = receives_[queue];
    const std::uint32_t slot = receives.fetched & (receives.ring.entries - 1);
    const std::uint32_t count =
        std::min({receives.producer - receives.fetched, receive_batch_, receives.ring.entries - slot});
    if (count == 0) {
        transport_.on_fetched_receives(clock_.time(now), ReceiveQueueNumber{queue}, {}, actions_);
        receives_came_ = true;
        return;
    }
    read(now, {Read::What::receives, queue, receives.fetched, count},
         receives.ring.address + std::uint64_t{slot} * receives.ring.stride, count * receives.ring.stride);
    receives.fetched += count;
    ++counters_.receive_reads;
}

void WorkQueues::read(Cycle now, const Read& what, std::uint64_t address, std::uint32_t bytes) {
    FrameRef staged = staging(frames_, bytes);
    std::uint8_t* const into = staged->writable_bytes().data();
    const std::uint64_t context = reads_.end();
    reads_.push(what);
    reads_[static_cast<std::uint32_t>(context)].use = use_of(what);
    ++reading_;
    pcie_.read(now, address, bytes, dma_purpose::kWqe, {*this, into, context, std::move(staged)});
}

std::uint32_t WorkQueues::use_of(const Read& read) const {
    return read.what == Read::What::sends ? sends_[index_of(Qpn{read.of})].use : receives_[read.of].use;
}

void WorkQueues::read_done(Cycle now, std::uint64_t context, FrameRef frame) {
    const Read done = reads_[static_cast<std::uint32_t>(context)];
    if (--reading_ == 0) reads_.clear();
    if (done.use != use_of(done)) {
        // The decisions still wait for receive WQEs that they have asked for.
        if (done.what != Read::What::sends) fetch_receives(now, ReceiveQueueNumber{done.of});
        return;
    }
    const std::span<const std::uint8_t> bytes = frame->front(frame->length());
    switch (done.what) {
        case Read::What::sends: {
            const std::size_t index = index_of(Qpn{done.of});
            const std::uint32_t stride = sends_[index].ring.stride;
            for (std::uint32_t i = 0; i < done.count; ++i)
                take(now, index, bytes.subspan(std::size_t{i} * stride, stride));
            break;
        }
        case Read::What::record:
            record_came(done.of, bytes);
            read_receives(now, done.of);
            break;
        case Read::What::record_alone: record_came(done.of, bytes); break;
        case Read::What::receives:
            fetched_.clear();
            for (std::uint32_t i = 0; i < done.count; ++i) {
                const std::uint32_t stride = receives_[done.of].ring.stride;
                fetched_.push_back({done.first + i, read_receive(bytes.subspan(std::size_t{i} * stride, stride))});
            }
            transport_.on_fetched_receives(clock_.time(now), ReceiveQueueNumber{done.of}, fetched_, actions_);
            receives_came_ = true;
            break;
    }
}

void WorkQueues::take(Cycle now, std::size_t index, std::span<const std::uint8_t> bytes) {
    Sends& sends = sends_[index];
    const WrittenWqe wqe = read_wqe(bytes);
    keep_inline(sends, wqe, bytes);
    sends.waiting.push(wqe);
    list(now, index);
}

void WorkQueues::list(Cycle now, std::size_t index) {
    Sends& sends = sends_[index];
    if (sends.listed) return;
    sends.listed = true;
    busy_.push_back(index);
    due_ = std::min(due_, std::max(now, sends.next));
}

void WorkQueues::line_came(Cycle now, Qpn qp) {
    const std::size_t index = index_of(qp);
    posted(now, sends_[index], 0);
    if (!sends_[index].waiting.empty()) list(now, index);
}

void WorkQueues::keep_inline(Sends& sends, const WrittenWqe& wqe, std::span<const std::uint8_t> bytes) {
    if (!wqe.wqe.inline_data) return;
    const std::size_t room = sends.ring.stride - kInlineAt;
    if (sends.inline_data.empty()) sends.inline_data.resize(room * sends.ring.entries);
    const std::size_t slot = wqe.number & (sends.ring.entries - 1);
    std::ranges::copy(bytes.subspan(kInlineAt, std::min<std::size_t>(room, wqe.wqe.inline_length)),
                      sends.inline_data.begin() + static_cast<std::ptrdiff_t>(slot * room));
}

std::span<const std::uint8_t> WorkQueues::inline_payload(Qpn qp, std::uint32_t number, std::uint32_t offset,
                                                         std::uint32_t bytes) const {
    const Sends& sends = sends_[index_of(qp)];
    const std::size_t room = sends.ring.stride - kInlineAt;
    const std::size_t slot = number & (sends.ring.entries - 1);
    return std::span<const std::uint8_t>(sends.inline_data).subspan(slot * room + offset, bytes);
}

bool WorkQueues::run(Cycle now) {
    if (now >= due_) {
        due_ = kNever;
        for (std::size_t i = 0; i < busy_.size();) {
            Sends& sends = sends_[busy_[i]];
            const bool stalled = now >= sends.next && !hand_over(now, sends);
            if (stalled || sends.waiting.empty()) {
                sends.listed = false;
                busy_[i] = busy_.back();
                busy_.pop_back();
            } else {
                due_ = std::min(due_, sends.next);
                ++i;
            }
        }
    }
    return std::exchange(receives_came_, false);
}

bool WorkQueues::hand_over(Cycle now, Sends& sends) {
    if (!lines_.at_hand(now, LineUser::work_queue, sends.qp)) return false;
    const WrittenWqe wqe = sends.waiting.pop_front();
    sends.next = now + std::max(qp_interval_, Cycle{1});
    transport_.on_fetched(clock_.time(now), wqe.qp, wqe.wqe, actions_);
    return true;
}

}  // namespace rnicsim::rc
