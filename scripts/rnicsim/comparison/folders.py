# SPDX-License-Identifier: Apache-2.0
"""A results folder (results/README.md) as a comparison sees it: the transfers of each run, the
counters of each point and method. Cycles and counts are integers; nothing here is rounded."""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from rnicsim.report_page.results import Unusable, by_method, leaves, name_variants

NAMES = ("point", "method", "repetition", "initiator", "id")  # columns that say which transfer
NEEDED = (*NAMES, "mode", "error")
TIMES = ("start_cycle", "end_cycle")
TIMES_OF_NETWORKS = {"start_ps": "start_cycle", "end_ps": "end_cycle"}
PS_PER_CYCLE = 8000  # of the hosts, whose cycles both are
DERIVED = ("time_us",)  # from the cycles
WHAT = "expected what `rnicsim run --transfers-csv` leaves"


def _id(place: str, text: str) -> str:
    """"7", or of a message "q0.7"."""
    if not re.fullmatch(r"(q\d+\.)?\d+", text):
        raise Unusable(
            f"{place}: id: found '{text}', expected a number, or QP and number such as q0.7")
    return text


class Run(NamedTuple):
    """What a run is called on both sides: their points may stand in another order."""
    point: str  # "loss: 5 %, window: 4", or "-"
    method: str
    repetition: int


def _read(folder: Path, name: str, parse: Callable[..., Any]) -> Any:
    file = folder / name
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            return parse(stream)
    except FileNotFoundError:
        raise Unusable(f"{file} is missing: {WHAT}") from None
    except (OSError, UnicodeDecodeError, ValueError, csv.Error) as error:
        raise Unusable(f"{file}: {type(error).__name__}: {error}: {WHAT}") from error


def _table(folder: Path, name: str, needed: Any,
           word: str) -> tuple[list[str], list[dict[str, str]]]:
    def parse(stream: TextIO) -> Any:
        reader = csv.DictReader(stream, strict=True)
        rows = list(reader)
        return by_method(list(reader.fieldnames or []), rows, word), rows
    columns, rows = _read(folder, name, parse)
    missing = [column for column in needed if column not in columns]
    if missing:
        raise Unusable(f"{folder / name}: has no column {', '.join(missing)}: {WHAT}")
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise Unusable(
                f"{folder / name}: row {line} has not {len(columns)} cells as the header has: "
                f"{WHAT}"
            )
    return columns, rows


