# SPDX-License-Identifier: Apache-2.0
"""Samples of what takes too long to try whole each time. The seed is printed.

The seed is derived from the commit: another commit draws another sample, the same commit the same one; RNICSIM_SEED=N sets it.
RNICSIM_ALL=1 (scripts/test --all sets it), or --all, tries everything.
"""

import os
import random
import subprocess
import sys
from rnicsim.places import ROOT


def wants_all():
    return os.environ.get("RNICSIM_ALL", "") not in ("", "0")


def seed_of_commit():
    """From RNICSIM_SEED, else from the commit; 1 where there is none."""
    given = os.environ.get("RNICSIM_SEED", "")
    if given:
        if not given.isdecimal():
            sys.exit(f"error: RNICSIM_SEED: found '{given}', expected a whole number from 0")
        return int(given)
    try:
        done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 1
    return int(done.stdout[:7], 16) if done.returncode == 0 else 1


def whole(text):
    """An argument that is a whole number from 0."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def add_options(parser, sample=None):
    """--sample, --seed and --all. `sample`: how many where neither is given; None: all."""
    parser.add_argument("--sample", type=whole, metavar="N", default=sample, help="try N of them, drawn by the seed")
    parser.add_argument("--seed", type=whole, metavar="N", default=None, help="another part [from the commit]")
    parser.add_argument("--all", action="store_true", help="try all of them, whatever --sample says")


def drawn(items, options, what):
    """A sample of `items`, in their order; prints that it is one, unless it is all of them."""
    items = list(items)
    if options.all or wants_all() or options.sample is None or options.sample >= len(items):
        return items
    seed = seed_of_commit() if options.seed is None else options.seed
    chosen = sorted(random.Random(f"{what} {seed}").sample(range(len(items)), options.sample))
    print(f"sampled: {options.sample} of {len(items)} {what}, by --seed {seed}; --all tries all of them", flush=True)
    return [items[place] for place in chosen]
