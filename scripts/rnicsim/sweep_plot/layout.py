# SPDX-License-Identifier: Apache-2.0
"""Which panels a picture has: one axis lines, two axes lines on a scale of colours or heat maps,
more axes a row of panels each."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple, TYPE_CHECKING

from rnicsim.sweep_plot import failed, fit, panels
from rnicsim.sweep_plot.quantity import Quantity, gain, quantity
from rnicsim.sweep_plot.sweep import short

if TYPE_CHECKING:
    from rnicsim.sweep_plot.sweep import Sweep

PANEL = (4.3, 3.5)  # inches
BESIDE = 1.6  # inches for the legend, or for a colour bar
LINES_AT_MOST = 6  # values of the second axis that lines can show; more are a heat map
ROWS_AT_MOST = 24
LABEL = 40  # characters beside a panel


class Wanted(NamedTuple):
    """Options of scripts/plot. `form`: lines, heat, or "" for what suits; `size`: inches, or None;
    `title`: or None."""
    column: str = "mean_us"
    form: str = ""
    title: str | None = None
    size: tuple[float, float] | None = None


class Column(NamedTuple):
    """What the panels of one column show. Without a method all of them."""
    of: Quantity
    method: str | None


def axis_words(axis: str, unit: str = "") -> str:
    """Of a path so much as fits; a long name in several lines."""
    words = axis
    while len(words) > LABEL and "." in words:
        words = words.split(".", 1)[1]
    return textwrap.fill(f"{words} ({unit})" if unit else words, LABEL)


def columns(sweep: Sweep, of: Quantity) -> list[Column]:
    """A gain stands in the row of one method, and is judged by both."""
    gains = [Column(gain(sweep), None)
             ] if of.column == "mean_us" and any(row["gain"] for row in sweep.rows) else []
    return [
        *([Column(of, None)]
          if len(sweep.within()) < 2 else [Column(of, method) for method in sweep.methods]), *gains
    ]


def is_heat(sweep: Sweep, form: str) -> bool:
    within = sweep.within()
    return len(within) == 2 and (form == "heat"
                                 or form == "" and len(sweep.values(within[1])) > LINES_AT_MOST)


def legend_title(sweep: Sweep) -> str | None:
    within = sweep.within()
    return short(within[1]) if len(within) == 2 else None


def draw_panel(plt: ModuleType, sweep: Sweep, rows: Sequence[dict[str, Any]], axes: Any,
               column: Column, heat: bool) -> None:
    """One panel, without its legend."""
    of, within = column.of, sweep.within()
    mine = rows if column.method is None else sweep.select(rows, method=column.method)
    if heat:
        drawn = panels.heat_map(axes, sweep, mine, of, panels.scale(plt, of, sweep.rows))
        axes.figure.colorbar(drawn, ax=axes,
                             label=of.words + (",\ndot: beyond its interval" if of.is_gain else ""))
        axes.set_ylabel(axis_words(within[1]))
        axes.set_xlabel(axis_words(within[0]))
        return
    if not within:
        panels.bars(axes, sweep, mine, of)
    else:
        unit = (panels.groups_over(axes, sweep, mine, of, plt)
                if len(within) == 2 else panels.gains_over(axes, sweep, mine, of)
                if of.is_gain else panels.methods_over(axes, sweep, mine, of))
        axes.set_xlabel(axis_words(within[0], unit))
    panels.finish(axes, of)


def title_of_panel(sweep: Sweep, rows: Sequence[dict[str, Any]], words: str, column: Column,
                   heat: bool) -> tuple[str, str]:
    """Its facet and method; below that what its times leave out."""
    named = panels.named(column.method) if column.method else ""
    return "   ".join(filter(None, (words, named))), failed.note(column.of,
                                                                 curves(sweep, rows, column, heat))


def curves(sweep: Any, rows: Any, column: Any,
           heat: bool) -> list[tuple[str, list[dict[str, Any]]]]:
    """(name, rows) of what one panel compares."""
    within = sweep.within()
    if heat or len(within) < 2 and len(sweep.methods) == 1:
        return [("", rows if column.method is None else sweep.select(rows, method=column.method))]
    if len(within) < 2:
        return [(panels.named(method), sweep.select(rows, method=method))
                for method in sweep.methods]
    mine = rows if column.method is None else sweep.select(rows, method=column.method)
    return [(f"{short(within[1])} {value}",
             [row for row in mine if row["place"][within[1]] == value])
            for value in sweep.values(within[1])]


def same_scale(rows_of_axes: Any, what: Sequence[Column]) -> None:
    """Methods beside one another compare, and so do gains below one another."""
    groups = [[axes for axes, column in zip(row, what) if not column.of.is_gain]
              for row in rows_of_axes]
    groups.append(
        [axes for row in rows_of_axes for axes, column in zip(row, what) if column.of.is_gain])
    for group in filter(None, groups):
        low, high = min(axes.get_ylim()[0] for axes in group), max(axes.get_ylim()[1]
                                                                   for axes in group)
        for axes in group:
            axes.set_ylim(low, high)


def has_intervals(sweep: Sweep, what: Sequence[Column], heat: bool) -> bool:
    """Are any drawn as error bars?"""
    return not heat and any(not math.isnan(of.half_of(row)) and not math.isnan(of.of(row))
                            for of, _ in what for row in sweep.rows)


def has_error_bars(sweep: Sweep, column_name: str) -> bool:
    """Of the picture that is drawn unless something else is wanted."""
    return has_intervals(sweep, columns(sweep, quantity(column_name, sweep)), is_heat(sweep, ""))


def title_of(sweep: Sweep, what: Sequence[Column], heat: bool, left_out: int) -> tuple[str, str]:
    n = sweep.repetitions
    bars = "error bars: 95 % confidence" if has_intervals(
        sweep, what, heat) else "no intervals" if n == 1 else ""
    said = f"{sweep.name}   ({', '.join(filter(None, (f'{n} repetition' + 's'[:n != 1], bars)))})"
    return said, (f"\nthe first {ROWS_AT_MOST} of {ROWS_AT_MOST + left_out} rows; --where chooses"
                  if left_out else "")


def draw(plt: ModuleType, sweep: Sweep, wanted: Wanted) -> Any:
    """The whole picture. A first one shows which labels fit; matplotlib lays a figure out anew, and
    otherwise, each time it draws it."""
    trial = compose(plt, sweep, wanted)
    chosen = fit.chosen_labels(trial)
    plt.close(trial)
    figure = compose(plt, sweep, wanted)
    fit.relabel(figure, chosen)
    return figure


def compose(plt: ModuleType, sweep: Sweep, wanted: Wanted) -> Any:
    what, heat = columns(sweep, quantity(wanted.column, sweep)), is_heat(sweep, wanted.form)
    facets = sweep.facets()
    left_out = max(0, len(facets) - ROWS_AT_MOST)
    facets = facets[:ROWS_AT_MOST]
    width, height = PANEL
    beside = len(what) if heat else 1 if sweep.within() else 0
    figure, grid = plt.subplots(
        len(facets), len(what), figsize=wanted.size
        or (width * len(what) + BESIDE * beside, height * len(facets) + 0.7), squeeze=False,
        layout="constrained")
    across = figure.get_figwidth()
    room = (across if heat else across - BESIDE * beside) / len(what)  # for the title of a panel
    for (words, rows), row_axes in zip(facets, grid):
        for axes, column in zip(row_axes, what):
            draw_panel(plt, sweep, rows, axes, column, heat)
            lines = title_of_panel(sweep, rows, words, column, heat)
            axes.set_title("\n".join(fit.wrapped(line, room, 9) for line in lines if line),
                           loc="left", fontsize=9)
        if not heat and sweep.within():
            panels.legend(row_axes[-1], row_axes, legend_title(sweep), panels.BESIDE)
    if not heat:
        same_scale(grid, what)
    lines = title_of(sweep, what, heat, left_out)
    figure.suptitle(
        "\n".join(fit.wrapped(line, across, 11) for line in lines
                  if line) if wanted.title is None else wanted.title, fontsize=11)
    return figure


class Single(NamedTuple):
    """A panel by itself, for a page. `draw(axes, legend)` as render.Panel wants it; `of`: what it
    shows, over what; `which`: of which facet and method, or ""."""
    draw: object
    of: str
    which: str


class SinglePanel:

    def __init__(self, plt: ModuleType, sweep: Sweep, words: str, rows: Sequence[dict[str, Any]],
                 column: Column, heat: bool) -> None:
        self.plt, self.sweep, self.rows, self.column, self.heat = plt, sweep, rows, column, heat
        self.title = ", ".join(
            filter(None, (words, panels.named(column.method) if column.method else "")))
        _, self.failed = title_of_panel(sweep, rows, words, column, heat)

    def draw_fitting(self, axes: Any, legend: bool) -> None:
        """With the labels of which a first one shows that they fit."""
        del legend
        trial, alone = self.plt.subplots(figsize=axes.figure.get_size_inches(),
                                         layout="constrained")
        self.draw(alone)
        chosen = fit.chosen_labels(trial)
        self.plt.close(trial)
        self.draw(axes)
        fit.relabel(axes.figure, chosen)

    def draw(self, axes: Any) -> None:
        draw_panel(self.plt, self.sweep, self.rows, axes, self.column, self.heat)
        if not self.heat and not self.column.of.is_gain:
            axes.set_ylim(top=1.05 * panels.highest(self.rows, self.column.of))
        without_legend = self.heat or not self.sweep.within()
        by = "" if without_legend or not legend_title(
            self.sweep) else f"by {legend_title(self.sweep)}"
        room = axes.figure.get_figwidth() - 1  # the axes begin behind the labels of y
        lines = "\n".join(
            fit.wrapped(line, room, 9)
            for line in (", ".join(filter(None, (self.title, by))), self.failed) if line)
        if without_legend:
            axes.set_title(lines, loc="left", fontsize=9)
        else:
            panels.legend(axes, [axes], lines or None, panels.ABOVE)


def singles(plt: ModuleType, sweep: Sweep, column_name: str = "mean_us") -> Any:
    """Every panel of the picture by itself, on the scale of its row; at most ROWS_AT_MOST rows."""
    what, heat = columns(sweep, quantity(column_name, sweep)), is_heat(sweep, "")
    made = []
    over = f" over {' and '.join(sweep.within())}" if sweep.within() else ""
    for words, rows in sweep.facets()[:ROWS_AT_MOST]:
        for column in what:
            drawable = [
                row for row in (
                    rows if column.method is None else sweep.select(rows, method=column.method))
                if not math.isnan(column.of.of(row))
            ]
            if not drawable:
                continue
            single = SinglePanel(plt, sweep, words, rows, column, heat)
            made.append(Single(single.draw_fitting, column.of.words + over, single.title))
    return made
