#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm/submit on a real Slurm: its results are those of a single run, and missing runs are
reported.

Environment: RNICSIM_BIN, the program; RNICSIM_SOURCE_DIR, the source tree. Starts itself again
inside scripts/slurm/test_cluster; exit code 77, with the reason, if Slurm cannot be started here.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SLURM = SOURCE / "scripts" / "slurm"
SCENARIO = SOURCE / "scenarios" / "examples" / "minimal.yaml"
INSIDE = "RNICSIM_INSIDE_TEST_CLUSTER"


def run(*command: Any) -> Any:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=60, check=False)


class Submission(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_cluster_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def submit(self, *arguments: Any) -> Any:
        return run(SLURM / "submit", *arguments)

    def test_four_shards_are_a_single_run(self) -> None:
        """Values with blanks and brackets, to test quoting, too."""
        options = [
            "--set", "run.transfers=20", "--axis", "system.link.loss=0 %..4 %:2 %", "--axis",
            "system.host.ping.sizes=[],[256 B, 512 B]", "--seed", "7", "--transfers-csv",
            "--no-plot"
        ]
        out, single = self.folder / "a b", self.folder / "single"
        done = self.submit("--shards", "4", "--wait", SCENARIO, *options, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout,
            r"^shards: job \d+, 4 tasks for 60 runs\nmerge: job \d+, results in .*/a b\n"
            r"minimal: mean time .*(?s:.)*\n60 runs merged, of 4 shards that took [\d.]+ s "
            r"together\n$")
        alone = run(BIN, "sweep", SCENARIO, *options, "--out", single)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for name in ("summary.csv", "transfers.csv"):
            self.assertEqual((out / name).read_bytes(), (single / name).read_bytes(), name)
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["shards"]["count"], 4)
        self.assertEqual(len(list((out / "slurm").glob("*_*.log"))), 4)

    def test_the_same_command_continues(self) -> None:
        options = [
            "--set", "run.transfers=3", "--set", "run.repetitions=1", "--no-plot", "--out",
            self.folder / "out"
        ]
        whole = self.submit("--shards", "2", "--wait", SCENARIO, *options)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        summary = (self.folder / "out" / "summary.csv").read_bytes()
        lost = sorted((self.folder / "out" / "runs").iterdir())[0]
        lost.write_bytes(b"damaged")
        again = self.submit("--shards", "2", "--wait", SCENARIO, *options)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "out" / "summary.csv").read_bytes(), summary)

    def test_failed_shards_are_named(self) -> None:
        failing = [
            "--no-plot", "--out", self.folder / "failing", "--set", "run.transfers=3000", "--set",
            "run.repetitions=1"
        ]
        with unittest.mock.patch.dict(os.environ, RNICSIM_FAIL_AT="1000"):
            failed = self.submit("--shards", "2", "--wait", SCENARIO, *failing)
        self.assertEqual(failed.returncode, 3, failed.stdout + failed.stderr)
        self.assertIn(
            "error: 2 of 2 runs are missing: shard 1/2 lacks 1 of 1, shard 2/2 lacks 1 of 1; "
            "nothing was "
            "written", failed.stderr)
        logs = "".join(
            log.read_text(encoding="utf-8")
            for log in (self.folder / "failing" / "slurm").glob("*_1.log"))
        self.assertIn("failed:\n", logs)

    def test_more_shards_than_runs_and_options_of_sbatch(self) -> None:
        done = self.submit("--shards", "50", "--sbatch=--comment=hello", "--wait", SCENARIO,
                           "--set", "run.transfers=1", "--set", "run.repetitions=1", "--quiet",
                           "--no-plot", "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout, r"^shards: job \d+, 2 tasks for 2 runs\nmerge: job \d+, results in \S+\n$")

    def test_bad_input_submits_nothing(self) -> None:
        def jobs() -> Any:
            return run("squeue", "--noheader").stdout
        before = jobs()
        arguments: Any
        for arguments, message in (
            ([SCENARIO, "--set", "system.link.los=1 %"],
             "error: --set: system.link.los: unknown key; did you mean 'loss'?\n"),
            ([SCENARIO, "--axis", "system.link.loss=0 %..1 %:3 %"],
             "error: --axis: system.link.loss.step: found '3 %', expected a step that divides the "
             "distance from "
             "0 % to 1 %\n"),
            ([self.folder / "absent.yaml"],
             f"error: {self.folder}/absent.yaml: cannot be read, expected a scenario file (YAML)\n"
             ), (["--shards", "0",
                  SCENARIO], "error: submit: --shards and --jobs expect a number from 1\n"),
            (["--program", self.folder, SCENARIO],
             f"error: submit: {self.folder} is no program; build it (scripts/run), or name it with "
             "--program\n"
             )):
            with self.subTest(arguments=arguments):
                done = self.submit(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", message))
        unknown = self.submit(SCENARIO, "--nonsense")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("unrecognized arguments: --nonsense", unknown.stderr)
        refused = self.submit("--sbatch=--partition=absent", SCENARIO, "--out", self.folder / "out")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("invalid partition", refused.stderr)
        self.assertEqual(jobs(), before)

    def test_help(self) -> None:
        text = self.submit("--help").stdout
        for option in ("--shards", "--wait", "--sbatch", "--program", "SCENARIO"):
            self.assertIn(option, text)
        self.assertIn("COMMAND", run(SLURM / "test_cluster", "--help").stdout)


if __name__ == "__main__":
    if INSIDE in os.environ:
        unittest.main()
    os.environ[INSIDE] = "1"
    sys.exit(
        subprocess.run([str(SLURM / "test_cluster"), sys.executable, __file__, *sys.argv[1:]],
                       check=False).returncode)
