#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs pay for memory and for interrupts: the keys of system.host.cpu, to the clock's
read."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
CALLS = os.environ["RNICSIM_LIMIT_CALLS"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
CLOCK = 20  # ns: a look at it
XEON = "profile=xeon_2018"


def executed(settings: tuple[str, ...], *programs: str) -> str:
    words = [word for setting in settings for word in ("--set", f"system.host.cpu.{setting}")]
    done = subprocess.run([PROGRAM, "exec", SCENARIO, *words, *programs], capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class Memory(unittest.TestCase):
    def times(self, *settings: str) -> dict[str, int]:
        said = executed(settings, "--on", "a", "--", CALLS, "times_of_regions")
        return {name: int(ns) - CLOCK for name, ns in re.findall(r"(\w+) (\d+)", said)}

    def test_each_page_counts(self) -> None:
        found = self.times("registration.base=3 us", "registration.page=200 ns",
                           "deregistration.base=1 us", "deregistration.page=60 ns")
        cq = found.pop("make_cq")
        self.assertEqual(cq, 10_000)
        # What it had, two pages, is given back.
        self.assertEqual(found.pop("change_3"), 3000 + 3 * 200 + 2 * 60)
        for name, ns in found.items():
            call, pages = name.split("_")
            base, page = (1000, 60) if call == "end" else (3000, 200)
            with self.subTest(name):
                self.assertEqual(ns, base + int(pages) * page)

    def test_without_keys_each_takes_what_any_command_takes(self) -> None:
        self.assertEqual(set(self.times().values()), {10_000})


class Interrupts(unittest.TestCase):
    def latency(self, *settings: str, events: bool = True) -> float:
        """us one way, as ib_send_lat prints it."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        words = ["ib_send_lat", "-F", "-n", "100", "-s", "64", "-p", port, *["-e"] * events]
        said = executed(settings, "--on", "a", "--", *words, "--on", "b", "--", *words, "127.0.0.1")
        return float(re.findall(r"^ *64 +100 +[\d.]+ +[\d.]+ +([\d.]+)", said, re.M)[0])

    def setUp(self) -> None:
        if shutil.which("ib_send_lat") is None:
            self.skipTest("ib_send_lat is not installed (Debian: perftest)")

    def test_each_cost_is_paid_once_a_message(self) -> None:
        before = self.latency()
        for key in ("wake", "event_read", "arm"):
            with self.subTest(key):
                self.assertAlmostEqual(self.latency(f"{key}=1 us") - before, 1, delta=0.011)

    def test_who_polls_pays_nothing(self) -> None:
        self.assertEqual(self.latency(XEON, events=False), self.latency(events=False))

    def test_check_line_l1(self) -> None:
        """qperf's latency of RoCEv2 by interrupts is 4 us in the article: half a round."""
        self.assertAlmostEqual(self.latency(XEON), 4.0, delta=0.3)


if __name__ == "__main__":
    unittest.main()
