#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program from outside: exit codes, resumption, equal bytes, what it prints where.

Environment: RNICSIM_BIN, the program; RNICSIM_SOURCE_DIR, the source tree with scenarios/. Run by
CTest, or by hand: RNICSIM_BIN=build/release/rnicsim RNICSIM_SOURCE_DIR=.
testbench/tests/cli/cli_test.py -v
"""

import csv
import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any


BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SCENARIOS = sorted((SOURCE / "scenarios").rglob("*.yaml"))
SECONDS = 120  # the longest that any call may take


def rnicsim(*arguments: Any, cwd: Any = None, **environment: Any) -> Any:
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True,
                          timeout=SECONDS, cwd=cwd, env={
                              **os.environ,
                              **environment
                          }, check=False)


def resolved_keys(text: str) -> Any:
    """Dotted keys of the leaves in the tree that `describe` prints, with their values."""
    keys: dict[str, str] = {}
    path: list[Any] = []
    for line in text.splitlines()[1:]:
        match = re.match(r"^((?:│  |   )*)(?:├─ |└─ )([^:]+?)(?::\s+(.*))?$", line)
        if not match:
            break
        path = path[:len(match[1]) // 3] + [match[2]]
        if match[3] is not None:
            keys[".".join(path)] = match[3]
    return keys


class Base:
    """The shipped scenario of two ends with the fewest runs, and where its keys are."""

    def __init__(self) -> None:
        runs = {}
        for file in SCENARIOS:
            if "\n  hosts:" in file.read_text(encoding="utf-8"):
                continue
            match = re.search(r"= (\d+) runs?$", rnicsim("validate", file).stdout.strip())
            if match:
                runs[file] = int(match[1])
        if not runs:
            raise AssertionError(f"no valid scenario below {SOURCE}/scenarios")
        self.file = min(runs, key=lambda file: (runs[file], file))
        self.keys = resolved_keys(rnicsim("describe", self.file).stdout)

    def key(self, name: str) -> Any:
        """The first key whose last part is this name, in the form that means both ends."""
        for key in self.keys:
            if key.split(".")[-1] == name:
                return key.replace("system.a.", "system.")
        raise AssertionError(f"{self.file.name} has no key {name}; it has {', '.join(self.keys)}")

    def small(self, transfers: int = 3) -> Any:
        return [
            "--set", f"{self.key('transfers')}={transfers}", "--set",
            f"{self.key('repetitions')}=2", "--no-plot"
        ]


BASE = None
FAILING = {"RNICSIM_FAIL_AT": "1000"}  # cycles: no accepted scenario violates an invariant


def setUpModule() -> None:
    global BASE
    BASE = Base()


class CliTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def expect(self, code: int, result: Any) -> Any:
        self.assertEqual(result.returncode, code,
                         f"stdout:\n{result.stdout}\nstderr:\n{result.stderr}")
        return result

    def expect_one_line_error(self, result: Any, *words: str) -> None:
        self.expect(2, result)
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("error: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def finished(self, out: Path) -> Any:
        return {file: file.stat().st_mtime_ns for file in (out / "runs").glob("*.json")}

    def sweep(self, out: Path, *arguments: Any, transfers: Any = 3, seeds: int = 3) -> Any:
        axis = "simulation.seed=" + ",".join(str(seed + 1) for seed in range(seeds))
        return [
            "sweep",
            str(BASE.file), "--axis", axis, "--out",
            str(out), *BASE.small(transfers), *arguments
        ]


class BadInput(CliTest):
    def run_with(self, *arguments: str) -> Any:
        out = self.folder / "out"
        result = rnicsim("run", BASE.file, "--out", out, *BASE.small(), *arguments)
        self.assertFalse(out.exists(), "a bad call must leave nothing behind")
        return result

    def write(self, text: str) -> Any:
        file = self.folder / "bad.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    def test_unknown_key(self) -> None:
        self.expect_one_line_error(self.run_with("--set", "simulation.sead=1"), "sead")

    def test_a_pipe_in_place_of_a_file(self) -> None:
        """With somebody who writes it it is read to its end, however late; without, nobody waits
        for ever."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        begun = time.monotonic()
        done = rnicsim("validate", pipe)
        self.assertEqual(
            (done.returncode, done.stderr),
            (2, f"error: {pipe}: is a pipe that nobody writes, expected a scenario file (YAML)\n"))
        self.assertLess(time.monotonic() - begun, 30)
        with subprocess.Popen([BIN, "validate", pipe], stdout=subprocess.PIPE, text=True) as reader:
            with open(pipe, "w", encoding="utf-8") as writer:
                writer.write("run:\n")
                writer.flush()
                time.sleep(2.5)  # longer than it waits for a writer
                writer.write("  transfers: 3\n")
            self.assertIn(f"OK {pipe}: ", reader.communicate(timeout=60)[0])

    def test_unknown_key_in_the_file(self) -> None:
        file = self.write(BASE.file.read_text(encoding="utf-8") + "\nnonsense: 1\n")
        self.expect_one_line_error(rnicsim("validate", file), "bad.yaml:", "nonsense")

    def test_missing_unit(self) -> None:
        self.expect_one_line_error(self.run_with("--set", f"{BASE.key('size')}=131072"), "size")

    def test_window_zero(self) -> None:
        self.expect_one_line_error(self.run_with("--set", f"{BASE.key('window')}=0"), "window")

    def test_bad_yaml(self) -> None:
        file = self.write("system: [1, 2\nrun: }\n")
        self.expect_one_line_error(rnicsim("run", file, "--out", self.folder / "out"), "bad.yaml:")

    def test_empty_file(self) -> None:
        self.expect_one_line_error(rnicsim("validate", self.write("")), "bad.yaml")

    def test_missing_file(self) -> None:
        self.expect_one_line_error(rnicsim("run", self.folder / "absent.yaml"), "absent.yaml")

    def test_folder_as_file(self) -> None:
        self.expect_one_line_error(rnicsim("validate", self.folder), str(self.folder))

    def test_out_below_a_regular_file(self) -> None:
        (self.folder / "file").touch()
        result = rnicsim("run", BASE.file, "--out", self.folder / "file" / "out", *BASE.small())
        self.expect_one_line_error(result, "output folder")

    def test_options(self) -> None:
        arguments: Any
        for arguments in (["run"], ["nonsense"], [], ["run", BASE.file, "--nonsense"],
                          ["run", BASE.file, "--jobs",
                           "0"], ["run", BASE.file, "--set",
                                  "novalue"], ["sweep", BASE.file, "--axis", "simulation.seed=1,1"],
                          ["sweep", BASE.file, "--axis", "simulation.seed=1..3"
                           ], ["sweep", BASE.file, "--axis", "run.repetitions=1,2"
                               ], ["run", BASE.file, "--seed",
                                   "x"], ["describe"], ["--log-level", "loud", "version"]):
            with self.subTest(arguments=arguments):
                self.expect_one_line_error(rnicsim(*arguments, cwd=self.folder))

    def test_validate_goes_on_after_a_bad_file(self) -> None:
        result = rnicsim("validate", self.folder / "absent.yaml", BASE.file)
        self.expect(2, result)
        self.assertIn(f"OK {BASE.file}", result.stdout)


