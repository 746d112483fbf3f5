# SPDX-License-Identifier: Apache-2.0
"""Runs the directed tests of a block with a module of one's own in its place.

Usage: scripts/try_block [--build FOLDER] BLOCK FILE...

BLOCK: gmac_tx, gmac_rx, drp_frame_filter, transport_controller, indirect_buffer, dma_engine or,
which runs are not built with, payload_mover. FILE...: as for -DRNICSIM_RTL_<BLOCK>; the module is
named like the last one. It may use those of rtl/. `rnicsim cosim` compares whole runs, where some
things never happen: no frame is damaged, none is malformed, nobody drains two transfers with one
bit between their TIDs. The tests of testbench/tests/cosim make them happen. What fails in them
differs from our block, which may be what you want.

  --build FOLDER  a build with tests [build/ci]; its test program is linked anew

Exit codes: 0 all tests pass, 1 some fail, 2 not possible.
"""

import argparse
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rnicsim import ending
from rnicsim.faults import blocks
from rnicsim.faults.linking import link_command
from rnicsim.places import ROOT, verilog


@ending.reported("try_block")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("block", choices=sorted(blocks.TOPS))
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    for file in options.files:
        if not file.is_file():
            parser.error(f"{file}: there is no such file")
    if not (options.build / "build.ninja").is_file() or not (options.build / "bin" /
                                                             "test_cosim").is_file():
        parser.error(
            f"{options.build} holds no build with tests; to make one: cmake --preset ci && cmake "
            "--build --preset ci"
        )
    module = options.files[-1].stem
    if subprocess.run([ROOT / "scripts" / "check_ports", options.block, module, *options.files],
                      check=False).returncode != 0:
        return 2
    link = link_command(options.build, "test_cosim")
    with tempfile.TemporaryDirectory() as name:
        folder, common = Path(name) / "rtl", Path(name) / "common"
        folder.mkdir()
        common.mkdir()
        included = {file for own in options.files for file in own.parent.glob("*.*h")}
        for file in [*verilog(), *included, *options.files]:
            shutil.copy(file, folder / file.name)
        blocks.compile_headers(options.build, common)
        program = blocks.linked(folder, {options.block: module}, options.build, link, common)
        return min(
            1,
            subprocess.run([program, "--filenames-as-tags",
                            blocks.tests_of([options.block])], check=False).returncode)
