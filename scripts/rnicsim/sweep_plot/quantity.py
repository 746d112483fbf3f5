# SPDX-License-Identifier: Apache-2.0
"""What can be drawn of each row of summary.csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TYPE_CHECKING

from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.sweep_plot.sweep import Sweep


class Quantity(NamedTuple):
    """A column, the column of half its 95 % interval (or ""), its words, and the factor from the
    file's unit to the shown one."""
    column: str
    half: str
    words: str
    factor: float

    @property
    def is_gain(self) -> bool:
        return self.column == "gain"

    def of(self, row: Mapping[str, Any]) -> Any:
        """NaN where nothing has completed."""
        return number(row[self.column]) * self.factor

    def half_of(self, row: Mapping[str, Any]) -> Any:
        return number(row[self.half]) * self.factor if self.half else float("nan")


TIMES = {
    "mean_us": "mean",
    "median_us": "median",
    "p90_us": "90th percentile of",
    "p99_us": "99th percentile of",
    "max_us": "longest"
}
OTHERS = {
    "goodput_gbps": ("goodput (Gb/s)", 1.0),
    "jain": ("Jain's index of the initiators' goodput", 1.0),
    "failed_share": ("failed (%)", 100.0)
}
UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns"))  # µs in each
NAMES = (*TIMES, *OTHERS)


def gain(sweep: Any) -> Quantity:
    """Of the second of what is compared, in what."""
    scenario = sweep.manifest["scenario"]
    what = scenario.get("compare", {}).get("of", "mean_us")
    return Quantity(
        "gain", "gain_ci95",
        f"gain of {scenario['compared'][1]}{'' if what == 'mean_us' else f', {what}'} (%)", 100.0)


def quantity(column: str, sweep: Sweep) -> Quantity:
    """Of NAMES; times in the unit in which they read well."""
    if column in OTHERS:
        return Quantity(column, "", *OTHERS[column])
    values = [number(row[column]) for row in sweep.rows if row[column]]
    size, unit = next((each for each in UNITS if each[0] <= max(values, default=1)), UNITS[-1])
    half = "ci95_us" if column == "mean_us" else ""
    return Quantity(column, half, f"{TIMES[column]} {sweep.sample()} time ({unit})", 1 / size)
