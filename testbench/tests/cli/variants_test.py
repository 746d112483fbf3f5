#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Variants from the scenario to every product: tables, CSV files, plots, report, comparison,
shards, a single run. Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR."""

import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SCENARIO = SOURCE / "scenarios" / "verbs" / "recovery.yaml"
SMALL = ("--set", "run.transfers=20", "--set", "run.repetitions=3")


def call(*arguments: Any) -> Any:
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          check=False)


def rows_of(file: Any) -> Any:
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


class Variants(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_variants_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.out = self.folder / "out"

    def good(self, *arguments: str | Path) -> Any:
        done = call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_small(self, *more: Any) -> Any:
        return self.good("run", SCENARIO, *SMALL, "--out", self.out, "--transfers-csv", *more)

    def test_tables_and_files_have_the_names(self) -> None:
        table = self.run_small("--no-plot")
        self.assertIn("gain (goodput_gbps)", table)
        self.assertIn("p99 selective", table)
        self.assertIn("Mmsg/s selective", table)
        summary = rows_of(self.out / "summary.csv")
        self.assertEqual([row["variant"] for row in summary], 3 * ["go_back", "selective"])
        self.assertNotIn("method", summary[0])
        for back, only in zip(summary[::2], summary[1::2]):
            self.assertEqual(back["gain"], "")
            self.assertNotEqual(only["gain"], "")
        self.assertEqual({row["variant"]
                          for row in rows_of(self.out / "transfers.csv")}, {"go_back", "selective"})
        manifest = json.loads((self.out / "manifest.json").read_text(encoding="utf-8"))["scenario"]
        self.assertEqual(manifest["variants"], ["go_back", "selective"])
        self.assertEqual(manifest["compare"], {
            "base": "go_back",
            "against": "selective",
            "of": "goodput_gbps"
        })

    def test_the_gain_is_that_of_each_pair_of_repetitions(self) -> None:
        self.run_small("--no-plot")
        rates: dict[Any, Any] = {}
        for row in rows_of(self.out / "transfers.csv"):
            of = rates.setdefault((row["point"], row["variant"], row["repetition"]),
                                  [1 << 62, 0, 0])
            of[0], of[1] = min(of[0], int(row["start_ps"])), max(of[1], int(row["end_ps"]))
            of[2] += int(row["bytes"])
        goodput = {key: 8000 * size / (end - start) for key, (start, end, size) in rates.items()}
        for row in rows_of(self.out / "summary.csv"):
            if row["variant"] == "selective":
                gains = [
                    goodput[row["point"], "selective", str(r)] /
                    goodput[row["point"], "go_back", str(r)] - 1 for r in range(3)
                ]
                self.assertAlmostEqual(float(row["gain"]), sum(gains) / 3, places=5)

    def test_plots_and_report_say_who_gains(self) -> None:
        self.run_small()
        self.assertIn("gain of selective", (self.out / "plot.svg").read_text(encoding="utf-8"))
        self.good("report", self.out)
        page = (self.out / "report.html").read_text(encoding="utf-8")
        self.assertIn(">variant<", page)
        self.assertIn("gain of selective", page)
        self.assertNotIn("dynamic", page)

    def test_one_run_of_a_variant(self) -> None:
        events = self.folder / "events.csv"
        said = self.good("run", SCENARIO, *SMALL, "--out", self.out, "--no-plot", "--events",
                         events, "--observe-run", "p001_selective_r2")
        self.assertIn("of run p001_selective_r2", said)
        ladder = self.good("explain", SCENARIO, *SMALL, "--run", "p002_go_back_r0", "--transfer",
                           "a.q0.3")
        self.assertIn("run p002_go_back_r0", ladder)
        self.assertIn("run p000_selective_r0",
                      self.good("explain", SCENARIO, *SMALL, "--transfer", "a.q0.3"))
        self.assertIn(
            "p000_go_back_r0 .. p002_selective_r2",
            call("explain", SCENARIO, *SMALL, "--run", "p000_dynamic_r0", "--transfer",
                 "a.q0.3").stderr)

    def test_shards_and_comparison(self) -> None:
        self.run_small("--no-plot")
        shards = [self.folder / f"share{i}" for i in (1, 2)]
        for i, share in enumerate(shards, 1):
            self.good("run", SCENARIO, *SMALL, "--out", share, "--shard", f"{i}/2", "--quiet")
        self.good("merge", SCENARIO, *SMALL, *shards, "--out", self.folder / "merged", "--no-plot",
                  "--transfers-csv")
        self.assertEqual((self.folder / "merged" / "summary.csv").read_bytes(),
                         (self.out / "summary.csv").read_bytes())
        self.assertIn("equal: ", self.good("compare", self.out, self.folder / "merged"))

    def test_each_variant_is_the_scenario_that_sets_its_keys(self) -> None:
        self.run_small("--no-plot")
        alone = self.folder / "alone"
        text = SCENARIO.read_text(encoding="utf-8").replace(
            "    go_back: {system.rnic.rc.retransmission: go_back_n}\n",
            "").replace("  compare: {of: goodput_gbps}\n", "")
        file = self.folder / "recovery.yaml"
        file.write_text(text, encoding="utf-8")
        self.good("run", file, *SMALL, "--out", alone, "--no-plot")
        pairs = zip(
            [row for row in rows_of(self.out / "summary.csv") if row["variant"] == "selective"],
            rows_of(alone / "summary.csv"))
        for both, one in pairs:
            self.assertEqual(
                {key: value
                 for key, value in both.items() if not key.startswith("gain")},
                {key: value
                 for key, value in one.items() if not key.startswith("gain")})


if __name__ == "__main__":
    unittest.main()
