// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/persist_work.h"

#include <algorithm>

namespace rnicsim {

PersistWork::PersistWork(const RunRequest& request, const VerbsLayout& layout, WireJudge& wire)
    : config_(request),
      layout_(layout),
      wire_(wire),
      cuts_(request, layout),
      judge_(request, layout, cuts_.programs()),
      taps_(wire, judge_, cuts_) {}

void PersistWork::prepare(EventSink* events, EventRecorder* /*recorder*/) {
    if (events != nullptr) recorder_.emplace(*events, layout_, judge_, cuts_.lines());
    programs_.emplace(config_, layout_, recorder_ ? static_cast<PersistObserver&>(*recorder_) : judge_);
}

void PersistWork::attach(System& system) {
    judge_.attach(system);
    cuts_.attach(system);
    if (recorder_) recorder_->attach(system);
    programs_->attach(system);
    programs_->introduce(wire_);
}

Time PersistWork::last_progress() const {
    return std::max({programs_->last_progress(), programs_->rests_until(), judge_.last_progress()});
}

void PersistWork::finish(RunResult& result) {
    cuts_.finish(last_end() + kPicosecond, result);
    programs_->end_records();
}

}  // namespace rnicsim
