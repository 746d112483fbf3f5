// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_ends.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace rnicsim::nts {

using What = Instruction::What;

namespace {

/// For states: words of what is still to do are small.
std::uint64_t digest_of(const Instruction& of) {
    return of.word << 32U | std::uint64_t{of.at} << 8U | static_cast<std::uint64_t>(of.what);
}

}  // namespace

RingPlan::RingPlan(const RingShape& of, const RingRules& by, std::vector<std::uint32_t> payloads)
    : shape(of), rules(by), words(std::move(payloads)) {
    std::uint32_t slot = 0;
    for (const std::uint32_t payload : words) {
        first.push_back(slot);
        ops.push_back(ops_of(shape, rules, slot, payload));
        slot += shape.slots_of(payload);
    }
}

std::uint64_t word_at(Memory memory, std::uint32_t at) { return boost::endian::load_little_u64(&memory[at]); }

std::uint64_t RingSender::reader(Memory own) const {
    return plan_->shape.loads_reader() ? loaded_ : word_at(own, plan_->shape.reader_at());
}

bool RingSender::has_room(Memory own) const {
    const std::int64_t used = std::int64_t{plan_->first[message_]} - static_cast<std::int64_t>(reader(own));
    return std::int64_t{plan_->shape.slots} - plan_->rules.spare - used >= slots();
}

Instruction RingSender::next(Memory own, const Signals& signals) const {
    if (!todo_.empty()) return todo_.back();
    if (signals.heard != 0) return {What::hear, 0, signals.heard};
    if (stopped_) return {};
    const bool drains = dirty_ && plan_->rules.drain_behind;
    if (has_all()) return {drains ? What::fence : What::rest};
    if (op_ == 0 && !has_room(own)) {
        if (drains) return {What::fence};
        if (plan_->shape.loads_reader()) return {What::load, plan_->shape.reader_at()};
        return {};
    }
    return instruction_of(plan_->ops[message_][op_], own);
}

Instruction RingSender::instruction_of(const Op& op, Memory own) const {
    const std::uint32_t behind = plan_->first[message_] + slots(), words = plan_->words[message_];
    switch (op.what) {
        case Op::What::payload: return {What::store, op.at, payload_word(message_, op.word)};
        case Op::What::header: {
            Header header{static_cast<std::uint16_t>(message_ + 1), static_cast<std::uint16_t>((words + 1) * kWord),
                          op.kind, false};
            header.push = behind - reader(own) > plan_->shape.slots / 2;
            return {What::store, op.at, word_of(header)};
        }
        case Op::What::fence: return {What::fence};
        case Op::What::index:
            return {plan_->shape.loads_writer() ? What::write : What::store, plan_->shape.writer_at(), behind};
        case Op::What::doorbell: return {What::doorbell};
    }
    return {};
}

void RingSender::done(const Instruction& what, std::uint64_t loaded) {
    if (what.what == What::load) {
        if (loaded != kAllOnes || !plan_->rules.knows_ones) loaded_ = loaded;
        return;
    }
    if (what.what == What::hear) return hear(what.word);
    if (what.what == What::store) dirty_ = true;
    const bool drained = what.what == What::fence || what.what == What::doorbell || what.what == What::say;
    if (drained) dirty_ = false;
    if (!todo_.empty()) return todo_.pop_back();
    if (has_all()) return;
    const std::vector<Op>& ops = plan_->ops[message_];
    // A fence before it waits is of no message.
    if (op_ == 0 && what.what == What::fence && ops[0].what != Op::What::fence) return;
    if (++op_ != ops.size()) return;
    op_ = 0;
    ++message_;
}

void RingSender::hear(std::uint64_t word) {
    const RingShape& shape = plan_->shape;
    const std::uint32_t number = number_in(word);
    if (said_in(word) == Said::going_down) {
        stopped_ = true;
        todo_ = {{What::say, 0, word_of(Said::stopped, number)}};
        // What it says of slots that the receiver will clear.
        if (shape.loads_writer() && plan_->rules.takes_back_index) todo_.push_back({What::write, shape.writer_at(), 0});
    } else if (said_in(word) == Said::up) {
        const std::uint32_t slot = plan_->slot_of(number);
        stopped_ = false;
        if (plan_->rules.goes_back) message_ = number;
        op_ = 0;
        loaded_ = slot;
        todo_.clear();
        if (!shape.loads_reader()) todo_.push_back({What::write, shape.reader_at(), slot});
        if (shape.loads_writer()) todo_.push_back({What::write, shape.writer_at(), slot});
    }
}

bool RingSender::is_over(Memory own) const { return has_all() && !stopped_ && next(own, {}).what == What::rest; }

std::uint32_t RingSender::begun() const { return plan_->slot_of(message_) + (has_all() || op_ == 0 ? 0 : slots()); }

void RingSender::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {std::uint64_t{message_} << 32U | op_, loaded_,
                               (dirty_ ? 1U : 0U) | (stopped_ ? 2U : 0U) | todo_.size() << 2U});
    for (const Instruction& of : todo_) words.push_back(digest_of(of));
}

void RingReceiver::begin_anew() {
    anew_ = true;
    waits_ = awake_ = looked_ = false;
    loaded_ = read_;
    ++asked_;
    if (plan_->rules.asks_first) {
        todo_ = {{What::say, 0, word_of(Said::going_down, asked_)}};
    } else {
        todo_ = clear_and_up();
    }
}

