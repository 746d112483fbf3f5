# SPDX-License-Identifier: Apache-2.0
"""Looks inside a finished result folder: DIR/inside/ gets ladder diagrams, times, buffer fill and
captures for the report.

Usage: scripts/look_inside SCENARIO DIR [--axis KEY=VALUES]... [--jobs N] [--program FILE]

For each point and method three completed transfers of all repetitions are chosen (of equals the
first) and drawn: the median, the slowest, and the longest stalled. The two last give the fill of
the indirect buffer over time. What DIR/runs holds is not simulated again. DIR's overrides (--set,
--seed) are read from its manifest; give --axis again if the sweep had it. Only DIR/inside changes.
results/README.md explains its files; `rnicsim report` shows them. Of a network (and so of RoCEv2
messages) it draws nothing: `rnicsim explain` does.

  --jobs N        runs at once, passed on to rnicsim
  --program FILE  [build/release/bin/rnicsim]
Exit codes: 0 done, 2 wrong option or unusable folder, 3 the simulator failed.
"""

import argparse
import csv
import hashlib
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.report_page import inside
from rnicsim.places import ROOT
from rnicsim.report_page.results import by_method

CYCLE_NS = 8
MOST_POINTS = 500  # of a fill curve


class Wrong(ending.Unusable):
    """The folder or the scenario; one line."""


class Failed(ending.Failed):
    """The simulator."""


class Program:
    """rnicsim on one scenario with one set of overrides. Its results go to a folder of ours."""

    def __init__(self, options: argparse.Namespace, overrides: Sequence[str], out: Path) -> None:
        self.options, self.out, self.verb = options, out, "sweep" if options.axis else "run"
        self.more = [text for value in overrides for text in ("--set", value)]
        self.more += [text for value in options.axis for text in ("--axis", value)]

    def call(self, command: str | Path, *arguments: Any) -> None:
        told = subprocess.run([
            self.options.program, "--log-level", "warning", command, self.options.scenario,
            *map(str, arguments), *self.more
        ], capture_output=True, text=True, check=False)
        if told.returncode == 130:
            raise KeyboardInterrupt
        # 4: all transfers of a run failed, which is a result, too
        if told.returncode not in (0, 4):
            raise Failed(f"rnicsim {command}: exit code {told.returncode}: {told.stderr.strip()}")

    def run(self, *arguments: Any) -> None:
        jobs = ["--jobs", self.options.jobs] if self.options.jobs else []
        self.call(self.verb, "--out", self.out, "--quiet", "--no-plot", *jobs, *arguments)

    def text(self, command: str, *arguments: str) -> str:
        """The command as one types it in the source folder."""
        scenario = self.options.scenario.resolve()
        scenario = scenario.relative_to(ROOT) if scenario.is_relative_to(ROOT) else scenario.name
        return shlex.join(["rnicsim", command, *map(str, [scenario, *arguments, *self.more])])


def manifest_of(folder: Path, scenario: Path) -> Any:
    """The scenario's part of the manifest; DIR must hold complete results of this scenario."""
    try:
        ours = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["scenario"]
        (folder / "summary.csv").stat()
    except FileNotFoundError as error:
        raise Wrong(f"{folder} holds no finished results: {error.filename} is missing") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Wrong(f"{folder}: manifest.json: {type(error).__name__}: {error}") from error
    if ours["file"] != scenario.name:
        raise Wrong(f"{folder} holds results of {ours['file']}, not of {scenario.name}")
    return ours


def check_form(folder: Path, scenario: Path) -> None:
    """A network may have several items of traffic at a point, of which neither inside.json nor the
    page knows."""
    with (folder / "summary.csv").open(newline="", encoding="utf-8") as file:
        if "traffic" not in next(csv.reader(file), []):
            return
    raise Wrong(
        f"{folder} holds results of a network, expected those of two ends; a transfer or message "
        "of a network is drawn by: "
        f"rnicsim explain {scenario} --run RUN --transfer NAME --draw FILE.svg")


def transfers(program: Any, folder: Path) -> list[dict[str, str]]:
    """Rows of transfers.csv, computed from DIR/runs as far as they are there; they must give DIR's
    summary again."""
    if (folder / "runs").is_dir():
        shutil.copytree(folder / "runs", program.out / "runs")
        # without it rnicsim refuses the folder as not its own
        shutil.copy(folder / "manifest.json", program.out)
    program.run("--transfers-csv")
    if (program.out / "summary.csv").read_bytes() != (folder / "summary.csv").read_bytes():
        raise Wrong(
            f"{folder} holds other results than this program gives for the scenario: run it again, "
            "or give the "
            "same --axis and the same program")
    with (program.out / "transfers.csv").open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        by_method(list(reader.fieldnames or []), rows, "variant")
        return rows


