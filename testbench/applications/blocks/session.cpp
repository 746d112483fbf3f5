// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/blocks/session.h"

namespace rnicsim::applications::blocks {

namespace {

constexpr std::uint32_t kMessage = BlockSettings::kMessage, kRegions = BlockSettings::kRegions;

}  // namespace

void Session::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {peer_.messages.address, (knows_ ? 1U : 0U) | (broken_ ? 2U : 0U), have_});
}

/// The first message is the SEND; others are WRITEs, which need no memory here.
void Session::start(Actions& actions) {
    actions.post_receive({kRegionsIn, 0}, kRegions, 0);
    for (std::uint32_t i = 1; i < receives(settings_.window); ++i) actions.post_receive({}, 0, 0);
}

void Session::on(const Event& event, Actions& actions) {
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
            if (event.tag == kBlockTag) block_sent(actions);
            return;
        case Event::What::bytes: return actions.stream_receive({kStreamIn, have_}, kMessage - have_);
        case Event::What::read:
            have_ += event.bytes;
            if (have_ == kMessage) tell_regions(actions);
            return;
        case Event::What::timer: return timer(actions);
        default: return;
    }
}

void Session::received(const Event& event, Actions& actions) {
    actions.post_receive({}, 0, 0);
    if (!knows_) return got_regions(actions);
    if (event.immediate == kAckImmediate) return acknowledged(actions);
    if (event.immediate == kBlockImmediate) return block_came(event.bytes, actions);
    got_message(event.immediate - kMessageImmediate, actions);
}

/// By TCP, as the QPs are connected. The other node answers by SEND.
void Session::set_up(Actions& actions) {
    write(Message{.type = Type::handshake}, actions.memory({kStreamOut, 0}, kMessage));
    actions.stream_send({kStreamOut, 0}, kMessage);
}

void Session::tell_regions(Actions& actions) {
    write(Regions{actions.remote({kIn, 0}), actions.remote({kBlocks, 0})}, actions.memory({kRegionsOut, 0}, kRegions));
    WorkRequest request;
    request.local = {kRegionsOut, 0};
    request.bytes = kRegions;
    request.tag = kMessageTag;
    actions.post_send(request);
}

void Session::got_regions(Actions& actions) {
    peer_ = read_regions(actions.memory({kRegionsIn, 0}, kRegions));
    knows_ = true;
    if (!asks()) return;
    tell_regions(actions);
    say({.type = Type::handshake}, kControl, actions);
}

void Session::got_message(std::uint32_t slot, Actions& actions) {
    const Message message = read(actions.memory({kIn, slot * kMessage}, kMessage));
    switch (message.type) {
        case Type::handshake:
            say({.type = Type::notice, .head = chain_.history, .irreversible = chain_.irreversible}, kControl, actions);
            return connected(actions);
        case Type::notice: return connected(actions);
        default: return came(message, actions);
    }
}

void Session::say(const Message& message, std::uint32_t slot, Actions& actions) const {
    const Place at{kOut, slot * kMessage};
    write(message, actions.memory(at, kMessage));
    post(kMessageTag, kMessageImmediate + slot, at, kMessage,
         {peer_.messages.address + std::uint64_t{slot} * kMessage, peer_.messages.key}, actions);
}

void Session::write_block(std::uint32_t number, std::uint32_t bytes, Actions& actions) const {
    const Place from = block(number);
    actions.produce(from, bytes, number);
    post(kBlockTag, kBlockImmediate, from, bytes, {peer_.blocks.address + from.offset, peer_.blocks.key}, actions);
}

void Session::acknowledge(Actions& actions) const { post(kMessageTag, kAckImmediate, {}, 0, peer_.messages, actions); }

void Session::post(std::uint32_t tag, std::uint32_t immediate, Place from, std::uint32_t bytes, const Remote& to,
                   Actions& actions) {
    WorkRequest request;
    request.verb = rc::Verb::write_imm;
    request.local = from;
    request.bytes = bytes;
    request.remote = to;
    request.immediate = immediate;
    request.tag = tag;
    actions.post_send(request);
}

}  // namespace rnicsim::applications::blocks
