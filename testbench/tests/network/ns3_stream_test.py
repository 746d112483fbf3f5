#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stream beside ns-3's TCP: the same messages take as many frames with payload, of as many bytes,
each way. What was said to ns-3 for that: testbench/oracles/ns3_stream.cpp.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Exit code 77, with the reason, where ns-3 is not
installed.
"""
import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ["RNICSIM_SOURCE_DIR"]) / "scripts"))
from rnicsim import ns3

BIN = os.environ["RNICSIM_BIN"]
HOLDER = tempfile.TemporaryDirectory()
FOLDER = Path(HOLDER.name)
ORACLE: dict[str, Any] = {}
ANSWER = 5  # "+OK" and its line end
ETHERNET = 14  # the FCS is not counted
ACK = 52  # IPv4, TCP and timestamps

SCENARIO = """system:
  rnic: {{profile: cx5_100g}}
  host.tcp: {{mtu: {mtu} B, window: {window} B}}
  link: {{rate: 100 Gbps, delay: 390.4 ns}}
  hosts: {{client: {{}}, server: {{}}}}
  links: [{{between: [client, server]}}]
run:
  repetitions: 1
  transfers: {count}
  application: kv
  traffic:
    - {{from: client, to: server, size: {value} B, depth: 1,
       kv: {{transport: tcp, operation: set}}}}
"""


def command(value: int) -> int:
    """Bytes of a SET with a key of 16."""
    return len(f"*3\r\n$3\r\nSET\r\n$16\r\n{'k' * 16}\r\n${value}\r\n") + value + 2


def ours(value: int, count: int, mtu: int, window: int) -> Any:
    """Frames with payload and bytes of their IPv4 packets, of who asks and who answers."""
    file = FOLDER / "stream.yaml"
    file.write_text(SCENARIO.format(value=value, count=count, mtu=mtu, window=window),
                    encoding="utf-8")
    subprocess.run([BIN, "run", file, "--out", FOLDER / "out", "--quiet", "--no-plot", "--fresh"],
                   check=True)
    with open(FOLDER / "out" / "summary.csv", encoding="utf-8", newline="") as stream:
        row = next(csv.DictReader(stream))
    found = []
    for host in ("client", "server"):
        frames, acks = int(row[f"{host}.ethernet.tx_frames"]), int(row[f"{host}.tcp.acks"])
        size = int(row[f"{host}.ethernet.tx_bytes"]) - frames * ETHERNET - acks * ACK
        found.append((frames - acks, size))
    return found


def theirs(value: int, count: int, mtu: int, window: int) -> Any:
    done = subprocess.run(
        [ORACLE["program"],
         str(mtu),
         str(window),
         str(ANSWER), *[str(command(value))] * count], capture_output=True, text=True, check=True)
    return [tuple(int(word) for word in line.split()[1:]) for line in done.stdout.splitlines()]


def setUpModule() -> None:
    ORACLE["program"] = ns3.build("testbench/oracles/ns3_stream.cpp", FOLDER)


def tearDownModule() -> None:
    HOLDER.cleanup()


class Streams(unittest.TestCase):

    def test_frames_and_bytes_of_messages(self) -> None:
        for mtu in (576, 1500, 4000):
            segment = mtu - ACK
            head = command(segment) - segment
            for value in (1, segment - head, segment - head + 1, 65536, 1_000_000):
                with self.subTest(mtu=mtu, value=value):
                    found = ours(value, 3, mtu, 4 << 20)
                    self.assertEqual(found, theirs(value, 3, mtu, 4 << 20))
                    self.assertEqual(found[1], (3, 3 * (ACK + ANSWER)))

    def test_a_frame_less_is_noticed(self) -> None:
        self.assertNotEqual(ours(100_000, 3, 1500, 1 << 20), theirs(100_000, 2, 1500, 1 << 20))


if __name__ == "__main__":
    if not ns3.installed():
        print(f"left out: the comparison of streams with ns-3, because {ns3.MISSING}")
        sys.exit(77)
    unittest.main()
