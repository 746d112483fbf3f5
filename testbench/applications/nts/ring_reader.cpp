// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_reader.h"

#include <boost/endian/conversion.hpp>

#include <string>

namespace rnicsim::nts {

using What = Instruction::What;

/// A byte of the length: it comes with all of the header.
void RingReader::watch(Actions& actions) {
    if (watched_ == receiver_.header_at()) return;
    watched_ = receiver_.header_at();
    actions.watch({kRing, *watched_ + 4}, number(Tag::slot_changed));
}

void RingReader::start(Actions& actions) {
    actions.watch({kRing, shape_->answered_at()}, number(Tag::answered));
    actions.watch_link(number(Tag::link_changed));
    look(actions);
}

void RingReader::answered(Actions& actions) {
    const Place place{kRing, shape_->answered_at()};
    if (const Time wait = actions.unseen(place, kWord); wait != Time{})
        return actions.after(wait, number(Tag::answered));
    actions.watch(place, number(Tag::answered));
    look(actions);
}

void RingReader::look(Actions& actions) {
    if (busy_) return;
    stores_.clear();
    for (;;) {
        const Instruction what = receiver_.next(own(actions), {false, actions.link()});
        if (what.what == What::take && stores_.empty()) return take(actions);
        if (!does(what, actions)) break;
        receiver_.done(what, 0, own(actions));
    }
    if (stores_.empty()) return watch(actions);
    busy_ = true;
    actions.store(stores_, number(Tag::pushed));
}

bool RingReader::does(const Instruction& what, Actions& actions) {
    switch (what.what) {
        case What::store: stores_.push_back({.what = Store::What::word, .to = what.at, .word = what.word}); return true;
        case What::fence: stores_.push_back({.what = Store::What::fence}); return true;
        case What::write:
        case What::hear:
            if (!stores_.empty()) return false;
            // What is said is taken: nothing is left of it.
            boost::endian::store_little_u64(actions.memory({kRing, what.at}, kWord).data(),
                                            what.what == What::write ? what.word : 0);
            return true;
        case What::see:
            if (!stores_.empty()) return false;
            actions.see_link();
            return true;
        default: return false;
    }
}

void RingReader::take(Actions& actions) {
    const std::uint32_t at = receiver_.header_at();
    if (const Time wait = actions.unseen({kRing, at}, kWord); wait != Time{})
        return actions.after(wait, number(Tag::slot_changed));
    const Header header = header_of(receiver_.header(own(actions)));
    const std::uint32_t bytes = header.bytes - kWord;
    if (header.bytes <= kWord || bytes > settings_->payload() || got_ + bytes > most_)
        return actions.violates("slot " + std::to_string(receiver_.read()) + " has " + std::to_string(header.bytes) +
                                " bytes, more than its message has left");
    actions.work(settings_->rx);
    actions.copy({kUser, place().offset + got_}, {kRing, at + kWord}, bytes, settings_->slot);
    actions.then(number(Tag::taken));
    busy_ = true;
}

std::optional<RingWriter::Whole> RingReader::taken(Actions& actions) {
    busy_ = false;
    const Header header = header_of(receiver_.header(own(actions)));
    receiver_.done({What::take}, 0, own(actions));
    got_ += header.bytes - kWord;
    if ((header.message & 1U) == 0) return std::nullopt;
    const RingWriter::Whole whole{operation_, place().offset, got_};
    ++operation_;
    got_ = 0;
    return whole;
}

void RingReader::state(std::vector<std::uint64_t>& words) const {
    receiver_.state(words);
    words.insert(words.end(), {std::uint64_t{operation_} << 32U | got_, busy_ ? 1U : 0U});
}

}  // namespace rnicsim::nts
