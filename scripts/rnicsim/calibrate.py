# SPDX-License-Identifier: Apache-2.0
"""Fits the free constants of the joint experiment (figure 6) to the gains that the paper gives, and
prints how sensitive the fit is to each.

Usage: scripts/calibrate [--check] [--repetitions N] [--transfers N] [--rounds N] [--jobs N]
                         [--out FILE] [--program FILE] [--scenario FILE]

The paper gives no timer and no latency. Four constants are free: request timer, data timer,
registration retry, and the host's interrupt latency. They start from
scenarios/paper/fig6_joint.yaml; each round tries every one longer and shorter and takes the best
step; when none helps, the steps get smaller. Every trial sees the same random numbers, so trials
differ by the constants only. The measure is the sum over the three points of ((gain - paper) /
s)^2, s the standard error of one experiment of the paper's size (5 x 800 transfers): below about 8
the fit is as good as the paper's own noise allows (95 % point of chi-square with 3 degrees of
freedom: 7.8).

  --check          no search: only the constants of the scenario, with their sensitivity
  --repetitions N  of 800 transfers, for each trial [20]; more makes the measure steadier
  --transfers N    fewer than the 800 of the paper, to try the tool: the measure is then not the one
                   described above
  --rounds N       steps of each size at most [20]
  --jobs N         passed on to rnicsim
  --out FILE       results as JSON [results/calibration/calibration.json]; `rnicsim report` shows it
  --program FILE   [build/release/bin/rnicsim]
  --scenario FILE  has the gains to fit, and the constants to start from
                   [scenarios/paper/fig6_joint.yaml]
Exit codes: 0 done, 2 wrong option, 3 the simulator failed.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.report_page import intervals
from rnicsim.report_page.results import read_manifest, read_summary
from rnicsim.places import ROOT

SCENARIO = ROOT / "scenarios/paper/fig6_joint.yaml"
PAPER_REPETITIONS = 5  # of 800 transfers (paper 4.1)
CONSTANTS = {
    "request timer": "system.rnic.drp.request_timer",
    "data timer": "system.rnic.drp.data_timer",
    "registration retry": "system.host.registration.retry_interval",
    "interrupt latency": "system.host.software.interrupt_latency",
}
STEPS = (1.25, 1.1)  # tried longer and shorter by this factor; the next when none of a round helps
# for any request timer
GENEROUS = ["--set", "system.rnic.drp.idle_timeout=10 s", "--set", "simulation.watchdog=20 s"]
CYCLE_NS = 8
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def nanoseconds(microseconds: Any) -> Any:
    """A time as the simulator takes it: whole cycles."""
    return round(microseconds * 1000 / CYCLE_NS) * CYCLE_NS


def shipped_constants(program: Path, scenario: Path) -> Any:
    """The constants as the scenario has them, in microseconds, read from the composed system."""
    text = subprocess.run([program, "describe", scenario], check=True, capture_output=True,
                          text=True).stdout
    found = {}
    for name, key in CONSTANTS.items():
        line = re.search(rf" {key.split('.')[-1]}: ([\d.]+) (\w+)$", text, re.MULTILINE)
        if line is None:
            raise ending.Unusable(
                f"{scenario}: {key} has no single value, expected a time to start from")
        found[name] = float(line[1]) * MICROSECONDS[line[2]]
    return found


class Trials:
    """Runs the simulator for sets of constants, each once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.done: dict[Any, Any] = {}
        self.folder = options.out.parent / "trials"

    def gains(self, constants: Any) -> Any:
        """[(name of the point, paper's gain, our gain as Estimate, standard error of one experiment
        of the paper's size)]"""
        key = tuple(nanoseconds(constants[name]) for name in CONSTANTS)
        if key not in self.done:
            out = self.folder / "_".join(str(value) for value in key)
            command = [
                self.options.program, "run", self.options.scenario, "--out", out, "--quiet",
                "--no-plot", "--set", f"run.repetitions={self.options.repetitions}"
            ]
            if self.options.transfers:
                command += ["--set", f"run.transfers={self.options.transfers}"]
            for name, path in CONSTANTS.items():
                command += ["--set", f"{path}={nanoseconds(constants[name])} ns"]
            command += GENEROUS
            if self.options.jobs:
                command += ["--jobs", str(self.options.jobs)]
            ended = subprocess.run(command, check=False)
            if ended.returncode == 130:
                raise KeyboardInterrupt
            if ended.returncode != 0:
                raise ending.Failed(
                    f"rnicsim exited with code {ended.returncode}; its message stands above")
            self.done[key] = read_gains(out)
        return self.done[key]


