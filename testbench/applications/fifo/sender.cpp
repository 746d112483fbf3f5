// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/sender.h"

#include <algorithm>

namespace rnicsim::applications::fifo {

void Sender::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(),
                 {come_, head_, put_, complete_, (open_ ? 1U : 0U) + (broken_ ? 2U : 0U), waiting_.size()});
    words.insert(words.end(), waiting_.begin(), waiting_.end());
}

void Sender::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event, actions);
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success)
        return breaks(actions, event.what != Event::What::closed);
    switch (event.what) {
        case Event::What::woken: return woken(actions);
        case Event::What::noticed: {
            ++come_;
            // Slots may come in another order than they were written in.
            const Slot come = read(actions.memory({kFifo, event.tag * kSlotBytes}, kSlotBytes));
            if (come.number + lane_.settings->slots <= lane_.messages) watch(event.tag, actions);
            return send_more(actions);
        }
        case Event::What::completion: return sent(complete_++, Outcome::complete, actions);
        default: return;
    }
}

void Sender::breaks(Actions& actions, bool closes) {
    broken_ = true;
    if (closes) actions.stream_close();
    while (complete_ < put_) sent(complete_++, Outcome::failed, actions);
    broke(actions);
}

void Sender::put(std::uint32_t bytes, Actions& actions) {
    ++put_;
    waiting_.push_back(bytes);
    if (!open_) open(actions);
    send_more(actions);
}

/// From now on the receiver may write to the FIFO.
void Sender::open(Actions& actions) {
    open_ = true;
    const auto slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(lane_.settings->slots, lane_.messages));
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
        if (lane_.settings->wait && head_ == come_) return;
        const auto slot = static_cast<std::uint32_t>(head_ % lane_.settings->slots);
        const Slot to = read(actions.memory({kFifo, slot * kSlotBytes}, kSlotBytes));
        if (lane_.settings->wait && to.number != head_ + 1) return;
        const std::uint32_t bytes = waiting_.front();
        waiting_.pop_front();
        goes(head_, actions);
        send(head_++, bytes, to, actions);
    }
}

/// The notice says how many bytes there are.
void Sender::send(std::uint64_t message, std::uint32_t bytes, const Slot& to, Actions& actions) const {
    WorkRequest data;
    data.verb = rc::Verb::write;
    data.local = lane_.place_of(message);
    data.bytes = bytes;
    data.remote = to.place;
    data.signaled = false;
    WorkRequest notice = data;
    notice.verb = rc::Verb::write_imm;
    notice.immediate = bytes;
    notice.signaled = true;
    if (!lane_.settings->is_divided(bytes)) return actions.post_send(notice);
    notice.bytes = 0;
    if (lane_.settings->data_first) actions.post_send(data);
    actions.post_send(notice);
    if (!lane_.settings->data_first) actions.post_send(data);
}

}  // namespace rnicsim::applications::fifo
