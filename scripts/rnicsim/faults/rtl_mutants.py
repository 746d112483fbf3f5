"""Changes one line of the Verilog at a time, and sees whether the tests that compare it with the models notice.

Usage: scripts/rtl_mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [--only REGEX] [MODULE...]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or RNICSIM_ALL=1: all, whatever it says
  --only REGEX    those in whose line it is found

The mutants stand in rtl/mutants.txt. What is part of a block of its own is held to test_cosim; what is part of rnic_core alone
to `rnicsim cosim` with scenarios of cosim_test.py, random and directed, until one differs; some have tests of their own before that.
First all of these have to pass with the Verilog as it is. Exit codes: 0 all were noticed, 1 some were not or nothing could be built.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rnicsim import ending
from rnicsim import sampling
from rnicsim.faults.linking import call, link, link_command, only_once, pattern
from rnicsim.places import ROOT

RTL = ROOT / "rtl"
TESTS = ROOT / "testbench" / "tests" / "cosim"
# The blocks, and how the names of the files begin that have their tests.
TOPS = {"gmac_tx": ("mac", "signals"), "gmac_rx": ("mac", "signals"), "drp_frame_filter": ("filter", "signals"),
        "transport_controller": ("transport",), "indirect_buffer": ("indirect_buffer",), "dma_engine": ("dma",),
        "payload_mover": ("mover",)}
CORE = "rnic_core"
# Parts of the core that have tests of their own besides: these first, they are quicker.
ALONE = {"control_queue": ("control_queue",), "dma_queue": ("dma_queue",), "rx_staging": ("staging",)}
CORE_SCENARIOS = 40
PACKAGES = sorted(file.name for file in RTL.glob("*_pkg.sv"))
VERILATOR = Path("/usr/share/verilator/include")
COMPILER = ("c++", "-std=c++20", "-O1", "-DVL_USER_STOP", f"-I{VERILATOR}", f"-I{VERILATOR / 'vltstd'}")
SECONDS = 60  # a mutant that hangs has been noticed


def read_mutants(options):
    mutants = []
    for number, line in enumerate((RTL / "mutants.txt").read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        module, old, new = (part.strip() for part in line.split(" | "))
        text = (RTL / f"{module}.sv").read_text(encoding="utf-8")
        only_once(text, old, f"rtl/mutants.txt:{number}: {module}.sv")
        if (not options.modules or module in options.modules) and options.only.search(line):
            mutants.append((module, old, new))
    return sampling.drawn(mutants, options, "mutants of the Verilog")


def instruments(build):
    """What the build's own blocks are instrumented with: classes of Verilator's must agree with who includes them."""
    arguments = build / "rtl" / "CMakeFiles" / "rnicsim_rtl.dir" / "Vgmac_tx.dir" / "verilator_args.txt"
    words = arguments.read_text(encoding="utf-8").split(";") if arguments.exists() else []
    return [word for word in words if word.startswith(("--trace", "--coverage"))]


def parts(module):
    """A block's modules, itself included."""
    text = (RTL / f"{module}.sv").read_text(encoding="utf-8")
    inside = [file.stem for file in RTL.glob("*.sv") if re.search(rf"^ +{file.stem} (#\(|u_)", text, re.MULTILINE)]
    return {module}.union(*map(parts, inside))


def uses(module):
    """The blocks that a module is part of; the core only where there is no smaller one."""
    return [top for top in TOPS if module in parts(top)] or [CORE]


def core_scenarios(folder):
    """The first of cosim_test.py that have the core in Verilog, and all else in models: nothing else is compared there; then
    the directed ones."""
    os.environ.setdefault("RNICSIM_BIN", "")
    sys.path.insert(0, str(TESTS))
    import cosim_test
    texts = map(cosim_test.random_scenario, itertools.count(1))
    files = []
    for text in itertools.islice((text for text in texts if "rnic_core: rtl" in text and "rnic: rtl" not in text), CORE_SCENARIOS):
        files.append(folder / f"core{len(files)}.yaml")
        files[-1].write_text(text, encoding="utf-8")
    return files + sorted(cosim_test.DIRECTED.glob("*.yaml"))


def compiled(folder, top, fast, slow, common):
    """The object of these files: a compilation for all of them, only the first ones optimised, and none where they have been
    compiled before."""
    text = "".join(f'#include "{top}/{name}"\n' for name in fast) + '#pragma GCC optimize("O0")\n' + "".join(
        f'#include "{top}/{name}"\n' for name in slow)
    digest = hashlib.sha256(text.encode())
    for file in (*sorted((folder / top).glob("*.h")), *(folder / top / name for name in fast + slow)):
        digest.update(file.read_bytes())
    result = common / f"{digest.hexdigest()}.o"
    if not result.exists():
        source = folder / f"{result.stem}.cpp"
        source.write_text(text, encoding="utf-8")
        done = call([*COMPILER, "-include", common / "verilator.h", f"-I{folder}", f"-I{folder / top}", "-c", source, "-o",
                     source.with_suffix(".o")], folder)
        if done.returncode != 0:
            sys.exit(f"error: c++ failed:\n{done.stderr}")
        source.with_suffix(".o").replace(result)
    return str(result)


