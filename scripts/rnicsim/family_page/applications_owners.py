# SPDX-License-Identifier: Apache-2.0
"""A user of Plasma and several owners: a section of the page "Applications"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import Claim, us
from rnicsim.family_page.applications_drawing import BLANK
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.experiment import counted
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages

ORDERS = {"each": "all owners at once", "turn": "in turn", "drawn": "in a drawn order"}


def owners(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("owners")
    if e is None:
        return None
    known, looked_up = (
        {tuple(row["values"][0].split(", ")): row for row in e.select(name)}
        for name in ("known", "looked_up")
    )
    one = known["1", "each"]
    ordered = [row for (_, order), row in known.items() if order != "each"]
    apart = max(abs(us(row) / us(one) - 1) for row in ordered)
    queries = [us(looked_up[key]) - us(row) for key, row in known.items() if key[1] != "each"]
    alone = us(looked_up["1", "each"]) - us(one)
    numbers = list(dict.fromkeys(number for number, _ in known))
    head = ["owners", "order", "mean us", "p99 us", "Gb/s", "with a query (us)", "packets again"]
    table = [
        [
            count,
            ORDERS[order],
            f"{us(row):,.1f}",
            f"{number(row['p99_us']):,.1f}",
            f"{number(row['goodput_gbps']):.2f}",
            f"{us(looked_up[count, order]):,.1f}",
            counted(
                sum(int(value) for key, value in row.items() if key.endswith(".rc.retransmissions"))
            ),
        ]
        for (count, order), row in known.items()
    ]
    drawn = styled(
        [
            (
                label,
                (
                    list(range(len(numbers))),
                    [number(known.get((count, order), one)["goodput_gbps"]) for count in numbers],
                    [BLANK] * len(numbers),
                ),
            )
            for order, label in ORDERS.items()
        ]
    )
    said = [
        "The thesis' benchmark has one host fetch the objects of all others in random order. One "
        "at a time, an object takes what it takes from one owner, in whatever order. All owners "
        "at once share the user's processor, and their answers meet at a port of the switch, "
        "which drops some: what is lost at the end of an answer waits for a timer of 67 ms.",
        f"A query where the object is, a message of 64 B by TCP and its answer, takes {alone:.1f} "
        "us more, most of it the 20 us of each write.",
    ]
    claims = [
        Claim(
            "One at a time, an object takes as long from eight owners as from one, in any order",
            "thesis 4.3",
            "finding",
            "within 0.1 %",
            f"{apart:.3%}",
            apart <= 0.001,
            e.name,
        ),
        Claim(
            "A query first costs the same with any number of owners",
            "thesis 2.2",
            "finding",
            "within 0.1 us",
            f"{min(queries):.2f} to {max(queries):.2f} us, alone {alone:.2f}",
            max(abs(query - alone) for query in queries) <= 0.1,
            e.name,
        ),
    ]
    return (
        told(said)
        + page.figure(
            e,
            "One user, several owners",
            [
                (
                    lines("Goodput (Gb/s)", drawn, "owners", bottom=0, names=numbers),
                    "goodput over owners",
                )
            ],
            "64 KiB, 40 gets of each owner.",
            head,
            table,
        ),
        claims,
    )
