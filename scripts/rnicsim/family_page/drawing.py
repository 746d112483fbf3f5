# SPDX-License-Identifier: Apache-2.0
"""Curves over an axis of a scenario, and paragraphs."""

from collections.abc import Callable, Sequence
from typing import Any

from rnicsim.family_page.experiment import value
from rnicsim.report_page import look, markup
from rnicsim.report_page.results import number


def told(texts: Sequence[str]) -> Any:
    return markup.part("elements", "paragraphs", texts)


def curve(rows: Sequence[dict[str, Any]], column: Any, scale: float = 1.0, half: str | None = None,
          x: Sequence[int] | None = None) -> Any:
    places = [value(row["values"][-1]) for row in rows] if x is None else x
    return places, [number(row[column]) * scale for row in rows
                    ], [number(row[half]) * scale if half else float("nan") for row in rows]


def lines(title: str, curves: Sequence[tuple[Any, ...]], xlabel: str, log: bool = True,
          percent: bool = False, bottom: int | None = None, names: Sequence[str] | None = None,
          legend_at: str = "best") -> Callable[..., Any]:
    """`curves`: (label, colour, marker, line style, (x, y, half)). `names`: of the places 0, 1,
    ..., for an axis that is no scale."""
    def draw(axes: Any, legend: bool) -> None:
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
