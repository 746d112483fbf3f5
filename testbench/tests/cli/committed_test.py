#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The committed results are what this program computes: any change of a model, however small, shows
here first.

If the change is meant: scripts/reproduce --fresh, scripts/reproduce systems --fresh,
scripts/reproduce verbs --fresh, scripts/reproduce persistence --fresh, scripts/reproduce bridge
--fresh, and look at what moved."""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from rnicsim import sampling

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM_BIN"]


class Committed(unittest.TestCase):
    def compare(self, name: Any, kind: str = "paper") -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([
                PROGRAM, "run", SOURCE / "scenarios" / kind / f"{name}.yaml", "--no-plot", "--out",
                folder
            ], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            computed = (Path(folder) / "summary.csv").read_text(encoding="utf-8").splitlines()
        committed = (SOURCE / "results" / kind / name /
                     "summary.csv").read_text(encoding="utf-8").splitlines()
        columns = committed[0].split(",")
        for expected, found in zip(committed, computed):
            moved = [f"{column}: {was} -> {now}" for column, was, now
                     in zip(columns, expected.split(","), found.split(",")) if was != now]
            self.assertEqual(expected, found, f"{name}: first row that differs: {moved}")
        self.assertEqual(len(committed), len(computed))

    @sampling.in_turn(2)
    def test_the_sweeps(self) -> None:
        """Writes and reads under both faults; pings, bus and memory pool. scripts/baseline sees a
        part of each every time."""
        for name in sampling.drawn(("fig6_joint", "fig6_joint_read", "fig7_board"),
                                   argparse.Namespace(all=False, seed=None, sample=1),
                                   "committed sweeps run anew"):
            with self.subTest(name):
                self.compare(name)

    def test_a_network(self) -> None:
        self.compare("two_switches", "systems")
        self.compare("path", "systems")
        self.compare("table", "systems")

    @sampling.in_turn(2)
    def test_verbs(self) -> None:
        self.compare("latency", "verbs")
        self.compare("inline", "verbs")
        self.compare("atomics", "verbs")
        self.compare("incast", "verbs")

    def test_persistence(self) -> None:
        self.compare("sizes", "persistence")
        self.compare("chances", "persistence")

    def test_applications(self) -> None:
        self.compare("plasma", "applications")

    def test_a_bridge(self) -> None:
        for name in ("latency", "slots", "document_counts", "block_counts"):
            self.compare(name, "bridge")


if __name__ == "__main__":
    unittest.main()
