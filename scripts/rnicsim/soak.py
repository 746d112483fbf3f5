# SPDX-License-Identifier: Apache-2.0
"""Very many transfers under mixed faults: does every invariant hold, does each fault occur, is
memory flat?

Usage: scripts/soak [--verbs|--persistence|--applications] [--transfers N] [--minutes M]
                    [--seed N] [--jobs N] [--rtl N] [--program FILE] [--no-memory] [SCENARIO...]

Runs the scenarios of testbench/tests/corpus/soak: both directions, writes and reads in turn, 64
transfers in flight at each end.
--verbs: those of corpus/soak/verbs instead, messages between RoCEv2 RNICs: every verb, both
retransmissions, QPs that fail, DCQCN.
--persistence: those of corpus/soak/persistence, items that are made durable: every scheme, on
several ways into memory, judged at all power cuts.
--applications: those of corpus/soak/applications, each application's own protocol.
--minutes: rounds of N transfers with new seeds until the time is over. --rtl N: N more transfers
with the RNIC's blocks in Verilog. When a run fails, its faults are recorded as a tape and the
commands that repeat and shrink it are printed.

Memory: the resident memory of each worker is sampled, without pages of files (those of its records
come and go, some MiB at a time), and lines are fitted from 50 % to 65 % and to 80 % of its life
(before that, rings and buffers are touched for the first time; after that, the result is encoded).
Flat means that the flatter one rises by less than 5 % of its level over the whole life, or by less
than 2 MiB: what grows does so in both, a step of the allocator is in one of them. --no-memory:
memory is not checked.

Exit codes: 0 all holds, 1 something does not, 2 bad input.
"""

import argparse
import csv
import os
import re
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from rnicsim import ending
from rnicsim.places import CORPUS, ROOT

SCENARIOS = CORPUS / "soak"
MOST = "wrap"  # half of all transfers, so that the TIDs come round
TIDS = 65_536
# as built in
RTL = ("--set", "simulation.rnic=rtl", "--set", "system.rnic.drp.table_entries=64")
FLAT = 0.05    # of the level ...
# ... and KiB: a single step of the allocator, seen in a part of the life, is no growth
LEAST = 2048
SAMPLE_SECONDS = 0.02
FEWEST_SAMPLES = 12  # in the part that is fitted
JUDGED = 20_000      # transfers of a round from which on every fault has to come up


@dataclass(frozen=True)
class Kind:
    """What a soak is of."""
    folder: Path
    # what has to come up: a name for people, and the counters that are added up, of both ends and
    # directions
    faults: dict[Any, Any]
    frames: str   # the counter of frames with payload
    ways: int     # a scenario has so many ends that ask; of verbs its items say


DRP = Kind(
    SCENARIOS, {
        "frames lost": "lost",
        "corrupted": "corrupted",
        "duplicated": "duplicated",
        "delayed": "delayed",
        "overtaken": "overtaken",
        "lost for lack of room": "transport.rx_overruns",
        "registrations failed": "host.registration_failures",
        "without memory": "host.registration_no_memory",
        "connection table full": "transport.table_full",
        "indirect buffer full": "transport.buffer_full",
        "stale frames": "transport.stale",
        "went indirect": "transport.went_indirect",
        "resumed": "transport.resumed",
        "fast retransmissions": "transport.fast_retransmissions",
        "given up by the responder": "transport.idle_timeouts",
        "transfers that failed": "transport.failed"
    }, "transport.data_sent", 2)
VERBS = Kind(
    SCENARIOS / "verbs", {
        "frames lost": "lost",
        "corrupted": "corrupted",
        "duplicated": "duplicated",
        "delayed": "delayed",
        "overtaken": "overtaken",
        "lost for lack of room": "rc.rx_overruns",
        "packets sent again": "rc.retransmissions",
        "timers that expired": "rc.timeouts",
        "NAKs": "rc.naks_sent",
        "implied NAKs": "rc.implied_naks",
        "duplicates": "rc.duplicates",
        "ghosts": "rc.ghosts",
        "ahead of what was expected": "rc.out_of_sequence",
        "to a QP in ERR": "rc.not_ready",
        "atomics": "rc.atomics",
        "marked by a switch": "rc.marked_packets",
        "CNPs": "rc.cnps_sent",
        "completions with an error": "rc.completion_errors"
    }, "rc.tx_payload_packets", 0)
