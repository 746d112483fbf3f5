# SPDX-License-Identifier: Apache-2.0
"""What the persistence page opens with: which scheme to use on which machine, what the schemes are,
and three findings in a picture."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from rnicsim.family_page import page as pages
from rnicsim.family_page.drawing import told
from rnicsim.family_page.experiment import Experiment
from rnicsim.family_page.persistence_rows import (
    MACHINES,
    PROCESSOR,
    holds,
    machine,
    on_the_wires,
    us,
)
from rnicsim.report_page import look

SCHEMES = (
    (
        "fig2",
        "a patent, figure 2",
        "WRITE; when complete, a READ of 8 B (the patent: of all)",
        "the READ: PCIe completes it behind the WRITE's data",
    ),
    (
        "fig3",
        "figure 3",
        "WRITE; when complete, a SEND",
        "the responder's processor flushes and sends back",
    ),
    (
        "fig10",
        "figure 10",
        "WRITE_PERSIST",
        "the responder's card reads no bytes behind the data; a persist ACK (PACK) says so",
    ),
    (
        "fig11",
        "figure 11",
        "WRITE_PERSIST; when received, a receive WQE",
        "the responder's processor, which its card tells; a persist ACK says so",
    ),
    (
        "apm",
        "librpma, appliance persistency method",
        "WRITE and READ at once",
        "the READ, as in fig2",
    ),
    (
        "flush",
        "InfiniBand 1.5, annex 19",
        "WRITE and FLUSH at once",
        "the responder's card, as in fig10",
    ),
    (
        "gpspm",
        "librpma, general purpose server persistency method",
        "WRITE and SEND at once",
        "the responder's processor, as in fig3",
    ),
)
PATENT = "Chinese application by Sun, Zhou and Li, filed 2018-06-26, published 2020-01-03"
# What the cards at both ends must know, and the schemes that are then there.
CARDS = (
    ("any card", ("fig2", "apm", "fig3", "gpspm")),
    ("cards with FLUSH", ("fig2", "apm", "fig3", "gpspm", "flush")),
    ("cards of the patent", ("fig2", "apm", "fig3", "gpspm", "fig10", "fig11")),
)
BECAUSE = {
    "no DDIO": (
        "Writes go past the cache: a read that has come back has pushed them into the memory"
        " controller's queue, which ADR saves."
    ),
    "DDIO, NS on the data": (
        'The card marks its writes "no snoop", and the root port sends these past the cache.'
    ),
    "DDIO": (
        "Data are in the cache, which ADR does not save: only the responder's processor can flush"
        " it, and what a read proves is false."
    ),
    "DDIO, eADR": (
        "Data are in the cache, which eADR saves: a read that has come back has pushed them out of"
        " the root port."
    ),
}


def best(rows: Iterable[Mapping[str, Any]], schemes: Collection[str]) -> Any:
    """The fastest of them that holds; None if none does."""
    return min(
        (row for row in rows if row["values"][1] in schemes and holds(row)), key=us, default=None
    )


def on_your_machine(e: Experiment) -> Any:
    """A table: what to use on each machine, with which cards, and why."""
    rows = []
    for name in MACHINES:
        here = [row for row in e.rows if machine(row) == name]
        found = [best(here, schemes) for _, schemes in CARDS]
        rows.append(
            [
                f"{name}, ADR" if "ADR" not in name else name,
                *(f"{row['values'][1]}, {us(row):.2f} us" if row else "none" for row in found),
                BECAUSE[name],
            ]
        )
    return pages.wrapped(["your machine", *(name for name, _ in CARDS), "because"], rows)


def names() -> Any:
    return told([f"fig2 to fig11 are named after figures of a patent ({PATENT})."]) + pages.wrapped(
        ["scheme", "from", "what is posted", "who makes it durable"], SCHEMES
    )


def bars(title: str, values: Mapping[str, float]) -> Callable[..., Any]:
    """`values`: {scheme: number}; who makes data durable has a colour."""
    def draw(axes: Any, legend: bool) -> None:
        del legend
        places = {scheme: i for i, scheme in enumerate(values)}
        for colour, label, of in (
            (
                look.GROUP_COLOURS[0],
                "by a read or the card",
                [scheme for scheme in values if scheme not in PROCESSOR],
            ),
            (
                look.GROUP_COLOURS[3],
                "by the processor",
                [scheme for scheme in values if scheme in PROCESSOR],
            ),
        ):
            if of:
                axes.bar(
                    [places[scheme] for scheme in of],
                    [values[scheme] for scheme in of],
                    width=0.6,
                    color=colour,
                    label=label,
                )
        look.name_ticks(axes, list(places.values()), list(places))
        axes.set_title(title)
        axes.set_ylim(0, 1.3 * max(values.values()))  # room for the legend
        look.style(axes)
        axes.legend(frameon=False, fontsize=8, loc="upper right")
    return draw


def front(page: pages.Page, found: Mapping[str, Any]) -> pages.Front:
    e, sizes = page.experiment("hosts"), page.experiment("sizes")
    findings, panels, behind = [], [], []
    as_expected = found.get(
        "Which way on which machine", False
    )  # what is told is false with DDIO and ADR, unless a processor flushes, and nowhere else
    if e is not None:
        first = [row for row in e.rows if machine(row) == MACHINES[0]]
        false = [row for row in e.rows if machine(row) == MACHINES[2]]
        any_card, flush, processors = (
            best(first, CARDS[0][1]),
            best(first, CARDS[1][1]),
            best(false, CARDS[0][1]),
        )
        if any_card and flush and processors and as_expected:
            findings += [
                (
                    "Without DDIO, or with eADR, a read behind the WRITE proves that it is durable:"
                    f" {any_card['values'][1]} takes {us(any_card):.2f} us at 64 B with any card,"
                    f" {flush['values'][1]} {us(flush):.2f} us with cards that have it."
                ),
                (
                    "With DDIO and ADR no read proves anything, and only the responder's processor"
                    f" can make data durable: {processors['values'][1]} takes"
                    f" {us(processors):.2f} us."
                ),
            ]
        times = {row["values"][1]: us(row) for row in first}
        panels.append(
            (
                bars("Time until told durable, 64 B (us)", times),
                "time until told durable by scheme, without DDIO",
            )
        )
        behind.append(("On your machine", on_your_machine(e)))
    if sizes is not None and "Over size" in found:
        gain = found["Over size"]
        small = {
            row["values"][0]: row for row in sizes.rows if row["values"][-1] == sizes.axis()[0]
        }
        findings.append(
            f"The patent's card (fig10) is {gain['fig2'][0]:.2f} us faster than a READ posted"
            f" afterwards (fig2) and {gain['apm'][0]:.2f} us faster than one posted at once (apm)"
            f" at 64 B, with {on_the_wires(small['fig10'], 'bytes'):.0f} B on the wires instead of"
            f" {on_the_wires(small['fig2'], 'bytes'):.0f}; at 64 KiB {gain['fig2'][-1]:.2f} us of"
            " the first remain."
        )
        panels.append(
            (
                bars(
                    "Bytes on the wires, 64 B",
                    {scheme: on_the_wires(row, "bytes") for scheme, row in small.items()},
                ),
                "bytes on the wires an item, by scheme",
            )
        )
    caption = "One item of 64 B at a time, no DDIO." + (
        " Where DDIO and ADR come together, what a read or the card tells is false."
        if as_expected
        else ""
    )
    return pages.Front(findings, panels, caption,
                       [*behind, ("The schemes", names())])
