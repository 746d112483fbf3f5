#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that is full or cannot be written to: what was there stays, the message names the file and
says what to do, and the same command continues when there is room.

Environment and use as of cli/cli_test.py. Mounts file systems of 1 MiB: as root, or else as root of
a namespace of its own. Where neither is allowed exit code 77 says so; a limit on file sizes in the
place of a full disk is in cli/cli_test.py.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import faults_support
from faults_support import DisturbedTest, SmallDisk
import cli_test
from cli_test import rnicsim

FULL = "No space left on device"
CANNOT_MOUNT = 77  # exit code: skipped
LOSSY = [
    "--set", "system.link.loss=10 %", "--set", "run.methods=[dynamic]", "--set",
    "run.repetitions=1", "--set", "run.transfers=20", "--set", "run.size=16 KiB"
]


def setUpModule() -> None:
    faults_support.set_up()


def may_mount() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "rnicsim_test", folder], capture_output=True,
                              check=False)
        return done.returncode == 0 and subprocess.run(["umount", folder],
                                                       check=True).returncode == 0


class Results(DisturbedTest):
    def setUp(self) -> None:
        super().setUp()
        self.disk = SmallDisk(self)
        self.out = self.disk.path / "out"

    def refused(self, *arguments: str, code: int = 2) -> Any:
        return self.expect(code, rnicsim(*arguments)).stderr

    def test_while_runs_finish(self) -> None:
        self.disk.fill(left=40 << 10)
        said = self.refused(*self.sweep(self.out, "--jobs", "1", transfers=100))
        done = len(self.finished(self.out))
        self.assertRegex(
            said,
            rf"^error: {self.out}/runs/p\d+_[\w.-]+: cannot be written: {FULL}; make room there; "
            rf"{done} of 12 runs are "
            rf"finished and kept in {self.out}/runs; the same command continues from there\n$")
        self.assertGreater(done, 0)
        self.disk.free()
        self.continue_and_compare(100, self.out)

    def test_from_the_start(self) -> None:
        """No room for a folder, for a file in it, for a folder in it."""
        for entries, said in ((1, f"{self.out}: the output folder cannot be created: "),
                              (2, f"{self.out}: the output folder cannot be written to: "),
                              (3, f"{self.out}/runs: cannot be created: ")):
            disk = SmallDisk(self, f"disk{entries}", f"nr_inodes={entries}")
            out = disk.path / "out"
            self.expect_one_line_error(rnicsim(*self.sweep(out)),
                                       said.replace(str(self.out), str(out)),
                                       "No space left on device; make room")

    def test_when_the_results_are_written(self) -> None:
        """The earlier ones stay together, in previous/ or in place, whatever is tried."""
        arguments = self.sweep(self.out, "--transfers-csv")
        self.expect(0, rnicsim(*arguments))
        names = ("summary.csv", "manifest.json", "transfers.csv")
        earlier = {name: (self.out / name).read_bytes() for name in names}
        for left in (0, 4 << 10, 12 << 10):
            self.disk.fill(left)
            said = self.refused(*arguments)
            self.assertRegex(
                said,
                rf"error: {self.out}/\w+\.\w+: cannot be written: {FULL}; make room there; 12 of "
                r"12 runs are finished and kept"
            )
            self.assertFalse([name for name in names if (self.out / name).exists()])
            self.assertEqual(earlier,
                             {name: (self.out / "previous" / name).read_bytes()
                              for name in names})
        self.disk.free()
        self.expect(0, rnicsim(*arguments))
        self.assertEqual((self.out / "transfers.csv").read_bytes(), earlier["transfers.csv"])
        self.expect_undisturbed(3, self.out)

    def test_when_the_plot_is_drawn(self) -> None:
        arguments = [word for word in self.sweep(self.out) if word != "--no-plot"]
        self.disk.fill(left=168 << 10)
        done = self.expect(0, rnicsim(*arguments))
        self.assertRegex(done.stderr,
                         rf"plot: {self.out}/plot\.\w+: cannot be written: {FULL}; make room")
        self.assertNotIn("Traceback", done.stderr)
        self.assertNotIn("plot.png", done.stdout)
        self.assertEqual(list(self.out.glob("plot.*")), [])
        self.expect_undisturbed(3, self.out)

    def test_when_shards_are_merged(self) -> None:
        shard = self.folder / "shard"
        self.expect(0, rnicsim(*self.sweep(shard, "--shard", "1/1")))
        runs = {file: file.read_bytes() for file in shard.rglob("*.json")}
        merge = ["merge", *self.sweep(self.out)[1:], str(shard)]
        self.disk.fill(left=8 << 10)
        self.assertRegex(self.refused(*merge),
                         rf"^error: {self.out}/runs/p\S+: cannot be written: {FULL}")
        self.disk.free()
        self.expect(0, rnicsim(*merge))
        self.assertEqual(runs, {file: file.read_bytes() for file in runs})
        self.expect_undisturbed(3, self.out)