def _number(place: str | Path, column: str, text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        raise Unusable(f"{place}: {column} is '{text}': expected a whole number") from None


def point_label(axes: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{axis}: {value}" for axis, value in zip(axes, values)) or "-"


class Results:
    """One folder. Throws Unusable, one line with the file and what was expected."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = _read(folder, "manifest.json", json.load)
        try:
            scenario = self.manifest["scenario"]
            name_variants(scenario)
            self.scenario, self.program = scenario, self.manifest["program"]
            self.points = [point_label(scenario["axes"], values) for values in scenario["points"]]
            self.methods, self.seed, self.name = list(
                scenario["methods"]), scenario["seed"], scenario["name"]
            self.resolved = scenario["resolved"]
            self.tape = scenario.get("tape", "")  # the faults that its runs played
            self.profiles = [own["text"] for own in scenario.get("profiles", ())]  # of files
            self.keys = leaves(self.resolved)
            runs = [
                Run(point, method, repetition) for point in self.points for method in self.methods
                for repetition in range(scenario["repetitions"])
            ]
        except (KeyError, TypeError, AttributeError) as error:
            raise Unusable(
                f"{folder / 'manifest.json'}: {type(error).__name__}: {error}: {WHAT}") from error
        self.runs: Any = {run: {} for run in runs}
        self._read_transfers()
        self.counters: dict[Any, Any] = {}
        self._read_summary()

    def _point(self, place: str, row: Mapping[str, str]) -> Any:
        number = _number(place, "point", row["point"])
        if not 0 <= number < len(self.points) or row["method"] not in self.methods:
            raise Unusable(
                f"{place}: point {number}, {row['method']}: manifest.json knows {len(self.points)} "
                "points and the methods "
                f"{', '.join(self.methods)}")
        return self.points[number]

    def _read_transfers(self) -> None:
        columns, rows = _table(self.folder, "transfers.csv", NEEDED, self.scenario["word"])
        network = "traffic" in columns
        columns, rows = _table(self.folder, "transfers.csv",
                               TIMES_OF_NETWORKS if network else TIMES, self.scenario["word"])
        self.columns = [column for column in columns if column not in (*NAMES, *DERIVED)]
        counts = [
            column for column in self.columns if column.endswith(("_cycle", "_cycles", "_ps"))
        ]
        for line, row in enumerate(rows, 2):
            place = f"{self.folder / 'transfers.csv'}: row {line}"
            run = Run(self._point(place, row), row["method"],
                      _number(place, "repetition", row["repetition"]))
            if run not in self.runs:
                raise Unusable(
                    f"{place}: repetition {run.repetition}: manifest.json knows "
                    f"{self.scenario['repetitions']}"
                )
            name = row["initiator"] + ("." if network else "") + _id(place, row["id"])
            if name in self.runs[run]:
                raise Unusable(f"{place}: transfer {name} of {self.label(run)} is there twice")
            transfer: dict[str, Any] = {column: row[column] for column in self.columns}
            transfer.update((column, _number(place, column, row[column])) for column in counts)
            if network:
                transfer.update((cycle, transfer[ps] // PS_PER_CYCLE)
                                for ps, cycle in TIMES_OF_NETWORKS.items())
            self.runs[run][name] = transfer

    def _read_summary(self) -> None:
        place = self.folder / "summary.csv"
        columns, rows = _table(self.folder, "summary.csv",
                               ("point", "method", "transfers_completed", "transfers_failed"),
                               self.scenario["word"])
        names = [column for column in columns[columns.index("method"):] if "." in column]
        # by point and method: a network has a row for each item of traffic, with the same counters
        told: dict[Any, Any] = {}
        for line, row in enumerate(rows, 2):
            point = self._point(f"{place}: row {line}", row)
            self.counters[point, row["method"]] = {
                name: _number(f"{place}: row {line}", name, row[name])
                for name in names
            }
            number, transfers = told.get((point, row["method"]), (row["point"], 0))
            transfers += sum(
                _number(place, column, row[column])
                for column in ("transfers_completed", "transfers_failed"))
            told[point, row["method"]] = number, transfers
        for (point, method), (number, transfers) in told.items():
            there = sum(
                len(found) for run, found in self.runs.items() if run[:2] == (point, method))
            if transfers != there:
                raise Unusable(
                    f"{self.folder / 'transfers.csv'}: {there} transfers of point {number}, "
                    f"{method}, but "
                    f"summary.csv speaks of {transfers}")
        if set(self.counters) != {run[:2] for run in self.runs}:
            raise Unusable(
                f"{place} and manifest.json do not speak of the same points and methods: {WHAT}")

    def label(self, run: Run) -> Any:
        """As --observe-run takes it."""
        return f"p{self.points.index(run.point):03d}_{run.method}_r{run.repetition}"


def duration(transfer: Any) -> Any:
    """Cycles of 8 ns."""
    return transfer["end_cycle"] - transfer["start_cycle"]


def both_ends(keys: Mapping[str, str]) -> dict[str, str]:
    """The keys of `system.host` and `system.rnic` as those of each end."""
    full = {}
    for key, value in keys.items():
        ends = ("a", "b") if key.startswith(("system.host.", "system.rnic.")) else ()
        full.update({key.replace("system.", f"system.{end}.", 1): value
                     for end in ends} or {key: value})
    return full


def settings_that_differ(a: Results, b: Results) -> list[tuple[str, str | None, str | None]]:
    """[(key, A's value or None, B's)] of two resolved scenarios; a key that differs alike at both
    ends is named once."""
    ours, theirs = both_ends(a.keys), both_ends(b.keys)
    found = {
        key: (ours.get(key), theirs.get(key))
        for key in dict.fromkeys([*ours, *theirs]) if ours.get(key) != theirs.get(key)
    }
    result = {}
    for key, values in found.items():
        other = key.replace("system.a.", "system.b.",
                            1) if key.startswith("system.a.") else key.replace(
                                "system.b.", "system.a.", 1)
        alike = other != key and found.get(other) == values
        result[f"system.{key[len('system.a.'):]}" if alike else key] = values
    return [(key, *values) for key, values in result.items()]
