// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/smc/ends.h"

#include <algorithm>
#include <utility>

namespace rnicsim::applications::smc {

void Program::state(std::vector<std::uint64_t>& words) const {
    socket_.state(words);
    words.push_back(std::uint64_t{have_} << 16U | wanted_ << 8U | (broken_ ? 1U : 0U) | (by_tcp_ ? 2U : 0U) |
                    (sends_ ? 4U : 0U));
}

void Program::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event, actions);
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success) {
        if (event.what != Event::What::closed) actions.stream_close();
        broken_ = true;
        return fails(actions);
    }
    switch (event.what) {
        case Event::What::bytes: return readable(actions);
        case Event::What::read: return read(event.bytes, actions);
        case Event::What::sent:
            if (std::exchange(sends_, false)) has_sent(actions);
            return;
        case Event::What::received:
            if (socket_.received(event.tag, actions).confirms_link) confirms_link(actions);
            break;
        case Event::What::completion: socket_.completed(event.tag, actions); break;
        default: return;
    }
    if (socket_.has_sent()) has_sent(actions);
    if (const auto bytes = socket_.take()) came(*bytes, actions);
}

void Program::readable(Actions& actions) const {
    if (!by_tcp_) return actions.stream_receive({kClcIn, have_}, wanted_ - have_);
    actions.stream_receive({kIn, have_}, std::min(settings_.read, kHeader + most_ - have_));
}

void Program::read(std::uint32_t bytes, Actions& actions) {
    have_ += bytes;
    if (by_tcp_) {
        if (have_ < kHeader) return;
        const std::uint32_t of = boost::endian::load_little_u32(actions.memory({kIn, 0}, kHeader).data());
        if (have_ != kHeader + of) return;
        have_ = 0;
        if (std::exchange(sends_, false)) has_sent(actions);
        return came(of, actions);
    }
    if (have_ != wanted_) return;
    const std::span<const std::uint8_t> message = actions.memory({kClcIn, 0}, kClcMost);
    if (wanted_ == kClcHeader) {
        wanted_ = length_of(message);
        return;  // there is more, and this end is told of it
    }
    have_ = 0;
    wanted_ = kClcHeader;
    agrees(type_of(message), rmb_of(message), actions);
}

void Program::say(Clc type, Actions& actions) {
    write(type, actions.remote({kRmb, 0}), actions.memory({kClcOut, 0}, bytes_of(type)));
    actions.stream_send({kClcOut, 0}, bytes_of(type));
}

void Program::send(std::uint32_t operation, std::uint32_t bytes, Actions& actions) {
    boost::endian::store_little_u32(actions.memory({kOut, 0}, kHeader).data(), bytes);
    actions.produce({kOut, kHeader}, bytes, operation);
    if (by_tcp_) {
        sends_ = true;
        return actions.stream_send({kOut, 0}, kHeader + bytes);
    }
    socket_.send(kHeader + bytes, actions);
}

void Client::asked(const Event& event, Actions& actions) {
    if (is_broken()) return actions.ended(event.tag, Outcome::failed);
    operation_ = event.tag;
    bytes_ = event.bytes;
    open_ = true;
    if (agreed_) return begin(actions);
    say(Clc::proposal, actions);
}

void Client::agrees(Clc type, const Remote& rmb, Actions& actions) {
    if (type == Clc::decline) {
        fall_back();
        return begin(actions);
    }
    socket().connect(rmb);
    say(Clc::confirm, actions);
}

void Client::confirms_link(Actions& actions) {
    socket().confirm_link(actions);
    begin(actions);
}

void Client::begin(Actions& actions) {
    agreed_ = true;
    mark(Part::set_up, actions);
    send(operation_, bytes_, actions);
}

void Client::came(std::uint32_t bytes, Actions& actions) {
    actions.check({kIn, kHeader}, bytes, operation_);
    open_ = false;
    actions.ended(operation_, Outcome::complete);
}

void Client::fails(Actions& actions) {
    if (std::exchange(open_, false)) actions.ended(operation_, Outcome::failed);
}

void Server::agrees(Clc type, const Remote& rmb, Actions& actions) {
    if (type == Clc::confirm) {
        socket().connect(rmb);
        return socket().confirm_link(actions);
    }
    if (settings().refused) fall_back();
    say(settings().refused ? Clc::decline : Clc::accept, actions);
}

void Server::came(std::uint32_t bytes, Actions& actions) {
    actions.check({kIn, kHeader}, bytes, answered_);
    send(answered_++, bytes, actions);
}

}  // namespace rnicsim::applications::smc
