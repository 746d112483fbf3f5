"""Forty faults, put in one at a time: which kinds of test see each? Every one has to be seen by two at least.

Usage: scripts/defence [--build FOLDER] [--only REGEX] [--sample N] [--seed N] [--all] [--write] [--check] [--jobs N]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each fault
  --only REGEX    those in whose line it is found
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or RNICSIM_ALL=1: all, whatever it says,
                  which takes an hour
  --write         puts what was seen into the table of CONTRIBUTING.md, fault by fault; what is not tried stays as it is there
  --check         builds nothing: only, does the table have each fault once, and stand each fault's line in its source?
  --jobs N        faults at once [half of the cores: a test may take more than one]

The faults stand in testbench/tests/mutants/faults.txt: lines of the models, and lines of the Verilog. Kinds of test, of the models:
timing and protocol (the unit tests of these names), baseline, explore, soak, cosim (models beside Verilog: unit tests, and scenarios
random and directed), edge. Of the Verilog: unit (test_cosim), random, directed (`rnicsim cosim` with scenarios of either kind), proof.
First all of them have to pass with the sources as they are. Exit codes: 0 each is seen by two kinds, 1 one is not, 2 bad input.
"""

import argparse
import concurrent.futures
import html
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rnicsim import ending
from rnicsim import sampling
from rnicsim.faults import mutants, rtl_mutants, wrong_changes
from rnicsim.faults.linking import call, link, link_command, only_once, pattern
from rnicsim.places import ROOT

LIST = ROOT / "testbench" / "tests" / "mutants" / "faults.txt"
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
UNIT = ("timing", "protocol")
PROGRAMS = ("rnicsim", "test_cosim", *(f"test_{kind}" for kind in UNIT))
MODEL_KINDS = (*UNIT, "baseline", "explore", "soak", "cosim", "edge")
VERILOG_KINDS = ("unit", "random", "directed", "proof")
LEAST = 2       # kinds that have to see each
SECONDS = 400   # what hangs has been seen
COSIM = 100     # random scenarios
EDGE = 100


@dataclass(frozen=True)
class Fault:
    file: str  # from the root
    old: str
    new: str
    name: str

    @property
    def verilog(self):
        return self.file.startswith("rtl/")

    @property
    def kinds(self):
        return VERILOG_KINDS if self.verilog else MODEL_KINDS


def read_faults():
    faults = []
    for number, line in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fault = Fault(*mutants.parts_of(line))
        only_once((ROOT / fault.file).read_text(encoding="utf-8"), fault.old, f"{LIST.name}:{number}: {fault.file}")
        faults.append(fault)
    names = [fault.name for fault in faults]
    if len(set(names)) != len(names):
        sys.exit(f"error: {LIST.name}: a name stands there twice")
    return faults


class Build:
    """A build whose programs are linked with other objects."""

    def __init__(self, folder):
        self.folder = folder
        file = folder / "compile_commands.json"
        if not file.is_file():
            sys.exit(f"error: {folder} is not a build (cmake --preset ci && cmake --build --preset ci)")
        self.commands = {}
        for entry in json.loads(file.read_text(encoding="utf-8")):
            source = Path(entry["file"])
            in_library = "/rnicsim_" in entry["command"].partition(".dir/")[0]  # and not a generator, which has a main of its own
            if in_library and (source.is_relative_to(ROOT / "model") or source.is_relative_to(ROOT / "tlm")):
                self.commands[str(source.relative_to(ROOT))] = shlex.split(entry["command"])
        self.links = {program: link_command(folder, program) for program in PROGRAMS}
        self.dependents = self.read_dependents()

    def read_dependents(self):
        """The sources that read a header, by its name: ninja knows."""
        found, source = {}, None
        for line in call(["ninja", "-t", "deps"], self.folder).stdout.splitlines():
            if line.startswith("    "):
                file = Path(os.path.normpath(self.folder / line.strip()))
                if not file.is_relative_to(ROOT):
                    continue
                name = str(file.relative_to(ROOT))
                source = name if source is None else source
                found.setdefault(name, set()).add(source)
            else:
                source = None
        return found

    def objects(self, fault, folder):
        """Those that the changed file makes: its own, or, of a header, those of all sources of the models that read it."""
        changed = folder / fault.file
        changed.parent.mkdir(parents=True)
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        changed.write_text(text.replace(fault.old, fault.new) if fault.old else text, encoding="utf-8")
        sources = [fault.file] if fault.file in self.commands else sorted(self.dependents.get(fault.file, set()) & set(self.commands))
        if not sources:
            sys.exit(f"error: {self.folder} compiles nothing of {fault.file}")
        objects = []
        for source in sources:
            words = list(self.commands[source])
            result = folder / f"{source.replace('/', '.')}.o"
            words[words.index("-o") + 1] = str(result)
            words[words.index("-c") + 1] = str(changed if source == fault.file else ROOT / source)
            words.insert(1, f"-I{folder}")
            words.append("-w")  # what the change leaves unused is no reason to refuse it
            done = call(words, self.folder)
            if done.returncode != 0:
                sys.exit(f"error: '{fault.name}' is not compiled:\n{done.stderr}")
            objects.append(str(result))
        return objects


