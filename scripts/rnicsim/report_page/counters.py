# SPDX-License-Identifier: Apache-2.0
"""What each counter counts, from counters.csv, and its values in a result."""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import experiments, markup, words

if TYPE_CHECKING:
    from rnicsim.report_page.results import Result

TABLE = Path(__file__).with_name("counters.csv")
HIGHEST = "_high_water"  # not a sum


@lru_cache(maxsize=None)
def meanings(of_what: str = "end") -> dict[str, str]:
    """Counter -> meaning, in the order of the table. Of an `end`: its name without the end; of a
    `network`: the last word of its name."""
    with TABLE.open(encoding="utf-8", newline="") as table:
        return {
            row["counter"]: row["meaning"]
            for row in csv.DictReader(table) if row["of"] == of_what
        }


def plain(name: str) -> str:
    """Without its end."""
    return re.sub(r"^[ab]\.", "", name)


def meaning(name: str) -> str | None:
    """Of any counter, of two ends or of a network; "" if it is none."""
    if plain(name) in meanings():
        return meanings()[plain(name)]
    host, rest = name.split(".", 1)
    way = re.fullmatch(r"(\w+)_to_(\w+)_([a-z]+)", rest)
    if way and f"link.a_to_b_{way[3]}" in meanings():
        return re.sub(r"from a to b", f"from {way[1]} to {way[2]}",
                      meanings()[f"link.a_to_b_{way[3]}"])
    return meanings().get(rest) or meanings("network").get(
        rest.split(".")[-1] if rest.count(".") <= 1 else "", "") if host else ""


def of(result: Result) -> list[str]:
    """All counters of a result, as summary.csv names them."""
    row = next(iter(result.rows.values()))
    return [column for column in row if "." in column and plain(column) in meanings()]


def value(result: Result, point: int, method: str, counter: str) -> Any:
    """A transfer, or the highest."""
    return (result.value if counter.endswith(HIGHEST) else result.per_transfer)(point, method,
                                                                                counter)


def shown(number: float) -> Any:
    """Whole numbers as they are, others with what matters: 0.0003, 0.107, 133.6, 137,010."""
    if number == round(number):
        return words.count(number)
    return words.fixed(number,
                       4 if number < 0.01 else 3 if number < 10 else 1 if number < 1000 else 0)


def table(result: Result) -> Any:
    """A row a counter that counted anything; the others are named below."""
    counted = [(p, m) for p in (e.point for e in experiments.entries(result))
               for m in result.methods if result.value(p, m, "transfers_completed") > 0]
    head = [
        "counter, and what it counts",
        *(markup.part("inside", "of_point", ", ".join(result.points[p]) or result.name, m)
          for p, m in counted)
    ]
    rows, idle = [], []
    for counter in of(result):
        numbers = [value(result, *key, counter) for key in counted]
        if any(numbers):
            rows.append([markup.counter(counter, meanings()[plain(counter)]), *map(shown, numbers)])
        else:
            idle.append(counter)
    return markup.part("inside", "counters", HIGHEST,
                       markup.table(head, rows, numeric=range(1, len(head))), idle)
