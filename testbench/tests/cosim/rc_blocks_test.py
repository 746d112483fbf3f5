#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of the RoCEv2 card in Verilog in scenarios: events equal to those of the models."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM_BIN"]
KEY = "system.rnic.rc.pm.simulated_by"


def rnicsim(*words: Any) -> Any:
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def cosim(scenario: str, *settings: str) -> Any:
    changes = [word for setting in settings for word in ("--set", setting)]
    return rnicsim("cosim", SOURCE / "scenarios" / scenario, *changes)


class PersistModule(unittest.TestCase):

    def equal(self, scenario: str, *settings: str) -> None:
        done = cosim(scenario, f"{KEY}=rtl", *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        self.assertIn("b: persist module rtl", done.stdout)

    def test_one_read_for_all_and_many_at_once(self) -> None:
        self.equal("persistence/coalescing.yaml")
        self.equal("persistence/overlap.yaml")

    def test_firmware_with_every_scheme(self) -> None:
        self.equal("persistence/firmware.yaml")

    def test_lost_frames(self) -> None:
        self.equal("persistence/losses.yaml", "run.transfers=2000")

    def test_waves(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = rnicsim("cosim", SOURCE / "scenarios/persistence/overlap.yaml", "--set",
                           f"{KEY}=rtl", "--wave", f"{folder}/x.fst", "--wave-blocks",
                           "b.persist_module")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertGreater((Path(folder) / "x.b.persist_module.fst").stat().st_size, 1000)

    def test_what_is_refused(self) -> None:
        done = cosim("persistence/overlap.yaml", f"{KEY}=rtl", "system.rnic.rc.pm.capacity=32")
        self.assertEqual(done.returncode, 2)
        self.assertIn("system.rnic.rc.pm.capacity", done.stderr)
        self.assertIn(
            "found '32', expected what system.rnic.rc.pm.simulated_by (rtl) has built in: 64",
            done.stderr)
        done = cosim("verbs/loss.yaml", f"{KEY}=rtl")
        self.assertEqual(done.returncode, 2)
        self.assertIn(KEY, done.stderr)
        done = cosim("verbs/loss.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"expected one, or with persistence {KEY}: rtl", done.stderr)


if __name__ == "__main__":
    unittest.main()