def fails(command, folder):
    """Whether it fails, or hangs."""
    try:
        return subprocess.run(list(map(str, command)), capture_output=True, timeout=SECONDS, check=False, cwd=folder).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def unit_tests_fail(program, folder):
    """Whether a test of this program fails. Of SystemC each is a process of its own: it elaborates once a process."""
    if program.name == "test_protocol":
        return fails([program, "--abort"], folder)
    listed = call([program, "--list-tests", "--reporter", "xml"], folder).stdout
    names = [html.unescape(name) for name in re.findall(r"<Name>(.*?)</Name>", listed)]
    # In Catch2's patterns ',', '[' and '*' mean something.
    return not names or any(fails([program, re.sub(r"([,\[\\*])", r"\\\1", name)], folder) for name in names)


def cosim_fails(program, scenarios, folder):
    return any(fails([program, "cosim", scenario, *rest], folder) for scenario, rest in scenarios)


def by_model_tests(folder, scenarios):
    """What the kinds of test say of the programs in this folder."""
    program = folder / "rnicsim"
    return {**{kind: unit_tests_fail(folder / f"test_{kind}", folder) for kind in UNIT},
            "baseline": bool(wrong_changes.by_baseline(program)),
            "explore": bool(mutants.search(program, standard=False)),
            "soak": bool(wrong_changes.by_soak(program, folder)),
            "cosim": fails([folder / "test_cosim", "--abort"], folder) or cosim_fails(program, scenarios["all"], folder),
            "edge": fails([sys.executable, ROOT / "scripts" / "edge", "--program", program, "--scenarios", EDGE, "--jobs", "2"], folder)}


def by_verilog_tests(fault, build, folder, scenarios, common):
    """The same with other Verilog: where the fault is in a block of its own, its unit tests; whatever it is in, the whole."""
    module = Path(fault.file).stem
    rtl = folder / "rtl"
    rtl.mkdir()
    for file in (ROOT / "rtl").glob("*.sv"):
        text = file.read_text(encoding="utf-8")
        (rtl / file.name).write_text(text.replace(fault.old, fault.new) if file.stem == module and fault.old else text, encoding="utf-8")
    tops = [top for top in rtl_mutants.TOPS if module in rtl_mutants.parts(top)]
    in_core = module in rtl_mutants.parts(rtl_mutants.CORE)
    changed = {top: top for top in tops + ([rtl_mutants.CORE] if in_core else [])}
    found = dict.fromkeys(VERILOG_KINDS, False)
    try:
        program = rtl_mutants.linked(rtl, changed, build.folder, build.links["rnicsim"], common)
    except ValueError as error:
        sys.exit(f"error: Verilator does not read '{fault.name}':\n{error}")
    program = program.rename(folder / "rnicsim")
    for kind in ("random", "directed"):
        found[kind] = cosim_fails(program, scenarios[kind], folder)
    if tops:
        rtl_mutants.linked(rtl, {top: top for top in tops}, build.folder, build.links["test_cosim"], common).rename(folder / "test_cosim")
        found["unit"] = fails([folder / "test_cosim", "--abort", "--filenames-as-tags", rtl_mutants.tests_of(tops)], folder)
    proofs = [proof.stem.removesuffix("_formal") for proof in sorted((ROOT / "rtl" / "formal").glob("*_formal.sv"))]
    proofs = [name for name in proofs if f" {module} " in (ROOT / "rtl" / "formal" / f"{name}_formal.sv").read_text(encoding="utf-8")]
    if proofs:
        found["proof"] = fails([sys.executable, ROOT / "scripts" / "prove", "--rtl", rtl, "--out", folder / "proofs", *proofs], folder)
    return found


def seen(fault, build, scenarios, common):
    """Whether each kind of test sees it; a fault that changes nothing is seen by none."""
    with tempfile.TemporaryDirectory(prefix="rnicsim_defence_") as name:
        folder = Path(name)
        if fault.verilog:
            return by_verilog_tests(fault, build, folder, scenarios, common)
        objects = build.objects(fault, folder)
        for program, command in build.links.items():
            link(command, objects, folder / program, build.folder)
        return by_model_tests(folder, scenarios)


def as_it_is(verilog, build, scenarios):
    """The same of the build, in which nothing is changed."""
    with tempfile.TemporaryDirectory(prefix="rnicsim_defence_") as name:
        folder = Path(name)
        for program in PROGRAMS:
            (folder / program).symlink_to(build.folder / "bin" / program)
        if not verilog:
            return by_model_tests(folder, scenarios)
        # What is proved of the Verilog as it is, `scripts/prove` says.
        return {"unit": fails([folder / "test_cosim", "--abort"], folder),
                **{kind: cosim_fails(folder / "rnicsim", scenarios[kind], folder) for kind in ("random", "directed")}}


