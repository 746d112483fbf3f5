# SPDX-License-Identifier: Apache-2.0
"""Write persistence among many: a pool of hosts with SCM, as in the patent's figure 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.experiment import shown
from rnicsim.family_page.persistence_rows import us
from rnicsim.family_page.verbs_curves import by_place, rows_of, styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.page import Page

MEDIUM_GBPS = 8 * 2.3  # host.persistence.scm.write, one module
SAME = 0.001  # of the mean: ACKs that wait for the port together are merged


def of_an_item(row: Mapping[str, Any], what: str) -> Any:
    """Of all hosts, an item; `what`: `frames` or `bytes`, FCS included."""
    return number(row[f"host.gmac.tx_{what}"]) / number(row["transfers_completed"])


def pool(page: Page) -> Any:
    e = page.experiment("pool")
    if e is None:
        return None
    by = {scheme: rows_of(e, scheme) for scheme in e.axis(0)}
    head = ["scheme", *(f"{hosts} hosts: us" for hosts in e.axis()), "messages an item, B"]
    table = [
        [
            scheme,
            *(shown(row, "mean_us", 1, 2) for row in rows),
            f"{of_an_item(rows[-1], 'frames'):.2f}, {of_an_item(rows[-1], 'bytes'):.1f}",
        ]
        for scheme, rows in by.items()
    ]
    rates = styled(
        [
            (
                scheme,
                (
                    list(range(len(rows))),
                    [1e3 * number(row["goodput_gbps"]) / (8 * 64) for row in rows],
                    [float("nan")] * len(rows),
                ),
            )
            for scheme, rows in by.items()
        ]
    )
    names = e.axis()
    panels = [
        (
            lines(
                "Time until told durable (us)",
                by_place(e, "mean_us"),
                "hosts",
                bottom=0,
                names=names,
            ),
            f"time over the number of hosts, for {len(by)} schemes",
        ),
        (
            lines("Items of the pool (a microsecond)", rates, "hosts", bottom=0, names=names),
            "items a microsecond over the number of hosts",
        ),
    ]
    same = all(
        abs(of_an_item(row, what) / of_an_item(rows[0], what) - 1) < SAME
        for rows in by.values()
        for row in rows
        for what in ("frames", "bytes")
    )
    fewest = all(
        of_an_item(by["fig10"][i], "bytes") < of_an_item(rows[i], "bytes")
        for scheme, rows in by.items()
        if scheme != "fig10"
        for i in range(len(rows))
    )
    gains = [us(a) - us(b) for a, b in zip(by["fig2"], by["fig10"])]
    said = [
        "Each host makes items durable at each other one (the patent's figure 4), one at a time at"
        " each: all are initiator and responder at once. What an item costs the network does not"
        " grow with the pool. What it takes does, most where processors flush: each serves all"
        " others.",
        f"{names[-1]} hosts: fig10 {us(by['fig10'][-1]):.2f} us, fig2 {us(by['fig2'][-1]):.2f} us,"
        f" fig11 {us(by['fig11'][-1]):.2f} us, fig3 {us(by['fig3'][-1]):.2f} us.",
    ]
    figure = page.figure(e, "A pool of hosts", panels, "64 B, no DDIO.", head, table)
    return told(said) + figure, (same and fewest, gains)


def devices(page: Page) -> Any:
    e = page.experiment("pool_devices")
    if e is None:
        return None
    by = {way: rows_of(e, way) for way in e.axis(0)}
    labels = {way: label(way) for way in by}

    def rate(row: Mapping[str, Any]) -> Any:
        return number(row["goodput_gbps"])

    places = [row["values"][-1] for row in next(iter(by.values()))]
    names = ["\n".join(place.split(", ")) for place in places]
    head = ["initiators, devices", *(f"{labels[way]}, Gb/s" for way in by)]
    table = [[place, *(f"{rate(rows[i]):.2f}" for rows in by.values())]
             for i, place in enumerate(places)]
    curves = styled(
        [
            (labels[way], (list(range(len(rows))), [rate(row) for row in rows],
                           [float("nan")] * len(rows)))
            for way, rows in by.items()
        ]
    )
    panels = [
        (
            lines("Goodput of the pool (Gb/s)", curves, "initiators, and below them devices",
                  bottom=0, names=names),
            "goodput over initiators and devices",
        )
    ]
    first, last = alone(places), len(places) - 1
    more = {way: rate(rows[last]) / rate(rows[first]) for way, rows in by.items()}
    full = rate(by["fig10, 16"][first])
    said = [
        "Initiators that make 4 KiB durable, one item at a time at each device. Up to eight share"
        f" one module of SCM ({MEDIUM_GBPS:.1f} Gb/s), then they have more of them. fig10's card"
        " has one flush read at once, or 16: with one, items wait for those of others while the"
        " medium has nothing to do.",
        f"Eight initiators at one device: fig2 {rate(by['fig2, 1'][first]):.1f} Gb/s, fig10"
        f" {rate(by['fig10, 1'][first]):.1f} Gb/s with one flush read, {full:.1f} Gb/s with 16.",
    ]
    figure = page.figure(e, "Initiators and devices", panels, "4 KiB, no DDIO.", head, table)
    return told(said) + figure, (more, full)


def label(way: str) -> str:
    scheme, reads = way.split(", ")
    return f"{scheme}, {reads} flush reads" if reads != "1" else scheme


def alone(places: list[str]) -> int:
    """Where most initiators have one device."""
    return max(i for i, place in enumerate(places) if place.split(", ")[1] == "1")
