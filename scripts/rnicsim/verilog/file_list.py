# SPDX-License-Identifier: Apache-2.0
"""Prints the files that a module of rtl/ consists of, as the Verilog names them, in the order in
which tools read them: packages, parts, the module itself.

Usage: scripts/file_list [--fusesoc] MODULE      (paths are relative to rtl/)

  --fusesoc  as the description of a core for FuseSoC (CAPI2): rtl/*.core
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rnicsim import ending
from rnicsim.places import RTL, verilog

PARAMETER = re.compile(r"^\s*parameter (bit|int unsigned) (\w+)", re.MULTILINE)


def _is_package(file: Path) -> bool:
    return file.stem.endswith("_pkg")


def _uses(file: Path, other: Path, text: str) -> bool:
    name = rf"\b{other.stem}::" if _is_package(other) else rf"^ +{other.stem} (#\(|u_)"
    return file != other and re.search(name, text, re.MULTILINE) is not None


def sources(file: Path, rtl: Path = RTL) -> list[Path]:
    """A file after those of rtl/ that it needs: packages first, each after what it uses itself."""
    every = sorted(verilog(rtl), key=lambda other: other.stem)
    ordered: list[Path] = []

    def take(one: Path) -> None:
        text = re.sub(r"//.*", "", one.read_text(encoding="utf-8"))
        for other in every:
            if other not in ordered and _uses(one, other, text):
                take(other)
        ordered.append(one)

    take(file)
    return sorted(ordered, key=lambda one: not _is_package(one))


def parts(file: Path, rtl: Path = RTL) -> list[Path]:
    """The modules inside a file's, those before which they are used first."""
    return [one for one in sources(file, rtl) if one != file and not _is_package(one)]


def fusesoc(file: Path, files: Sequence[str]) -> str:
    """A core of CAPI2. Parameters keep the Verilog's defaults unless a user gives a value."""
    kinds = {"bit": "bool", "int unsigned": "int"}
    parameters = [(name, kinds[kind])
                  for kind, name in PARAMETER.findall(file.read_text(encoding="utf-8"))]
    return "\n".join([
        "CAPI=2:", f"# scripts/file_list --fusesoc {file.stem} writes this.",
        f"name: rnicsim:rtl:{file.stem}:0", "filesets:", "  rtl:", "    files:",
        *(f"      - {name}" for name in files), "    file_type: systemVerilogSource", "targets:",
        "  default:", "    filesets: [rtl]", f"    toplevel: {file.stem}",
        *([f"    parameters: [{', '.join(name for name, _ in parameters)}]", "parameters:"] if
          parameters else []), *(f"  {name}: {{datatype: {kind}, paramtype: vlogparam}}"
                                 for name, kind in parameters)
    ])


@ending.reported("file_list")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fusesoc", action="store_true")
    parser.add_argument("module", metavar="MODULE")
    options = parser.parse_args(arguments)
    modules = {file.stem: file for file in [*verilog(), *RTL.glob("examples/*.sv")]}
    if options.module not in modules:
        raise ending.Unusable(f"there is no module {options.module} in rtl/")
    file = modules[options.module]
    files = [str(one.relative_to(RTL)) for one in sources(file)]
    print(fusesoc(file, files) if options.fusesoc else "\n".join(files))
    return 0