PERSISTENCE = Kind(
    SCENARIOS / "persistence", {
        **{
            name: counter
            for name, counter in VERBS.faults.items() if name not in ("atomics", "marked by a "
                                                                                 "switch", "CNPs")
        }, "persist ACKs": "rc.packs_sent",
        "persist ACKs asked again": "rc.persist_repeats",
        "flush reads": "rc.flush_reads",
        "ps: told written, not safe": "cuts.vulnerable_ps",
        "ps: told written only": "cuts.unproven_ps",
        "ps: safe in part": "cuts.torn_ps",
        "ps: safe before an older one": "cuts.inverted_ps"
    }, "rc.tx_payload_packets", 0)


APPLICATIONS = Kind(
    SCENARIOS / "applications", {
        **{
            name: counter
            for name, counter in VERBS.faults.items()
            if name in ("frames lost", "corrupted", "duplicated", "delayed", "overtaken",
                        "packets sent again", "timers that expired", "NAKs", "duplicates", "ghosts")
        }, "pieces of streams sent again": "tcp.resent",
        "timers of streams": "tcp.timeouts",
        "registrations failed": "host.registrations_failed"
    }, "rc.tx_payload_packets", 0)


class Fails(ending.Ended):
    """Something does not hold; what() is for people."""
    code = 1


@dataclass
class Memory:
    """Resident memory of a worker over its life."""
    samples: list[Any] = field(default_factory=list)  # (seconds, KiB)

    def between(self, first: float, last: float) -> list[tuple[float, float]]:
        begin, end = self.samples[0][0], self.samples[-1][0]
        return [(t, kib) for t, kib in self.samples
                if first <= (t - begin) / max(end - begin, 1e-9) <= last]

    def level_and_rise(self) -> tuple[float, float] | None:
        """KiB: the mean of the fitted part, and the flatter line's rise over a whole life. None:
        too short to tell."""
        halves = [self.between(0.5, 0.65), self.between(0.65, 0.8)]
        if min(map(len, halves)) < FEWEST_SAMPLES // 2:
            return None
        slope = min((statistics.linear_regression(*zip(*half)).slope for half in halves), key=abs)
        return statistics.fmean(
            kib for half in halves
            for _, kib in half), slope * (self.samples[-1][0] - self.samples[0][0])


@dataclass
class Totals:
    transfers: int = 0
    frames: int = 0
    wraps: int = 0
    judged: int = 0  # scenarios whose memory was
    counts: dict[Any, Any] = field(default_factory=dict)


def sample(parent: int, workers: dict[str, Memory]) -> None:
    """Looks at every worker once; `workers`: Memory by process id."""
    try:
        pids = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    except OSError:
        return
    for pid in pids:
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        except OSError:
            continue
        if own := re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+) kB", status, re.MULTILINE):
            workers.setdefault(pid, Memory()).samples.append((time.monotonic(), sum(map(int, own))))


def watched(command: Sequence[str]) -> tuple[int, str, list[Memory]]:
    """(exit code, stderr, the workers' memory)."""
    workers: dict[Any, Any] = {}
    # In a build with the address sanitizer what is freed is kept for a while, which looks like
    # growth.
    environment = {
        **os.environ, "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:quarantine_size_mb=1"
    }
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors,
                              env=environment) as process:
            while process.poll() is None:
                sample(process.pid, workers)
                time.sleep(SAMPLE_SECONDS)
        errors.seek(0)
        return process.returncode, errors.read(), list(workers.values())