def nearest_rank(ordered: Sequence[float], share: int) -> float:
    """The smallest time that at least this share (a fraction of inside.STEPS) of the transfers does
    not exceed."""
    return ordered[max(0, -(-share * len(ordered) // inside.STEPS) - 1)]


def by_point_and_method(
        rows: Sequence[dict[str, str]]) -> dict[tuple[int, str], list[dict[str, str]]]:
    groups: dict[Any, Any] = {}
    for row in rows:
        groups.setdefault((int(row["point"]), row["method"]), []).append(row)
    return groups


def times(groups: Mapping[tuple[int, str], list[dict[str, str]]]) -> list[dict[str, Any]]:
    """Quantiles at every step from 0 to 1: each is the time of a transfer, in microseconds."""
    found = []
    for (point, method), rows in groups.items():
        ordered = sorted(float(row["time_us"]) for row in rows if not row["error"])
        found.append({
            "point":
            point,
            "method":
            method,
            "completed":
            len(ordered),
            "failed":
            len(rows) - len(ordered),
            "quantiles_us":
            [nearest_rank(ordered, step) for step in range(inside.STEPS + 1)] if ordered else []
        })
    return found


def microseconds(row: Mapping[str, str]) -> float:
    return float(row["time_us"])


def chosen(
    groups: Mapping[tuple[int, str], list[dict[str,
                                               str]]]) -> list[tuple[dict[str, str], list[str]]]:
    """[(row, roles)] of every point and method: one transfer may have several roles."""
    found = []
    for rows in groups.values():
        done = [row for row in rows if not row["error"]]
        if not done:
            continue
        median = nearest_rank(sorted(map(microseconds, done)), inside.STEPS // 2)
        roles = {
            "median": next(row for row in done if microseconds(row) == median),
            "slowest": max(done, key=microseconds)
        }
        stalled = max(done, key=lambda row: (int(row["stalled_cycles"]), microseconds(row)))
        if int(stalled["stalled_cycles"]) > 0:
            roles["longest stalled"] = stalled
        rows_chosen = {id(row): row for row in roles.values()}
        found += [(row, [role for role, its in roles.items() if its is row])
                  for row in rows_chosen.values()]
    return found


def label(row: Mapping[str, str]) -> Any:
    return f"p{int(row['point']):03d}_{row['method']}_r{row['repetition']}"


def window(row: Mapping[str, str]) -> str:
    return f"{int(row['start_cycle']) * CYCLE_NS} ns..{int(row['end_cycle']) * CYCLE_NS} ns"


def transfer_number(row: Mapping[str, str]) -> str:
    """As --transfer takes it."""
    return row["id"] if row["initiator"] == "a" else row["initiator"] + row["id"]


def draw(program: Program, row: Mapping[str, str], roles: Sequence[str], folder: Path) -> Any:
    """The ladder and the capture of one transfer. A program that cannot write captures leaves none,
    or an empty file."""
    name = f"{label(row)}_{row['initiator']}{row['id']}"
    ladder, capture = f"{name}.svg", f"{name}.pcapng"
    explain = ("--run", label(row), "--transfer", transfer_number(row), "--draw")
    observe = ("--observe-run", label(row), "--observe-window", window(row), "--pcap")
    program.call("explain", *explain, folder / ladder)
    program.run(*observe, folder / capture)
    if (folder / capture).exists() and (folder / capture).stat().st_size == 0:
        (folder / capture).unlink()
    return {
        "point": int(row["point"]),
        "method": row["method"],
        "repetition": int(row["repetition"]),
        "run": label(row),
        "transfer": row["initiator"] + row["id"],
        "roles": roles,
        "time_us": float(row["time_us"]),
        "ladder": ladder,
        "capture": capture,
        "commands": {
            "ladder": program.text("explain", *explain, ladder),
            "capture": program.text(program.verb, *observe, capture)
        }
    }


def thinned(points: Any, most: int = MOST_POINTS) -> Any:
    """At most so many points in order: of each stretch the lowest and the highest, so that no
    extreme is lost."""
    if len(points) <= most:
        return points
    kept, stretches = [], most // 2
    for i in range(stretches):
        stretch = range(i * len(points) // stretches, (i + 1) * len(points) // stretches)
        kept += sorted({
            min(stretch, key=lambda k: float(points[k][1])),
            max(stretch, key=lambda k: float(points[k][1]))
        })
    return [points[k] for k in kept]


def fill(program: Program, row: Mapping[str, str], roles: Sequence[str]) -> Any:
    """Slots in use while this transfer lasts, a curve for each end whose indirect buffer is
    used."""
    events = program.out / "events.csv"
    observe = ("--observe-run", label(row), "--observe-window", window(row), "--events")
    program.run(*observe, events)
    curves: dict[Any, Any] = {}
    with events.open(newline="", encoding="utf-8") as file:
        for event in csv.DictReader(file):
            if (event["unit"], event["event"]) == ("buffer", "fill"):
                after = (int(event["time_ps"]) - int(row["start_cycle"]) * CYCLE_NS * 1000) / 1e6
                curves.setdefault(event["end"], []).append([after, int(event["bytes"])])
    return [{
        "point": int(row["point"]),
        "run": label(row),
        "transfer": row["initiator"] + row["id"],
        "end": end,
        "roles": roles,
        "time_us": float(row["time_us"]),
        "highest": max(slots for _, slots in points),
        "slots": thinned(sorted(points, key=lambda point: float(point[0]))),
        "command": program.text(program.verb, *observe, "events.csv")
    } for end, points in sorted(curves.items())]


def look(options: Any, temporary: Path) -> None:
    """Makes inside.json and what it names. Its keys:

    version         inside.VERSION
    summary_sha256  of the summary.csv that it belongs to
    times           for each point and method: transfers `completed` and `failed`, and
                    `quantiles_us`, the times of transfers (nearest rank) that 0, 0.5, ..., 100 % of
                    the completed ones do not exceed; `median_us` in summary.csv may lie between two
    transfers       those drawn, with `roles`, files and `commands`: of each point and method the
                    `median`, the `slowest` and, if any stalled, the `longest stalled`, of these the
                    slowest; of equals the first in transfers.csv
    fill            `slots` [[µs since the request, slots of the indirect buffer in use]] of the
                    dynamic method's slowest and longest stalled transfers, a curve for each `end`;
                    `highest` of them. At most MOST_POINTS points, thinned so that no extreme is
                    lost
    """
    folder = options.folder
    program = Program(options,
                      manifest_of(folder, options.scenario)["overrides"], temporary / "out")
    check_form(folder, options.scenario)
    program.out.mkdir()
    groups = by_point_and_method(transfers(program, folder))
    new = temporary / "inside"
    new.mkdir()
    picked = chosen(groups)
    content: dict[str, Any] = {
        "version":
        inside.VERSION,
        "summary_sha256":
        hashlib.sha256((folder / "summary.csv").read_bytes()).hexdigest(),
        "times":
        times(groups),
        "transfers": [draw(program, row, roles, new) for row, roles in picked],
        "fill": [
            curve for row, roles in picked if row["method"] == "dynamic" and roles != ["median"]
            for curve in fill(program, row, roles)
        ]
    }
    (new / "inside.json").write_text(inside.as_text(content), encoding="utf-8")
    if (folder / "inside").exists():
        shutil.rmtree(folder / "inside")
    new.rename(folder / "inside")
    captures = len(list((folder / "inside").glob("*.pcapng")))
    print(
        f"{folder / 'inside'}: {len(content['transfers'])} ladders, {len(content['fill'])} fill "
        f"curves, {captures} captures"
    )


def parse(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(prog="look_inside",
                                     usage="scripts/look_inside SCENARIO DIR [options]",
                                     add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("scenario", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--axis", action="append", default=[])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/rnicsim")
    if {"-h", "--help"} & set(arguments):
        print(__doc__.strip())
        sys.exit(0)
    options = parser.parse_args(arguments)
    if not options.scenario.is_file():
        parser.error(f"{options.scenario}: there is no such scenario")
    if not options.folder.is_dir():
        parser.error(f"{options.folder}: there is no such folder")
    if not options.program.is_file():
        parser.error(
            f"{options.program} is missing: build it (README.md), or name it with --program")
    return options


@ending.reported("look_inside", "nothing was changed")
def main(arguments: Sequence[str]) -> None:
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix=".look_inside_", dir=options.folder) as temporary:
        look(options, Path(temporary))
