// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/run_cuts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {

RunCuts::RunCuts(const RunRequest& request, const VerbsLayout& layout) : request_(request) {
    if (!request.cut.at.empty() || request.crash.asked()) {
        stopped_.emplace(request, layout);
        if (request.crash.asked()) crashes_.emplace(request, request.crash);
        return;
    }
    if (!request.cut.csv.empty()) {
        file_.emplace(request.cut.csv);
        csv_.emplace([this](const std::string& line) { file_->write(line); });
    }
    folded_.emplace(request, layout, request.cut.host, csv_ ? &*csv_ : nullptr);
}

void RunCuts::attach(System& system) {
    if (crashes_) crashes_->attach(system);
    stopped_ ? stopped_->attach(system) : folded_->attach(system);
}

Time RunCuts::next_stop() const {
    if (crashes_) return crashes_->next_copy();
    return next_ < request_.cut.at.size() ? request_.cut.at[next_] : kEndOfTime;
}

/// SystemC stops before what is due at the end of a slice.
Time RunCuts::slice(Time now, Time longest) const {
    const Time stop = next_stop();
    return stop == kEndOfTime ? longest : std::min(longest, std::max(stop - now, Time{}));
}

void RunCuts::advance(Time now, Time known) {
    if (folded_) return folded_->advance(known);
    if (crashes_) {
        const auto rest = [this] {
            rest_();
            return left();
        };
        return crashes_->make_copies(now, rest);
    }
    for (Time stop = next_stop(); stop <= now; stop = next_stop()) {
        take(stop);
        ++next_;
    }
}

void RunCuts::take(Time at) {
    std::vector<CutFinding> found = stopped_->look(at);
    std::ranges::move(found, std::back_inserter(findings_));
}

void RunCuts::finish(Time end, RunResult& result) {
    if (crashes_) {
        result.cuts.acts = crashes_->acts();
        result.cuts.crashed = crashes_->finish(left());
        return;
    }
    if (stopped_) {
        for (; !ended(); ++next_) take(request_.cut.at[next_]);  // nothing happens any more
        result.cuts.stopped = std::move(findings_);
        return;
    }
    result.cuts.folded = folded_->finish(end);
    for (const HostCuts& of : result.cuts.folded) add(of, result);
    if (file_) file_->close();
}

void RunCuts::add(const HostCuts& of, RunResult& result) const {
    const std::string prefix = request_.names[of.host] + ".cuts.";
    const auto put = [&](const std::string& name, std::uint64_t value) {
        result.counters.emplace_back(prefix + name, value);
    };
    put("ps", static_cast<std::uint64_t>((of.report.end - of.report.first).ps));
    for (std::size_t i = 0; i < kCutStates; ++i)
        put(std::string(kCutStateNames.at(i)) + "_ps", static_cast<std::uint64_t>(of.report.totals.at(i).time.ps));
    put("false_items", of.report.of(CutState::false_persistence).messages);
    if (!result.false_persistence.empty()) return;
    result.false_persistence = of.example;
    result.false_item = of.item;
}

CrashLeft RunCuts::left() const {
    CrashLeft all;
    for (const CutFinding& of : stopped_->look(kEndOfTime, request_.crash.host)) {
        all.posted += of.posted;
        all.told += of.told;
        all.durable += of.durable;
        all.torn += of.row.of(CutState::torn);
        all.wrong += of.row.of(CutState::false_persistence);
    }
    return all;
}

}  // namespace rnicsim
