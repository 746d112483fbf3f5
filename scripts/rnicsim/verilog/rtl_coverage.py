# SPDX-License-Identifier: Apache-2.0
"""Which lines of the Verilog run, and which of its bits toggle, under the tests that compare it
with the models.

Usage: scripts/rtl_coverage [--build FOLDER] [--scenarios N] [--out FOLDER] [--jobs N]

  --build FOLDER  configured and built here, with counters in the Verilog [build/rtl_coverage]
  --scenarios N   random scenarios of testbench/tests/cosim/cosim_test.py, beside the directed tests
                  [100]
  --out FOLDER    the table, what is not covered, and the sources with their counts, % before the
                  lines that have a point which never ran [results/rtl_coverage]
  --jobs N        compilers at once [all cores]

A line counts as covered when every branch that begins on it has been taken, a bit when it has
changed. Modules that are used several times count once. Exit codes: 0 done, 1 a test failed, 2 a
bad option, or something could not be built.

What was left uncovered the last time: ends of `if` chains and state machines that cover every case,
texts of assertions, upper halves of host addresses (only block tests go above 4 GiB), and high bits
of counters and deep queues.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.places import ROOT

COSIM_TEST = ROOT / "testbench" / "tests" / "cosim" / "cosim_test.py"
BATCH = 500  # files that verilator_coverage gets in one command
SECONDS = 3600  # nothing that is started here takes longer, but for very many scenarios


def call(what: Any, command: Any, exit_code: Any, **options: Any) -> None:
    """Says what it does; ends the script with the command's output if it fails."""
    print(f"{what} ...", flush=True)
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS, check=False, **options)
    except subprocess.TimeoutExpired:
        print(f"error: {what} took longer than {SECONDS} s", file=sys.stderr)
        sys.exit(exit_code)
    if done.returncode != 0:
        print(f"{done.stdout}error: {what} failed", file=sys.stderr)
        sys.exit(exit_code)


def build(folder: Path, jobs: Any) -> None:
    call("configuring", [
        "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DRNICSIM_RTL_COVERAGE=ON", "-DRNICSIM_RTL_TRACE=OFF", "-DRNICSIM_BUILD_BENCH=OFF"
    ], 2)
    call("building test_cosim and rnicsim",
         ["cmake", "--build", folder, "-j", jobs, "--target", "test_cosim", "rnicsim"], 2)


def simulate(build_folder: Any, scenarios: Any, counts: Any) -> None:
    programs = build_folder.resolve() / "bin"
    environment = os.environ | {
        "RNICSIM_RTL_COVERAGE": str(counts),
        "RNICSIM_BIN": str(programs / "rnicsim"),
        "RNICSIM_COSIM_SCENARIOS": str(scenarios)
    }
    call("directed tests", [programs / "test_cosim"], 1, env=environment)
    if scenarios:
        call(f"{scenarios} random scenarios",
             ["/usr/bin/python3", COSIM_TEST, "Cosim.test_random_scenarios"], 1, env=environment)


def merge(counts: Any) -> Any:
    """All counts of a point added up, whichever instance it is in: {(file, line, column, page,
    text): count, lines}."""
    files = sorted(counts.glob("*.dat"))
    merged = [counts / f"merged{i}" for i in range(0, len(files), BATCH)]
    for place, target in enumerate(merged):
        call(f"merging {len(files[place * BATCH:(place + 1) * BATCH])} files",
             ["verilator_coverage", "--write", target, *files[place * BATCH:(place + 1) * BATCH]],
             2)
    points: dict[tuple[Any, ...], list[Any]] = collections.defaultdict(lambda: [0, set()])
    for file in merged:
        for key, count in re.findall(r"^C '(.*)' (\d+)$", file.read_text(encoding="utf-8"),
                                     re.MULTILINE):
            field = dict(part.split("\x02", 1) for part in key.split("\x01") if part)
            point = points[field["f"],
                           int(field["l"]),
                           int(field.get("n", 0)), field["page"],
                           field.get("o", "")]
            point[0] += int(count)
            for first, last in re.findall(r"(\d+)(?:-(\d+))?", field.get("S", field["l"])):
                point[1] |= set(range(int(first), int(last or first) + 1))
    return points


def annotate(points: Any, out: Path) -> None:
    """Sources with the counts at their lines, by verilator_coverage."""
    for old in out.glob("*.sv"):
        old.unlink()
    with tempfile.NamedTemporaryFile("w", suffix=".dat", encoding="utf-8") as file:
        file.write("# SystemC::Coverage-3\n")
        for (source, line, column, page, text), (count, lines) in sorted(points.items()):
            shown = ",".join(map(str, sorted(lines)))
            file.write(
                f"C '\x01f\x02{source}\x01l\x02{line}\x01n\x02{column}\x01page\x02{page}\x01o\x02{text}\x01S\x02{shown}' {count}\n"  # noqa: E501
            )
        file.flush()
        call("annotating", [
            "verilator_coverage", "--annotate",
            out.resolve(), "--annotate-all", "--annotate-min", "1", file.name
        ], 2, cwd=ROOT / "rtl")  # sources have the names that Verilator was given there


def uncovered(points: Any) -> Any:
    """A line for each point that never ran: file, line, what."""
    return "".join(f"{source}:{line}: {page.replace('v_', '').replace('/', ' of ')}: {text}\n"
                   for (source, line, _, page, text), (count, _) in sorted(points.items())
                   if count == 0)


def table(points: Any) -> Any:
    """A row for each module: lines covered and all, toggles covered and all."""
    lines: collections.defaultdict[Any, Any] = collections.defaultdict(
        lambda: collections.defaultdict(lambda: True))
    toggles = collections.defaultdict(list)
    for (_, _, _, page, _), (count, on) in points.items():
        kind, module = page.split("/")
        if kind == "v_toggle":
            toggles[module].append(count > 0)
        else:
            for line in on:
                lines[module][line] &= count > 0
    rows = [["module", "lines", "", "toggles", ""]]
    for module in sorted(set(lines) | set(toggles)):
        row = [module]
        for covered in (list(lines[module].values()), toggles[module]):
            row += [
                f"{sum(covered)} / {len(covered)}",
                f"{100 * sum(covered) / len(covered):.1f} %" if covered else "-"
            ]
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip()
                     for row in rows) + "\n"


def whole_number(text: str) -> Any:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"found '{text}', expected a whole number")
    return int(text)


@ending.reported("rtl_coverage")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "rtl_coverage", type=Path)
    parser.add_argument("--scenarios", default=100, type=whole_number)
    parser.add_argument("--out", default=ROOT / "results" / "rtl_coverage", type=Path)
    parser.add_argument("--jobs", default=os.cpu_count(), type=whole_number)
    options = parser.parse_args(arguments)
    if options.jobs == 0:
        parser.error("argument --jobs: found '0', expected at least 1")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out {options.out}: {error.strerror}")
    build(options.build, options.jobs)
    with tempfile.TemporaryDirectory() as counts:
        simulate(options.build, options.scenarios, Path(counts))
        points = merge(Path(counts))
    if not points:
        sys.exit("error: the tests have left no counts")
    annotate(points, options.out)
    text = table(points)
    (options.out / "table.txt").write_text(text, encoding="utf-8")
    (options.out / "uncovered.txt").write_text(uncovered(points), encoding="utf-8")
    print(f"\n{text}\n{options.out}: table.txt, uncovered.txt, annotated sources")
    return 0
