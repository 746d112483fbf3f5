# SPDX-License-Identifier: Apache-2.0
"""Paired differences over repetitions, and which of many are more than chance."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from rnicsim.report_page import intervals

LEAST = 3  # repetitions; fewer give no interval worth its name
ALPHA = 0.05


class Difference(NamedTuple):
    """Mean of B - A over the repetitions; the half width of its 95 % interval and the p-value are
    None for fewer than LEAST."""
    mean: float
    half: float | None
    p: float | None


def paired(values: Any) -> Difference:
    """`values`: a difference for each repetition; at least one."""
    estimate = intervals.paired(values)
    if len(values) < LEAST:
        return Difference(estimate.mean, None, None)
    if estimate.error == 0:
        return Difference(estimate.mean, 0.0, 1.0 if estimate.mean == 0 else 0.0)
    return Difference(estimate.mean, estimate.half,
                      intervals.two_sided(estimate.mean / estimate.error, estimate.freedom))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted for their number, in the same order: what is at most ALPHA is significant.
    None stays None."""
    known = sorted((p, place) for place, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[place] = highest
    return adjusted


def ratio(a: int, b: int) -> float | None:
    """b / a; None where a is 0."""
    return b / a if a and math.isfinite(b) else None
