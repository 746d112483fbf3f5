# SPDX-License-Identifier: Apache-2.0
"""Reads every module and package of rtl/ with Icarus Verilog, as a second opinion beside Verilator
and Yosys.

Usage: scripts/lint_icarus [MODULE...]

MODULE: only these. Icarus 11 (Debian 12) does not know all of the language; it reads copies with
these differences only: `int unsigned` of parameters is `int`, and what is checked (assertions with
labels, $error about parameters) is left out. What it still does not read is printed with the
reason. Without Icarus Verilog nothing is read, and that is said. Exit codes: 0 it objects to
nothing, 1 it does.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.places import RTL, verilog
from rnicsim.verilog.file_list import sources

WRITTEN_ANEW: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"\b(localparam|parameter) int unsigned\b"), r"\1 int"),
    (re.compile(r"^( *)a_\w+ :\s+assert \(.*?\);$", re.MULTILINE | re.DOTALL),
     lambda found: found[1] + ";" + "\n" * found[0].count("\n")),
    (re.compile(r"^( *)\$error\(.*\);$", re.MULTILINE), r"\1localparam int Illegal = 1;"),
)
# What Icarus says of its own limits, not of the Verilog.
LIMITS = ("sorry: constant selects in always_* processes",)
UNREAD = {"STRUCT": "Icarus 11 ends itself at a port that is a structure of a package"}
# It cannot read these: why.
REASONS = {
    module: UNREAD["STRUCT"]
    for module in ("decide_command", "decide_common", "decide_data", "decide_release",
                   "decide_request", "decide_send", "decide_timer", "decision_end",
                   "decision_facts", "transport_decision", "transport_controller", "rnic_core")
}


def says(file: Path, folder: str | Path) -> Any:
    """What Icarus objects to in a module, with those inside it; in a package, beside a module that
    needs none."""
    beside = ["crc32_byte.sv"] if file.stem.endswith("_pkg") else []
    files = [*(part.name for part in sources(file)), *beside]
    done = subprocess.run(["iverilog", "-g2012", "-Wall", "-tnull", *files],
                          cwd=folder, capture_output=True, text=True, check=False)
    said = [
        line for line in (done.stdout + done.stderr).splitlines()
        if line.strip() and not any(limit in line for limit in LIMITS)
    ]
    if done.returncode != 0 and not said:
        said = [f"exit code {done.returncode}"]
    return done.returncode, said


@ending.reported("lint_icarus")
def main(names: Sequence[str]) -> int:
    if names[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if shutil.which("iverilog") is None:
        print(
            "lint: iverilog is not installed (scripts/setup --tests): Verilog was NOT read a "
            "second time"
        )
        return 0
    files = sorted([*verilog(), *RTL.glob("examples/*.sv")], key=lambda file: file.name)
    read, unread, faults = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            text = file.read_text(encoding="utf-8")
            for pattern, instead in WRITTEN_ANEW:
                text = pattern.sub(instead, text)
            (Path(folder) / file.name).write_text(text, encoding="utf-8")
        for file in [file for file in files if not names or file.stem in names]:
            module = file.stem
            code, said = says(file, folder)
            if code != 0 and module in REASONS:
                unread.append(f"{module} ({REASONS[module]})")
            elif said:
                faults += [f"{module}: {line}" for line in said]
            else:
                read += 1
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    print(f"lint: Icarus Verilog read {read} files" +
          (f"; not read: {'; '.join(unread)}" if unread else ""))
    return 1 if faults else 0
