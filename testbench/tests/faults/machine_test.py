#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that are killed, files that are damaged, programs that want one folder: nothing
finished is lost, the message says what to do, and the results are byte for byte those of an
undisturbed sweep. Full disks: disk_test.py; shards and their merge: cli/shard_test.py; the pool and
the journal by themselves: tests/runner.

Environment and use as of cli/cli_test.py.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from typing import Any

import faults_support
from faults_support import DisturbedTest, lives, workers
import cli_test
from cli_test import BIN, SECONDS, rnicsim

CONTINUES = "the same command continues from there"


def setUpModule() -> None:
    faults_support.set_up()


def send(pids: Any, number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Killed(DisturbedTest):
    def test_ctrl_c_and_sigterm(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                transfers, out, errors = self.start_and(
                    lambda process, n=number: process.send_signal(n), 130)
                self.assertRegex(
                    errors,
                    r"warning: interrupted: \d+ of 12 runs are finished and kept in \S+/runs; " +
                    CONTINUES)
                self.assertGreaterEqual(len(self.finished(out)), 2)
                self.continue_and_compare(transfers, out)
                shutil.rmtree(out)

    def test_a_lost_worker(self) -> None:
        """The others finish; the message says which run, how, and what to do."""
        for number, said in ((signal.SIGKILL, "killed by signal 9 (Killed)"),
                             (signal.SIGSEGV, "killed by signal 11 (Segmentation fault)")):
            with self.subTest(signal=number.name):
                # else a build with the address sanitizer makes an exit of the signal
                os.environ["ASAN_OPTIONS"] = "handle_segv=0"
                self.addCleanup(lambda: os.environ.pop("ASAN_OPTIONS", None))
                transfers, out, errors = self.start_and(
                    lambda process, n=number: send(workers(process.pid)[:1], n), 3, "--jobs", "2")
                self.assertRegex(errors, r"error: the worker of run p\d+_\w+_r\d \(.*\) was lost: ")
                self.assertIn(said, errors)
                self.assertIn("lost 1 worker; 11 of 12 runs are finished", errors)
                self.assertIn(f"{CONTINUES}, with fewer --jobs if memory was short", errors)
                self.assertEqual(len(self.finished(out)), 11)
                self.continue_and_compare(transfers, out)
                shutil.rmtree(out)

    def test_a_killed_parent(self) -> None:
        transfers, out, _ = self.start_and(lambda process: process.kill(), -signal.SIGKILL)
        self.assertGreaterEqual(len(self.finished(out)), 2)
        self.continue_and_compare(transfers, out)

    def test_a_killed_parent_leaves_no_orphans(self) -> None:
        """Runs of many seconds, which do not end during the test."""
        with subprocess.Popen(
            [BIN, *self.sweep(self.folder / "out", "--jobs", "2", transfers=100_000)],
                stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + SECONDS
            while len(workers(process.pid)) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            orphans = workers(process.pid)
            process.kill()
        self.addCleanup(send, orphans, signal.SIGKILL)
        self.assertEqual(len(orphans), 2)
        time.sleep(1)
        self.assertFalse(any(map(lives, orphans)), "a worker lives on")


class Damaged(DisturbedTest):
    def test_runs(self) -> None:
        """Cut, empty, of other bytes, a folder's worth of zeros, and another run's: each is
        reported and simulated again."""
        out = self.folder / "out"
        self.expect(0, rnicsim(*self.sweep(out)))
        files = sorted(self.finished(out))
        whole = [file.read_bytes() for file in files]
        damages = [
            whole[0][:len(whole[0]) // 2], b"", whole[2].replace(b"1", b"2", 1),
            bytes(len(whole[3])), b"\xff\xfe garbage\n"
        ]
        for file, content in zip(files, damages):
            file.write_bytes(content)
        kept = {file: self.finished(out)[file] for file in files[len(damages):]}
        result = self.expect(0, rnicsim(*self.sweep(out)))
        for file in files[:len(damages)]:
            self.assertRegex(result.stderr,
                             f"warning: {file}: damaged \\(.*\\); this run is simulated again\n")
        self.assertEqual(result.stderr.count("damaged"), len(damages))
        self.assertIn("7 of 12 runs finished before", result.stderr)
        self.assertEqual(kept, {file: self.finished(out)[file] for file in kept})
        self.expect_undisturbed(3, out)

    def test_results(self) -> None:
        """They are made from the runs again; a reader does not accept the damaged ones as
        results."""
        out = self.folder / "all" / "out"
        self.expect(0, rnicsim(*self.sweep(out, "--transfers-csv")))
        summary, manifest = out / "summary.csv", out / "manifest.json"
        for file in (summary, manifest, out / "transfers.csv"):
            with self.subTest(file=file.name):
                os.truncate(file, file.stat().st_size // 2)
                told = self.expect(2, rnicsim("compare", out, out))
                self.assertIn(file.name, told.stderr)
                self.assertNotIn("Traceback", told.stderr)
                self.assertIn("12 runs finished before",
                              self.expect(0, rnicsim(*self.sweep(out, "--transfers-csv"))).stdout)
                json.loads(manifest.read_text(encoding="utf-8"))
                self.expect_undisturbed(3, out)

    def test_a_shard_s_record(self) -> None:
        out = self.folder / "out"
        self.expect(0, rnicsim(*self.sweep(out, "--shard", "1/1")))
        record = next(out.glob("shards/*.json"))
        record.write_bytes(record.read_bytes()[:50])
        merged = self.expect(0, rnicsim("merge", *self.sweep(out)[1:]))
        self.assertEqual(merged.stderr,
                         f"warning: {record}: damaged; the record of this shard is not used\n")
        self.expect_undisturbed(3, out)


class Interrupted(DisturbedTest):
    """Ctrl-C goes to the whole group, kill to the program alone."""

    def start(self, *arguments: Any, **environment: Any) -> Any:
        return subprocess.Popen([BIN, *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True, env={
                                    **os.environ,
                                    **environment
                                })

    @staticmethod
    def family(pid: Any) -> Any:
        return [pid] + [process for child in workers(pid) for process in Interrupted.family(child)]

    def interrupt(self, process: Any, everyone: Any) -> None:
        (os.killpg if everyone else os.kill)(process.pid,
                                             signal.SIGINT if everyone else signal.SIGTERM)

    def test_a_comparison(self) -> None:
        work = self.folder / "work"
        work.mkdir()
        for everyone in (False, True):
            with self.subTest(everyone=everyone):
                with self.start("compare", cli_test.BASE.file, "--set", "run.transfers=20000",
                                "--set-b", "system.rnic.drp.window=4",
                                TMPDIR=str(work)) as process:
                    deadline = time.monotonic() + SECONDS
                    while len(self.family(process.pid)) < 3 and time.monotonic() < deadline:
                        time.sleep(0.01)
                    family = self.family(process.pid)
                    self.interrupt(process, everyone)
                    _, errors = process.communicate(timeout=SECONDS)
                self.assertEqual(process.returncode, 130, errors)
                self.assertEqual(
                    errors,
                    "warning: compare: interrupted; nothing was written, the same command begins "
                    "anew\n"
                )
                while any(map(lives, family)) and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.assertFalse(any(map(lives, family)), "a process lives on")
                self.assertEqual(list(work.iterdir()), [])

    def test_a_shrinking_keeps_what_it_has_got_to(self) -> None:
        """It continues from there. A search of thousands of runs is interrupted after the first
        fault was left out."""
        settings = [
            str(cli_test.BASE.file), "--set", "run.sweep=null", "--set", "system.link.loss=5 %",
            "--set", "run.transfers=200", "--wanted", "a.transport.data_timeouts>=50", "--jobs", "1"
        ]
        out = self.folder / "x.tape"
        with self.start("shrink", *settings, "--out", out) as process:
            for line in process.stderr:
                if "faults left after" in line:
                    self.interrupt(process, False)
                    break
            found, errors = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 130, errors)
        self.assertRegex(
            errors,
            rf"warning: interrupted: {out}: \d+ of \d+ faults are left so far; --tape {out} goes "
            r"on from there\n$"
        )
        self.assertEqual(out.read_text(encoding="utf-8"), found)
        played = rnicsim("run", *settings[:-4], "--tape", out, "--no-plot", "--out",
                         self.folder / "out", "--set", "run.methods=[dynamic]", "--set",
                         "run.repetitions=1")
        self.expect(0, played)
        summary = (self.folder / "out" / "summary.csv").read_text(encoding="utf-8").splitlines()
        self.assertGreaterEqual(
            int(
                dict(zip(summary[0].split(","),
                         summary[1].split(",")))["a.transport.data_timeouts"]), 50)

    def test_a_shrinking_that_loses_its_worker(self) -> None:
        with self.start("shrink", cli_test.BASE.file, "--set", "run.sweep=null", "--set",
                        "system.link.loss=5 %", "--set", "run.transfers=200000", "--wanted",
                        "error", "--out", self.folder / "x.tape") as process:
            while not workers(process.pid):
                time.sleep(0.01)
            os.kill(workers(process.pid)[0], signal.SIGKILL)
            _, errors = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 3, errors)
        self.assertRegex(
            errors,
            r"warning: a worker was lost: killed by signal 9 \(Killed\): no fault was left out "
            r"yet; the same command"
        )


class OneFolder(DisturbedTest):
    BUSY = "another rnicsim is writing there; wait for it, or choose another folder with --out"

    def test_while_one_writes_there_no_other_does(self) -> None:
        second: list[Any] = []

        def act(process: Any) -> None:
            os.kill(process.pid, signal.SIGSTOP)
            out = process.args[process.args.index("--out") + 1]
            before = self.finished(self.folder / out)
            second[:] = [
                rnicsim(*self.sweep(out, *more))
                for more in ((), ("--fresh", ), ("--set", "simulation.watchdog=2 s"))
            ]
            after = self.finished(self.folder / out)
            process.send_signal(signal.SIGINT)
            os.kill(process.pid, signal.SIGCONT)
            self.assertEqual(after, before)

        transfers, out, _ = self.start_and(act, 130)
        for refused in second:
            self.assertEqual((refused.returncode, refused.stderr),
                             (2, f"error: {out}: {self.BUSY}\n"))
        self.continue_and_compare(transfers, out)

    def test_several_at_once(self) -> None:
        """None is stopped here: each ends well or has to wait, and the results are right, of two
        sweeps those of one."""
        for watchdogs in (("1 s",) * 4, ("1 s", "2 s", "1 s", "2 s")):
            with self.subTest(watchdogs=watchdogs):
                out = self.folder / f"out{len(set(watchdogs))}"
                settings = [("--set", f"simulation.watchdog={time}") for time in watchdogs]
                started = [
                    subprocess.Popen([BIN, *self.sweep(out, *setting, transfers=30)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for setting in settings
                ]
                ends = [(process.communicate(timeout=SECONDS)[1], process.returncode)
                        for process in started]
                for errors, code in ends:
                    self.assertIn(code, (0, 2), errors)
                    self.assertEqual(errors.endswith(self.BUSY + "\n"), code == 2, errors)
                self.assertIn(0, [code for _, code in ends])
                resolved = json.loads(
                    (out / "manifest.json").read_text(encoding="utf-8"))["scenario"]["overrides"]
                self.assertIn(resolved[-1], {setting[1] for setting in settings})
                again = self.expect(0,
                                    rnicsim(*self.sweep(out, "--set", resolved[-1], transfers=30)))
                self.assertIn("12 runs finished before", again.stdout)
                whole = self.folder / "whole"
                self.expect(0, rnicsim(*self.sweep(whole, "--fresh", transfers=30)))
                self.assertEqual((out / "summary.csv").read_bytes(),
                                 (whole / "summary.csv").read_bytes())


if __name__ == "__main__":
    unittest.main()