def cosim_scenarios(folder):
    """[(file, arguments)] by kind."""
    rtl_mutants.core_scenarios(folder)  # makes cosim_test known
    import cosim_test
    random = []
    for number in range(1, COSIM + 1):
        random.append((folder / f"random{number}.yaml", ()))
        random[-1][0].write_text(cosim_test.random_scenario(number), encoding="utf-8")
    directed = [(file, ()) for file in sorted(cosim_test.DIRECTED.glob("*.yaml"))]
    return {"random": random, "directed": directed, "all": directed + random}


# The table of CONTRIBUTING.md.

def table(faults, results):
    text = []
    for title, verilog, kinds in (("fault in the models", False, MODEL_KINDS), ("fault in the Verilog", True, VERILOG_KINDS)):
        rows = [fault for fault in faults if fault.verilog == verilog and fault in results]
        text.append(f"| {title} | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}\n" + "".join(
            f"| {fault.name} | {' | '.join('yes' if results[fault][kind] else '-' for kind in kinds)} |\n" for fault in rows))
    return "\n".join(text)


def in_page(text):
    """What stands between the marks: (before, between, behind)."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"error: {PAGE.name}: expected once '{BEGIN}' and '{END}'")
    before, _, rest = text.partition(BEGIN + "\n")
    between, _, behind = rest.partition(END)
    return before + BEGIN + "\n", between, END + behind


def rows_of_page():
    """[[fault, cell of each kind]] of the page."""
    _, between, _ = in_page(PAGE.read_text(encoding="utf-8"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in between.splitlines() if line.startswith("| ")]
    return [row for row in rows if not row[0].startswith("fault in ")]


def write_page(all_faults, results):
    """What was seen now, and of the other faults what the page has."""
    cells = {row[0]: row[1:] for row in rows_of_page()}
    known = {fault: dict(zip(fault.kinds, (cell == "yes" for cell in cells[fault.name]))) for fault in all_faults if fault.name in cells}
    before, _, behind = in_page(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(before + table(all_faults, {**known, **results}) + behind, encoding="utf-8")


def check(faults):
    """Is the table that of the list? Says what is not."""
    rows = rows_of_page()
    wrong = [f"is not in the table: {fault.name}" for fault in faults if [row[0] for row in rows].count(fault.name) != 1]
    wrong += [f"is not in {LIST.name}: {row[0]}" for row in rows if row[0] not in {fault.name for fault in faults}]
    wrong += [f"is seen by fewer than {LEAST} kinds of test: {row[0]}" for row in rows if row.count("yes") < LEAST]
    for line in wrong:
        print(f"{PAGE.name}: {line}")
    print(f"table of faults: {len(rows)} rows, {len(faults)} faults, {len(wrong)} wrong")
    return 1 if wrong else 0


def try_all(options, faults, all_faults):
    build, started, results = Build(options.build), time.monotonic(), {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        common = Path(name)
        rtl_mutants.compile_headers(options.build, common)
        scenarios = cosim_scenarios(common)
        for verilog in sorted({fault.verilog for fault in faults}):
            if found := [kind for kind, sees in as_it_is(verilog, build, scenarios).items() if sees]:
                sys.exit(f"error: with the sources as they are these fail: {', '.join(found)}")
        waiting = {pool.submit(seen, fault, build, scenarios, common): fault for fault in faults}
        for number, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            fault = waiting[future]
            try:
                results[fault] = future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)  # not hours later
                raise
            kinds = [kind for kind, sees in results[fault].items() if sees]
            left = (time.monotonic() - started) / number * (len(faults) - number)
            print(f"{number:3}/{len(faults)}  {'     ' if len(kinds) >= LEAST else 'WEAK '}  {fault.name}: {', '.join(kinds) or 'nobody'}"
                  f"  (about {left:.0f} s left)", flush=True)
            if options.write:
                write_page(all_faults, results)
    weak = sum(sum(found.values()) < LEAST for found in results.values())
    print(f"faults: {len(faults)} of {len(all_faults)} tried, {weak} seen by fewer than {LEAST} kinds of test, in "
          f"{time.monotonic() - started:.0f} s")
    return 1 if weak else 0


@ending.told("defence")
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--jobs", default=max(1, (os.cpu_count() or 1) // 2), type=int)
    parser.add_argument("--only", default="", type=pattern)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    sampling.add_options(parser)
    options = parser.parse_args(arguments)
    options.build = options.build.resolve()  # links to its programs are made elsewhere
    all_faults = read_faults()
    if options.check:
        return check(all_faults)
    faults = [fault for fault in all_faults if options.only.search(f"{fault.file} {fault.name}")]
    if not faults:
        parser.error(f"--only {options.only.pattern}: no fault has that")
    faults = sampling.drawn(faults, options, "faults")
    return try_all(options, faults, all_faults)
