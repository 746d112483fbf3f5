# SPDX-License-Identifier: Apache-2.0
"""Programs of a build with other Verilog in them, and the tests of each block."""

import hashlib
import itertools
import os
import sys
from pathlib import Path
from typing import Any

from rnicsim.faults.linking import call, link
from rnicsim.places import ROOT, RTL, module_file
from rnicsim.verilog import file_list

TESTS = ROOT / "testbench" / "tests" / "cosim"
# The blocks, and how the names of the files begin that have their tests.
TOPS = {
    "gmac_tx": ("mac", "signals"),
    "gmac_rx": ("mac", "signals"),
    "drp_frame_filter": ("filter", "signals"),
    "transport_controller": ("transport", ),
    "indirect_buffer": ("indirect_buffer", ),
    "dma_engine": ("dma", ),
    "payload_mover": ("mover", ),
    "pm_module": ("pm_module", ),
    "icrc_insert": ("icrc", ),
    "icrc_check": ("icrc", ),
    "request_check": ("request_check", ),
    "responder_psn": ("responder_psn", ),
    "packet_parser": ("packet_parser", ),
    "packet_builder": ("packet_builder", ),
    "ntb_window": ("ntb_window", )
}
CORE = "rnic_core"
# Parts of the core that have tests of their own besides: these first, they are quicker.
ALONE = {
    "control_queue": ("control_queue", ),
    **{
        module: ("dma_queue", )
        for module in ("dma_queue", "queue_room", "read_tags", "tags_after", "waiting_ages")
    },
    "rx_staging": ("staging", )
}
CORE_SCENARIOS = 40
PACKAGES = sorted(file.name for file in RTL.glob("*_pkg.sv"))
VERILATOR = Path("/usr/share/verilator/include")
COMPILER = ("c++", "-std=c++20", "-O1", "-DVL_USER_STOP", f"-I{VERILATOR}",
            f"-I{VERILATOR / 'vltstd'}")


def instruments(build: Any) -> Any:
    """What the build's own blocks are instrumented with: classes of Verilator's must agree with who
    includes them."""
    arguments = (
        build / "rtl" / "CMakeFiles" / "rnicsim_rtl.dir" / "Vgmac_tx.dir" / "verilator_args.txt"
    )
    words = arguments.read_text(encoding="utf-8").split(";") if arguments.exists() else []
    return [word for word in words if word.startswith(("--trace", "--coverage"))]


def parts(module: Any) -> Any:
    """A block's modules, itself included."""
    return {module, *(file.stem for file in file_list.parts(module_file(module)))}


def uses(module: Any) -> Any:
    """The blocks that a module is part of; the core only where there is no smaller one."""
    return [top for top in TOPS if module in parts(top)] or [CORE]


def cosim_test() -> Any:
    """The module that has the scenarios of cosim."""
    os.environ.setdefault("RNICSIM_BIN", "")
    sys.path.insert(0, str(TESTS))
    import cosim_test as module
    return module


def core_scenarios(folder: Path) -> Any:
    """The first of cosim_test.py that have the core in Verilog, and all else in models: nothing
    else is compared there; then the directed ones."""
    texts = map(cosim_test().random_scenario, itertools.count(1))
    files: list[Any] = []
    for text in itertools.islice(
        (text for text in texts if "rnic_core: rtl" in text and "rnic: rtl" not in text),
            CORE_SCENARIOS):
        files.append(folder / f"core{len(files)}.yaml")
        files[-1].write_text(text, encoding="utf-8")
    return files + sorted(cosim_test().DIRECTED.glob("*.yaml"))


def compiled(folder: Path, top: Any, fast: Any, slow: Any, common: Any) -> Any:
    """The object of these files: a compilation for all of them, only the first ones optimised, and
    none where they have been compiled before."""
    text = "".join(f'#include "{top}/{name}"\n'
                   for name in fast) + '#pragma GCC optimize("O0")\n' + "".join(
                       f'#include "{top}/{name}"\n' for name in slow)
    digest = hashlib.sha256(text.encode())
    for file in (*sorted(
        (folder / top).glob("*.h")), *(folder / top / name for name in fast + slow)):
        digest.update(file.read_bytes())
    result = common / f"{digest.hexdigest()}.o"
    if not result.exists():
        source = folder / f"{result.stem}.cpp"
        source.write_text(text, encoding="utf-8")
        done = call([
            *COMPILER, "-include", common / "verilator.h", f"-I{folder}", f"-I{folder / top}", "-c",
            source, "-o",
            source.with_suffix(".o")
        ], folder)
        if done.returncode != 0:
            sys.exit(f"error: c++ failed:\n{done.stderr}")
        source.with_suffix(".o").replace(result)
    return str(result)


def compile_headers(build: Path, common: Any) -> None:
    """Verilator's own headers, once for all mutants."""
    names = ["verilated.h", *(["verilated_fst_c.h"] if "--trace-fst" in instruments(build) else [])]
    (common / "verilator.h").write_text("".join(f'#include "{name}"\n' for name in names),
                                        encoding="utf-8")
    call([*COMPILER, "-x", "c++-header", common / "verilator.h", "-o", common / "verilator.h.gch"],
         common)


def tests_of(tops: Any) -> Any:
    """Of these blocks, as test_cosim takes it with --filenames-as-tags."""
    return ",".join(
        sorted({
            f"[#{file.stem}]"
            for top in tops for name in {
                **TOPS,
                **ALONE
            }[top] for file in TESTS.glob(f"{name}*.cpp")
        }))


def linked(folder: Path, tops: Any, build: str | Path, command: Any, common: Any) -> Any:
    """The program of this link command, with other modules in the place of its blocks: `tops` names
    a module of `folder` for each. Throws ValueError if Verilator does not read it."""
    objects = []
    packages = [name for name in PACKAGES if (folder / name).exists()]
    for top, module in tops.items():
        done = call([
            "verilator", "--cc", "--assert", *instruments(build), "-Wno-fatal", "-Wno-lint",
            "-Wno-MULTITOP", "--prefix", f"V{top}", "--top-module", module, "--Mdir", top,
            *packages, *sorted(f.name for f in folder.glob("*.sv") if f.name not in packages)
        ], folder)
        if done.returncode != 0:
            raise ValueError(done.stderr)
        files = sorted(file.name for file in (folder / top).glob("*.cpp"))
        # what runs at reset only
        slow = [name for name in files if "Slow" in name and "Trace" not in name]
        # hardly ever changed by the mutant
        rest = [name for name in files if "Trace" in name or "Syms" in name]
        fast = [name for name in files if name not in slow + rest]
        objects += [
            compiled(folder, top, fast, slow, common),
            compiled(folder, top, [], rest, common)
        ]
    program = folder / "changed"
    link(command, objects, program, build)
    return program
