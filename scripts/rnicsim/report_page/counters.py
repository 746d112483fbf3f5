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


def plain(name):
    """Without its end."""
    return re.sub(r"^[ab]\.", "", name)


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
