# SPDX-License-Identifier: Apache-2.0
"""The longest path of each Verilog module, by two estimates, and where it runs.

Usage: scripts/timing [--rtl FOLDER] [--log FOLDER] [--jobs N] [--write]
                      [--sample N] [--seed N] [--all] [MODULE...]

  MODULE        only these [all but rnic_core, which holds others and takes minutes]
  --write       rtl/timing.csv gets what is measured; without it that file is the limit
  --rtl FOLDER  time this Verilog instead [rtl]
  --log FOLDER  keeps Yosys' scripts, logs and reports there: MODULE/MODULE.sta has the path cell by
                cell
  --jobs N      runs of Yosys at once [all cores]
  --sample N    of the modules N, drawn by --seed N [all; the seed: from the commit]; --all, or
                RNICSIM_ALL=1: all

Yosys maps each module alone to Cyclone V (28 nm), without wires. `abc` is ABC's last word on the
logic between registers; `sta` adds up the cells of the mapped netlist, carry chains and clock to
output included. Neither is a bound: ABC calls a path short that `sta` finds long, and the other way
round, so both count. 8 ns is a cycle at 125 MHz; 2 of them are for wires. ABC searches: another
name or line number moves its word by some per cent, so a path has grown when it is 5 % longer.

Another version of Yosys maps otherwise: with it, nothing is compared. Exit codes: 0 no path has
grown beyond rtl/timing.csv, 1 one has, or Yosys failed, 2 a wrong argument, 77 skipped.
"""

import argparse
import concurrent.futures
import csv
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from rnicsim import ending
from rnicsim import sampling
from rnicsim.places import RTL, module_file, verilog
from rnicsim.verilog.file_list import parts
from rnicsim.verilog.hwcost import CORE, FAMILIES, parse_delay, yosys

VERSION = "0.23"  # of the numbers in rtl/timing.csv
GOAL = 6000  # ps, of 8000
NOISE = 1.05
COLUMNS = ("module", "abc_ps", "sta_ps")


class LongestPath(NamedTuple):
    """Of a module, in ps. `through`: names of the RTL on the path of sta, from its start."""
    abc: int
    sta: int
    through: tuple[str, ...]


def parse_path(report: str) -> tuple[int, tuple[str, ...]]:
    """The time of Yosys' `sta`, and the signals of the RTL on its path; 0 if there is no path."""
    latest = re.search(r"^Latest arrival time in '.*' is (\d+):$", report, re.MULTILINE)
    if not latest:
        return 0, ()
    lines = report[latest.end():].partition("\nWarning")[0].splitlines()
    names = [
        found[1] for line in reversed(lines)
        if (found := re.match(r"^\s+(?:0\s+)?\\(\S+(?: \[\d+\])?)", line))
    ]
    return int(latest[1]), tuple(dict.fromkeys(name.replace(" ", "") for name in names))


def measure(rtl: Path, module: str, folder: Path) -> LongestPath:
    """In a folder of its own, which has only what the module needs: where the sources lie, and what
    else there is, decides nothing."""
    own = module_file(module, rtl)
    folder = folder / module
    folder.mkdir(exist_ok=True)
    files = [*sorted(rtl.glob("*_pkg.sv")), *sorted(parts(own, rtl)), own]
    for file in files:
        shutil.copy(file, folder)
    script = FAMILIES["cyclonev"]["script"]
    yosys(module, folder, module, [
        f"read_verilog -sv -noassert {' '.join(file.name for file in files)}",
        f"hierarchy -check -top {module}", *(line.replace("{top}", module) for line in script),
        f"tee -q -o {module}.sta sta"
    ])
    sta, through = parse_path((folder / f"{module}.sta").read_text(encoding="utf-8"))
    abc = parse_delay((folder / f"{module}.log").read_text(encoding="utf-8"))
    return LongestPath(abc, sta, through)


def read_limits(file: Path) -> dict[str, tuple[int, int]]:
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8", newline="") as text:
        return {row["module"]: (int(row["abc_ps"]), int(row["sta_ps"]))
                for row in csv.DictReader(text)}


def write_limits(file: Path, limits: dict[str, tuple[int, int]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as text:
        out = csv.writer(text, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows((module, *limits[module]) for module in sorted(limits))


def table(paths: dict[str, LongestPath]) -> str:
    lines = [f"{'module':<22} {'abc ns':>7} {'sta ns':>7}  path that sta found"]
    for module, path in sorted(paths.items(), key=lambda item: -max(item[1][:2])):
        late = "" if max(path.abc, path.sta) <= GOAL else f"  above {GOAL / 1000:.1f} ns"
        lines.append(f"{module:<22} {path.abc / 1000:7.2f} {path.sta / 1000:7.2f}  "
                     f"{' > '.join(path.through)}{late}")
    return "\n".join(lines)


def longer(paths: dict[str, LongestPath], limits: dict[str, tuple[int, int]]) -> Iterable[str]:
    """What is wrong, in a line each."""
    for module, path in sorted(paths.items()):
        if module not in limits:
            yield f"{module}: rtl/timing.csv has no row for it; --write adds one"
            continue
        for estimate, is_now, limit in zip(("abc", "sta"), path[:2], limits[module]):
            if is_now > limit * NOISE:
                yield (f"{module}: {is_now / 1000:.2f} ns by {estimate}, rtl/timing.csv allows "
                       f"{limit / 1000:.2f}: {' > '.join(path.through)}")


def version() -> str:
    try:
        done = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    found = re.match(r"Yosys (\d+\.\d+)", done.stdout)
    return found[1] if found else "?"


@ending.reported("timing")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rtl", default=RTL, type=Path)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    sampling.add_options(parser)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    options = parser.parse_args(arguments)
    here = version()
    if not here:
        print("SKIPPED: no Yosys here (Debian: yosys)")
        return 77
    every = sorted(file.stem for file in verilog(options.rtl) if not file.stem.endswith("_pkg"))
    for module in options.modules:
        if module not in every:
            parser.error(f"{module}: expected a module of {options.rtl}: {', '.join(every)}")
    chosen = options.modules or sampling.drawn([module for module in every if module != CORE],
                                               options, "modules")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.log or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = {module: pool.submit(measure, options.rtl, module, folder) for module in chosen}
            paths = {module: run.result() for module, run in runs.items()}
    print(table(paths))
    file = RTL / "timing.csv"
    if options.write:
        write_limits(file, {
            **{module: limit for module, limit in read_limits(file).items() if module in every},
            **{module: path[:2] for module, path in paths.items()}
        })
        return 0
    if here != VERSION:
        print(f"not compared: rtl/timing.csv has the numbers of Yosys {VERSION}, {here} is here")
        return 77
    wrong = list(longer(paths, read_limits(file)))
    print("\n".join(wrong) or f"no path has grown beyond rtl/timing.csv ({len(paths)} modules)")
    return 1 if wrong else 0