class Files(DisturbedTest):
    """Files beside the results: observations, tapes, comparisons."""

    def setUp(self) -> None:
        super().setUp()
        self.disk = SmallDisk(self)
        self.disk.fill()

    def test_what_looks_inside_a_run(self) -> None:
        """Only the run that is looked at is lost. cli and observe tests have more of each kind of
        file."""
        out = self.folder / "out"
        for option, suffix in (("--events", "csv"), ("--pcap", "pcapng"), ("--trace", "json"),
                               ("--series", "csv"), ("--vcd", "vcd"), ("--record-tape", "tape")):
            with self.subTest(option=option):
                file = self.disk.path / f"x.{suffix}"
                done = self.expect(
                    1, rnicsim(*self.sweep(out, option, file, "--set", "system.link.loss=5 %")))
                self.assertRegex(
                    done.stderr,
                    rf"{file}: cannot be written: {FULL}; make room, or name another file\n")
                self.assertRegex(
                    done.stderr,
                    r"no results: 1 run failed; 11 of 12 runs are finished and kept in ")
        self.assertEqual((self.disk.path / "x.tape").read_bytes(), b"",
                         "half a tape would be another tape")
        again = self.expect(0, rnicsim(*self.sweep(out, "--set", "system.link.loss=5 %")))
        self.assertIn("11 runs finished before", again.stdout)

    def test_a_run_that_fails_says_so_before_its_tape(self) -> None:
        done = self.expect(
            1,
            rnicsim("run", cli_test.BASE.file, "--out", self.folder / "out", "--record-tape",
                    self.disk.path / "x.tape", *cli_test.BASE.small(3000), **cli_test.FAILING))
        self.assertRegex(done.stderr, rf"(?s)RNICSIM_FAIL_AT.*x\.tape: cannot be written: {FULL}")

    def test_a_tape_that_is_shrunk(self) -> None:
        """The existing tape is kept; the result is on standard output."""
        whole = self.folder / "whole.tape"
        self.expect(
            0,
            rnicsim("run", cli_test.BASE.file, *LOSSY, "--set", "run.sweep=null", "--no-plot",
                    "--out", self.folder / "out", "--record-tape", whole))
        kept = self.disk.path / "kept.tape"
        self.disk.free()
        shutil.copy(whole, kept)
        self.disk.fill()
        found = self.shrink(whole, kept, 2)
        self.assertRegex(found.stderr,
                         rf"error: {kept}: cannot be written: {FULL}; make room there\n$")
        self.assertEqual(kept.read_bytes(), whole.read_bytes())
        elsewhere = self.folder / "found.tape"
        self.assertEqual(self.shrink(whole, elsewhere, 0).stdout, found.stdout)
        self.assertEqual(elsewhere.read_text(encoding="utf-8"), found.stdout)
        unrecorded = self.expect(
            2, rnicsim("shrink", *self.shrinking(), "--out", self.disk.path / "new.tape"))
        self.assertRegex(
            unrecorded.stderr,
            rf"the tape was not recorded: .*new\.tape\.recording: cannot be written: {FULL}; make "
            r"room"
        )

    @staticmethod
    def shrinking() -> Any:
        return [
            str(cli_test.BASE.file), *LOSSY, "--set", "run.sweep=null", "--wanted",
            "a.transport.data_timeouts>=1"
        ]

    def shrink(self, tape: Any, out: Path, code: int) -> Any:
        return self.expect(code, rnicsim("shrink", *self.shrinking(), "--tape", tape, "--out", out))

    def test_a_comparison(self) -> None:
        sides = [
            "compare", cli_test.BASE.file, "--set", "run.transfers=2", "--set", "run.repetitions=2",
            "--set-b", "system.rnic.drp.window=4"
        ]
        for option, suffix in (("--json", "json"), ("--html", "html")):
            file = self.disk.path / f"x.{suffix}"
            done = self.expect(2, rnicsim(*sides, option, file))
            self.assertRegex(
                done.stderr,
                rf"^error: compare: {file}: cannot be written: {FULL}; make room, or name another "
                r"file\n$"
            )
            self.assertIn("mean", done.stdout)
        # Python accepts no folder for temporary files that is full from the start
        self.disk.fill(left=16 << 10)
        os.environ["TMPDIR"] = str(self.disk.path)
        self.addCleanup(os.environ.pop, "TMPDIR")
        done = rnicsim(*sides)
        self.expect(2, done)
        self.assertRegex(done.stderr, FULL)
        self.assertIn("TMPDIR chooses", done.stderr)
        self.assertEqual(
            [file.name for file in self.disk.path.iterdir() if file.name.startswith("rnicsim")], [])


