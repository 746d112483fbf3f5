#include "testbench/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace rnicsim::runner {
namespace {

/// Continued fraction of the incomplete beta function by the modified Lentz method (Numerical Recipes, 6.4).
double beta_fraction(const double a, const double b, const double x) {
    constexpr double kTiny = 1e-300;
    constexpr double kEnough = 1e-15;
    constexpr int kMaxSteps = 10'000;
    const auto guard = [](const double v) { return std::abs(v) < kTiny ? kTiny : v; };
    double c = 1;
    double d = 1 / guard(1 - (a + b) * x / (a + 1));
    double result = d;
    for (int m = 1; m <= kMaxSteps; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / guard(1 + even * d);
        c = guard(1 + even / c);
        result *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / guard(1 + odd * d);
        c = guard(1 + odd / c);
        result *= d * c;
        if (std::abs(d * c - 1) < kEnough) break;
    }
    return result;
}

/// Regularised incomplete beta function; `y` = 1 - x is passed as well, so that neither end loses digits.
double incomplete_beta(const double a, const double b, const double x, const double y) {
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

/// P(T > t) for t >= 0.
double upper_tail(const double t, const double freedom) {
    const double sum = freedom + t * t;
    return 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / sum, t * t / sum);
}

}  // namespace

double t_quantile(const double probability, const double freedom) {
    if (!(probability > 0 && probability < 1) || !(freedom >= 1)) throw std::invalid_argument("t_quantile");
    if (probability == 0.5) return 0;
    const double tail = std::min(probability, 1 - probability);
    double low = 0;
    double high = 1;
    while (upper_tail(high, freedom) > tail) high *= 2;
    while (true) {  // bisection to the last bit: a few dozen steps
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        (upper_tail(middle, freedom) > tail ? low : high) = middle;
    }
    return probability < 0.5 ? -high : high;
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

std::vector<double> paired_gains(const std::span<const double> traditional, const std::span<const double> dynamic) {
    if (traditional.size() != dynamic.size()) throw std::invalid_argument("paired_gains: unequal repetitions");
    std::vector<double> gains;
    gains.reserve(traditional.size());
    for (std::size_t i = 0; i < traditional.size(); ++i) {
        const double gain = 1 - dynamic[i] / traditional[i];
        gains.push_back(std::isfinite(gain) ? gain : kNan);
    }
    return gains;
}

double prediction_half_width(const Estimate& traditional, const Estimate& dynamic, const Estimate& gain) {
    if (gain.n < 2 || traditional.n < 2 || dynamic.n < 2) return kNan;
    const auto n = static_cast<double>(gain.n);
    const double relative = std::hypot(traditional.sd / traditional.mean, dynamic.sd / dynamic.mean);
    const double theirs = (1 - gain.mean) * relative / std::sqrt(n);
    const double ours = gain.sd / std::sqrt(n);
    return t_quantile(0.975, 2 * (n - 1)) * std::hypot(theirs, ours);
}

double median(std::vector<double> values) {
    if (values.empty()) return kNan;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace rnicsim::runner
