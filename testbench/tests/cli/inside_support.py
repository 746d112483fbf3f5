# SPDX-License-Identifier: Apache-2.0
"""What the tests of scripts/look_inside and of its part of the page have in common. Not a test by
itself.

Environment: RNICSIM_BIN and RNICSIM_SOURCE_DIR, as for cli_test.py. Pages are made by
scripts/report of the source folder."""

import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SCENARIO = SOURCE / "scenarios/paper/fig6_joint.yaml"
SMALL = ("--set", "run.transfers=40", "--set", "run.repetitions=2")
SECONDS = 300
sys.path.insert(0, str(SOURCE / "scripts"))


def run(*command: Any) -> Any:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=SECONDS,
                          check=False)


def check(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def look(scenario: Any, folder: Path, *more: Any) -> Any:
    return run(SOURCE / "scripts/look_inside", scenario, folder, "--program", BIN, *more)


def report(folder: Path) -> Any:
    return run("/usr/bin/python3", SOURCE / "scripts/report", folder)


def files(folder: Any) -> dict[Path, bytes]:
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*") if path.is_file()
    }


def prepare() -> tuple[Path, dict[Path, bytes]]:
    """(root, files of its folder fig6_joint before it was looked into): figure 6 with few
    transfers. Until the module's end."""
    root = Path(tempfile.mkdtemp(prefix="rnicsim_inside_"))
    unittest.addModuleCleanup(shutil.rmtree, root, ignore_errors=True)
    check(
        run(BIN, "run", SCENARIO, "--no-plot", "--transfers-csv", "--out", root / "fig6_joint",
            *SMALL))
    before = files(root / "fig6_joint")
    check(look(SCENARIO, root / "fig6_joint"))
    return root, before


def content(folder: Any) -> Any:
    return json.loads((folder / "inside/inside.json").read_text(encoding="utf-8"))


def transfers(folder: Any) -> collections.defaultdict[tuple[int, str], list[dict[str, str]]]:
    """Completed transfers by point and method, in the file's order."""
    groups = collections.defaultdict(list)
    with (folder / "transfers.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert row["error"] == ""
            groups[int(row["point"]), row["method"]].append(row)
    return groups


def summary(folder: Any) -> list[dict[str, str]]:
    with (folder / "summary.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Temporary(unittest.TestCase):
    """A folder for each test, and a copy of the results in it."""
    original: Any = None

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_look_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def copy(self) -> Path:
        shutil.copytree(self.original, self.folder / "fig6_joint")
        return self.folder / "fig6_joint"
