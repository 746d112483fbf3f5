#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the program tells of applications from outside: describe, explain, workloads, explore.

Environment: RNICSIM_BIN, the program.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SYSTEM = """
system:
  rnic: {profile: cx5_100g}
  host: {cpu: {profile: xeon_2018}, verbs: {notify: events}}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {client: {}, server: {}}
  links: [{between: [client, server]}]
run:
  repetitions: 1
  traffic:
"""
PLASMA = ("    - {name: %s, from: client, to: server, application: plasma, transfers: 5, "
          "size: 4 KiB, plasma: {protocol: %s}}\n")
BOTH = SYSTEM + PLASMA % ("stream", "socket") + PLASMA % ("verbs", "sendrecv")


def rnicsim(*arguments: Any) -> Any:
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


class Applications(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "both.yaml"
        self.file.write_text(BOTH, encoding="utf-8")

    def said(self, *arguments: Any, code: int = 0) -> str:
        result = rnicsim(*arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return str(result.stdout)


class CheckLines(Applications):
    def lines(self, *arguments: str) -> tuple[float, ...]:
        text = self.said("describe", self.file, *arguments)
        found = re.search(
            r"\nby the costs of client, server:\n  L1, .*: TCP ([\d.]+) us, SEND by interrupts "
            r"([\d.]+) us\n  L2, .*: sends ([\d.]+) Gb/s, receives ([\d.]+) Gb/s\n$", text)
        assert found is not None, text
        return tuple(float(value) for value in found.groups())

    def test_each_cost_is_in_its_line(self) -> None:
        stream, verbs, sends, receives = self.lines()
        # Each message of a stream has two calls, each SEND an event.
        later, same, *_ = self.lines("--set", "system.host.cpu.syscall=600 ns")
        self.assertAlmostEqual(later - stream, 1.0, places=2)
        self.assertEqual(same, verbs)
        same, later, *_ = self.lines("--set", "system.host.cpu.event_read=800 ns")
        self.assertAlmostEqual(later - verbs, 0.5, places=2)
        self.assertEqual(same, stream)
        # A segment of 45 frames took 13.3 us.
        *_, same, slower = self.lines("--set", "system.host.tcp.rx=4 us")
        self.assertEqual(same, sends)
        self.assertAlmostEqual(receives / slower, 15.3 / 13.3, places=2)

    def test_there_are_none_without_costs(self) -> None:
        self.assertNotIn("L1", self.said("describe", self.file, "--set",
                                         "system.host.cpu.profile=none"))


if __name__ == "__main__":
    unittest.main()
