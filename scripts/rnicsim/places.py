# SPDX-License-Identifier: Apache-2.0
"""Where things are in the tree of sources that these scripts belong to."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
CORPUS = ROOT / "testbench" / "tests" / "corpus"  # data of the tests


def verilog(rtl: Path = RTL) -> list[Path]:
    """The files of Verilog's modules and packages, those of the RoCEv2 card and of a bridge in
    folders of their own; a copy may have all in one."""
    return [*rtl.glob("*.sv"), *rtl.glob("rc/*.sv"), *rtl.glob("ntb/*.sv")]


def module_file(module: Any, rtl: Any = RTL) -> Any:
    """A file is named like its module."""
    return next((file for file in verilog(rtl) if file.stem == module), rtl / f"{module}.sv")
