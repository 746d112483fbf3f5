# SPDX-License-Identifier: Apache-2.0
"""Changes one line of what the protocol decides at a time, and sees whether the exploration and the
tests notice.

Usage: scripts/mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [--only REGEX]
                       [--search] [--standard]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found
  --search        only those that the exploration has to notice, without test_protocol
  --standard      where the small searches find nothing, all of `rnicsim explore` follows

The mutants stand in testbench/tests/corpus/mutants/decisions.txt. Each runs through some small
searches of `rnicsim explore` until one finds a broken rule, and through test_protocol. First all of
these have to pass with the sources as they are. Exit codes: 0 everything was noticed as the list
says, 1 something was not or nothing could be built, 2 bad input.
"""

import os
import re
import subprocess
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import changes, runner
from rnicsim.faults.linking import Build

LIST = changes.LISTS / "decisions.txt"
# the remark of those that the exploration has to notice; any other says why nobody can
BY_SEARCH = "search"
LOGIC = "rnicsim_logic"  # the library that all of them are in
SECONDS = 120  # a mutant that hangs has been noticed
# Small sets of bounds, the cheapest first: under a second each.
SEARCHES = [
    "--operation write --method traditional --frames 4 --faults 1",
    "--operation read --method traditional --frames 4 --faults 1",
    "--operation write --method dynamic --frames 3 --faults 1 --prompt",
    "--operation read --method dynamic --frames 3 --faults 1 --prompt",
    "--operation write --method dynamic --frames 4 --faults 1 --slots 1 --prompt",
    "--operation write --method dynamic --frames 4 --faults 1 --retransmission go_back_n",
    "--operation read --method traditional --frames 4 --faults 1 --retransmission go_back_n",
    "--operation write --method dynamic --frames 4 --faults 1",
    "--operation write --method dynamic --frames 2 --faults 2",
    "--operation read --method dynamic --frames 4 --faults 2",
    "--operation both-ends --method dynamic --transfers 2 --frames 1 --faults 1 --staged 1 "
    "--fetch-at-once",
    "--operation write --method dynamic --transfers 2 --frames 1 --faults 1 --staged 1 "
    "--fetch-at-once",
    "--operation write --method traditional --frames 2 --staged 1 --fetch-at-once --forgetful",
    "--operation write --method dynamic --frames 2 --staged 1 --fetch-at-once --forgetful",
    "--operation write --method dynamic --frames 3 --window 1 --staged 1 --fetch-at-once "
    "--forgetful",
    "--initiators 2 --operation write --method traditional --frames 1 --faults 1 --staged 1 "
    "--fetch-at-once",
    "--initiators 2 --operation write --method dynamic --frames 1 --faults 0 --staged 1 "
    "--fetch-at-once",
    "--initiators 2 --operation write --method dynamic --frames 1 --faults 1 --failures 0 --staged "
    "1 --fetch-at-once",
    "--initiators 2 --operation read --method dynamic --frames 1 --faults 1 --failures 0 --staged "
    "1 --fetch-at-once",
    "--initiators 2 --operation write --method dynamic --frames 1 --faults 0 --failures 0 --table "
    "1 --staged 1 --fetch-at-once",
    "--initiators 2 --operation write --method dynamic --frames 1 --faults 0 --table 1 "
    "--busy-answer --staged 1 --fetch-at-once",
    "--initiators 2 --operation write --method dynamic --frames 2 --faults 0 --buffer-admission "
    "per_initiator --staged 1 --fetch-at-once",
]


def run(command: Any, seconds: int = SECONDS) -> Any:
    """Exit code and standard output; None where it hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=seconds, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""


def search(program: Path, standard: Any, options: Any = ()) -> Any:
    """What the exploration finds: the rule and the length of the way there; empty where it finds
    nothing."""
    for bounds in SEARCHES + ([""] if standard else []):
        code, output = run([program, "explore", *bounds.split(), *options])
        if code == 0:
            continue
        steps = re.search(r"The way there, (\d+) steps", output)
        rule = re.search(r"BROKEN: (.*)", output)
        return (
            f"{rule[1]}, {steps[1]} steps" if steps and rule else
            f"exit code {code}" if code is not None else
            "it hangs"
        )
    return ""


class Noticed(runner.Question):
    """By the exploration, by the tests."""

    def __init__(self, options: Namespace) -> None:
        self.build = Build(options.build, ("rnicsim", ) if options.search else
                           ("rnicsim", "test_protocol"), LOGIC)
        self.standard = options.standard

    def seen(self, change: Any, folder: Path) -> Any:
        """What of it the exploration finds, and whether the tests fail."""
        self.build.make(change, folder)
        found = search(folder / "rnicsim", self.standard)
        return found, "test_protocol" in self.build.links and run(
            [folder / "test_protocol", "--abort"])[0] != 0

    def fails_unchanged(self, mutants: Any, pool: Any) -> Any:
        files = sorted({mutant.file for mutant in mutants})
        seen = pool.map(lambda file: runner.in_folder(self.seen, changes.unchanged(file)), files)
        return ", ".join(file for file, by in zip(files, seen) if any(by))

    def ask(self, change: Any, folder: Path) -> Any:
        found, failed = self.seen(change, folder)
        seen = bool(found) or failed
        good = bool(found) if change.remark == BY_SEARCH else seen != bool(change.remark)
        who = (
            "search, tests" if found and failed else
            "search" if found else
            "tests" if failed else
            "nobody"
        )
        why = f" [{found}]" if found else f" ({change.remark})" if change.remark else ""
        return runner.Answer(
            good, f"{'      ' if good else 'WRONG '}{who:13}  {change.file}: {change.name}{why}",
            (bool(found), failed))

    def summary(self, answers: Any) -> str:
        noticed = [answer.noticed for answer in answers.values()]
        tests = (
            f"{sum(failed for _, failed in noticed)} by the "
            "tests, " if "test_protocol" in self.build.links else
            ""
        )
        return (
            f"mutants of the decisions: {sum(map(any, noticed))} of {len(noticed)} noticed, "
            f"{sum(found for found, _ in noticed)} by the "
            f"search, {tests}{sum(not answer.good for answer in answers.values())} not as the list "
            "says"
        )


@ending.reported("mutants", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__, os.cpu_count())
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--standard", action="store_true")
    options = parser.parse_args(arguments)
    listed = [(line, change) for line, change in changes.read(LIST)
              if change.remark == BY_SEARCH or not options.search]
    return runner.run(runner.chosen(listed, parser, options, "mutants of the decisions"),
                      Noticed(options), options.jobs)
