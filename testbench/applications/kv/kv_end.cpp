// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/kv_end.h"

#include <algorithm>

namespace rnicsim::applications::kv {

Pipe pipe_of(const TrafficConfig& item, const Seat& seat) {
    const KvSettings& of = kv_of(item);
    switch (of.transport) {
        case KvTransport::tcp: return SocketPipe();
        case KvTransport::rdma: return RdmaPipe(of);
        case KvTransport::nts: break;
    }
    return RingPipe(item, seat);
}

void KvEnd::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) asked(event.tag, event.bytes, actions);
    if (broken_) return;
    if (event.what == Event::What::closed || event.status != rc::Status::success) return close(actions);
    if (moves_ && event.what == Event::What::done && event.tag == kMoves) {
        // What is left of a message goes to the front: at most one, and not charged.
        const std::span<std::uint8_t> all = actions.memory({kIn, 0}, query_.capacity);
        std::copy(all.begin() + query_.begin, all.begin() + query_.end, all.begin());
        query_ = {.capacity = query_.capacity, .begin = 0, .end = query_.size()};
        moves_ = false;
        return go_on(actions);
    }
    std::visit([&](auto& pipe) { pipe.on(event, actions, query_, *this); }, pipe_);
}

void KvEnd::go_on(Actions& actions) {
    while (!broken_ && take(actions)) {}
    if (broken_ || moves_) return;
    if (query_.size() == 0) query_.begin = query_.end = 0;
    if (query_.room() < slot_bytes_ && query_.begin != 0) {
        moves_ = true;
        return actions.then(kMoves);  // what has been taken from there may not have been judged before
    }
    std::visit([&](auto& pipe) { pipe.read(actions, query_); }, pipe_);
}

void KvEnd::send(std::uint32_t operation, const Head& head, std::uint32_t value, bool has_value, Actions& actions) {
    const Place at{kOut, operation % depth_ * slot_bytes_};
    std::uint32_t bytes = head.bytes;
    std::copy_n(head.text.begin(), head.bytes, actions.memory(at, head.bytes).begin());
    if (has_value) {
        actions.produce({kOut, at.offset + bytes}, value, operation);
        bytes += value;
        const auto length = static_cast<std::uint32_t>(kLineEnd.size());
        std::ranges::copy(kLineEnd, actions.memory({kOut, at.offset + bytes}, length).begin());
        bytes += length;
    }
    std::visit([&](auto& pipe) { pipe.send(at, bytes, actions); }, pipe_);
}

void KvEnd::close(Actions& actions) {
    broken_ = true;
    std::visit([&](auto& pipe) { pipe.close(actions); }, pipe_);
    fails(actions);
}

void KvEnd::state(std::vector<std::uint64_t>& words) const {
    std::visit([&](const auto& pipe) { pipe.state(words); }, pipe_);
    words.push_back(std::uint64_t{query_.begin} << 32U | query_.end);
    words.push_back((moves_ ? 1U : 0U) | (broken_ ? 2U : 0U));
}

}  // namespace rnicsim::applications::kv
