// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_writer.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <span>

namespace rnicsim::nts {

using What = Instruction::What;

/// Told of it, it waits until this core sees it.
void RingWriter::changed(Actions& actions, std::uint32_t at, Tag tag, std::uint64_t& seen) {
    const Place place{kRing, at};
    if (const Time wait = actions.unseen(place, kWord); wait != Time{}) return actions.after(wait, number(tag));
    watch(actions, at, tag);
    seen = word_at(actions.memory(place, kWord), 0);
    go_on(actions);
}

/// The one that the sender wants: which connection's that is is decided when it is wanted first.
const Message* RingWriter::message() {
    const std::uint64_t wanted = sender_.message();
    while (wanted >= first_ + slots_.size()) {
        const std::optional<Message> next = schedule_.next();
        if (!next) return nullptr;
        slots_.push_back(*next);
    }
    return &slots_[wanted - first_];
}

/// Each message has one slot. What has gone by the stream is never asked for again.
void RingWriter::forget_what_was_read() {
    const std::uint64_t unread = sender_.slot() - sender_.reader(sees_);
    for (; !slots_.empty() && first_ + unread < sender_.message(); ++first_) slots_.pop_front();
}

bool RingWriter::gives(const Instruction& what, Actions& actions) {
    switch (what.what) {
        case What::copy:
            if (sender_.is_between() && !stores_.empty()) return false;  // the next message
            if (sender_.is_between()) actions.work(settings_->tx);
            stores_.push_back({.what = Store::What::copy,
                               .own = {kUser, static_cast<std::uint32_t>(what.from)},
                               .far = what.at,
                               .bytes = what.bytes});
            return true;
        case What::store:
            stores_.push_back({.what = Store::What::word, .far = what.at, .word = what.word});
            return true;
        case What::fence: stores_.push_back({.what = Store::What::fence}); return true;
        case What::write:
            if (!stores_.empty()) return false;
            boost::endian::store_little_u64(actions.memory({kRing, what.at}, kWord).data(), what.word);
            if (what.at == shape_->reader_at()) sees_.reader = what.word;
            return true;
        case What::hear: {
            if (!stores_.empty()) return false;
            // What is said is taken: nothing is left of it. What has been said since stays: changed() comes for it.
            const std::span<std::uint8_t> said = actions.memory({kRing, what.at}, kWord);
            if (word_at(said, 0) == what.word) boost::endian::store_little_u64(said.data(), 0);
            sees_.asked = 0;
            return true;
        }
        case What::heed:
            if (stores_.empty()) sees_.told = 0;
            return stores_.empty();
        case What::doorbell: stores_.push_back({.what = Store::What::doorbell}); return true;
        default: return false;
    }
}

void RingWriter::begins(const Instruction& what, Actions& actions) {
    if (what.what == What::load && !actions.is_over()) {
        stores_.push_back(
            {.what = Store::What::load, .own = {kOwn, OwnAt::kSenderLoads}, .far = what.at, .bytes = kWord});
        loads_ = true;
    } else if (what.what == What::send) {
        sends_ = *message();
        StreamFrame{.bytes = sends_.bytes, .tag = sends_.tag}.write(
            actions.memory({kOwn, OwnAt::kMessage}, StreamFrame::kBytes));
        pieces_ = 2;
        busy_ = true;
        sender_.done(what, 0, &sends_);
    }
}

std::optional<StreamPiece> RingWriter::piece() {
    if (pieces_ == 0) return std::nullopt;
    if (--pieces_ == 1) return StreamPiece{{kOwn, OwnAt::kMessage}, StreamFrame::kBytes};
    return StreamPiece{{kUser, static_cast<std::uint32_t>(sends_.from)}, sends_.bytes};
}

void RingWriter::go_on(Actions& actions) {
    if (busy_) return;
    stores_.clear();
    for (;;) {
        const Message* const now = message();
        const Instruction what = sender_.next(sees_, now);
        if (!gives(what, actions)) {
            if (stores_.empty()) begins(what, actions);
            break;
        }
        sender_.done(what, 0, now);
    }
    forget_what_was_read();
    if (stores_.empty()) return;
    busy_ = true;
    actions.store(stores_, number(Tag::stored));
}

void RingWriter::stored(Actions& actions) {
    busy_ = false;
    if (loads_) sender_.done({What::load}, word_at(actions.memory({kOwn, OwnAt::kSenderLoads}, kWord), 0), message());
    loads_ = false;
    go_on(actions);
}

void RingWriter::state(std::vector<std::uint64_t>& words) const {
    sender_.state(words);
    words.insert(words.end(), {sees_.reader, sees_.asked, sees_.told, first_ << 1U | (busy_ ? 1U : 0U),
                               std::uint64_t{pieces_} << 1U | (loads_ ? 1U : 0U)});
    for (const Message& of : slots_) words.push_back(of.from << 32U | std::uint64_t{of.tag} << 16U | of.bytes);
    schedule_.state(words);
}

}  // namespace rnicsim::nts
