# SPDX-License-Identifier: Apache-2.0
"""Differences with their intervals as a picture: SVG that takes its colours from the page."""

import math
from typing import Any

from rnicsim.comparison.text import difference, method_of
from rnicsim.report_page import markup

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 460, 14, 14, 40, 6, 34
COLOURS = {"B slower": "var(--bad)", "B faster": "var(--good)"}


def _reach(point: Any) -> Any:
    return abs(point["difference_us"]) + (point["half_width_us"] or 0)


def _step(limit: Any) -> Any:
    """A round number of which two or three fit into the limit."""
    power = 10 ** math.floor(math.log10(limit))
    return next(factor * power for factor in (5, 2, 1, 0.5, 0.2)
                if factor * power * 2 <= limit * 1.0001)


def picture(points: Any) -> Any:
    """SVG with a row for each point and method whose mean has changed; nothing if none has."""
    shown = [point for point in points if point["difference_us"]]
    if not shown:
        return ""
    limit = max(map(_reach, shown)) * 1.05
    middle, bottom = (LEFT + WIDTH - RIGHT) / 2, TOP + ROW * len(shown)

    def x(microseconds: Any) -> Any:
        return middle + microseconds / limit * (WIDTH - LEFT - RIGHT) / 2

    step = _step(limit)
    ticks = [(f"{x(i * step):.1f}", f"{i * step:g}", "var(--rule)" if i else "var(--ink)")
             for i in range(-int(limit / step),
                            int(limit / step) + 1)]
    single = len({point["point"] for point in points}) == 1
    rows = []
    for number, point in enumerate(shown):
        mean, half = point["difference_us"], point["half_width_us"]
        rows.append({
            "y":
            TOP + ROW * number + 28,
            "mean":
            f"{x(mean):.1f}",
            "colour":
            COLOURS.get(point["verdict"], "var(--muted)"),
            "text":
            f"{method_of(point, single)}: {difference(point)}",
            "ends": [] if half is None else [f"{x(end):.1f}" for end in (mean - half, mean + half)]
        })
    return markup.fill("forest.svg", width=WIDTH, height=bottom + BOTTOM, top=TOP, bottom=bottom,
                       left=LEFT, middle=f"{middle:.1f}", ticks=ticks, rows=rows)
