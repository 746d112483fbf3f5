# SPDX-License-Identifier: Apache-2.0
"""The manifest of a block with AXI-Stream ports: which module, its clock, its streams.

A value that cannot be used ends the script with file, line, path and what was expected.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import yaml

from rnicsim import ending

STREAMS = {"gmac": ("tx", "rx"), "frame_filter": ("in", "out")}  # into the module; out of it
GMII = ("gmac", )  # blocks that have it
ACCEPTED = ("runt", "oversize")  # no MAC has to refuse the latter: IEEE 802.3 4.2.4.2.1
OWN_ADDRESS = "own_address"  # as the value of an input: the station's, 48 bits
MOST_LATENCY = 8192  # cycles: five of the longest frames at a byte a cycle
MAC_PERIOD = 8000  # ps, of 125 MHz: GMII


@dataclass
class Stream:
    prefix: str
    least: int = 0
    most: int = MOST_LATENCY
    stalls: bool = False


@dataclass
class Manifest:
    file: Path
    block: str = ""
    module: str = ""
    name: str = ""  # in `simulation:`
    files: list[Path] = field(default_factory=list)
    parameters: dict[str, int | str] = field(default_factory=dict)
    clocks: list[str] = field(default_factory=list)
    period: int = MAC_PERIOD  # ps
    resets: list[str] = field(default_factory=list)
    reset_high: bool = True
    inputs: dict[str, int | str] = field(default_factory=dict)
    gmii: str = ""
    accepts: list[str] = field(default_factory=list)  # of ACCEPTED
    streams: dict[str, Stream] = field(default_factory=dict)


class Place:
    """A node of the file, and how one gets there."""

    def __init__(self, file: Path, node: Any, path: str = "") -> None:
        self.file, self.node, self.path = file, node, path

    def refuse(self, expected: str) -> ending.Unusable:
        found = f"found '{self.node.value}', " if isinstance(self.node, yaml.ScalarNode) else ""
        return ending.Unusable(f"{self.file}:{self.node.start_mark.line + 1}: "
                               f"{self.path or 'the manifest'}: {found}expected {expected}")

    def entries(self, known: tuple[str, ...] | None, expected: str) -> dict[str, "Place"]:
        if not isinstance(self.node, yaml.MappingNode):
            raise self.refuse(expected)
        found: dict[str, Place] = {}
        for key, value in self.node.value:
            path = f"{self.path}.{key.value}" if self.path else key.value
            place = Place(self.file, key, path)
            if known is not None and key.value not in known:
                raise place.refuse("one of " + ", ".join(known))
            if key.value in found:
                raise place.refuse("it once")
            found[key.value] = Place(self.file, value, path)
        return found

    def items(self, expected: str) -> list["Place"]:
        if not isinstance(self.node, yaml.SequenceNode) or not self.node.value:
            raise self.refuse(expected)
        return [
            Place(self.file, node, f"{self.path}[{i}]") for i, node in enumerate(self.node.value)
        ]

    def text(self, expected: str, right: Callable[[str], bool] = bool) -> str:
        if not isinstance(self.node, yaml.ScalarNode) or not right(self.node.value):
            raise self.refuse(expected)
        return str(self.node.value)

    def name(self, expected: str = "a name in Verilog") -> str:
        return self.text(expected, lambda text: text.isidentifier() and text.isascii())

    def number(self, expected: str, least: int = 0, most: int = 2**64 - 1) -> int:
        text = self.text(expected)
        try:
            value = int(text, 0)
        except ValueError:
            raise self.refuse(expected) from None
        if not least <= value <= most:
            raise self.refuse(expected)
        return value

    def parameter(self) -> int | str:
        """A number, or else a string."""
        text = self.text("a number or a word", lambda text: bool(text) and '"' not in text)
        try:
            return int(text, 0)
        except ValueError:
            return text

    def choice(self, *words: str) -> str:
        return self.text(" or ".join(words), lambda text: text in words)


def read_period(place: Place) -> int:
    """In ps, rounded."""
    text = place.text("a frequency, such as 125 MHz or 156.25 MHz")
    number, _, unit = text.partition(" ")
    try:
        hertz = Decimal(number) * {"kHz": 10**3, "MHz": 10**6, "GHz": 10**9}[unit.strip()]
        period = round(Decimal(10**12) / hertz)
    except (InvalidOperation, KeyError, ZeroDivisionError):
        raise place.refuse("a frequency, such as 125 MHz or 156.25 MHz") from None
    if not 100 <= period <= 1_000_000:
        raise place.refuse("1 MHz to 10 GHz")
    return period


def read_stream(place: Place, into: bool, block: str) -> Stream:
    timed = block == "gmac" or not into
    known = ("prefix", "stalls", "latency") if timed else ("prefix", "stalls")
    entries = place.entries(known,
                            "{prefix: ..., latency: [least, most]}" if timed else "{prefix: ...}")
    if "prefix" not in entries:
        raise place.refuse("prefix: what the names of its ports begin with, such as m_axis_")
    stream = Stream(entries["prefix"].name("a prefix, such as m_axis_"), stalls=block != "gmac")
    if "stalls" in entries:
        stream.stalls = entries["stalls"].choice("true", "false") == "true"
    if not timed:
        return stream
    if "latency" not in entries:
        raise place.refuse("latency: [least, most], in cycles of the block's clock")
    bounds = entries["latency"].items("[least, most]")
    if len(bounds) != 2:
        raise entries["latency"].refuse("[least, most]")
    expected = f"cycles, 0 .. {MOST_LATENCY}"
    stream.least, stream.most = (bound.number(expected, 0, MOST_LATENCY) for bound in bounds)
    if stream.least > stream.most:
        raise bounds[1].refuse(f"at least {stream.least}, the least latency")
    return stream


def read_ports(place: Place) -> list[str]:
    if isinstance(place.node, yaml.ScalarNode):
        return [place.name()]
    return [item.name() for item in place.items("a port, or a list of ports")]


def read(file: Path) -> Manifest:
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        raise ending.Unusable(f"{file}: expected a text in UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ending.Unusable(f"{file}:{line}: no YAML: {error.problem}") from None
    if node is None:
        raise ending.Unusable(f"{file}: empty, expected a manifest (rtl/examples/README.md)")
    top = Place(file, node)
    shape = "block, module, files, clock and its streams"
    if not isinstance(node, yaml.MappingNode):
        raise top.refuse(shape)
    named = [value for key, value in node.value if key.value == "block"]
    if not named:
        raise top.refuse("block: " + " or ".join(STREAMS))
    manifest = Manifest(file, Place(file, named[0], "block").choice(*STREAMS))
    gmii = ("gmii", ) if manifest.block in GMII else ()
    accepts = ("accepts", ) if manifest.block in GMII else ()
    streams = STREAMS[manifest.block]
    optional = ("name", "parameters", "reset", "inputs")
    entries = top.entries(
        ("block", "module", "files", "clock", *optional, *accepts, *gmii, *streams), shape)
    for key in ("module", "files", "clock", *gmii, *streams):
        if key not in entries:
            raise top.refuse(f"{key}, which is missing")
    manifest.module = entries["module"].name("the module's name")
    named_by = entries.get("name", entries["module"])
    manifest.name = named_by.text(
        "a name of letters, digits and _ that `simulation` does not have yet",
        lambda text: text.isidentifier() and text.isascii() and text not in ("model", "rtl"))
    for item in entries["files"].items("a list of files"):
        path = (file.parent / item.text("a file")).resolve()
        if not path.is_file():
            raise item.refuse("a file that is there, beside the manifest or from there")
        manifest.files.append(path)
    if "parameters" in entries:
        for name, value in entries["parameters"].entries(None, "{NAME: number}").items():
            manifest.parameters[name] = value.parameter()
    clock = entries["clock"].entries(("ports", "frequency"), "{ports: clk, frequency: 125 MHz}")
    for key in ("ports", "frequency"):
        if key not in clock:
            raise entries["clock"].refuse(f"{key}, which is missing")
    manifest.clocks = read_ports(clock["ports"])
    manifest.period = read_period(clock["frequency"])
    if gmii and manifest.period != MAC_PERIOD:
        raise clock["frequency"].refuse("125 MHz, the clock of GMII")
    if "reset" in entries:
        reset = entries["reset"].entries(("ports", "active"), "{ports: rst, active: high}")
        if "ports" not in reset or "active" not in reset:
            raise entries["reset"].refuse("{ports: rst, active: high}")
        manifest.resets = read_ports(reset["ports"])
        manifest.reset_high = reset["active"].choice("high", "low") == "high"
    if "inputs" in entries:
        for name, value in entries["inputs"].entries(None, "{port: number}").items():
            own = manifest.block == "frame_filter" and value.node.value == OWN_ADDRESS
            manifest.inputs[name] = OWN_ADDRESS if own else value.number(
                "a number" + (f" or {OWN_ADDRESS}" if manifest.block == "frame_filter" else ""))
    if gmii:
        prefix = entries["gmii"].entries(("prefix", ), "{prefix: gmii_}")
        if "prefix" not in prefix:
            raise entries["gmii"].refuse("{prefix: gmii_}")
        manifest.gmii = prefix["prefix"].text("a prefix, such as gmii_, or ''",
                                              lambda text: not text or text.isidentifier())
    if "accepts" in entries:
        shape = "a list of runt and oversize"
        manifest.accepts = [item.choice(*ACCEPTED) for item in entries["accepts"].items(shape)]
    for i, name in enumerate(streams):
        manifest.streams[name] = read_stream(entries[name], i == 0, manifest.block)
    return manifest
