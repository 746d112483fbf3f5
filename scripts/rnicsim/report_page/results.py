# SPDX-License-Identifier: Apache-2.0
"""Result folders (results/README.md) as objects: rows of summary.csv by point and method, and the
manifest."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from rnicsim import ending
from rnicsim.old_names import named_now
from rnicsim.report_page.intervals import from_half_width, from_sd

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate

UNITS = {  # unit -> (base unit, factor)
    "ns": ("ms", 1e-6), "us": ("ms", 1e-3), "µs": ("ms", 1e-3), "ms": ("ms", 1.0), "s": ("ms", 1e3),
    "B": ("KiB", 1 / 1024), "KiB": ("KiB", 1.0), "MiB": ("KiB", 1024.0),
    "%": ("%", 1.0), "": ("", 1.0),
}
PARTS = {  # columns that add up to mean_us -> (name, what it is)
    "setup": ("set-up", "the handshake of the attempt that succeeds"),
    "waiting": ("waiting", "failed attempts to connect, before data may be sent"),
    "stalled": ("stalled", "everything that may be sent has been sent; waits for the valid "
                           "REQ_ACK"),
    "wire": ("wire", "data frames on the wire for the first time, with the gaps between them"),
    "retransmission": ("retransmission", "repeated frames, and waiting for the data timer"),
    "drain": ("drain", "the indirect buffer goes to memory while nothing else happens"),
    "release": ("release", "from the release to the completion"),
}
MESSAGE_PARTS = {  # the same of messages between RoCEv2 RNICs, where there are any
    "post": ("post", "from the program's call until the card knows of the WQE"),
    "fetch": ("fetch", "until the card has the WQE"),
    "queue": ("queue", "until the first packet is decided: behind other messages, for the window, "
                       "credits, a fence, the pace"),
    "rnr": ("RNR", "waits as an RNR NAK asks"),
    "completion": ("completion", "from the last answer until the program has the completion"),
}
ALL_PARTS = {**PARTS, **MESSAGE_PARTS}
AGAIN = "the sweep's own command writes it again"
TOLERANCE_US = 0.001  # to which the parts must add up
NEEDED = ("point", "method", "repetitions", "transfers_completed", "mean_us", "sd_us", "ci95_us",
          "gain", "gain_ci95")


class Unusable(ending.Unusable):
    """A folder whose files cannot be read, or contradict themselves; one line."""


def number(text: str | None) -> Any:
    """A CSV number; NaN for an empty or absent field."""
    return float(text) if text else math.nan


def is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def quantities(texts: Sequence[str]) -> Any:
    """(numbers, unit) of values such as '5 %' in one unit, or None if they are not all numbers of
    one kind."""
    parsed = []
    for text in texts:
        match = re.fullmatch(r"([-+]?[\d_]*\.?\d+(?:[eE][-+]?\d+)?)\s*([%µA-Za-z]*)", text.strip())
        if not match:
            return None
        parsed.append((float(match[1].replace("_", "")), match[2]))
    units = {unit for _, unit in parsed}
    if len(units) == 1:
        return [value for value, _ in parsed], units.pop()
    nonzero = {unit for value, unit in parsed if value != 0 or unit}
    bases = {UNITS[unit][0] if unit in UNITS else None for unit in nonzero}
    if len(bases) != 1 or None in bases:
        return None
    return [value * UNITS.get(unit, ("", 1.0))[1] for value, unit in parsed], bases.pop()


def same_value(a: str, b: str) -> bool:
    """Whether two values of a key are equal, whatever their units: 1 KiB and 1024 B."""
    both = quantities([a, b])
    return a.strip() == b.strip() or both is not None and math.isclose(
        both[0][0], both[0][1], abs_tol=1e-12)


def ordered_unique(items: Iterator[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def leaves(resolved: str) -> dict[str, Any]:
    """Dotted keys of the resolved scenario (YAML) with the texts of their values. An item of a list
    has its name in its keys: that of a link without one is what it joins. Without the axes, which
    are compared by their points."""
    def name_of(item: Mapping[str, Any], place: int) -> str:
        return item.get("name") or "-".join(item.get("between", [str(place)]))

    def found(path: Any, node: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(node, dict) and node:
            for key, value in node.items():
                yield from found(f"{path}.{key}" if path else key, value)
        elif isinstance(node, list) and any(isinstance(item, dict) for item in node):
            for place, item in enumerate(node):
                yield from found(f"{path}.{name_of(item, place)}", item)
        else:
            yield path, "{}" if node == {} else f"[{', '.join(node)}]" if isinstance(node,
                                                                                     list) else node
    tree = yaml.load(resolved, Loader=yaml.BaseLoader)  # texts as they are written
    for axes in ("sweep", "reference"):
        tree.get("run", {}).pop(axes, None)
    return {named_now(path): text for path, text in found("", tree)}


def name_variants(scenario: dict[str, Any]) -> None:
    """The variants of a manifest's scenario by one name, whatever they are called: `methods`;
    `word` is what they are called, and `compared` which two a gain is of, the better one of a gain
    last. Raises KeyError where there are none."""
    scenario["word"] = "variant" if "variants" in scenario else "method"
    scenario["methods"] = scenario[scenario["word"] + "s"]
    compare = scenario.get("compare", {})
    scenario["compared"] = [compare.get("base", "traditional"), compare.get("against", "dynamic")]


def by_method(columns: list[str], rows: Sequence[dict[str, Any]], word: str) -> list[str]:
    """Columns and rows of a CSV file whose variants are in a column of this name, under
    `method`."""
    if word in columns:
        columns[columns.index(word)] = "method"
        for row in rows:
            row["method"] = row.pop(word)
    return columns


def read_manifest(folder: Path) -> Any:
    file = folder / "manifest.json"
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        scenario = manifest["scenario"]
        name_variants(scenario)
        for key in ("name", "axes", "points", "repetitions", "resolved"):
            scenario[key]
        for reference in manifest["reference"]["gains"]:
            scenario["points"][reference["point"]], reference["gain"]
        return manifest
    except FileNotFoundError as error:
        raise Unusable(f"{file} is missing: expected an output folder of `rnicsim run`") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise Unusable(f"{file} is cut or damaged: {error}; {AGAIN}") from error
    except (KeyError, TypeError, IndexError) as error:
        raise Unusable(
            f"{file} is no manifest of rnicsim, or of another version ({type(error).__name__}: "
            f"{error}); {AGAIN}"
        ) from error


def name_axis(row: dict[str, Any], axis: str, value: str) -> None:
    """A column "size (B)" is the axis "size" too, with its value as the scenario writes it, if both
    are one quantity."""
    column = next(
        (name for name in row if name and name.startswith(f"{axis} (") and name.endswith(")")),
        None)
    if axis in row or column is None:
        return
    here = f"{row[column]} {column[len(axis) + 2:-1]}"
    row[axis] = value if quantities([value]) is None or same_value(here, value) else here


def read_summary(folder: Path, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of summary.csv: all that the manifest speaks of, each whole."""
    file = folder / "summary.csv"
    try:
        text = file.read_text(encoding="utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = list(reader)
    except FileNotFoundError as error:
        raise Unusable(f"{file} is missing: expected an output folder of `rnicsim run`") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise Unusable(f"{file} is damaged: {error}; {AGAIN}") from error
    scenario = manifest["scenario"]
    columns = by_method(list(reader.fieldnames or []), rows, scenario["word"])
    lacking = [column for column in NEEDED if column not in columns]
    if lacking:
        raise Unusable(f"{file} has no column {', '.join(lacking)}; {AGAIN}")
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise Unusable(f"{file}: row {line} is cut, expected {len(columns)} cells; {AGAIN}")
        for column in columns:
            if column.endswith(
                ("_us", "ci95")) and column != "repetition_means_us" or column in ("gain", "point",
                                                                                   "repetitions"):
                if row[column] and not is_finite(row[column]):
                    raise Unusable(
                        f"{file}: row {line}: {column} is '{row[column]}', expected a number; "
                        f"{AGAIN}"
                    )
    if not text.endswith("\n"):
        raise Unusable(f"{file}: its last line is cut; {AGAIN}")
    items = ordered_unique(row.get("traffic", "") for row in rows) or [""]  # of a network several
    wanted = [(str(point), item, method) for point in range(len(scenario["points"]))
              for item in items for method in scenario["methods"]]
    if sorted(
        (row["point"], row.get("traffic", ""), row["method"]) for row in rows) != sorted(wanted):
        raise Unusable(
            f"{file} and manifest.json do not speak of the same points and methods: {len(rows)} "
            f"rows, expected {len(wanted)}; "
            f"{AGAIN}")
    for line, row in enumerate(rows, 2):
        for axis, value in zip(scenario["axes"], scenario["points"][int(row["point"])]):
            name_axis(row, axis, value)
            if row.get(axis) != value:
                raise Unusable(
                    f"{file}: row {line}: {axis} is '{row.get(axis)}', and in manifest.json point "
                    f"{row['point']} has '{value}'; {AGAIN}"
                )
    for row in rows:
        row["compared"] = scenario["compared"]
    return rows


class Result:
    """One folder, called `name` or like the folder; of a network's traffic one item. Points are
    numbers from 0; a value that the files do not give is NaN or None."""

    def __init__(self, folder: Any, name: None = None, item: None = None) -> None:
        self.folder, self.name = folder, name or folder.name
        try:
            self.manifest = read_manifest(folder)
            rows = read_summary(folder, self.manifest)
            scenario = self.manifest["scenario"]
            self.scenario = scenario["name"]
            self.axes, self.points, self.methods = scenario["axes"], scenario["points"], scenario[
                "methods"]
            self.compared = scenario["compared"]
            self.keys = leaves(scenario["resolved"])
            self.references = {r["point"]: r["gain"] for r in self.manifest["reference"]["gains"]}
            # else the first
            self.rows = {(int(row["point"]), row["method"]): row
                         for row in reversed(rows) if item in (None, row.get("traffic"))}
            self.repetitions = max(int(row["repetitions"]) for row in rows)
            for key in self.rows:
                self._check_parts(*key)
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise Unusable(
                f"{folder} is damaged ({type(error).__name__}: {error}); {AGAIN}") from error
        except Unusable as error:
            raise Unusable(str(error) if str(folder) in
                           str(error) else f"{folder}: {error}") from None

    def _check_parts(self, point: int, method: str) -> None:
        parts = self.parts(point, method)
        if parts and abs(sum(parts.values()) - self.value(point, method, "mean_us")) > TOLERANCE_US:
            raise Unusable(
                f"point {point}, {method}: the parts of the time add up to "
                f"{sum(parts.values()):.6f} us, but "
                f"mean_us is {self.value(point, method, 'mean_us'):.6f} us")

    def value(self, point: int, method: str, column: str) -> Any:
        return number(self.rows[point,
                                method].get(column)) if (point, method) in self.rows else math.nan

    def part_names(self) -> list[str]:
        """Those that the file has columns of."""
        row: Any = next(iter(self.rows.values()), {})
        return [*PARTS, *(part for part in MESSAGE_PARTS if f"{part}_us" in row)]

    def parts(self, point: int, method: str) -> Any:
        """Mean microseconds by part, or None where the file gives none."""
        parts = {part: self.value(point, method, f"{part}_us") for part in self.part_names()}
        return None if any(map(math.isnan, parts.values())) else parts

    def time(self, point: int, method: str) -> Estimate:
        """Mean time of a transfer in microseconds."""
        return from_sd(self.value(point, method, "mean_us"), self.value(point, method, "sd_us"),
                       self.repetitions)

    def means(self, point: int, method: str) -> list[float] | None:
        """Mean time of each repetition in microseconds; None if the file does not say, or one
        completed nothing."""
        text = self.rows.get((point, method), {}).get("repetition_means_us") or "-"
        return None if "-" in text.split() else [float(mean) for mean in text.split()]

    def gain(self, point: Any) -> Estimate | None:
        """Gain of the second of `compared` over the first, paired, as a fraction; None where there
        is none."""
        mean = self.value(point, self.compared[1], "gain")
        if math.isnan(mean):
            return None
        return from_half_width(mean, self.value(point, self.compared[1], "gain_ci95"),
                               self.repetitions)

    def per_transfer(self, point: int, method: str, counter: str) -> Any:
        """A counter, divided by the completed transfers."""
        return self.value(point, method, counter) / self.value(point, method, "transfers_completed")

    def counter_exists(self, counter: str) -> bool:
        return all(counter in row for row in self.rows.values())

    @property
    def transfers(self) -> int:
        """Of one repetition, as asked for."""
        return int(self.keys.get("run.transfers", 0))

    def values(self, axis: int) -> Any:
        """The values of an axis in order, each once."""
        return ordered_unique(point[axis] for point in self.points)

    def numbers(self, axis: int) -> dict[str, float] | None:
        """Value text -> number, or None if they are not numbers of one kind."""
        scaled = quantities(self.values(axis))
        return dict(zip(self.values(axis), scaled[0])) if scaled else None

    def base_value(self, axis: int) -> str | None:
        """The value of an axis that the scenario has where it is not swept, or None."""
        keys = self._axis_keys(axis)
        base = self.keys.get(keys[0]) if keys else None
        if base is None and keys and keys[0].startswith("system."):
            base = self.keys.get(keys[0].replace("system.", "system.a.", 1))
        return next((v for v in self.values(axis) if base is not None and same_value(v, base)),
                    None)

    def _axis_keys(self, axis: int) -> list[str] | None:
        swept = re.findall(r"\{name: (.+?), keys: \[(.+?)\]", self.manifest["scenario"]["resolved"])
        return next(([named_now(key) for key in keys.split(", ")]
                     for name, keys in swept if name.strip('"') == self.axes[axis]), None)


def read_folders(root: Path, meant: tuple[str, ...]) -> tuple[dict[str, Result], list[Any]]:
    """Every complete result folder of `root` by name, and the names of the incomplete ones; or
    `root` itself, if it is one. A folder that is called like a scenario of those `meant` is taken
    for it, and has to be of it; any other may be called as one likes."""
    results, incomplete = {}, []
    if (root / "summary.csv").exists() and (root / "manifest.json").exists():
        name = read_manifest(root)["scenario"]["name"]
        return {name: Result(root, name)}, []
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if (folder / "summary.csv").exists() and (folder / "manifest.json").exists():
            result = Result(folder)
            if folder.name in meant and result.scenario != folder.name:
                raise Unusable(
                    f"{folder} holds results of the scenario {result.scenario}: it would be taken "
                    f"for those of {folder.name}; "
                    "give it another name")
            results[folder.name] = result
        elif (folder / "runs").exists() or (folder / "manifest.json").exists():
            incomplete.append(folder.name)
    return results, incomplete
