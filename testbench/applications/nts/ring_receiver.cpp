// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_receiver.h"

#include <algorithm>

namespace rnicsim::nts {

using What = Instruction::What;

RingReceiver::RingReceiver(const RingProgram& program) : program_(&program) {
    if (program.rules.clears_before_up) return;
    for (std::uint32_t slot = 0; slot < program.shape.slots; ++slot)
        todo_.push_back({What::write, program.shape.slot_at(program.rules, slot)});
}

void RingReceiver::begin_anew() {
    awake_ = looked_ = told_sender_ = false;
    loaded_ = read_;
    ++asked_;
    if (!program_->rules.asks_first) return clear_and_say_up();
    anew_ = Anew::asks;
    const auto question = says(program_->shape.asked_at(), word_of(Said::going_down, asked_));
    todo_.assign(question.begin(), question.end());
}

void RingReceiver::clear_and_say_up() {
    const RingShape& shape = program_->shape;
    anew_ = Anew::clears;
    todo_.clear();
    if (!shape.has_index()) {
        for (std::uint32_t slot = 0; slot < shape.slots; ++slot)
            todo_.push_back({What::write, shape.slot_at(program_->rules, slot)});
    } else {
        if (!shape.loads_writer()) todo_.push_back({What::write, shape.writer_at(), read_});
        if (shape.loads_reader()) todo_.push_back({What::write, shape.reader_at(), read_});
    }
    const auto up = says(shape.asked_at(), word_of(Said::up, taken_, read_));
    todo_.insert(program_->rules.clears_again_first ? todo_.begin() : todo_.end(), up.begin(), up.end());
    told_ = read_;
}

bool RingReceiver::finds(Memory own) const {
    const RingShape& shape = program_->shape;
    if (shape.has_index()) return (shape.loads_writer() ? loaded_ : word_at(own, shape.writer_at())) > read_;
    const Header first = header_of(header(own));
    if (first.bytes == 0) return false;
    if (first.kind != Kind::multi) return true;
    const std::uint32_t slots = shape.slots_of(first.bytes - kWord);
    const std::uint32_t last = shape.slot_at(program_->rules, read_ + slots - 1);
    return slots > shape.slots || header_of(word_at(own, last)).kind == Kind::end;
}

Instruction RingReceiver::next(Memory own, const Signals& signals) const {
    const bool waits = anew_ == Anew::waits || anew_ == Anew::drains;
    if (signals.streamed) return {What::accept};
    if (signals.link == Link::down && program_->shape.stream && !told_sender_)
        return {What::tell, 0, word_of(Said::up, asked_, taken_)};
    const bool takes = todo_.empty() && !waits && finds(own);
    if (signals.link != Link::up && (program_->rules.looks_at_link || !takes))
        return {signals.link == Link::back ? What::see : What::rest};
    if (!todo_.empty()) return todo_.back();
    const std::uint32_t answered_at = program_->shape.answered_at();
    if (const std::uint64_t answer = word_at(own, answered_at); answer != 0) return {What::hear, answered_at, answer};
    if (waits) return {};
    const bool sleeps = program_->shape.notify == Notify::doorbell && !awake_;
    if (sleeps && !signals.rung) return {};
    if (sleeps) return {program_->rules.clears_doorbell_first ? What::clear : What::wake};
    if (looked_) return {What::clear};
    if (takes) return {What::take};
    if (program_->shape.loads_writer()) return {What::load, program_->shape.writer_at()};
    return {awake_ ? What::sleep : What::rest};
}

void RingReceiver::done(const Instruction& what, std::uint64_t loaded, Memory own) {
    if (what.what == What::see) return begin_anew();
    if (what.what == What::tell) {
        told_sender_ = true;
        return;
    }
    if (what.what == What::accept) {
        ++taken_;
        if (anew_ == Anew::drains && taken_ >= streamed_) clear_and_say_up();
        return;
    }
    if (!todo_.empty()) {
        todo_.pop_back();
        if (todo_.empty()) anew_ = anew_ == Anew::asks ? Anew::waits : Anew::no;
        return;
    }
    switch (what.what) {
        case What::load:
            if (loaded != kAllOnes || !program_->rules.knows_ones) loaded_ = loaded;
            break;
        case What::hear: hear(what.word); break;
        case What::take: take(own); break;
        case What::wake: awake_ = true; break;
        case What::clear:
            awake_ = !looked_;
            looked_ = false;
            break;
        case What::sleep:
            looked_ = !program_->rules.clears_doorbell_first;
            awake_ = looked_;
            break;
        default: break;
    }
}

void RingReceiver::hear(std::uint64_t answer) {
    if (anew_ != Anew::waits) return;
    if (program_->rules.numbers_answers && number_in(answer) != asked_ % kSaidNumbers) return;
    streamed_ = nearest(taken_, more_in(answer));
    if (taken_ >= streamed_ || !program_->rules.waits_for_stream) return clear_and_say_up();
    anew_ = Anew::drains;
}

void RingReceiver::take(Memory own) {
    const RingShape& shape = program_->shape;
    const RingRules& rules = program_->rules;
    const Header first = header_of(header(own));
    const std::uint32_t slots = shape.slots_of(std::max<std::uint32_t>(first.bytes, kWord) - kWord);
    std::vector<Instruction> zeroes, push;
    if (!shape.has_index() && rules.zeroes) {
        for (std::uint32_t i = 0; i < (rules.zeroes_all ? slots : 1); ++i)
            zeroes.push_back({What::write, shape.slot_at(rules, read_ + i)});
    }
    read_ += slots;
    ++taken_;
    if (pushes(first.push)) {
        told_ = read_;
        push.push_back({shape.loads_reader() ? What::write : What::store, shape.reader_at(), read_});
        if (!shape.loads_reader()) push.push_back({What::fence});
    }
    todo_ = rules.zeroes_first ? zeroes : push;
    const std::vector<Instruction>& then = rules.zeroes_first ? push : zeroes;
    todo_.insert(todo_.end(), then.begin(), then.end());
    std::ranges::reverse(todo_);
}

bool RingReceiver::pushes(bool asked) const {
    if (!program_->rules.pushes) return false;
    const std::uint32_t each = program_->shape.push_each;
    return asked || program_->shape.has_index() || (each != 0 && read_ - told_ >= each);
}

void RingReceiver::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {read_ << 32U | taken_, loaded_,
                               std::uint64_t{asked_} << 6U | static_cast<std::uint64_t>(anew_) << 3U |
                                   (told_sender_ ? 4U : 0U) | (awake_ ? 2U : 0U) | (looked_ ? 1U : 0U)});
    if (anew_ == Anew::drains) words.push_back(streamed_);
    if (program_->shape.push_each != 0) words.push_back(told_);
    for (const Instruction& of : todo_) words.push_back(digest_of(of));
}

}  // namespace rnicsim::nts
