# SPDX-License-Identifier: Apache-2.0
"""Changes one line of switches, routes or peers at a time, and sees whether the tests of networks
or whole runs notice.

Usage: scripts/network_mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [--only
                               REGEX]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found

The mutants stand in testbench/tests/corpus/mutants/networks.txt. Each runs through test_network,
and through some scenarios of scenarios/systems with few transfers: a run that fails, or whose
results are others than with the sources as they are, has noticed it. A remark says why nobody can.
Exit codes: 0 everything was noticed as the list says, 1 something was not or nothing could be
built, 2 bad input.
"""

import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import changes, mutants, runner, unit_tests
from rnicsim.faults.linking import Build
from rnicsim.places import ROOT

LIST = changes.LISTS / "networks.txt"
SCENARIOS = ("two_switches", "table", "buffer")


def results(program: Path, folder: Path) -> Any:
    """Of each scenario its summary.csv; its exit code where it fails."""
    found = []
    for name in SCENARIOS:
        out = folder / f"out_{name}"
        code, _ = mutants.run([
            program, "run", ROOT / "scenarios" / "systems" / f"{name}.yaml", "--set",
            "run.transfers=4", "--set", "run.repetitions=2", "--no-plot", "--quiet", "--fresh",
            "--jobs", "1", "--out", out
        ])
        found.append((out / "summary.csv").read_text(
            encoding="utf-8") if code == 0 else f"exit code {code}")
    return found


class Noticed(runner.Question):
    """By the tests, by the results of runs."""

    def __init__(self, options: Namespace) -> None:
        self.build = Build(options.build, ("rnicsim", "test_network"))
        self.expected: list[Any] = []

    @staticmethod
    def tests_fail(folder: Path) -> Any:
        return unit_tests.fail(folder / "test_network", alone=True)

    def fails_unchanged(self, *_: Any) -> Any:
        self.expected, failed = runner.of_unchanged(
            self.build, lambda folder:
            (results(folder / "rnicsim", folder), self.tests_fail(folder)))
        return ", ".join([
            *(["test_network"] if failed else []),
            *(found for found in self.expected if found.startswith("exit code"))
        ])

    def ask(self, change: Any, folder: Path) -> Any:
        self.build.make(change, folder)
        by = (self.tests_fail(folder), results(folder / "rnicsim", folder) != self.expected)
        good = any(by) != bool(change.remark)
        who = ", ".join(name for name, seen in zip(("tests", "runs"), by) if seen) or "nobody"
        why = f" ({change.remark})" if change.remark else ""
        return runner.Answer(
            good, f"{'      ' if good else 'WRONG '}{who:11}  {change.file}: {change.name}{why}",
            by)

    def summary(self, answers: Any) -> str:
        noticed = [answer.noticed for answer in answers.values()]
        return (
            f"mutants of networks: {sum(map(any, noticed))} of {len(noticed)} noticed, "
            f"{sum(tests for tests, _ in noticed)} by the tests, "
            f"{sum(runs for _, runs in noticed)} by runs, "
            f"{sum(not answer.good for answer in answers.values())} not as the list says"
        )


@ending.reported("network_mutants", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__, os.cpu_count())
    options = parser.parse_args(arguments)
    listed = changes.read(LIST)
    return runner.run(runner.chosen(listed, parser, options, "mutants of networks"),
                      Noticed(options), options.jobs)
