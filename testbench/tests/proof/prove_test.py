#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/prove itself: a wrong line fails with a trace, and nothing else counts as a proof or as a
counterexample.

Environment: RNICSIM_SOURCE_DIR.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SECONDS = 120  # the longest that any call may take
KNOWN = sorted(
    file.stem.removesuffix("_formal") for file in (SOURCE / "rtl" / "formal").glob("*_formal.sv"))
# Its search and its induction take a second.
PROOF, RIGHT, WRONG = "rx_staging", "used = used_q & ~free_i", "used = used_q & ~(free_i << 1)"


class Prove(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def prove(self, *words: str, environment: None = None) -> Any:
        return subprocess.run([SOURCE / "scripts" / "prove", "--out", self.folder / "out", *words],
                              capture_output=True, text=True, timeout=SECONDS, check=False,
                              env=environment)

    def changed(self, old: Any, new: Any) -> Any:
        """A copy of rtl/ with one line of the block changed."""
        rtl = self.folder / "rtl"
        shutil.copytree(SOURCE / "rtl", rtl, ignore=shutil.ignore_patterns("formal", "*.md"))
        file = rtl / f"{PROOF}.sv"
        text = file.read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1)
        file.write_text(text.replace(old, new), encoding="utf-8")
        return rtl

    def test_what_holds(self) -> None:
        done = self.prove(PROOF)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(
            done.stdout,
            rf"{PROOF}  A slot has one owner (?s:.)* reached\n.* holds\n.* holds for ever\n$")

    def test_a_wrong_line_fails_with_a_trace(self) -> None:
        done = self.prove("--rtl", self.changed(RIGHT, WRONG), PROOF)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"search +\d+ cycles +[\d.]+ s  FAILS: a_\w+")
        trace = self.folder / "out" / f"{PROOF}.search.vcd"
        self.assertIn(f"trace: {trace}\n", done.stdout)
        self.assertIn("$enddefinitions", trace.read_text(encoding="utf-8"))

    def test_verilog_that_is_none_is_neither(self) -> None:
        done = self.prove("--rtl", self.changed(RIGHT, "used = used_q &&& free_i"), PROOF)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"error: Yosys does not read {PROOF}:\n", done.stderr)

    def test_a_solver_that_is_not_there_is_neither(self) -> None:
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("yosys", "yosys-smtbmc", "python3", "env"):
            (programs / name).symlink_to(shutil.which(name))
        done = subprocess.run([SOURCE / "scripts" / "prove", "--out", self.folder / "out", PROOF],
                              capture_output=True, text=True, timeout=SECONDS, check=False, env={
                                  **os.environ, "PATH": str(programs)
                              })
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("no result: "), 3, done.stdout)
        self.assertNotIn("FAILS", done.stdout)

    def solvers_that_say_yes(self) -> Any:
        """An environment in which every proof holds at once: so the choice of proofs can be
        tested."""
        programs = self.folder / "bin"
        programs.mkdir()
        for name, says in (("yosys", "SAT proof finished - no model found: SUCCESS!"),
                           ("yosys-smtbmc", "Status: PASSED")):
            (programs / name).write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
            (programs / name).chmod(0o755)
        return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "RNICSIM_ALL": ""}

    def test_a_sample_is_of_proofs_of_which_something_is_tried(self) -> None:
        environment = self.solvers_that_say_yes()
        drawn = set()
        for seed in range(12):
            done = self.prove("--sample", "1", "--seed", str(seed), environment=environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn(
                "left out: transport_decision's search, which takes minutes; --all or its name "
                "tries it: nothing of it is tried\n",
                done.stdout)
            self.assertIn(
                "left out: dma_queue's induction, which takes minutes; --all or its name tries "
                "it\n",
                done.stdout)
            self.assertIn(f"sampled: 1 of {len(KNOWN) - 1} proofs, by --seed {seed};", done.stdout)
            drawn |= {
                name
                for name in KNOWN
                if re.search(rf"^{name} +[A-Z].*\n +(cover|search) ", done.stdout, re.MULTILINE)
            }
        self.assertGreater(len(drawn), 2)
        self.assertNotIn("transport_decision", drawn)
        everything = self.prove("--sample", "1", "--all", environment=environment)
        self.assertEqual(everything.returncode, 0, everything.stdout + everything.stderr)
        self.assertNotIn("left out", everything.stdout)
        self.assertRegex(everything.stdout, r"transport_decision .*\n +search ")
        self.assertRegex(
            self.prove("transport_decision", environment=environment).stdout,
            r"\n +search .* holds\n")

    def test_where_nothing_is_tried_nothing_is_proved(self) -> None:
        done = self.prove("--sample", "0", environment=self.solvers_that_say_yes())
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("nothing was tried\n"), done.stdout)

    def test_an_unknown_name(self) -> None:
        done = self.prove("rx_stagin")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"no proof 'rx_stagin': {', '.join(KNOWN)}\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
