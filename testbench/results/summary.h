// SPDX-License-Identifier: Apache-2.0
// The finished runs of a scenario, reduced to a row per point, item of traffic and variant.
#pragma once

#include "testbench/records/run_result.h"
#include "testbench/results/journal.h"
#include "testbench/results/statistics.h"
#include "testbench/scenario/scenario.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim::runner {

inline constexpr double kMicrosecondsPerCycle = 0.008;

/// One variant at one point, over all repetitions. Times in microseconds, of completed transfers.
struct VariantSummary {
    std::size_t repetitions = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::size_t false_runs = 0;            ///< repetitions in which it told durable what was not
    std::uint64_t marked = 0;              ///< what their kind marks: transfers whose data went indirect
    std::vector<double> repetition_means;  ///< NaN where a repetition completed no transfer
    Estimate time;                         ///< over repetition_means
    std::vector<double> compared;          ///< of each repetition what the scenario compares
    double min = 0, median = 0, max = 0;   ///< over every completed transfer; NaN if there is none
    double p90 = 0, p99 = 0;               ///< the same, by nearest rank
    double goodput = 0;  ///< Gb/s of completed transfers from the first request to the last end; mean of repetitions
    double rate = 0;     ///< millions of completed transfers a second, likewise
    double jain = 0;     ///< Jain's index of the initiators' goodput; mean of repetitions
    /// By the parts of the samples' kind: means over repetitions of repetition means, in us; they add up to the time.
    std::array<double, std::tuple_size_v<Sample::Parts>> parts{};
    double theory = 0;         ///< expected time from the closed form; NaN where none is known
    double theory_set_up = 0;  ///< the same of set-up and waiting
    std::vector<std::pair<std::string, std::uint64_t>> counters;  ///< summed over the repetitions
};

/// One item of the traffic at one point.
struct PointSummary {
    std::size_t point = 0;
    std::size_t item = 0;
    std::vector<VariantSummary> variants;  ///< in the scenario's order
    Estimate gain;                         ///< paired; n = 0 if nothing is compared
    /// Have both the same share of failed transfers? Else the mean of those that completed misleads.
    [[nodiscard]] bool equal_failed_shares(const Comparison& of) const;
};

/// What the runs cost and covered together.
struct Totals {
    std::uint64_t data_frames = 0;
    std::uint64_t kernel_events = 0;
    double simulated_seconds = 0;
    double run_seconds = 0;  ///< sum over the runs of their own wall time
};

struct Summary {
    std::vector<PointSummary> points;
    std::vector<std::string> counter_names;  ///< of all runs, in order of first appearance
    Totals totals;
};

/// The repetitions of one variant at one point, of one item of the traffic.
VariantSummary summarise(const std::vector<RunResult>& repetitions, std::size_t item = 0,
                         Statistic compared = Statistic::mean);

/// Asks `result_of` for every run in the order of all_runs(), so the sums never depend on who finished first.
Summary summarise(const Scenario& scenario, const std::function<RunResult(const RunKey&)>& result_of);

/// The published gain at this point, if there is one.
const ReferenceGain* find_reference(const Scenario& scenario, std::size_t point);

}  // namespace rnicsim::runner
