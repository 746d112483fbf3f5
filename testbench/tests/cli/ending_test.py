#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How Python scripts end: one line and an exit code, whatever happens (scripts/rnicsim/ending.py);
half a result is not drawn.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
PYTHON = "/usr/bin/python3"
SMALL = (
    "run: {size: 4 KiB, transfers: 3, repetitions: 2, sweep: [{keys: [system.link.loss], values: "
    "[0 %, 1 %]}]}\n"
)


def call(*command: Any, **environment: Any) -> Any:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120,
                          check=False, env={
                              **os.environ,
                              **environment
                          })


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_ending_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def expect_line(self, done: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in said:
            self.assertIn(words, done.stderr)


class Every(Case):
    def test_every_script_ends_by_it(self) -> None:
        for folder in ("scripts", "scripts/slurm"):
            for file in sorted((SOURCE / folder).iterdir()):
                if not file.is_file() or file.suffix or not file.read_text(
                        encoding="utf-8").startswith(f"#!{PYTHON}"):
                    continue
                with self.subTest(script=file.name):
                    text = file.read_text(encoding="utf-8")
                    module, = re.findall(r"^from (rnicsim[.\w]*) import main$", text, re.MULTILINE)
                    self.assertTrue(text.endswith("\nsys.exit(main(sys.argv[1:]))\n"),
                                    "its exit code would be lost")
                    source = (SOURCE / "scripts" /
                              module.replace(".", "/")).with_suffix(".py").read_text(
                                  encoding="utf-8")
                    self.assertIn(f'@ending.reported("{file.name}"', source)

    def test_what_is_no_regular_expression(self) -> None:
        for script in ("mutants", "rtl_mutants", "defence", "wrong_changes", "slower_changes"):
            with self.subTest(script):
                done = call(SOURCE / "scripts" / script, "--only", "[")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(
                    "--only: found '[', expected a regular expression: unterminated character set",
                    done.stderr)

    def script(self, body: Any) -> Any:
        file = self.folder / "script"
        file.write_text(
            "import json, subprocess, sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, "
            f"{str(SOURCE / 'scripts')!r})\n"
            "from rnicsim import ending\n@ending.reported('script')\ndef main():\n    "
            f"{body}\nsys.exit(main())\n",
            encoding="utf-8")
        return file

    def test_each_kind_of_ending(self) -> None:
        for body, code, said in (
            ("raise ending.Unusable('no such thing')", 2,
             "error: script: no such thing\n"), ("raise ending.Failed('it did not')", 3,
                                                 "error: script: it did not\n"),
            ("open('/none/such')", 2, "error: script: /none/such: No such file or directory\n"),
            ("subprocess.run(['sh', '-c', 'echo why >&2; exit 5'], check=True, "
             "capture_output=True)",
             3, "exit code 5: why\n"), ("subprocess.run(['sleep', '9'], timeout=0.1)", 3,
                                        "error: script: sleep 9: not done after 0.1 s\n"),
            ("raise subprocess.TimeoutExpired(['make'], 119.96)", 3,
             "error: script: make: not done after 120 s\n"),
            ("{}['x']", 3,
             "error: script: a fault of this script: KeyError: 'x'; RNICSIM_TRACEBACK=1 shows "
             "where\n"
             ), ("import no_such_module", 3, "no_such_module of Python is missing"),
            ("raise KeyboardInterrupt", 130,
             "warning: script: interrupted; the same command goes on\n")):
            with self.subTest(body=body):
                self.expect_line(call(PYTHON, self.script(body)), code, said)
        self.assertEqual(call(PYTHON, self.script("return 7")).returncode, 7)
        self.assertEqual(call(PYTHON, self.script("print('well')")).returncode, 0)
        self.assertIn("Traceback",
                      call(PYTHON, self.script("{}['x']"), RNICSIM_TRACEBACK="1").stderr)


class Results(Case):
    """plot, report, calibrate and `rnicsim merge` on what is damaged."""

    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "small.yaml"
        self.file.write_text(SMALL, encoding="utf-8")
        self.out = self.folder / "small"
        done = call(BIN, "run", self.file, "--out", self.out, "--no-plot")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_plot_and_report_refuse_a_summary_that_is_cut(self) -> None:
        whole = (self.out / "summary.csv").read_text(encoding="utf-8")
        rows = whole.splitlines(keepends=True)
        for text, said in (("".join(rows[:-1]),
                            "do not speak of the same points and methods: 3 rows, expected 4"),
                           (whole[:-1],
                            "its last line is cut"), ("".join(rows[:-1]) + rows[-1][:40],
                                                      "row 5 is cut, expected"),
                           (rows[0], "0 rows, expected 4"), ("", "has no column point"),
                           (whole.replace(",traditional,2,", ",traditional,x,",
                                          1), "row 2: repetitions is 'x', expected a number"),
                           (re.sub(r"(traditional,2,\d+,\d+,)[\d.]+", r"\1nan", whole,
                                   count=1), "row 2: mean_us is 'nan', expected a number"),
                           (whole.replace("\n0,0,", "\n0,7,",
                                          1), "and in manifest.json point 0 has '0 %'")):
            (self.out / "summary.csv").write_text(text, encoding="utf-8")
            with self.subTest(said=said):
                self.expect_line(call(SOURCE / "scripts/plot", self.out), 2, "error: plot: ", said,
                                 "own command writes it again")
                self.assertFalse((self.out / "plot.png").exists())
                self.expect_line(call(BIN, "report", self.folder), 2, "error: report: ", said)

    def test_a_report_loses_no_picture(self) -> None:
        """Both names are `a_b` as the name of a file."""
        for name in ("a b", "a_b"):
            shutil.copytree(self.out, self.folder / name)
        done = call(BIN, "report", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = {file.name for file in (self.folder / "figures").glob("*.svg")}
        self.assertGreater(figures, {"a_b_mean_us.svg", "a_b__mean_us.svg"})
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertEqual([page.count(f'id="{name}"') for name in ("a_b-mean_us", "a_b_-mean_us")],
                         [1, 1])

    def test_plot_refuses_a_damaged_manifest(self) -> None:
        for text, said in (("{", "is cut or damaged"), ("[]", "is no manifest of rnicsim"),
                           ("{}", "is no manifest of rnicsim")):
            (self.out / "manifest.json").write_text(text, encoding="utf-8")
            self.expect_line(call(SOURCE / "scripts/plot", self.out), 2,
                             f"error: plot: {self.out}/manifest.json {said}")
        self.expect_line(call(SOURCE / "scripts/plot", self.folder / "none"), 2,
                         "manifest.json is missing")

    def test_calibrate(self) -> None:
        program = self.folder / "program"
        for text, code, said in (("exit 0", 2, "request_timer has no single value"),
                                 ("echo broken >&2; exit 9", 3, "exit code 9: broken"),
                                 (f'[ "$1" = run ] && exit 0; exec {BIN} "$@"', 2,
                                  "manifest.json is missing")):
            program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            program.chmod(0o755)
            done = call(SOURCE / "scripts/calibrate", "--check", "--program", program, "--out",
                        self.folder / "c" / "c.json")
            with self.subTest(said=said):
                self.expect_line(done, code, "error: calibrate: ", said)

    def test_merge_whose_plot_cannot_be_written(self) -> None:
        for name in ("plot.png", "plot.svg"):
            (self.out / name).mkdir()
        done = call(BIN, "merge", self.file, "--out", self.out)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