class Information(CliTest):
    def test_its_version(self) -> None:
        said = self.expect(0, rnicsim("--version")).stdout
        self.assertRegex(said, r"^rnicsim \d+\.\d+\.\d+\n$")
        self.assertTrue(self.expect(0, rnicsim("version")).stdout.startswith(said.strip()))

    def test_help_explains_exit_codes(self) -> None:
        for arguments in (["--help"], ["run", "--help"], ["sweep",
                                                          "--help"], ["validate", "--help"],
                          ["merge", "--help"], ["describe", "--help"], ["report", "--help"]):
            text = self.expect(0, rnicsim(*arguments)).stdout
            for expected in ("Exit codes:", "\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  130 ",
                             "Examples:"):
                self.assertIn(expected, text)

    def test_help_explains_every_option(self) -> None:
        text = rnicsim("sweep", "--help").stdout
        for option in ("--set", "--seed", "--jobs", "--out", "--transfers-csv", "--fresh",
                       "--quiet", "--no-plot", "--axis", "--shard"):
            self.assertRegex(text, re.escape(option))

    def test_version(self) -> None:
        text = self.expect(0, rnicsim("version")).stdout
        self.assertRegex(text, r"^rnicsim \d+\.\d+\.\d+\ngit revision ")
        self.assertIn("SystemC", text)

    def test_keys_and_schema(self) -> None:
        self.assertIn("| ", self.expect(0, rnicsim("describe", "--keys")).stdout)
        self.assertIsInstance(json.loads(self.expect(0, rnicsim("schema")).stdout), dict)

    def test_every_shipped_scenario(self) -> None:
        for file in SCENARIOS:
            with self.subTest(scenario=file.name):
                self.assertRegex(
                    self.expect(0, rnicsim("validate", file)).stdout, r"^OK .*= \d+ runs?\n$")
                text = self.expect(0, rnicsim("describe", file)).stdout
                self.assertIn("simulation", text)
                self.assertRegex(text, r"\nruns: \d+ points? x ")

    def test_axes_are_checked_and_shown(self) -> None:
        axis = ["--axis", "simulation.seed=1..5:2"]
        self.assertRegex(
            self.expect(0, rnicsim("validate", BASE.file, *axis)).stdout, r"^OK .*: 3 points x ")
        text = self.expect(0, rnicsim("describe", BASE.file, *axis)).stdout
        self.assertIn("seed: swept, axis simulation.seed\n", text)
        self.assertIn("  point 2: simulation.seed: 5\n", text)


