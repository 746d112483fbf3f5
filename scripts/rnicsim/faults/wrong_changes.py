"""Ten wrong changes of the protocol: is each caught, and by what?

Usage: scripts/wrong_changes [--build FOLDER] [--only REGEX] [--sample N] [--seed N] [--all]

  --build FOLDER  a build with tests [build/ci]; its program is linked anew with each change
  --only REGEX    those in whose name it is found
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or RNICSIM_ALL=1: all, whatever it says

Three look at each, as somebody would who has changed the protocol:
  baseline  scripts/baseline: golden results of small scenarios, to the event
  explore   `rnicsim explore`: every order of events of small workloads; its counter-example is a fault tape, which is played
  soak      scripts/soak: many transfers under mixed faults, the invariants on

The changes are lines of testbench/tests/mutants/decisions.txt, told by their names. Exit codes: 0 each is caught by one of them at
least, 1 one is not, or the three find something in the sources as they are.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rnicsim import ending
from rnicsim import sampling
from rnicsim.faults import mutants
from rnicsim.faults.linking import link, link_command, pattern
from rnicsim.places import ROOT

CHANGES = [
    "the resume is dropped",
    "a frame that the full buffer drops is acknowledged",
    "the host is not told of the release",
    "a stale TID starts a new transfer",
    "the window is one frame too wide",
    "REL is never answered",
    "the indirect buffer is not drained",
    "completion does not wait for REL_ACK",
    "data is placed before its region is registered",
    "the upper layer gets a second REQ_ACK",
]
TRANSFERS = "30000"  # of the soak: every kind of fault has to come up
SECONDS = 300       # what hangs has been caught


def call(*command, folder=None):
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False,
                              cwd=folder)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, ""


def by_baseline(program):
    """Where the first baseline differs; empty if none does."""
    code, said = call(sys.executable, ROOT / "scripts" / "baseline", "--program", program)
    if code == 0:
        return ""
    where = re.search(r"first event that differs: number ([\d,]+) of (\S+);", said)
    name = re.search(r"^(\w+): differs", said, re.M) or re.search(r"^(\w+): (?!equal)", said, re.M)
    if where:
        return f"event {where[1]} of {where[2]}" + (f" in {name[1]}" if name else "")
    return what_is_said(code, said)


def what_is_said(code, said):
    """In one line."""
    rule = re.search(r"(invariant violated[^\n]*|watchdog[^\n]*)", said)
    return "it hangs" if code is None else (rule[1] if rule else said.strip().splitlines()[-1])[:100]


def by_explore(program):
    """The rule that breaks, and whether its fault tape shows it in the simulator, too."""
    tape = program.parent / "counter.tape"
    found = mutants.search(program, standard=False, options=("--tape", tape))
    if not found or not tape.exists():
        return found
    head = tape.read_text(encoding="utf-8").partition("under a scenario with:\n")[2].partition("# The way there")[0]
    scenario = program.parent / "counter.yaml"
    scenario.write_text(re.sub(r"^#   ?", "", head, flags=re.M), encoding="utf-8")
    code, said = call(program, "run", scenario, "--tape", tape, "--set", "run.repetitions=1", "--no-plot", "--out", program.parent / "out")
    return found + ("" if code == 0 else f"; its tape in the simulator: {what_is_said(code, said)}")


def by_soak(program, folder):
    """`folder`: where the tape of a run that fails may lie."""
    code, said = call(sys.executable, ROOT / "scripts" / "soak", "--program", program, "--transfers", TRANSFERS,
                      "--no-memory", folder=folder)
    if code == 0 or "so the soak says nothing about them" in said:
        return ""
    return what_is_said(code, said)


def all_looks(program):
    return {"baseline": by_baseline(program), "explore": by_explore(program), "soak": by_soak(program, program.parent)}


@ending.told("wrong_changes")
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--only", default="", type=pattern)
    sampling.add_options(parser)
    options = parser.parse_args(arguments)
    by_name = {mutant[3]: mutant for mutant in mutants.read_mutants(argparse.Namespace(only=re.compile(""), search=False, sample=None, all=True))}
    changes = [by_name[name] for name in CHANGES if options.only.search(name)]
    if not changes:
        parser.error(f"--only {options.only.pattern}: no name of a change has that")
    changes = sampling.drawn(changes, options, "wrong changes")
    commands = mutants.compile_commands(options.build)
    program_link = link_command(options.build, "rnicsim")
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(options.build / "bin" / "rnicsim", work)
        for who, found in all_looks(Path(work) / "rnicsim").items():
            if found:
                print(f"error: {who} finds something in the sources as they are: {found}", file=sys.stderr)
                return 1
    started, caught = time.monotonic(), 0
    for number, (file, old, new, name, _) in enumerate(changes, 1):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            text = (ROOT / mutants.SOURCES / file).read_text(encoding="utf-8").replace(old, new)
            link(program_link, mutants.compiled(folder, file, text, commands, options.build), folder / "rnicsim", options.build)
            found = all_looks(folder / "rnicsim")
        caught += any(found.values())
        print(f"{number:2}/{len(changes)}  {name}", flush=True)
        for who, what in found.items():
            print(f"       {who:9} {what or '-'}", flush=True)
    print(f"wrong changes of the protocol: {caught} of {len(changes)} caught, in {time.monotonic() - started:.0f} s")
    return 0 if caught == len(changes) > 0 else 1
