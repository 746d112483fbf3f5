#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/soak itself: its report on memory, and what it leaves when a run fails. The soak is
another test.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from collections.abc import Callable
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SECONDS = 120  # the longest that any call may take

sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import soak


class Memory(unittest.TestCase):
    @staticmethod
    def worker(kib_at: Callable[..., Any]) -> soak.Memory:
        return soak.Memory([(second / 10, kib_at(second / 100)) for second in range(101)])

    def test_a_worker_that_warms_up_and_encodes_its_result_is_flat(self) -> None:
        flat = self.worker(lambda part: 20_000 * min(1, part / 0.4) if part < 0.9 else 90_000)
        self.assertIn("memory 19.5 MiB, rises by +0.00% over a run",
                      soak.judge_memory("x", [flat], soak.Totals()))

    def test_growth_is_a_failure(self) -> None:
        for level, rise, fails in ((60_000, 0.04, False), (60_000, 0.06, True), (20_000, 0.06,
                                                                                 False)):
            workers = [
                self.worker(lambda part, level=level: level),
                self.worker(lambda part, level=level, rise=rise: level * (1 + rise * (part - 0.65)))
            ]
            with self.subTest(level=level, rise=rise):
                if fails:
                    with self.assertRaisesRegex(soak.Fails,
                                                r"x: memory grows: .* rises by \+6\.00%"):
                        soak.judge_memory("x", workers, soak.Totals())
                else:
                    self.assertIn(f"rises by {rise:+.2%}",
                                  soak.judge_memory("x", workers, soak.Totals()))

    def test_a_single_step_is_no_growth(self) -> None:
        for at in (0.55, 0.65, 0.75):
            step = self.worker(lambda part, at=at: 20_000 + 3_000 * (part >= at))
            with self.subTest(at=at):
                self.assertIn("rises by +0.00%", soak.judge_memory("x", [step], soak.Totals()))

    def test_too_few_samples(self) -> None:
        self.assertIn("too short",
                      soak.judge_memory("x", [soak.Memory([(0, 1000), (1, 9000)])], soak.Totals()))


class Failure(unittest.TestCase):
    def test_the_faults_are_recorded_and_the_commands_work(self) -> None:
        """The run fails whatever is lost: no fault is needed for that."""
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(
                os.environ, RNICSIM_FAIL_AT="1000"):
            scenario = Path(folder) / "impatient.yaml"
            scenario.write_text(
                "system: {link: {loss: 20 %}}\nrun: {direction: both, repetitions: 1}\n",
                encoding="utf-8")
            done = subprocess.run(
                [SOURCE / "scripts" / "soak", "--program", BIN, "--transfers", "2000", scenario],
                capture_output=True, text=True, timeout=SECONDS, cwd=folder, check=False)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            lines = dict(
                line.split(": ", 1) for line in done.stderr.splitlines()
                if line.startswith(("repeat", "shrink")))
            self.assertIn("error: soak: impatient: exit code 1", done.stderr)
            self.assertTrue(list(Path(folder).glob("soak_impatient_p000_*_r0.tape")))
            again = subprocess.run(shlex.split(lines["repeat"]), capture_output=True, text=True,
                                   timeout=SECONDS, cwd=folder, check=False)
            self.assertEqual(again.returncode, 1)
            self.assertIn("RNICSIM_FAIL_AT", again.stderr)
            shrunk = subprocess.run(shlex.split(lines["shrink"]), capture_output=True, text=True,
                                    timeout=SECONDS, cwd=folder, check=False)
            self.assertEqual(shrunk.returncode, 0, shrunk.stderr)
            self.assertRegex(shrunk.stderr, r"0 of [1-9]\d* faults are enough for 'failure'")


if __name__ == "__main__":
    unittest.main()
