# SPDX-License-Identifier: Apache-2.0
"""Forty faults, put in one at a time: which kinds of test see each? Every one has to be seen by two
at least.

Usage: scripts/defence [--build FOLDER] [--only REGEX] [--sample N] [--seed N] [--all] [--write]
                       [--check] [--jobs N]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each fault
  --part I/N      the part I of N, of all or of the sample
  --only REGEX    those in whose line, its file before it, it is found
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or
                  RNICSIM_ALL=1: all, whatever it says, which takes an hour
  --write         puts what was seen into faults_seen.txt beside the list, fault by fault; what is
                  not tried stays as it is there
  --check         builds nothing: only checks that the table has each fault once, and that each
                  fault's text occurs once in its source
  --jobs N        faults at once [half of the cores: a test may take more than one]

The faults stand in testbench/tests/corpus/mutants/faults.txt: lines of the models, and lines of the
Verilog. Kinds of test, of the models: timing and protocol (the unit tests of these names),
baseline, explore, soak, cosim (models beside Verilog: unit tests, and scenarios random and
directed), edge. Of the Verilog: unit (test_cosim), random, directed (`rnicsim cosim` with scenarios
of either kind), proof. First all of them have to pass with the sources as they are. Exit codes: 0
each is seen by two kinds, 1 one is not, 2 bad input.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.faults import blocks, changes, fault_table, mutants, runner, wrong_changes
from rnicsim.faults.fault_table import LEAST, VERILOG_KINDS, of_verilog
from rnicsim.faults.linking import Build, call
from rnicsim.places import ROOT

LIST = changes.LISTS / "faults.txt"
UNIT = ("timing", "protocol")
PROGRAMS = ("rnicsim", "test_cosim", *(f"test_{kind}" for kind in UNIT))
SECONDS = 400   # what hangs has been seen
COSIM = 100     # random scenarios
EDGE = 100


def read_faults() -> list[tuple[str, changes.Change]]:
    """[(line, fault)]"""
    listed = changes.read(LIST)
    if len({fault.name for _, fault in listed}) != len(listed):
        sys.exit(f"error: {LIST.name}: a name occurs twice")
    return listed


def fails(command: Any, folder: Path) -> bool:
    """Whether it fails, or hangs."""
    try:
        return subprocess.run(list(map(str, command)), capture_output=True, timeout=SECONDS,
                              check=False, cwd=folder).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def unit_tests_fail(program: Path, folder: Path) -> Any:
    """Whether a test of this program fails. Of SystemC each is a process of its own: it elaborates
    once a process."""
    if program.name == "test_protocol":
        return fails([program, "--abort"], folder)
    listed = call([program, "--list-tests", "--reporter", "xml"], folder).stdout
    names = [html.unescape(name) for name in re.findall(r"<Name>(.*?)</Name>", listed)]
    # In Catch2's patterns ',', '[' and '*' mean something.
    return not names or any(
        fails([program, re.sub(r"([,\[\\*])", r"\\\1", name)], folder) for name in names)


def cosim_fails(program: Path, scenarios: Any, folder: Path) -> Any:
    return any(fails([program, "cosim", scenario, *rest], folder) for scenario, rest in scenarios)


def by_model_tests(folder: Path, scenarios: Any) -> Any:
    """What the kinds of test say of the programs in this folder."""
    program = folder / "rnicsim"
    return {
        **{kind: unit_tests_fail(folder / f"test_{kind}", folder)
           for kind in UNIT}, "baseline":
        bool(wrong_changes.by_baseline(program)),
        "explore":
        bool(mutants.search(program, standard=False)),
        "soak":
        bool(wrong_changes.by_soak(program, folder)),
        "cosim":
        fails([folder / "test_cosim", "--abort"], folder)
        or cosim_fails(program, scenarios["all"], folder),
        "edge":
        fails([
            sys.executable, ROOT / "scripts" / "edge", "--program", program, "--scenarios", EDGE,
            "--jobs", "2"
        ], folder)
    }


def cosim_scenarios(folder: Path) -> Any:
    """[(file, arguments)] by kind."""
    cosim_test = blocks.cosim_test()
    random = []
    for number in range(1, COSIM + 1):
        random.append((folder / f"random{number}.yaml", ()))
        random[-1][0].write_text(cosim_test.random_scenario(number), encoding="utf-8")
    directed = [(file, ()) for file in sorted(cosim_test.DIRECTED.glob("*.yaml"))]
    return {"random": random, "directed": directed, "all": directed + random}


class Seen(runner.Question):
    """By which kinds of test. A fault that changes nothing is seen by none."""

    def __init__(self, folder: Path, common: Any) -> None:
        self.build, self.common = Build(folder, PROGRAMS), common
        blocks.compile_headers(folder, common)
        self.scenarios = cosim_scenarios(common)

    def models_unchanged(self, folder: Path) -> Any:
        return by_model_tests(folder, self.scenarios)

    def verilog_unchanged(self, folder: Path) -> Any:
        """What is proved of the Verilog as it is, `scripts/prove` says."""
        return {
            "unit": fails([folder / "test_cosim", "--abort"], folder),
            **{
                kind: cosim_fails(folder / "rnicsim", self.scenarios[kind], folder)
                for kind in ("random", "directed")
            }
        }

    def fails_unchanged(self, faults: Any, _: Any) -> Any:
        failing: dict[Any, Any] = {}
        for verilog in {of_verilog(fault) for fault in faults}:
            failing |= runner.of_unchanged(
                self.build, self.verilog_unchanged if verilog else self.models_unchanged)
        return ", ".join(kind for kind, fails_now in failing.items() if fails_now)

    def linked(self, folder: Path, tops: Any, program: str | Path) -> Any:
        """The program with these blocks made of the changed Verilog."""
        blocks.linked(folder / "rtl", {top: top
                                       for top in tops}, self.build.folder,
                      self.build.links[program], self.common).rename(folder / program)
        return folder / program

    def by_verilog_tests(self, fault: Any, folder: Path) -> Any:
        """Where the fault is in a block of its own, its unit tests; whatever it is in, the
        whole."""
        rtl = folder / "rtl"
        rtl.mkdir()
        fault.write_rtl(rtl)
        tops = [top for top in blocks.TOPS if fault.module in blocks.parts(top)]
        core = [blocks.CORE] if fault.module in blocks.parts(blocks.CORE) else []
        found = dict.fromkeys(VERILOG_KINDS, False)
        try:
            program = self.linked(folder, tops + core, "rnicsim")
        except ValueError as error:
            sys.exit(f"error: Verilator does not read '{fault.name}':\n{error}")
        for kind in ("random", "directed"):
            found[kind] = cosim_fails(program, self.scenarios[kind], folder)
        if tops:
            found["unit"] = fails([
                self.linked(folder, tops, "test_cosim"), "--abort", "--filenames-as-tags",
                blocks.tests_of(tops)
            ], folder)
        files = sorted((ROOT / "rtl" / "formal").glob("*_formal.sv"))
        proofs = [
            file.stem.removesuffix("_formal") for file in files
            if f" {fault.module} " in file.read_text(encoding="utf-8")
        ]
        if proofs:
            found["proof"] = fails([
                sys.executable, ROOT / "scripts" / "prove", "--rtl", rtl, "--out",
                folder / "proofs", *proofs
            ], folder)
        return found

    def ask(self, fault: Any, folder: Path) -> Any:
        if of_verilog(fault):
            found = self.by_verilog_tests(fault, folder)
        else:
            self.build.make(fault, folder)
            found = by_model_tests(folder, self.scenarios)
        kinds = [kind for kind, sees in found.items() if sees]
        good = len(kinds) >= LEAST
        return runner.Answer(
            good, f"{'     ' if good else 'WEAK '}  {fault.name}: {', '.join(kinds) or 'nobody'}",
            found)

    def summary(self, answers: Any) -> str:
        weak = sum(not answer.good for answer in answers.values())
        return f"faults: {len(answers)} tried, {weak} seen by fewer than {LEAST} kinds of test"


@ending.reported("defence", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    parser = runner.arguments_of(__doc__, max(1, (os.cpu_count() or 1) // 2))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    listed = read_faults()
    all_faults = [fault for _, fault in listed]
    if options.check:
        return fault_table.check(all_faults)
    faults = runner.chosen(listed, parser, options, "faults")

    def write(answers: Any) -> None:
        fault_table.write(all_faults, {fault: answer.noticed for fault, answer in answers.items()})
    with tempfile.TemporaryDirectory() as common:
        return runner.run(faults, Seen(options.build, Path(common)), options.jobs,
                          write if options.write else None)