def read_gains(folder: Path) -> Any:
    manifest = read_manifest(folder)
    rows = {(int(row["point"]), row["method"]): row for row in read_summary(folder, manifest)}
    points = []
    for reference in manifest["reference"]["gains"]:
        traditional, dynamic = (rows[reference["point"], method]
                                for method in ("traditional", "dynamic"))
        n = int(dynamic["repetitions"])
        gain = intervals.from_half_width(float(dynamic["gain"]), float(dynamic["gain_ci95"]), n)
        spread = math.hypot(*(float(row["sd_us"]) / float(row["mean_us"])
                              for row in (traditional, dynamic)))
        points.append((manifest["scenario"]["points"][reference["point"]][0], reference["gain"],
                       gain, (1 - gain.mean) * spread / math.sqrt(PAPER_REPETITIONS)))
    return points


def measure(points: Any) -> Any:
    return sum(((gain.mean - paper) / error) ** 2 for _, paper, gain, error in points)


def show(constants: Any, points: Any, remark: str = "") -> None:
    values = "  ".join(f"{nanoseconds(constants[name]) / 1000:>8g}" for name in CONSTANTS)
    gains = "  ".join(f"{100 * gain.mean:5.2f}" for _, _, gain, _ in points)
    print(f"  {values}   {gains}   {measure(points):6.2f}  {remark}", flush=True)


def search(trials: Any, start: Any, rounds: Any) -> Any:
    """Steps to the best neighbour until none is better, with smaller steps in the end."""
    best, points = start, trials.gains(start)
    show(best, points, "start")
    for factor in STEPS:
        for _ in range(rounds):
            tried = []
            for name in CONSTANTS:
                for step in (factor, 1 / factor):
                    constants = best | {name: best[name] * step}
                    tried.append((measure(trials.gains(constants)), constants))
                    show(constants, trials.gains(constants))
            least, constants = min(tried, key=lambda item: float(item[0]))
            if least >= measure(points):
                break
            best, points = constants, trials.gains(constants)
            show(best, points, f"taken (steps of {round(100 * (factor - 1))} %)")
    return best


def sensitivity(trials: Any, constants: Any) -> Any:
    rows = []
    for name in CONSTANTS:
        for change in (-10, 10):
            changed = constants | {name: constants[name] * (1 + change / 100)}
            points = trials.gains(changed)
            rows.append({
                "constant": name,
                "change": f"{change:+d} %",
                "gains": [gain.mean for _, _, gain, _ in points],
                "measure": measure(points)
            })
            show(changed, points, f"{name} {change:+d} %")
    return rows


def verdicts(points: Any) -> Any:
    rows = []
    for name, paper, gain, error in points:
        half = intervals.t_quantile(intervals.TWO_SIDED_95, 2 * gain.freedom) * math.hypot(
            error, gain.error)
        rows.append({
            "at": name,
            "paper": paper,
            "ours": gain.mean,
            "half_width": gain.half,
            "band_low": gain.mean - half,
            "band_high": gain.mean + half,
            "inside": abs(gain.mean - paper) <= half
        })
    return rows


def parse(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--transfers", type=int)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out", type=Path, default=ROOT / "results/calibration/calibration.json")
    parser.add_argument("--scenario", type=Path, default=SCENARIO)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/rnicsim")
    options = parser.parse_args(arguments)
    if options.help:
        print(__doc__.strip())
        sys.exit(0)
    if options.repetitions < 2:
        parser.error("--repetitions: expected at least 2")
    if not options.program.exists():
        parser.error(
            f"{options.program} does not exist: build it (cmake --preset release && cmake --build "
            "--preset release), "
            "or name another with --program")
    return options


@ending.reported("calibrate", "the same command goes on from the runs that are finished")
def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    trials = Trials(options)
    start = shipped_constants(options.program, options.scenario)
    print("  " + ", ".join(CONSTANTS) + " in us;   gains in %;   measure", flush=True)
    constants = start if options.check else search(trials, start, options.rounds)
    points = trials.gains(constants)
    if options.check:
        show(constants, points, "as shipped")
    around = sensitivity(trials, constants)
    gains = verdicts(points)
    content = {
        "constants": {
            name: {
                "value": nanoseconds(constants[name]) / 1000,
                "unit": "us",
                "key": key
            }
            for name, key in CONSTANTS.items()
        },
        "searched": not options.check,
        "repetitions": options.repetitions,
        "measure": measure(points),
        "gains": gains,
        "sensitivity": around
    }
    options.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    for row in gains:
        print(
            f"{row['at']}: paper {100 * row['paper']:.1f} %, ours {100 * row['ours']:.2f} ± "
            f"{100 * row['half_width']:.2f} %, "
            f"one experiment of the paper's size: {100 * row['band_low']:.2f} .. "
            f"{100 * row['band_high']:.2f} %: "
            + ("inside" if row["inside"] else "outside"))
    print(f"written: {options.out}")
    return 0
