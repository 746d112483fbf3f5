// SPDX-License-Identifier: Apache-2.0
// Statistics against published values and hand-made samples.
#include "testbench/results/quantiles.h"
#include "testbench/results/statistics.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace rnicsim::runner;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

TEST_CASE("the t quantile has the tabulated values") {
    CHECK_THAT(t_quantile(0.975, 1), WithinAbs(12.7062, 5e-5));
    CHECK_THAT(t_quantile(0.975, 2), WithinAbs(4.3027, 5e-5));
    CHECK_THAT(t_quantile(0.975, 4), WithinAbs(2.7764, 5e-5));
    CHECK_THAT(t_quantile(0.975, 30), WithinAbs(2.0423, 5e-5));
    CHECK_THAT(t_quantile(0.975, 1e6), WithinAbs(1.959966, 5e-6));
    CHECK_THAT(t_quantile(0.95, 10), WithinAbs(1.8125, 5e-5));
    CHECK_THAT(t_quantile(0.9995, 5), WithinAbs(6.8688, 5e-5));
}

TEST_CASE("the t quantile agrees with the closed forms for one and two degrees of freedom") {
    for (const double p : {0.51, 0.6, 0.75, 0.9, 0.99, 0.9999}) {
        CHECK_THAT(t_quantile(p, 1), WithinRel(std::tan(std::numbers::pi * (p - 0.5)), 1e-9));
        CHECK_THAT(t_quantile(p, 2), WithinRel((2 * p - 1) / std::sqrt(2 * p * (1 - p)), 1e-9));
    }
}

TEST_CASE("the t quantile is odd about one half") {
    CHECK(t_quantile(0.5, 7) == 0);
    CHECK_THAT(t_quantile(0.025, 7), WithinRel(-t_quantile(0.975, 7), 1e-12));
    CHECK_THROWS(t_quantile(0, 7));
    CHECK_THROWS(t_quantile(1, 7));
    CHECK_THROWS(t_quantile(0.9, 0));
}

TEST_CASE("an estimate of five values") {
    const Estimate e = estimate(std::vector<double>{2, 4, 4, 5, 5});
    CHECK(e.n == 5);
    CHECK_THAT(e.mean, WithinRel(4.0, 1e-12));
    CHECK_THAT(e.sd, WithinRel(std::sqrt(6.0 / 4), 1e-12));
    CHECK_THAT(e.half_width, WithinRel(2.7764451051977987 * std::sqrt(1.5) / std::sqrt(5.0), 1e-9));
}

TEST_CASE("the band for another experiment is that of independent draws") {
    // Means 2 and 1.8, 1 % of spread each, five repetitions; the paired gain itself is known exactly.
    const Estimate traditional{5, 2.0, 0.02, 0};
    const Estimate dynamic{5, 1.8, 0.018, 0};
    const double t8 = 2.306004135204166;
    const double independent = 0.9 * std::sqrt(2.0) * 0.01 / std::sqrt(5.0);
    CHECK_THAT(prediction_half_width(traditional, dynamic, {5, 0.1, 0, 0}, false), WithinRel(t8 * independent, 1e-9));
    // Our own uncertainty widens it.
    CHECK_THAT(prediction_half_width(traditional, dynamic, {5, 0.1, 0.01, 0}, false),
               WithinRel(t8 * std::hypot(independent, 0.01 / std::sqrt(5.0)), 1e-9));
    CHECK(std::isnan(prediction_half_width({1, 2.0, 0, 0}, {1, 1.8, 0, 0}, {1, 0.1, 0, 0}, false)));
}

TEST_CASE("one value has a mean and no interval, none has nothing") {
    const Estimate one = estimate(std::vector<double>{3});
    CHECK(one.mean == 3);
    CHECK(std::isnan(one.sd));
    CHECK(std::isnan(one.half_width));
    const Estimate none = estimate({});
    CHECK(none.n == 0);
    CHECK(std::isnan(none.mean));
}

TEST_CASE("a repetition without a value does not count") {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    const Estimate e = estimate(std::vector<double>{1, missing, 3});
    CHECK(e.n == 2);
    CHECK(e.mean == 2);
    const std::vector<double> gains =
        paired_gains(std::vector<double>{10, missing, 0}, std::vector<double>{9, 1, 1}, false);
    CHECK_THAT(gains[0], WithinAbs(0.1, 1e-12));
    CHECK(std::isnan(gains[1]));
    CHECK(std::isnan(gains[2]));
}

TEST_CASE("pairing removes what both methods share") {
    // The repetitions differ by a factor of ten, the gain never: its interval is zero.
    const std::vector<double> traditional{1, 10, 5};
    const std::vector<double> dynamic{0.9, 9, 4.5};
    const Estimate gain = estimate(paired_gains(traditional, dynamic, false));
    CHECK_THAT(gain.mean, WithinAbs(0.1, 1e-12));
    CHECK_THAT(gain.half_width, WithinAbs(0, 1e-12));
    CHECK_THROWS(paired_gains(traditional, std::vector<double>{1}, false));
}

TEST_CASE("of a rate more is better") {
    const std::vector<double> gains = paired_gains(std::vector<double>{10, 0}, std::vector<double>{12, 1}, true);
    CHECK_THAT(gains[0], WithinAbs(0.2, 1e-12));
    CHECK(std::isnan(gains[1]));
    // Twice the rate, 1 % of spread each: the band is that of the ratio.
    const double independent = 2 * std::sqrt(2.0) * 0.01 / std::sqrt(5.0);
    CHECK_THAT(prediction_half_width({5, 2.0, 0.02, 0}, {5, 4.0, 0.04, 0}, {5, 1, 0, 0}, true),
               WithinRel(2.306004135204166 * independent, 1e-9));
}

TEST_CASE("values of given ranks are those of the sorted list") {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 3000; ++i) values.push_back(i * i * i % 1'000'003 * (i % 7 == 0 ? 4'000'000'007 : 1));
    values.insert(values.end(), 50, 12);  // the same one often
    const EachValue each = [&](const std::function<void(std::int64_t)>& visit) {
        std::ranges::for_each(values, visit);
    };
    std::vector<std::int64_t> sorted = values;
    std::ranges::sort(sorted);
    const std::vector<std::size_t> ranks{0, 1, 40, 1525, 1525, nearest_rank(values.size(), 99), values.size() - 1};
    const std::vector<std::int64_t> found = values_at(ranks, each, sorted.back());
    for (std::size_t i = 0; i < ranks.size(); ++i) CHECK(found.at(i) == sorted.at(ranks[i]));
    CHECK(nearest_rank(10, 90) == 8);
    CHECK(nearest_rank(10, 91) == 9);
    const EachValue zero = [](const std::function<void(std::int64_t)>& visit) { visit(0); };
    CHECK(values_at(std::vector<std::size_t>{0}, zero, 0) == std::vector<std::int64_t>{0});
}
