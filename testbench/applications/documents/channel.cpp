// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/documents/channel.h"

#include <utility>

namespace rnicsim::applications::documents {

namespace {

constexpr std::uint32_t kMessage = DocumentSettings::kMessage, kHello = DocumentSettings::kHello;

bool has_rdma(Support support, unsigned side) {
    return support == Support::both || support == (side == 0 ? Support::client : Support::server);
}

}  // namespace

Channel::Channel(const TrafficConfig& item, unsigned side)
    : settings_(documents_of(item)),
      side_(side),
      open_(open_operations(item)),
      data_bytes_(data_bytes(item)),
      pool_bytes_(static_cast<std::uint32_t>(settings_.has_pool() ? pool_bytes(item) : 0)) {}

void Channel::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {peer_.address, came_slot_});
    words.push_back(std::uint64_t{have_} << 7U | (sends_ ? 1U : 0U) | (is_read_ ? 2U : 0U) | (broken_ ? 4U : 0U) |
                    (told_ ? 8U : 0U) | (there_ ? 16U : 0U) | (readable_ ? 32U : 0U) | (reads_ ? 64U : 0U));
    words.push_back(waiting_.size());
    for (const Message& one : waiting_)
        words.push_back(static_cast<std::uint64_t>(one.type) << 56U | std::uint64_t{one.slot} << 32U | one.operation);
    words.push_back(out_.size());
    for (const Out& one : out_)
        words.push_back(std::uint64_t{one.slot} << 33U | std::uint64_t{one.is_data} << 32U | one.bytes);
    words.push_back(expected_.size());
    for (const Expected& one : expected_) words.push_back(std::uint64_t{one.slot} << 32U | one.bytes);
}

void Channel::start(Actions& actions) {
    if (!settings_.is_rdma()) return;
    for (std::uint32_t i = 0; i < receives(open_); ++i) actions.post_receive({}, 0, 0);
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
        case Event::What::received: return received(event, actions);
        case Event::What::completion:
            if (event.tag == kAcked) return;
            if (event.tag != kSaid) return data_sent(event.tag, actions);
            sends_ = false;
            return go_on(actions);
        case Event::What::bytes: readable_ = true; return read_more(actions);
        case Event::What::read:
            reads_ = false;
            have_ += event.bytes;
            return heard(actions);
        case Event::What::sent: return sent(actions);
        case Event::What::done:
            if (event.tag == kPool) return tell_hello(actions);
            [[fallthrough]];
        case Event::What::timer: return ended(event, actions);
        default: return;
    }
}

void Channel::set_up(Actions& actions) {
    if (!settings_.has_pool()) return tell_hello(actions);
    actions.register_memory({kData, 0}, pool_bytes_, kPool);
}

void Channel::tell_hello(Actions& actions) {
    const Hello hello{has_rdma(settings_.support, side_), actions.remote({kIn, 0})};
    write(hello, actions.memory({kHelloOut, 0}, kHello));
    told_ = true;
    push({{kHelloOut, 0}, kHello}, actions);
    if (!there_) return;
    connected(actions);
}

void Channel::received(const Event& event, Actions& actions) {
    if (settings_.repost) actions.post_receive({}, 0, 0);
    if (event.immediate == kAckImmediate) {
        is_read_ = true;
        return go_on(actions);
    }
    if (event.immediate >= kMessageImmediate) return got_message(event.immediate - kMessageImmediate, actions);
    data_came(event.immediate, actions);
}

/// The ACK goes out as soon as it is read.
void Channel::got_message(std::uint32_t slot, Actions& actions) {
    const Place at{kIn, slot * kMessage};
    const Message message = read(actions.memory(at, kMessage));
    look_at(message, {kIn, at.offset + kName}, actions);
    if (settings_.takes_turns()) post(kAcked, kAckImmediate, {}, 0, peer_, actions);
    came(message, actions);
}

void Channel::say(const Message& message, Actions& actions) {
    if (settings_.takes_turns()) {
        waiting_.push_back(message);
        return go_on(actions);
    }
    const Place at{kOut, message.slot * kMessage};
    put(message, at, actions);
    if (!settings_.is_rdma()) return push({at, kMessage}, actions);
    post(kSaid, kMessageImmediate + message.slot, at, kMessage,
         {peer_.address + std::uint64_t{message.slot} * kMessage, peer_.key}, actions);
}

/// There is one buffer at each end: it has to be sent, and read.
void Channel::go_on(Actions& actions) {
    if (waiting_.empty() || sends_ || !is_read_) return;
    const Message next = waiting_.front();
    waiting_.pop_front();
    sends_ = true;
    is_read_ = false;
    put(next, {kOut, 0}, actions);
    post(kSaid, kMessageImmediate, {kOut, 0}, kMessage, peer_, actions);
}

void Channel::put(const Message& message, Place at, Actions& actions) const {
    write(message, actions.memory(at, kMessage));
    if (message.type == Type::write) actions.produce({at.area, at.offset + kName}, message.bytes, message.operation);
}

void Channel::write_data(const Message& request, Actions& actions) {
    const Place from = data(request.slot);
    if (!settings_.is_rdma()) return push({from, request.bytes, request.slot, true}, actions);
    post(request.slot, request.slot, from, request.bytes, request.at, actions);
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

void Channel::push(const Out& out, Actions& actions) {
    out_.push_back(out);
    if (out_.size() == 1) actions.stream_send(out.from, out.bytes);
}

void Channel::sent(Actions& actions) {
    const Out out = out_.front();
    out_.pop_front();
    if (!out_.empty()) actions.stream_send(out_.front().from, out_.front().bytes);
    if (out.is_data) data_sent(out.slot, actions);
}

void Channel::expect_data(std::uint32_t slot, std::uint32_t bytes) {
    if (!settings_.is_rdma()) expected_.push_back({slot, bytes});
}

void Channel::read_more(Actions& actions) {
    if (!readable_ || reads_) return;
    readable_ = false;
    reads_ = true;
    if (!there_) return actions.stream_receive({kHelloIn, have_}, kHello - have_);
    if (expected_.empty()) return actions.stream_receive({kIn, came_slot_ * kMessage + have_}, kMessage - have_);
    const Expected& next = expected_.front();
    const Place to = data(next.slot);
    actions.stream_receive({to.area, to.offset + have_}, next.bytes - have_);
}

/// Of a message of the set-up, a message or data, the last byte may have come.
void Channel::heard(Actions& actions) {
    const std::uint32_t whole = !there_ ? kHello : expected_.empty() ? kMessage : expected_.front().bytes;
    if (have_ != whole) return;
    have_ = 0;
    if (!there_) {
        const Hello hello = read_hello(actions.memory({kHelloIn, 0}, kHello));
        if (hello.has_rdma != has_rdma(settings_.support, 1 - side_)) actions.violates("the hosts differ on RDMA");
        peer_ = hello.slots;
        there_ = true;
        if (told_) return connected(actions);
        return set_up(actions);
    }
    // What lies in the next slot has been judged: it has been answered.
    if (expected_.empty()) return got_message(std::exchange(came_slot_, (came_slot_ + 1) % (open_ + 1)), actions);
    const Expected next = expected_.front();
    expected_.pop_front();
    data_came(next.slot, actions);
}

}  // namespace rnicsim::applications::documents
