// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/message_work.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"

#include <algorithm>

namespace rnicsim {

MessageWork::MessageWork(const RunConfig& config, const VerbsLayout& layout, WireJudge& wire)
    : config_(config),
      layout_(layout),
      wire_(wire),
      is_mine_(config.names.size()),
      judge_(config, layout),
      ledger_(config, layout, judge_),
      taps_(wire, judge_) {
    for (unsigned host = 0; host < is_mine_.size(); ++host) is_mine_[host] = !layout.cqs[host].empty();
    for (const VerbsLayout::Connection& c : layout.persists) {
        for (const VerbsLayout::End& end : c.ends) is_mine_[end.host] = false;
    }
}

void MessageWork::prepare(EventSink* events, EventRecorder* /*recorder*/) {
    if (events != nullptr) recorder_.emplace(*events, ledger_, layout_, ledger_.cards());
    programs_.emplace(config_, layout_, recorder_ ? static_cast<VerbsObserver&>(*recorder_) : ledger_);
}

void MessageWork::record_in(std::span<Sample> samples) {
    samples_ = samples;
    programs_->record_in(samples);
    ledger_.record_in(samples);
}

void MessageWork::attach(System& system) {
    judge_.attach(system);
    const std::vector<rc::RcObserver*> cards = recorder_ ? recorder_->cards() : ledger_.cards();
    for (unsigned host = 0; host < is_mine_.size(); ++host)
        if (is_mine_[host]) verbs_end(system, host).rnic.set_observer(cards[host]);
    programs_->attach(system);
    judge_.introduce(wire_);
}

Time MessageWork::last_progress() const {
    return std::max({programs_->last_progress(), judge_.last_progress(), programs_->rests_until()});
}

void MessageWork::finish(RunResult& /*result*/) {
    programs_->end_records();
    judge_.strike_lost(samples_);
    if (!ledger_.violation().empty()) throw RunError(ledger_.violation());
}

}  // namespace rnicsim
