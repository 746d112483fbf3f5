// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/plasma/fetcher.h"

#include <algorithm>

namespace rnicsim::applications::plasma {

void Fetcher::start(Actions& actions) {
    for (std::uint32_t tag = 0; tag < settings_.recv_wrs; ++tag) post_receive(tag, actions);
}

void Fetcher::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event, actions);
    if (event.what == Event::What::done && event.tag == kSetUp) set_up_.over(actions);
    if (broken_) {
        // It was asked for before that.
        if (event.what == Event::What::done && event.tag == kRegistered && event.status == rc::Status::success)
            actions.deregister_memory(kObject, kGivenUp);
        return;
    }
    if (event.what == Event::What::closed || event.status != rc::Status::success) {
        if (event.what != Event::What::closed) actions.stream_close();
        return fails(actions);
    }
    switch (event.what) {
        case Event::What::bytes:
            // A body that comes before the store has made room for it waits in the socket.
            if (state_ == State::looks_up || state_ == State::greets || state_ == State::asks)
                return message_.ask(actions);
            if (state_ == State::gets) return actions.stream_receive({kObject, got_}, object_.bytes - got_);
            unread_ = true;
            return;
        case Event::What::read: return read(event.bytes, actions);
        case Event::What::received:
            come_.push_back({event.tag, event.bytes});
            if (method() == Method::sendrecv) return take_chunks(actions);
            return read_if_ready(actions);
        case Event::What::completion:
            if (event.tag != kRead) return;
            mark(Part::body, actions);
            state_ = State::gives_up;
            send(object_, kFin, actions);
            return give_up(actions);
        case Event::What::done:
            if (event.tag == kSetUp) return go_on_if_connected(actions);
            if (event.tag == kCreated) return created(actions);
            if (event.tag == kGivenUp) return seal(actions);
            is_registered_ = true;
            return read_if_ready(actions);
        case Event::What::woken: return go_on_if_connected(actions);
        default: return;
    }
}

void Fetcher::asked(const Event& event, Actions& actions) {
    if (broken_) return actions.ended(event.tag, Outcome::failed);
    object_ = {event.tag, event.bytes};
    has_info_ = is_registered_ = false;
    got_ = chunks_ = 0;
    if (settings_.lookup) return say(State::looks_up, Message::About::place, actions);
    greet(actions);
}

/// It knows the owner. Before the first object HELLO goes there.
void Fetcher::greet(Actions& actions) {
    if (set_up_.is_needed() && !greeted_) return say(State::greets, Message::About::hosts, actions);
    set_up_.check(actions);
    say(State::asks, Message::About::object, actions);
}

void Fetcher::go_on_if_connected(Actions& actions) {
    if (set_up_.has_come(actions)) greet(actions);
}

void Fetcher::say(State state, Message::About about, Actions& actions) {
    state_ = state;
    object_.about = about;
    StreamMessage::send(object_, actions);
}

void Fetcher::read(std::uint32_t bytes, Actions& actions) {
    if (state_ == State::gets) {
        actions.touch({kObject, got_}, bytes);
        got_ += bytes;
        if (got_ != object_.bytes) return;
        mark(Part::body, actions);
        return seal(actions);
    }
    if (!message_.came(bytes)) return;
    object_ = StreamMessage::take(actions);
    if (state_ == State::looks_up) return greet(actions);
    if (state_ == State::greets) {
        state_ = State::connects;
        greeted_ = true;
        set_up_.begin(kSetUp, actions);
        return go_on_if_connected(actions);
    }
    mark(Part::ask, actions);
    state_ = State::creates;
    actions.call();
    actions.then(kCreated);
}

void Fetcher::created(Actions& actions) {
    mark(Part::create, actions);
    if (method() == Method::read) {
        state_ = State::prepares;
        actions.touch({kObject, 0}, object_.bytes);  // pinning brings in pages that nobody has touched
        return actions.register_memory({kObject, 0}, object_.bytes, kRegistered);
    }
    state_ = State::gets;
    if (method() == Method::sendrecv) return take_chunks(actions);
    if (!unread_) return;
    unread_ = false;
    actions.stream_receive({kObject, 0}, object_.bytes);
}

void Fetcher::take_chunks(Actions& actions) {
    while (state_ == State::gets && !come_.empty()) {
        const Slot slot = come_.front();
        come_.pop_front();
        actions.touch({kObject, got_}, slot.bytes);
        actions.copy({kObject, got_}, {kSlots, slot.tag * slot_bytes_}, slot.bytes, object_.bytes);
        post_receive(slot.tag, actions);
        got_ += slot.bytes;
        ++chunks_;
        const bool is_last = got_ == object_.bytes;
        if (chunks_ % settings_.round_of(object_.bytes) == 0 || is_last) send(object_, kAck, actions);
        if (!is_last) continue;
        mark(Part::body, actions);
        seal(actions);
    }
}

/// INFO may come before this end has registered its memory, or after it.
void Fetcher::read_if_ready(Actions& actions) {
    if (!come_.empty()) {
        const Slot slot = come_.front();
        come_.pop_front();
        place_ = plasma::read(actions.memory({kSlots, slot.tag * slot_bytes_}, kMessage)).object;
        post_receive(slot.tag, actions);
        has_info_ = true;
    }
    if (!has_info_ || !is_registered_) return;
    mark(Part::prepare, actions);
    state_ = State::gets;
    WorkRequest request;
    request.verb = rc::Verb::read;
    request.local = {kObject, 0};
    request.bytes = object_.bytes;
    request.remote = place_;
    request.tag = kRead;
    actions.post_send(request);
}

void Fetcher::seal(Actions& actions) {
    if (state_ == State::gives_up) mark(Part::give_up, actions);
    state_ = State::rests;
    actions.call();  // seal
    actions.call();  // release
    actions.check({kObject, 0}, object_.bytes, object_.operation);
    mark(Part::seal, actions);
    actions.ended(object_.operation, Outcome::complete);
}

void Fetcher::give_up(Actions& actions) {
    is_registered_ = false;
    actions.deregister_memory(kObject, kGivenUp);
}

/// What the store has made room for is not sealed: it is deleted.
void Fetcher::fails(Actions& actions) {
    broken_ = true;
    if (is_registered_) give_up(actions);
    if (state_ >= State::creates) actions.call();
    if (state_ != State::rests) actions.ended(object_.operation, Outcome::failed);
    state_ = State::rests;
}

}  // namespace rnicsim::applications::plasma
