# SPDX-License-Identifier: Apache-2.0
"""Makes DIR/report.html, "A bridge between hosts", from the results of scenarios/bridge in DIR.

Usage: scripts/bridge_page DIR

`scripts/reproduce bridge` simulates them and calls this. Every simulated number on the page is
from a file in DIR; a scenario whose folder is missing has no section. Exit codes: 0 written, 2
unusable input, 3 matplotlib is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rnicsim import ending
from rnicsim.family_page import bridge_beside as beside
from rnicsim.family_page import bridge_blocks as blocks
from rnicsim.family_page import bridge_buffers as buffers
from rnicsim.family_page import bridge_card as card
from rnicsim.family_page import bridge_claims as claims
from rnicsim.family_page import bridge_documents as documents
from rnicsim.family_page import bridge_goodput as goodput
from rnicsim.family_page import bridge_keys as keys
from rnicsim.family_page import bridge_latency as one_way
from rnicsim.family_page import bridge_rules as ring
from rnicsim.family_page import bridge_shared as shared
from rnicsim.family_page import page as pages
from rnicsim.family_page.bridge_rows import gbps, rows_of, us
from rnicsim.family_page.drawing import told

LEAD = (
    "Two hosts joined by PCIe, messages by a core's stores into the other one's memory, beside "
    "RDMA; and two systems that go by RDMA: a store of documents (RMongo) and a chain's blocks "
    "(BoR). Questions and claims are those of a thesis on kernel-bypass networks (2021). Fitted: "
    "what the ring's programs work, to 8 M messages a second."
)
SECTIONS = {
    "One way": one_way.latency,
    "Where 8 B go": one_way.where,
    "Slots": goodput.slots,
    "Rings": goodput.partitions,
    "Neighbours": goodput.neighbours,
    "Turns": shared.turns,
    "Priorities": shared.priorities,
    "Slow programs": shared.slow_program,
    "Placement": shared.placement,
    "One core": shared.one_core,
    "Copies": shared.copies,
    "Rules": ring.rules,
    "Buffers of a core": ring.buffers,
    "Size of a ring": goodput.rings,
    "Without a rule": ring.broken,
    "Credits": goodput.credits,
    "Beside RDMA": beside.offload,
    "When a bridge helps": beside.split,
    "Keys and values": keys.commands,
    "Documents": documents.sequences,
    "Queries": documents.sizes,
    "Documents at a time": buffers.several,
    "Buffers by load": buffers.buffers,
    "Looks or events": card.events,
    "Pages": card.pages,
    "Blocks": blocks.counts,
    "Catching up": blocks.sync,
    "Broadcast": blocks.broadcast,
}


def front(page: pages.Page, found: Mapping[str, Any]) -> pages.Front:
    judged = [row for heading in SECTIONS for row in found.get(heading) or []]
    findings, panels = [], []
    of = one_way.curves(page)
    if of is not None:
        e, ring_rows, _, _, write = of
        panels += one_way.panels(*of)[:1]
        findings.append(
            "The other host's program has "
            + "; ".join(
                f"{e.axis(1)[i]} after {us(ring_rows[i]):.2f} us by a core's stores, "
                f"{us(write[i]):.2f} by an RDMA WRITE"
                for i in (0, -1)
            )
            + "."
        )
    slots = page.experiment("slots")
    if slots is not None:
        panels += goodput.panels(slots)[:1]
        two = [gbps(row) for row in rows_of(slots, "80 Gbps", "2")]
        findings.append(
            f"Two cores carry {two[-1]:.1f} of a chip's 80 Gb/s in slots of 8 KiB, {two[0]:.1f} in "
            "slots of 1 KiB: a fence between payload and header has a slot's first line cross in "
            "chunks of 8 B."
        )
    orders = ring.explored(page.folder)
    if orders:
        found_in = sum("BROKEN" in verdict for verdict in orders.values())
        findings.append(
            f"A ring that leaves out any of {found_in} rules breaks in some order of events; a run "
            "that meets it ends where bytes are wrong."
        )
    return pages.Front(
        findings,
        panels,
        "cx5_100g; a bridge of Gen3 x16.",
        last=[("Claims", told(claims.said(judged)) + claims.table(judged))],
    )


FAMILY = pages.Family("bridge", "A bridge between hosts", LEAD, SECTIONS, front)


@ending.reported("bridge_page")
def main(arguments: Sequence[str]) -> int:
    return pages.write(FAMILY, __doc__, arguments)
