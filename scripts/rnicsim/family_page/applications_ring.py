# SPDX-License-Identifier: Apache-2.0
"""Section of the page "Applications" on sums over a ring of hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import KIB, Claim, size_of
from rnicsim.family_page.applications_messages import BLANK, of_one
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

NEAR = 0.05


def hosts_of(row: Mapping[str, Any]) -> int:
    return int(row["hosts"])


def chunk_of(row: Mapping[str, Any]) -> float:
    """KiB."""
    return float(size_of(row)) / hosts_of(row) / KIB


def step_us(row: Mapping[str, Any]) -> float:
    """By the median: the first sum waits for TCP as well."""
    return float(number(row["median_us"])) / (2 * (hosts_of(row) - 1))


def of_ring(e: Experiment) -> list[Claim]:
    posted = {hosts_of(row): of_one(row, "node.host.sends_posted") for row in e.rows}
    chunks = {(hosts_of(row), chunk_of(row)): step_us(row) for row in e.rows}
    few, many = sorted({hosts_of(row) for row in e.rows})
    common = sorted(
        {chunk for hosts, chunk in chunks if (few, chunk) in chunks and (many, chunk) in chunks}
    )
    steps = [(chunks[few, chunk], chunks[many, chunk]) for chunk in common]
    return [
        Claim(
            "all-reduce: each of N hosts sends 2 (N - 1) chunks, and says as often where one goes",
            "a ring's arithmetic",
            "exact",
            "; ".join(f"{4 * (hosts - 1)} work requests" for hosts in posted),
            "; ".join(f"{found:g}" for found in posted.values()),
            all(found == 4 * (hosts - 1) for hosts, found in posted.items()),
            e.name,
        ),
        Claim(
            "all-reduce: a step depends on its chunk, not on how many hosts there are",
            "a ring's arithmetic",
            "shape",
            f"among {many} hosts within {NEAR:.0%} of {few}",
            "; ".join(
                f"{chunk:g} KiB: {b:.2f} and {a:.2f} us"
                for chunk, (a, b) in zip(common, steps, strict=True)
            ),
            bool(steps) and all(abs(b / a - 1) <= NEAR for a, b in steps),
            e.name,
        ),
    ]


def ring(page: Page) -> tuple[Any, Any] | None:
    e = page.experiment("allreduce")
    if e is None:
        return None
    rows = {f"{hosts} hosts": e.select("none", hosts=hosts) for hosts in e.axis(1)}
    curves = styled(
        [
            (
                label,
                ([chunk_of(row) for row in of], [step_us(row) for row in of], [BLANK] * len(of)),
            )
            for label, of in rows.items()
        ]
    )
    panels = [(lines("us", curves, "chunk (KiB)", bottom=0), "time of a step over its chunk")]
    head = ["vector", "hosts", "mean us", "until all is added (us)", "us a step, median"]
    table = [
        [
            *row["values"],
            f"{number(row['mean_us']):,.1f}",
            f"{number(row['reduce_us']):,.1f}",
            f"{step_us(row):.2f}",
        ]
        for row in e.rows
    ]
    said = [
        "All hosts of a ring get the sum of the vectors of all: in each of 2 (N - 1) steps a chunk "
        "goes to the next host. Chunks are not divided, so a step waits for the one before it: "
        "its time is a message's, and that of the WRITE which says where the next one goes. The "
        "first sum waits for TCP as well; steps are of the median."
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Sums over a ring of hosts",
            panels,
            "4 operations; a switch that loses nothing; processor xeon_2018.",
            head,
            table,
        ),
        of_ring(e),
    )
