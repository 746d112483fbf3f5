// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_reader.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <string>

namespace rnicsim::nts {

using What = Instruction::What;

RingReader::RingReader(const NtsSettings& settings, const RingProgram& program, const Partition& partition,
                       unsigned side)
    : settings_(&settings), shape_(&program.shape), receiver_(program) {
    for (const Member& of : partition.members) lanes_.push_back({of.came_at(side), of.most, of.depth});
    lanes_.push_back({partition.heard_at(side), kWord, 1});
}

/// A byte of the length: it comes with all of the header. So does one of an index.
void RingReader::watch(Actions& actions) {
    if (shape_->notify == Notify::doorbell || shape_->loads_writer()) return;
    const std::uint32_t at = shape_->has_index() ? shape_->writer_at() : receiver_.header_at() + 4;
    if (watched_ == at) return;
    watched_ = at;
    actions.watch({kRing, at}, number(Tag::slot_changed));
}

/// What says that a message has come.
Time RingReader::unseen(Actions& actions) const {
    const Time header = actions.unseen({kRing, receiver_.header_at()}, kWord);
    return shape_->has_index() ? std::max(header, actions.unseen({kRing, shape_->writer_at()}, kWord)) : header;
}

void RingReader::start(Actions& actions) {
    actions.watch({kRing, shape_->answered_at()}, number(Tag::answered));
    actions.watch_link(number(Tag::link_changed));
    if (shape_->notify == Notify::doorbell) actions.watch_doorbell(number(Tag::rung));
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
        const Instruction what = receiver_.next(own(actions), {rung_, actions.link(), streamed_.has_value()});
        if (what.what == What::take && stores_.empty()) return take(actions);
        if (!does(what, actions)) {
            if (what.what == What::load && stores_.empty() && !actions.is_over()) {
                stores_.push_back(
                    {.what = Store::What::load, .own = {kOwn, OwnAt::kReceiverLoads}, .far = what.at, .bytes = kWord});
                loads_ = true;
            }
            break;
        }
        receiver_.done(what, 0, own(actions));
    }
    if (stores_.empty()) return watch(actions);
    busy_ = true;
    actions.store(stores_, number(Tag::pushed));
}

bool RingReader::does(const Instruction& what, Actions& actions) {
    switch (what.what) {
        case What::store:
            stores_.push_back({.what = Store::What::word, .far = what.at, .word = what.word});
            return true;
        case What::fence: stores_.push_back({.what = Store::What::fence}); return true;
        case What::write:
        case What::hear:
            if (!stores_.empty()) return false;
            // What is said is taken: nothing is left of it.
            boost::endian::store_little_u64(actions.memory({kRing, what.at}, kWord).data(),
                                            what.what == What::write ? what.word : 0);
            return true;
        case What::tell:
            if (tells_ || !stores_.empty()) return false;
            tell(what.word, actions);
            return true;
        case What::accept:
            if (!stores_.empty() || whole_) return false;
            add(streamed_->bytes, streamed_->tag, actions);
            streamed_.reset();
            return true;
        case What::wake:
        case What::sleep: return true;
        case What::clear: rung_ = false; return true;
        case What::see:
            if (!stores_.empty()) return false;
            actions.see_link();
            return true;
        default: return false;
    }
}

void RingReader::take(Actions& actions) {
    const std::uint32_t at = receiver_.header_at();
    if (const Time wait = unseen(actions); wait != Time{}) return actions.after(wait, number(Tag::slot_changed));
    const Header header = header_of(receiver_.header(own(actions)));
    const std::uint32_t bytes = header.bytes - kWord;
    const auto slot = [this] { return "slot " + std::to_string(receiver_.read()); };
    if (Schedule::member_in(header.message) >= lanes_.size())
        return actions.violates(slot() + " is of connection " + std::to_string(Schedule::member_in(header.message)) +
                                " of the partition, which has " + std::to_string(lanes_.size()));
    const Lane& to = lane(header.message);
    if (header.bytes <= kWord || bytes > settings_->payload() || to.got + bytes > to.most)
        return actions.violates(slot() + " has " + std::to_string(header.bytes) +
                                " bytes, more than its message has left");
    actions.work(settings_->rx);
    if (settings_->mode != Mode::direct) actions.copy(to.next(), {kRing, at + kWord}, bytes, settings_->slot);
    actions.then(number(Tag::taken));
    busy_ = true;
}

void RingReader::taken(Actions& actions) {
    busy_ = false;
    const Header header = header_of(receiver_.header(own(actions)));
    const std::uint32_t bytes = header.bytes - kWord;
    if (settings_->mode == Mode::direct)  // the program finds them in the ring
        std::ranges::copy(actions.memory({kRing, receiver_.header_at() + kWord}, bytes),
                          actions.memory(lane(header.message).next(), bytes).begin());
    receiver_.done({What::take}, 0, own(actions));
    add(bytes, header.message, actions);
}

/// A slot's, to its connection's message.
void RingReader::add(std::uint32_t bytes, std::uint16_t tag, Actions& actions) {
    actions.gets_on();
    const std::uint32_t member = Schedule::member_in(tag);
    Lane& to = lanes_[member];
    to.got += bytes;
    if (!Schedule::is_last_in(tag)) return;
    whole_ = {member, to.begin(), to.got};
    ++to.message;
    to.got = 0;
}

void RingReader::tell(std::uint64_t word, Actions& actions) {
    StreamFrame{.word = word}.write(actions.memory({kOwn, OwnAt::kWord}, StreamFrame::kBytes));
    tells_ = has_word_ = true;
}

void RingReader::pushed(Actions& actions) {
    busy_ = false;
    if (loads_)
        receiver_.done({What::load}, word_at(actions.memory({kOwn, OwnAt::kReceiverLoads}, kWord), 0), own(actions));
    loads_ = false;
    look(actions);
}

void RingReader::state(std::vector<std::uint64_t>& words) const {
    receiver_.state(words);
    for (const Lane& of : lanes_) words.push_back(std::uint64_t{of.message} << 32U | of.got);
    words.push_back({(busy_ ? 1U : 0U) | (loads_ ? 2U : 0U) | (rung_ ? 4U : 0U) | (tells_ ? 8U : 0U)});
    if (streamed_) words.push_back(std::uint64_t{streamed_->bytes} << 16U | streamed_->tag);
}

}  // namespace rnicsim::nts
