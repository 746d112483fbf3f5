# SPDX-License-Identifier: Apache-2.0
"""Curves of which nothing would be seen, as another is drawn upon them: their marks become rings
around those."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rnicsim.sweep_plot.quantity import Quantity

NEAR = 0.03  # of the highest value: about a mark


def drawn(rows: Sequence[dict[str, Any]], axis: Any, quantity: Quantity) -> dict[str, float]:
    """Place -> value."""
    return {
        row["place"][axis]: quantity.of(row)
        for row in rows if not math.isnan(quantity.of(row))
    }


def covers(above: Mapping[str, float], below: Mapping[str, float], near: float,
           dashed: bool) -> bool:
    """Lies every mark of `below` under one of `above`? A line is seen unless it has the same
    values, or between dashes of another."""
    lone = len(below) == 1
    far = near if lone else 0
    return bool(below) and (lone or not dashed) and all(
        place in above and abs(above[place] - value) <= far for place, value in below.items())


def rings(curves: Sequence[list[dict[str, Any]]], axis: str, quantity: Any,
          dashed: bool) -> list[int]:
    """How many rings wide the mark of each curve (its rows) has to be; 0 is a usual mark. Later
    curves are drawn upon earlier ones, with other dashes or all without."""
    points = [drawn(rows, axis, quantity) for rows in curves]
    near = NEAR * max((abs(value) for each in points for value in each.values()), default=0)
    return [
        sum(covers(above, below, near, dashed) for above in points[i + 1:])
        for i, below in enumerate(points)
    ]
