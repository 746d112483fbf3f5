#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of `rnicsim exec` under debuggers and checkers (testbench/programs/DEBUGGING.md): time
stands still while one is stopped, figures stay what they are."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
RNICSIM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
AGAIN = os.environ["RNICSIM_VERBS_AGAIN"]
GDB = ("gdb", "-batch", "-ex", "handle SIGSEGV nostop noprint pass")


def installed(case: unittest.TestCase, *programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            case.skipTest(f"{program} is not installed")


def read_lat(before: tuple[str, ...] = (),
             before_client: tuple[str, ...] | None = None) -> subprocess.CompletedProcess[str]:
    words = [str(shutil.which("ib_read_lat")), "-F", "-n", "10", "-p", free_port()]
    client = before if before_client is None else before_client
    return subprocess.run([
        RNICSIM, "exec", SCENARIO, "--on", "a", "--", *before, *words, "--on", "b", "--", *client,
        *words, "127.0.0.1"
    ], capture_output=True, text=True, timeout=200, check=False)


def again(program: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    port = free_port()
    return subprocess.run([
        RNICSIM, "exec", SCENARIO, "--on", "a", "--", *before, program, "2", port, "listen", "--on",
        "b", "--", *before, program, "1", port, "connect"
    ], capture_output=True, text=True, timeout=200, check=False)


class Debuggers(unittest.TestCase):
    def figures(self, done: subprocess.CompletedProcess[str]) -> list[str]:
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return re.findall(r"^ 2 +10 +(\S+) +(\S+) +(\S+)", done.stdout, re.MULTILINE)

    def test_a_program_in_gdb_prints_the_same(self) -> None:
        """It stands at a breakpoint for longer than its timers would allow, as the machine's time
        goes."""
        installed(self, "gdb", "ib_read_lat")
        stops = (*GDB, "-ex", "set breakpoint pending on", "-ex", "break ibv_modify_qp", "-ex",
                 "run", "-ex", "python import time; time.sleep(1)", "-ex", "info symbol $pc", "-ex",
                 "delete", "-ex", "continue", "--args")
        done = read_lat((), stops)
        self.assertIn("ibv_modify_qp", done.stdout)
        self.assertEqual(self.figures(done), self.figures(read_lat()))

    def test_gdb_looks_at_a_program_from_outside(self) -> None:
        """While it does, a second of the other side's does not pass."""
        installed(self, "gdb")
        begins = (
            "import time; print(time.time(), flush=True); time.sleep(1); print(time.time(), "
            "flush=True)"
        )
        looked_at = (
            "import os, sys, time; time.time(); print(os.getpid(), flush=True); sum(range(1 << "
            "25)); sys.stdin.read()"
        )
        with subprocess.Popen([
                RNICSIM, "exec", SCENARIO, "--on", "a", "--", sys.executable, "-c", looked_at,
                "--on", "b", "--", sys.executable, "-c", begins
        ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as both:
            assert both.stdin and both.stdout
            process = int(both.stdout.readline())
            looks = subprocess.run(
                [*GDB, "-p", str(process), "-ex", "bt 1", "-ex", "detach"], capture_output=True,
                text=True, timeout=100, check=False)
            self.assertIn("#0", looks.stdout, looks.stderr)
            first, second = (float(both.stdout.readline()) for _ in range(2))
            both.stdin.close()
            self.assertEqual(both.wait(100), 0)
        self.assertAlmostEqual(second - first, 1.0, places=3)

    def test_valgrind(self) -> None:
        """It has nothing to say of the library, and figures are the same."""
        installed(self, "valgrind", "ib_read_lat")
        self.assertEqual(self.figures(read_lat(("valgrind", "-q"))), self.figures(read_lat()))
        done = again(AGAIN, ("valgrind", "-q", "--error-exitcode=9"))
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["done"] * 2), done.stderr)
        self.assertNotIn("==", done.stderr)

    def test_strace(self) -> None:
        installed(self, "strace", "ib_read_lat")
        self.assertEqual(self.figures(read_lat((), ("strace", "-f", "-o", "/dev/null"))),
                         self.figures(read_lat()))

    def test_sanitizers(self) -> None:
        """A program that is built with one runs as it is, and what is wrong with it is found."""
        for name in ("RNICSIM_AGAIN_address", "RNICSIM_AGAIN_thread"):
            with self.subTest(name):
                program = os.environ.get(name)
                if program is None:
                    self.skipTest("the compiler has no such sanitizer")
                done = again(program)
                self.assertEqual((done.returncode, done.stdout.split()), (0, ["done"] * 2),
                                 done.stderr)
                self.assertNotIn("Sanitizer", done.stderr)


if __name__ == "__main__":
    unittest.main()
