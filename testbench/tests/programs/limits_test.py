#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No call of a program ends the simulation or another program: long lives, full tables, values at
their limits (limit_calls, over the simulator)."""
import os
import pathlib
import subprocess
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
CALLS = os.environ["RNICSIM_LIMIT_CALLS"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")


class Cases(unittest.TestCase):
    def test_each(self) -> None:
        cases = subprocess.run([CALLS, "--list"], capture_output=True, text=True, timeout=60,
                               check=True).stdout.split()
        self.assertGreater(len(cases), 5)
        for case in cases:
            with self.subTest(case):
                done = subprocess.run([PROGRAM, "exec", SCENARIO, "--on", "a", "--", CALLS, case],
                                      capture_output=True, text=True, timeout=600, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("is lost", done.stderr)


if __name__ == "__main__":
    unittest.main()
