# SPDX-License-Identifier: Apache-2.0
"""Ten wrong changes of the protocol: is each caught, and by what?

Usage: scripts/wrong_changes [--build FOLDER] [--only REGEX] [--sample N] [--seed N] [--all]

  --build FOLDER  a build with tests [build/ci]; its program is linked anew with each change
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says

Three checks run on each, as after any change of the protocol:
  baseline  scripts/baseline: golden results of small scenarios, to the event
  explore   `rnicsim explore`: every order of events of small workloads; its counter-example is a
            fault tape, which is played
  soak      scripts/soak: many transfers under mixed faults, the invariants on

The changes are lines of testbench/tests/corpus/mutants/decisions.txt, listed here by name. Exit
codes: 0 each is caught by one of them at least, 1 one is not, or the three find something in the
sources as they are, 2 bad input.
"""

import re
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import changes, mutants, runner
from rnicsim.faults.linking import Build
from rnicsim.places import ROOT

CHANGES = [
    "the resume is dropped",
    "a frame that the full buffer drops is acknowledged",
    "the host is not told of the release",
    "a stale TID starts a new transfer",
    "the window is one frame too wide",
    "REL is never answered",
    "the indirect buffer is not drained",
    "completion does not wait for REL_ACK",
    "data is placed before its region is registered",
    "the upper layer gets a second REQ_ACK",
]
TRANSFERS = "30000"  # of the soak: every kind of fault has to come up
SECONDS = 300       # what hangs has been caught


def call(*command: Any, folder: Any = None) -> Any:
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False, cwd=folder)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, ""


def by_baseline(program: Path) -> Any:
    """Where the first baseline differs; empty if none does."""
    code, said = call(sys.executable, ROOT / "scripts" / "baseline", "--program", program)
    if code == 0:
        return ""
    where = re.search(r"first event that differs: number ([\d,]+) of (\S+);", said)
    name = re.search(r"^(\w+): differs", said, re.M) or re.search(r"^(\w+): (?!equal)", said, re.M)
    if where:
        return f"event {where[1]} of {where[2]}" + (f" in {name[1]}" if name else "")
    return what_is_said(code, said)


def what_is_said(code: int, said: Any) -> Any:
    """In one line."""
    rule = re.search(r"(invariant violated[^\n]*|watchdog[^\n]*)", said)
    return "it hangs" if code is None else (
        rule[1] if rule else said.strip().splitlines()[-1])[:100]


def replay(program: Path, tape: Any) -> Any:
    """Plays the tape of a counter-example under the scenario that stands in it; exit code and what
    is said."""
    head = tape.read_text(
        encoding="utf-8").partition("under a scenario with:\n")[2].partition("# The way there")[0]
    scenario = tape.with_suffix(".yaml")
    scenario.write_text(re.sub(r"^#   ?", "", head, flags=re.M), encoding="utf-8")
    return call(program, "run", scenario, "--tape", tape, "--set", "run.repetitions=1", "--no-plot",
                "--fresh", "--out", tape.parent / "out")


def by_explore(program: Path) -> Any:
    """The rule that breaks, and whether its fault tape shows it in the simulator, too."""
    tape = program.parent / "counter.tape"
    found = mutants.search(program, standard=False, options=("--tape", tape))
    if not found or not tape.exists():
        return found
    code, said = replay(program, tape)
    return found + ("" if code == 0 else f"; its tape in the simulator: {what_is_said(code, said)}")


def by_soak(program: Path, folder: Path) -> Any:
    """`folder`: where the tape of a run that fails may lie."""
    code, said = call(sys.executable, ROOT / "scripts" / "soak", "--program", program,
                      "--transfers", TRANSFERS, "--no-memory", folder=folder)
    if code == 0 or "so the soak says nothing about them" in said:
        return ""
    return what_is_said(code, said)


class Caught(runner.Question):
    """By the baselines, by the exploration, by the soak."""

    def __init__(self, options: Namespace) -> None:
        self.build = Build(options.build, ("rnicsim",), mutants.LOGIC)

    @staticmethod
    def all_looks(folder: Path) -> Any:
        program = folder / "rnicsim"
        return {
            "baseline": by_baseline(program),
            "explore": by_explore(program),
            "soak": by_soak(program, folder)
        }

    def fails_unchanged(self, *_: Any) -> Any:
        looks = runner.of_unchanged(self.build, self.all_looks)
        return ", ".join(f"{who}: {found}" for who, found in looks.items() if found)

    def ask(self, change: Any, folder: Path) -> Any:
        self.build.make(change, folder)
        found = self.all_looks(folder)
        return runner.Answer(
            any(found.values()), "\n".join(
                [change.name, *(f"       {who:9} {what or '-'}" for who, what in found.items())]))

    def summary(self, answers: Any) -> str:
        return (
            f"wrong changes of the protocol: {sum(answer.good for answer in answers.values())} of "
            f"{len(answers)} caught"
        )


@ending.reported("wrong_changes", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__)
    options = parser.parse_args(arguments)
    by_name = {change.name: (line, change) for line, change in changes.read(mutants.LIST)}
    return runner.run(
        runner.chosen([by_name[name] for name in CHANGES], parser, options, "wrong changes"),
        Caught(options))
