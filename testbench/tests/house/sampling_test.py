# SPDX-License-Identifier: Apache-2.0
"""Tests that take turns: each is tried by some commits, and by all where all is wanted."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

SCRIPTS = str(Path(os.environ["RNICSIM_SOURCE_DIR"]) / "scripts")
# Prints which of three tests are tried.
PROGRAM = """
import unittest
from rnicsim import sampling
for name in ("first", "second", "third"):
    def test(): pass
    test.__qualname__ = name
    if not getattr(sampling.in_turn(3)(test), "__unittest_skip__", False): print(name)
"""


def tried(**environment: str) -> list[str]:
    quiet = {"RNICSIM_ALL": "", "RNICSIM_SEED": ""}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          check=True, timeout=60, cwd=SCRIPTS,
                          env={**os.environ, **quiet, **environment})
    return done.stdout.split()


class Turns(unittest.TestCase):
    def test_of_three_commits_in_a_row_one_tries_a_test(self) -> None:
        turns = [tried(RNICSIM_SEED=str(seed)) for seed in range(3)]
        self.assertEqual(sorted(sum(turns, [])), ["first", "second", "third"], turns)
        self.assertGreater(len({tuple(turn) for turn in turns}), 1, turns)

    def test_all_are_tried_where_all_is_wanted(self) -> None:
        for seed in range(3):
            with self.subTest(seed=seed):
                self.assertEqual(tried(RNICSIM_ALL="1", RNICSIM_SEED=str(seed)),
                                 ["first", "second", "third"])

    def test_0_does_not_want_all(self) -> None:
        self.assertEqual(tried(RNICSIM_ALL="0", RNICSIM_SEED="1"), tried(RNICSIM_SEED="1"))


if __name__ == "__main__":
    unittest.main()
