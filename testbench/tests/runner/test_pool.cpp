// SPDX-License-Identifier: Apache-2.0
// The pool of worker processes with simulations of our own.
#include "testbench/sweep/pool.h"
#include "testbench/tests/runner/fixture.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

namespace {

std::vector<RunRequest> numbered(const std::uint32_t count) {
    std::vector<RunRequest> runs(count, two_drp_hosts());
    for (std::uint32_t i = 0; i < count; ++i) runs[i].repetition = i;
    return runs;
}

std::map<std::size_t, RunOutcome> outcomes(const std::vector<RunRequest>& runs, const unsigned jobs,
                                           const Simulate& simulate) {
    std::map<std::size_t, RunOutcome> all;
    PoolCallbacks callbacks;
    callbacks.on_end = [&](const std::size_t run, RunOutcome outcome) {
        CHECK(all.emplace(run, std::move(outcome)).second);
    };
    CHECK(run_pool(runs, jobs, simulate, callbacks) == PoolEnd::completed);
    return all;
}

bool no_child_left() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

}  // namespace

TEST_CASE("every run gives its result, whatever the number of jobs") {
    const auto runs = numbered(9);
    for (const unsigned jobs : {0U, 1U, 2U, 20U}) {
        const auto all = outcomes(runs, jobs, fake_simulate);
        REQUIRE(all.size() == runs.size());
        for (const auto& [run, outcome] : all) {
            CHECK(outcome.kind == RunOutcome::Kind::finished);
            CHECK(same(outcome.result, fake_simulate(runs[run])));
        }
    }
    CHECK(no_child_left());
}

TEST_CASE("each run has a process of its own") {
    const auto simulate = [](const RunConfig&) {
        RunResult result;
        result.data_frames = static_cast<std::uint64_t>(getpid());
        return result;
    };
    std::map<std::uint64_t, int> processes;
    for (const auto& [run, outcome] : outcomes(numbered(6), 2, simulate)) ++processes[outcome.result.data_frames];
    CHECK(processes.size() == 6);
    CHECK(processes.count(static_cast<std::uint64_t>(getpid())) == 0);
}

TEST_CASE("records that nobody keeps lie where nobody else can look, and go") {
    const TemporaryFolder folder;
    const std::string before = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "";
    setenv("TMPDIR", folder.path().c_str(), 1);
    const auto modes = [&] {
        std::vector<std::filesystem::perms> all;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            all.push_back(entry.status().permissions());
        return all;
    };
    const auto simulate = [&](const RunConfig& config) {
        if (modes() != std::vector{std::filesystem::perms::owner_all}) throw RunError("others may look");
        return fake_simulate(config);
    };
    for (const auto& [run, outcome] : outcomes(numbered(2), 1, simulate)) {
        CHECK(outcome.kind == RunOutcome::Kind::finished);
        CHECK(outcome.result.samples.size() == 3);
    }
    CHECK(modes().empty());
    before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
}

TEST_CASE("a result far larger than a pipe's buffer arrives whole") {
    const auto simulate = [](const RunConfig&) {
        RunResult result;
        result.samples = Records<Sample>(100'000);
        for (std::uint32_t i = 0; i < 100'000; ++i) result.samples[i].id = i;
        return result;
    };
    for (const auto& [run, outcome] : outcomes(numbered(3), 2, simulate)) {
        REQUIRE(outcome.kind == RunOutcome::Kind::finished);
        CHECK(outcome.result.samples.size() == 100'000);
        CHECK(outcome.result.samples.back().id == 99'999);
    }
}

TEST_CASE("a killed, a leaving and a throwing worker do not disturb the others") {
    const auto simulate = [](const RunConfig& config) -> RunResult {
        if (config.repetition == 1) raise(SIGKILL);
        if (config.repetition == 2) throw RunError("invariant: window\n  at cycle 7");
        if (config.repetition == 3) _exit(0);
        if (config.repetition == 4) throw 42;
        return fake_simulate(config);
    };
    const auto all = outcomes(numbered(7), 2, simulate);
    REQUIRE(all.size() == 7);
    CHECK(all.at(0).kind == RunOutcome::Kind::finished);
    CHECK(all.at(1).kind == RunOutcome::Kind::died);
    CHECK(all.at(1).message == "killed by signal 9 (Killed)");
    CHECK(all.at(2).kind == RunOutcome::Kind::failed);
    CHECK(all.at(2).message == "invariant: window\n  at cycle 7");
    CHECK(all.at(3).kind == RunOutcome::Kind::died);
    CHECK(all.at(3).message == "exited with code 0 without a result");
    CHECK(all.at(4).kind == RunOutcome::Kind::failed);
    CHECK(all.at(5).kind == RunOutcome::Kind::finished);
    CHECK(all.at(6).kind == RunOutcome::Kind::finished);
}

TEST_CASE("at most the given number of runs at once") {
    const auto simulate = [](const RunConfig& config) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return fake_simulate(config);
    };
    const auto start = std::chrono::steady_clock::now();
    CHECK(outcomes(numbered(4), 1, simulate).size() == 4);
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(400));
}

TEST_CASE("an interrupt keeps what is finished, and kills the rest") {
    const auto simulate = [](const RunConfig& config) {
        if (config.repetition > 0) std::this_thread::sleep_for(std::chrono::seconds(60));
        return fake_simulate(config);
    };
    const auto start = std::chrono::steady_clock::now();
    std::size_t ended = 0;
    PoolCallbacks callbacks;
    callbacks.on_end = [&](std::size_t, const RunOutcome&) { ++ended; };
    callbacks.interrupted = [&] { return ended > 0; };
    CHECK(run_pool(numbered(5), 2, simulate, callbacks) == PoolEnd::interrupted);
    CHECK(ended == 1);
    CHECK(no_child_left());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("an exception of a callback leaves no worker behind") {
    const auto simulate = [](const RunConfig& config) {
        if (config.repetition > 0) std::this_thread::sleep_for(std::chrono::seconds(60));
        return fake_simulate(config);
    };
    PoolCallbacks callbacks;
    callbacks.on_end = [](std::size_t, const RunOutcome&) { throw std::runtime_error("disk full"); };
    CHECK_THROWS_AS(run_pool(numbered(3), 3, simulate, callbacks), std::runtime_error);
    CHECK(no_child_left());
}
