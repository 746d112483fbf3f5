// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/smc/socket.h"

#include <array>
#include <utility>

namespace rnicsim::applications::smc {

void Socket::start(Actions& actions) {
    for (std::uint32_t tag = 0; tag < kSlots; ++tag) actions.post_receive({kSlotsIn, tag * kMessage}, kMessage, tag);
}

void Socket::send(std::uint32_t bytes, Actions& actions) {
    actions.system_call();
    bytes_ = rest_ = bytes;
    sends_ = true;
    offer(actions);
}

bool Socket::has_sent() {
    if (!sends_ || rest_ != 0 || written_ != offered_) return false;
    sends_ = false;
    return true;
}

/// All that has room. One that waits sends as much as it hears that there is room for.
void Socket::offer(Actions& actions) {
    while (rest_ != 0 && room() != 0) {
        const std::uint32_t bytes = std::min(rest_, room());
        Saying piece{{.blocked = settings_.wait && rest_ >= room()}, bytes};
        piece.message.consumed = confirmed_ = consumed_;
        rest_ -= bytes;
        offered_ += bytes;
        say(piece, actions);
    }
}

void Socket::say(const Saying& what, Actions& actions) {
    waiting_.push_back(what);
    go_on(actions);
}

void Socket::go_on(Actions& actions) {
    while (!waiting_.empty() && in_flight_ != kSlots && waiting_.front().bytes <= free_) {
        Saying next = waiting_.front();
        waiting_.pop_front();
        if (next.bytes != 0) write(next.bytes, actions);
        next.message.produced = written_;
        const Place slot{kSlotsOut, said_++ % kSlots * kMessage};
        smc::write(next.message, actions.memory(slot, kMessage));
        WorkRequest request;
        request.local = slot;
        request.bytes = kMessage;
        request.tag = next.bytes;
        request.solicited = true;
        actions.post_send(request);
        ++in_flight_;
    }
}

/// From the user's memory through the ring: both rings wrap at the same byte.
void Socket::write(std::uint32_t bytes, Actions& actions) {
    free_ -= bytes;
    const std::uint64_t beginning = offered_ + rest_ - bytes_;
    const std::uint32_t first = until_wrap(written_, bytes);
    const std::array pieces{first, bytes - first};
    for (std::uint64_t at = written_; const std::uint32_t piece : pieces) {
        if (piece != 0) {
            const Place from{kOut, static_cast<std::uint32_t>(at - beginning)};
            actions.copy({kSending, ring(at)}, from, piece, bytes_);
        }
        at += piece;
    }
    for (const std::uint32_t piece : pieces) {
        if (piece == 0) continue;
        WorkRequest request;
        request.verb = rc::Verb::write;
        request.local = {kSending, ring(written_)};
        request.bytes = piece;
        request.remote = {rmb_.address + ring(written_), rmb_.key};
        request.signaled = false;
        actions.post_send(request);
        written_ += piece;
    }
}

void Socket::completed(std::uint32_t tag, Actions& actions) {
    --in_flight_;
    free_ += tag;
    go_on(actions);
}

Cdc Socket::received(std::uint32_t tag, Actions& actions) {
    const Place slot{kSlotsIn, tag * kMessage};
    const Cdc message = smc::read(actions.memory(slot, kMessage));
    actions.post_receive(slot, kMessage, tag);
    if (message.confirms_link) return message;
    taken_ = message.consumed;
    offer(actions);
    read_all(message, actions);
    return message;
}

void Socket::read_all(const Cdc& message, Actions& actions) {
    while (consumed_ != message.produced) {
        const auto bytes =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(settings_.read, message.produced - consumed_));
        actions.system_call();
        copy_out(bytes, actions);
        if (!settings_.is_worth_telling(consumed_ - confirmed_, message.blocked)) continue;
        confirmed_ = consumed_;
        say({{.consumed = consumed_}, 0}, actions);
    }
}

void Socket::copy_out(std::uint32_t bytes, Actions& actions) {
    // A message begins in an RMB that is empty: its header is there with its first byte.
    if (got_ == 0) {
        std::array<std::uint8_t, kHeader> header{};
        for (std::uint32_t i = 0; i < kHeader; ++i) header.at(i) = actions.memory({kRmb, ring(consumed_ + i)}, 1)[0];
        coming_ = kHeader + std::min(boost::endian::load_little_u32(header.data()), most_);
    }
    while (bytes != 0) {
        // Bytes behind a message's end come with a fault only.
        const std::uint32_t piece = until_wrap(consumed_, bytes), wanted = std::min(piece, coming_ - got_);
        if (wanted != 0) actions.copy({kIn, got_}, {kRmb, ring(consumed_)}, wanted, coming_);
        consumed_ += piece;
        got_ += wanted;
        bytes -= piece;
    }
}

std::optional<std::uint32_t> Socket::take() {
    if (got_ == 0 || got_ != coming_) return {};
    got_ = 0;
    return coming_ - kHeader;
}

void Socket::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {rmb_.address, std::uint64_t{bytes_} << 32U | rest_, offered_, written_, taken_, free_,
                               std::uint64_t{said_ % kSlots} << 32U | in_flight_, sends_ ? 1U : 0U, consumed_,
                               confirmed_, std::uint64_t{got_} << 32U | coming_});
    for (const Saying& one : waiting_)
        words.insert(words.end(), {one.bytes, one.message.consumed,
                                   (one.message.blocked ? 1U : 0U) + (one.message.confirms_link ? 2U : 0U)});
}

}  // namespace rnicsim::applications::smc
