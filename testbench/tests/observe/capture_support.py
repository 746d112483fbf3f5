# SPDX-License-Identifier: Apache-2.0
"""What the tests of captures share: runs with a capture, a reader and a writer of pcapng, tshark.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs tshark.
"""
import collections
import csv
import functools
import os
import re
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
DISSECTOR = SOURCE / "scripts" / "wireshark" / "drp.lua"
WORK = tempfile.TemporaryDirectory()
MAC = {"a": "02:00:00:00:00:01", "b": "02:00:00:00:00:02"}
OTHER = {"a": "b", "b": "a"}
TYPES = {0x80: "REQ", 0x40: "REQ_ACK", 0x20: "DATA", 0x10: "REL", 0x08: "REL_ACK"}

SCENARIOS = {  # all: dynamic, one run
    "writes": """
system: {link: {loss: 8 %}, host: {registration: {failure: 30 %}}}
run: {methods: [dynamic], repetitions: 1, size: 6001 B, transfers: 60}
""",
    "both": """
system:
  link: {loss: 5 %}
  rnic: {drp: {retransmission: go_back_n}}
  b: {rnic: {pcie: {generation: 2, lanes: 4, max_payload: 256 B, max_read_request: 1024 B}}}
run: {methods: [dynamic], repetitions: 1, size: 10 KiB, operation: alternate, direction: both, in_flight: 4, transfers: 40}
""",  # noqa: E501
    "reads": """
system: {link: {loss: 25 %}}
run: {methods: [dynamic], repetitions: 1, size: 5 KiB, operation: read, direction: b_to_a, transfers: 50}
""",  # noqa: E501
    "pings": """
system: {link: {loss: 5 %}, host: {ping: {sizes: [256 B, 1500 B], interval: 0.1 ms}}}
run: {methods: [dynamic], repetitions: 1, size: 20 KiB, transfers: 10}
""",
}

Packet = collections.namedtuple("Packet", "interface ns flags comment bytes wire")


@functools.cache
def as_somebody() -> list[Any]:
    """What goes before tshark: from 4.4 on (Debian 13) it loads no Lua for root, so it runs as
    nobody then, who may read root's files."""
    version = re.search(
        r"(\d+)\.(\d+)",
        subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout)
    if os.geteuid() != 0 or (int(version[1]), int(version[2])) < (4, 4):
        return []
    reads = "+dac_override"
    return [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", f"--inh-caps={reads}",
        f"--ambient-caps={reads}"
    ]


def command(*words: str | Path, code: int = 0,
            home: None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": home or WORK.name, "XDG_CONFIG_HOME": ""}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=120, check=False, env=environment)
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stderr}"
    return done


def tshark(file: Path, *words: Any, script: bool = True, home: None = None) -> str:
    """Its output. It prints nothing on stderr, and Lua reports no error."""
    done = command(*as_somebody(), "tshark", *(["-X", f"lua_script:{DISSECTOR}"] if script else []),
                   "-r", file, *words, home=home)
    errors = [
        line for line in done.stderr.splitlines() if line and not line.startswith("Running as user")
    ]
    assert not errors, errors
    assert "Lua Error" not in done.stdout, done.stdout[done.stdout.index("Lua Error"):][:300]
    return done.stdout


def fields(file: Path, names: tuple[str, ...], shown: Any = "", *words: Any,
           **options: Any) -> list[tuple[str, ...]]:
    """A tuple of texts for each packet that `shown` shows."""
    asked = [*words, *(["-Y", shown] if shown else []), "-T", "fields", "-E", "occurrence=f"]
    for name in names:
        asked += ["-e", name]
    return [tuple(line.split("\t")) for line in tshark(file, *asked, **options).splitlines()]


