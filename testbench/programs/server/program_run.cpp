#include "testbench/programs/server/program_run.h"

#include "testbench/run_result.h"

#include <systemc>

#include <cstdint>
#include <vector>

namespace rnicsim::programs {
namespace {

constexpr std::uint64_t kRingBytes = std::uint64_t{1} << 30U;  // of each host; pages that nobody touches cost nothing

/// Its parts in the order of the simulation's start.
System& attached(System& system, RunObservers& observers, ProgramJudge& judge) {
    observers.attach(system);
    judge.attach(system);
    return system;
}

}  // namespace

ProgramRun::ProgramRun(const RunRequest& request, const std::filesystem::path& socket, bool strict)
    : request_(request),
      faults_(request_),
      judge_(request_),
      observers_(request_, nullptr, judge_),
      system_("system", request_, std::vector<std::uint64_t>(request.names.size(), kRingBytes), {}, faults_.source(),
              &observers_.observer()),
      server_(request_, attached(system_, observers_, judge_), judge_, {socket, strict, kRingBytes}) {}

void ProgramRun::run(const std::function<bool()>& over) {
    try {
        server_.run(over);
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
