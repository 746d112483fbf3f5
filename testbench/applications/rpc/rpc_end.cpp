// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/rpc/rpc_end.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace rnicsim::applications::rpc {

std::uint32_t slot_bytes(const TrafficConfig& item) {
    return RpcSettings::kHeader + std::max(item.size, rpc_of(item).answer);
}

RpcEnd::RpcEnd(const TrafficConfig& item)
    : settings_(rpc_of(item)),
      slot_bytes_(rpc::slot_bytes(item)),
      depth_(item.verbs.depth),
      window_(settings_.most()) {}

void RpcEnd::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {in_.operation, in_.bytes, in_.done, window_, owed_, unheard_, unheard_bytes_,
                               unheard_credits_, unsignaled_, std::uint64_t{wants_} << 32U | have_,
                               (broken_ ? 1U : 0U) + (there_ ? 2U : 0U), out_.size()});
    for (const Whole& of : out_) words.insert(words.end(), {of.operation, of.bytes, of.done});
}

void RpcEnd::start(Actions& actions) {
    for (std::uint32_t tag = 0; tag < settings_.queue; ++tag) post_receive(tag, actions);
}

void RpcEnd::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event.tag, event.bytes, actions);
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success) {
        broken_ = true;
        if (event.what != Event::What::closed) actions.stream_close();
        return fails(actions);
    }
    switch (event.what) {
        case Event::What::bytes: return actions.stream_receive({kStreamIn, have_}, wants_ - have_);
        case Event::What::read:
            have_ += event.bytes;
            if (have_ != wants_) return;
            have_ = 0;
            return heard(actions);
        case Event::What::received: return received(event, actions);
        default: return;  // a completion makes room in the send queue, of which there is enough
    }
}

void RpcEnd::say(std::uint32_t bytes, Actions& actions) { actions.stream_send({kStreamOut, 0}, bytes); }

void RpcEnd::begin(Actions& actions) {
    there_ = true;
    for (const Whole& of : out_) actions.mark(of.operation, static_cast<unsigned>(Part::hello));
    flush(actions);
}

void RpcEnd::send(std::uint32_t operation, std::uint32_t bytes, Actions& actions) {
    const Place at{kPool, slot(operation)};
    const std::span<std::uint8_t> header = actions.memory(at, RpcSettings::kHeader);
    boost::endian::store_little_u32(&header[0], operation);
    boost::endian::store_little_u32(&header[4], bytes);
    actions.produce({kPool, at.offset + RpcSettings::kHeader}, bytes, operation);
    out_.push_back({operation, RpcSettings::kHeader + bytes, 0});
    flush(actions);
}

void RpcEnd::flush(Actions& actions) {
    while (there_ && !out_.empty() && may_send()) post_message(actions);
}

void RpcEnd::post_message(Actions& actions) {
    Whole& of = out_.front();
    WorkRequest request;
    request.verb = rc::Verb::send_imm;
    request.local = {kPool, slot(of.operation) + of.done};
    request.bytes = std::min(settings_.payload(), of.bytes - of.done);
    request.immediate = std::exchange(owed_, 0);
    of.done += request.bytes;
    const bool ends = of.done == of.bytes;
    request.solicited = wakes(request.bytes, request.immediate, ends && out_.size() == 1);
    request.signaled = ++unsignaled_ >= settings_.quarter();
    if (request.signaled) unsignaled_ = 0;
    actions.post_send(request);
    if (settings_.window) --window_;
    if (!ends) return;
    actions.mark(of.operation, static_cast<unsigned>(Part::send));
    out_.pop_front();
}

/// The other end has to hear of the last message that it gets for now; of others before it runs out of credits, or
/// holds too much.
bool RpcEnd::wakes(std::uint32_t bytes, std::uint32_t credits, bool last) {
    if (settings_.solicit != Solicit::some) return settings_.solicit == Solicit::all;
    const bool stops = last || (settings_.window && window_ == 1);
    if (stops || unheard_ > settings_.quarter() || unheard_credits_ > settings_.quarter() ||
        unheard_bytes_ > RpcSettings::kUnheard) {
        unheard_ = unheard_bytes_ = unheard_credits_ = 0;
        return true;
    }
    ++unheard_;
    unheard_bytes_ += bytes;
    unheard_credits_ += credits;
    return false;
}

void RpcEnd::received(const Event& event, Actions& actions) {
    if (event.bytes != 0) take({kBlocks, event.tag * settings_.block}, event.bytes, actions);
    window_ += event.immediate;
    post_receive(event.tag, actions);
    if (event.bytes != 0) give_back(actions);
    if (in_.bytes != 0 && in_.done == in_.bytes) {
        const Whole of = std::exchange(in_, {});
        came(of.operation, of.bytes - RpcSettings::kHeader, {kUser, slot(of.operation) + RpcSettings::kHeader},
             actions);
    }
    flush(actions);
}

/// A message stays in its block, and the block is the user's; a short one is copied.
void RpcEnd::take(Place from, std::uint32_t bytes, Actions& actions) {
    if (in_.done == 0) {
        const std::span<const std::uint8_t> header = actions.memory(from, RpcSettings::kHeader);
        in_.operation = boost::endian::load_little_u32(&header[0]);
        in_.bytes = RpcSettings::kHeader + boost::endian::load_little_u32(&header[4]);
    }
    const Place to{kUser, slot(in_.operation) + in_.done};
    if (bytes < RpcSettings::kCopied) {
        actions.copy(to, from, bytes, bytes);
    } else {
        std::ranges::copy(actions.memory(from, bytes), actions.memory(to, bytes).begin());
    }
    in_.done += bytes;
}

/// By an ACK, if no message has said it for too long.
void RpcEnd::give_back(Actions& actions) {
    if (++owed_ < settings_.ack_at()) return;
    WorkRequest request;
    request.verb = rc::Verb::send_imm;
    request.immediate = std::exchange(owed_, 0);
    request.solicited = true;
    actions.post_send(request);
}

}  // namespace rnicsim::applications::rpc
