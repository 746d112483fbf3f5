# SPDX-License-Identifier: Apache-2.0
"""Speed of the simulator: processor time and instructions for a data frame, beside ns-3 where it is
installed.

Usage: scripts/bench [--runs N] [--no-callgrind] [--rtl | --networks | --verbs | --persistence |
                     --programs | --observe [--against BENCH]]
       needs build/release: cmake --preset release && cmake --build --preset release

A "data frame" is everything that one DRP data frame costs: its fetch by DMA, its time on the wire,
its placement by DMA at the far end, its acknowledgement, both hosts, the scoreboard. ns-3 runs the
same number of bare frames and acknowledgements over its point-to-point link, and the same transfers
over its TCP; both without host, PCIe, memory or checks. Runs of all three are interleaved; times
are processor time (user + system). Instructions are counted by callgrind: the same count on a busy
machine.

--networks: what a hop over a switch costs, what an idle host takes in memory, and how long 64
clients take; and bare frames over a switch beside the same frames over a forwarder in ns-3.
--verbs: packets of RoCEv2 RNICs beside ns-3's bare frames, and what many QPs cost.
--persistence: WRITEs whose data go through the stages into persistent memory, and WRITE_PERSISTs
with power cuts at all instants, beside the same WRITEs without.
--programs: programs of perftest under rnicsim exec, by the clock on the wall.
--observe: what observing a run costs, by pairs of runs with and without observers. --against:
another build's rnicsim_bench, from before something was changed; pairs of runs without observers
show what the change costs.
"""

from __future__ import annotations
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import bench_programs, ending, forwarding, ns3
from rnicsim.places import ROOT


RELEASE = os.path.join(ROOT, "build", "release", "bin")
BENCH = os.path.join(RELEASE, "rnicsim_bench")
SCENARIO = os.path.join(ROOT, "scenarios", "paper", "fig6_joint.yaml")
TRANSFERS = 800  # of 128 KiB
# What scripts/bench forwards beside ns-3: eight hosts send at random to one, which gets 85 % of
# what its link carries.
FORWARDED = forwarding.Star({
    "sink": (1, "1 Gbps", "40 ns"),
    "source": (8, "1 Gbps", "40 ns")
}, [{
    "from": "source",
    "to": "sink",
    "size": "1056 B",
    "transfers": 12_500,
    "think": "82.4 us"
}])
# callgrind counts each byte that `rep movsb` or `rep stosb` moves as an instruction: libc is told
# to do without.
WITHOUT_REP = ":".join(f"glibc.cpu.x86_rep_{what}sb_threshold={2**40}" for what in ("mov", "sto"))


