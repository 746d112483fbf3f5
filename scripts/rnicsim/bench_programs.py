# SPDX-License-Identifier: Apache-2.0
"""Speed of programs on the simulated RNIC, by the clock on the wall: messages a second, what a post
and a poll take, a long bandwidth test."""
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rnicsim.places import ROOT

BIN = os.path.join(ROOT, "build", "release", "bin")
SCENARIO = os.path.join(ROOT, "scenarios", "programs", "two_hosts.yaml")
# Messages of two runs: their difference leaves out how long programs take to begin.
LATENCY, BANDWIDTH = (500, 3000), (5000, 50_000)


def execute(*words: Any) -> Any:
    """Seconds, and what it prints; ends the program if it fails."""
    command = [os.path.join(BIN, "rnicsim"), "exec", SCENARIO, *words]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return time.monotonic() - begun, done.stdout


def pair(program: Any, *options: str) -> Any:
    words = program.split()
    return execute(*options, "--on", "a", "--", *words, "--on", "b", "--", *words, "127.0.0.1")[0]


def a_message(program: str | Path, counts: Any, *options: str) -> Any:
    """Seconds."""
    few, many = counts
    return (pair(f"{program} -n {many}", *options) -
            pair(f"{program} -n {few}", *options)) / (many - few)


def measure(runs: Any) -> None:
    """Prints its figures."""
    if shutil.which("ib_send_lat") is None:
        sys.exit("bench: ib_send_lat is missing; install perftest (Debian)")
    for mode, options in (("strict", ()), ("free", ("--free",))):
        for program, counts, what in (
            ("ib_send_lat -F", LATENCY,
             "rounds of 2 B there and back: two messages, each posted, received and polled for"),
            ("ib_write_bw -F -s 2 -t 64", BANDWIDTH, "messages of 2 B, 64 at once")):
            each = statistics.median(a_message(program, counts, *options) for _ in range(runs))
            print(
                f"{mode}: {program}: {1e6 * each:.0f} us each = {1 / each:,.0f} a second ({what})")
    for mode, options in (("strict", ()), ("free", ("--free",))):
        calls = [*options, "--on", "a", "--", os.path.join(BIN, "program_calls")]
        found = [
            re.findall(r"post_us=([\d.]+) poll_us=([\d.]+)",
                       execute(*calls)[1])[0] for _ in range(runs)
        ]
        post, poll = (statistics.median(float(one[i]) for one in found) for i in (0, 1))
        print(f"{mode}: a post of a receive {post:.1f} us, a poll that finds nothing {poll:.1f} us")
    large = "ib_write_bw -F -s 65536 -n 5000"
    print(
        f"strict: {large}: {statistics.median(pair(large) for _ in range(runs)):.1f} s, with its "
        "beginning and end"
    )
