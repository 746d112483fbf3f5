# SPDX-License-Identifier: Apache-2.0
"""What the tests of `rnicsim compare` share: results folders made by hand, and calls of the
program.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
SECONDS = 120  # the longest that any call may take
SCENARIO = """
system:
  link: {loss: 5 %}
  host: {registration: {failure: 5 %}}
run: {size: 16 KiB, transfers: 8, repetitions: 3}
"""


def command(*words: str | Path,
            program: Sequence[str | Path] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*(program or [BIN]), *map(str, words)], capture_output=True, text=True,
                          timeout=SECONDS, check=False)


def compare(*words: Any) -> Any:
    return command("compare", *words)


class Folder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def scenario(self, text: str = SCENARIO, name: str = "small") -> Any:
        file = self.folder / f"{name}.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    def run_scenario(self, out: str, *words: str) -> Path:
        done = command("run", self.scenario(), "--transfers-csv", "--no-plot", "--quiet", "--out",
                       self.folder / out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def check(self, done: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
        """The exit code, and what stdout (stderr, if the code says that there is no result) has to
        say."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for text in said:
            self.assertIn(text, done.stdout if code in (0, 1) else done.stderr)
        if code not in (0, 1):
            self.assertEqual(done.stdout, "")


def transfer(start: int = 1, time: int = 100, **more: Any) -> dict[str, Any]:
    """Cycles; the columns that transfers.csv has."""
    return {
        "operation": "write",
        "start_cycle": start,
        "end_cycle": start + time,
        "time_us": f"{time * 0.008:.3f}",
        "mode": "direct",
        "error": "",
        "setup_cycles": 10,
        "wire_cycles": time - 10,
        **more
    }


def make(folder: Path, runs: Mapping[tuple[int, str, int], dict[tuple[str, int], dict[str, Any]]],
         axes: Any = (), points: Any = ((), ), counters: Mapping[str, int] | None = None,
         resolved: str = "run:\n  size: 1 KiB\n", seed: int = 1) -> Path:
    """A results folder. `runs`: {(point, method, repetition): {(initiator, id): transfer()}}."""
    folder.mkdir()
    methods = list(dict.fromkeys(method for _, method, _ in runs))
    repetitions = max(repetition for _, _, repetition in runs) + 1
    manifest = {
        "format": 1,
        "program": {
            "git_revision": "abc",
            "source_hash": "def"
        },
        "scenario": {
            "name": "made",
            "seed": seed,
            "methods": methods,
            "repetitions": repetitions,
            "axes": list(axes),
            "points": [list(values) for values in points],
            "resolved": resolved
        }
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    rows = [{
        "point": point,
        "method": method,
        "repetition": repetition,
        "initiator": end,
        "id": number,
        **its
    } for (point, method, repetition), transfers in runs.items()
            for (end, number), its in transfers.items()]
    write(folder / "transfers.csv", rows)
    summary = []
    for point in range(len(points)):
        for method in methods:
            errors = [
                row["error"] for row in rows if (row["point"], row["method"]) == (point, method)
            ]
            summary.append({
                "point": point,
                "method": method,
                "transfers_completed": errors.count(""),
                "transfers_failed": len(errors) - errors.count(""),
                **(counters or {
                    "a.x": 5,
                    "b.x": 0
                })
            })
    write(folder / "summary.csv", summary)
    return folder


def write(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
