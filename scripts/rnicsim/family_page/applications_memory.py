# SPDX-License-Identifier: Apache-2.0
"""Where a program's data lie: a section of the page "Applications"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page import applications_claims as claims
from rnicsim.family_page.applications_claims import KIB, size_of
from rnicsim.family_page.applications_drawing import over_sizes
from rnicsim.family_page.drawing import told
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages


def memory(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("memory")
    if e is None:
        return None

    select = e.select

    def of(processor: str) -> dict[str, Any]:
        return {
            name: select("none", processor=processor, memory=name)
            for name in ("pool", "copy", "each")
        }

    processors = e.axis(0)
    panels = [
        (
            over_sizes(f"Round trip, {name} (us)", of(name), 1024 * KIB, 4 * KIB),
            f"echo by where data lie, {name}",
        )
        for name in processors
    ]
    head = [
        "message",
        *(f"{name}, {processor}" for processor in processors for name in of(processor)),
    ]
    columns = [
        {size_of(row): row for row in rows}
        for processor in processors
        for rows in of(processor).values()
    ]
    table = [
        [text, *(f"{number(column[size]['mean_us']):,.2f}" for column in columns)]
        for text, size in zip(e.axis(), columns[0])
    ]
    said = [
        "A message and its answer, one at a time. pool: the data lie in memory that the card "
        "knows; copy: they are copied there; each: their own memory is registered for each "
        "message and given up after it."
    ]
    return told(said) + page.figure(
        e, "Where data lie", panels, "us, both ways.", head, table
    ), claims.of_memory({name: of(name) for name in processors})
