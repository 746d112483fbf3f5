"""Speed of the simulator: wall time and instructions for a data frame, beside ns-3 where it is installed.

Usage: scripts/bench [--runs N] [--no-callgrind] [--rtl | --observe [--against BENCH]]        needs build/release (scripts/run makes it)

A "data frame" is everything that one DRP data frame costs: its fetch by DMA, its way over the wire, its placement by DMA
at the far end, its acknowledgement, both hosts, the scoreboard. ns-3 runs the same number of bare frames and
acknowledgements over its point-to-point link, without host, PCIe, memory or checks. Runs of both are interleaved.
Instructions are counted by callgrind: repeatable, whatever else the machine does.

--observe: what it costs to look inside a run, by pairs of runs with and without. --against: another build's rnicsim_bench, from
before something was changed; pairs of runs, nothing observed, show what the change costs those who do not look.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from rnicsim import ending
from rnicsim.places import ROOT

BENCH = os.path.join(ROOT, "build", "release", "bin", "rnicsim_bench")
SCENARIO = os.path.join(ROOT, "scenarios", "paper", "fig6_joint.yaml")
NS3_SOURCE = os.path.join(ROOT, "testbench", "bench", "ns3_frames.cpp")
NS3_LIBRARIES = ["-lns3-point-to-point", "-lns3-network", "-lns3-stats", "-lns3-core"]


def run(command):
    """Output of a command as a list of {key: number} lines; ends the program if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return [{k: float(v) for k, v in re.findall(r"(\w+)=([\d.]+)", line)} for line in done.stdout.splitlines()]


def build_ns3(folder):
    """The ns-3 yardstick's path, or None with the reason printed."""
    binary = os.path.join(folder, "ns3_frames")
    done = subprocess.run(["g++", "-std=c++17", "-O2", NS3_SOURCE, "-o", binary] + NS3_LIBRARIES,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return binary
    print("ns-3: skipped, not installed (Debian: apt-get install libns3-dev)")
    return None


def instructions_per_frame(folder):
    """By the difference of two runs, so that start-up does not count."""
    totals = []
    for transfers in (20, 120):
        out = os.path.join(folder, f"callgrind.{transfers}")
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", BENCH, SCENARIO, "--once",
                               "--transfers", str(transfers)], capture_output=True, text=True, check=False)
        found = re.search(r"Collected : (\d+)", done.stderr)
        frames = re.search(r"data_frames=(\d+)", done.stdout)
        if done.returncode != 0 or not found or not frames:
            sys.exit(f"bench: callgrind failed:\n{done.stderr}")
        totals.append((int(found.group(1)), int(frames.group(1))))
    return (totals[1][0] - totals[0][0]) / (totals[1][1] - totals[0][1])


def compare_with_rtl(runs):
    """Cycles of rnic_core a second while it is busy: the time that it adds to a run, and its clock edges meanwhile."""
    transfers = ["--transfers", "20", "--runs", "1"]
    pairs = []
    for _ in range(runs):
        model, = run([BENCH, SCENARIO, *transfers])
        rtl, = run([BENCH, SCENARIO, *transfers, "--rtl"])
        pairs.append((model["wall_s"], rtl["wall_s"]))
    added = statistics.median(rtl - model for model, rtl in pairs)
    ratios = [rtl / model for model, rtl in pairs]
    print(f"rnic_core in Verilog at both ends, {runs} pairs of runs of 20 transfers of 128 KiB, no faults, dynamic method:")
    print(f"  {rtl['clocked'] / added / 1e6:.2f} million cycles a second while busy ({rtl['clocked']:,.0f} cycles of both cores, "
          f"{2 * rtl['cycles'] - rtl['clocked']:,.0f} idle ones skipped)")
    print(f"  the whole run, with Verilog : models only, pair by pair: {statistics.median(ratios):.0f} "
          f"({min(ratios):.0f} .. {max(ratios):.0f})")


def pairs_of(one, other, runs):
    """Ratios of wall times, one : other, interleaved; and the median of other."""
    ratios, base = [], []
    for _ in range(runs):
        first, = run(other)
        second, = run(one)
        ratios.append(second["wall_s"] / first["wall_s"])
        base.append(first["wall_s"])
    return ratios, statistics.median(base)


