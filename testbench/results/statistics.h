// SPDX-License-Identifier: Apache-2.0
// Means, 95 % confidence intervals and paired gains over the repetitions of one experiment.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace rnicsim::runner {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Quantile of Student's t distribution: P(T <= result) = probability. `probability` in (0, 1), `freedom` >= 1.
double t_quantile(double probability, double freedom);

/// A mean over n repetitions. Fields that the sample cannot give are NaN (mean: n = 0; sd and half_width: n < 2).
struct Estimate {
    std::size_t n = 0;
    double mean = 0;
    double sd = 0;          ///< sample standard deviation, n - 1 in the denominator
    double half_width = 0;  ///< of the two-sided 95 % confidence interval of the mean

    /// All n are one value, but for the rounding of their mean: nothing has been random.
    [[nodiscard]] bool all_alike() const { return n > 1 && half_width <= 1e-12 * std::abs(mean); }
};

/// Estimate of the values that are finite; NaN stands for "this repetition has no value".
Estimate estimate(std::span<const double> values);

/// How much better `against` is than `base`, of each repetition: 1 - against / base, and where more is better
/// against / base - 1. Both saw the same random numbers, so they are compared in pairs. NaN where one of the two has no
/// value.
std::vector<double> paired_gains(std::span<const double> base, std::span<const double> against, bool more_is_better);

/// Half width of the band around our mean gain in which 95 % of the gains lie that somebody else measures in one
/// experiment of the same size. Nobody else's variants share their draws, so the spread is that of independent runs:
///   s^2 = (against / base)^2 ((sd_b / mean_b)^2 + (sd_a / mean_a)^2) / n, and our own uncertainty on top,
/// with Student's t of 2 (n - 1) degrees of freedom. NaN when n < 2.
double prediction_half_width(const Estimate& base, const Estimate& against, const Estimate& gain, bool more_is_better);

/// Of `n` values in ascending order the place, from 0, of the one below or at which at least so many percent of them
/// lie. `n`: at least 1; `percent`: 1..100.
std::size_t nearest_rank(std::size_t n, std::size_t percent);

}  // namespace rnicsim::runner
