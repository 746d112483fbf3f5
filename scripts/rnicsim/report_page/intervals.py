# SPDX-License-Identifier: Apache-2.0
"""95 % intervals by Student's t, comparisons of means, and the prediction band, as in
testbench/results/statistics.h."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from scipy.special import stdtr, stdtrit

TWO_SIDED_95 = 0.975


def t_quantile(probability: float, freedom: float) -> float:
    """Quantile of Student's t distribution: P(T <= result) = probability, 0 < probability < 1,
    freedom >= 1."""
    if not 0 < probability < 1 or not freedom >= 1:
        raise ValueError("t_quantile")
    return float(stdtrit(freedom, probability))


def two_sided(t: float, freedom: Any) -> float:
    """P(|T| > |t|): the p-value of a difference that lies t standard errors from 0."""
    return float(2 * stdtr(freedom, -abs(t)))


class Estimate(NamedTuple):
    """A mean with its standard error; NaN error: it cannot be told (one repetition)."""
    mean: float
    error: float
    freedom: float

    def half_width(self, probability: float = TWO_SIDED_95) -> float:
        if math.isnan(self.error) or not self.freedom >= 1:
            return math.nan
        return t_quantile(probability, self.freedom) * self.error

    @property
    def half(self) -> float:
        return self.half_width()

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half

    def scaled(self, factor: Any) -> Any:
        return Estimate(self.mean * factor, self.error * abs(factor), self.freedom)


def from_sd(mean: float, sd: float, n: int) -> Estimate:
    return Estimate(mean, sd / math.sqrt(n) if n > 1 else math.nan, n - 1)


def from_half_width(mean: float, half: float, n: int) -> Estimate:
    return Estimate(mean, half / t_quantile(TWO_SIDED_95, n - 1) if n > 1 else math.nan, n - 1)


def difference(a: Any, b: Any) -> Estimate:
    """a - b of two independent means, by Welch's approximation. (Ours share random numbers, so this
    is cautious.)"""
    error = math.hypot(a.error, b.error)
    parts = [(e.error ** 4) / e.freedom for e in (a, b) if e.error > 0 and e.freedom > 0]
    return Estimate(a.mean - b.mean, error,
                    error**4 / sum(parts) if parts else min(a.freedom, b.freedom))


def prediction_half_width(traditional: Estimate, dynamic: Estimate, gain: Any) -> float:
    """Of the band in which 95 % of the gains lie that somebody else measures in one experiment of
    the same size. Nobody else's methods share their draws: theirs spread like independent runs, and
    our own uncertainty comes on top."""
    n = gain.freedom + 1
    if not n >= 2:
        return math.nan
    theirs = (1 - gain.mean) * math.hypot(traditional.error / traditional.mean,
                                          dynamic.error / dynamic.mean)
    return t_quantile(TWO_SIDED_95, 2 * (n - 1)) * math.hypot(theirs, gain.error)


def paired(values: Any) -> Estimate:
    """Of values that each belong to one repetition."""
    n = len(values)
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1)) if n > 1 else math.nan
    return from_sd(mean, sd, n)


class Comparisons(NamedTuple):
    """Names of the comparisons whose intervals lie above 0, below 0, around 0. `refuted`: below 0
    even with intervals widened for the number of comparisons (Bonferroni), so that many looks do
    not refute a true claim by chance."""
    above: list[Any]
    below: list[Any]
    around: list[Any]
    refuted: list[Any]

    @property
    def count(self) -> Any:
        return len(self.above) + len(self.below) + len(self.around)


def compare_with_zero(named: Sequence[tuple[str, Estimate]]) -> Comparisons:
    """`named`: (name, Estimate) pairs."""
    sides = Comparisons([], [], [], [])
    for name, e in named:
        (sides.above if e.low > 0 else sides.below if e.high < 0 else sides.around).append(name)
        if e.mean + e.half_width(1 - (1 - TWO_SIDED_95) / len(named)) < 0:
            sides.refuted.append(name)
    return sides