def run(command: Any) -> Any:
    """Output of a command as a list of {key: number} lines; ends the program if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return [{k: float(v)
             for k, v in re.findall(r"(\w+)=([\d.]+)", line)} for line in done.stdout.splitlines()]


def build_ns3(folder: Any, source: Any) -> Any:
    """The path of an ns-3 yardstick, or None with the reason printed."""
    if ns3.installed():
        return ns3.build(source, folder)
    print(f"{source}: skipped, {ns3.MISSING}")
    return None


def instructions_per_frame(folder: str | Path, scenario: str | Path = SCENARIO,
                           more: Any = ()) -> Any:
    """By the difference of two runs, so that start-up does not count."""
    totals = []
    for transfers in (20, 120):
        out = os.path.join(folder, f"callgrind.{transfers}")
        done = subprocess.run([
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", BENCH, scenario,
            "--once", "--transfers",
            str(transfers), *more
        ], capture_output=True, text=True, check=False, env={
            **os.environ, "GLIBC_TUNABLES": WITHOUT_REP
        })
        found = re.search(r"Collected : (\d+)", done.stderr)
        frames = re.search(r"data_frames=(\d+)", done.stdout)
        if done.returncode != 0 or not found or not frames:
            sys.exit(f"bench: callgrind failed:\n{done.stderr}")
        totals.append((int(found.group(1)), int(frames.group(1))))
    return (totals[1][0] - totals[0][0]) / (totals[1][1] - totals[0][1])


def compare_with_rtl(runs: Any) -> None:
    """Cycles of rnic_core a second while it is busy: the time that it adds to a run, and its clock
    edges meanwhile."""
    transfers = ["--transfers", "20", "--runs", "1"]
    pairs = []
    for _ in range(runs):
        model, = run([BENCH, SCENARIO, *transfers])
        rtl, = run([BENCH, SCENARIO, *transfers, "--rtl"])
        pairs.append((model["wall_s"], rtl["wall_s"]))
    added = statistics.median(rtl - model for model, rtl in pairs)
    ratios = [rtl / model for model, rtl in pairs]
    print(
        f"rnic_core in Verilog at both ends, {runs} pairs of runs of 20 transfers of 128 KiB, no "
        "faults, dynamic method:"
    )
    print(
        f"  {rtl['clocked'] / added / 1e6:.2f} million cycles a second while busy "
        f"({rtl['clocked']:,.0f} cycles of both cores, "
        f"{2 * rtl['cycles'] - rtl['clocked']:,.0f} idle ones skipped)")
    print(
        "  the whole run, with Verilog : models only, pair by pair: "
        f"{statistics.median(ratios):.0f} "
        f"({min(ratios):.0f} .. {max(ratios):.0f})")


def pairs_of(one: Any, other: Any, runs: Any) -> Any:
    """Ratios of wall times, one : other, interleaved; and the median of other."""
    ratios, base = [], []
    for _ in range(runs):
        first, = run(other)
        second, = run(one)
        ratios.append(second["wall_s"] / first["wall_s"])
        base.append(first["wall_s"])
    return ratios, statistics.median(base)


def measure_networks(runs: Any, callgrind: Any, folder: str | Path) -> None:
    place = os.path.join(ROOT, "testbench", "bench", "networks")
    scenario = {
        name: os.path.join(place, f"{name}.yaml")
        for name in ("direct", "one_switch", "idle", "incast")
    }
    times: Any = {name: [] for name in ("direct", "one_switch")}
    for _ in range(runs):
        for name, samples in times.items():
            sample, = run([BENCH, scenario[name], "--runs", "1", "--transfers", "400"])
            samples.append(sample["cpu_s"] / sample["data_frames"])
    ratios = [switched / direct for direct, switched in zip(times["direct"], times["one_switch"])]
    print(
        f"a data frame and its ACK, {runs} pairs of runs of 400 transfers of 128 KiB: "
        f"{1e6 * statistics.median(times['direct']):.2f} us on a link, "
        f"{1e6 * statistics.median(times['one_switch']):.2f} us over a switch; pair by pair "
        f"{statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} .. {max(ratios):.2f})")
    if callgrind:
        direct, switched = (instructions_per_frame(folder, scenario[name])
                            for name in ("direct", "one_switch"))
        print(
            f"instructions of them (callgrind): {direct:.0f} on a link, {switched:.0f} over a "
            f"switch: {switched - direct:+.0f}, "
            f"{(switched - direct) / 2:.0f} a hop")
    peak = {
        count: run([
            BENCH, scenario["idle"], "--runs", "1", "--transfers", "5", "--set",
            f"system.hosts.idle.count={count}"
        ])[0]["peak_kib"]
        for count in (100, 1000)
    }
    print(
        f"memory: {(peak[1000] - peak[100]) / 900:.0f} KiB an idle host (peak "
        f"{peak[1000] / 1024:.0f} MiB with 1,000 of them, "
        f"{peak[100] / 1024:.0f} MiB with 100)")
    sample, = run([BENCH, scenario["incast"], "--runs", "1", "--transfers", "200"])
    print(
        f"64 clients, 200 transfers of 128 KiB each: {sample['wall_s']:.1f} s, "
        f"{sample['data_frames'] / sample['wall_s'] / 1e6:.2f} million data "
        f"frames a second, peak {sample['peak_kib'] / 1024:.0f} MiB")


def measure_verbs(runs: Any, callgrind: Any, folder: str | Path) -> None:
    """Packets of 1 KiB between RoCEv2 RNICs, beside ns-3's bare frames; and what many QPs cost."""
    place = os.path.join(ROOT, "testbench", "bench", "networks")
    scenario, of_qps = (os.path.join(place, f"{name}.yaml") for name in ("verbs", "verbs_qps"))
    bare = build_ns3(folder, "testbench/bench/ns3_frames.cpp")
    own, theirs = [], []
    for _ in range(runs):
        sample, = run([BENCH, scenario, "--runs", "1", "--transfers", "1500"])
        own.append(sample["cpu_s"] / sample["data_frames"])
        if bare:
            other, = run([bare, str(int(sample["data_frames"]))])
            theirs.append(other["cpu_s"] / other["data_frames"])
    print(
        f"WRITEs of 64 KiB between RoCEv2 RNICs at 100 Gb/s, {runs} runs of "
        f"{sample['data_frames']:,.0f} packets of 1 KiB: "
        f"{1e6 * statistics.median(own):.2f} us of processor time a packet = "
        f"{1e-6 / statistics.median(own):.2f} million a second and core"
    )
    if bare:
        ratios = [other / mine for mine, other in zip(own, theirs)]
        print(
            f"ns-3, bare frames: {1e6 * statistics.median(theirs):.2f} us; ns-3 : rnicsim, pair by "
            f"pair: {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} .. {max(ratios):.2f})")
    if callgrind:
        print(f"instructions a packet (callgrind): {instructions_per_frame(folder, scenario):.0f}")
    for clients, qps in ((1, 1), (1, 100), (4, 2500)):
        messages = max(200_000 // (clients * qps), 4)
        sample, = run([
            BENCH, of_qps, "--runs", "1", "--transfers",
            str(messages), "--set", f"system.hosts.client.count={clients}", "--set",
            f"run.connections={qps}"
        ])
        sent = clients * qps * messages
        if sample["data_frames"] != sent:
            sys.exit(
                f"error: bench: {sample['data_frames']:,.0f} packets for {sent:,} messages: some "
                "are sent again, and the time is not one of messages"
            )
        print(
            f"{clients * qps:,} QPs: {1e6 * sample['cpu_s'] / sent:.2f} us a message of 1 KiB, "
            f"peak {sample['peak_kib'] / 1024:.0f} MiB"
        )


def measure_persistence(runs: Any, callgrind: Any, folder: str | Path) -> None:
    """What the path into persistent memory costs, and what WRITE_PERSISTs with all their power cuts
    do, pair by pair."""
    scenario = os.path.join(ROOT, "testbench", "bench", "networks", "verbs.yaml")
    # Six modules write faster than the link brings data.
    path = [
        "--set", "system.host.persistence.ddio=false", "--set",
        "system.host.persistence.scm.modules=6"
    ]
    durable = [*path, "--set", "run.scheme=fig10"]
    plain_path_durable: list[list[str]] = [[], path, durable]
    base = [BENCH, scenario, "--runs", "1", "--transfers", "1500"]
    ratios: dict[str, list[float]] = {
        "through the path": [],
        "WRITE_PERSISTs, cut at all instants": []
    }
    for _ in range(runs):
        plain, = run(base)
        for more, found in zip((path, durable), ratios.values()):
            sample, = run([*base, *more])
            found.append(sample["cpu_s"] / sample["data_frames"] /
                         (plain["cpu_s"] / plain["data_frames"]))
    print(
        f"WRITEs of 64 KiB in packets of 1 KiB, {runs} pairs of runs of 1,500, processor time "
        "beside the same without a path:"
    )
    for name, found in ratios.items():
        print(f"  {name}: {statistics.median(found):.2f} ({min(found):.2f} .. {max(found):.2f})")
    if callgrind:
        counts = [instructions_per_frame(folder, scenario, more) for more in plain_path_durable]
        print(
            f"  instructions a packet (callgrind): {counts[0]:.0f}; {counts[1]:.0f} "
            f"({counts[1] / counts[0]:.2f}); {counts[2]:.0f} ({counts[2] / counts[0]:.2f})"
        )


def forward_beside_ns3(runs: Any, folder: str | Path) -> None:
    """The same bare frames between plain hosts over a switch, and over a forwarder of ns-3; that
    both move them alike is a test."""
    theirs = build_ns3(folder, "testbench/oracles/ns3_forwarder.cpp")
    if theirs is None:
        return
    frames, _ = forwarding.simulate(os.path.join(RELEASE, "rnicsim"), FORWARDED, folder)
    schedule, scenario = os.path.join(folder, "schedule"), os.path.join(folder, "star.yaml")
    with open(schedule, "w", encoding="utf-8") as file:
        file.write(forwarding.schedule(FORWARDED, frames))
    pairs = []
    for _ in range(runs):
        own, = run(
            [BENCH, scenario, "--runs", "1", "--transfers",
             str(FORWARDED.traffic[0]["transfers"])])
        other, = run([theirs, schedule, "--speed"])
        pairs.append((own["cpu_s"] / len(frames), other["cpu_s"] / len(frames)))
    ratios = [other / own for own, other in pairs]
    print(
        f"bare frames of plain hosts over a switch, {runs} pairs of runs of {len(frames):,} "
        "frames: "
        f"{1e6 * statistics.median(own for own, _ in pairs):.2f} us of processor time a frame; the "
        "same over a forwarder in ns-3 "
        f"{1e6 * statistics.median(other for _, other in pairs):.2f} us, "
        f"{other['events'] / len(frames):.2f} events"
    )
    print(
        f"  ns-3 : rnicsim, processor time, pair by pair: {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} .. {max(ratios):.2f})"
    )


def compare_with_observers(runs: Any, against: Any) -> None:
    transfers = "200"
    plain = [BENCH, SCENARIO, "--transfers", transfers, "--runs", "1"]
    print(
        f"{transfers} transfers of 128 KiB, no faults, dynamic method; {runs} pairs of runs each, "
        "median ratio (lowest .. highest)"
    )
    with tempfile.TemporaryDirectory() as folder:
        if against:
            ratios, _ = pairs_of(plain, [against, *plain[1:]], runs)
            print(
                f"  nothing observed, this build : {against}: {statistics.median(ratios):.3f} "
                f"({min(ratios):.3f} .. {max(ratios):.3f})"
            )
        for option, name in (("--events", "e.csv"), ("--pcap", "c.pcapng"), ("--trace", "t.json"),
                             ("--vcd", "s.vcd")):
            file = os.path.join(folder, name)
            ratios, base = pairs_of([*plain, option, file], plain, runs)
            print(
                f"  {option:8} {statistics.median(ratios):6.2f} ({min(ratios):.2f} .. "
                f"{max(ratios):.2f}) times the {base:.3f} s without; "
                f"{os.path.getsize(file) / 2**20:.0f} MiB")


def compare_with_ns3(runs: Any, folder: str | Path) -> None:
    frames_only, tcp = build_ns3(folder, "testbench/bench/ns3_frames.cpp"), build_ns3(
        folder, "testbench/bench/ns3_tcp.cpp")
    ours, bare, reliable = [], [], []
    for _ in range(runs):
        ours += run([BENCH, SCENARIO, "--runs", "1", "--transfers", str(TRANSFERS)])
        if frames_only:
            bare += run([frames_only, str(int(ours[-1]["data_frames"]))])
        if tcp:
            reliable += run([tcp, str(TRANSFERS)])
    times = [sample["cpu_s"] for sample in ours]
    cpu = statistics.median(times)
    frames, events, cycles = (ours[0][k] for k in ("data_frames", "events", "cycles"))
    print(
        f"rnicsim: {runs} runs of {TRANSFERS} transfers of 128 KiB, no faults, dynamic method; "
        f"median {cpu:.3f} s of processor time "
        f"(least {min(times):.3f}, most {max(times):.3f})")
    print(
        f"  {1e6 * cpu / frames:.2f} us a data frame = {frames / cpu / 1e6:.2f} million data "
        "frames a second and core"
    )
    print(
        f"  {events / frames:.2f} activations a data frame, {cycles / cpu / 1e6:.0f} million "
        "simulated cycles a second"
    )
    print(f"  peak memory {max(s['peak_kib'] for s in ours) / 1024:.0f} MiB")
    for name, samples in (("bare frames", bare), ("TCP", reliable)):
        if samples:
            each = [sample["cpu_s"] / sample["data_frames"] for sample in samples]
            pairs = [theirs / (own["cpu_s"] / frames) for theirs, own in zip(each, ours)]
            print(f"ns-3, {name}: {1e6 * statistics.median(each):.2f} us a data frame, "
                  f"{samples[0]['events'] / samples[0]['data_frames']:.2f} events")
            print(f"  ns-3 : rnicsim, processor time, pair by pair: {statistics.median(pairs):.2f} "
                  f"({min(pairs):.2f} .. {max(pairs):.2f})")


@ending.reported("bench")
def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9, help="interleaved runs of each (default 9)")
    parser.add_argument("--no-callgrind", action="store_true", help="do not count instructions")
    parser.add_argument(
        "--rtl", action="store_true",
        help="instead: the same run with both cores in Verilog and without, pair by pair")
    parser.add_argument("--networks", action="store_true",
                        help="instead: hops, idle hosts, 64 clients, a switch beside ns-3")
    parser.add_argument("--verbs", action="store_true",
                        help="instead: RoCEv2 RNICs, beside ns-3's bare frames; many QPs")
    parser.add_argument(
        "--persistence", action="store_true",
        help="instead: the path into persistent memory, and power cuts at all instants")
    parser.add_argument("--programs", action="store_true",
                        help="instead: messages, posts and polls of programs under rnicsim exec")
    parser.add_argument("--observe", action="store_true",
                        help="instead: what --events, --pcap, --trace and --vcd cost")
    parser.add_argument("--against", metavar="BENCH",
                        help="with --observe: another build to compare with, nothing observed")
    options = parser.parse_args(arguments)
    if options.against and not options.observe:
        parser.error("--against: expected --observe with it")
    missing = [
        program for program in ("rnicsim_bench", "rnicsim")
        if not os.path.exists(os.path.join(RELEASE, program))
    ]
    if missing:
        sys.exit(
            f"bench: build/release/bin/{missing[0]} is missing; run: cmake --preset release && "
            "cmake --build --preset release")
    if options.observe:
        compare_with_observers(options.runs, options.against)
        return
    if options.rtl:
        compare_with_rtl(options.runs)
        return
    if options.programs:
        bench_programs.measure(options.runs)
        return
    callgrind = not options.no_callgrind and shutil.which("valgrind") is not None
    if options.verbs:
        with tempfile.TemporaryDirectory() as folder:
            measure_verbs(options.runs, callgrind, folder)
        return
    if options.persistence:
        with tempfile.TemporaryDirectory() as folder:
            measure_persistence(options.runs, callgrind, folder)
        return
    if options.networks:
        with tempfile.TemporaryDirectory() as folder:
            measure_networks(options.runs, callgrind, folder)
            forward_beside_ns3(options.runs, folder)
        if not callgrind:
            print("instructions: skipped" +
                  ("" if options.no_callgrind else ", valgrind is not installed"))
        return
    with tempfile.TemporaryDirectory() as folder:
        compare_with_ns3(options.runs, folder)
        if options.no_callgrind:
            pass
        elif shutil.which("valgrind"):
            print(f"instructions a data frame (callgrind): {instructions_per_frame(folder):.0f}")
        else:
            print("instructions: skipped, valgrind is not installed")
