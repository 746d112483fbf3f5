# SPDX-License-Identifier: Apache-2.0
"""One way through a bridge, and by RDMA: sections of the page "A bridge between hosts"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import points, rows_of, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import look

if TYPE_CHECKING:
    from collections.abc import Callable

    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

LEAST, MOST = 2.3, 5.6  # the thesis: RDMA takes so many times as long, 8 B to 8 KiB
COSTS = [  # of parts.yaml, in the order of its axis: what is left out
    "program that sends",
    "copy",
    "evict",
    "fence",
    "way to the port",
    "link's latency",
    "translation",
    "look (poll)",
    "program that reads",
]
# A WRITE's way, by columns.
STAGES = {
    "post": "program, PCIe to the card",
    "fetch": "WQE fetched",
    "queue": "queue",
    "wire": "cards, link, switch, look",
    "completion": "seen",
}
WIRE = STAGES["wire"]


def curves(page: Page) -> tuple[Any, ...] | None:
    e, write = page.experiment("latency"), page.experiment("write")
    if e is None or write is None:
        return None
    ring, stores, raw = (rows_of(e, text) for text in e.axis(0))
    return e, ring, stores, raw, write.rows


def ratios(write: Any, rows: Any) -> list[float]:
    return [us(a) / us(b) for a, b in zip(write, rows)]


def panels(
    e: Experiment, ring: Any, stores: Any, raw: Any, write: Any
) -> list[tuple[Any, str]]:
    names = e.axis(1)
    sizes = list(range(len(names)))
    drawn = styled(
        [
            ("RDMA WRITE", points(sizes, [us(row) for row in write])),
            ("ring behind a bridge", points(sizes, [us(row) for row in ring])),
            ("its stores and looks alone", points(sizes, [us(row) for row in stores])),
            ("... without a fence", points(sizes, [us(row) for row in raw])),
        ]
    )
    compared = styled(
        [
            ("ring", points(sizes, ratios(write, ring))),
            ("stores and looks alone", points(sizes, ratios(write, stores))),
            ("... without a fence", points(sizes, ratios(write, raw))),
        ]
    )
    return [
        (lines("One way (us)", drawn, "message", bottom=0, names=names), "time one way over size"),
        (
            band(lines("WRITE / bridge, times as long", compared, "message", names=names)),
            "how many times as long a WRITE takes, over size",
        ),
    ]


def band(drawn: Callable[..., Any]) -> Callable[..., Any]:
    def draw(axes: Any, legend: bool) -> None:
        axes.axhspan(LEAST, MOST, color=look.GRID, label="thesis: 2.3 to 5.6")
        drawn(axes, legend)
        axes.set_ylim(0, 8)

    return draw


def latency(page: Page) -> tuple[Any, list[Claim]] | None:
    found = curves(page)
    if found is None:
        return None
    e, ring, stores, raw, write = found
    head = ["message", "WRITE (us)", "ring (us)", "times", "stores and looks alone (us)", "times"]
    head += ["without a fence (us)", "times"]
    table = [
        [
            text,
            f"{us(w):.3f}",
            f"{us(r):.3f}",
            f"{us(w) / us(r):.2f}",
            f"{us(s):.3f}",
            f"{us(w) / us(s):.2f}",
            f"{us(n):.3f}",
            f"{us(w) / us(n):.2f}",
        ]
        for text, w, r, s, n in zip(e.axis(1), write, ring, stores, raw)
    ]
    said = [
        "A message into the other host's memory until its program sees it: by a core's stores into "
        "a slot of a ring, and by a WRITE of cx5_100g through a switch, half a round. Alone: "
        f"without the {1e3 * (us(ring[0]) - us(stores[0])):.0f} ns that the ring's programs are "
        "fitted to; the thesis' tool copies without a fence, too, which no ring may. None of them "
        "copies what has come. "
        "From 221 B on a WRITE no longer lies in its WQE.",
        "The thesis also has a bridge's write of up to 256 B take 1.25 to 3 times as long as its "
        "read (N2): that and this ratio (N5) cannot both be.",
    ]
    all_of = ratios(write, ring) + ratios(write, stores) + ratios(write, raw)
    claim = Claim(
        "N5",
        "the bridge is faster at each size from 8 B to 8 KiB",
        "shape",
        f"{LEAST} to {MOST} times",
        f"ring {span(ratios(write, ring))}, alone {span(ratios(write, stores))}, without a fence "
        f"{span(ratios(write, raw))}",
        LEAST <= min(all_of) and max(all_of) <= MOST,
        "latency, write",
    )
    written = "RDMA WRITE through the same card profile: scenarios/bridge/write.yaml."
    figure = page.figure(
        e, "How long a message takes", panels(e, ring, stores, raw, write), written, head, table
    )
    return told(said) + figure, [claim]


def span(values: list[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def without(e: Experiment) -> dict[str, float]:
    """What each cost takes, ns: how much sooner a message is there without it; and the rest."""
    usual, *others = (1e3 * us(row) for row in e.rows)
    taken = {name: usual - other for name, other in zip(COSTS, others, strict=True)}
    return {**taken, "stores, bytes on the link, edges": usual - sum(taken.values())}


def where(page: Page) -> tuple[Any, list[Claim]] | None:
    e, write = page.experiment("parts"), page.experiment("write")
    if e is None or write is None:
        return None
    taken, of = without(e), write.rows[0]
    stages = {label: 1e3 * us(of, f"{column}_us") for column, label in STAGES.items()}
    stages = {label: one for label, one in stages.items() if one}
    head = ["", "ns", "of all"]
    whole, written = sum(taken.values()), sum(stages.values())
    table = [[f"bridge: {name}", f"{one:.0f}", f"{one / whole:.0%}"] for name, one in taken.items()]
    table += [
        [f"WRITE: {name}", f"{one:.0f}", f"{one / written:.0%}"] for name, one in stages.items()
    ]
    said = [
        f"Each cost of the ring left out, one at a time: what is sooner is its part of {whole:.0f} "
        "ns (evict counts twice: payload, header). Of a WRITE the parts are those that its run "
        f"measures; its wire, both cards and memories alone take {stages[WIRE]:.0f} ns."
    ]
    claim = Claim(
        "N5b",
        "... because a card fetches, reads and is two links away",
        "shape",
        "a WRITE's wire alone takes longer than all of the bridge",
        f"{stages[WIRE]:.0f} and {whole:.0f} ns",
        stages[WIRE] > whole,
        "parts, write",
    )
    made = [
        (across("8 B through the bridge (ns)", taken), "parts of the time through the bridge"),
        (across("8 B by WRITE (ns)", stages), "parts of the time by WRITE"),
    ]
    return told(said) + page.figure(e, "Where the time of 8 B goes", made, "", head, table), [claim]


def across(title: str, parts: dict[str, float]) -> Callable[..., Any]:
    """Bars from left to right, one below the other."""

    def draw(axes: Any, legend: bool) -> None:
        del legend
        places = list(range(len(parts)))
        axes.barh(places, list(parts.values()), height=0.6, color=look.GROUP_COLOURS[0])
        for place, one in zip(places, parts.values()):
            axes.annotate(f"{one:.0f}", (one, place), (3, 0), textcoords="offset points",
                          va="center", fontsize=8)
        axes.set_yticks(places)
        axes.set_yticklabels(list(parts))
        axes.invert_yaxis()
        axes.set_xlim(0, 1.2 * max(parts.values()))
        axes.set_title(title)
        look.style(axes, "x")

    return draw
