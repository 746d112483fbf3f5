# SPDX-License-Identifier: Apache-2.0
"""In which unit values read well."""

from collections.abc import Sequence
from typing import Any

from rnicsim.report_page.results import UNITS, quantities

SHOWN = {"ms": ("ns", "µs", "ms", "s"), "KiB": ("B", "KiB", "MiB")}  # of values in several units


def written(value: float) -> str:
    """Never as a power of ten; what arithmetic has added behind the ninth digit is gone."""
    return f"{float(f'{value:.9g}'):.15f}".rstrip("0").rstrip(".")


def shortest(values: Any, base: Any) -> Any:
    """(values, unit) from this base unit in that in which they are written with the fewest letters;
    of two the larger."""
    ways = [([value / UNITS[unit][1] for value in values], unit) for unit in reversed(SHOWN[base])]
    return min(ways, key=lambda way: sum(len(written(value)) for value in way[0]))


def scaled(texts: Sequence[str]) -> Any:
    """(numbers, unit) of values such as '5 %', as they are written if in one unit, or None if they
    are not all numbers of one kind."""
    found = quantities(texts)
    if not found:
        return None
    several = len({text.strip().lstrip("-+0123456789._eE ") for text in texts}) > 1
    return shortest(*found) if several and found[1] in SHOWN else found
