# SPDX-License-Identifier: Apache-2.0
"""Prints the ports of the modules of rtl/ as Markdown tables. What a port means stands beside it in
the Verilog, or in rtl/ports.txt.

Usage: scripts/port_tables [MODULE...]      without MODULE: all of them
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.places import RTL, verilog

PORT = re.compile(
    r"^\s*(input|output)\s+(?:logic\s*(?:\[\s*([^\]]*?)\s*:\s*0\])?|(\w+::\w+))\s*(\w+),?\s*(?://\s*(.*))?$"  # noqa: E501
)
PARAMETER = re.compile(
    r"^\s*parameter\s+(?:int "
    r"unsigned|bit|logic)\s*(?:\[[^\]]*\])?\s*(\w+)\s*=\s*([^,/]*?),?\s*(?://\s*(.*))?$"
)
# Who may be replaced by a block of one's own: there each port has to be explained.
BLOCKS = {
    "gmac_tx", "gmac_rx", "drp_frame_filter", "transport_controller", "indirect_buffer",
    "dma_engine", "rnic_core"
}


def width(range_: str | None, type_: Any) -> str:
    if type_:
        return f"`{type_}`"
    if range_ is None:
        return "1"
    return str(int(range_) + 1) if range_.isdigit() else range_.removesuffix(
        "-1").strip() if range_.endswith("-1") else f"{range_} + 1"


def shared_texts() -> dict[str, str]:
    """rtl/ports.txt: {name or module.name: text}"""
    lines = (RTL / "ports.txt").read_text(encoding="utf-8").splitlines()
    return dict(
        re.split(r"\s+\|\s+", line, maxsplit=1) for line in lines
        if line.strip() and not line.startswith("#"))


def table(file: Path, texts: Mapping[str, str], used: set[str]) -> str:
    text = file.read_text(encoding="utf-8")
    head = text[text.index("\nmodule ") if not text.startswith("module ") else 0:]
    head = head[:head.index(");\n")]
    rows, parameters, heading = [], [], ""
    for line in head.splitlines():
        if line.startswith(") ("):
            heading = ""
        elif parameter := PARAMETER.match(line):
            meaning = parameter[3] or heading
            parameters.append(f"`{parameter[1]} = {parameter[2]}`" +
                              (f" ({meaning})" if meaning else ""))
            heading = ""
        elif port := PORT.match(line):
            direction, range_, type_, name, meaning = port.groups()
            if not meaning and not (heading and file.stem not in BLOCKS):
                key = next((key for key in (f"{file.stem}.{name}", name) if key in texts), None)
                meaning = ""
                if key is not None:
                    meaning = texts[key]
                    used.add(key)
            if file.stem in BLOCKS and not heading and not meaning:
                sys.exit(
                    f"error: {file.name}: {name} is explained neither there nor in rtl/ports.txt")
            said = ": ".join(part for part in (heading, meaning) if part)
            rows.append(
                f"| `{name}` | {'in' if direction == 'input' else 'out'} | {width(range_, type_)} "
                f"| {said} |"
            )
            heading = ""
        elif comment := re.match(r"^\s*// (.*)", line):
            heading = f"{heading} {comment[1]}".strip()
    if not rows:
        sys.exit(f"error: {file.name}: no ports found; is each on a line of its own?")
    names = len(re.findall(r"^\s*(?:input|output)\b", head, re.MULTILINE))
    if names != len(rows):
        sys.exit(f"error: {file.name}: {names} ports, but only {len(rows)} could be read")
    lines = [f"## {file.stem}\n"]
    if parameters:
        lines.append("Parameters: " + "; ".join(parameters) + ".\n")
    return "\n".join([*lines, "| port | | bits | meaning |", "|---|---|---|---|", *rows]) + "\n"


@ending.reported("port_tables")
def main(arguments: Sequence[str]) -> int:
    modules = {file.stem: file for file in verilog() if not file.stem.endswith("_pkg")}
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    for name in arguments:
        if name not in modules:
            raise ending.Unusable(f"there is no module {name} in rtl/")
    texts = shared_texts()
    used: set[str] = set()
    tables = {name: table(modules[name], texts, used) for name in sorted(modules)}
    for key in texts.keys() - used:
        sys.exit(f"error: rtl/ports.txt: no module has a port {key} that needs this")
    print("\n".join(tables[name] for name in arguments or sorted(modules)), end="")
    return 0