def compile_headers(build, common):
    """Verilator's own headers, once for all mutants."""
    names = ["verilated.h", *(["verilated_fst_c.h"] if "--trace-fst" in instruments(build) else [])]
    (common / "verilator.h").write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    call([*COMPILER, "-x", "c++-header", common / "verilator.h", "-o", common / "verilator.h.gch"], common)


def tests_of(tops):
    """Of these blocks, as test_cosim takes it with --filenames-as-tags."""
    return ",".join(sorted({f"[#{file.stem}]" for top in tops for name in {**TOPS, **ALONE}[top] for file in TESTS.glob(f"{name}*.cpp")}))


def fails(program, tops, scenarios):
    """Whether the tests of these blocks fail."""
    try:
        if CORE not in tops:
            return subprocess.run([program, "--abort", "--filenames-as-tags", tests_of(tops)], capture_output=True, timeout=SECONDS,
                                  check=False).returncode != 0
        for scenario in scenarios:
            code = subprocess.run([program, "cosim", scenario, "--set", "run.methods=[dynamic]"], capture_output=True, timeout=SECONDS, check=False).returncode
            if code == 2:
                sys.exit(f"error: {scenario} is not accepted")
            if code != 0:
                return True
        return False
    except subprocess.TimeoutExpired:
        return True


def linked(folder, tops, build, command, common):
    """The program of this link command, with other modules in the place of its blocks: `tops` names a module of `folder` for each.
    Throws ValueError if Verilator does not read it."""
    objects = []
    packages = [name for name in PACKAGES if (folder / name).exists()]
    for top, module in tops.items():
        done = call(["verilator", "--cc", "--assert", *instruments(build), "-Wno-fatal", "-Wno-lint", "-Wno-MULTITOP", "--prefix",
                     f"V{top}", "--top-module", module, "--Mdir", top, *packages,
                     *sorted(f.name for f in folder.glob("*.sv") if f.name not in packages)], folder)
        if done.returncode != 0:
            raise ValueError(done.stderr)
        files = sorted(file.name for file in (folder / top).glob("*.cpp"))
        slow = [name for name in files if "Slow" in name and "Trace" not in name]  # what runs at reset only
        rest = [name for name in files if "Trace" in name or "Syms" in name]  # hardly ever another one than without the mutant
        fast = [name for name in files if name not in slow + rest]
        objects += [compiled(folder, top, fast, slow, common), compiled(folder, top, [], rest, common)]
    program = folder / "changed"
    link(command, objects, program, build)
    return program


def noticed(mutant, build, links, scenarios, common):
    """Whether the tests fail with it, or Verilator refuses it."""
    module = mutant[0]
    return (module in ALONE and noticed_in([module], mutant, build, links, scenarios, common)) or \
        noticed_in(uses(module), mutant, build, links, scenarios, common)


def noticed_in(tops, mutant, build, links, scenarios, common):
    """Whether the tests of these blocks do."""
    module, old, new = mutant
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in RTL.glob("*.sv"):
            text = file.read_text(encoding="utf-8")
            (folder / file.name).write_text(text.replace(old, new) if file.stem == module else text, encoding="utf-8")
        try:
            program = linked(folder, {top: top for top in tops}, build, links[CORE in tops], common)
        except ValueError as error:
            sys.exit(f"error: Verilator does not read the mutant {mutant}:\n{error}")
        return fails(program, tops, scenarios)


@ending.told("rtl_mutants")
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=True)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    sampling.add_options(parser)
    parser.add_argument("--only", default="", type=pattern)
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args(arguments)
    mutants = read_mutants(options)
    links = [link_command(options.build, program) for program in ("test_cosim", "rnicsim")]
    started = time.monotonic()
    noticed_of, of = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        common = Path(name)
        compile_headers(options.build, common)
        scenarios = core_scenarios(common)
        unchanged = sorted({top for mutant in mutants for top in [*uses(mutant[0]), *ALONE.keys() & {mutant[0]}]})
        for top, seen in zip(unchanged, pool.map(lambda top: noticed_in([top], (top, "", ""), options.build, links, scenarios, common), unchanged)):
            if seen:
                sys.exit(f"error: the tests fail with {top} as it is")
        results = pool.map(lambda mutant: noticed(mutant, options.build, links, scenarios, common), mutants)
        for number, (mutant, seen) in enumerate(zip(mutants, results), 1):
            print(f"{number:3}/{len(mutants)}  {'noticed ' if seen else 'SURVIVES'}  {mutant[0]}: {mutant[1]} -> {mutant[2]}", flush=True)
            noticed_of[mutant[0]] += seen
            of[mutant[0]] += 1
    print("".join(f"{module:21} {noticed_of[module]:3} of {of[module]:3}\n" for module in of), end="")
    print(f"mutants of the Verilog: {noticed_of.total()} of {of.total()} noticed, in {time.monotonic() - started:.0f} s")
    return 1 if noticed_of.total() < of.total() or not mutants else 0
