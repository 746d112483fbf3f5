# SPDX-License-Identifier: Apache-2.0
"""Throws broken input at whatever reads input: libFuzzer, with sanitizers
(testbench/tests/fuzz/README.md).

Usage: scripts/fuzz [--build FOLDER] [--seconds N] [--seed N] [--merge] [TARGET...]

  --build FOLDER  a build with the fuzz targets [build/fuzz, which is made: cmake --preset fuzz]
  --seconds N     of fuzzing for each target; 0: only the corpus [all together 20 s; with
                  RNICSIM_ALL=1 two minutes each]
  --seed N        of the mutations [0: another one each time]
  --merge         afterwards, add to the corpus the inputs that ran new lines
  TARGET          drp_header, frame_filter, ...: testbench/tests/fuzz/fuzz_TARGET.cpp [all]

Builds the targets, with clang. Runs each file of the corpus once, then fuzzes, from the corpus and
from what earlier calls have found (found/ in the build). Exit codes: 0 nothing was found, 1
something was: the input is kept in crashes/ of the build, 2 not possible.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim import sampling
from rnicsim.places import CORPUS, ROOT

SOURCE = ROOT / "testbench" / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
TOGETHER = 20  # seconds
LONG = 120     # seconds of each target, where everything is tried
UNIT_SECONDS = 10  # one input that takes longer is a fault too
MEGABYTES = 2048  # and one that takes more
# Files of the repository that are good input too.
SEEDS = {"scenario": [ROOT / "scenarios" / "examples", ROOT / "scenarios" / "paper"]}


def all_targets() -> Any:
    return sorted(file.stem.removeprefix("fuzz_") for file in SOURCE.glob("fuzz_*.cpp"))


def build(folder: Path, targets: Any) -> None:
    """Configures (only the default build) and builds; ends the program with the error, if there is
    one."""
    commands: list[list[str | Path]] = [[
        "cmake", "--build", folder, "--target", *(f"fuzz_{target}" for target in targets)
    ]]
    if not (folder / "build.ninja").exists():
        if folder != BUILD:
            print(
                f"error: fuzz: {shown(folder)} is not a build; expected one of `cmake --preset "
                "fuzz` or `ci-asan`",
                file=sys.stderr)
            sys.exit(2)
        if shutil.which("clang++") is None:
            print("error: fuzz: there is no clang++; scripts/setup --tests installs it",
                  file=sys.stderr)
            sys.exit(2)
        commands.insert(0, ["cmake", "--preset", "fuzz", "-S", ROOT])
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, cwd=ROOT)
        if done.returncode != 0:
            print(f"error: fuzz: {' '.join(map(str, command))} failed:\n{done.stdout}",
                  file=sys.stderr)
            sys.exit(2)


def words_of_the_schema() -> Any:
    """The keys and words of scenarios, from the schema that is made of the reader's own
    declaration."""
    words = set()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            words.update(
                node.get("properties", {}) if isinstance(node.get("properties"), dict) else ())
            words.update(word for word in node.get("enum", ()) if isinstance(word, str))
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    walk(json.loads((ROOT / "scenarios" / "schema.json").read_text(encoding="utf-8")))
    return sorted(words)


def dictionary(target: Any, folder: Path) -> Any:
    """The arguments that give libFuzzer the words of a target's language, if it has one."""
    file = CORPUS / "fuzz" / f"{target}.dict"
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    if target == "scenario":
        text += "".join(f'"{word}"\n' for word in words_of_the_schema())
    (folder / file.name).write_text(text, encoding="utf-8")
    return [f"-dict={folder / file.name}"]


def shown(path: Any) -> Any:
    """As it would be typed in the repository."""
    return os.path.relpath(path, ROOT) if ROOT in Path(path).resolve().parents else str(path)


def call(program: str | Path, arguments: Any, crashes: Any) -> Any:
    """Runs a target in a folder for its files, in memory if there is such a place: (exit code, what
    it printed)."""
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="rnicsim_fuzz_", dir=place) as folder:
        done = subprocess.run([
            program, f"-artifact_prefix={crashes}/", f"-timeout={UNIT_SECONDS}",
            f"-rss_limit_mb={MEGABYTES}", "-print_funcs=0", *arguments
        ], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, env={
            **os.environ, "TMPDIR": folder
        })
    return done.returncode, done.stdout.decode("utf-8", errors="replace")


