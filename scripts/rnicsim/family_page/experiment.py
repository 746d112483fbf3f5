# SPDX-License-Identifier: Apache-2.0
"""The result of one scenario, and its numbers as text."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rnicsim.report_page.results import (number, ordered_unique, quantities, read_manifest,
                                         read_summary)


class Experiment:
    """The result of one scenario: rows by method, in the order of its points."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.folder = folder
        self.manifest = read_manifest(folder)
        self.rows = read_summary(folder, self.manifest)
        self.scenario = self.manifest["scenario"]
        for row in self.rows:
            row["values"] = self.scenario["points"][int(row["point"])]

    def select(self, method: str, **wanted: str) -> Any:
        """Rows of a method, of one item of traffic or of one value of an axis, by their names."""
        return [
            row for row in self.rows
            if row["method"] == method and all(row[key] == value for key, value in wanted.items())
        ]

    def series(self) -> list[dict[str, Any]]:
        """What `--series` has left of one of its runs, by rows; nothing if it was not asked for."""
        file = self.folder.with_name(f"{self.name}_series.csv")
        if not file.exists():
            return []
        with open(file, encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    def axis(self, number_of: int = -1) -> Any:
        return ordered_unique(row["values"][number_of] for row in self.rows)


def value(text: str) -> Any:
    """A number of an axis value: of a row of several its first one."""
    found = quantities([text.split(",")[0]])
    return found[0][0] if found else 0.0


def a_run(row: Mapping[str, Any], *columns: str) -> float:
    """The sum of these counters, of one repetition on average."""
    return sum(int(row[column] or 0) for column in columns) / int(row["repetitions"])


def counted(number_of: float) -> str:
    """... as text."""
    return f"{number_of:,.1f}".removesuffix(".0")


def whole_ms(row: Mapping[str, Any], payload: int) -> Any:
    """How long all messages or frames of a run take."""
    return a_run(row, "transfers_completed") * payload * 8 / number(row["goodput_gbps"]) / 1e6


def shown(row: Mapping[str, Any], column: str, scale: float = 1.0, decimals: int = 1,
          half: str | None = None) -> Any:
    if not row[column]:
        return "–"
    text = f"{number(row[column]) * scale:.{decimals}f}"
    return f"{text} ± {number(row[half]) * scale:.{decimals}f}" if half and row[half] else text


def gbps(row: Mapping[str, Any]) -> Any:
    return shown(row, "goodput_gbps", 1, 3)


def failed(row: Mapping[str, Any]) -> str:
    return f"{100 * number(row['failed_share']):.2g}"
