# SPDX-License-Identifier: Apache-2.0
"""Makes DIR/report.html, "Applications", from the results of scenarios/applications in DIR.

Usage: scripts/applications_page DIR

`scripts/reproduce applications` simulates them and calls this. Every simulated number on the page
is from a summary.csv in DIR; a scenario whose folder is missing has no section. Exit codes: 0
written, 2 unusable input, 3 matplotlib is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rnicsim import ending
from rnicsim.family_page import applications_claims as claims
from rnicsim.family_page import applications_messages as more
from rnicsim.family_page import page as pages
from rnicsim.family_page.applications_claims import KIB, crossover, of_protocol
from rnicsim.family_page.applications_drawing import over_sizes
from rnicsim.family_page.applications_faults import dead, faults, refused, slow
from rnicsim.family_page.applications_kv import keys, stores
from rnicsim.family_page.applications_memory import memory
from rnicsim.family_page.applications_owners import owners
from rnicsim.family_page.applications_plasma import (
    PROTOCOLS,
    costs,
    early,
    loss,
    plasma,
    where,
    window,
)
from rnicsim.family_page.applications_ring import ring
from rnicsim.family_page.applications_setup import setup
from rnicsim.family_page.applications_smc import smc
from rnicsim.family_page.applications_tensor import one_message, tensor
from rnicsim.family_page.drawing import told
from rnicsim.report_page.results import number

LEAD = (
    "What programs gain by RDMA, by their own protocols, between hosts with RoCEv2 cards. The "
    "cards are cycle-accurate and were not fitted to it; three costs of a processor were (preset "
    "tianhe_2022, of Plasma's figures), and what they decide is marked calibrated."
)


def front(page: pages.Page, found: Mapping[str, Any]) -> pages.Front:
    rows = [row for heading in SECTIONS for row in found.get(heading) or []]
    findings, panels = [], []
    e = page.experiment("plasma")
    if e is not None:
        at = crossover(of_protocol(e, "sendrecv"), of_protocol(e, "read"))
        findings.append(
            f"A READ fetches objects faster than SENDs from {(at or 0) / KIB:.0f} KiB on; up to "
            "there both ends' registration costs more than it saves."
        )
        panels.append(
            (
                over_sizes(
                    "Small objects (us)",
                    {name: of_protocol(e, name) for name in PROTOCOLS},
                    32 * KIB,
                ),
                "time of small objects by three protocols",
            )
        )
    e = page.experiment("window")
    if e is not None:
        curves = {
            text.split(", ")[1]: e.select("none", **{"protocol, window, chunk": text})
            for text in e.axis()
            if text.endswith(", 4 KiB") and not text.startswith("read")
        }
        read = e.select(
            "none",
            **{
                "protocol, window, chunk": next(
                    text for text in e.axis() if text.startswith("read")
                )
            },
        )
        all_at = crossover(curves["100"], read)
        findings.append(
            "That is the cost of waiting for an ACK per chunk, not of copying: with 100 chunks to "
            "an ACK a READ is "
            + (
                "better nowhere up to 4 MiB."
                if all_at is None
                else f"better from {all_at / KIB:,.0f} KiB on only."
            )
        )
        panels.append(
            (
                over_sizes("Windows of 4 KiB chunks (us)", {"READ": read, **curves}, 512 * KIB),
                "time over size for four windows",
            )
        )
    e = page.experiment("loss")
    if e is not None:
        some = {
            name: number(e.select("none", loss="0.1 %", protocol=name)[0]["mean_us"]) / 1e3
            for name in PROTOCOLS
        }
        findings.append(
            f"With a frame in a thousand lost an object of 256 KiB takes {some['sendrecv']:.1f} ms "
            f"by SENDs, {some['socket']:.1f} by TCP, {some['read']:.1f} by READ."
        )
    met = sum(row.holds for row in rows)
    behind = (
        [
            (
                "Claims",
                told(
                    [
                        f"{met} of {len(rows)} claims are met. calibrated: what was fitted "
                        "decides it; shape: an order or a range; exact: checked in every "
                        "run."
                    ]
                )
                + claims.table(rows),
            )
        ]
        if rows
        else []
    )
    return pages.Front(findings, panels, "cx5_100g at 100 Gb/s, processor tianhe_2022.", behind)


SECTIONS = {
    "Plasma": plasma,
    "Work": where,
    "Windows": window,
    "Costs": costs,
    "Owners": owners,
    "Set-up": setup,
    "Memory": memory,
    "Loss": loss,
    "Flow control": early,
    "Keys and values": keys,
    "Large values": stores,
    "brpc": more.calls,
    "NCCL": more.fifo,
    "A ring of hosts": ring,
    "SMC-R": smc,
    "Tensors": tensor,
    "One message": one_message,
    "Faults": faults,
    "A dead link": dead,
    "A slow receiver": slow,
    "Refused memory": refused,
}

FAMILY = pages.Family("applications", "Applications", LEAD, SECTIONS, front)


@ending.reported("applications_page")
def main(arguments: Sequence[str]) -> int:
    return pages.write(FAMILY, __doc__, arguments)
