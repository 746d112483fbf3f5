# SPDX-License-Identifier: Apache-2.0
"""Random scenarios at the limits of what the reader accepts: does each run to its end, and does
every invariant hold?

Usage: scripts/edge [--scenarios N] [--seed S] [--first N] [--jobs J] [--keep DIR] [--program FILE]
                    [--seconds T] [--wall T] [--networks | --durable]

Every setting takes extreme values: timers of a cycle or of seconds, one table entry or 1024, a
segment of a byte, a buffer of one frame, every policy, both methods, reads and writes, every fault,
seldom or often. The watchdog is the shortest that the reader takes. A value that the reader refuses
is set to the limit that the refusal names; a scenario that would only take long gets fewer
transfers. Then `rnicsim run`: a finding is an invariant that is violated, the watchdog, a crash, an
internal error, or a run that takes longer than
--seconds. A failed transfer is no finding.

  --scenarios N  how many [1000]
  --seed S       of the draws [1]; the same seed gives the same scenarios
  --first N      number of the first [1]
  --jobs J       at once [all cores]
  --keep DIR     where the scenarios of findings are left [edge_findings]; made when there is one
  --program FILE [that of build/release or build/ci, the newer one]
  --seconds T    of processor time for each run, whole ones [60]: a busy machine makes no finding
  --networks     hosts, switches, links and traffic of all kinds in place of two ends
  --durable      such networks, each with messages that are made durable
  --wall T       s of wall time for each scenario: ends those that only wait [10 times --seconds]

Exit codes: 0 nothing is found, 1 something is, 2 bad input, 130 interrupted.
"""

import argparse
import collections
import concurrent.futures
import itertools
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rnicsim import edge_networks
from rnicsim import edge_scenarios
from rnicsim import ending
from rnicsim.places import ROOT

REPAIRS = 120     # of one scenario until it is given up
TRANSFERS_FAILED = 4  # exit code: every transfer failed, and the program says why
REFUSED = 2
GRACE = 2  # s of processor time between the signal that the time is over and SIGKILL
# Limits are of a process: a worker that the program starts has its own.
LIMITED = ["sh", "-c", 'ulimit -S -t "$1" && ulimit -H -t "$2" && shift 2 && exec "$@"', "sh"]


@dataclass
class Outcome:
    number: int
    what: str = ""       # found; empty = nothing
    scenario: str = ""   # its text
    accepted: bool = True
    completed: bool = False  # in every run some transfer did


class Children:
    """The programs that run now: each in a group of its own, so that its workers end with it."""

    def __init__(self) -> None:
        self.running: set[Any] = set()
        self.lock, self.stopped = threading.Lock(), False

    def call(self, command: Any, seconds: Any, wall: float) -> tuple[int | None, str]:
        """(exit code, what it says); None as the code if it takes too long, and which time that
        was."""
        most = math.ceil(seconds)
        command = [*LIMITED, str(most), str(most + GRACE), *command]
        with self.lock:
            if self.stopped:
                return 0, ""
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, errors="replace", start_new_session=True)
            self.running.add(process)
        try:
            said, _ = process.communicate(timeout=wall)
        except subprocess.TimeoutExpired:
            kill(process)
            process.communicate()
            return None, f"{wall:g} s by the clock"
        finally:
            with self.lock:
                self.running.discard(process)
        if (process.returncode == -signal.SIGXCPU
                or f"killed by signal {int(signal.SIGXCPU)} " in said):
            return None, f"{most} s of processor time"
        return process.returncode, said

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            for process in self.running:
                kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def in_one_line(code: int, said: str) -> str:
    """What was found, of the output of a program that failed."""
    told = re.search(
        r"(invariant violated[^\n]*|watchdog: [^\n]*|[^\n]*AddressSanitizer[^\n]*|[^\n]*runtime "
        r"error[^\n]*|[^\n]*signal[^\n]*)",
        said)
    lines = [line for line in said.splitlines() if line.strip()]
    return f"exit code {code}: " + (told[1].strip()
                                    if told else lines[0] if lines else "nothing is said")


def run_one(options: argparse.Namespace, number: int, children: Children) -> Outcome:
    """Draws a scenario, mends what the reader refuses, and runs it."""
    drawn = edge_networks if options.networks or options.durable else edge_scenarios
    keys = drawn.scenario(options.seed, number,
                          durable=True) if options.durable else drawn.scenario(
                              options.seed, number)
    with tempfile.TemporaryDirectory(prefix="rnicsim_edge_") as folder:
        file = Path(folder) / "edge.yaml"
        for _ in range(REPAIRS):
            text = drawn.text(keys)
            file.write_text(text, encoding="utf-8")
            code, said = children.call(
                [options.program, "run", file, *arguments(Path(folder) / "out")], options.seconds,
                options.wall)
            if code != REFUSED:
                break
            better = next(
                (found
                 for line in said.splitlines() if (found := edge_scenarios.repaired(keys, line))),
                None)
            if better is None:
                # Anything but a refusal is an error of the program.
                refusal = (": found " in said or ": has no effect" in said) and "expected" in said
                return Outcome(number, "" if refusal else in_one_line(code, said), text,
                               accepted=False)
            keys = better
            if drawn.most_frames(keys) > 4 * drawn.MOST_FRAMES:
                keys = drawn.bounded(keys)
            if drawn.most_frames(keys) > 4 * drawn.MOST_FRAMES:
                # mended it would send too many frames
                return Outcome(number, scenario=text, accepted=False)
        else:
            return Outcome(number, scenario=text, accepted=False)
    if code is None:
        return Outcome(number, f"it takes longer than {said}", text)
    # Properties of such networks, which have a name: switches wait for one another, or a message
    # begins anew for ever.
    named = "watchdog: PFC deadlock" in said or ("watchdog: " in said and "go_back_0" in text)
    return Outcome(number,
                   "" if code in (0, TRANSFERS_FAILED) or named else in_one_line(code, said), text,
                   completed=code == 0)


