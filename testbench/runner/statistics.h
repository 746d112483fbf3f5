// Means, 95 % confidence intervals and paired gains over the repetitions of one experiment.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rnicsim::runner {

/// Quantile of Student's t distribution: P(T <= result) = probability. `probability` in (0, 1), `freedom` >= 1.
double t_quantile(double probability, double freedom);

/// A mean over n repetitions. Fields that the sample cannot give are NaN (mean: n = 0; sd and half_width: n < 2).
struct Estimate {
    std::size_t n = 0;
    double mean = 0;
    double sd = 0;          ///< sample standard deviation, n - 1 in the denominator
    double half_width = 0;  ///< of the two-sided 95 % confidence interval of the mean
};

/// Estimate of the values that are finite; NaN stands for "this repetition has no value".
Estimate estimate(std::span<const double> values);

/// 1 - dynamic / traditional of each repetition: both saw the same random numbers, so they are compared in pairs.
/// NaN where one of the two has no value.
std::vector<double> paired_gains(std::span<const double> traditional, std::span<const double> dynamic);

/// Half width of the 95 % band around our mean, inside which the mean of another experiment of the same size falls:
/// t * s * sqrt(1/n + 1/n). NaN when n < 2.
double prediction_half_width(const Estimate& ours);

/// Middle value, or the mean of the two middle values; NaN when empty.
double median(std::vector<double> values);

}  // namespace rnicsim::runner
