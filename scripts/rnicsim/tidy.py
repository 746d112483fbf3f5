# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the C++ sources: what the last commit or the work tree changed, and a sample of
the others.

Usage: scripts/tidy [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [FILE...]

  --build FOLDER  a build, which says how each source is compiled [build/ci]
  --jobs N        files at once [all cores]
  --sample N      so many of the sources that nobody changed, drawn by --seed N [16; the seed: from
                  the commit]; --all, or
                  RNICSIM_ALL=1: all
  FILE            only these

Tests are checked by format and compiler warnings only; the analyser checks what they test. Only
clang-tidy 14 (Debian 12) judges the style: another version finds other things, and is skipped. Exit
codes: 0 clean, or skipped; 1 not clean.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim import sampling
from rnicsim.places import ROOT

VERSION = "14"
FOLDERS = ("tlm/", "model/", "testbench/")
NOT_ASKED = ("testbench/tests/", "testbench/bench/ns3")


def git(*words: str) -> Any:
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def one_by_one(entries: Any) -> Any:
    """Those of sources that are compiled as one (CMake's unity builds) each for itself."""
    for entry in entries:
        file = Path(entry["file"])
        if file.parent.name != "Unity":
            yield entry
            continue
        for name in re.findall(r'^#include "(.+)"$', file.read_text(encoding="utf-8"), re.M):
            yield {**entry, "file": name, "command": entry["command"].replace(str(file), name)}


def sources(build: Path) -> Any:
    """How each source is compiled, by its path, without the precompiled header: a file has to
    include what it uses."""
    file = build / "compile_commands.json"
    if not file.is_file():
        sys.exit(f"error: tidy: {build} is not a build (cmake --preset ci)")
    found = {}
    for entry in one_by_one(json.loads(file.read_text(encoding="utf-8"))):
        path = Path(entry["file"])
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ""
        if name.startswith(FOLDERS) and not name.startswith(NOT_ASKED):
            command = re.sub(r" -Winvalid-pch\b| -include \S*cmake_pch\.hxx", "", entry["command"])
            found[name] = {
                **entry, "command":
                shlex.join(word for word in shlex.split(command) if not word.endswith("ccache"))
            }
    return found


def changed() -> Any:
    """What the last commit and the work tree changed."""
    return {
        *git("diff", "--name-only", "HEAD~1"), *git("diff", "--name-only"),
        *git("ls-files", "--others", "--exclude-standard")
    }


def complaint(name: str, folder: str | Path) -> str:
    """What clang-tidy says of a source; empty if it is clean."""
    done = subprocess.run(
        ["clang-tidy", "--quiet", "-p", folder, "--warnings-as-errors=*", ROOT / name],
        capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{name}:\n{done.stdout}" + (
        "" if done.stdout.strip() else done.stderr)


@ending.reported("tidy")
def main(arguments: Sequence[str]) -> Any:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    sampling.add_options(parser, sample=16)
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args(arguments)
    version = shutil.which("clang-tidy") and re.search(
        r"version (\d+)",
        subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True,
                       check=False).stdout)
    if not version or version[1] != VERSION:
        print(
            f"SKIPPED: clang-tidy, because version {VERSION} (Debian 12) judges style and "
            f"{version[1] if version else 'none'} is here"
        )
        return 0
    every = sources(options.build)
    for name in options.files:
        if name not in every:
            parser.error(
                f"{name}: expected a source of {', '.join(FOLDERS)} that {options.build} compiles, "
                "and that is no test"
            )
    first = options.files or sorted(changed() & every.keys())
    chosen = [
        *first,
        *([] if options.files else sampling.drawn(sorted(every.keys() -
                                                         set(first)), options, "unchanged sources"))
    ]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(
            options.jobs) as pool:
        (Path(folder) / "compile_commands.json").write_text(
            json.dumps([every[name] for name in chosen]), encoding="utf-8")
        complaints = [
            said for said in pool.map(lambda name: complaint(name, folder), chosen) if said
        ]
    print("\n".join(complaints), end="\n" if complaints else "")
    if complaints:
        return 1
    print(f"lint: clang-tidy is clean ({len(chosen)} of {len(every)} sources)")
    return 0
