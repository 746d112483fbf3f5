// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/program_run.h"

#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/kits/kits.h"
#include "testbench/records/run_result.h"

#include <systemc>

#include <cstdint>
#include <vector>

namespace rnicsim::programs {
namespace {

constexpr std::uint64_t kRingBytes = std::uint64_t{1} << 30U;  // of each host; pages that nobody touches cost nothing

std::optional<ProgramRecorder> recorder_of(RunObservers& observers, unsigned hosts) {
    std::optional<ProgramRecorder> recorder;
    if (observers.events() != nullptr) recorder.emplace(*observers.events(), hosts);
    return recorder;
}

CallObservers callers_of(std::optional<ProgramRecorder>& recorder, ProgramCuts& cuts) {
    CallObservers callers;
    if (recorder) callers.add(*recorder);
    if (cuts.has_hosts()) callers.add(cuts);
    return callers;
}

/// Its parts in the order of the simulation's start.
System& attached(System& system, RunObservers& observers, ProgramJudge& judge, std::optional<ProgramRecorder>& recorder,
                 ProgramCuts& cuts) {
    observers.attach(system);
    judge.attach(system);
    for (unsigned host = 0; recorder && host < system.hosts(); ++host)
        verbs_end(system, host).rnic.set_observer(&recorder->card(host));
    cuts.attach(system);
    return system;
}

std::vector<RtlBlocks> blocks_of(const RunConfig& config) {
    std::vector<RtlBlocks> blocks;
    blocks.reserve(config.names.size());
    for (unsigned host = 0; host < config.names.size(); ++host)
        blocks.emplace_back(BlockPlace{config.names[host], nullptr, false});
    return blocks;
}

std::vector<BlockMakers> makers_of(const std::vector<RtlBlocks>& blocks) {
    std::vector<BlockMakers> makers;
    makers.reserve(blocks.size());
    for (const RtlBlocks& one : blocks) makers.push_back({&one, &one});
    return makers;
}

}  // namespace

ProgramRun::ProgramRun(const RunRequest& request, const std::filesystem::path& socket, bool strict,
                       const CutRequest& cuts)
    : request_(request),
      faults_(request_),
      judge_(request_),
      observers_(request_, nullptr, judge_),
      recorder_(recorder_of(observers_, static_cast<unsigned>(request.names.size()))),
      cuts_(request_, cuts),
      callers_(callers_of(recorder_, cuts_)),
      blocks_(blocks_of(request_)),
      system_("system", request_,
              KitEnds(std::vector<std::uint64_t>(request.names.size(), kRingBytes), makers_of(blocks_)),
              faults_.source(), &observers_.observer()),
      server_(request_, attached(system_, observers_, judge_, recorder_, cuts_), judge_,
              {socket, strict, kRingBytes, callers_.any()}) {}

void ProgramRun::run(const Outside& outside) {
    try {
        server_.run({[&] {
                         cuts_.advance(current_time());
                         return outside.over();
                     },
                     outside.quiet, outside.holds});
        observers_.finish_events();
    } catch (const std::exception& failure) {
        observers_.finish_after_failure();
        faults_.finish_after(failure);
        throw;
    }
    observers_.finish_files();
    faults_.finish();
}

}  // namespace rnicsim::programs
