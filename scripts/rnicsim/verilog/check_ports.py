# SPDX-License-Identifier: Apache-2.0
"""Compares the ports of a Verilog module with those of the block that it is to stand for.

Usage: scripts/check_ports BLOCK MODULE FILE...

BLOCK: a module of rtl/. MODULE: yours, in one of the FILEs. Prints every difference. Needs
Verilator. Exit codes: 0 equal, 1 different, 2 unreadable.
"""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.places import verilog


def read(module: Any, files: Any, parameters: Mapping[str, int | str]) -> Any:
    """The netlist of a module, as Verilator understands it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "module.xml"
        done = subprocess.run([
            "verilator", "--xml-only", "--xml-output", out, "--top-module", module, "-Wno-fatal",
            "-Wno-lint", "-Wno-MULTITOP",
            *(f'-G{name}="{value}"' if isinstance(value, str) else f"-G{name}={value}"
              for name, value in parameters.items()),
            *sorted({f"-I{Path(file).parent}"
                     for file in files}), *files
        ], capture_output=True, text=True, check=False)
        # A module's own $error about its parameters is only a warning to Verilator, where warnings
        # are not fatal.
        illegal = [
            line for line in done.stderr.splitlines()
            if "-USERERROR:" in line or "-USERFATAL:" in line
        ]
        if done.returncode != 0 or illegal or not out.exists():
            raise ending.Unusable(f"Verilator cannot read {module}:\n" +
                                  ("\n".join(illegal) or done.stderr.strip()))
        tree = xml.parse(out).getroot()
    top = next(
        (m
         for m in tree.iter("module") if m.get("topModule") == "1" or m.get("origName") == module),
        None)
    if top is None:
        raise ending.Unusable(f"no module {module} in {', '.join(map(str, files))}")
    return tree, top


def ports(module: Any, files: Any, parameters: Mapping[str, int | str] | None = None) -> Any:
    """{name: (direction, its range)} of a module, and the names of its parameters; with these
    values of them."""
    tree, top = read(module, files, parameters or {})
    types = {}
    for kind in [
            *tree.iter("basicdtype"), *tree.iter("packarraydtype"), *tree.iter("unpackarraydtype"),
            *tree.iter("structdtype")
    ]:
        left, right = kind.get("left"), kind.get("right")
        plain = kind.tag == "basicdtype"
        bits = abs(int(left) - int(right)) + 1 if plain and left is not None else 1
        odd = not plain or (left is not None and (int(right) != 0 or int(left) < 0))
        types[kind.get(
            "id")] = "an array or structure" if not plain else f"[{left}:{right}]" if odd else bits
    found = {
        v.get("origName"): (v.get("dir"), types.get(v.get("dtype_id"), "of an unknown type"))
        for v in top.findall("var") if v.get("dir")
    }  # its own, not its functions'
    return found, {v.get("origName") for v in top.iter("var") if v.get("param") == "true"}


def shown(port: Any) -> Any:
    direction, bits = port
    return f"{direction} {bits}" if isinstance(
        bits, str) else f"{direction} of {bits} bit" + ("s" if bits != 1 else "")


@ending.reported("check_ports")
def main(arguments: list[str]) -> int:
    if len(arguments) < 3 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    block, module, *files = arguments
    # packages first
    helpers = sorted(verilog(), key=lambda file: (not file.name.endswith("_pkg.sv"), file.name))
    want, parameters = ports(block, helpers)
    mine = [Path(f).resolve() for f in files]
    have, has_parameters = ports(
        module, [file for file in helpers if file.name not in {f.name
                                                               for f in mine}] + mine)
    faults = [
        f"port {name} is missing: {shown(port)}" for name, port in want.items() if name not in have
    ]
    faults += [f"port {name} is not one of the block's" for name in have if name not in want]
    faults += [
        f"port {name} is {shown(have[name])}, expected {shown(port)}"
        for name, port in want.items() if name in have and have[name] != port
    ]
    if block == "rnic_core" and "DYNAMIC" in parameters - has_parameters:
        faults.append("parameter DYNAMIC is missing: bit, 0 for the traditional RNIC")
    if not faults:
        return 0
    print(f"{module} cannot stand for {block} (rtl/README.md has its contract):", *faults,
          sep="\n  ", file=sys.stderr)
    return 1
