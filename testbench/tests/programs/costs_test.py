#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs pay for memory and for interrupts: the keys of system.host.cpu, to the clock's
read, or to the cycle."""
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
CYCLES, CARD = 2.5, 20  # of the host's clock: in a ns, in a cycle of the card
XEON = "cpu.profile=xeon_2018"


def executed(settings: tuple[str, ...], *programs: str) -> str:
    words = [word for setting in settings for word in ("--set", f"system.host.{setting}")]
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
        found = self.times("cpu.registration.base=3 us", "cpu.registration.page=200 ns",
                           "cpu.deregistration.base=1 us", "cpu.deregistration.page=60 ns")
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
    def printed(self, settings: tuple[str, ...], events: bool, count: int, *more: str) -> list[str]:
        """What ib_send_lat prints of 64 B, one way: least, most, typical, mean."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        words = ["ib_send_lat", "-F", "-n", str(count), "-s", "64", "-p", port, *["-e"] * events,
                 *more]
        said = executed(settings, "--on", "a", "--", *words, "--on", "b", "--", *words, "127.0.0.1")
        lines = [line.split() for line in said.splitlines()]
        return next(line[2:6] for line in lines if line[:2] == ["64", str(count)])

    def latency(self, *settings: str, events: bool = True) -> float:
        """us one way, typically."""
        return float(self.printed(settings, events, 100)[2])

    def cycles(self, *settings: str, events: bool = True) -> float:
        """Of the host's clock, one way, on average."""
        return float(self.printed(settings, events, 500, "-C")[3])

    def setUp(self) -> None:
        if shutil.which("ib_send_lat") is None:
            self.skipTest("ib_send_lat is not installed (Debian: perftest)")

    def test_each_cost_is_paid_once_a_message(self) -> None:
        before = self.latency()
        for key in ("wake", "event_read", "arm"):
            with self.subTest(key):
                self.assertAlmostEqual(self.latency(f"cpu.{key}=1 us") - before, 1, delta=0.011)

    def test_who_polls_pays_nothing(self) -> None:
        self.assertEqual(self.latency(XEON, events=False), self.latency(events=False))

    def test_events_cost_their_sum_more_than_polling(self) -> None:
        """To the cycle of the card: an interrupt is written behind its completion, and what is told
        to the card waits for its clock."""
        polls, beside = self.cycles(events=False), []
        for irq, wake, event_read, arm in ((8, 0, 0, 0), (800, 0, 0, 0), (800, 1200, 0, 0),
                                           (800, 0, 300, 0), (800, 0, 0, 150),
                                           (800, 1200, 300, 150)):
            with self.subTest(irq=irq, wake=wake, event_read=event_read, arm=arm):
                found = self.cycles(f"software.interrupt_latency={irq} ns", f"cpu.wake={wake} ns",
                                    f"cpu.event_read={event_read} ns", f"cpu.arm={arm} ns")
                beside.append(found - polls - (irq + wake + event_read + arm) * CYCLES)
                self.assertTrue(0 <= beside[-1] < CARD, beside)
        print(f"beside the sum there are {beside} cycles of the host")

    def test_check_line_l1(self) -> None:
        """qperf's latency of RoCEv2 by interrupts is 4 us in the article: half a round."""
        self.assertAlmostEqual(self.latency(XEON), 4.0, delta=0.3)


if __name__ == "__main__":
    unittest.main()
