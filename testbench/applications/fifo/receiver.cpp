// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/receiver.h"

namespace rnicsim::applications::fifo {

void Receiver::on(const Event& event, Actions& actions) {
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success) {
        return breaks(actions, event.what != Event::What::closed);
    }
    switch (event.what) {
        case Event::What::bytes: return actions.stream_receive({kStream, heard_}, kHello - heard_);
        case Event::What::read: {
            heard_ += event.bytes;
            if (heard_ != kHello) return;
            const std::span<const std::uint8_t> hello = actions.memory({kStream, 0}, kHello);
            fifo_ = {boost::endian::load_little_u64(&hello[0]), boost::endian::load_little_u32(&hello[8])};
            while (given_ < lane_.messages && given_ < lane_.buffers) give(actions);
            return;
        }
        case Event::What::received: come_.push_back(event.immediate); return take(actions);
        case Event::What::completion: ++rounds_; return take(actions);
        case Event::What::woken: return woken(actions);
        default: return;
    }
}

void Receiver::breaks(Actions& actions, bool closes) {
    broken_ = true;
    if (closes) actions.stream_close();
    broke(actions);
}

/// The message of a slot that asks for a completion is over when that has come as well: else WRITEs of which the card
/// has not heard could fill its queue.
void Receiver::take(Actions& actions) {
    const std::uint32_t slots = lane_.settings->slots;
    while (!come_.empty() && (got_ % slots != 0 || got_ / slots < rounds_) && has_use(got_, actions)) {
        got(got_++, come_.front(), actions);
        come_.pop_front();
        if (given_ < lane_.messages) give(actions);
    }
}

/// The receive WQE first: the message may come as soon as the slot is there. One slot of the FIFO asks for a
/// completion, which frees the WQEs of all.
void Receiver::give(Actions& actions) {
    const auto slot = static_cast<std::uint32_t>(given_ % lane_.settings->slots);
    actions.post_receive({}, 0, slot);
    const Place local{kFifo, slot * kSlotBytes};
    write({actions.remote(lane_.place_of(given_)), lane_.bytes, given_ + 1}, actions.memory(local, kSlotBytes));
    WorkRequest request;
    request.verb = rc::Verb::write;
    request.local = local;
    request.bytes = kSlotBytes;
    request.remote = {fifo_.address + std::uint64_t{slot} * kSlotBytes, fifo_.key};
    request.signaled = slot == 0;
    actions.post_send(request);
    ++given_;
}

}  // namespace rnicsim::applications::fifo
