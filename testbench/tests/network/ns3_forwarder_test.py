#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The switch beside ns-3: the same frames, through a forwarder of ns-3's devices and queues, arrive
at the same picosecond, and the same ones are dropped. What had to be said to ns-3 for that, and
why: testbench/oracles/ns3_forwarder.cpp.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Exit code 77, with the reason, where ns-3 is not
installed.
"""
import dataclasses
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ["RNICSIM_SOURCE_DIR"]) / "scripts"))
from rnicsim import forwarding, ns3
from rnicsim.forwarding import Star

BIN = os.environ["RNICSIM_BIN"]
GIGABIT = ("1 Gbps", "40 ns")
HOLDER = tempfile.TemporaryDirectory()
FOLDER = Path(HOLDER.name)
ORACLE = {}

# Frames of 1,074 B take 8.752 us with preamble and gap.
UNDERLOAD = Star({
    "sink": (1, *GIGABIT),
    "source": (4, *GIGABIT)
}, [{
    "from": "source",
    "to": "sink",
    "size": "1056 B",
    "transfers": 1000,
    "think": "50 us"
}])
OVERLOAD = Star({
    "sink": (1, *GIGABIT),
    "source": (4, *GIGABIT)
}, [{
    "from": "source",
    "to": "sink",
    "size": "1056 B",
    "transfers": 1000,
    "think": "17.504 us"
}], queue_limit="16 KiB")
# All sources begin at once and send without a pause, so that frames always come together.
TOGETHER = Star({
    "sink": (1, *GIGABIT),
    "source": (3, *GIGABIT)
}, [{
    "from": "source",
    "to": "sink",
    "size": "1056 B",
    "transfers": 1500
}], queue_limit="16 KiB")
# ... and a frame arrives when another one's last bit leaves: a latency of the gap.
MAKES_ROOM = dataclasses.replace(TOGETHER, latency="96 ns", queue_limit="3222 B")
SIZES = (46, 47, 110, 238, 494, 1006, 1500)  # MAC client data: frames of 64 to 1,518 B
MIXED = Star({"host": (5, *GIGABIT)}, [{
    "from": "host",
    "to": "host",
    "size": f"{size} B",
    "transfers": 200,
    "think": "30 us"
} for size in SIZES], queue_limit="4 KiB")
RATES = Star(
    {
        "sink": (2, "25 Gbps", "504 ns"),
        "fast": (3, "100 Gbps", "96 ns"),
        "slow": (2, "2.5 Gbps", "40 ns")
    }, [{
        "from": "fast",
        "to": "sink",
        "size": "1500 B",
        "transfers": 800,
        "think": "304 ns"
    }, {
        "from": "slow",
        "to": "sink",
        "size": "46 B",
        "transfers": 300,
        "think": "400 ns"
    }, {
        "from": "sink",
        "to": "slow",
        "size": "600 B",
        "transfers": 300,
        "think": "1 us"
    }, {
        "from": "fast",
        "to": "slow",
        "size": "300 B",
        "transfers": 300,
        "pace": "1 Gbps"
    }], latency="304 ns", queue_limit="20 KiB")


def setUpModule() -> None:
    ORACLE["program"] = ns3.build("testbench/oracles/ns3_forwarder.cpp", FOLDER)


def tearDownModule() -> None:
    HOLDER.cleanup()


class Forwarded(unittest.TestCase):
    def both(self, star: Any, seed: int = 1, other: Any = None) -> Any:
        """Frames of both, what ns-3's queues held at most, and our counters. `other`: what ns-3 is
        told."""
        ours, counters = forwarding.simulate(BIN, star, FOLDER, seed)
        theirs, most = forwarding.forward(ORACLE["program"], other or star, ours, FOLDER)
        return ours, theirs, most, counters

    def compare(self, star: Any, frames: Any, dropped: Any, seeds: Any = (1, 2, 3)) -> None:
        """`dropped`: least and most share."""
        for seed in seeds:
            with self.subTest(seed=seed):
                ours, theirs, most, counters = self.both(star, seed)
                self.assertIsNone(forwarding.first_difference(ours, theirs))
                self.assertEqual(len(ours), frames)
                lost = sum(frame.arrived is None for frame in ours)
                self.assertTrue(dropped[0] <= lost / frames <= dropped[1],
                                f"{lost} of {frames} frames are dropped")
                self.assertEqual(
                    sum(int(counters[f"s0.{group}.dropped_queue_limit"]) for group in star.hosts),
                    lost)
                for group in star.hosts:
                    highest = max(most[name] for name in most if name.rstrip("0123456789") == group)
                    self.assertEqual(int(counters[f"s0.{group}.queue_high_water"]), highest, group)

    def test_less_than_the_port_carries(self) -> None:
        self.compare(UNDERLOAD, 4000, (0, 0))

    def test_twice_what_the_port_carries(self) -> None:
        self.compare(OVERLOAD, 4000, (0.45, 0.55))

    def test_frames_that_come_together(self) -> None:
        self.compare(TOGETHER, 4500, (0.6, 0.7), seeds=(1,))

    def test_room_made_in_the_instant_of_an_arrival(self) -> None:
        self.compare(MAKES_ROOM, 4500, (0.6, 0.7), seeds=(1,))

    def test_all_sizes_between_all_hosts(self) -> None:
        self.compare(MIXED, 7000, (0.01, 0.5))

    def test_ports_of_other_rates(self) -> None:
        self.compare(RATES, 4500, (0.01, 0.5))


class Noticed(unittest.TestCase):
    """What is wrong on one side is said, with the first frame that shows it."""

    both: Any = Forwarded.both

    def test_a_latency_of_8_ns_more(self) -> None:
        ours, theirs, _, _ = self.both(UNDERLOAD,
                                       other=dataclasses.replace(UNDERLOAD, latency="2.008 us"))
        first = ours[0]
        self.assertEqual(
            forwarding.first_difference(ours, theirs),
            f"{first}: rnicsim: begins at {first.ready} ps and arrives at sink at "
            f"{first.ready + 19_392_000} ps; "
            f"ns-3: begins at {first.ready} ps and arrives at sink at {first.ready + 19_400_000} ps"
        )

    def test_a_queue_with_a_byte_less(self) -> None:
        # Three frames of 1,074 B fit into 3,222 B.
        ours, theirs, _, _ = self.both(MAKES_ROOM,
                                       other=dataclasses.replace(MAKES_ROOM, queue_limit="3221 B"))
        self.assertEqual(
            forwarding.first_difference(ours, theirs),
            f"{ours[2]}: rnicsim: begins at {ours[2].begin} ps and arrives at sink at "
            f"{ours[2].arrived} ps; ns-3: begins at {ours[2].begin} ps and is dropped"
        )

    def test_a_frame_to_somebody_else(self) -> None:
        ours, _ = forwarding.simulate(BIN, MIXED, FOLDER)
        wrong = [
            dataclasses.replace(
                ours[0], receiver=next(f"host{i}" for i in range(5)
                                       if f"host{i}" not in (ours[0].receiver, ours[0].sender))),
            *ours[1:]
        ]
        theirs, _ = forwarding.forward(ORACLE["program"], MIXED, wrong, FOLDER)
        self.assertIn(f"arrives at {wrong[0].receiver} at",
                      forwarding.first_difference(ours, theirs))

    def test_without_ns3_the_reason_is_said(self) -> None:
        """A compiler that finds no header."""
        compiler = FOLDER / "g++"
        compiler.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        compiler.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", __file__], capture_output=True, text=True,
                              check=False, env={
                                  **os.environ, "PATH": f"{FOLDER}:{os.environ['PATH']}"
                              })
        self.assertEqual((done.returncode, done.stderr), (77, ""))
        self.assertRegex(
            done.stdout,
            "^left out: the comparison of the switch with ns-3, because ns-3 is not installed .*\n$"
        )


if __name__ == "__main__":
    if not ns3.installed():
        print(f"left out: the comparison of the switch with ns-3, because {ns3.MISSING}")
        sys.exit(77)
    unittest.main()
