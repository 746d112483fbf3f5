# SPDX-License-Identifier: Apache-2.0
"""Programs of unit tests, asked whether one of their tests fails."""

import re
from pathlib import Path
from typing import Any

from rnicsim.faults import mutants

LIMIT = ("prlimit", f"--as={3 << 30}")  # bytes: what grows without end fails by itself


def fail(program: Path, *filters: Any, alone: bool = False) -> Any:
    """Whether a test of this program that Catch2's filters leave fails, or hangs. `alone`: each in
    a process, as there is one SystemC kernel in it. Where no test is left, nothing can be said: as
    if one failed."""
    code, names = mutants.run([*LIMIT, program, *filters, "--list-tests", "--verbosity", "quiet"])
    # In Catch2's patterns these mean something.
    tests = [
        re.sub(r"([\\,\[\]])", r"\\\1", name.strip()) for name in names.splitlines()
        if name.strip()
    ]
    if code != 0 or not tests:
        return True
    asked = [[test] for test in tests] if alone else [list(filters)]
    return any(mutants.run([*LIMIT, program, *each, "--abort"])[0] != 0 for each in asked)