def arguments(out: Path) -> list[str]:
    return ["--no-plot", "--quiet", "--jobs", "1", "--out", str(out)]


def report(options: argparse.Namespace, outcome: Outcome) -> None:
    options.keep.mkdir(parents=True, exist_ok=True)
    file = options.keep / f"edge_{options.seed}_{outcome.number}.yaml"
    file.write_text(outcome.scenario, encoding="utf-8")
    again = shlex.join([str(options.program), "run", str(file), *arguments(file.with_suffix(""))])
    print(f"FOUND in scenario {outcome.number}: {outcome.what}\n  repeat: {again}", flush=True)


class Progress:
    """A line that is written over, on a terminal; else one now and then."""

    def __init__(self, of: int) -> None:
        self.of, self.begun, self.told = of, time.monotonic(), time.monotonic()
        self.terminal = sys.stderr.isatty()

    def show(self, done: int, found: int) -> None:
        now = time.monotonic()
        if now - self.told < (0.2 if self.terminal else 30):
            return
        self.told = now
        left = (now - self.begun) / done * (self.of - done)
        line = (
            f"{done}/{self.of} scenarios, {found} found, {done / (now - self.begun):.1f} a second, "
            f"about {left:.0f} s left"
        )
        print(f"\r{line} " if self.terminal else line, end="" if self.terminal else "\n",
              file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.terminal:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


def run_all(options: Any, children: Children) -> int:
    numbers = range(options.first, options.first + options.scenarios)
    progress, refused, completed = Progress(len(numbers)), 0, 0
    found: collections.Counter[Any] = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rest, done = iter(numbers), 0

        def start(count: Any) -> set[Any]:
            return {
                pool.submit(run_one, options, number, children)
                for number in itertools.islice(rest, count)
            }

        try:
            running = start(2 * options.jobs)
            while running:
                ended, running = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED)
                for outcome in sorted((future.result() for future in ended),
                                      key=lambda outcome: int(outcome.number)):
                    done += 1
                    refused += not outcome.accepted
                    completed += outcome.completed
                    if outcome.what:
                        progress.end()
                        report(options, outcome)
                        found[re.sub(r"\d+", "N", outcome.what)] += 1
                    progress.show(done, found.total())
                running |= start(len(ended))
        except BaseException:
            children.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    progress.end()
    for what, times in found.most_common():
        print(f"{times:6} x {what}")
    kind = (
        "networks" if options.networks else
        "durable messages" if options.durable else
        "scenarios"
    )
    print(
        f"{kind} at the edge, seed {options.seed}: {found.total()} findings in {len(numbers)}, of "
        f"which {refused} could not be made "
        f"acceptable; in {completed} of the others transfers complete in every run; "
        f"in {time.monotonic() - progress.begun:.0f} s")
    return 1 if found else 0


def parse(arguments_given: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(prog="scripts/edge", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--scenarios", default=1000, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--first", default=1, type=int)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("--keep", default=Path("edge_findings"), type=Path)
    built = [
        file for preset in ("release", "ci")
        if (file := ROOT / "build" / preset / "bin" / "rnicsim").exists()
    ]
    newest = max(built, key=lambda file: file.stat().st_mtime,
                 default=ROOT / "build/release/bin/rnicsim")
    parser.add_argument("--program", default=newest, type=Path)
    parser.add_argument("--seconds", default=60, type=float)
    parser.add_argument("--wall", type=float)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--networks", action="store_true")
    kind.add_argument("--durable", action="store_true")
    options = parser.parse_args(arguments_given)
    options.wall = 10 * options.seconds if options.wall is None else options.wall
    if options.scenarios < 1 or options.jobs < 1:
        parser.error("--scenarios, --jobs: expected at least 1")
    if min(options.seconds, options.wall) <= 0:
        parser.error("--seconds, --wall: expected more than 0")
    if not os.access(options.program, os.X_OK):
        parser.error(f"--program {options.program}: is no program (scripts/run builds it)")
    return options


@ending.reported("edge", "what was found is above")
def main(arguments_given: Sequence[str]) -> int:
    options, children = parse(arguments_given), Children()
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    return run_all(options, children)