def recorded(options: argparse.Namespace, scenario: Path, settings: Sequence[str],
             said: str) -> str:
    """Records the tape of the run that failed; says how to go on."""
    found = re.search(r"^error: run (\S+) \(.*failed:$", said, re.MULTILINE)
    if not found:
        return ""
    tape = Path.cwd() / f"soak_{scenario.stem}_{found[1]}.tape"
    out = f"soak_{scenario.stem}"
    again = [
        str(options.program), "run",
        str(scenario), *settings, "--no-plot", "--out", out, "--observe-run", found[1],
        "--record-tape",
        str(tape)
    ]
    with tempfile.TemporaryDirectory(prefix="rnicsim_soak_") as folder:
        subprocess.run([folder if word == out else word for word in again], capture_output=True,
                       check=False)
    smaller = [
        str(options.program), "shrink",
        str(scenario), *settings, "--run", found[1], "--tape",
        str(tape), "--wanted", "failure", "--out",
        str(tape.with_suffix(".shrunk.tape"))
    ]
    return f"\nrepeat: {shlex.join(again)}\nshrink: {shlex.join(smaller)}"


def judge_memory(name: str, workers: Sequence[Memory], totals: Totals) -> str:
    """One line. Throws Fails."""
    judged = [found for memory in workers if (found := memory.level_and_rise())]
    peak = max((kib for memory in workers for _, kib in memory.samples), default=0) / 1024
    if not judged:
        return "too short to tell whether memory is flat"
    totals.judged += 1
    level, rise = max(judged, key=lambda both: both[1] / both[0])
    text = (
        f"memory {level / 1024:.1f} MiB, rises by {rise / level:+.2%} over a run, {peak:.0f} MiB "
        "while the result is written"
    )
    if rise > max(FLAT * level, LEAST):
        raise Fails(f"{name}: memory grows: {text}")
    return text


def connections(text: str) -> int:
    """How many QPs ask, of a scenario between hosts of the counts that it says."""
    scenario = yaml.safe_load(text)
    hosts = {name: (of or {}).get("count", 1) for name, of in scenario["system"]["hosts"].items()}
    return sum(hosts[item["from"]] * (1 if item.get("pairs") == "ring" else hosts[item["to"]])
               * item.get("connections", 1) for item in scenario["run"]["traffic"])


def added(rows: Sequence[dict[str, str]], counter: str) -> int:
    """The sum over hosts, and over links and directions."""
    wanted = re.compile(
        rf"[a-z][a-z0-9]*\.{re.escape(counter)}"
        rf"|[a-z0-9-]+\.[a-z0-9]+_to_[a-z0-9]+_{re.escape(counter)}"
    )
    return sum(int(value) for row in rows for key, value in row.items() if wanted.fullmatch(key))


