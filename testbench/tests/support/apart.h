// SPDX-License-Identifier: Apache-2.0
// Runs a simulation in a forked process, for tests that need several: SystemC elaborates once per process.
#pragma once

#include "testbench/processes/leak_check.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/cycles.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>

namespace rnicsim {

/// The result of a run whose process has ended.
struct Outcome {
    bool ran = false;  ///< the process ended well: no exception, no crash
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t indirect = 0;     ///< transfers whose data went in MODE = 1
    std::int64_t cycles = 0;        ///< sum of the lengths of all transfers
    std::uint64_t fingerprint = 0;  ///< of the times of all samples
};

inline std::uint64_t fingerprint_of(const RunResult& result) {
    std::uint64_t hash = 1469598103934665603U;  // FNV-1a
    for (const Sample& of : result.samples) {
        for (const std::int64_t word :
             {of.start.ps, of.end.ps, of.parts[0], std::int64_t{of.id}, std::int64_t{of.mark}})
            hash = (hash ^ static_cast<std::uint64_t>(word)) * 1099511628211U;
    }
    return hash;
}

/// What `run` returns in a child, at most a pipe's 4096 bytes. Nothing: its process did not end well.
template <typename Run>
auto in_child(const Run& run) {
    using Said = decltype(run());
    static_assert(std::is_trivially_copyable_v<Said> && sizeof(Said) <= 4096);
    std::array<int, 2> ends{};
    std::optional<Said> said;
    if (::pipe(ends.data()) != 0) return said;
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is stopped leaves nothing behind
        bool told = false;
        try {
            const Said says = run();
            told = ::write(ends[1], &says, sizeof says) == sizeof says;
        } catch (const std::exception& error) { std::fprintf(stderr, "%s\n", error.what()); }
        check_for_leaks();
        ::_exit(told ? 0 : 1);
    }
    ::close(ends[1]);
    Said heard{};
    if (::read(ends[0], &heard, sizeof heard) == sizeof heard) said = heard;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) said.reset();
    return said;
}

/// `run`: RunResult(); called in the child.
template <typename Run>
Outcome apart(const Run& run) {
    const std::optional<Outcome> said = in_child([&run] {
        const RunResult result = run();
        Outcome outcome;
        outcome.ran = true;
        for (const Sample& t : result.samples) {
            ++(t.failed() ? outcome.failed : outcome.completed);
            outcome.indirect += t.mark ? 1 : 0;
            outcome.cycles += in_cycles(t.took());
        }
        outcome.fingerprint = fingerprint_of(result);
        return outcome;
    });
    return said.value_or(Outcome{});
}

inline Outcome simulate_apart(const RunConfig& config) {
    return apart([&config] { return simulate(config); });
}

}  // namespace rnicsim
