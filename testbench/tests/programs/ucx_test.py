#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""UCX and qperf of Debian over the simulated RNIC: their transports over verbs, on a clean wire and
where frames are lost."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

from machine import ucx_perftest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
RC, UD = "rc_verbs,ud_verbs,self", "ud_verbs,self"  # RC connects by UD
ONE_WAY = 0.39  # us: the delay of the link, below which nothing comes


def execute(*words: Any, transports: str = RC,
            seconds: float = 300) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "UCX_NET_DEVICES": "rnicsim0:1", "UCX_TLS": transports}
    return subprocess.run([PROGRAM, "exec", SCENARIO, *words], capture_output=True, text=True,
                          timeout=seconds, check=False, env=environment)


def pair(test: Any, *options: str, transports: str = RC) -> subprocess.CompletedProcess[str]:
    return execute(*options, "--on", "a", "--",
                   *ucx_perftest().split(), "--on", "b", "--",
                   *ucx_perftest().split(), "127.0.0.1", "-t", test, "-n", "200", "-w", "10",
                   transports=transports)


class Ucx(unittest.TestCase):
    def setUp(self) -> None:
        if shutil.which("ucx_perftest") is None:
            self.skipTest("ucx_perftest is not installed (Debian: ucx-utils)")

    def test_it_finds_the_card_and_both_transports(self) -> None:
        done = execute("--on", "a", "--", "ucx_info", "-d")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"Transport: (\w+)\n#\s+Device: rnicsim0:1", done.stdout)
        self.assertEqual(found, ["rc_verbs", "ud_verbs"], done.stdout)
        self.assertNotIn("UCX  ERROR", done.stdout)

    def latency(self, done: subprocess.CompletedProcess[str]) -> float:
        """Mean of all, microseconds."""
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
        final = re.search(r"^Final:\s+(\d+)\s+[\d.]+\s+[\d.]+\s+([\d.]+)", done.stdout,
                          re.MULTILINE)
        assert final, done.stdout
        self.assertEqual(final[1], "200")
        return float(final[2])

    def test_messages_writes_and_atomics(self) -> None:
        # Who waits for a WRITE looks at memory between two empty polls.
        for test, transports, most in (("tag_lat", RC, 5), ("tag_lat", UD, 10),
                                       ("ucp_put_lat", RC, 5), ("ucp_fadd", RC, 10)):
            with self.subTest(test, transports=transports):
                mean = self.latency(pair(test, transports=transports))
                self.assertGreater(mean, ONE_WAY)
                self.assertLess(mean, most)

    def test_they_go_on_where_one_frame_in_a_hundred_is_lost(self) -> None:
        for transports in (RC, UD):
            with self.subTest(transports), tempfile.TemporaryDirectory() as folder:
                tape = f"{folder}/lost.tape"
                mean = self.latency(
                    pair("tag_lat", "--set", "system.link.loss=1 %", "--record-tape", tape,
                         transports=transports))
                self.assertGreater(pathlib.Path(tape).read_text().count("lost"), 0)
                self.assertGreater(mean, 10)  # whoever waits for a timeout


class Qperf(unittest.TestCase):
    def test_its_tests_of_rc_run(self) -> None:
        """Each takes a simulated second (setitimer), so the link is slow: 64 KiB are 524 us on its
        wire, and 200 us away. How much of the second the test has depends on when its two processes
        begin, so figures have one bound: the delay of the link, or its rate."""
        if shutil.which("qperf") is None:
            self.skipTest("qperf is not installed (Debian: qperf)")
        slow = ("--set", "system.link.rate=1 Gbps", "--set", "system.link.delay=200 us")
        fast, all_of_it = "least", "most"
        for test, printed, bound, value in (("rc_lat", "latency", fast, 200), ("rc_bw", "bw",
                                                                               all_of_it, 125),
                                            ("rc_rdma_read_lat", "latency", fast,
                                             200), ("rc_rdma_write_bw", "bw", all_of_it, 125),
                                            ("rc_compare_swap_mr", "msg_rate", all_of_it, 40)):
            with self.subTest(test):
                done = execute(
                    *slow, "--on", "a", "--", "timeout", "280", "qperf", "--on", "b", "--", "sh",
                    "-c",
                    f"timeout 250 qperf 127.0.0.1 -cm 1 -m 64K -t 1 {test} || exit 1; qperf "
                    "127.0.0.1 quit"
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                found = re.search(rf"^ +{printed} += +([\d.]+) (\S+)", done.stdout, re.MULTILINE)
                assert found, done.stdout
                figure = float(found[1]) * {
                    "ms": 1000,
                    "KB/sec": 0.001,
                    "/sec": 0.001
                }.get(found[2], 1)
                self.assertTrue(figure > value if bound == fast else 0 < figure < value,
                                done.stdout)
                ended = re.search(r"ends after ([\d.]+) us", done.stderr)
                assert ended, done.stderr
                self.assertTrue(1.0 <= float(ended[1]) * 1e-6 < 1.5, done.stderr)


if __name__ == "__main__":
    unittest.main()
