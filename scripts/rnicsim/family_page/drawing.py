# SPDX-License-Identifier: Apache-2.0
"""Curves over an axis of a scenario, and paragraphs."""

from rnicsim.family_page.experiment import value
from rnicsim.report_page import look, markup
from rnicsim.report_page.results import number


def told(texts):
    return markup.part("elements", "paragraphs", texts)


def curve(rows, column, scale=1.0, half=None, x=None):
    places = [value(row["values"][-1]) for row in rows] if x is None else x
    return places, [number(row[column]) * scale for row in rows], [number(row[half]) * scale if half else float("nan") for row in rows]


def lines(title, curves, xlabel, log=True, percent=False, bottom=None, names=None, legend_at="best"):
    """`curves`: (label, colour, marker, line style, (x, y, half)). `names`: of the places 0, 1, ..., for an axis that is no scale."""
    def draw(axes, legend):
        del legend
        for label, colour, marker, dashes, (x, y, half) in curves:
            look.with_errors(axes, x, y, half, colour, marker, dashes, label)
        places = sorted({place for *_, (x, _, _) in curves for place in x})
        if log and places[0] > 0 and names is None:
            axes.set_xscale("log", base=2)
            axes.minorticks_off()
        axes.set_xticks(places)
        axes.set_xticklabels([f"{place:g}" for place in places] if names is None else names)
        axes.set_xlabel(xlabel)
        axes.set_title(title)
        if percent:
            look.zero_line(axes)
        if bottom is not None:
            axes.set_ylim(bottom=bottom)
        look.style(axes)
        axes.legend(frameon=False, fontsize=8, loc=legend_at)
    return draw
