# SPDX-License-Identifier: Apache-2.0
"""Programs of unit tests, asked whether one of their tests fails."""

import re
from pathlib import Path
from typing import Any

from rnicsim.faults import mutants

SECONDS = 400  # explorations take 20 on a processor of their own
LIMIT = ("prlimit", f"--as={3 << 30}")  # bytes: what grows without end fails by itself


def tests_of(program: Path, *filters: Any) -> list[str]:
    """Patterns of Catch2 for each test that these filters leave; empty if it cannot say."""
    code, names = mutants.run([*LIMIT, program, *filters, "--list-tests", "--verbosity", "quiet"])
    # In Catch2's patterns these mean something.
    return [] if code != 0 else [
        re.sub(r"([\\,\[\]])", r"\\\1", name.strip()) for name in names.splitlines()
        if name.strip()
    ]


def name_of(pattern: str) -> str:
    """Of the test that this pattern means."""
    return re.sub(r"\\(.)", r"\1", pattern)


def fail(program: Path, *filters: Any, alone: bool = False) -> Any:
    """Whether a test of this program that Catch2's filters leave fails, or hangs. `alone`: each in
    a process, as there is one SystemC kernel in it. Where no test is left, nothing can be said: as
    if one failed."""
    tests = tests_of(program, *filters)
    if not tests:
        return True
    asked = [[test] for test in tests] if alone else [list(filters)]
    return any(mutants.run([*LIMIT, program, *each, "--abort"])[0] != 0 for each in asked)


def failing(program: Path, *filters: Any) -> str:
    """The pattern of the first of these tests that fails, or hangs, each in a process of its own;
    empty if none does. Where no test is left, nothing can be said, which is a failure as well."""
    tests = tests_of(program, *filters)
    if not tests:
        return f"{program.name} {' '.join(filters)}: no test"
    return next((test for test in tests
                 if mutants.run([*LIMIT, program, test, "--abort"], SECONDS)[0] != 0), "")
