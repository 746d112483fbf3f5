# SPDX-License-Identifier: Apache-2.0
"""A result folder as a sweep: its axes, and a row of summary.csv for each place on them and each
method."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rnicsim.report_page.results import (number, ordered_unique, quantities, read_manifest,
                                         read_summary)

ITEM = "traffic"  # the axis of a network that has several items


def is_numeric(values: Sequence[str]) -> bool:
    return quantities(values) is not None


class Sweep:
    """`axes`: names in the order in which they are drawn: x, then what is a colour or y, then one
    row of panels for each combination. Along x runs the axis with most values that are numbers;
    items of traffic are never compared within a panel."""

    def __init__(self, folder: Path, first: Any = ()) -> None:
        """`first`: axes by name that are to come first. Raises KeyError with the first name that is
        no axis."""
        self.manifest = read_manifest(folder)
        self.rows = read_summary(folder, self.manifest)
        scenario = self.manifest["scenario"]
        self.name, self.methods, self.repetitions = scenario["name"], scenario["methods"], scenario[
            "repetitions"]
        self.word = scenario["word"]
        swept = scenario["axes"]
        for row in self.rows:
            row["place"] = dict(zip(swept, scenario["points"][int(row["point"])]))
        if len({row.get(ITEM) for row in self.rows}) > 1:
            for row in self.rows:
                row["place"][ITEM] = row[ITEM]
        found = list(self.rows[0]["place"])
        for name in first:
            if name not in found:
                raise KeyError(name)
        rest = [name for name in swept if name not in first]
        # stable: else as in the scenario
        rest.sort(key=lambda name: -len(self.values(name)) if is_numeric(self.values(name)) else 1)
        self.axes = [
            *first, *(name for name in [*rest, ITEM] if name in found and name not in first)
        ]
        self.references = {
            reference["point"]: reference["gain"]
            for reference in self.manifest["reference"]["gains"]
        }

    def values(self, axis: Any) -> Any:
        """In the order of the sweep."""
        return ordered_unique(row["place"][axis] for row in self.rows)

    def keep(self, wanted: Mapping[str, Any]) -> None:
        """Only rows with these values of axes (a dictionary)."""
        self.rows = [
            row for row in self.rows
            if all(row["place"].get(axis) == value for axis, value in wanted.items())
        ]
        self.axes = [axis for axis in self.axes if axis not in wanted]

    def select(self, rows: Sequence[dict[str, Any]] | None = None, **wanted: str) -> Any:
        return [
            row for row in (self.rows if rows is None else rows)
            if all(row[column] == value for column, value in wanted.items())
        ]

    def facets(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """(words, rows) of each combination of the axes from the third on; of items of traffic
        always."""
        behind = self.behind()
        groups = ordered_unique(tuple(row["place"][axis] for axis in behind) for row in self.rows)
        return [
            (", ".join(f"{short(axis)} {value}" for axis, value in zip(behind, group)),
             [row for row in self.rows if tuple(row["place"][axis] for axis in behind) == group])
            for group in groups
        ]

    def behind(self) -> list[str]:
        return [axis for place, axis in enumerate(self.axes) if place >= 2 or axis == ITEM]

    def within(self) -> list[str]:
        """The axes of a panel: none, x, or x and colour."""
        return [axis for axis in self.axes if axis not in self.behind()]

    def sample(self) -> str:
        """What each time is of: a network of plain hosts has frames only."""
        return "frame" if self.methods == ["none"] else "transfer"


def short(axis: str) -> str:
    """The last word of a path."""
    return axis.split(".")[-1]


def significant(row: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> bool:
    """Is the gain beyond its 95 % interval, and fails the same share with both methods? Else
    completed transfers do not compare."""
    shares = {other.get("failed_share", other.get("transfers_failed", "")) for other in rows
              if other["place"] == row["place"] and other["method"] in row["compared"]}
    half = number(row["gain_ci95"])
    return len(shares) == 1 and not math.isnan(half) and abs(number(row["gain"])) > half
