# SPDX-License-Identifier: Apache-2.0
"""Proves properties of blocks of rtl/ for all inputs, with Yosys and z3: rtl/formal/README.md says
which.

Usage: scripts/prove [--depth N] [--jobs N] [--out FOLDER] [--rtl FOLDER] [--faults]
                     [--sample N] [--seed N] [--all] [NAME...]

  --depth N     search for counterexamples up to this cycle [what the proof asks for]
  --jobs N      solvers at once [all cores]
  --out FOLDER  traces of what failed, as VCD, and the solver's words [results/proofs]
  --rtl FOLDER  prove this Verilog instead [rtl]
  --faults      then put each wrong line of rtl/formal/faults.txt into a copy: its proof has to fail
  --sample N    of the proofs, or of the faults, N, drawn by --seed N [all; the seed: from the
                commit]; --all, or RNICSIM_ALL=1: all. A proof of which nothing would be tried (`//
                long:`) is not drawn
  --part I/N    of the faults, the part I of N
  NAME          only these: rtl/formal/NAME_formal.sv

Each proof has up to three parts: `cover`, its situations can happen (what is assumed does not
exclude them); `search`, no counterexample from reset up to a cycle; `induction`, what holds for K
cycles holds in the next, so that it holds for ever. Exit codes: 0 all hold (or all faults are
found), 1 one does not or nothing was tried, 2 wrong arguments.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim import sampling
from rnicsim.faults import changes, runner
from rnicsim.places import ROOT
from rnicsim.verilog.file_list import parts

FORMAL = ROOT / "rtl" / "formal"
GOOD = ("reached", "holds", "holds for ever")
SECONDS = 1500  # a solver that takes longer has not proved anything
DIRECTIVE = re.compile(r"^// prove: (.*)$", re.MULTILINE)
# `// long: induction`: these parts take minutes; they are tried where the proof is named, or all
# are.
LONG = re.compile(r"^// long: (.*)$", re.MULTILINE)
# `logic [7:0] x;  // see u_block.signal`, `logic [63:0] y;  // see 4 x 16 of u_block.memory`: Yosys
# has no hierarchical names.
SEEN = re.compile(r"^ +logic (?:\[[^\]]+\] )?(\w+);  // see (?:(\d+) x (\d+) of )?([\w.]+)$",
                  re.MULTILINE)


# A block of assertions: nothing happens while the reset is on.
ASSERTIONS = re.compile(
    r"(always_ff @\(posedge clk_i) or negedge rst_ni(\) begin\s+if \(!rst_ni\) begin\s+end else\b)")


def marked(file: Path, seen: Any, beside: Any) -> Any:
    """A copy of a module in which the memories that are seen have Yosys' attribute that makes them
    registers, and in which what is asserted waits for the clock alone: Yosys 0.52 (Debian 13) has
    no assertion with two triggers, and 0.23 finds the same."""
    text = ASSERTIONS.sub(r"\1\2", file.read_text(encoding="utf-8"))
    for _, words, _, source in seen:
        if words:
            text = re.sub(rf"^  (logic [^;]*\b{source.rpartition('.')[2]}\[)",
                          r"  (* mem2reg *) \1", text, flags=re.MULTILINE)
    copy = beside.with_name(f"{beside.stem}.{file.name}")
    copy.write_text(text, encoding="utf-8")
    return copy


class Proof:
    """A harness: its property, its bounds, what it sees of the block."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file = FORMAL / f"{name}_formal.sv"
        text = self.file.read_text(encoding="utf-8")
        self.text = text.splitlines()[1].removeprefix("// ")
        self.bounds = {
            word: int(number)
            for word, number in (part.split() for part in DIRECTIVE.findall(text)[0].split(", "))
        }
        self.seen = SEEN.findall(text)
        self.minisat = "// solver: minisat" in text
        said = LONG.search(text)
        self.long = said[1].split(", ") if said else []
        self.cuts = re.findall(r"^// cut: (.*)$", text, re.MULTILINE)

    def script(self, rtl: Any, smt2: Any) -> Any:
        """What Yosys does: the blocks and the harness as one flat machine for the solver."""
        top = f"{self.name}_formal"
        modules = [marked(part, self.seen, smt2) for part in sorted(parts(self.file, rtl))]
        files = [*sorted(rtl.glob("*_pkg.sv")), *modules, self.file]
        lines = [
            f"read_verilog -formal -sv {' '.join(map(str, files))}", f"hierarchy -check -top {top}",
            "proc", "flatten", f"cd {top}"
        ]
        for name, words, bits, source in self.seen:
            if words:
                lines += [
                    "connect -nomap -nounset -set "
                    f"{name}[{int(bits) * (i + 1) - 1}:{int(bits) * i}] {source}[{i}]"
                    for i in range(int(words))
                ]
            else:
                lines.append(f"connect -nomap -nounset -set {name} {source}")
        lines += [f"cutpoint w:{source}" for source in self.cuts]
        lines += [
            "cd ..", "opt_expr", "opt_clean", "memory_collect", "opt_clean", "memory_map",
            "opt_expr", "opt_clean", "async2sync", "dffunmap", "opt_expr", "opt_clean",
            f"write_smt2 -wires {smt2}"
        ]
        return "\n".join(lines)

    def parts(self, depth: Any, with_long: Any) -> Any:
        """[(part, cycles, arguments of the solver)], the quickest to fail first."""
        parts = []
        for part, cycles in self.bounds.items():
            if part in self.long and not with_long:
                continue
            if part == "induction":
                # The base of the induction: the search has to go as far.
                if cycles > max(depth or 0, self.bounds["search"]):
                    raise ValueError(
                        f"{self.name}: induction over {cycles} cycles without a search that far")
                parts.append((part, cycles, ["-i", "-t", str(cycles)]))
            elif part == "cover":
                parts.append((part, cycles, ["-c", "-t", f"{cycles - 1}:{cycles}"]))
            else:
                parts.append((part, depth or cycles, ["--presat", "-t", str(depth or cycles)]))
        return parts


