#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulated time as programs of `rnicsim exec` see it: what clocks show, the same digits each time,
and digits that are the model's."""
import contextlib
import csv
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest
from typing import Any

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCES / "scripts"))
from rnicsim import sampling  # noqa: E402

RNICSIM = os.environ["RNICSIM"]
CALLS = os.environ["RNICSIM_CLOCK_CALLS"]
THREADS = os.environ["RNICSIM_VERBS_THREADS"]
PRELOAD = pathlib.Path(os.environ["RNICSIM_PROGRAMS_FOLDER"]) / "librnicsim_preload.so"
SCENARIO = SOURCES / "scenarios/programs/two_hosts.yaml"

REPEATED = ("ibv_rc_pingpong -g 0 -n 300", "ibv_rc_pingpong -g 0 -n 100 -e",
            "ib_send_lat -F -n 100", "ib_read_lat -F -n 100", "ib_write_bw -F -n 300",
            "ib_send_bw -F -n 300")
SPINS = "ib_write_lat -F -n 30"  # on memory
REPETITIONS = 10 if sampling.wants_all() else 3
CLOCK_READ_US = 0.020  # Welcome.clock_read
RECEIVE_US = 0.060     # host.verbs.receive of cx5_100g
CARD_CYCLE_US = 0.008


def run(command: Any, **more: Any) -> Any:
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)


def execute(*commands: Any, options: tuple[str, ...] = ()) -> Any:
    """The first on host a, the second on b."""
    words = [RNICSIM, "exec", *options, str(SCENARIO)]
    for host, command in zip("ab", commands):
        words += ["--on", host, "--", *command.split()]
    return run(words)


def pair(program: Any) -> Any:
    return execute(program, f"{program} 127.0.0.1")


def digits(done: subprocess.CompletedProcess[str]) -> list[str]:
    """All that is printed but what is random each time (PSNs, addresses, process numbers) and in
    what order both programs' lines come."""
    lines = (done.stdout + done.stderr).splitlines()
    return sorted(line for line in lines if not re.search(r"PSN|GID|VAddr|\(\d+\)", line))


@contextlib.contextmanager
def busy_machine() -> typing.Iterator[None]:
    burners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.send_signal(signal.SIGKILL)
            burner.wait()


