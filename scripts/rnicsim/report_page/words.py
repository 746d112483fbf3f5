# SPDX-License-Identifier: Apache-2.0
"""Numbers and lists as text, the same everywhere on the page."""

import math
import re

MINUS = "\u2212"
NARROW = "\u202f"  # narrow space that does not break


TIED = (re.compile(r"(?<=\d) (?=(?:%|ms|µs|s|B|KiB)(?!\w))"), re.compile(r" (?=[±=×] )|(?<= [±=×]) |(?<=[±=×]) "))


def tied(text):
    """No line of prose ends between a number and its unit, or around ± and =."""
    for pattern in TIED:
        text = pattern.sub("\u00a0", str(text))
    return text


def fixed(value, decimals):
    """No value: a dash. Never minus zero."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:,.{decimals}f}"
    if text.strip("-0.,") == "":
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def count(n):
    return f"{int(n):,}"


def percent(fraction, decimals=1):
    return fixed(fraction * 100, decimals) + f"{NARROW}%"


def gain(e, decimals=2):
    """8.79 ± 1.11 %"""
    if e is None:
        return "–"
    half = "" if math.isnan(e.half) else f" ± {fixed(e.half * 100, decimals)}"
    return f"{fixed(e.mean * 100, decimals)}{half}{NARROW}%"


def points(e, decimals=2):
    """The same for a difference of gains."""
    return gain(e, decimals).replace(f"{NARROW}%", " percentage points")


def milliseconds(e, decimals=3):
    """An estimate in microseconds as 3.285 ± 0.067 ms."""
    half = "" if math.isnan(e.half) else f" ± {fixed(e.half / 1000, decimals)}"
    return f"{fixed(e.mean / 1000, decimals)}{half} ms"


def ms(microseconds, decimals=3):
    return f"{fixed(microseconds / 1000, decimals)} ms"


def listed(items, last="and"):
    items = [str(item) for item in items]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def plural(n, noun):
    return f"{count(n)} {noun}" + ("" if n == 1 else "s")


def sentence(text):
    return text[:1].upper() + text[1:]