def compare_with_observers(runs, against):
    transfers = "200"
    plain = [BENCH, SCENARIO, "--transfers", transfers, "--runs", "1"]
    print(f"{transfers} transfers of 128 KiB, no faults, dynamic method; {runs} pairs of runs each, median ratio (lowest .. highest)")
    with tempfile.TemporaryDirectory() as folder:
        if against:
            ratios, _ = pairs_of(plain, [against, *plain[1:]], runs)
            print(f"  nothing observed, this build : {against}: {statistics.median(ratios):.3f} ({min(ratios):.3f} .. {max(ratios):.3f})")
        for option, name in (("--events", "e.csv"), ("--pcap", "c.pcapng"), ("--trace", "t.json"), ("--vcd", "s.vcd")):
            file = os.path.join(folder, name)
            ratios, base = pairs_of([*plain, option, file], plain, runs)
            print(f"  {option:8} {statistics.median(ratios):6.2f} ({min(ratios):.2f} .. {max(ratios):.2f}) times the {base:.3f} s without; "
                  f"{os.path.getsize(file) / 2**20:.0f} MiB")


@ending.told("bench")
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9, help="interleaved runs of each (default 9)")
    parser.add_argument("--no-callgrind", action="store_true", help="do not count instructions")
    parser.add_argument("--rtl", action="store_true",
                        help="instead: the same run with both cores in Verilog and without, pair by pair")
    parser.add_argument("--observe", action="store_true", help="instead: what --events, --pcap, --trace and --vcd cost")
    parser.add_argument("--against", metavar="BENCH", help="with --observe: another build to compare with, nothing observed")
    options = parser.parse_args(arguments)
    if options.against and not options.observe:
        parser.error("--against: expected --observe with it")
    if not os.path.exists(BENCH):
        sys.exit("bench: build/release/bin/rnicsim_bench is missing; run: cmake --preset release && "
                 "cmake --build --preset release")
    if options.observe:
        compare_with_observers(options.runs, options.against)
        return
    if options.rtl:
        compare_with_rtl(options.runs)
        return
    with tempfile.TemporaryDirectory() as folder:
        ns3 = build_ns3(folder)
        ours, theirs = [], []
        for _ in range(options.runs):
            ours += run([BENCH, SCENARIO, "--runs", "1"])
            if ns3:
                theirs += run([ns3, str(int(ours[-1]["data_frames"]))])
        wall = statistics.median(s["wall_s"] for s in ours)
        frames, events, cycles = (ours[0][k] for k in ("data_frames", "events", "cycles"))
        print(f"rnicsim: {options.runs} runs of 800 transfers of 128 KiB, no faults, dynamic method; median {wall:.3f} s "
              f"(fastest {min(s['wall_s'] for s in ours):.3f}, slowest {max(s['wall_s'] for s in ours):.3f})")
        print(f"  {1e6 * wall / frames:.2f} us a data frame = {frames / wall / 1e6:.2f} million data frames a second")
        print(f"  {events / wall / 1e6:.2f} million events a second ({events / frames:.2f} a data frame), "
              f"{cycles / wall / 1e6:.0f} million simulated cycles a second")
        print(f"  peak memory {max(s['peak_kib'] for s in ours) / 1024:.0f} MiB")
        if ns3:
            bare = statistics.median(s["wall_s"] for s in theirs)
            pairs = [t["wall_s"] / o["wall_s"] for t, o in zip(theirs, ours)]
            print(f"ns-3, bare frames: {1e6 * bare / frames:.2f} us a data frame, {theirs[0]['events'] / bare / 1e6:.2f} "
                  f"million events a second ({theirs[0]['events'] / frames:.2f} a data frame)")
            print(f"  ns-3 : rnicsim, time, pair by pair: {statistics.median(pairs):.2f} "
                  f"({min(pairs):.2f} .. {max(pairs):.2f})")
        if options.no_callgrind:
            pass
        elif shutil.which("valgrind"):
            print(f"instructions a data frame (callgrind): {instructions_per_frame(folder):.0f}")
        else:
            print("instructions: skipped, valgrind is not installed")
