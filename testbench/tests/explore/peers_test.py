# SPDX-License-Identifier: Apache-2.0
"""A wrong line that takes one peer for another is found, and the simulator plays the fault tape of
what was found."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from rnicsim.faults import changes, mutants, wrong_changes  # pylint: disable=wrong-import-position
from rnicsim.faults.linking import Build  # pylint: disable=wrong-import-position

BINARY = Path(os.environ["RNICSIM_BIN"])
BUFFER_KEY = "the peer is no part of the buffer's key"
TABLE_KEY = "the peer is no part of the table's key"
THREE_ENDS = "--initiators 2 --operation write --frames 1 --staged 1 --fetch-at-once"


class Peers(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    programs: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(cls.folder.cleanup)
        build = Build(BINARY.parent.parent, ("rnicsim",), mutants.LOGIC)
        wrong = {change.name: change for _, change in changes.read(mutants.LIST)}
        cls.programs = {}
        for number, name in enumerate((BUFFER_KEY, TABLE_KEY)):
            folder = Path(cls.folder.name) / str(number)
            folder.mkdir()
            build.make(wrong[name], folder)
            cls.programs[name] = folder / "rnicsim"

    def counter_example(self, name: Any, bounds: Any) -> Any:
        """What is printed, and the tape."""
        program = self.programs[name]
        tape = program.parent / "counter.tape"
        done = subprocess.run([program, "explore", *bounds.split(), "--tape", tape],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stdout, tape

    def test_two_ends_show_nothing(self) -> None:
        for program in self.programs.values():
            bounds = ("--operation", "both-ends", "--transfers", "2", "--frames", "1", "--faults",
                      "1", "--staged", "1", "--fetch-at-once")
            done = subprocess.run([program, "explore", *bounds], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_counter_example_is_a_tape_of_a_network_that_breaks_an_invariant_in_the_simulator(
            self) -> None:
        printed, tape = self.counter_example(BUFFER_KEY, f"{THREE_ENDS} --faults 0")
        self.assertRegex(printed, r"BROKEN: data of [ac]\.0 is placed where it does not belong")
        lines = tape.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "rnicsim fault tape 2")
        self.assertEqual([line for line in lines[1:] if not line.startswith("#")],
                         ["b a.0 REGISTRATION #1 failed", "b c.0 REGISTRATION #1 failed"])
        code, said = wrong_changes.replay(self.programs[BUFFER_KEY], tape)
        self.assertEqual(code, 1, said)
        self.assertIn("invariant violated", said)
        code, said = wrong_changes.replay(BINARY, tape)
        self.assertEqual(code, 0, said)
        self.assertNotIn("did not come up", said)

    def test_faults_of_frames_are_those_of_the_initiator_s_link(self) -> None:
        _, tape = self.counter_example(TABLE_KEY, f"{THREE_ENDS} --faults 1 --method traditional")
        faults = [
            line for line in tape.read_text(encoding="utf-8").splitlines()[1:]
            if not line.startswith("#")
        ]
        self.assertTrue(
            any(
                re.fullmatch(r"([ac]>s0|s0>[ac]) [ac]\.0 [A-Z_]+ #\d+ delayed \d+ cycles", line)
                for line in faults), faults)
        code, said = wrong_changes.replay(BINARY, tape)
        self.assertEqual(code, 0, said)


if __name__ == "__main__":
    unittest.main()
