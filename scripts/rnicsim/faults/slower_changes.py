# SPDX-License-Identifier: Apache-2.0
"""Changes that make transfers slower and break nothing: does a baseline see each?

Usage: scripts/slower_changes [--build FOLDER] [--only REGEX] [--sample N] [--seed N] [--all]

  --build FOLDER  a build with tests [build/ci]; its program is linked anew with each change
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says

The changes stand in testbench/tests/corpus/mutants/slower.txt. With each, the two long scenarios of
results/baseline are simulated with ten times their transfers: nothing may fail, and in at least one
of them transfers must take longer. Exit codes: 0 each costs time and a baseline sees it, 1 one does
not, 2 bad input.
"""

import csv
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import changes, mutants, runner, wrong_changes
from rnicsim.faults.linking import Build
from rnicsim.places import ROOT

LIST = changes.LISTS / "slower.txt"
LONG = [
    ROOT / "results" / "baseline" / "scenarios" / f"long_{name}.yaml"
    for name in ("writes", "reads")
]
TRANSFERS = 40  # of each method
SECONDS = 300


def mean_time(program: Path, scenario: Path, folder: Path) -> Any:
    """Of a transfer, in microseconds; ends the script if one fails, or the run does: that would be
    wrong, not slow."""
    out = folder / f"out_{scenario.stem}"
    done = subprocess.run([
        program, "run", scenario, "--set", f"run.transfers={TRANSFERS}", "--no-plot", "--quiet",
        "--transfers-csv", "--fresh", "--out", out
    ], capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        sys.exit(
            f"error: {scenario.name} fails, so that the change is not only slow:\n{done.stderr}")
    rows = list(csv.DictReader((out / "transfers.csv").open(encoding="utf-8")))
    if any(row["error"] for row in rows):
        sys.exit(f"error: transfers of {scenario.name} fail, so that the change is not only slow")
    return sum(float(row["time_us"]) for row in rows) / len(rows)


class Slower(runner.Question):
    """What it costs, and whether a baseline sees it."""

    def __init__(self, options: Namespace) -> None:
        self.build = Build(options.build, ("rnicsim",), mutants.LOGIC)
        self.before: list[Any] = []  # mean time of each long scenario with the sources as they are

    @staticmethod
    def look(folder: Any) -> Any:
        """Mean time of each long scenario, and what a baseline sees."""
        program = folder / "rnicsim"
        return [mean_time(program, scenario, folder)
                for scenario in LONG], wrong_changes.by_baseline(program)

    def fails_unchanged(self, *_: Any) -> Any:
        self.before, seen = runner.of_unchanged(self.build, self.look)
        return seen

    def ask(self, change: Any, folder: Path) -> Any:
        self.build.make(change, folder)
        times, seen = self.look(folder)
        costs = [after / before - 1 for after, before in zip(times, self.before)]
        return runner.Answer(
            bool(seen) and max(costs) > 0,
            f"{change.name}: writes {costs[0]:+.1%}, reads {costs[1]:+.1%}; "
            f"{seen or 'NO BASELINE SEES IT'}{'' if max(costs) > 0 else '; NOT SLOWER'}")

    def summary(self, answers: Any) -> str:
        return (
            f"slower changes: {sum(answer.good for answer in answers.values())} of {len(answers)} "
            "cost time and are seen"
        )


@ending.reported("slower_changes", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__)
    options = parser.parse_args(arguments)
    return runner.run(runner.chosen(changes.read(LIST), parser, options, "slower changes"),
                      Slower(options))
