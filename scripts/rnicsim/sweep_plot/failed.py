# SPDX-License-Identifier: Apache-2.0
"""Times are of what has completed; a line says which share has not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.report_page.results import number
from rnicsim.sweep_plot.quantity import TIMES

if TYPE_CHECKING:
    from rnicsim.sweep_plot.quantity import Quantity


def share(row: Mapping[str, Any]) -> Any:
    """Of the transfers or frames of a row; NaN where the file does not say."""
    if row.get("failed_share"):
        return number(row["failed_share"])
    failed, completed = number(row.get("transfers_failed")), number(row["transfers_completed"])
    return failed / (failed + completed) if failed + completed > 0 else math.nan


def between(rows: Sequence[dict[str, Any]]) -> str:
    """"12 to 86 %", of the rows of one curve, or "" where nothing has failed."""
    shares = [100 * value for value in map(share, rows) if not math.isnan(value)]
    if not any(shares):
        return ""
    least, most = (f"{end:.3g}" for end in (min(shares), max(shares)))
    return f"{most} %" if least == most else f"{least} to {most} %"


def note(quantity: Quantity, curves: Sequence[tuple[str, list[dict[str, Any]]]]) -> str:
    """Of a panel with these (name, rows), a name is empty if it needs none; "" where nothing is to
    be said."""
    if quantity.column not in TIMES:
        return ""
    said = [
        " of ".join(filter(None, (between(rows), name))) for name, rows in curves if between(rows)
    ]
    return f"failed, not in these times: {', '.join(said)}" if said else ""
