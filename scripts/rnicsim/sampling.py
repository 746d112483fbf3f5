# SPDX-License-Identifier: Apache-2.0
"""Samples of what takes too long to try whole each time. The seed is printed.

The seed is derived from the commit: another commit draws another sample, the same commit the same
one; RNICSIM_SEED=N sets it. RNICSIM_ALL=1 (scripts/test --all sets it), or --all, tries everything.
"""

import functools
import os
import random
import subprocess
import sys
import unittest
import zlib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from typing import Any
from rnicsim.places import ROOT


def wants_all() -> bool:
    return os.environ.get("RNICSIM_ALL", "") not in ("", "0")


@functools.cache
def seed_of_commit() -> Any:
    """From RNICSIM_SEED, else from the commit; 1 where there is none."""
    given = os.environ.get("RNICSIM_SEED", "")
    if given:
        if not given.isdecimal():
            sys.exit(f"error: RNICSIM_SEED: found '{given}', expected a whole number from 0")
        return int(given)
    try:
        done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True,
                              text=True, check=False)
    except FileNotFoundError:
        return 1
    return int(done.stdout[:7], 16) if done.returncode == 0 else 1


def whole(text: str) -> Any:
    """An argument that is a whole number from 0."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def add_options(parser: ArgumentParser, sample: int | None = None) -> None:
    """--sample, --seed and --all. `sample`: how many where neither is given; None: all."""
    parser.add_argument("--sample", type=whole, metavar="N", default=sample,
                        help="try N of them, drawn by the seed")
    parser.add_argument("--seed", type=whole, metavar="N", default=None,
                        help="another part [from the commit]")
    parser.add_argument("--part", type=part, metavar="I/N", default=None,
                        help="try only the part I of N, of all or of the sample")
    parser.add_argument("--all", action="store_true",
                        help="try all of them, whatever --sample says")


def part(text: str) -> tuple[int, int]:
    """An argument `I/N`: the part I of N."""
    first, slash, last = text.partition("/")
    if not slash or not 1 <= whole(first) <= whole(last):
        raise ValueError(text)
    return int(first), int(last)


def drawn(items: Iterable[Any], options: Namespace, what: str) -> list[Any]:
    """A sample of `items`, in their order, and of that a part; says so unless it is all."""
    chosen = sampled(list(items), options, what)
    if getattr(options, "part", None) is None:  # tests bring options of their own
        return chosen
    number, parts = options.part
    print(f"part {number} of {parts} of {len(chosen)} {what}", flush=True)
    return chosen[number - 1::parts]  # neighbours take alike long


def sampled(items: list[Any], options: Namespace, what: str) -> list[Any]:
    if options.all or wants_all() or options.sample is None or options.sample >= len(items):
        return items
    seed = seed_of_commit() if options.seed is None else options.seed
    places = sorted(random.Random(f"{what} {seed}").sample(range(len(items)), options.sample))
    print(
        f"sampled: {options.sample} of {len(items)} {what}, by --seed {seed}; "
        "--all tries all of them",
        flush=True)
    return [items[place] for place in places]


def in_turn(of: int) -> Callable[[Any], Any]:
    """Of a test that takes long: one commit in `of` tries it, other tests that take turns another
    one."""

    def decorated(test: Any) -> Any:
        name = test.__qualname__
        if wants_all() or (seed_of_commit() + zlib.crc32(name.encode())) % of == 0:
            return test
        return unittest.skip(f"sampled: {name} is tried by one commit in {of}; "
                             "RNICSIM_ALL=1 tries it")(test)

    return decorated
