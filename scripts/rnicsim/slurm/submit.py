# SPDX-License-Identifier: Apache-2.0
"""Submits a sweep to Slurm: a job array with one task a shard, and a job that merges them when all
have ended.

The arguments are those of `rnicsim run` (or of `sweep`, with --axis). Prints the ids of both
jobs. Logs are in OUT/slurm. Shards that failed or were killed continue where they stopped when the
same command is given again. Partition, time limit and account: --sbatch, or the SBATCH_* variables
that sbatch reads.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.places import ROOT


def fail(message: Any) -> None:
    raise ending.Unusable(message)


def parse(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(
        prog="scripts/slurm/submit", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        usage="%(prog)s [options] SCENARIO [options of rnicsim run]", epilog="""Exit codes: 0 submitted, or with --wait complete; 2 bad input; with --wait that of rnicsim merge.

example:
  scripts/slurm/submit --shards 50 --wait --sbatch=--time=30 scenarios/paper/fig6_joint.yaml --jobs 4"""  # noqa: E501
    )
    parser.add_argument("--shards", type=int, default=10, metavar="N",
                        help="tasks of the array (default: 10)")
    parser.add_argument("--wait", action="store_true",
                        help="wait for the results, and print what the merge prints")
    parser.add_argument("--sbatch", action="append", default=[], metavar="OPTION",
                        help="an option for sbatch, e.g. --sbatch=--partition=long; repeatable")
    parser.add_argument(
        "--program", default=os.environ.get("RNICSIM_BIN", ROOT / "build/release/bin/rnicsim"),
        metavar="FILE", help="rnicsim, at the same place on every node "
        "(default: $RNICSIM_BIN, or build/release/bin/rnicsim)")
    parser.add_argument("scenario", metavar="SCENARIO")
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="options of rnicsim run",
                        help="see rnicsim run --help")
    given = parser.parse_args(arguments)

    run = argparse.ArgumentParser(prog="scripts/slurm/submit", add_help=False, allow_abbrev=False,
                                  usage=(parser.usage or "") % {"prog": "scripts/slurm/submit"})
    for name in ("--set", "--axis"):
        run.add_argument(name, action="append", default=[])
    run.add_argument("--seed")
    run.add_argument("--jobs", "-j", type=int, default=1)
    run.add_argument("--out", "-o")
    run.add_argument("--fresh", action="store_true")
    for names in (("--transfers-csv",), ("--quiet", "-q"), ("--no-plot",)):
        run.add_argument(*names, action="store_true")
    return given, run.parse_args(given.options)


def sbatch(arguments: Sequence[str], options: argparse.Namespace, command: Any, own: Any) -> Any:
    """Submits a one-line script and returns (id, exit code)."""
    script = f"#!/bin/sh\nexec {command}\n"
    done = subprocess.run(["sbatch", "--parsable", *own, *options, *arguments], input=script,
                          text=True, stdout=subprocess.PIPE, check=False)
    return done.stdout.strip().split(";")[0], done.returncode


@ending.reported("submit")
def main(arguments: Sequence[str]) -> Any:
    given, run = parse(arguments)
    program, scenario = Path(given.program).resolve(), Path(given.scenario).resolve()
    if given.shards < 1 or run.jobs < 1:
        fail("--shards and --jobs expect a number from 1")
    if not os.access(program, os.X_OK) or program.is_dir():
        fail(f"{program} is no program; build it (scripts/run), or name it with --program")

    what = [str(scenario)]  # the same for the shards and the merge
    for name in ("set", "axis"):
        for text in getattr(run, name):
            what += [f"--{name}", text]
    if run.seed is not None:
        what += ["--seed", run.seed]
    checked = subprocess.run([program, "validate", *what], stdout=subprocess.PIPE, text=True,
                             check=False)
    if checked.returncode != 0:
        sys.exit(checked.returncode)  # rnicsim has said why
    runs = int(re.findall(r"= (\d+) runs?$", checked.stdout.strip())[0])
    shards = min(given.shards, runs)

    out = Path(run.out or Path("results") / scenario.stem).resolve()
    logs = out / "slurm"
    try:
        logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{logs} cannot be created: {error.strerror}")
    task = [
        str(program), "sweep" if run.axis else "run", *what, "--out",
        str(out), "--jobs",
        str(run.jobs), "--quiet"
    ]
    if run.fresh:
        task.append("--fresh")
    merge = [str(program), "merge", *what, "--out", str(out)]
    merge += [
        f"--{name}" for name in ("transfers-csv", "quiet", "no-plot")
        if getattr(run, name.replace("-", "_"))
    ]

    own = [f"--job-name=rnicsim:{scenario.stem}", f"--chdir={out}"]
    array, code = sbatch(
        [f"--array=1-{shards}", f"--cpus-per-task={run.jobs}", f"--output={logs}/%A_%a.log"],
        given.sbatch, f'{shlex.join(task)} --shard "$SLURM_ARRAY_TASK_ID/{shards}"', own)
    if code != 0:
        sys.exit(2)  # sbatch has said why
    print(f"shards: job {array}, {shards} tasks for {runs} runs", flush=True)
    # Whatever becomes of the shards: merging says which runs are missing, and of which shards.
    options = [f"--dependency=afterany:{array}", f"--output={logs}/%j.log"
               ] + (["--wait"] if given.wait else [])
    merged, code = sbatch(options, given.sbatch, shlex.join(merge), own)
    if not merged:
        sys.exit(2)
    print(f"merge: job {merged}, results in {out}", flush=True)
    if given.wait:
        log = logs / f"{merged}.log"
        text = log.read_text(encoding="utf-8") if log.exists() else f"submit: {log} is missing\n"
        (sys.stdout if code == 0 else sys.stderr).write(text)
        return code
    return 0
