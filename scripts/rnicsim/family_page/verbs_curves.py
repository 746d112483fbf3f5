# SPDX-License-Identifier: Apache-2.0
"""Curves of the verbs page: one for each value of a scenario's first axis."""

from rnicsim.family_page.drawing import curve
from rnicsim.report_page import look


def styled(labels_and_curves):
    return [(label, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], look.LINE_STYLES[i], curve_) for i, (label, curve_) in enumerate(labels_and_curves)]


def rows_of(e, first):
    return [row for row in e.rows if row["values"][0] == first]


def by_place(e, column):
    """A curve for each value of the first axis, over the places of the last one."""
    return styled([(first, curve(rows, column, x=list(range(len(rows))))) for first in e.axis(0) for rows in [rows_of(e, first)]])
