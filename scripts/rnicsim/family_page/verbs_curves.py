# SPDX-License-Identifier: Apache-2.0
"""Curves of the verbs page: one for each value of a scenario's first axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.drawing import curve
from rnicsim.report_page import look

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment


def styled(labels_and_curves: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [(label, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], look.LINE_STYLES[i], curve_)
            for i, (label, curve_) in enumerate(labels_and_curves)]


def rows_of(e: Any, first: str) -> Any:
    return [row for row in e.rows if row["values"][0] == first]


def by_place(e: Experiment, column: str) -> list[tuple[Any, ...]]:
    """A curve for each value of the first axis, over the places of the last one."""
    return styled([(first, curve(rows, column, x=list(range(len(rows))))) for first in e.axis(0)
                   for rows in [rows_of(e, first)]])
