# SPDX-License-Identifier: Apache-2.0
"""What sections of the page "Applications" share: curves and tables over sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import KIB, size_of
from rnicsim.family_page.drawing import lines
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment

Rows = Sequence[Mapping[str, Any]]
BLANK = float("nan")


def over_sizes(title: str, curves: Mapping[str, Rows], most: int, least: int = 0) -> Any:
    drawn = []
    for label, rows in curves.items():
        # Powers of two: their names have room.
        chosen = [
            row for row in rows if least <= size_of(row) <= most and size_of(row).bit_count() == 1
        ]
        drawn.append(
            (
                label,
                (
                    [size_of(row) / KIB for row in chosen],
                    [number(row["mean_us"]) for row in chosen],
                    [BLANK] * len(chosen),
                ),
            )
        )
    return lines(title, styled(drawn), "object (KiB)", bottom=0)


def times(e: Experiment, curves: Mapping[str, Rows]) -> tuple[list[str], list[list[str]]]:
    """A table: sizes down, curves across; us."""
    head = ["object", *(f"{label} (us)" for label in curves)]
    columns = [{size_of(row): row for row in rows} for rows in curves.values()]
    return head, [
        [
            text,
            *(
                f"{number(column[size]['mean_us']):,.1f}" if size in column else "–"
                for column in columns
            ),
        ]
        for text, size in zip(e.axis(0), dict.fromkeys(size_of(row) for row in e.rows))
    ]
