// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/tensor/channel.h"

#include "model/host/cpu/copy_cost.h"

namespace rnicsim::applications::tensor {

void Channel::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {peer_.address, std::uint64_t{have_} << 3U | (sends_ ? 1U : 0U) | (is_read_ ? 2U : 0U) |
                                                  (broken_ ? 4U : 0U)});
    for (const Message& one : waiting_)
        words.insert(words.end(), {static_cast<std::uint64_t>(one.type) << 32U | one.operation,
                                   std::uint64_t{one.known.version} << 32U | one.known.bytes,
                                   std::uint64_t{one.slot} << 32U | one.bytes});
}

void Channel::start(Actions& actions) {
    for (std::uint32_t i = 0; i < receives(depth_); ++i) actions.post_receive({}, 0, 0);
}

void Channel::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event, actions);
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success) {
        if (event.what != Event::What::closed) actions.stream_close();
        broken_ = true;
        return fails(actions);
    }
    switch (event.what) {
        case Event::What::bytes: return actions.stream_receive({kStreamIn, have_}, kAddress - have_);
        case Event::What::read:
            have_ += event.bytes;
            if (have_ != kAddress) return;
            peer_ = read_address(actions.memory({kStreamIn, 0}, kAddress));
            return connected(actions);
        case Event::What::received: return received(event, actions);
        case Event::What::completion:
            if (event.tag == kAcked) return;
            if (event.tag != kSaid) return slot_is_free(event.tag, actions);
            sends_ = false;
            return go_on(actions);
        default: return;
    }
}

/// An ACK goes out as soon as the message is read.
void Channel::received(const Event& event, Actions& actions) {
    actions.post_receive({}, 0, 0);
    if (event.immediate == kAckImmediate) {
        is_read_ = true;
        return go_on(actions);
    }
    if (event.immediate != kMessageImmediate) return tensor_came(event.immediate, actions);
    const Message message = read(actions.memory({kMessageIn, 0}, kMessage));
    post(kAcked, kAckImmediate, {}, 0, peer_, actions);
    came(message, actions);
}

void Channel::tell_address(Actions& actions) {
    write_address(actions.remote({kMessageIn, 0}), actions.memory({kStreamOut, 0}, kAddress));
    actions.stream_send({kStreamOut, 0}, kAddress);
}

void Channel::say(const Message& message, Actions& actions) {
    waiting_.push_back(message);
    go_on(actions);
}

/// There is one buffer at each end: it has to be sent, and read.
void Channel::go_on(Actions& actions) {
    if (waiting_.empty() || sends_ || (settings_.ack && !is_read_)) return;
    const Message next = waiting_.front();
    waiting_.pop_front();
    sends_ = true;
    is_read_ = false;
    write(next, actions.memory({kMessageOut, 0}, kMessage));
    post(kSaid, kMessageImmediate, {kMessageOut, 0}, kMessage, peer_, actions);
    posted(next, actions);
}

void Channel::write_tensor(std::uint32_t from, const Message& request, Actions& actions) {
    post(from, request.operation, slot(from), request.bytes, request.at, actions);
}

void Channel::post(std::uint32_t tag, std::uint32_t immediate, Place from, std::uint32_t bytes, const Remote& to,
                   Actions& actions) const {
    WorkRequest request;
    request.verb = rc::Verb::write_imm;
    request.local = from;
    request.bytes = bytes;
    request.remote = to;
    request.immediate = immediate;
    request.tag = tag;
    actions.post_send(request);
}

void Channel::serialize(std::uint32_t bytes, Actions& actions) const {
    if (settings_.path != TensorPath::proto) return;
    actions.work(copy_time({.cold = settings_.serialize, .warm = settings_.serialize}, bytes, bytes));
}

}  // namespace rnicsim::applications::tensor
