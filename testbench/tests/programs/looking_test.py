#!/usr/bin/env python3
"""Faults on programs of Debian, by tape, and what can be seen of them: tapes name their QPs."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
TAPE = "rnicsim fault tape 2\n"


def free_port() -> str:
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return str(any_socket.getsockname()[1])


def rnicsim(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=100, check=False)


class Looking(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def pair(self, command: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Client on a, server on b."""
        if shutil.which(command.split()[0]) is None:
            self.skipTest(f"{command.split()[0]} is not installed (Debian: ibverbs-utils, perftest)")
        words = [*command.split(), "-p", free_port()]
        return rnicsim("exec", SCENARIO, *options, "--on", "b", "--", *words, "--on", "a", "--", *words, "127.0.0.1")

    def played(self, command: str, lines: str) -> tuple[subprocess.CompletedProcess[str], str]:
        """The run, and the tape of what went wrong in it."""
        (self.folder / "played.tape").write_text(TAPE + lines)
        done = self.pair(command, "--tape", str(self.folder / "played.tape"), "--record-tape", str(self.folder / "recorded.tape"))
        return done, (self.folder / "recorded.tape").read_text()


class Tapes(Looking):
    def test_a_tape_names_the_qps_of_programs(self) -> None:
        """The third answer is lost and no other frame; what the recorder writes is what was played."""
        line = "b>a a.q0 RESPONSE +2 #1 lost\n"
        done, recorded = self.played("ib_read_lat -F -n 20", line)
        self.assertEqual((done.returncode, recorded), (0, TAPE + line), done.stderr)
        self.assertNotIn("did not come up", done.stderr)

    def test_qps_are_numbered_in_the_order_of_their_creation(self) -> None:
        lines = "".join(f"a>b a.q{qp} WRITE +{70 + qp} #1 lost\n" for qp in range(3))
        done, recorded = self.played("ib_write_bw -F -n 100 -q 3", lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(recorded.splitlines()[1:]), lines.splitlines())

    def test_a_fault_that_never_comes_up_is_told(self) -> None:
        done, recorded = self.played("ib_read_lat -F -n 20", "b>a a.q7 RESPONSE +2 #1 lost\na>b a.q0 READ +2 #1 lost\n")
        self.assertIn("1 fault of the tape did not come up", done.stderr)
        self.assertEqual(recorded, TAPE + "a>b a.q0 READ +2 #1 lost\n")

    def test_a_recorded_tape_repeats_the_losses(self) -> None:
        first = self.pair("ib_write_bw -F -n 200", "--set", "system.link.loss=1 %", "--record-tape", str(self.folder / "first.tape"))
        lines = (self.folder / "first.tape").read_text()
        self.assertGreater(lines.count("lost"), 50, first.stderr)
        again, recorded = self.played("ib_write_bw -F -n 200", lines.removeprefix(TAPE))
        self.assertEqual((again.returncode, recorded), (0, lines), again.stderr)

    def test_a_link_is_down_for_a_while(self) -> None:
        """1.999 s without any frame: longer than eight ACK timers of 67 ms, shorter than those of 1.07 s."""
        for timeout, code, said in (("14", 1, "Failed status 12"), ("18", 0, "65536")):
            with self.subTest(timeout):
                done, recorded = self.played(f"ib_write_bw -F -n 1000 -u {timeout}", "link a-b DOWN 1 ms..2000 ms\n")
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertRegex(done.stdout + done.stderr, rf"(?m)^\s*{said}")
                self.assertTrue(re.fullmatch(TAPE + r"link a-b DOWN \d+ cycles\.\.\d+ cycles\n", recorded), recorded)


if __name__ == "__main__":
    unittest.main()