class Results(CliTest):
    def test_any_number_of_jobs_gives_the_same_bytes(self) -> None:
        for jobs in (1, 2):
            self.expect(
                0,
                rnicsim(*self.sweep(self.folder /
                                    f"jobs{jobs}", "--jobs", jobs, "--transfers-csv")))
        for name in ("summary.csv", "transfers.csv"):
            one, two = ((self.folder / f"jobs{jobs}" / name).read_bytes() for jobs in (1, 2))
            self.assertEqual(one, two)
            self.assertGreater(one.count(b"\n"), 3)

    def test_a_range_gives_the_bytes_of_its_list(self) -> None:
        loss = BASE.key("loss")
        for name, values in (("range", "0 %..2 %:1 %"), ("list", "0 %,1 %,2 %")):
            self.expect(
                0,
                rnicsim("sweep", BASE.file, "--axis", f"{loss}={values}", "--out",
                        self.folder / name, *BASE.small()))
        one, two = ((self.folder / name / "summary.csv").read_bytes() for name in ("range", "list"))
        self.assertEqual(one, two)

    def test_rows_set_several_keys(self) -> None:
        keys = f"{BASE.key('loss')},{BASE.key('request_timer')}"
        self.expect(
            0,
            rnicsim("sweep", BASE.file, "--axis", f"{keys}=[0 %, 1 ms],[5 %, 2 ms]", "--out",
                    self.folder / "out", *BASE.small()))
        with (self.folder / "out" / "summary.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row[keys] for row in rows], ["0 %, 1 ms"] * 2 + ["5 %, 2 ms"] * 2)

    def test_the_seed_matters(self) -> None:
        self.expect(0, rnicsim(*self.sweep(self.folder / "out")))
        manifest = json.loads((self.folder / "out" / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["scenario"]["seed"], 1)
        self.assertEqual(manifest["scenario"]["axes"][0], "simulation.seed")
        result = rnicsim("run", BASE.file, "--seed", "77", "--out", self.folder / "seed",
                         *BASE.small())
        self.expect(0, result)
        manifest = json.loads((self.folder / "seed" / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["scenario"]["seed"], 77)
        self.assertIn("simulation.seed=77", manifest["scenario"]["overrides"])

    def test_the_table_is_on_stdout_and_a_pipe_sees_no_carriage_return(self) -> None:
        result = self.expect(0, rnicsim(*self.sweep(self.folder / "out")))
        self.assertNotIn("\r", result.stdout + result.stderr)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")
        self.assertIn("summary.csv", result.stdout)
        quiet = self.expect(0, rnicsim(*self.sweep(self.folder / "quiet", "--quiet")))
        self.assertEqual(quiet.stdout + quiet.stderr, "")

    def test_a_terminal_sees_progress(self) -> None:
        controller, terminal = pty.openpty()
        with subprocess.Popen([BIN, *self.sweep(self.folder / "out", "--jobs", "1")],
                              stdout=subprocess.DEVNULL, stderr=terminal) as process:
            os.close(terminal)
            seen = b""
            while True:
                try:
                    block = os.read(controller, 4096)
                except OSError:  # EIO: the other end is closed
                    break
                if not block:
                    break
                seen += block
            self.assertEqual(process.wait(SECONDS), 0)
        os.close(controller)
        self.assertRegex(seen, rb"\rruns \d+/\d+ ")

    def test_a_failed_simulation(self) -> None:
        """The diagnosis is printed, the exit code is 1."""
        result = rnicsim("run", BASE.file, "--out", self.folder / "out", *BASE.small(3000), "--set",
                         "run.direction=a_to_b", **FAILING)
        self.expect(1, result)
        self.assertRegex(result.stderr,
                         r"\n  host a: transfer \d+ \(tid \d+\): no completion yet\n")
        self.assertIn("failed:\n", result.stderr)
        self.assertIn("no results:", result.stderr)
        self.assertFalse((self.folder / "out" / "summary.csv").exists())

    def test_long_transfers_do_not_wake_the_watchdog(self) -> None:
        self.expect(
            0,
            rnicsim("run", BASE.file, "--out", self.folder / "out", *BASE.small(2), "--set",
                    "run.size=16 MiB", "--set", "run.in_flight=2", "--set", "run.sweep=null",
                    "--set", "simulation.watchdog=101 ms", "--set",
                    "system.rnic.drp.data_timer=5 ms", "--set", "system.link.loss=0 %"))

    def test_slots_that_rest_do_not_wake_the_watchdog(self) -> None:
        """After a failure a slot rests for longer than any timer: the watchdog fired although
        nothing was waiting."""
        small = "size: 1 KiB, repetitions: 1, methods: [dynamic]"
        for name, text in (
            ("busy",
             "system: {host: {registration: {base_cost: 20 ms}}}\nrun: {transfers: 64, in_flight: "
             "64, "
             ),
            ("lost",
             "system: {link: {loss: 90 %}, rnic: {drp: {idle_timeout: 400 ms}}}\nrun: "
             "{transfers: 20, "
             ),
            ("slow",
             "system: {a: {rnic: {drp: {request_timer: 0.13 ms, idle_timeout: 1.2 s}}}, b: "
             "{rnic: {drp: "
             "{decision: 1 ms}}}}\nsimulation: {watchdog: 1.3 s}\nrun: {transfers: 200, in_flight: "
             "64, "
             )):
            with self.subTest(name):
                file = self.folder / f"{name}.yaml"
                file.write_text(text + small + "}\n", encoding="utf-8")
                done = rnicsim("run", file, "--out", self.folder / name, "--no-plot")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                self.assertRegex(done.stdout, r"\d+ failed\)")

    def test_what_has_ended_does_not_wake_the_watchdog(self) -> None:
        """The watchdog is checked once per millisecond, which may be longer than its limit: it
        fired though all transfers had ended."""
        file = self.folder / "short.yaml"
        file.write_text(
            "system: {host: {registration: {base_cost: 1 us}}, rnic: {drp: {request_timer: 2 "
            "us, data_timer: 4 us, "
            "release_timer: 4 us, max_requests: 3, max_retransmissions: 2, idle_timeout: 60 "
            "us}}}\nsimulation: {watchdog: 0.5 ms}\n"
            "run: {size: 8 B, transfers: 1, repetitions: 1, methods: [traditional]}\n",
            encoding="utf-8")
        done = rnicsim("run", file, "--out", self.folder / "short", "--no-plot")
        self.assertNotIn("watchdog", done.stderr)
        self.assertIn(done.returncode, (0, 4))

    def test_a_folder_with_somebody_s_files_is_left_alone(self) -> None:
        out = self.folder / "mine"
        (out / "runs").mkdir(parents=True)
        for name in ("plot.png", "manifest.json", "runs/notes.txt"):
            (out / name).write_text("mine", encoding="utf-8")
        result = self.expect(2, rnicsim("run", BASE.file, "--out", out, "--fresh", *BASE.small(1)))
        self.assertIn("holds files, but no results of rnicsim", result.stderr)
        for name in ("plot.png", "manifest.json", "runs/notes.txt"):
            self.assertEqual((out / name).read_text(encoding="utf-8"), "mine")

    def test_a_result_outlives_the_run_that_is_to_replace_it(self) -> None:
        out = self.folder / "out"
        self.expect(0, rnicsim("run", BASE.file, "--out", out, *BASE.small(2)))
        before = (out / "summary.csv").read_bytes()
        self.expect(1, rnicsim("run", BASE.file, "--out", out, *BASE.small(3000), **FAILING))
        self.assertFalse((out / "summary.csv").exists())
        self.assertEqual((out / "previous" / "summary.csv").read_bytes(), before)

    def test_a_limit_on_file_sizes_is_an_error_like_a_full_disk(self) -> None:
        done = subprocess.run([
            "bash", "-c", 'ulimit -f 4; exec "$@"', "bash", os.environ["RNICSIM_BIN"], "run",
            str(BASE.file), "--out",
            str(self.folder / "out"), *BASE.small(300)
        ], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot be written", done.stderr)
        self.assertEqual(list((self.folder / "out").glob("**/*.tmp*")), [])

    def test_a_key_set_twice(self) -> None:
        for arguments in (["--set", "run.size=1 KiB", "--set",
                           "run.size=2 KiB"], ["--seed", "1", "--set", "simulation.seed=2"]):
            result = self.expect(2, rnicsim("validate", BASE.file, *arguments))
            self.assertIn("given twice", result.stderr)

    def test_standard_output_that_is_full(self) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([os.environ["RNICSIM_BIN"], "describe", "--keys"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_plot(self) -> None:
        try:
            subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], check=True,
                           capture_output=True)
        except subprocess.CalledProcessError:
            self.skipTest("matplotlib is missing")
        arguments = [a for a in self.sweep(self.folder / "out") if a != "--no-plot"]
        result = self.expect(0, rnicsim(*arguments))
        self.assertIn("plot.png", result.stdout)
        pictures = [self.folder / "out" / name for name in ("plot.png", "plot.svg")]
        first = [picture.read_bytes() for picture in pictures]
        self.assertTrue(first[0].startswith(b"\x89PNG"))
        subprocess.run([SOURCE / "scripts" / "plot", self.folder / "out"], check=True)
        self.assertEqual(first, [picture.read_bytes() for picture in pictures])


class Resumption(CliTest):
    """Finished runs are reused only if they belong to this sweep. Damaged ones: tests/faults."""

    def test_fresh_simulates_everything_again(self) -> None:
        out = self.folder / "out"
        self.expect(0, rnicsim(*self.sweep(out)))
        first = self.finished(out)
        self.assertIn("finished before", self.expect(0, rnicsim(*self.sweep(out))).stdout)
        self.assertEqual(self.finished(out), first)
        self.expect(0, rnicsim(*self.sweep(out, "--fresh")))
        self.assertEqual(set(self.finished(out)), set(first))
        self.assertFalse(set(self.finished(out).values()) & set(first.values()))

    def test_other_parameters_do_not_use_finished_runs(self) -> None:
        out = self.folder / "out"
        self.expect(0, rnicsim(*self.sweep(out)))
        result = self.expect(0, rnicsim(*self.sweep(out, transfers=4)))
        self.assertNotIn("finished before", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
