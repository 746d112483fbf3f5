// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/statistics.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rnicsim::runner {
double t_quantile(const double probability, const double freedom) {
    return boost::math::quantile(boost::math::students_t(freedom), probability);
}

Estimate estimate(const std::span<const double> values) {
    Estimate result{0, kNan, kNan, kNan};
    double sum = 0;
    for (const double v : values) {
        if (!std::isfinite(v)) continue;
        ++result.n;
        sum += v;
    }
    if (result.n == 0) return result;
    const auto n = static_cast<double>(result.n);
    result.mean = sum / n;
    if (result.n < 2) return result;
    double squares = 0;
    for (const double v : values) {
        if (std::isfinite(v)) squares += (v - result.mean) * (v - result.mean);
    }
    constexpr double kTwoSided95 = 0.975;
    result.sd = std::sqrt(squares / (n - 1));
    result.half_width = t_quantile(kTwoSided95, n - 1) * result.sd / std::sqrt(n);
    return result;
}

std::vector<double> paired_gains(const std::span<const double> base, const std::span<const double> against,
                                 const bool more_is_better) {
    if (base.size() != against.size()) throw std::invalid_argument("paired_gains: unequal repetitions");
    std::vector<double> gains;
    gains.reserve(base.size());
    for (std::size_t i = 0; i < base.size(); ++i) {
        const double gain = more_is_better ? against[i] / base[i] - 1 : 1 - against[i] / base[i];
        gains.push_back(std::isfinite(gain) ? gain : kNan);
    }
    return gains;
}

double prediction_half_width(const Estimate& base, const Estimate& against, const Estimate& gain,
                             const bool more_is_better) {
    if (gain.n < 2 || base.n < 2 || against.n < 2) return kNan;
    const auto n = static_cast<double>(gain.n);
    const double relative = std::hypot(base.sd / base.mean, against.sd / against.mean);
    const double ratio = more_is_better ? 1 + gain.mean : 1 - gain.mean;
    const double theirs = ratio * relative / std::sqrt(n);
    const double ours = gain.sd / std::sqrt(n);
    return t_quantile(0.975, 2 * (n - 1)) * std::hypot(theirs, ours);
}

std::size_t nearest_rank(const std::size_t n, const std::size_t percent) { return (n * percent + 99) / 100 - 1; }

}  // namespace rnicsim::runner
