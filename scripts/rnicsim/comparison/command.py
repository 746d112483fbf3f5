# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/compare, which `rnicsim compare` passes on."""

import argparse
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from rnicsim.comparison import document, page, text
from rnicsim.comparison.sides import FolderSide, Settings, side
from rnicsim.report_page.results import Unusable
from rnicsim.places import ROOT

DESCRIPTION = """\
Compare two scenarios, settings, builds or results folders on the same draws: per point the paired difference of the times with
its 95 % interval, what moved, the first transfer and the first event that differ. A and B: a scenario (.yaml), which is run, or
a results folder with transfers.csv (rnicsim run --transfers-csv)."""  # noqa: E501
EPILOG = """\
Exit codes:
  0  equal, or within --tolerance
  1  different
  2  bad input
  3  a simulation failed
  130  interrupted

Examples:
  rnicsim compare my.yaml --set-b system.rnic.drp.window=4 --html window.html
  rnicsim compare my.yaml --program-b ../other/build/release/bin/rnicsim --tolerance "1 %"
  rnicsim compare results/before results/after
  rnicsim compare results/before my.yaml"""


def fraction(text_given: Any) -> Any:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", text_given.strip())
    if not match:
        raise argparse.ArgumentTypeError(f"'{text_given}': expected a percentage such as \"1 %\"")
    return float(match[1]) / 100


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="rnicsim compare", description=DESCRIPTION, epilog=EPILOG,
                                     allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = result.add_argument
    add("a", type=Path, metavar="A", help="scenario or results folder")
    add("b", type=Path, metavar="B", nargs="?",
        help="the other one [A, if --set-b, --profile-b or --program-b makes it another]")
    add(
        "--program", type=Path, metavar="FILE", default=ROOT / "build/release/bin/rnicsim",
        help="what runs both [the rnicsim that was called; of scripts/compare: "
        "build/release/bin/rnicsim]"
    )
    add("--program-a", type=Path, metavar="FILE", help="what runs A: another build's rnicsim")
    add("--program-b", type=Path, metavar="FILE", help="what runs B")
    add("--set", action="append", default=[], metavar="KEY=VALUE", dest="sets",
        help="override a key of every scenario among A and B")
    for side_name in ("a", "b"):
        add(f"--set-{side_name}", action="append", default=[], metavar="KEY=VALUE",
            dest=f"sets_{side_name}", help=f"override a key of {side_name.upper()} only")
    for name, whose in (("", "every scenario among A and B"), ("-a", "A only"),
                        ("-b", "B only")):
        add(f"--profile{name}", action="append", default=[], type=Path, metavar="FILE",
            help=f"a profile of your own, for {whose}")
    add("--seed", metavar="N", help="seed of every scenario among A and B")
    add("--tape", type=Path, metavar="FILE", help="passed on to `rnicsim run` of both")
    add(
        "--events", action=argparse.BooleanOptionalAction, default=True,
        help="look for the first event that differs; runs the first run "
        "that differs once more on both sides")
    add(
        "--tolerance", type=fraction, metavar="PERCENT",
        help="exit code 0 also if no mean time differs by more than "
        "this, every transfer is on both sides, and the same ones fail")
    add("--json", type=Path, metavar="FILE",
        help="write the comparison for programs (results/README.md)")
    add("--html", type=Path, metavar="FILE", help="write it as a page")
    add("--jobs", "-j", type=int, metavar="N",
        help="runs simulated at once [as many as the machine has cores]")
    return result


def sides(options: argparse.Namespace, work: Path) -> Any:
    """(A, B). Throws Unusable."""
    of_one = (options.sets_a, options.sets_b, options.program_b, options.profile_b)
    if options.b is None and not any(of_one):
        raise Unusable("there is nothing to compare with: expected B, --set-b, --profile-b or "
                       "--program-b")
    settings = [
        Settings(program or options.program, sets, options.seed, options.tape, options.jobs,
                 [*options.profile, *profiles])
        for program, sets, profiles in (
            (options.program_a, [*options.sets, *options.sets_a], options.profile_a),
            (options.program_b, [*options.sets, *options.sets_b], options.profile_b))
    ]
    both = [
        side(what, its, work / name)
        for what, its, name in zip((options.a, options.b or options.a), settings, ("a", "b"))
    ]
    for name, one, profiles in (("a", both[0], options.profile_a),
                                ("b", both[1], options.profile_b)):
        if isinstance(one, FolderSide) and profiles:
            raise Unusable(f"--profile-{name}: {name.upper()} is {one.name}, a results folder, "
                           "which has its profiles in its manifest: expected a scenario")
    for name, one, sets in (("a", both[0], options.sets_a), ("b", both[1], options.sets_b)):
        if isinstance(one, FolderSide) and sets:
            raise Unusable(f"--set-{name}: {name.upper()} is {one.name}, a results folder: "
                           "expected a scenario")
    given = options.sets or options.profile or options.seed is not None or options.tape is not None
    if all(isinstance(one, FolderSide) for one in both) and given:
        raise Unusable("--set, --seed, --tape, --profile: A and B are results folders: expected a "
                       "scenario")
    return both


def check_writable(file: Path) -> None:
    if file is not None and not file.parent.is_dir():
        raise Unusable(f"{file}: there is no folder {file.parent}")


def write(file: Path, content: Any) -> None:
    """Throws Unusable."""
    try:
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise Unusable(
            f"{file}: cannot be written: {error.strerror}; make room, or name another file"
        ) from error


def run(options: Any) -> Any:
    """The exit code. Throws Unusable, sides.Failed, OSError."""
    for file in (options.json, options.html):
        check_writable(file)
    with tempfile.TemporaryDirectory(prefix="rnicsim_compare_") as work:
        a, b = sides(options, Path(work))
        found = document.compare(a, b, document.DIFFERING if options.events else document.NONE,
                                 options.tolerance)
    print("\n".join(text.lines(found)))
    if options.json:
        write(options.json, json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    if options.html:
        write(options.html, page.page(found))
    return 1 if found["verdict"] == document.DIFFERENT else 0
