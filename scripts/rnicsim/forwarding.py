# SPDX-License-Identifier: Apache-2.0
"""The same frames over one switch: rnicsim's, and the forwarder in ns-3
(testbench/oracles/ns3_forwarder.cpp).

Plain hosts send as a scenario says. When each of their frames was ready is the schedule for ns-3:
what its hosts, its links and its forwarder make of that is compared frame by frame.
"""
import csv
import dataclasses
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PS = {"ns": 1_000, "us": 1_000_000}
BITS_PER_SECOND = {"Gbps": 10**9}
BYTES = {"B": 1, "KiB": 1024}
OVERHEAD = 18  # bytes of a frame beside MAC client data: header and FCS
LEAST = 64  # bytes of a frame, IEEE 802.3


def quantity(text: str, units: Any) -> Any:
    """'2 us' as a whole number of the unit that is 1."""
    number, unit = text.split()
    value = float(number) * units[unit]
    assert value == int(value), text
    return int(value)


@dataclasses.dataclass(frozen=True)
class Star:
    """Plain hosts around a switch that drops what finds its port's queue full."""

    hosts: dict[Any, Any]  # group: (count, rate, delay); the ports in this order
    traffic: list[Any]  # as in run.traffic
    latency: str = "2 us"
    queue_limit: str = "64 KiB"

    def scenario(self) -> Any:
        """Of the public program; as JSON, which is YAML."""
        groups = {
            name: {
                "count": count
            } if count > 1 else {}
            for name, (count, _, _) in self.hosts.items()
        }
        return json.dumps({
            "system": {
                "rnic": {
                    "personality": "plain"
                },
                "hosts":
                groups,
                "switch": {
                    "latency": self.latency,
                    "admission": "static",
                    "queue_limit": self.queue_limit,
                    "buffer": "16 MiB"
                },
                "switches": {
                    "s0": {}
                },
                "links": [{
                    "between": [name, "s0"],
                    "rate": rate,
                    "delay": delay
                } for name, (_, rate, delay) in self.hosts.items()]
            },
            "run": {
                "repetitions": 1,
                "traffic": self.traffic
            }
        })

    def links(self) -> Iterator[Any]:
        """Name, rate and delay of each host's link, in order of the ports."""
        for group, (count, rate, delay) in self.hosts.items():
            for member in range(count):
                yield (f"{group}{member}" if count > 1 else group), quantity(
                    rate, BITS_PER_SECOND), quantity(delay, PS)


@dataclasses.dataclass(frozen=True)
class Frame:
    """One row of transfers.csv; times in ps."""

    traffic: str
    sender: str
    number: int  # of its sender and traffic
    receiver: str
    size: int  # bytes, DA to FCS
    ready: int
    begin: int  # the first bit of its preamble, at the sender
    arrived: int | None  # the last bit, at the receiver; None: dropped

    def __str__(self) -> str:
        return (
            f"frame {self.sender}.{self.number} of traffic {self.traffic} to {self.receiver}, "
            f"{self.size} B, ready at {self.ready} ps"
        )


def frames_of(transfers_csv: Any) -> Any:
    """All frames, in the order in which they were ready; of equal ones, in that of the file, which
    is that of the hosts' items."""
    with open(transfers_csv, encoding="utf-8", newline="") as file:
        frames: list[Frame] = []
        for row in csv.DictReader(file):
            ready, lost = int(row["start_ps"]), row["error"] == "lost"
            frames.append(
                Frame(row["traffic"], row["initiator"], int(row["id"]), row["responder"],
                      max(LEAST,
                          int(row["bytes"]) + OVERHEAD), ready, ready + int(row["waiting_ps"]),
                      None if lost else int(row["end_ps"])))
    return sorted(frames, key=lambda frame: int(frame.ready))


def simulate(program: str | Path, star: Any, folder: Any, seed: int = 1) -> Any:
    """Frames of a run of rnicsim, and its counters by name."""
    file, out = Path(folder) / "star.yaml", Path(folder) / "out"
    file.write_text(star.scenario(), encoding="utf-8")
    done = subprocess.run([
        program, "run", file, "--seed",
        str(seed), "--transfers-csv", "--quiet", "--no-plot", "--fresh", "--out", out
    ], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"rnicsim run failed:\n{done.stderr}")
    with open(out / "summary.csv", encoding="utf-8", newline="") as summary:
        counters = next(csv.DictReader(summary))
    return frames_of(out / "transfers.csv"), counters


def schedule(star: Any, frames: Any) -> Any:
    """What ns3_forwarder takes."""
    links = list(star.links())
    place = {name: number for number, (name, _, _) in enumerate(links)}
    lines = [f"switch {quantity(star.latency, PS)} {quantity(star.queue_limit, BYTES)}"]
    lines += [f"host {rate} {delay}" for _, rate, delay in links]
    lines += [f"frame {f.ready} {place[f.sender]} {place[f.receiver]} {f.size}" for f in frames]
    return "\n".join(lines) + "\n"


def forward(oracle: Any, star: Any, frames: Any, folder: Path) -> Any:
    """The same frames as ns-3 moves them, and the most bytes in the queue of each host's port."""
    file = Path(folder) / "schedule"
    file.write_text(schedule(star, frames), encoding="utf-8")
    done = subprocess.run([oracle, file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"ns3_forwarder failed:\n{done.stderr}")
    names = [name for name, _, _ in star.links()]
    moved, most = [], {}
    for line in done.stdout.splitlines():
        kind, number, *rest = line.split()
        if kind == "queue":
            most[names[int(number)]] = int(rest[0])
            continue
        dropped = rest[1] == "dropped"
        moved.append(
            dataclasses.replace(
                frames[int(number)], begin=int(rest[0]), arrived=None if dropped else int(rest[1]),
                receiver=frames[int(number)].receiver if dropped else names[int(rest[2])]))
    return moved, most


def said(frame: Any) -> str:
    arrives = (
        "is dropped" if frame.arrived is None else
        f"arrives at {frame.receiver} at {frame.arrived} ps"
    )
    return f"begins at {frame.begin} ps and {arrives}"


def first_difference(ours: Any, theirs: Any) -> Any:
    """In words, or None. Both in the same order."""
    for own, other in zip(ours, theirs, strict=True):
        if own != other:
            return f"{own}: rnicsim: {said(own)}; ns-3: {said(other)}"
    return None