class Unwritable(DisturbedTest):
    """A file system that is mounted read-only: root, too, may not write there."""

    def locked(self, folder: Path) -> str:
        """No user may write there; the message has the system's reason."""
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True,
                       capture_output=True)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", str(folder)], check=True))
        subprocess.run(
            ["mount", "-o", "remount,bind,ro", str(folder)], check=True, capture_output=True)
        return "Read-only file system"

    def test_the_folder_or_the_one_above_it(self) -> None:
        out = self.folder / "above" / "out"
        for folder, said in ((out, "the output folder cannot be written to"),
                             (out.parent, "the output folder cannot be ")):
            with self.subTest(folder=folder.name):
                reason = self.locked(folder)
                if folder == out.parent:
                    out = folder / "new"
                self.expect_one_line_error(rnicsim(*self.sweep(out)), f"{out}: {said}",
                                           f"{reason}; choose another folder with --out")

    def test_the_runs(self) -> None:
        out = self.folder / "out"
        self.expect(0, rnicsim(*self.sweep(out)))
        before = {file: file.read_bytes() for file in (out / "runs").iterdir()}
        reason = self.locked(out / "runs")
        done = rnicsim(*self.sweep(out, transfers=4))
        self.expect_one_line_error(done, f"error: {out}/runs/p",
                                   f"cannot be created: {reason}; choose another folder",
                                   "0 of 12 runs")
        self.assertEqual(before, {file: file.read_bytes() for file in before})


if __name__ == "__main__":
    if not may_mount():
        namespace = ["unshare", "--user", "--map-root-user", "--mount"]
        if "RNICSIM_TEST_NAMESPACE" in os.environ or subprocess.run(
            [*namespace, "true"], capture_output=True, check=False).returncode != 0:
            print(
                "skipped: mounting a file system is not allowed here, as root nor in a namespace "
                "(unshare)",
                file=sys.stderr)
            sys.exit(CANNOT_MOUNT)
        os.environ["RNICSIM_TEST_NAMESPACE"] = "1"
        os.execvp(namespace[0], [*namespace, sys.executable, *sys.argv])
    unittest.main()
