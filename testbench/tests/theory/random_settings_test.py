#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How exact is the closed form on hosts and RNICs of all kinds, on a link or over switches? Where
it claims a time, the simulated one is within 10 %, and mostly equal.

Environment: RNICSIM_BIN. RNICSIM_SETTINGS=N draws so many settings, not 150.
"""

import csv
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SETTINGS = int(os.environ.get("RNICSIM_SETTINGS", "150"))
TOLERANCE = 0.10
EQUAL = 1e-4  # us: far below a cycle


def cycles(rng: Any, least: Any, most: int) -> str:
    """As many small times as large ones."""
    return f"{8 * int(least * (most / least) ** rng.random())} ns"


def settings(rng: Any) -> Any:
    drawn = {
        "system.rnic.drp.decision": cycles(rng, 1, 400),
        "system.rnic.gmac.interpacket_gap": cycles(rng, 12, 300),
        "system.rnic.gmac.tx_latency": cycles(rng, 1, 60),
        "system.rnic.gmac.rx_latency": cycles(rng, 1, 60),
        "system.rnic.frame_filter.latency": cycles(rng, 1, 60),
        "system.rnic.drp.segment": f"{rng.choice((1, 46, 100, 512, 1000, 1024, 1468))} B",
        "system.rnic.drp.window": rng.choice((1, 2, 8, 64)),
        "system.rnic.pcie.latency": cycles(rng, 1, 400),
        "system.rnic.pcie.generation": rng.choice((1, 2, 3)),
        "system.rnic.pcie.lanes": rng.choice((1, 2, 4, 8)),
        "system.rnic.pcie.max_payload": f"{rng.choice((128, 256, 512))} B",
        "system.rnic.pcie.max_read_request": f"{rng.choice((512, 4096))} B",
        "system.rnic.pcie.request_overhead": cycles(rng, 1, 60),
        "system.host.memory.latency": cycles(rng, 1, 200),
        "system.host.memory.bandwidth": f"{rng.choice((200, 400, 1600, 6400))} MB/s",
        "system.host.registration.base_cost": cycles(rng, 1, 5000),
        "system.host.registration.page_cost": cycles(rng, 1, 100),
        "system.host.software.interrupt_latency": cycles(rng, 1, 1000),
        "system.host.software.event_cost": cycles(rng, 1, 300),
        "system.host.software.command_cost": cycles(rng, 1, 200),
        "system.link.delay": cycles(rng, 1, 1000)
    }
    chosen = {key: value for key, value in drawn.items() if rng.random() < 0.5}
    return {
        **chosen, "run.size": f"{rng.choice((1, 7, 64, 1000, 1025, 5000, 16384, 40000))} B",
        "run.operation": rng.choice(("write", "read")),
        "run.methods": rng.choice(("[traditional]", "[dynamic]")),
        "run.transfers": 3,
        "run.repetitions": 1
    }


def network(rng: Any) -> Any:
    """Two hosts with up to three switches between them, as YAML; picoseconds where there may be."""
    switches = [f"s{i}" for i in range(rng.randint(1, 3))]
    nodes = ["left", *switches, "right"]
    lines = ["system:", "  hosts: {left: {}, right: {}}", "  switches:"]
    lines += [
        f"    {name}: {{latency: {rng.randint(8_000, 5_000_000)} ps, table: "
        f"{rng.choice(('static', 'learning'))}}}"
        for name in switches
    ]
    lines.append("  links:")
    for one, other in zip(nodes, nodes[1:]):
        inner = one in switches and other in switches
        rate = rng.choice(("1 Gbps", "2.5 Gbps", "10 Gbps", "25 Gbps", "40 Gbps",
                           "100 Gbps")) if inner else "1 Gbps"
        lines.append(
            f"    - {{between: [{one}, {other}], rate: {rate}, delay: "
            f"{rng.randint(8_000, 5_000_000)} ps}}"
        )
    return "\n".join([*lines, "run: {traffic: [{from: left, to: right}]}", ""])


class RandomSettings(unittest.TestCase):
    def test_the_closed_form_is_close(self) -> None:
        rng, off = random.Random(1), []
        with tempfile.TemporaryDirectory(prefix="rnicsim_theory_") as name:
            scenario = Path(name) / "scenario.yaml"
            for i in range(SETTINGS):
                keys, text = settings(rng), "run: {}\n"
                if i % 3 == 2:
                    text = network(rng)
                    keys.pop("system.link.delay", None)
                scenario.write_text(text, encoding="utf-8")
                words = [
                    word for key, value in keys.items() for word in ("--set", f"{key}={value}")
                ]
                done = subprocess.run([
                    BIN, "run", scenario, *words, "--out",
                    Path(name) / "out", "--no-plot", "--quiet"
                ], capture_output=True, text=True, timeout=120, check=False)
                if done.returncode == 2 and ": found " in done.stderr:
                    continue  # refused
                self.assertEqual(done.returncode, 0, done.stderr)
                row = next(
                    csv.DictReader((Path(name) / "out" /
                                    "summary.csv").read_text(encoding="utf-8").splitlines()))
                if row["theory_us"]:
                    theory, simulated = float(row["theory_us"]), float(row["mean_us"])
                    off.append(0 if abs(simulated - theory) < EQUAL else abs(simulated / theory -
                                                                             1))
                    self.assertLess(
                        off[-1], TOLERANCE,
                        f"{simulated} us, and the closed form says {theory}: "
                        f"{text}{' '.join(map(str, words))}"
                    )
        print(
            f"{SETTINGS} settings, {len(off)} of them with a closed form: {off.count(0)} equal to "
            "the cycle, "
            f"{sum(each < 0.01 for each in off)} within 1 %, the farthest off by {max(off):.1%}")
        self.assertGreater(len(off), SETTINGS // 6)
        self.assertGreater(off.count(0), len(off) // 3)


if __name__ == "__main__":
    unittest.main()