class Solvers(concurrent.futures.ThreadPoolExecutor):
    """Programs at work, some at once. stop() ends them and those that they have started."""

    def __init__(self, jobs: Any) -> None:
        super().__init__(jobs)
        self.children: set[Any] = set()

    def stop(self) -> None:
        self.shutdown(wait=False, cancel_futures=True)
        for child in list(self.children):
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)

    def call(self, command: Any, log: Any) -> Any:
        """Exit code and words of a program; what takes too long ends with 124."""
        with log.open("w", encoding="utf-8") as words:
            child = subprocess.Popen(command, stdout=words, stderr=subprocess.STDOUT,
                                     start_new_session=True)
            self.children.add(child)
            try:
                code = child.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = 124
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)  # the solver is a child of its own
                    child.wait()
                self.children.discard(child)
        return code, log.read_text(encoding="utf-8")


def compiled(proof: Any, rtl: Any, out: Path, solvers: Any) -> Any:
    """The proof's machine for the solver; throws RuntimeError where Yosys does not read it."""
    smt2 = out / f"{proof.name}.smt2"
    script = out / f"{proof.name}.ys"
    script.write_text(proof.script(rtl, smt2), encoding="utf-8")
    code, words = solvers.call(["yosys", "-q", "-s", str(script)], out / f"{proof.name}.yosys.log")
    if code != 0:
        raise RuntimeError(f"Yosys does not read {proof.name}:\n{words.strip()}")
    return smt2


# Gates, without unused cells: not `opt`, which takes a register that keeps what it has for
# undefined.
GATES = (
    "chformal -cover -remove; opt_expr; opt_muxtree; opt_reduce; opt_merge; opt_clean; techmap; "
    "opt_expr; opt_merge; opt_clean; "
    "abc -fast -g AND,XOR,MUX; opt_clean")


def by_minisat(proof: Any, cycles: Any, out: Path, trace: Any) -> Any:
    """A search by Yosys' own solver: (command, what it says if there is none, what if there is a
    counterexample, its names)."""
    sat = (
        f"sat -verify -seq {cycles} -prove-asserts -set-assumes -dump_vcd {trace} "
        f"{proof.name}_formal"
    )
    return ["yosys", "-s", str(out / f"{proof.name}.ys"), "-p", f"{GATES}; "
                                                                f"{sat}"], "SAT proof finished - no model found: SUCCESS!", \
        "proof did fail!", None  # noqa: E501


def by_z3(part: Any, arguments: Sequence[str], smt2: Any, trace: Any) -> Any:
    dump = [] if part == "cover" else ["--dump-vcd", str(trace)]
    return ["yosys-smtbmc", "-s", "z3", "--noprogress", "--noincr", "--unroll", "--logic", "QF_BV",
            *arguments, *dump, str(smt2)], \
        "Status: PASSED", "Status: FAILED", re.compile(r"(?:Assert failed in|Unreached cover "
                                                       r"statement at) \w+: (\S+)")


def solve(proof: Any, part: Any, cycles: Any, arguments: Sequence[str], smt2: Any, out: Path,
          solvers: Any) -> Any:
    """(result, seconds, trace or None) of one part."""
    trace = out / f"{proof.name}.{part}.vcd"
    trace.unlink(missing_ok=True)
    started = time.monotonic()
    minisat = proof.minisat and part == "search"
    command, good, bad, names = by_minisat(proof, cycles, out, trace) if minisat else by_z3(
        part, arguments, smt2, trace)
    code, words = solvers.call(command, out / f"{proof.name}.{part}.log")
    seconds = time.monotonic() - started
    if code == 0 and good in words:
        return {
            "cover": "reached",
            "search": "holds",
            "induction": "holds for ever"
        }[part], seconds, None
    if code != 0 and bad in words:
        failed = sorted(set(names.findall(words))) if names else []
        return f"FAILS: {', '.join(failed) or 'a counterexample'}", seconds, trace if trace.exists(
        ) else None
    why = f"after {SECONDS} s" if code == 124 else (words.strip()
                                                    or f"exit code {code}").splitlines()[-1]
    return f"no result: {why}", seconds, None


