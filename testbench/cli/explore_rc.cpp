// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/explore_rc.h"

#include "testbench/explore/rc/search.h"
#include "testbench/results/text.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace rnicsim::runner {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kBetweenWorlds{10};
constexpr double kMiB = 1024.0 * 1024.0;

/// A line every ten seconds, for those who wait. What is left is guessed from what is done: the sets differ.
class Waiting {
  public:
    explicit Waiting(std::size_t sets) : sets_(sets) {}
    void one_is_done() { ++done_; }
    void at(std::size_t states, std::size_t unseen) {
        const auto now = Clock::now();
        if (now - last_ < kBetweenWorlds) return;
        last_ = now;
        const double seconds = std::chrono::duration<double>(now - started_).count();
        const double left = done_ == 0 ? 0 : seconds / static_cast<double>(done_) * static_cast<double>(sets_ - done_);
        spdlog::info("explore: {} of {} sets done, {} states of the next one, {} of them not looked at yet{}", done_,
                     sets_, grouped(states), grouped(unseen), done_ == 0 ? "" : ", about " + duration(left) + " left");
    }

  private:
    std::size_t sets_, done_ = 0;
    Clock::time_point started_ = Clock::now(), last_ = started_;
};

std::string verdict(const rc::Explored& found) {
    if (found.broken()) {
        const std::size_t more = found.breaches.size() - 1;
        return "BROKEN: " + found.breaches.front().rule + (more == 0 ? "" : ", and " + std::to_string(more) + " more");
    }
    return found.exhaustive ? "all rules hold" : "NOT EXHAUSTIVE: max-states reached, no rule broken so far";
}

/// How often each kind of step could be tried, and which never.
void show_steps(const std::array<std::size_t, rc::kSteps>& steps) {
    std::string text, never;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string name(rc::kStepNames.at(i));
        std::string& list = steps.at(i) == 0 ? never : text;
        if (!list.empty()) list += ", ";
        list += name;
        if (steps.at(i) != 0) list += " " + grouped(steps.at(i));
    }
    std::printf("steps: %s\n", text.c_str());
    if (!never.empty()) std::printf("never possible within them: %s\n", never.c_str());
}

void show_ways(const rc::AnyWorkload& any, const rc::Explored& found) {
    for (const explore::Breach<rc::Move>& breach : found.breaches) {
        if (found.breaches.size() > 1) std::printf("\n%s", breach.rule.c_str());
        std::printf("\nThe way there, %zu steps:\n", breach.trace.size());
        const auto lines = std::visit([&](const auto& workload) { return rc::in_words(workload, breach); }, any);
        for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
    }
}

}  // namespace

ExitCode explore_rc(const RcExploreOptions& options) {
    const auto name = [](const rc::AnyWorkload& any) {
        return std::visit([](const auto& workload) { return rc::describe(workload); }, any);
    };
    if (options.list) {
        for (const rc::AnyWorkload& any : options.workloads) std::printf("%s\n", name(any).c_str());
        return kOk;
    }
    std::size_t width = 0;
    for (const rc::AnyWorkload& any : options.workloads) width = std::max(width, name(any).size());
    const auto column = static_cast<int>(width);
    rc::Explored sum;
    bool exhaustive = true, broken = false;
    const auto until = options.each_rule ? explore::Until::each_rule : explore::Until::first_breach;
    Waiting waiting(options.workloads.size());
    std::printf("%-*s %10s %11s %5s %7s %5s  %s\n", column, "bounds", "states", "steps", "depth", "time", "MiB",
                "verdict");
    for (const rc::AnyWorkload& any : options.workloads) {
        const rc::Explored found = std::visit(
            [&](const auto& workload) {
                return rc::search(
                    workload, options.max_states,
                    [&](std::size_t states, std::size_t unseen) { waiting.at(states, unseen); }, until);
            },
            any);
        waiting.one_is_done();
        std::printf("%-*s %10s %11s %5zu %5s s %5s  %s\n", column, name(any).c_str(), grouped(found.states).c_str(),
                    grouped(found.edges).c_str(), found.depth, fixed(found.seconds, 1).c_str(),
                    fixed(static_cast<double>(found.bytes) / kMiB, 0).c_str(), verdict(found).c_str());
        static_cast<void>(std::fflush(stdout));
        if (found.broken()) {
            show_ways(any, found);
            if (!options.each_rule) return kSimulationFailed;
            broken = true;
        }
        sum.states += found.states;
        sum.edges += found.edges;
        sum.seconds += found.seconds;
        sum.depth = std::max(sum.depth, found.depth);
        for (std::size_t i = 0; i < sum.steps.size(); ++i) sum.steps.at(i) += found.steps.at(i);
        exhaustive = exhaustive && found.exhaustive;
    }
    std::printf("%s states, %s steps, depth %zu, %s; %s\n", grouped(sum.states).c_str(), grouped(sum.edges).c_str(),
                sum.depth, duration(sum.seconds).c_str(),
                exhaustive ? "exhaustive within these bounds" : "NOT exhaustive");
    show_steps(sum.steps);
    if (broken) return kSimulationFailed;
    return exhaustive ? kOk : kIncomplete;
}

}  // namespace rnicsim::runner
