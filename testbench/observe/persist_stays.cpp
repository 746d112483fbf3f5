// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/persist_stays.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace rnicsim {
namespace {

constexpr std::size_t lane_of(WriteStage stage) {
    return static_cast<std::size_t>(stage) - static_cast<std::size_t>(WriteStage::iio);
}

}  // namespace

void PersistStays::add(const LineStep& step, Time at, bool own) {
    const auto [known, is_new] = lines_[step.address].try_emplace(step.number);
    if (is_new) {
        known->second.step = step;
        known->second.own = own;
        own_ += own ? 1 : 0;
        if (own) own_bytes_ += static_cast<std::uint64_t>(std::popcount(step.mask));
    }
    known->second.enters.at(lane_of(step.stage)) = at;
    entries_.push_back({at, step.stage, step.address, step.number});
}

Time PersistStays::settled() const {
    if (!whole()) return kEndOfTime;
    Time last;
    for (const auto& [address, writes] : lines_) {
        std::uint64_t newer = 0;  // bytes that newer ones have overwritten in the LLC
        bool seen = false;        // the item's own, which is the newest that matters
        for (auto at = writes.rbegin(); at != writes.rend(); ++at) {
            const Write& write = at->second;
            Time lasts = kEndOfTime;
            for (std::size_t i = 0; i < kStages; ++i) {
                if (survives(static_cast<Stage>(i), domain_)) lasts = std::min(lasts, write.enters.at(i));
            }
            seen = seen || write.own;
            const bool overwritten = (write.step.mask & ~newer) == 0;
            if (seen && lasts == kEndOfTime && !overwritten) return kEndOfTime;
            if (seen && lasts != kEndOfTime) last = std::max(last, lasts);
            if (write.enters.at(lane_of(WriteStage::llc)) != kEndOfTime) newer |= write.step.mask;
        }
    }
    return last;
}

std::vector<PersistStays::State> PersistStays::states() const {
    struct Counted {
        std::size_t stage = kStages;  // none so far
        bool safe = false;
    };
    std::unordered_map<std::uint64_t, LineVersions> lines;
    std::unordered_map<std::uint64_t, Counted> own;
    for (const auto& [address, writes] : lines_) {
        LineVersions& line = lines.try_emplace(address, domain_).first->second;
        for (const auto& [number, write] : writes) {
            LineWrite announced;
            announced.number = number;
            announced.mask = write.step.mask;
            line.announce(announced, write.own ? 1 : 0);
        }
    }
    std::vector<Entry> entries = entries_;
    std::ranges::stable_sort(entries, {}, &Entry::at);
    std::vector<State> all;
    State state;
    std::uint32_t came = 0;  // of the item's writes
    const auto count = [&](const LineVersion& version) {
        if (version.message == 0 || !version.posted()) return;
        Counted& counted = own[version.number];
        if (counted.stage == kStages) ++came;
        if (counted.stage != lane_of(version.stage)) ++state.entered.at(lane_of(version.stage));
        if (counted.stage != kStages) {
            --state.lines.at(counted.stage);
            if (!counted.safe) --state.unsafe.at(counted.stage);
        }
        counted = {lane_of(version.stage), version.safe()};
        ++state.lines.at(counted.stage);
        if (!counted.safe) ++state.unsafe.at(counted.stage);
    };
    for (std::size_t i = 0; i < entries.size();) {
        std::vector<std::uint64_t> touched;
        state.at = entries[i].at;
        for (; i < entries.size() && entries[i].at == state.at; ++i) {
            LineVersions& line = lines.at(entries[i].line);
            switch (entries[i].stage) {
                case WriteStage::nowhere: break;
                case WriteStage::iio: line.enter_iio(entries[i].number); break;
                case WriteStage::llc: line.enter_llc(entries[i].number); break;
                case WriteStage::imc: line.enter_imc(entries[i].number); break;
                case WriteStage::scm: line.enter_scm(entries[i].number); break;
            }
            touched.push_back(entries[i].line);
        }
        for (const std::uint64_t line : touched) lines.at(line).refresh(count);
        state.safe = whole() && came == own_ && std::ranges::count(state.unsafe, 0U) == kStages;
        all.push_back(state);
    }
    return all;
}

}  // namespace rnicsim