def report_crash(target: Any, program: Path, output: Any, inputs: Any) -> None:
    """Says what was found, where its input is, and what to do with it."""
    print(f"{target}: FOUND A FAULT")
    reason = re.search(r"^.*(does not hold: |ERROR: |runtime error: |terminate called ).*$", output,
                       re.MULTILINE)
    lines = output[reason.start():].splitlines() if reason else output.splitlines()[-40:]
    print("\n".join("  " + line for line in lines if not line.startswith("#"))[:6000])
    kept = re.search(r"Test unit written to (.*)$", output, re.MULTILINE)
    running = re.findall(r"^Running: (.*)$", output, re.MULTILINE)
    file = kept.group(1) if kept else running[-1] if running else inputs
    print(f"  input:       {shown(file)}")
    print(f"  once more:   {shown(program)} {shown(file)}")
    print(f"  minimised:   {shown(program)} -minimize_crash=1 -max_total_time=60 {shown(file)}")
    if kept:
        print(
            f"  once mended: cp {shown(file)} {shown(CORPUS / 'fuzz' / target)}/NAME, and a plain "
            "test beside it"
        )


def corpora(target: Any) -> Any:
    return [CORPUS / "fuzz" / target, *SEEDS.get(target, [])]


def run_corpus(target: Any, program: Path, crashes: Any) -> bool:
    """Each file of the corpus, once. Whether all is well."""
    files = sorted(file for folder in corpora(target) for file in folder.iterdir())
    code, output = call(program, files, crashes)
    if code != 0:
        report_crash(target, program, output, f"one of {CORPUS / 'fuzz' / target}")
        return False
    executed = len(re.findall(r"^Executed ", output, re.MULTILINE))
    if executed != len(files):
        sys.exit(
            f"error: fuzz: {target}: {executed} of the {len(files)} files of its corpus were run")
    print(f"{target}: {executed} files of the corpus are well")
    return True


def fuzz(target: Any, program: Path, seconds: Any, seed: int, found: Any, crashes: Any,
         start: Any) -> bool:
    """Fuzzes for a time, from the files of some folders. Whether nothing was found."""
    with tempfile.TemporaryDirectory() as folder:
        code, output = call(program, [
            f"-max_total_time={seconds}", f"-seed={seed}", "-print_final_stats=1",
            *dictionary(target, Path(folder)), found, *start
        ], crashes)
    if code != 0:
        report_crash(target, program, output, found)
        return False
    stats = {
        name: int(value)
        for name, value in re.findall(r"^stat::(\w+):\s+(\d+)$", output, re.MULTILINE)
    }
    coverage = re.findall(r"\bcov: (\d+) ft: (\d+)", output)
    if not stats or not coverage:
        sys.exit(f"error: fuzz: {target} did not say what it has done:\n{output[-2000:]}")
    print(
        f"{target}: {stats['number_of_executed_units']:,} executions in {seconds} s "
        f"({stats['average_exec_per_sec']:,}/s), coverage "
        f"{int(coverage[-1][0]):,} edges, {stats['new_units_added']:,} new units")
    return True


def merge(target: Any, program: Path, found: Any) -> None:
    """Adds to the corpus the smallest files found that run lines which the corpus does not."""
    corpus = CORPUS / "fuzz" / target
    with tempfile.TemporaryDirectory() as name:
        all_of_it, crashes = Path(name) / "corpus", Path(name) / "crashes"
        for folder in corpora(target):
            shutil.copytree(folder, all_of_it, dirs_exist_ok=True)
        crashes.mkdir()
        known = set(all_of_it.iterdir())
        code, output = call(program, ["-merge=1", "-use_counters=0", all_of_it, found], crashes)
        if code != 0:
            sys.exit(f"error: fuzz: {target}: merging failed:\n{output[-2000:]}")
        new = set(all_of_it.iterdir()) - known
        for file in new:
            shutil.copy(file, corpus)
    print(f"{target}: {len(new)} files more in {shown(corpus)}")


@ending.reported("fuzz")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=BUILD, type=Path)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args(arguments)
    known = all_targets()
    for target in options.targets:
        if target not in known:
            parser.error(f"there is no target '{target}'; expected some of {', '.join(known)}")
    targets = options.targets or known
    usual = LONG if sampling.wants_all() else TOGETHER // len(targets)
    seconds = usual if options.seconds is None else options.seconds
    if seconds < 0:
        parser.error("--seconds: expected 0 or more")
    folder = options.build.resolve()
    build(folder, targets)
    well = True
    for target in targets:
        program = folder / "bin" / f"fuzz_{target}"
        found, crashes = folder / "found" / target, folder / "crashes" / target
        crashes.mkdir(parents=True, exist_ok=True)
        found.mkdir(parents=True, exist_ok=True)
        good = run_corpus(target, program, crashes)
        if good and seconds > 0:
            good = fuzz(target, program, seconds, options.seed, found, crashes, corpora(target))
        if good and options.merge:
            merge(target, program, found)
        well = well and good
    return 0 if well else 1
