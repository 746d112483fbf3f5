# SPDX-License-Identifier: Apache-2.0
"""Changes one line of the RoCEv2 card or its wire format at a time, and sees which tests notice.

Usage: scripts/verbs_mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [--only
                             REGEX] [--search]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found
  --search        only those that the exploration has to notice, and nothing else is asked

The mutants stand in testbench/tests/corpus/mutants/verbs.txt. Each is shown to the tests of the
rules (test_verbs), of the wire format (test_wire), of whole hosts (test_network), to random runs
and to the exploration, in this order, until one of them fails; those marked "search" to the
exploration alone, those marked "hosts" to whole hosts alone, whose judges have to see it. First the
tests that are needed have to pass with the sources as they are; the random runs and the exploration
are tests by themselves. Exit codes: 0 everything was noticed as the list says, 1 something was not
or nothing could be built, 2 bad input.
"""

import collections
import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import changes, mutants, runner, unit_tests
from rnicsim.faults.linking import Build

LIST = changes.LISTS / "verbs.txt"
# rnicsim_rc, rnicsim_roce: who else reads their headers decides nothing by them
LIBRARIES = "rnicsim_r"
FILES = "--filenames-as-tags"
HOSTS = ("atomics", "verbs_hosts", "verbs_times", "paused_lanes", "verbs_mix", "shared_receives",
         "foreign_packets")
# Who is asked, the quickest first: program and filters.
WITNESSES = {
    "rules": ("test_verbs", FILES, "~[#test_random]~[#test_explore]~[#test_explore_persist]"),
    "wire": ("test_wire", ),
    "hosts": ("test_network", FILES, ",".join(f"[#{file}]" for file in HOSTS)),
    "random": ("test_verbs", FILES, "[#test_random]"),
    "search": ("test_verbs", FILES, "[#test_explore],[#test_explore_persist]")
}
QUICK = ("rules", "wire", "hosts")
# each test in a process: SystemC elaborates once in it; and none takes so long that it seems to
# hang
ALONE = ("hosts", "search")


def notices(name: str, folder: Path) -> Any:
    program, *filters = WITNESSES[name]
    return unit_tests.fail(folder / program, *filters, alone=name in ALONE)


class Noticed(runner.Question):
    """By whom first."""

    def __init__(self, options: Namespace) -> None:
        self.asked = ("search",) if options.search else tuple(WITNESSES)
        self.build = Build(options.build, sorted({WITNESSES[name][0]
                                                  for name in self.asked}), LIBRARIES)

    def fails_unchanged(self, *_: Any) -> Any:
        quick = [name for name in self.asked if name in QUICK]
        return ", ".join(
            runner.of_unchanged(self.build,
                                lambda folder: [name for name in quick if notices(name, folder)]))

    def ask(self, change: Any, folder: Path) -> Any:
        objects = self.build.make(change, folder)
        has_to = change.remark in WITNESSES
        asked = (change.remark,) if has_to else self.asked
        who = next((name for name in asked if notices(name, folder)), "")
        if not who and change.file.endswith(".h") and self.build.make_tests(
                change, objects, folder):
            who = next((name for name in asked if notices(name, folder)), "")
        good = bool(who) == (has_to or not change.remark)
        why = f" ({change.remark})" if change.remark else ""
        return runner.Answer(
            good,
            f"{'      ' if good else 'WRONG '}{who or 'nobody':7}  {change.file}: "
            f"{change.name}{why}",
            who)

    def summary(self, answers: Any) -> str:
        by = collections.Counter(answer.noticed for answer in answers.values())
        noticed = ", ".join(f"{by[name]} by {name}" for name in self.asked)
        return (f"mutants of verbs: {len(answers) - by['']} of {len(answers)} noticed, {noticed}, "
                f"{sum(not answer.good for answer in answers.values())} not as the list says")


@ending.reported("verbs_mutants", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__, os.cpu_count())
    parser.add_argument("--search", action="store_true")
    options = parser.parse_args(arguments)
    listed = [(line, change) for line, change in changes.read(LIST)
              if change.remark == mutants.BY_SEARCH or not options.search]
    return runner.run(runner.chosen(listed, parser, options, "mutants of verbs"), Noticed(options),
                      options.jobs)
