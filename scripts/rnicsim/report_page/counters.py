"""What each counter counts, from the table in results/README.md, and its values in a result."""

import re
from functools import lru_cache

from rnicsim.places import ROOT
from rnicsim.report_page import experiments, markup, words

README = ROOT / "results/README.md"
HIGHEST = "_high_water"  # not a sum


@lru_cache(maxsize=None)
def meanings():
    """Name without its end -> meaning, in the order of the table."""
    text = README.read_text(encoding="utf-8")
    section = text[text.index("## Counters"):].split("\n## ")[0]
    return dict(re.findall(r"^\| `([\w.]+)` \| (.+) \|$", section, flags=re.MULTILINE))


@lru_cache(maxsize=None)
def meanings_in_networks():
    """Last word of a counter's name -> meaning, of switches and plain hosts. After `dropped_bad_fcs` a name without its dot lacks `dropped_`."""
    text = README.read_text(encoding="utf-8")
    section = text[text.index("### Networks"):].split("\n### ")[0]
    found = {}
    for names, meaning_of in re.findall(r"^\| (`\w+\..+?`) \| (.+) \|$", section, flags=re.MULTILINE):
        words_of = [name.split(".")[-1] for name in re.findall(r"`([\w.]+)`", names)]
        for word in words_of:
            found["dropped_" + word if words_of[0].startswith("dropped_") and not word.startswith("dropped_") else word] = meaning_of
    return found


def plain(name):
    """Without its end."""
    return re.sub(r"^[ab]\.", "", name)


def meaning(name):
    """Of any counter, of two ends or of a network; "" if it is none."""
    if plain(name) in meanings():
        return meanings()[plain(name)]
    host, rest = name.split(".", 1)
    way = re.fullmatch(r"(\w+)_to_(\w+)_([a-z]+)", rest)
    if way and f"link.a_to_b_{way[3]}" in meanings():
        return re.sub(r"from a to b", f"from {way[1]} to {way[2]}", meanings()[f"link.a_to_b_{way[3]}"])
    return meanings().get(rest) or meanings_in_networks().get(rest.split(".")[-1] if rest.count(".") <= 1 else "", "") if host else ""


def of(result):
    """All counters of a result, as summary.csv names them."""
    row = next(iter(result.rows.values()))
    return [column for column in row if "." in column and plain(column) in meanings()]


def value(result, point, method, counter):
    """A transfer, or the highest."""
    return (result.value if counter.endswith(HIGHEST) else result.per_transfer)(point, method, counter)


def shown(number):
    """Whole numbers as they are, others with what matters: 0.0003, 0.107, 133.6, 137,010."""
    if number == round(number):
        return words.count(number)
    return words.fixed(number, 4 if number < 0.01 else 3 if number < 10 else 1 if number < 1000 else 0)


def table(result):
    """A row a counter that counted anything; the others are named below."""
    counted = [(p, m) for p in (e.point for e in experiments.entries(result)) for m in result.methods
               if result.value(p, m, "transfers_completed") > 0]
    head = ["counter, and what it counts", *(markup.part("inside", "of_point", ", ".join(result.points[p]) or result.name, m) for p, m in counted)]
    rows, idle = [], []
    for counter in of(result):
        numbers = [value(result, *key, counter) for key in counted]
        if any(numbers):
            rows.append([markup.counter(counter, meanings()[plain(counter)]), *map(shown, numbers)])
        else:
            idle.append(counter)
    return markup.part("inside", "counters", HIGHEST, markup.table(head, rows, numeric=range(1, len(head))), idle)
