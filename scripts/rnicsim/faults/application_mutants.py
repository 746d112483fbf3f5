# SPDX-License-Identifier: Apache-2.0
"""Changes one line of an application, of its formula, of what its host charges, of a core's way to
a device, of a bridge or of what checks it, and sees which test notices.

Usage: scripts/application_mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all]
                                   [--only REGEX]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found

The mutants stand in testbench/tests/corpus/mutants/applications.txt. Each is shown to the tests of
its part one by one, runs first, then exploration, until one fails, which is named. A remark says
why nobody can notice it. First all of these tests have to pass with the sources as they are. Exit
codes: 0 everything was noticed as the list says, 1 something was not or nothing could be built, 2
bad input.
"""

import collections
import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import changes, runner, unit_tests
from rnicsim.faults.linking import Build

LIST = changes.LISTS / "applications.txt"
PROGRAMS = ("test_applications", "test_network")
APPLICATIONS = "testbench/applications/"
# Of which the tests have longer ones.
LISTS = ("testbench/scenario/applications.cpp", "testbench/workloads/work_kinds.cpp")
# Files of tests, of both programs, that are asked about what all applications use.
HOSTS = ("connection", "stream_costs", "threads", "streams", "check_lines")
# A core's way to a device, with the programs and files of tests that are asked about it.
TO_DEVICES = ("write_combining", "line_eviction", "store_path", "root_port", "root_port_cores")
OF_DEVICES = {
    "test_bridge": (
        "write_combining",
        "line_eviction",
        "store_path",
        "store_path_edges",
        "store_path_forms",
        "store_path_order",
        "bridge",
    ),
    "test_timing": ("posted_queue", "loads"),
}
# A bridge between two hosts, and what checks in each run what crosses it.
BRIDGES = ("model/ntb/", "testbench/run/bridge_judge", "testbench/run/conservation")
OF_BRIDGES = {
    "test_bridge": ("bridge", "conservation", "credits", "handshake", "registers", "window"),
    "test_applications": ("test_nts",),
}
# Rings behind one.
RINGS = APPLICATIONS + "nts/"
OF_RINGS = {
    "test_bridge": ("schedule",),
    "test_applications": ("test_nts", "test_nts_partitions", "test_kv_rings"),
}
# Where nothing takes time.
TIMELESS = (
    "explored_protocols",
    *(
        f"explored_{name}"
        for name in ("blocks", "documents", "fifo", "kv", "plasma", "rpc", "smc", "tensor")
    ),
)
# Of an application they are test_NAME and explored_NAME, which takes longest; of these others.
OTHERS = {
    "allreduce": ("test_allreduce", "test_one_end"),
    "echo": ("test_echo_memory", "test_refused_memory", "explored_protocols"),
    "kv": ("test_kv", "test_kv_rings", "test_one_end", "explored_kv"),
    "plasma": (
        "test_plasma",
        "test_plasma_setup",
        "test_refused_memory",
        "explored_protocols",
        "explored_plasma",
    ),
}


def witnesses(file: str) -> list[tuple[str, str]]:
    """The programs that are asked about a change of this file, and of which of their tests: in
    this order."""

    def tags(names: Sequence[str]) -> str:
        return ",".join(f"[#{name}]" for name in names)

    if Path(file).stem in TO_DEVICES:
        return [(program, tags(names)) for program, names in OF_DEVICES.items()]
    if file.startswith(BRIDGES):
        return [(program, tags(names)) for program, names in OF_BRIDGES.items()]
    if file.startswith(RINGS):
        return [(program, tags(names)) for program, names in OF_RINGS.items()]
    if file.startswith(APPLICATIONS):
        name = file.removeprefix(APPLICATIONS).partition("/")[0]
        names = OTHERS.get(name, (f"test_{name}", "test_one_end", f"explored_{name}"))
        return [("test_applications", tags([one])) for one in names]
    return [("test_network", tags([one])) for one in HOSTS] + [
        ("test_applications", "".join(f"~[#{name}]" for name in TIMELESS))
    ]


def noticed_by(file: str, folder: Path) -> str:
    """The test that fails; empty: none."""
    return next(
        (
            test
            for program, filters in witnesses(file)
            if (test := unit_tests.failing(folder / program, "--filenames-as-tags", filters))
        ),
        "",
    )


class Noticed(runner.Question):
    """By which test first."""

    def __init__(self, options: Namespace) -> None:
        self.folder = options.build
        self.builds: dict[tuple[str, ...], Build] = {}

    def build_of(self, file: str) -> Build:
        """With the programs that are asked about it, and no others."""
        programs = tuple(sorted({program for program, _filters in witnesses(file)}))
        if programs not in self.builds:
            self.builds[programs] = Build(
                self.folder, programs, roots=("model", "testbench"), replaced=LISTS
            )
        return self.builds[programs]

    def fails_unchanged(self, listed: Any, pool: Any) -> Any:
        files = {str(witnesses(change.file)): change.file for change in listed}
        seen = pool.map(
            lambda file: runner.of_unchanged(
                self.build_of(file), lambda folder: noticed_by(file, folder)
            ),
            files.values(),
        )
        return ", ".join(sorted({test for test in seen if test}))

    def ask(self, change: Any, folder: Path) -> Any:
        build = self.build_of(change.file)
        objects = build.make(change, folder)
        who = noticed_by(change.file, folder)
        if not who and change.file.endswith(".h") and build.make_tests(change, objects, folder):
            who = noticed_by(change.file, folder)
        good = bool(who) != bool(change.remark)
        why = f" ({change.remark})" if change.remark else ""
        return runner.Answer(
            good,
            f"{'      ' if good else 'WRONG '}{change.file}: {change.name}{why}\n"
            f"{'':24}{unit_tests.name_of(who) or 'nobody'}",
            who,
        )

    def summary(self, answers: Any) -> str:
        by = collections.Counter(answer.noticed for answer in answers.values())
        return (
            f"mutants of applications: {len(answers) - by['']} of {len(answers)} noticed, by "
            f"{len(by) - ('' in by)} tests, "
            f"{sum(not answer.good for answer in answers.values())} not as the list says"
        )


@ending.reported("application_mutants", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__, os.cpu_count())
    options = parser.parse_args(arguments)
    listed = changes.read(LIST)
    return runner.run(
        runner.chosen(listed, parser, options, "mutants of applications"),
        Noticed(options),
        options.jobs,
    )
