// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/pipe.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>

namespace rnicsim::applications::kv {

void RdmaPipe::start(Actions& actions) {
    for (std::uint32_t tag = 0; tag < settings_.receives; ++tag) post_receive(tag, actions);
    actions.after({}, kStarts);
}

void RdmaPipe::tell(Actions& actions) const {
    const std::span<std::uint8_t> out = actions.memory({kTell, 0}, kTold);
    const Remote here = actions.remote({kReceive, 0});
    boost::endian::store_big_u64(&out[8], here.address);
    boost::endian::store_big_u32(&out[16], settings_.rx_size);
    boost::endian::store_big_u32(&out[20], here.key);
    WorkRequest request;
    request.local = {kTell, 0};
    request.bytes = kTold;
    request.tag = kTellTag;
    actions.post_send(request);
}

void RdmaPipe::on(const Event& event, Actions& actions, Query& query, PipeReader& reader) {
    switch (event.what) {
        case Event::What::timer: return tell(actions);
        case Event::What::received:
            if (event.immediate == 0) {
                const std::span<const std::uint8_t> told = actions.memory({kSlots, event.tag * kTold}, kTold);
                there_ = {boost::endian::load_big_u64(&told[8]), boost::endian::load_big_u32(&told[20])};
                written_ = 0;
                may_write_ = true;
                post_receive(event.tag, actions);
                return write(actions);
            }
            came_ += event.immediate;
            post_receive(event.tag, actions);
            return read(actions, query);
        case Event::What::done:
            if (event.tag != kHasRead) return;
            query.end += reads_;
            read_ += reads_;
            reads_ = 0;
            if (read_ == settings_.rx_size) {
                read_ = 0;
                came_ -= settings_.rx_size;
                tell(actions);
            }
            return reader.has_read(actions);
        default: return;
    }
}

void RdmaPipe::read(Actions& actions, const Query& query) {
    if (reads_ != 0) return;
    reads_ = std::min({came_ - read_, settings_.rx_size - read_, query.room()});
    if (reads_ == 0) return;
    actions.copy({kIn, query.end}, {kReceive, read_}, reads_, reads_);
    actions.then(kHasRead);
}

void RdmaPipe::send(Place from, std::uint32_t bytes, Actions& actions) {
    waiting_.push(from, bytes);
    write(actions);
}

void RdmaPipe::write(Actions& actions) {
    while (may_write_ && !waiting_.empty()) {
        const std::uint32_t bytes = std::min(waiting_.bytes(), settings_.rx_size - written_);
        const Place copy{kSend, written_};
        actions.copy(copy, waiting_.from(), bytes, waiting_.bytes());
        writes_ = (writes_ + 1) % settings_.signal_every;
        WorkRequest request;
        request.verb = rc::Verb::write_imm;
        request.local = copy;
        request.bytes = bytes;
        request.remote = {there_.address + written_, there_.key};
        request.immediate = bytes;
        request.tag = kWrite;
        request.signaled = writes_ == 0;
        actions.post_send(request);
        waiting_.sent(bytes);
        written_ += bytes;
        if (written_ != settings_.rx_size) continue;
        may_write_ = !settings_.waits_for_room;
        written_ = 0;
    }
}

void RdmaPipe::state(std::vector<std::uint64_t>& words) const {
    waiting_.state(words);
    words.insert(words.end(), {there_.address, std::uint64_t{written_} << 32U | writes_,
                               std::uint64_t{came_} << 32U | read_, reads_, may_write_ ? 1U : 0U});
}

void SocketPipe::on(const Event& event, Actions& actions, Query& query, PipeReader& reader) {
    switch (event.what) {
        case Event::What::bytes: readable_ = true; return read(actions, query);
        case Event::What::read:
            reads_ = false;
            query.end += event.bytes;
            return reader.has_read(actions);
        case Event::What::sent: sends_ = false; return write(actions);
        default: return;
    }
}

void SocketPipe::read(Actions& actions, const Query& query) {
    if (!readable_ || reads_ || query.room() == 0) return;
    readable_ = false;
    reads_ = true;
    actions.stream_receive({kIn, query.end}, query.room());
}

void SocketPipe::send(Place from, std::uint32_t bytes, Actions& actions) {
    waiting_.push(from, bytes);
    write(actions);
}

void SocketPipe::write(Actions& actions) {
    if (sends_ || waiting_.empty()) return;
    sends_ = true;
    const Place from = waiting_.from();
    const std::uint32_t bytes = waiting_.bytes();
    waiting_.sent(bytes);
    actions.stream_send(from, bytes);
}

void SocketPipe::state(std::vector<std::uint64_t>& words) const {
    waiting_.state(words);
    words.push_back((sends_ ? 1U : 0U) | (reads_ ? 2U : 0U) | (readable_ ? 4U : 0U));
}

}  // namespace rnicsim::applications::kv
