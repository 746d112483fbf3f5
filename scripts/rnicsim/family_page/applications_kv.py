# SPDX-License-Identifier: Apache-2.0
"""Keys and values: sections of the page "Applications"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page import applications_kv_claims as claims
from rnicsim.family_page.applications_claims import KIB
from rnicsim.family_page.applications_drawing import BLANK, over_sizes, times
from rnicsim.family_page.applications_kv_claims import TRANSPORTS, rate, with_threads
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages


def keys(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("keys")
    if e is None:
        return None
    connections = e.axis(0)
    places = list(range(len(connections)))

    of = {
        threads: {variant: with_threads(e, variant, threads) for variant in TRANSPORTS}
        for threads in ("1", "4")
    }

    def panel(threads: str) -> Any:
        drawn = styled(
            [
                (
                    label,
                    (
                        places,
                        [rate(row) / 1e3 for row in of[threads][variant]],
                        [BLANK] * len(places),
                    ),
                )
                for variant, label in TRANSPORTS.items()
            ]
        )
        title = f"Thousand commands a second, {threads} thread{'s' if threads != '1' else ''}"
        return lines(title, drawn, "connections", bottom=0, names=connections)

    head = ["connections", "threads"]
    for label in TRANSPORTS.values():
        head += [f"{label} (us)", f"{label} (k/s)"]
    table = []
    for threads in ("1", "4"):
        for i, count in enumerate(connections):
            cells = [count, threads]
            for variant in TRANSPORTS:
                row = of[threads][variant][i]
                cells += [f"{number(row['mean_us']):,.1f}", f"{rate(row) / 1e3:,.0f}"]
            table.append(cells)
    said = [
        "GETs of 3 B, one at a time on each connection, by a client with 16 cores. Each answer by "
        "TCP costs the server calls, a segment in and one out; by RDMA two receive WQEs, a WRITE "
        "and its share of an interrupt. TCP in the program polls, so it has no interrupts either."
    ]
    return told(said) + page.figure(
        e,
        "A server of keys and values",
        [(panel(threads), f"rate over connections, {threads}") for threads in ("1", "4")],
        "Rate: connections over mean time.",
        head,
        table,
    ), claims.of_keys(e)


def stores(page: pages.Page) -> tuple[Any, Any] | None:
    e, plasma = page.experiment("stores"), page.experiment("plasma")
    if e is None or plasma is None:
        return None
    curves: Mapping[str, Any] = {
        "kv, TCP": e.select("none", transport="tcp"),
        "kv, RDMA": e.select("none", transport="rdma"),
        "Plasma, READ": plasma.select("none", protocol="read"),
        "Plasma, sockets": plasma.select("none", protocol="socket"),
    }
    head, table = times(e, curves)
    said = [
        "The same processor. A server of values answers with one write, Plasma's sockets with one "
        "for each 4 KiB; Plasma's READ pays for registering and for six calls of its stores. By "
        "RDMA a value is copied four times, and memory of 1 MiB is waited for."
    ]
    panels = [
        (over_sizes("A value, an object (us)", curves, 256 * KIB), "time of small values"),
        (over_sizes("Large ones (us)", curves, 4096 * KIB, 256 * KIB), "time of large values"),
    ]
    return told(said) + page.figure(
        e, "Values beside objects", panels, "One at a time.", head, table
    ), claims.of_stores(curves)
