# SPDX-License-Identifier: Apache-2.0
"""Times are of what has completed; a line says which share has not."""

import math

from rnicsim.report_page.results import number
from rnicsim.sweep_plot.quantity import TIMES


def share(row):
    """Of the transfers or frames of a row; NaN where the file does not say."""
    if row.get("failed_share"):
        return number(row["failed_share"])
    failed, completed = number(row.get("transfers_failed")), number(row["transfers_completed"])
    return failed / (failed + completed) if failed + completed > 0 else math.nan


def between(rows):
    """"12 to 86 %", of the rows of one curve, or "" where nothing has failed."""
    shares = [100 * value for value in map(share, rows) if not math.isnan(value)]
    if not any(shares):
        return ""
    least, most = (f"{end:.3g}" for end in (min(shares), max(shares)))
    return f"{most} %" if least == most else f"{least} to {most} %"


def note(quantity, curves):
    """Of a panel with these (name, rows), a name is empty if it needs none; "" where nothing is to be said."""
    if quantity.column not in TIMES:
        return ""
    said = [" of ".join(filter(None, (between(rows), name))) for name, rows in curves if between(rows)]
    return f"failed, not in these times: {', '.join(said)}" if said else ""
