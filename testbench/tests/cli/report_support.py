# SPDX-License-Identifier: Apache-2.0
"""What the tests of `rnicsim report` share. Environment: RNICSIM_BIN and RNICSIM_SOURCE_DIR."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim.report_page import results  # noqa: E402

SECONDS = 300
METHODS = ("traditional", "dynamic")
RESOLVED = """system:
  rnic:
    drp:
      indirect_buffer: 48 KiB
run:
  size: 128 KiB
  transfers: {transfers}
  sweep:
    - {{name: {axis}, keys: [{key}], values: []}}
"""


def rnicsim(*arguments: Any) -> Any:
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True,
                          timeout=SECONDS, check=False)


def write_folder(root: Path, name: str, axis: Any, points: Any,
                 rows: Sequence[tuple[tuple[float, float], tuple[float, float],
                                      tuple[float, float]]], references: Any = None,
                 key: str = "run.none", transfers: int = 800,
                 extra: Mapping[tuple[int, str], dict[str, Any]] | None = None) -> results.Result:
    """A result folder by hand. `points`: texts, or lists of texts for several axes. `rows`: for
    each point ((mean, sd) of traditional, (mean, sd) of dynamic, (gain, half width)). `extra`:
    (point, method) -> more columns."""
    folder = root / name
    folder.mkdir(parents=True)
    axes = [axis] if isinstance(axis, str) else axis
    points = [[p] if isinstance(p, str) else p for p in points]
    manifest = {
        "scenario": {
            "name": name,
            "seed": 1,
            "repetitions": 5,
            "methods": list(METHODS),
            "axes": axes,
            "points": points,
            "resolved": RESOLVED.format(axis=axes[0], key=key, transfers=transfers)
        },
        "reference": {
            "source": "by hand",
            "gains": [{
                "point": p,
                "gain": g
            } for p, g in (references or {}).items()]
        },
        "program": {
            "git_revision": "abc",
            "source_hash": "def"
        },
        "machine": {
            "cpu": "none",
            "cores": 1
        },
        "cost": {
            "data_frames": 1,
            "data_frames_per_run_second": 1.0,
            "wall_seconds": 1.0
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = []
    for p, (*times, (gain, half)) in enumerate(rows):
        for method, (mean, sd) in zip(METHODS, times):
            line = {
                "point": p,
                **dict(zip(axes, points[p])), "method": method,
                "repetitions": 5,
                "transfers_completed": 4000,
                "mean_us": mean,
                "sd_us": sd,
                "ci95_us": sd * 1.24,
                "indirect_share": 0.1,
                "gain": "",
                "gain_ci95": ""
            }
            if method == "dynamic":
                line.update(gain=gain, gain_ci95=half)
            lines.append({**line, **(extra[p, method] if extra and (p, method) in extra else {})})
    with (folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ordered_columns(lines))
        writer.writeheader()
        writer.writerows(lines)
    return results.Result(folder)


def ordered_columns(lines: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(column for line in lines for column in line))


class Temporary(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_report_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


def run_joint(out: Path, transfers: int, *more: Any) -> subprocess.CompletedProcess[str]:
    """Figure 6 with few transfers."""
    return check(
        rnicsim("run", SOURCE / "scenarios/paper/fig6_joint.yaml", "--no-plot", "--out", out,
                "--set", f"run.transfers={transfers}", "--set", "run.repetitions=3", *more))


def check(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done
