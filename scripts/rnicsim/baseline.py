# SPDX-License-Identifier: Apache-2.0
"""Compares what the program gives for the scenarios of results/baseline/scenarios with their
baselines, to the event.

Where one differs, prints the first run, transfer and event that differ, and the event's cause.
After an intended change: --update, and commit. Exit codes: 0 all equal or updated, 1 different, 2
bad input or a baseline is missing, 3 a simulation failed.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.comparison import baseline
from rnicsim.comparison.sides import Settings
from rnicsim.report_page.results import Unusable
from rnicsim.places import ROOT


def parse(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(prog="scripts/baseline", description=__doc__,
                                     allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios [all]")
    parser.add_argument("--update", action="store_true",
                        help="make anew the baselines that differ or are missing")
    parser.add_argument("--program", type=Path, metavar="FILE",
                        default=ROOT / "build/release/bin/rnicsim",
                        help="[build/release/bin/rnicsim]")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="sets",
                        help="override a key of every scenario: what would that change?")
    parser.add_argument("--folder", type=Path, metavar="DIR", default=ROOT / "results/baseline",
                        help="[results/baseline]")
    options = parser.parse_args(arguments)
    if options.update and options.sets:
        parser.error("--update: a baseline is of its scenario as it is, without --set")
    return options


def run(options: Any) -> int:
    """The exit code. Throws Unusable, sides.Failed, OSError."""
    with tempfile.TemporaryDirectory(prefix="rnicsim_baseline_") as work:
        baselines, settings = baseline.Baselines(options.folder), Settings(
            options.program, options.sets)
        names = baselines.names(options.names)
        if options.update:
            baseline.update(baselines, names, settings, Path(work))
            return 0
        if not options.names and baselines.left_over():
            raise Unusable(
                f"{options.folder}: baselines without a scenario: "
                f"{', '.join(baselines.left_over())}; --update removes them"
            )
        return 0 if baseline.check(baselines, names, settings, Path(work)) else 1


@ending.reported("baseline", "what was said to be written is, the same command begins anew",
                 on_sigterm=True)
def main(arguments: Sequence[str]) -> int:
    return run(parse(arguments))
