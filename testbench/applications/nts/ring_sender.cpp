// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_sender.h"

#include <algorithm>

namespace rnicsim::nts {

using What = Instruction::What;

/// Slots between where it is and the reader may be all but `spare`.
bool RingSender::has_room(const Sees& sees, std::uint32_t slots) const {
    const auto used = static_cast<std::int64_t>(slot_ - reader(sees));
    return std::int64_t{program_->shape.slots} - program_->rules.spare - used >= slots;
}

Instruction RingSender::next(const Sees& sees, const Message* message) const {
    if (!todo_.empty()) return todo_.back();
    if (sees.asked != 0) return {What::hear, program_->shape.asked_at(), sees.asked};
    if (sees.told != 0) return {What::heed, 0, sees.told};
    if (stopped_) return {};
    const bool drains = dirty_ && program_->rules.drain_behind;
    // What is left of the ring's in its core's buffers goes before: nothing else may come that drives it out.
    if (streams_ && drains) return {What::fence};
    if (streams_) return {message == nullptr ? What::rest : What::send};
    if (message == nullptr) return {drains ? What::fence : What::rest};
    if (is_between() && !has_room(sees, program_->shape.slots_of(message->bytes))) {
        if (drains) return {What::fence};
        if (program_->shape.loads_reader()) return {What::load, program_->shape.reader_at()};
        return {};
    }
    return instruction(sees, *message);
}

Instruction RingSender::instruction(const Sees& sees, const Message& message) const {
    using Step = RingProgram::Step;
    const RingShape& shape = program_->shape;
    const std::uint32_t slots = shape.slots_of(message.bytes);
    const std::uint64_t behind = slot_ + slots;
    const auto header = [&](std::uint64_t slot, Kind kind) {
        Header of{message.tag, static_cast<std::uint16_t>(message.bytes + kWord), kind, false};
        of.push = behind - reader(sees) > shape.slots / 2;
        return Instruction{What::store, shape.slot_at(program_->rules, slot), word_of(of)};
    };
    switch (program_->order(slots)[step_]) {
        case Step::first: return header(slot_, Kind::multi);
        case Step::payload: return program_->piece(message, slot_, piece_);
        case Step::fence: return {What::fence};
        case Step::last: return slots == 1 ? header(slot_, Kind::single) : header(behind - 1, Kind::end);
        case Step::index: return {shape.loads_writer() ? What::write : What::store, shape.writer_at(), behind};
        case Step::doorbell: return {What::doorbell};
    }
    return {};
}

void RingSender::done(const Instruction& what, std::uint64_t loaded, const Message* message) {
    if (what.what == What::load) {
        if (loaded != kAllOnes || !program_->rules.knows_ones) loaded_ = loaded;
        return;
    }
    if (what.what == What::hear) return hear(what.word);
    if (what.what == What::heed) return heed(what.word);
    if (what.what == What::send) {
        streamed_ = ++message_;
        return;
    }
    if (what.what == What::store || what.what == What::copy) dirty_ = true;
    if (what.what == What::fence || what.what == What::doorbell) dirty_ = false;
    if (!todo_.empty()) return todo_.pop_back();
    // A fence before it waits is of no message.
    if (message == nullptr || (is_between() && what.what == What::fence)) return;
    advance(*message);
}

void RingSender::advance(const Message& message) {
    const std::uint32_t slots = program_->shape.slots_of(message.bytes);
    const auto order = program_->order(slots);
    if (order[step_] == RingProgram::Step::payload && ++piece_ != program_->pieces(message.bytes)) return;
    piece_ = 0;
    if (++step_ != order.size()) return;
    step_ = 0;
    ++message_;
    slot_ += slots;
}

void RingSender::hear(std::uint64_t word) {
    const RingShape& shape = program_->shape;
    if (said_in(word) == Said::going_down) {
        stopped_ = true;
        streams_ = false;
        question_ = number_in(word);
        const auto answer = says(shape.answered_at(), word_of(Said::stopped, question_, streamed_));
        todo_.assign(answer.begin(), answer.end());
        // What it says of slots that the receiver will clear.
        if (shape.loads_writer() && program_->rules.takes_back_index) todo_.push_back({What::write, shape.writer_at()});
    } else if (said_in(word) == Said::up) {
        // One from before the link went down, which the stream has overtaken.
        if (streams_ && program_->rules.knows_stale) return;
        // The receiver may have taken a message of which the sender has yet to ring the doorbell.
        slot_ = nearest(slot_, more_in(word));
        if (program_->rules.goes_back) message_ = nearest(message_, number_in(word));
        stopped_ = false;
        step_ = piece_ = 0;
        loaded_ = slot_;
        todo_.clear();
        if (!shape.loads_reader()) todo_.push_back({What::write, shape.reader_at(), slot_});
        if (shape.loads_writer()) todo_.push_back({What::write, shape.writer_at(), slot_});
    }
}

/// The receiver waits for the stream, unless it has begun the ring anew since.
void RingSender::heed(std::uint64_t word) {
    const bool is_stale = nearest(question_, number_in(word)) < question_;
    if (is_stale && program_->rules.knows_stale) return;
    question_ = nearest(question_, number_in(word));
    message_ = nearest(message_, more_in(word));
    // What has gone by the stream comes.
    if (program_->rules.keeps_to_stream) message_ = std::max(message_, streamed_);
    streamed_ = message_;
    streams_ = true;
    stopped_ = false;
    step_ = piece_ = 0;
    todo_.clear();
}

void RingSender::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {message_ << 32U | std::uint64_t{step_} << 16U | piece_, slot_, loaded_,
                               (dirty_ ? 1U : 0U) | (stopped_ ? 2U : 0U) | (streams_ ? 4U : 0U) | todo_.size() << 3U});
    if (program_->shape.stream) words.push_back(streamed_ << 32U | question_);
    for (const Instruction& of : todo_) words.push_back(digest_of(of));
}

}  // namespace rnicsim::nts
