# SPDX-License-Identifier: Apache-2.0
"""Changes one line of the Verilog at a time, and sees whether the tests that compare it with the
models notice.

Usage: scripts/rtl_mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [--only
                           REGEX] [MODULE...]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found

The mutants stand in rtl/mutants.txt. A mutant in a block of its own runs through test_cosim; one
that only rnic_core has, through `rnicsim cosim` with scenarios of cosim_test.py, random and
directed, until one differs; some modules have tests of their own before that. First all of these
have to pass with the Verilog as it is. Exit codes: 0 all were noticed, 1 some were not or nothing
could be built, 2 bad input.
"""

import collections
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import blocks, changes, runner
from rnicsim.faults.linking import link_command
from rnicsim.places import RTL

SECONDS = 60  # a mutant that hangs has been noticed


def fails(program: Path, tops: Any, scenarios: Any) -> bool:
    """Whether the tests of these blocks fail."""
    try:
        if blocks.CORE not in tops:
            return subprocess.run(
                [program, "--abort", "--filenames-as-tags",
                 blocks.tests_of(tops)], capture_output=True, timeout=SECONDS,
                check=False).returncode != 0
        for scenario in scenarios:
            code = subprocess.run([program, "cosim", scenario, "--set", "run.methods=[dynamic]"],
                                  capture_output=True, timeout=SECONDS, check=False).returncode
            if code == 2:
                sys.exit(f"error: {scenario} is not accepted")
            if code != 0:
                return True
        return False
    except subprocess.TimeoutExpired:
        return True


class Noticed(runner.Question):
    """By the tests of the blocks that the module is part of."""

    def __init__(self, build: Path, common: Any) -> None:
        self.build, self.common = build, common
        self.links = [link_command(build, program) for program in ("test_cosim", "rnicsim")]
        blocks.compile_headers(build, common)
        self.scenarios = blocks.core_scenarios(common)

    def noticed_in(self, tops: Any, change: Any, folder: Path) -> Any:
        """Whether the tests of these blocks fail."""
        place = folder / tops[0]
        place.mkdir()
        change.write_rtl(place)
        try:
            program = blocks.linked(place, {top: top
                                            for top in tops}, self.build,
                                    self.links[blocks.CORE in tops], self.common)
        except ValueError as error:
            sys.exit(f"error: Verilator does not read '{change.name}':\n{error}")
        return fails(program, tops, self.scenarios)

    def top_unchanged(self, top: Any) -> Any:
        return runner.in_folder(lambda change, folder: self.noticed_in([top], change, folder),
                                changes.module_unchanged(top))

    def fails_unchanged(self, mutants: Any, pool: Any) -> Any:
        modules = {mutant.module for mutant in mutants}
        tops = sorted({top
                       for module in modules
                       for top in blocks.uses(module)} | blocks.ALONE.keys() & modules)
        return ", ".join(top for top, fails_now in zip(tops, pool.map(self.top_unchanged, tops))
                         if fails_now)

    def ask(self, change: Any, folder: Path) -> Any:
        alone = [[change.module]] if change.module in blocks.ALONE else []
        noticed = any(
            self.noticed_in(tops, change, folder)
            for tops in [*alone, blocks.uses(change.module)])
        return runner.Answer(noticed, f"{'noticed ' if noticed else 'SURVIVES'}  {change.name}")

    def summary(self, answers: Any) -> Any:
        of = collections.Counter(change.module for change in answers)
        noticed = collections.Counter(change.module for change, answer in answers.items()
                                      if answer.good)
        lines = [f"{module:21} {noticed[module]:3} of {of[module]:3}" for module in sorted(of)]
        return "\n".join(
            [*lines, f"mutants of the Verilog: {noticed.total()} of {of.total()} noticed"])


@ending.reported("rtl_mutants", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__, os.cpu_count())
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args(arguments)
    listed = [(line, change)
              for line, change in changes.read(RTL / "mutants.txt", changes.of_module)
              if not options.modules or change.module in options.modules]
    mutants = runner.chosen(listed, parser, options, "mutants of the Verilog")
    with tempfile.TemporaryDirectory() as common:
        return runner.run(mutants, Noticed(options.build, Path(common)), options.jobs)
