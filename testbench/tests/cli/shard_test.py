#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shards and their merge from outside: several programs at once, one folder or many, killed ones,
and every message.

Environment and use as of cli_test.py, whose helpers these tests share.
"""

import json
import signal
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any

import cli_test
from cli_test import BIN, SECONDS, CliTest, rnicsim


def setUpModule() -> None:
    cli_test.setUpModule()


class ShardTest(CliTest):
    def options(self, out: Path, *arguments: Any, transfers: Any = 3, seeds: int = 3) -> Any:
        """A sweep of 3 seeds x 2 methods x 2 repetitions, as the options that run, sweep and merge
        share."""
        axis = f"simulation.seed=1..{seeds}:1"
        base = cli_test.BASE
        small = [text for text in base.small(transfers)]
        return [str(base.file), "--axis", axis, "--out", str(out), *small, *arguments]

    def start(self, out: Any, shard: Any, **options: Any) -> Any:
        return subprocess.Popen(
            [BIN, "sweep", *self.options(out, "--shard", shard, "--jobs", "1", **options)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def simulate(self, out: str | Path, *shards: Any, **options: Any) -> None:
        """All at once, as on a cluster."""
        for process in [self.start(out, shard, **options) for shard in shards]:
            _, errors = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 0, errors)

    def whole(self, **options: Any) -> Any:
        out = self.folder / "whole"
        self.expect(0, rnicsim("sweep", *self.options(out, "--transfers-csv", **options)))
        return out

    def expect_same(self, out: Path, whole: Any) -> None:
        for name in ("summary.csv", "transfers.csv"):
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes(), name)


class Merging(ShardTest):
    def test_shards_at_once_in_one_folder(self) -> None:
        whole, out = self.whole(), self.folder / "out"
        for count in (1, 2, 3):
            with self.subTest(shards=count):
                self.simulate(out, *(f"{i + 1}/{count}" for i in range(count)))
                result = self.expect(0, rnicsim("merge", *self.options(out, "--transfers-csv")))
                self.expect_same(out, whole)
                self.assertRegex(result.stdout,
                                 r"\n12 runs merged, of \d shards? that took [\d.]+ s together\n$")

    def test_shards_in_folders_of_their_own(self) -> None:
        whole, out = self.whole(), self.folder / "out"
        folders = [self.folder / name for name in "abc"]
        for i, folder in enumerate(folders):
            self.simulate(folder, f"{i + 1}/3")
        self.expect(0, rnicsim("merge", *self.options(out, "--transfers-csv"), *folders))
        self.expect_same(out, whole)
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["shards"]["count"], 3)
        each = manifest["shards"]["each"]
        self.assertEqual([shard["shard"] for shard in each], ["1/3", "2/3", "3/3"])
        self.assertEqual(manifest["cost"]["jobs"], 3)
        self.assertEqual(manifest["cost"]["resumed_runs"], 12)
        self.assertAlmostEqual(manifest["cost"]["wall_seconds"],
                               sum(shard["wall_seconds"] for shard in each))
        single = json.loads((whole / "manifest.json").read_text(encoding="utf-8"))
        self.assertNotIn("shards", single)
        for part in ("scenario", "reference", "program"):
            self.assertEqual(manifest[part], single[part])

    def test_what_a_shard_prints(self) -> None:
        out = self.folder / "out"
        result = self.expect(0, rnicsim("sweep", *self.options(out, "--shard", "2/5")))
        self.assertRegex(
            result.stdout,
            r"^shard 2/5 of \w+: 3 of 12 runs, kept in \S+/out/runs; `rnicsim merge` makes "
            r"the results of all shards\n3 runs in ")
        self.assertEqual(result.stderr, "")
        quiet = self.expect(0, rnicsim("sweep", *self.options(out, "--shard", "1/5", "--quiet")))
        self.assertEqual(quiet.stdout + quiet.stderr, "")
        self.assertFalse((out / "summary.csv").exists())

    def test_a_sharded_folder_can_be_completed_by_a_plain_run(self) -> None:
        whole, out = self.whole(), self.folder / "out"
        self.simulate(out, "2/2")
        result = self.expect(0, rnicsim("sweep", *self.options(out, "--transfers-csv")))
        self.assertIn("6 runs finished before", result.stdout)
        self.expect_same(out, whole)

    def test_a_killed_shard_continues(self) -> None:
        transfers = 50
        for attempt in range(8):
            out = self.folder / f"attempt{attempt}"
            with self.start(out, "1/2", transfers=transfers) as process:
                deadline = time.monotonic() + SECONDS
                while (process.poll() is None and len(list(out.glob("runs/*.json"))) < 2
                       and time.monotonic() < deadline):
                    time.sleep(0.002)
                process.kill()
            if process.returncode == -signal.SIGKILL:
                break
            transfers *= 3
        else:
            self.fail("the shard was always over before it could be killed")
        self.simulate(out, "2/2", transfers=transfers)
        finished = {file: file.stat().st_mtime_ns for file in out.glob("runs/*.json")}
        self.expect(3, rnicsim("merge", *self.options(out, transfers=transfers)))
        self.assertFalse((out / "summary.csv").exists())
        self.simulate(out, "1/2", transfers=transfers)
        self.expect(0, rnicsim("merge", *self.options(out, "--transfers-csv", transfers=transfers)))
        self.assertEqual(finished, {file: file.stat().st_mtime_ns
                                    for file in finished}, "simulated again")
        self.expect_same(out, self.whole(transfers=transfers))


class BadInput(ShardTest):
    def expect_message(self, code: int, result: Any, message: Any) -> None:
        self.expect(code, result)
        self.assertEqual((result.stdout, result.stderr), ("", message + "\n"))

    def test_bad_shards(self) -> None:
        out = self.folder / "out"
        for shard in ("0/4", "5/4", "1", "x", "/4", ""):
            self.expect_message(
                2, rnicsim("sweep", *self.options(out, "--shard", shard)),
                f"error: --shard {shard}: expected I/N with 1 <= I <= N <= 1000000, e.g. --shard "
                "1/4"
            )
        self.assertFalse(out.exists())

    def test_missing_runs(self) -> None:
        out = self.folder / "out"
        self.simulate(out, "1/4", "3/4")
        for file in out.glob("runs/p002_traditional_r0_*"):  # run 8: shard 1/4
            file.unlink()
        merge = rnicsim("merge", *self.options(self.folder / "merged"), out)
        self.expect_message(
            3, merge,
            "error: 7 of 12 runs are missing: shard 1/4 lacks 1 of 3, shard 2/4 lacks 3 of 3, "
            "shard 4/4 "
            "lacks 3 of 3; nothing was written, the shard's own command continues it")
        self.assertFalse((self.folder / "merged").exists())

    def test_missing_runs_of_nobody_knows_which_shard(self) -> None:
        out = self.folder / "out"
        self.simulate(out, "1/2", "1/3")
        merge = rnicsim("merge", *self.options(out))
        self.expect_message(
            3, merge, "error: 4 of 12 runs are missing: p000_traditional_r1, p001_traditional_r1, "
            "p001_dynamic_r1, p002_dynamic_r1; nothing was written, the shard's own command "
            "continues it"
        )

    def test_a_damaged_run(self) -> None:
        out = self.folder / "out"
        self.simulate(out, "1/1")
        file = next(out.glob("runs/p001_dynamic_r1_*.json"))
        file.write_bytes(file.read_bytes()[:100])
        self.expect_message(
            3, rnicsim("merge", *self.options(out)),
            f"warning: {file}: damaged (it ends early); it counts as missing here\n"
            "error: 1 of 12 runs are missing: shard 1/1 lacks 1 of 12; nothing was written, the "
            "shard's "
            "own command continues it")

    def test_another_sweep(self) -> None:
        out = self.folder / "out"
        self.simulate(out, "2/2", transfers=4)
        self.expect_message(
            2, rnicsim("merge", *self.options(self.folder / "merged"), out),
            f"error: {out}: shard 2/2 is not of this sweep: found 'run.transfers: 4', expected "
            "'run.transfers: 3'")
        base = cli_test.BASE
        seeds = [self.folder / "one", self.folder / "two"]
        for seed, folder in enumerate(seeds):
            self.expect(
                0,
                rnicsim("run", base.file, *base.small(), "--seed", seed + 1, "--shard",
                        f"{seed + 1}/2", "--out", folder))
        self.expect_message(
            2, rnicsim("merge", base.file, *base.small(), "--seed", 1, *seeds),
            f"error: {seeds[1]}: shard 2/2 is not of this sweep: found 'simulation.seed: 2', "
            "expected "
            "'simulation.seed: 1'")

    def test_no_shards(self) -> None:
        empty = self.folder / "empty"
        empty.mkdir()
        self.expect_message(
            2, rnicsim("merge", *self.options(self.folder / "out"), empty),
            f"error: {empty}: holds no runs, expected a folder that `rnicsim run --shard` has left")
        absent = "no such folder, expected one that `rnicsim run --shard` has left"
        self.expect_message(
            2, rnicsim("merge", *self.options(self.folder / "out"), self.folder / "absent"),
            f"error: {self.folder}/absent: {absent}")
        self.expect_message(2, rnicsim("merge", *self.options(self.folder / "out")),
                            f"error: {self.folder}/out: {absent}")
        self.assertFalse((self.folder / "out").exists())

    def test_the_same_shard_twice_at_once(self) -> None:
        transfers = 100
        for attempt in range(8):
            out = self.folder / f"attempt{attempt}"
            with self.start(out, "1/2", transfers=transfers) as process:
                while process.poll() is None and not list(out.glob("runs/*.json")):
                    time.sleep(0.002)
                if process.poll() is None:
                    process.send_signal(signal.SIGSTOP)
                    second = rnicsim("sweep", *self.options(out, "--shard", "1/2"))
                    merge = rnicsim("sweep", *self.options(out))
                    process.send_signal(signal.SIGCONT)
                    process.send_signal(signal.SIGINT)
                    break
            transfers *= 3
        end = "there; wait for it, or choose another folder with --out"
        self.expect_message(2, second,
                            f"error: {out}: another rnicsim is simulating shard 1/2 {end}")
        self.expect_message(2, merge, f"error: {out}: another rnicsim is writing {end}")


if __name__ == "__main__":
    unittest.main()
