// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/plasma/owner.h"

#include <algorithm>

namespace rnicsim::applications::plasma {

void Owner::start(Actions& actions) {
    for (std::uint32_t tag = 0; tag < settings_.recv_wrs; ++tag) post_receive(tag, actions);
}

void Owner::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::done) return done(event, actions);  // memory is given up, whatever has failed
    if (closed_) return;
    if (event.what == Event::What::closed) return fails(actions);
    if (event.status != rc::Status::success) {
        actions.stream_close();
        return fails(actions);
    }
    switch (event.what) {
        case Event::What::bytes:
            unread_ = busy_;
            if (!busy_) message_.ask(actions);
            return;
        case Event::What::read:
            if (message_.came(event.bytes)) return got_transfer(actions);
            return;
        case Event::What::sent: return go_on(actions);
        case Event::What::received: return received(event.tag, actions);
        case Event::What::timer:  // the lease of this operation, whose FIN may have come
            if (memory_ == Memory::lent && event.tag == object_.operation) give_up(actions);
            return;
        case Event::What::woken: return rest_if_connected(actions);
        default: return;
    }
}

void Owner::done(const Event& event, Actions& actions) {
    if (event.tag == kSetUp) {
        set_up_.over(actions);
        return rest_if_connected(actions);
    }
    if (event.tag == kGivenUp) {
        memory_ = Memory::none;
        return over(actions);
    }
    if (event.status != rc::Status::success) {
        memory_ = Memory::none;
        actions.stream_close();
        return fails(actions);
    }
    memory_ = Memory::lent;
    if (closed_) return give_up(actions);
    StreamMessage::send(object_, actions);
}

/// ACK, or FIN: which may come behind the end of its lease, and behind the next TRANSFER.
void Owner::received(std::uint32_t tag, Actions& actions) {
    const Message said = plasma::read(actions.memory({kSlots, tag * slot_bytes_}, kMessage));
    post_receive(tag, actions);
    if (!has_object() || said.operation != object_.operation) return;
    if (method() == Method::sendrecv) return sent_ == object_.bytes ? over(actions) : send_window(actions);
    if (memory_ == Memory::lent) give_up(actions);
}

/// Who reads the object has failed, too, or will.
void Owner::fails(Actions& actions) {
    closed_ = true;
    if (memory_ == Memory::lent) return give_up(actions);
    if (has_object() && memory_ == Memory::none) over(actions);
}

void Owner::give_up(Actions& actions) {
    memory_ = Memory::given_up;
    actions.deregister_memory(kObject, kGivenUp);
}

/// The store says at once where the object is.
void Owner::got_transfer(Actions& actions) {
    object_ = StreamMessage::take(actions);
    busy_ = true;
    sent_ = 0;
    if (!has_object()) return StreamMessage::send(object_, actions);
    set_up_.check(actions);
    actions.call();
    actions.produce({kObject, 0}, object_.bytes, object_.operation);
    if (method() != Method::read) return StreamMessage::send(object_, actions);
    memory_ = Memory::asked;
    actions.register_memory({kObject, 0}, object_.bytes, kRegistered);
}

/// DATA is sent, or a piece of the object, or where it is, or HELLO.
void Owner::go_on(Actions& actions) {
    if (object_.about == Message::About::place) return rest(actions);  // as any host would answer: no call of the store
    if (object_.about == Message::About::hosts) {
        set_up_.begin(kSetUp, actions);
        return rest_if_connected(actions);
    }
    if (method() == Method::socket) return write_more(actions);
    if (method() == Method::sendrecv) return send_window(actions);
    object_.object = actions.remote({kObject, 0});
    send(object_, kInfo, actions);
    actions.after(settings_.lease, object_.operation);
}

void Owner::write_more(Actions& actions) {
    if (sent_ == object_.bytes) return over(actions);
    const std::uint32_t bytes = std::min(settings_.write, object_.bytes - sent_);
    actions.stream_send({kObject, sent_}, bytes);
    sent_ += bytes;
}

void Owner::send_window(Actions& actions) {
    for (std::uint32_t i = 0; i < settings_.round_of(object_.bytes) && sent_ != object_.bytes; ++i) {
        const std::uint32_t bytes = std::min(settings_.chunk, object_.bytes - sent_);
        const Place slot{kSends, kMessage + (settings_.shared_slot ? 0 : i) * settings_.chunk};
        actions.copy(slot, {kObject, sent_}, bytes, object_.bytes);
        WorkRequest request;
        request.local = slot;
        request.bytes = bytes;
        request.tag = kChunk;
        actions.post_send(request);
        sent_ += bytes;
    }
}

void Owner::rest_if_connected(Actions& actions) {
    if (set_up_.has_come(actions)) rest(actions);
}

void Owner::over(Actions& actions) {
    actions.call();  // release
    rest(actions);
}

void Owner::rest(Actions& actions) {
    busy_ = false;
    if (!unread_ || closed_) return;
    unread_ = false;
    message_.ask(actions);
}

}  // namespace rnicsim::applications::plasma