def model_us(operation: str) -> float:
    """How far apart in time messages of 2 bytes begin, each after the answer to the one before, in
    the model's own run; half of it for two ways."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ("run.pattern=ping_pong", f"run.operation={operation}", "run.size=2 B",
                    "run.transfers=50", "run.repetitions=1")
        words = [word for setting in settings for word in ("--set", setting)]
        done = run([
            RNICSIM, "run",
            str(SCENARIO), *words, "--transfers-csv", "--no-plot", "-q", "-j1", "-o", folder
        ])
        assert done.returncode == 0, done.stderr
        with open(f"{folder}/transfers.csv", encoding="utf-8") as file:
            begun = sorted(
                int(row["start_ps"]) for row in csv.DictReader(file) if row["initiator"] == "a")
    return (begun[-1] - begun[-2]) * 1e-6 / (1 if operation == "read" else 2)


class Clocks(unittest.TestCase):
    def test_cases(self) -> None:
        """The cases of calls_clocks.cpp, each a program of its own."""
        cases = run([CALLS, "--list"]).stdout.splitlines()
        self.assertGreater(len(cases), 10)
        for case in cases:
            with self.subTest(case):
                done = run([RNICSIM, "exec", str(SCENARIO), "--on", "a", "--", CALLS, case])
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_wrong_with_a_key_is_said(self) -> None:
        """A line for each work request that is refused, and what would have been right."""
        done = run([
            RNICSIM, "exec",
            str(SCENARIO), "--on", "a", "--", CALLS, "wrong keys, bounds and rights"
        ])
        self.assertEqual(done.returncode, 0, done.stderr)
        for expected in (
                r"write of 64 B at 0x\w+ with key 0xabcd00, is refused by a: no region of a has "
                r"this key",
                r"is refused by a: the region of this key has 0x\w+ to 0x\w+, 65536 B",
                r"is refused by a: the region of this key is not registered for remote writes",
                r"SGE 0, 64 B at 0x\w+ with key 0x123400: no region of a has this key"):
            self.assertRegex(done.stderr, expected)

    def test_in_free_mode_too_posts_keep_their_order(self) -> None:
        """Without times, and on a socket of each thread."""
        done = run([
            RNICSIM, "exec", "--free",
            str(SCENARIO), "--on", "a", "--", CALLS,
            "receives of threads that take turns have their wr_ids"
        ])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_in_free_mode_clocks_are_the_machines(self) -> None:
        done = execute("date +%s", options=("--free",))
        self.assertLess(abs(int(done.stdout) - time.time()), 60)
        self.assertGreater(int(execute("date +%s").stdout), 0)
        self.assertEqual(execute("date +%s").stdout, "1767225600\n")

    def test_without_a_simulator_clocks_are_the_machines(self) -> None:
        for path in ("", "/nowhere"):
            done = run(["date", "+%s"], env={
                **os.environ, "LD_PRELOAD": str(PRELOAD),
                "RNICSIM_SOCKET": path
            })
            self.assertLess(abs(int(done.stdout) - time.time()), 60)
            self.assertEqual(done.stderr, "")

    def test_when_the_simulator_ends_time_goes_on_with_the_machines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/socket"
            server = subprocess.Popen(
                [RNICSIM, "serve", str(SCENARIO), "--socket", path], stderr=subprocess.PIPE,
                text=True)
            assert server.stderr
            self.assertIn("RNICSIM_SOCKET", server.stderr.readline())
            script = (
                "import sys, time; print(time.time(), flush=True); sys.stdin.readline(); "
                "print(time.time()); time.sleep(.5); print(time.time())"
            )
            env = {
                **os.environ, "LD_PRELOAD": str(PRELOAD),
                "RNICSIM_SOCKET": path,
                "RNICSIM_HOST": "a"
            }
            with subprocess.Popen([sys.executable, "-c", script], env=env, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) as program:
                assert program.stdin and program.stdout
                first = float(program.stdout.readline())
                server.terminate()
                server.wait(20)
                server.stderr.close()
                program.stdin.write("\n")
                program.stdin.flush()
                second, third = (float(line) for line in program.stdout)
            self.assertEqual(program.returncode, 0)
        self.assertLess(first - 1767225600, 1)
        self.assertLess(second - first, 1)
        self.assertTrue(0.5 <= third - second < 30, third - second)


class Digits(unittest.TestCase):
    @sampling.in_turn(3)
    def test_programs_print_the_same_each_time_on_a_busy_machine(self) -> None:
        for program in REPEATED:
            with self.subTest(program):
                if shutil.which(program.split()[0]) is None:
                    self.skipTest(
                        f"{program.split()[0]} is not installed (ibverbs-utils, perftest)")
                with busy_machine():
                    all_done = [pair(program) for _ in range(REPETITIONS)]
                for done in all_done:
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertRegex(done.stderr,
                                     r"the simulation ends after \d+\.\d+ us and \d+ requests")
                    self.assertEqual(digits(done), digits(all_done[0]))

    @sampling.in_turn(3)
    def test_programs_with_threads_print_the_same_each_time(self) -> None:
        """Six threads a side, which wait with epoll and post to QPs of their own at the same time;
        with a lock, too. The end and all they ask for are equal."""
        for words in ("", " shared"):
            with self.subTest(words):
                with busy_machine():
                    all_done = [
                        execute(f"{THREADS} 2 7701 listen{words}",
                                f"{THREADS} 1 7701 connect{words}") for _ in range(5)
                    ]
                for done in all_done:
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(done.stdout.count("begun"), 2, done.stdout)
                    self.assertEqual(digits(done), digits(all_done[0]))

    @sampling.in_turn(3)
    def test_a_program_that_spins_prints_the_same_most_times(self) -> None:
        """That no step of it takes longer than a thread may compute before it is thought to spin is
        not this program's to promise."""
        if shutil.which("ib_write_lat") is None:
            self.skipTest("ib_write_lat is not installed (perftest)")
        with busy_machine():
            all_done = [pair(SPINS) for _ in range(REPETITIONS)]
        self.assertEqual([done.returncode for done in all_done], [0] * REPETITIONS, all_done)
        printed = ["\n".join(digits(done)) for done in all_done]
        self.assertGreater(max(printed.count(each) for each in printed), 1, printed)

    @sampling.in_turn(3)
    def test_a_program_in_a_pid_namespace_prints_the_same(self) -> None:
        """Its threads have other numbers here than it says."""
        if shutil.which("ib_send_lat") is None:
            self.skipTest("ib_send_lat is not installed (perftest)")
        within = "unshare -r -p -f --mount-proc"
        if run([*within.split(), "true"]).returncode != 0:
            self.skipTest("this machine lets nobody make PID namespaces")
        figures = []
        for before in ("", within):
            done = execute(f"{before} ib_send_lat -F -n 50",
                           f"{before} ib_send_lat -F -n 50 127.0.0.1")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            figures.append(re.findall(r"^ 2 +50 +\S+ +\S+ +(\S+)", done.stdout, re.MULTILINE))
        self.assertEqual(figures[0], figures[1])

    def printed(self, program: str) -> tuple[str, list[float]]:
        """t_typical as printed, and each time but the first one with all its digits."""
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed (perftest)")
        done = pair(f"{program} -F -n 50 -U")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = re.search(r"^ 2 +50 +\S+ +\S+ +(\S+)", done.stdout, re.MULTILINE)
        assert found, done.stdout
        return found[1], [
            float(value) for value in re.findall(r"^(?!1,)\d+, (\S+)$", done.stdout, re.MULTILINE)
        ]

    def test_ib_read_lat_prints_the_models_latency(self) -> None:
        text, _ = self.printed("ib_read_lat")
        self.assertEqual(text, f"{model_us('read') + CLOCK_READ_US:.2f}")

    def test_ib_write_lat_prints_the_models_latency(self) -> None:
        """It spins on memory."""
        text, _ = self.printed("ib_write_lat")
        # seen when it looks next
        self.assertLessEqual(abs(float(text) - model_us("write") - CLOCK_READ_US), 0.01)

    def test_ib_send_lat_prints_the_models_latency(self) -> None:
        """The model's own software posts a receive again in each round. When the programs' posts
        come is not in phase with the card's clock: two cycles more or less."""
        _, times = self.printed("ib_send_lat")
        self.assertGreater(len(times), 90)
        expected = model_us("send") + CLOCK_READ_US - RECEIVE_US
        late = [value for value in times if abs(value - expected) > 2 * CARD_CYCLE_US]
        self.assertEqual(late, [], expected)


if __name__ == "__main__":
    unittest.main()
