// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_reader.h"

#include "testbench/applications/nts/ring_ends.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <string>

namespace rnicsim::nts {

/// The length is 0: nobody has written. Told of a write that changed nothing of it, it goes on waiting.
void RingReader::look(Actions& actions) {
    if (busy_) return;
    const Header header = header_of(word_at(actions.memory({kRing, slot()}, kWord), 0));
    if (header.bytes == 0) return watch(actions);
    if (const Time wait = actions.unseen({kRing, slot()}, kWord); wait != Time{})
        return actions.after(wait, number(Tag::slot_changed));
    const std::uint32_t bytes = header.bytes - kWord;
    if (header.bytes <= kWord || bytes > settings_->payload() || got_ + bytes > most_)
        return actions.violates("slot " + std::to_string(read_) + " has " + std::to_string(header.bytes) +
                                " bytes, more than its message has left");
    actions.work(settings_->rx);
    actions.copy({kUser, place().offset + got_}, {kRing, slot() + kWord}, bytes, settings_->slot);
    actions.then(number(Tag::taken));
    busy_ = true;
}

std::optional<RingReader::Message> RingReader::taken(Actions& actions) {
    const std::span<std::uint8_t> word = actions.memory({kRing, slot()}, kWord);
    const Header header = header_of(word_at(word, 0));
    if (settings_->zero) boost::endian::store_little_u64(word.data(), 0);
    got_ += header.bytes - kWord;
    ++read_;
    std::optional<Message> whole;
    if ((header.message & 1U) != 0) {
        whole = Message{operation_, place().offset, got_};
        ++operation_;
        got_ = 0;
    }
    if (settings_->push && (header.push || read_ - told_ >= settings_->push_each)) {
        told_ = read_;
        const std::array<Store, 2> program{
            Store{.what = Store::What::word, .to = shape_.reader_at(), .word = read_},
            Store{.what = Store::What::fence},
        };
        actions.store(program, number(Tag::pushed));
    } else {
        busy_ = false;
    }
    return whole;
}

void RingReader::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {read_ << 1U | (busy_ ? 1U : 0U), told_, std::uint64_t{operation_} << 32U | got_});
}

}  // namespace rnicsim::nts