std::vector<Instruction> RingReceiver::clear_and_up() const {
    const RingShape& shape = plan_->shape;
    std::vector<Instruction> todo;
    if (!shape.has_index()) {
        for (std::uint32_t slot = 0; slot < shape.slots; ++slot)
            todo.push_back({What::write, shape.slot_at(plan_->rules, slot)});
    } else {
        if (!shape.loads_writer()) todo.push_back({What::write, shape.writer_at(), read_});
        if (shape.loads_reader()) todo.push_back({What::write, shape.reader_at(), read_});
    }
    const Instruction up{What::say, 0, word_of(Said::up, taken_)};
    todo.insert(plan_->rules.clears_again_first ? todo.begin() : todo.end(), up);  // the last one first
    return todo;
}

RingReceiver::RingReceiver(const RingPlan& plan) : plan_(&plan) {
    if (plan.rules.clears_before_up) return;
    for (std::uint32_t slot = 0; slot < plan.shape.slots; ++slot)
        todo_.push_back({What::write, plan.shape.slot_at(plan.rules, slot)});
}

std::uint64_t RingReceiver::header(Memory own, std::uint32_t number) const {
    return word_at(own, plan_->shape.slot_at(plan_->rules, number));
}

bool RingReceiver::finds(Memory own) const {
    const RingShape& shape = plan_->shape;
    if (shape.has_index()) return (shape.loads_writer() ? loaded_ : word_at(own, shape.writer_at())) > read_;
    const Header first = header_of(header(own, read_));
    if (first.bytes == 0) return false;
    if (first.kind != Kind::multi) return true;
    const std::uint32_t slots = shape.slots_of(first.bytes / kWord - 1);
    return slots > shape.slots || header_of(header(own, read_ + slots - 1)).kind == Kind::end;
}

Instruction RingReceiver::next(Memory own, const Signals& signals) const {
    const bool takes = todo_.empty() && !waits_ && finds(own);
    if (signals.link != Link::up && (plan_->rules.looks_at_link || !takes))
        return {signals.link == Link::back ? What::see : What::rest};
    if (!todo_.empty()) return todo_.back();
    if (signals.heard != 0) return {What::hear, 0, signals.heard};
    if (waits_) return {};
    const bool sleeps = plan_->shape.notify == Notify::doorbell && !awake_;
    if (sleeps && !signals.rung) return {};
    if (sleeps) return {plan_->rules.clears_doorbell_first ? What::clear : What::wake};
    if (looked_) return {What::clear};
    if (takes) return {What::take};
    if (plan_->shape.loads_writer() && !has_all()) return {What::load, plan_->shape.writer_at()};
    return {awake_ ? What::sleep : What::rest};
}

void RingReceiver::done(const Instruction& what, std::uint64_t loaded, Memory own) {
    if (what.what == What::see) return begin_anew();
    if (!todo_.empty()) {
        if (what.what == What::say && said_in(what.word) == Said::going_down) waits_ = true;
        if (what.what == What::say && said_in(what.word) == Said::up) anew_ = false;
        return todo_.pop_back();
    }
    switch (what.what) {
        case What::load:
            if (loaded != kAllOnes || !plan_->rules.knows_ones) loaded_ = loaded;
            break;
        case What::hear:
            if (!waits_ || (plan_->rules.numbers_answers && number_in(what.word) != asked_)) break;
            waits_ = false;
            todo_ = clear_and_up();
            break;
        case What::take: take(own); break;
        case What::wake: awake_ = true; break;
        case What::clear:
            awake_ = !looked_;
            looked_ = false;
            break;
        case What::sleep:
            looked_ = !plan_->rules.clears_doorbell_first;
            awake_ = looked_;
            break;
        default: break;
    }
}

void RingReceiver::take(Memory own) {
    const RingShape& shape = plan_->shape;
    const RingRules& rules = plan_->rules;
    const Header first = header_of(header(own, read_));
    const std::uint32_t slots = shape.slots_of(plan_->words[taken_]);
    std::vector<Instruction> zeroes, pushes;
    if (!shape.has_index() && rules.zeroes) {
        for (std::uint32_t i = 0; i < (rules.zeroes_all ? slots : 1); ++i)
            zeroes.push_back({What::write, shape.slot_at(rules, read_ + i)});
    }
    read_ += slots;
    ++taken_;
    if (rules.pushes && (shape.has_index() || first.push)) {
        if (shape.loads_reader()) {
            pushes = {{What::write, shape.reader_at(), read_}};
        } else {
            pushes = {{What::store, shape.reader_at(), read_}, {What::fence}};
        }
    }
    todo_ = rules.zeroes_first ? zeroes : pushes;
    const std::vector<Instruction>& then = rules.zeroes_first ? pushes : zeroes;
    todo_.insert(todo_.end(), then.begin(), then.end());
    std::ranges::reverse(todo_);
}

bool RingReceiver::has_all() const { return taken_ == plan_->words.size(); }

void RingReceiver::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {std::uint64_t{read_} << 32U | taken_, loaded_,
                               std::uint64_t{asked_} << 4U | (anew_ ? 8U : 0U) | (waits_ ? 4U : 0U) |
                                   (awake_ ? 2U : 0U) | (looked_ ? 1U : 0U)});
    for (const Instruction& of : todo_) words.push_back(digest_of(of));
}

}  // namespace rnicsim::nts
