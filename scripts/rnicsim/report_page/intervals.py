"""Student's t, 95 % intervals, comparisons of means, and the prediction band, as in testbench/results/statistics.h."""

import math
from functools import lru_cache
from typing import NamedTuple

TWO_SIDED_95 = 0.975
PANELS = 400  # of Simpson's rule; the integrand is smooth, the error far below 1e-9


def _upper_half(t, freedom):
    """P(0 < T < t). With T = sqrt(freedom) tan(angle) the density is a power of a cosine, integrated by Simpson's rule."""
    end = math.atan(t / math.sqrt(freedom))
    step = end / PANELS
    total = 1 + math.cos(end) ** (freedom - 1)
    for i in range(1, PANELS):
        total += (4 if i % 2 else 2) * math.cos(i * step) ** (freedom - 1)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return scale * total * step / 3


@lru_cache(maxsize=None)
def t_quantile(probability, freedom):
    """Quantile of Student's t distribution: P(T <= result) = probability, 0 < probability < 1, freedom >= 1."""
    if not 0 < probability < 1 or not freedom >= 1:
        raise ValueError("t_quantile")
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while 0.5 + _upper_half(high, freedom) < probability:
        high *= 2
    while high - low > 1e-11 * high:
        middle = (low + high) / 2
        if 0.5 + _upper_half(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def two_sided(t, freedom):
    """P(|T| > |t|): the p-value of a difference that lies t standard errors from 0."""
    return 1.0 if t == 0 else 0.0 if math.isinf(t) else max(0.0, 1 - 2 * _upper_half(abs(t), freedom))


class Estimate(NamedTuple):
    """A mean with its standard error; NaN error: it cannot be told (one repetition)."""
    mean: float
    error: float
    freedom: float

    def half_width(self, probability=TWO_SIDED_95):
        if math.isnan(self.error) or not self.freedom >= 1:
            return math.nan
        return t_quantile(probability, self.freedom) * self.error

    @property
    def half(self):
        return self.half_width()

    @property
    def low(self):
        return self.mean - self.half

    @property
    def high(self):
        return self.mean + self.half

    def scaled(self, factor):
        return Estimate(self.mean * factor, self.error * abs(factor), self.freedom)


def from_sd(mean, sd, n):
    return Estimate(mean, sd / math.sqrt(n) if n > 1 else math.nan, n - 1)


def from_half_width(mean, half, n):
    return Estimate(mean, half / t_quantile(TWO_SIDED_95, n - 1) if n > 1 else math.nan, n - 1)


def difference(a, b):
    """a - b of two independent means, by Welch's approximation. (Ours share random numbers, so this is cautious.)"""
    error = math.hypot(a.error, b.error)
    parts = [(e.error ** 4) / e.freedom for e in (a, b) if e.error > 0 and e.freedom > 0]
    return Estimate(a.mean - b.mean, error, error ** 4 / sum(parts) if parts else min(a.freedom, b.freedom))


def prediction_half_width(traditional, dynamic, gain):
    """Of the band in which 95 % of the gains lie that somebody else measures in one experiment of the same size.
    Nobody else's methods share their luck: theirs spread like independent runs, and our own uncertainty comes on top."""
    n = gain.freedom + 1
    if not n >= 2:
        return math.nan
    theirs = (1 - gain.mean) * math.hypot(traditional.error / traditional.mean, dynamic.error / dynamic.mean)
    return t_quantile(TWO_SIDED_95, 2 * (n - 1)) * math.hypot(theirs, gain.error)


def paired(values):
    """Of values that each belong to one repetition."""
    n = len(values)
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1)) if n > 1 else math.nan
    return from_sd(mean, sd, n)


class Comparisons(NamedTuple):
    """Names of the comparisons whose intervals lie above 0, below 0, around 0. `refuted`: below 0 even with intervals
    widened for the number of comparisons (Bonferroni), so that many looks do not refute a true claim by luck."""
    above: list
    below: list
    around: list
    refuted: list

    @property
    def count(self):
        return len(self.above) + len(self.below) + len(self.around)


def compare_with_zero(named):
    """`named`: (name, Estimate) pairs."""
    sides = Comparisons([], [], [], [])
    for name, e in named:
        (sides.above if e.low > 0 else sides.below if e.high < 0 else sides.around).append(name)
        if e.mean + e.half_width(1 - (1 - TWO_SIDED_95) / len(named)) < 0:
            sides.refuted.append(name)
    return sides
