// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_writer.h"

#include "testbench/applications/nts/ring_ends.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace rnicsim::nts {

void RingWriter::look(Actions& actions) {
    const Place place{kRing, shape_.reader_at()};
    if (const Time wait = actions.unseen(place, kWord); wait != Time{})
        return actions.after(wait, number(Tag::reader_seen));
    reader_ = word_at(actions.memory(place, kWord), 0);
    go_on(actions);
}

/// A slot is never used: a full ring would look like an empty one.
bool RingWriter::has_room() const { return !settings_->push || written_ - reader_ < shape_.slots - 1; }

void RingWriter::go_on(Actions& actions) {
    if (stores_ || waiting_.empty() || !has_room()) return;
    const Message& message = waiting_.front();
    const std::uint32_t bytes = std::min(settings_->payload(), message.bytes - sent_);
    const bool is_last = sent_ + bytes == message.bytes;
    Header header{static_cast<std::uint16_t>(message.operation << 1U | (is_last ? 1U : 0U)),
                  static_cast<std::uint16_t>(bytes + kWord), Kind::single, false};
    header.push = written_ + 1 - reader_ > shape_.slots / 2;
    const std::uint32_t slot = shape_.slot_at({}, static_cast<std::uint32_t>(written_ % shape_.slots));
    const Store copy{
        .what = Store::What::copy, .from = {kUser, message.at + sent_}, .to = slot + kWord, .bytes = bytes};
    const Store fence{.what = Store::What::fence};
    const Store last{.what = Store::What::word, .to = slot, .word = word_of(header)};
    actions.work(settings_->tx);
    stores_ = true;
    // Behind the last header nothing would drive it out: a fence does. Of those before it the next payload's does.
    const bool drains = is_last && waiting_.size() == 1;
    std::array<Store, 4> program{copy, fence, last, fence};
    if (!settings_->fence) std::swap(program[1], program[2]);
    actions.store(std::span(program).first(drains && settings_->fence ? 4 : 3), number(Tag::stored));
    sent_ += bytes;
}

void RingWriter::stored(Actions& actions) {
    stores_ = false;
    ++written_;
    if (sent_ == waiting_.front().bytes) {
        waiting_.pop_front();
        sent_ = 0;
    }
    go_on(actions);
}

void RingWriter::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(),
                 {written_ << 1U | (stores_ ? 1U : 0U), reader_, std::uint64_t{sent_} << 32U | waiting_.size()});
    for (const Message& of : waiting_) words.push_back(std::uint64_t{of.operation} << 32U | of.bytes);
}

}  // namespace rnicsim::nts
