# SPDX-License-Identifier: Apache-2.0
"""Numbers and lists as text, the same everywhere on the page."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate

MINUS = "\u2212"
NARROW = "\u202f"  # narrow space that does not break


TIED = (re.compile(r"(?<=\d) (?=(?:%|ms|µs|s|B|KiB)(?!\w))"),
        re.compile(r" (?=[±=×] )|(?<= [±=×]) |(?<=[±=×]) "))


def tied(text: str) -> str:
    """No line of prose ends between a number and its unit, or around ± and =."""
    for pattern in TIED:
        text = pattern.sub("\u00a0", str(text))
    return text


def fixed(value: float, decimals: int) -> str:
    """No value: a dash. Never minus zero."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:,.{decimals}f}"
    if text.strip("-0.,") == "":
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def count(n: float) -> Any:
    return f"{int(n):,}"


def percent(fraction: float, decimals: int = 1) -> str:
    return fixed(fraction * 100, decimals) + f"{NARROW}%"


def gain(e: Any, decimals: int = 2) -> str:
    """8.79 ± 1.11 %"""
    if e is None:
        return "–"
    half = "" if math.isnan(e.half) else f" ± {fixed(e.half * 100, decimals)}"
    return f"{fixed(e.mean * 100, decimals)}{half}{NARROW}%"


def points(e: Estimate, decimals: int = 2) -> str:
    """The same for a difference of gains."""
    return gain(e, decimals).replace(f"{NARROW}%", " percentage points")


def milliseconds(e: Estimate, decimals: int = 3) -> str:
    """An estimate in microseconds as 3.285 ± 0.067 ms."""
    half = "" if math.isnan(e.half) else f" ± {fixed(e.half / 1000, decimals)}"
    return f"{fixed(e.mean / 1000, decimals)}{half} ms"


def ms(microseconds: float, decimals: int = 3) -> str:
    return f"{fixed(microseconds / 1000, decimals)} ms"


def listed(items: Any, last: str = "and") -> Any:
    items = [str(item) for item in items]
    return items[0] if len(
        items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def plural(n: float, noun: str) -> str:
    return f"{count(n)} {noun}" + ("" if n == 1 else "s")


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
