# SPDX-License-Identifier: Apache-2.0
"""Programs against ns-3, where it is installed: references for speed, and an oracle for
switches."""
import os
import subprocess
from pathlib import Path
from typing import Any

from rnicsim.places import ROOT

MISSING = "ns-3 is not installed (scripts/setup --all, or Debian: apt-get install libns3-dev)"
LIBRARIES = [
    f"-lns3-{name}" for name in ("point-to-point", "internet", "traffic-control", "bridge",
                                 "network", "stats", "core")
]
COMPILER = ["g++", "-std=c++17"]  # the headers of ns-3 3.37 are no C++20


def installed() -> bool:
    asked = subprocess.run([*COMPILER, "-E", "-x", "c++", "-"],
                           input='#if !__has_include("ns3/core-module.h")\n#error\n#endif\n',
                           capture_output=True, text=True, check=False)
    return asked.returncode == 0


def build(source: Any, folder: Path) -> Any:
    """The path of the program that `source`, a path in this tree, makes. Needs ns-3; RuntimeError
    if it does not compile."""
    binary = os.path.join(folder, os.path.splitext(os.path.basename(source))[0])
    done = subprocess.run(
        [*COMPILER, "-O2", "-I", ROOT,
         os.path.join(ROOT, source), "-o", binary, *LIBRARIES], capture_output=True, text=True,
        check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{source} does not compile:\n{done.stderr}")
    return binary
