# SPDX-License-Identifier: Apache-2.0
"""What the tests of --events, --trace, --vcd and explain share: one scenario with faults of all
kinds, run once.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""
import csv
import functools
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
FOLDER = tempfile.TemporaryDirectory()
WORK = Path(FOLDER.name)
SCENARIO = """
system:
  link: {loss: 6 %}
  host: {registration: {failure: 40 %}}
  rnic: {drp: {rx_buffer: 3036 B, indirect_buffer: 8 KiB}, pcie: {request_overhead: 2 us}}
run: {methods: [traditional, dynamic], repetitions: 2, size: 20001 B, operation: alternate, direction: both, in_flight: 3, transfers: 12}
"""  # noqa: E501


def rnicsim(*words: Any, code: int = 0) -> Any:
    done = subprocess.run([BIN, *map(str, words)], capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def scenario(name: str | Path = "look", text: str = SCENARIO) -> Any:
    file = WORK / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def simulate(out: str | Path, *words: Any, code: int = 0) -> Any:
    return rnicsim("run", scenario(), "--out", WORK / out, "--no-plot", "--quiet", *words,
                   code=code)


@functools.cache
def looked_at() -> Path:
    """The folder of a run of the dynamic method with everything on."""
    simulate("all", "--observe-run", "p000_dynamic_r1", "--events", WORK / "e.csv", "--trace",
             WORK / "t.json", "--vcd", WORK / "s.vcd", "--transfers-csv")
    return WORK / "all"


def rows(file: str | Path = "e.csv") -> list[dict[str, str]]:
    with open(WORK / file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@functools.cache
def counters() -> dict[str, int]:
    """Of the run that was looked at: from its file in OUT/runs."""
    import json
    folder = looked_at()
    file = next((folder / "runs").glob("p000_dynamic_r1_*.json"))
    text = file.read_text(encoding="utf-8")
    return dict(json.JSONDecoder().raw_decode(text[text.index("{"):])[0]["counters"])