def wants_long(options: argparse.Namespace) -> Any:
    return bool(options.names) or options.faults or options.all or sampling.wants_all()


def with_something_to_try(proofs: Any, options: argparse.Namespace) -> Any:
    """The proofs of which any part is tried; prints which parts are left out, and why."""
    if wants_long(options):
        return proofs
    tried = [proof for proof in proofs if proof.parts(options.depth, False)]
    for proof in proofs:
        if proof.long:
            whole = "" if proof in tried else ": nothing of it is tried"
            print(
                f"left out: {proof.name}'s {', '.join(proof.long)}, which takes minutes; --all or "
                f"its name tries it{whole}",
                flush=True)
    return tried


def prove(proofs: Any, options: argparse.Namespace, rtl: Any, out: Path,
          pool: Any) -> Iterator[Any]:
    """Runs all parts of these proofs and yields (proof, part, cycles, result, seconds, trace)."""
    out.mkdir(parents=True, exist_ok=True)
    with_long = wants_long(options)
    machines = {proof.name: pool.submit(compiled, proof, rtl, out, pool) for proof in proofs}
    tasks = [(proof, part, cycles,
              pool.submit(solve, proof, part, cycles, arguments, machines[proof.name].result(), out,
                          pool)) for proof in proofs
             for part, cycles, arguments in proof.parts(options.depth, with_long)]
    for proof, part, cycles, task in tasks:
        yield proof, part, cycles, *task.result()


def table(proofs: Any, options: argparse.Namespace, pool: Any) -> Any:
    """Prints the result of each part; returns whether all hold."""
    width = max((len(proof.name) for proof in proofs), default=0)
    good = True
    told = None
    for proof, part, cycles, result, seconds, trace in prove(proofs, options, options.rtl,
                                                             options.out, pool):
        if proof is not told:
            print(f"{proof.name:{width}}  {proof.text}")
            told = proof
        print(f"{'':{width}}  {part:9} {cycles:3} cycles {seconds:6.1f} s  {result}", flush=True)
        if trace:
            print(f"{'':{width}}  trace: {trace}")
        good = good and result in GOOD
    if told is None:
        print("nothing was tried")
    return good and told is not None


class Found(runner.Question):
    """By the proof that the list names."""

    def __init__(self, options: argparse.Namespace, pool: Any) -> None:
        self.options, self.pool = options, pool

    def fails_unchanged(self, faults: Any, _: Any) -> Any:
        names = sorted({fault.remark for fault in faults})
        return "" if table([Proof(name)
                            for name in names], self.options, self.pool) else ", ".join(names)

    def ask(self, fault: Any, folder: Path) -> Any:
        rtl = folder / "rtl"
        rtl.mkdir()
        fault.write_rtl(rtl)
        parts_of = [
            (part, result)
            for _, part, _, result, *_ in prove([Proof(fault.remark)], self.options, rtl, folder /
                                                "out", self.pool)
        ]
        failed = next(
            (f"{part} {result}"
             for part, result in parts_of if part != "cover" and result.startswith("FAILS")), None)
        return runner.Answer(failed is not None,
                             f"{'found' if failed else 'MISSED':6}  {fault.name}: {failed}")

    def summary(self, answers: Any) -> str:
        return (
            f"faults in the Verilog: {sum(answer.good for answer in answers.values())} of "
            f"{len(answers)} found"
        )


@ending.reported("prove")
def main(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("--out", default=ROOT / "results" / "proofs", type=Path)
    parser.add_argument("--rtl", default=ROOT / "rtl", type=Path)
    parser.add_argument("--faults", action="store_true")
    sampling.add_options(parser)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    known = sorted(file.stem.removesuffix("_formal") for file in FORMAL.glob("*_formal.sv"))
    for name in options.names:
        if name not in known:
            parser.error(f"no proof '{name}': {', '.join(known)}")
    names = options.names or known
    # A solver of its own group would outlive us: leave by an exception, so that call() ends it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with Solvers(options.jobs) as pool:
        try:
            if options.faults:
                faults = [
                    fault for _, fault in changes.read(FORMAL / "faults.txt", changes.of_module)
                    if fault.remark in names
                ]
                return runner.run(sampling.drawn(faults, options, "faults of proofs"),
                                  Found(options, pool))
            proofs = with_something_to_try([Proof(name) for name in names], options)
            return 0 if table(sampling.drawn(proofs, options, "proofs"), options, pool) else 1
        except (RuntimeError, ValueError) as error:
            sys.exit(f"error: {error}")
        finally:
            pool.stop()
