#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim cosim`: random scenarios with models and with Verilog, event by event; and what it says
of a difference.

RNICSIM_COSIM_SCENARIOS: how many random scenarios [50, of the commit's seed; with RNICSIM_ALL=1:
1000]; more for a night.
RNICSIM_COSIM_DIRECTED: how many of the directed ones [all]."""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from rnicsim import sampling

PROGRAM = os.environ["RNICSIM_BIN"]
COUNT = int(os.environ.get("RNICSIM_COSIM_SCENARIOS", "1000" if sampling.wants_all() else "50"))
DIRECTED_COUNT = int(
    os.environ["RNICSIM_COSIM_DIRECTED"]) if "RNICSIM_COSIM_DIRECTED" in os.environ else None
FIRST = sampling.seed_of_commit()

DIRECTED = Path(__file__).resolve().parents[1] / "corpus" / "cosim"
LIMITS = (128, 256, 512, 1024, 2048, 4096)


def cosim(scenario: str | Path, *arguments: str | Path) -> Any:
    return subprocess.run([PROGRAM, "cosim", scenario, *arguments], capture_output=True, text=True,
                          timeout=300, check=False)


def random_link(seed: int) -> Any:
    """What else goes wrong on the link, in half of the scenarios. Draws of its own: the other half
    stays what it was."""
    draw = random.Random(f"link {seed}")
    if draw.random() < 0.5:
        return ""

    def some() -> int:
        return draw.choice([0, 0, 3, 20])

    words = [
        f"corruption: {some()} %", f"duplication: {some()} %", f"reordering: {some()} %",
        f"lateness: {draw.choice([8, 800, 20000])} ns", f"delay_variation: {some()} %",
        f"jitter: {draw.choice([8, 800, 5000])} ns"
    ]
    if draw.random() < 0.3:
        words += ["loss_process: gilbert_elliott", "burst: {begin: 5 %, end: 20 %, loss: 80 %}"]
    if draw.random() < 0.3:
        words += ["down: {probability: 50 %, period: 0.3 ms, duration: 0.06 ms}"]
    return ", " + ", ".join(words)


def without_unread(text: str) -> Any:
    """Without the keys of what is off, which the reader would refuse."""
    if "duplication: 0 %, reordering: 0 %" in text:
        text = re.sub(r" lateness: \d+ ns,", "", text)
    if "delay_variation: 0 %" in text:
        text = re.sub(r", jitter: \d+ ns", "", text)
    if "failure: 0 %" in text:
        text = text.replace(", retry_interval: 0.1 ms", "")
    # the other end is dynamic, and has to answer for what only such a one reads
    if "method: traditional" in text:
        text = re.sub(r"direction: \w+", "direction: both", text)
    if "sizes: []" in text:
        text = re.sub(r"ordinary_share: \d+ %, ", "",
                      text.replace(", ping: {sizes: [], interval: 0.05 ms}", ""))
    return text


def random_scenario(seed: Any) -> Any:
    """A few transfers of a few frames, under faults of all kinds, with Verilog in some places."""
    draw = random.Random(seed)
    segment = draw.choice([1, 17, 46, 256, 768, 1000, 1024, 1468])
    frames = draw.randint(1, 12)
    short = draw.randint(1, min(segment, 30))  # the last frame; or of any length
    size = draw.choice(
        [segment * (frames - 1) + short,
         max(1, segment * frames - draw.randint(0, segment - 1))])

    def probability() -> Any:
        return draw.choice([0, 0, 2, 10, 30, 60])

    pings = draw.choice(["[]", "[]", "[46 B]", "[64 B, 1500 B]"])
    places = draw.choice([{"": "rtl"}, {"a": "rtl"}, {"b": "rtl"}])
    blocks = draw.choice([["gmac"], ["frame_filter"], ["transport_controller"], ["indirect_buffer"],
                          ["dma_engine"], ["rnic"], ["rnic_core"], ["rnic_core"],
                          ["rnic", "rnic_core"]])
    # The core's DMA engine queues, and its payload moves at 8 bytes a cycle: rtl/README.md.
    core = "rnic_core" in blocks
    generation, lanes = draw.choice([(1, 1), (1, 2), (2, 1)] if core else [(1,
                                                                            1), (1,
                                                                                 4), (2,
                                                                                      8), (3,
                                                                                           1), (3,
                                                                                                8)])
    overhead = draw.choice([8, 10, 10, 255] if core else [2, 10, 10, 255])
    buffer = draw.choice([segment, 3 * segment, min(48 * 1024, 64 * ((segment + 7) // 8 * 8))])
    lines = [f"  {block}: rtl" for block in blocks] if "" in places else [
        f"  {end}: {{{', '.join(f'{block}: rtl' for block in blocks)}}}" for end in places]
    return without_unread("\n".join([
        "system:",
        f"  link: {{loss: {probability()} %, delay: {8 * draw.choice([1, 5, 200])} "
        f"ns{random_link(seed)}}}",
        f"  host: {{registration: {{failure: {probability()} %, retry_interval: 0.1 ms}}, ping: "
        f"{{sizes: {pings}, interval: 0.05 ms}}, "
        f"software: {{command_cost: {8 * draw.randint(1, 66)} ns}}}}",
        *list[str](draw.choice([
            [],
            [
                f"  {draw.choice('ab')}: {{rnic: {{pcie: {{request_overhead: 2040 ns}}, drp: "
                f"{{window: 2, rx_buffer: "
                f"{draw.choice([1518, 8 * 1518])} B}}}}}}"
            ],
            [
                f"  {draw.choice('ab')}: {{rnic: {{drp: {{method: "
                f"{draw.choice(['traditional', 'dynamic'])}}}}}}}"
            ]
        ])),
        "  rnic:",
        f"    pcie: {{generation: {generation}, lanes: {lanes}, tags: "
        f"{draw.choice([1, 2, 5, 32])}, max_payload: {draw.choice(LIMITS)} B, "
        f"max_read_request: {draw.choice(LIMITS)} B, request_overhead: {8 * overhead} ns}}",
        f"    drp: {{segment: {segment} B, window: {draw.choice([1, 2, 3, 8, 8])}, "
        "indirect_buffer: "
        f"{max(-(-segment // 8) * 8, buffer)} B, retransmission: "
        f"{draw.choice(['selective_repeat', 'go_back_n'])},",
        f"                request_timer: {draw.choice([0.02, 0.1, 0.2])} ms, data_timer: "
        f"{draw.choice([0.02, 0.1])} ms, release_timer: "
        f"{draw.choice([0.02, 0.1])} ms, idle_timeout: 4 ms, max_requests: "
        f"{draw.choice([2, 6, 16])},",
        f"                max_retransmissions: {draw.choice([2, 16])}, indirect_after_timeouts: "
        f"{draw.choice([1, 2, 3])}, "
        f"duplicate_acks: {draw.choice([0, 1, 3])}, resume_on_valid_ack: "
        f"{draw.choice(['true', 'true', 'false'])},",
        f"                ordinary_share: {draw.choice([0, 25, 25, 100])} %, tx_buffer: "
        f"{draw.choice([1518, 5000, 22528])} B}}",
        "simulation:",
        f"  seed: {seed}",
        *lines,
        "run:",
        f"  size: {size} B",
        f"  transfers: {draw.choice([1, 2, 4, 12])}",
        f"  in_flight: {draw.choice([1, 1, 3, 12])}",
        f"  operation: {draw.choice(['write', 'read', 'alternate'])}",
        f"  direction: {draw.choice(['a_to_b', 'b_to_a', 'both'])}",
        "  repetitions: 1",
    ]) + "\n")


class Cosim(unittest.TestCase):
    def test_random_scenarios(self) -> None:
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(
                os.cpu_count()) as pool:
            def one(seed: int) -> Any:
                file = Path(folder) / f"random{seed}.yaml"
                file.write_text(random_scenario(seed), encoding="utf-8")
                done = cosim(file)
                if done.returncode != 0:
                    return f"{file.read_text(encoding='utf-8')}\n{done.stdout}{done.stderr}"
                return int(re.search(r"([\d,]+) events equal", done.stdout)[1].replace(",", ""))
            events = 0
            seeds = range(FIRST, FIRST + COUNT)
            for seed, result in zip(seeds, pool.map(one, seeds)):
                self.assertIsInstance(
                    result, int,
                    f"random scenario {seed} (RNICSIM_SEED={seed} begins with it):\n{result}")
                events += result
        self.assertGreater(events, 100 * COUNT)
        print(
            f"\nsampled: {COUNT} random scenarios of cosim_test from seed {FIRST}, {events:,} "
            "events equal; with --all more"
        )

    def test_directed_scenarios(self) -> None:
        files = sampling.drawn(sorted(DIRECTED.glob("*.yaml")),
                               argparse.Namespace(all=False, seed=None, sample=DIRECTED_COUNT),
                               "directed scenarios of cosim_test")
        self.assertTrue(files)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(cosim, files))
        for file, done in zip(files, results):
            self.assertEqual(done.returncode, 0, f"{file.name}:\n{done.stdout}{done.stderr}")

    def scenario(self, folder: str | Path, text: str) -> Any:
        file = Path(folder) / "small.yaml"
        file.write_text(text + "run: {size: 3 KiB, transfers: 2, repetitions: 1}\n",
                        encoding="utf-8")
        return file

    def test_all_blocks_where_none_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = cosim(self.scenario(folder, ""))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout,
            r"events equal in 2 runs; a: gmac rtl, frame_filter rtl, transport_controller rtl, "
            r"indirect_buffer rtl, dma_engine rtl, rnic_core rtl; b: gmac rtl, [^\n]*, rnic_core "
            r"rtl\n$"
        )

    def test_what_verilog_cannot_do_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = cosim(
                self.scenario(
                    folder,
                    "simulation: {a: {gmac: rtl}}\nsystem: {a: {rnic: {gmac: {tx_latency: 40 "
                    "ns}}}}\n"
                ))
            self.assertEqual(done.returncode, 2)
            self.assertRegex(
                done.stderr,
                r"small.yaml:2:\d+: system.a.rnic.gmac.tx_latency: found '40 ns', expected what "
                r"simulation.gmac \(rtl\) has built in: 32 ns")
            for overhead in ("8 ns", "2.048 us"):
                done = cosim(
                    self.scenario(
                        folder, "simulation: {b: {dma_engine: rtl}}\n"
                        f"system: {{rnic: {{pcie: {{request_overhead: {overhead}}}}}}}\n"))
                self.assertEqual(done.returncode, 2)
                self.assertRegex(
                    done.stderr,
                    rf"small.yaml:2:\d+: system.rnic.pcie.request_overhead: found '{overhead}', "
                    r"expected "
                    r"what simulation.dma_engine \(rtl\) has built in: 16 ns .. 2.04 us")
            done = cosim(self.scenario(folder, "simulation: {gmac: rlt}\n"))
            self.assertEqual(done.returncode, 2)
            self.assertIn("did you mean", done.stderr)

    def test_what_has_no_verilog_is_refused_in_one_line(self) -> None:
        """Of RoCEv2 RNICs other blocks are, by keys of their own."""
        done = cosim(Path(__file__).resolve().parents[3] / "scenarios" / "verbs" / "latency.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(
            done.stderr,
            r"^error: [^\n]*latency.yaml: no host has a DRP RNIC, expected one, or of a RoCEv2 "
            r"card system.rnic.rc.simulated_by: {icrc: rtl}, or another block that it names\n$"
        )
        with tempfile.TemporaryDirectory() as folder:
            done = cosim(self.scenario(folder, "system: {rnic: {gmac: {tx_latency: 40 ns}}}\n"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(
            done.stderr,
            r"^error: the scenario puts no block in Verilog, [^\n\\]* --set simulation.gmac=rtl: "
            r"[^\n\\]*: found '40 ns', [^\n\\]*\n$"
        )

    def test_it_runs_without_comparison_too(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for blocks in ("model", "rtl"):
                file = self.scenario(folder,
                                     f"simulation: {{gmac: {blocks}, frame_filter: {blocks}}}\n")
                done = subprocess.run(
                    [PROGRAM, "run", file, "--no-plot", "--out",
                     Path(folder) / blocks], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                results.append((Path(folder) / blocks / "summary.csv").read_bytes())
        self.assertEqual(*results)


if __name__ == "__main__":
    unittest.main()