def run(options: Any, scenario: Path, transfers: int, seed: Any, totals: Totals,
        extra: tuple[str, ...] = ()) -> None:
    """One scenario, about so many transfers. Throws Fails."""

    def rows_of(out: Path) -> list[dict[str, str]]:
        return list(csv.DictReader((out / "summary.csv").open(encoding="utf-8")))

    kind = options.kind
    text = scenario.read_text(encoding="utf-8")
    methods = 1 if kind is not DRP or "methods: [dynamic]" in text else 2
    ways = kind.ways or connections(text)
    each = max(transfers // (ways * methods), 1)
    settings = ["--set", f"run.transfers={each}", "--seed", str(seed), *extra]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rnicsim_soak_") as folder:
        out = Path(folder) / "out"
        code, said, workers = watched([
            str(options.program), "run",
            str(scenario), *settings, "--no-plot", "--out",
            str(out), "--jobs",
            str(options.jobs)
        ])
        if code != 0:
            raise Fails(
                f"{scenario.stem}: exit code "
                f"{code}\n{said.strip()}{recorded(options, scenario, settings, said)}"
            )
        rows = rows_of(out)
    seconds = time.monotonic() - started
    ended = sum(int(row["transfers_completed"]) + int(row["transfers_failed"]) for row in rows)
    if ended != ways * each * methods:
        raise Fails(f"{scenario.stem}: {ended} transfers ended, expected {ways * each * methods}")
    counted = rows[:1] if kind is not DRP else rows  # each item's row has the counters of all
    frames = added(counted, kind.frames)
    for name, counter in kind.faults.items():
        totals.counts[name] = totals.counts.get(name, 0) + added(counted, counter)
    totals.transfers += ended
    totals.frames += frames
    totals.wraps += 0 if kind is not DRP else 2 * len(rows) * (each // TIDS)
    print(
        f"  {scenario.stem + (' (rtl)' if extra else ''):19} seed {seed}: {ended:,} transfers, "
        f"{frames:,} data frames, {seconds:.1f} s, "
        f"{ended / seconds:,.0f}/s; "
        f"{'memory not judged' if options.no_memory else judge_memory(scenario.stem, workers, totals)}",  # noqa: E501
        flush=True)


def soak_round(options: argparse.Namespace, seed: int, totals: Totals) -> None:
    others = len(options.scenarios) - 1
    # as much as all others
    weights = [max(others, 1) if scenario.stem == MOST else 1 for scenario in options.scenarios]
    for scenario, weight in zip(options.scenarios, weights):
        run(options, scenario, options.transfers * weight // sum(weights), seed, totals)
    if options.rtl:
        for scenario in options.scenarios:
            run(options, scenario, options.rtl // len(options.scenarios), seed, totals, RTL)


def parse(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("scenarios", type=Path, nargs="*", metavar="SCENARIO",
        help=f"[all of {SCENARIOS.relative_to(ROOT)}]")
    add("--verbs", dest="kind", action="store_const", const=VERBS, default=DRP,
        help="messages between RoCEv2 RNICs")
    add("--persistence", dest="kind", action="store_const", const=PERSISTENCE,
        help="items that are made durable")
    add("--applications", dest="kind", action="store_const", const=APPLICATIONS,
        help="applications by their own protocols")
    add("--transfers", type=int, default=1_000_000, metavar="N", help="of a round [1000000]")
    add("--minutes", type=float, default=0, metavar="M",
        help="rounds until so much time has passed [one round]")
    add("--seed", type=int, default=1, metavar="N", help="of the first round [1]")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N",
        help="runs at once [as many as the machine has cores]")
    add("--no-memory", action="store_true", help="whether memory is flat is not judged")
    add("--rtl", type=int, default=0, metavar="N", help="transfers more, in Verilog [0]")
    add("--program", type=Path, default=ROOT / "build/release/bin/rnicsim", metavar="FILE",
        help="[build/release/bin/rnicsim]")
    options = parser.parse_args(arguments)
    options.program = options.program.absolute()
    options.scenarios = options.scenarios or sorted(options.kind.folder.glob("*.yaml"))
    for file in (options.program, *options.scenarios):
        if not file.is_file():
            parser.error(f"{file}: there is no such file")
    if options.rtl and options.kind is not DRP:
        parser.error(
            "--rtl: RoCEv2 RNICs have no Verilog, expected it without --verbs, --persistence and "
            "--applications")
    if options.transfers < 100:
        parser.error(f"--transfers {options.transfers}: expected 100 or more")
    return options


@ending.reported("soak")
def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    totals, started, seed = Totals(), time.monotonic(), options.seed
    while True:
        soak_round(options, seed, totals)
        seed += 1
        if time.monotonic() - started >= 60 * options.minutes:
            break
    seconds = time.monotonic() - started
    wraps = "" if options.kind is not DRP else f"{totals.wraps} times round the TIDs, "
    print(f"{totals.transfers:,} transfers, {totals.frames:,} data frames, {wraps}{seconds:.0f} s, "
          f"{totals.transfers / seconds:,.0f} transfers/s; every invariant held")
    width = max(12, *(len(f"{count:,}") + 1 for count in totals.counts.values()))
    print("  " + "\n  ".join(f"{name:28}{count:>{width},}"
                             for name, count in totals.counts.items()))
    absent = [name for name, count in totals.counts.items() if count == 0]
    if options.transfers >= JUDGED and not totals.judged and not options.no_memory:
        raise Fails("every run was too short to tell whether memory is flat: more --transfers")
    if absent and options.transfers >= JUDGED and len(options.scenarios) > 1:
        raise Fails(
            f"these never came up, so the soak says nothing about them: {', '.join(absent)}")
    return 0
