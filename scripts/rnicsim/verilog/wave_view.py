# SPDX-License-Identifier: Apache-2.0
"""Writes what GTKWave shows of waveforms of `rnicsim cosim --wave`: the ports of each block, in
groups: clock and reset, configuration, inputs, outputs.

Usage: scripts/wave_view FILE.fst...      beside each FILE.fst a FILE.gtkw: `gtkwave FILE.gtkw`
"""

import argparse
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from rnicsim import ending

# By the names that ports have (rtl_test.py); the first that fits.
GROUPS = (("clock and reset", r"clk_i|rst_ni"), ("configuration", r"cfg_\w+_i"),
          ("inputs", r"\w+_n?i"), ("outputs", r"\w+_o"))
# GTKWave's words for a signal: right-justified, and one bit or hexadecimal; for a group: its ends.
BIT, HEX, BEGIN, END = "@28", "@22", "@800200", "@1000200"


def ports(file: Path) -> list[str]:
    """`a.data_i[7:0]`: of a block, its end system and a port, as GTKWave names them."""
    found: list[str] = []
    scope: list[str] = []
    with subprocess.Popen(["fst2vcd", file], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        for line in reader.stdout:
            if entered := re.match(r"\$scope module (\S+)", line):
                scope.append(entered[1])
            elif line.startswith("$upscope"):
                scope.pop()
            elif len(scope) == 1 and (port := re.match(r"\$var \S+ \d+ \S+ (\w+) ?(\[\S+\])?",
                                                       line)):
                found.append(f"{scope[0]}.{port[1]}{port[2] or ''}")
            elif line.startswith("$enddefinitions"):
                reader.kill()  # what changes is not asked for
                return found
    raise ending.Unusable(f"{file}: fst2vcd cannot read it")


def view(file: Path) -> str:
    lines = [f'[dumpfile] "{file.resolve()}"']
    left = ports(file)
    for group, names in GROUPS:
        pattern = re.compile(rf"\w+\.({names})(\[\S+\])?")
        chosen = [port for port in left if pattern.fullmatch(port)]
        left = [port for port in left if port not in chosen]
        if chosen:
            lines += [BEGIN, f"-{group}"]
            for port in chosen:
                lines += [HEX if port.endswith("]") else BIT, port]
            lines += [END, f"-{group}"]
    return "\n".join(lines) + "\n"


@ending.reported("wave_view")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.fst")
    for file in parser.parse_args(arguments).files:
        if file.suffix != ".fst":
            raise ending.Unusable(f"{file}: expected the name of a file that ends with .fst")
        file.with_suffix(".gtkw").write_text(view(file), encoding="utf-8")
    return 0
