"""Changes that make transfers slower and break nothing: does a baseline see each?

Usage: scripts/slower_changes [--build FOLDER] [--only REGEX] [--sample N] [--seed N] [--all]

  --build FOLDER  a build with tests [build/ci]; its program is linked anew with each change
  --only REGEX    those in whose name it is found
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or RNICSIM_ALL=1: all, whatever it says

The changes stand in testbench/tests/mutants/slower.txt. With each, the two long scenarios of results/baseline are simulated with
ten times their transfers: nothing fails, and the transfers of one of them at least take longer. Exit codes: 0 each costs time
and a baseline sees it, 1 one does not.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rnicsim import ending
from rnicsim import sampling
from rnicsim.faults import mutants, wrong_changes
from rnicsim.faults.linking import link, link_command, only_once, pattern
from rnicsim.places import ROOT

LIST = ROOT / "testbench" / "tests" / "mutants" / "slower.txt"
LONG = [ROOT / "results" / "baseline" / "scenarios" / f"long_{name}.yaml" for name in ("writes", "reads")]
TRANSFERS = 40  # of each method
SECONDS = 300


def read_changes():
    changes = []
    for number, line in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        file, old, new, name = mutants.parts_of(line)
        only_once((ROOT / mutants.SOURCES / file).read_text(encoding="utf-8"), old, f"{LIST.name}:{number}: {file}")
        changes.append((file, old, new, name))
    return changes


def mean_time(program, scenario, folder):
    """Of a transfer, in microseconds; ends the script if one fails, or the run does: that would be wrong, not slow."""
    out = folder / f"out_{scenario.stem}"
    done = subprocess.run([program, "run", scenario, "--set", f"run.transfers={TRANSFERS}", "--no-plot", "--quiet", "--transfers-csv", "--fresh",
                           "--out", out], capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        sys.exit(f"error: {scenario.name} fails, so that the change is not only slow:\n{done.stderr}")
    rows = list(csv.DictReader((out / "transfers.csv").open(encoding="utf-8")))
    if any(row["error"] for row in rows):
        sys.exit(f"error: transfers of {scenario.name} fail, so that the change is not only slow")
    return sum(float(row["time_us"]) for row in rows) / len(rows)


@ending.told("slower_changes")
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--only", default="", type=pattern)
    sampling.add_options(parser)
    options = parser.parse_args(arguments)
    changes = [change for change in read_changes() if options.only.search(change[3])]
    if not changes:
        parser.error(f"--only {options.only.pattern}: no name of a change has that")
    changes = sampling.drawn(changes, options, "slower changes")
    commands, program_link = mutants.compile_commands(options.build), link_command(options.build, "rnicsim")
    started, good = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as work:
        as_it_is = options.build / "bin" / "rnicsim"
        if found := wrong_changes.by_baseline(as_it_is):
            sys.exit(f"error: the baselines differ with the sources as they are: {found}")
        before = [mean_time(as_it_is, scenario, Path(work)) for scenario in LONG]
    for number, (file, old, new, name) in enumerate(changes, 1):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            text = (ROOT / mutants.SOURCES / file).read_text(encoding="utf-8").replace(old, new)
            link(program_link, mutants.compiled(folder, file, text, commands, options.build), folder / "rnicsim", options.build)
            after = [mean_time(folder / "rnicsim", scenario, folder) for scenario in LONG]
            seen = wrong_changes.by_baseline(folder / "rnicsim")
        costs = [b / a - 1 for a, b in zip(before, after)]
        good += bool(seen) and max(costs) > 0
        print(f"{number:2}/{len(changes)}  {name}: writes {costs[0]:+.1%}, reads {costs[1]:+.1%}; "
              f"{seen or 'NO BASELINE SEES IT'}{'' if max(costs) > 0 else '; NOT SLOWER'}", flush=True)
    print(f"slower changes: {good} of {len(changes)} cost time and are seen, in {time.monotonic() - started:.0f} s")
    return 0 if good == len(changes) else 1
