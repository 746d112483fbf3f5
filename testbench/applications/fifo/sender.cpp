// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/sender.h"

#include <algorithm>

namespace rnicsim::applications::fifo {

void Sender::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {come_, head_, (open_ ? 1U : 0U) + (broken_ ? 2U : 0U), waiting_.size()});
    for (const Message& of : waiting_) words.push_back(std::uint64_t{of.operation} << 32U | of.bytes);
    words.insert(words.end(), posted_.begin(), posted_.end());
}

void Sender::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event, actions);
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success) {
        broken_ = true;
        if (event.what != Event::What::closed) actions.stream_close();
        for (const std::uint32_t operation : posted_) actions.ended(operation, Outcome::failed);
        for (const Message& of : waiting_) actions.ended(of.operation, Outcome::failed);
        return;
    }
    if (event.what == Event::What::noticed) {
        ++come_;
        // Slots may come in another order than they were written in.
        const Slot come = read(actions.memory({kFifo, event.tag * kSlotBytes}, kSlotBytes));
        if (come.number + settings_.slots <= all_) watch(event.tag, actions);
        return send_more(actions);
    }
    if (event.what != Event::What::completion) return;
    posted_.pop_front();
    actions.ended(event.tag, Outcome::complete);
}

void Sender::asked(const Event& event, Actions& actions) {
    if (broken_) return actions.ended(event.tag, Outcome::failed);
    actions.produce(place_of(event.tag), event.bytes, event.tag);
    waiting_.push_back({event.tag, event.bytes});
    if (!open_) open(actions);
    send_more(actions);
}

/// From now on the receiver may write to the FIFO.
void Sender::open(Actions& actions) {
    open_ = true;
    const auto slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings_.slots, all_));
    for (std::uint32_t slot = 0; slot < slots; ++slot) watch(slot, actions);
    const Remote fifo = actions.remote({kFifo, 0});
    const std::span<std::uint8_t> hello = actions.memory({kStream, 0}, kHello);
    boost::endian::store_little_u64(&hello[0], fifo.address);
    boost::endian::store_little_u32(&hello[8], fifo.key);
    actions.stream_send({kStream, 0}, kHello);
}

/// Its last byte: a slot is one packet.
void Sender::watch(std::uint32_t slot, Actions& actions) const {
    actions.watch({kFifo, slot * kSlotBytes + kSlotBytes - 1}, slot);
}

void Sender::send_more(Actions& actions) {
    while (!waiting_.empty()) {
        if (settings_.wait && head_ == come_) return;
        const auto slot = static_cast<std::uint32_t>(head_ % settings_.slots);
        const Slot to = read(actions.memory({kFifo, slot * kSlotBytes}, kSlotBytes));
        if (settings_.wait && to.number != head_ + 1) return;
        ++head_;
        const Message of = waiting_.front();
        waiting_.pop_front();
        posted_.push_back(of.operation);
        actions.mark(of.operation, static_cast<unsigned>(Part::slot));
        send(of, to, actions);
    }
}

/// The notice says how many bytes there are.
void Sender::send(const Message& of, const Slot& to, Actions& actions) const {
    WorkRequest data;
    data.verb = rc::Verb::write;
    data.local = place_of(of.operation);
    data.bytes = of.bytes;
    data.remote = to.place;
    data.signaled = false;
    WorkRequest notice = data;
    notice.verb = rc::Verb::write_imm;
    notice.immediate = of.bytes;
    notice.tag = of.operation;
    notice.signaled = true;
    if (!settings_.is_divided(of.bytes)) return actions.post_send(notice);
    notice.bytes = 0;
    if (settings_.data_first) actions.post_send(data);
    actions.post_send(notice);
    if (!settings_.data_first) actions.post_send(data);
}

}  // namespace rnicsim::applications::fifo
