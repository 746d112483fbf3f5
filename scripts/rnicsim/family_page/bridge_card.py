# SPDX-License-Identifier: Apache-2.0
"""What documents and blocks ask of a host with a card: sections of the page "A bridge between
hosts"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import count, done, gbps, ns, points, rows_of, size, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page.bridge_rows import Row
    from rnicsim.family_page.page import Page

LESS = 512  # pages of 4 KiB in one of 2 MiB


def core(row: Row) -> float:
    """Share of a core that the server works for an operation, from one to the next."""
    worked = count(row, "server.host.worked_ps") / done(row) / 1e6
    return worked / (us(row, "median_us") + ns(row["values"][1]) / 1e3)


def events(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("document_events")
    if e is None:
        return None
    names = e.axis(1)
    places = list(range(len(names)))
    poll, slept = (rows_of(e, text) for text in e.axis(0))
    share = [100 * core(row) for row in slept]
    longer = [us(b, "median_us") - us(a, "median_us") for a, b in zip(poll, slept)]
    panels = [
        (
            lines(
                "A write (us, median)",
                styled(
                    [
                        (label, points(places, [us(row, "median_us") for row in rows]))
                        for label, rows in (("looks", poll), ("sleeps until an event", slept))
                    ]
                ),
                "from one to the next",
                bottom=0,
                names=names,
            ),
            "time of a write by how completions are noticed",
        ),
        (
            lines(
                "Core of a server that sleeps (%)",
                styled([("at work", points(places, share))]),
                "from one to the next",
                bottom=0,
                names=names,
            ),
            "work of the server by how completions are noticed",
        ),
    ]
    table = [
        [text, f"{us(a, 'median_us'):.2f}", f"{us(b, 'median_us'):.2f}", f"{one:.0f} %"]
        for text, a, b, one in zip(names, poll, slept, share)
    ]
    said = [
        "Who looks has no other use for its core (100 %); who sleeps works for an interrupt, the "
        "event, and arming again."
    ]
    claim = Claim(
        "B6",
        "events take less of a core at a low rate, and an interrupt longer",
        "shape",
        "a tenth of a core 100 us apart; longer at each rate",
        f"{share[-1]:.1f} %; {min(longer):.1f} us longer",
        share[-1] < 10 and min(longer) > 1,
        e.name,
    )
    figure = page.figure(
        e,
        "Looks or events",
        panels,
        "500 B.",
        ["apart", "looks (us)", "sleeps (us)", "core"],
        table,
    )
    return told(said) + figure, [claim]


def pages(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("pages")
    if e is None:
        return None
    ends = ("client", "server")
    caches = [size(text) / 1024 for text in e.axis(1)]
    of = {
        text: [
            count(row, *(f"{end}.rc.cache_misses_pages" for end in ends))
            for row in rows_of(e, text)
        ]
        for text in e.axis(0)
    }
    drawn = [(f"pages of {text}", points(caches, found)) for text, found in of.items()]
    panels = [
        (
            lines("Misses of page entries", styled(drawn), "card's memory (KiB)", bottom=0),
            "misses by memory of the card",
        )
    ]
    table = [
        [*row["values"], str(missed), f"{gbps(row):.1f}"]
        for row, missed in zip(e.rows, [one for found in of.values() for one in found])
    ]
    small, large = (found[0] for found in of.values())
    said = ["A miss is a read of the host's memory; large messages hide it."]
    claim = Claim(
        "R16",
        "pages of 2 MiB instead of 4 KiB: up to 512 times fewer misses",
        "shape",
        f"at most 1/{LESS} with 6 KiB on the card",
        f"{small:,} and {large:,}",
        small > LESS and large * LESS <= small,
        e.name,
    )
    head = ["pages", "card's memory", "misses", "Gb/s"]
    return told(said) + page.figure(e, "Pages", panels, "128 KiB, 64 at a time.", head, table), [
        claim
    ]