def read_pcapng(file: Path) -> Any:
    """Interfaces [(link type, options)] and packets, by the draft: nothing of ours or
    Wireshark's."""
    data, at, interfaces, packets, section = Path(file).read_bytes(), 0, [], [], None

    def options(body: bytes) -> dict[int, bytes]:
        found, place = {}, 0
        while place < len(body):
            code, length = struct.unpack_from("<HH", body, place)
            if code == 0:
                assert place + 4 == len(body), "something behind the end of the options"
                break
            found[code] = body[place + 4:place + 4 + length]
            place += 4 + (length + 3) // 4 * 4
        return found

    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0 and struct.unpack_from("<I", data, at + length - 4)[0] == length
        body = data[at + 8:at + length - 4]
        if kind == 0x0A0D0D0A:
            assert at == 0 and struct.unpack_from("<IHHq", body) == (0x1A2B3C4D, 1, 0, -1)
            section = options(body[16:])
        elif kind == 1:
            link, _, limit = struct.unpack_from("<HHI", body)
            assert limit == 0
            interfaces.append((link, options(body[8:])))
        else:
            assert kind == 6, kind
            interface, high, low, captured, wire = struct.unpack_from("<IIIII", body)
            rest = options(body[20 + (captured + 3) // 4 * 4:])
            packets.append(
                Packet(interfaces[interface][1][2].decode(), high << 32 | low,
                       struct.unpack("<I", rest[2])[0],
                       rest.get(1, b"").decode(), body[20:20 + captured], wire))
        at += length
    return section, interfaces, packets


def drp_of(frame: bytes) -> tuple[str, ...]:
    """The header as --events writes it: (type, tid, sn, ackn, len, mode), or all empty."""
    if frame[12:14] != b"\x01\xff":
        return ("",) * 6
    ctrl, _, tid, length, sn, ackn = struct.unpack_from(">BBHIII", frame, 14)
    kind = "ACK" if ctrl & 0x20 and length == 0 else TYPES[ctrl & 0xF8]
    return (kind, *map(str, (tid, sn, ackn, length)), "indirect" if ctrl & 2 else "direct")


class Run:
    def __init__(self, name: str, scenario: str, *options: str, at: str | None = "both") -> None:
        self.folder = Path(WORK.name) / name
        self.folder.mkdir()
        file = self.folder / f"{name}.yaml"
        file.write_text(scenario, encoding="utf-8")
        self.capture = self.folder / "x.pcapng"
        command(BIN, "run", file, "--no-plot", "--quiet", "--out", self.folder / "out", "--pcap",
                self.capture, *(() if at is None else
                                ("--pcap-at", at)), "--events", self.folder / "x.csv", *options)
        self.section, self.interfaces, self.packets = read_pcapng(self.capture)
        self.frames = [packet for packet in self.packets if not packet.interface.endswith(".pcie")]
        with open(self.folder / "x.csv", newline="", encoding="utf-8") as events:
            self.events = list(csv.DictReader(events))
        with open(self.folder / "out" / "summary.csv", newline="", encoding="utf-8") as summary:
            self.counters = {
                key: int(value)
                for key, value in next(csv.DictReader(summary)).items()
                if re.match(r"[ab]\.|link", key)
            }

    def rows(self, unit: str, *events: str) -> list[dict[str, str]]:
        return [row for row in self.events if row["unit"] == unit and row["event"] in events]

    def wire_rows(self) -> list[dict[str, str]]:
        """The events that become packets, in the packets' order: by time, of equal ones the one
        decided first."""
        rows = [
            row for row in self.events
            if (row["unit"], row["event"]) in (("mac", "sent"), ("link", "arrives"))
        ]
        return sorted(rows, key=lambda row: int(row["time_ps"]))


@functools.cache
def run(name: Any) -> Any:
    return Run(name, SCENARIOS[name], "--pcap-tlps")


@functools.cache
def column(name: str) -> str:
    """The field of a column: newer versions of tshark write it in lower case."""
    found = command("tshark", "-r",
                    run("reads").capture, "-c", "1", "-T", "fields", "-e",
                    f"_ws.col.{name.lower()}").stdout.strip()
    return f"_ws.col.{name.lower() if found else name}"


def interface_of(row: Mapping[str, str]) -> str:
    return row["end"] + ".sent" if row["event"] == "sent" else OTHER[row["end"]] + ".received"


def transfer_of(row: Mapping[str, str]) -> Any:
    return f"{MAC[row['transfer'][0]]}/{row['transfer'][1:]}" if row["transfer"] else ""


def write_pcapng(file: Path, packets: Sequence[tuple[str, bytes]], link: int = 1,
                 cut: Any = None) -> None:
    """[(interface name, bytes)]; `cut`: what is captured of each."""
    def block(kind: int, body: bytes) -> bytes:
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    names = sorted({name for name, _ in packets})
    data = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name in names:
        data += block(
            1,
            struct.pack("<HHIHH", link, 0, 0, 2, len(name)) + name.encode() +
            bytes(-len(name) % 4) + bytes(4))
    for i, (name, content) in enumerate(packets):
        kept = content[:cut]
        data += block(
            6,
            struct.pack("<IIIII", names.index(name), 0, i, len(kept), len(content)) + kept +
            bytes(-len(kept) % 4))
    Path(file).write_bytes(data)


def frame(ctrl: Any, tid: int = 1, length: int = 0, sn: int = 0, ackn: int = 0, ext: int = 0,
          payload: bytes = b"", source: str = "a", ether_type: int = 0x01FF,
          cut: Any = None) -> Any:
    mac = {end: bytes.fromhex(MAC[end].replace(":", "")) for end in "ab"}
    header = struct.pack(">BBHIIIQQ", ctrl, ext, tid, length, sn, ackn, 0x1122334455667788,
                         0x99AABBCCDDEEFF00)
    return (mac[OTHER[source]] + mac[source] + struct.pack(">H", ether_type) + header +
            payload)[:cut]
