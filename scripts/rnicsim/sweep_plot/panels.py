# SPDX-License-Identifier: Apache-2.0
"""What is drawn in one panel: lines over an axis, a heat map over two, or bars. Each function takes
matplotlib axes and draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rnicsim.report_page.look import (LINE_STYLES, METHOD_STYLE, MUTED, PAPER, name_ticks,
                                      published, style, theory, with_errors, zero_line)
from rnicsim.report_page.results import number
from rnicsim.sweep_plot.fit import WIDE_TEXT, turn
from rnicsim.sweep_plot.hidden import rings
from rnicsim.sweep_plot.sweep import significant
from rnicsim.sweep_plot.units import scaled, written

if TYPE_CHECKING:
    from rnicsim.sweep_plot.quantity import Quantity
    from rnicsim.sweep_plot.sweep import Sweep

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
CELLS_WITH_NUMBERS = 10  # columns of a heat map whose cells have room for one


def named(method: str) -> str:
    return "simulated" if method == "none" else method


def shade(plt: ModuleType, place: int, count: int) -> Any:
    """On a scale of colours from dark to light, which stays apart in grey, too."""
    return plt.get_cmap("viridis")(0.05 + 0.8 * place / max(1, count - 1))


def tilt(axes: Any, texts: Sequence[str]) -> None:
    """Labels that would run into one another stand aslant."""
    if sum(len(text) + 2 for text in texts) > WIDE_TEXT:
        for label in axes.get_xticklabels():
            turn(label, 30)


def places(axes: Any, texts: Sequence[str]) -> tuple[dict[str, float], str]:
    """Where each value stands on x, and its unit: as numbers where they are, else side by side."""
    known = scaled(texts)
    if not known or len(set(known[0])) < len(texts):
        name_ticks(axes, list(range(len(texts))), texts)
        tilt(axes, texts)
        return {text: i for i, text in enumerate(texts)}, ""
    numbers, unit = known
    low, high = min(numbers), max(numbers)
    logarithmic = low > 0 and high / low >= 16
    if logarithmic:
        axes.set_xscale("log", base=2)
        axes.minorticks_off()
    gaps = [b - a for a, b in zip(sorted(numbers), sorted(numbers)[1:])]
    # so few: a tick at each value
    if len(numbers) <= 11 and (logarithmic or not gaps or min(gaps) >= (high - low) / 25):
        labels = [written(n) for n in numbers]
        axes.set_xticks(numbers)
        axes.set_xticklabels(labels)
        tilt(axes, labels)
    return dict(zip(texts, numbers)), unit


def sorted_along(rows: Sequence[dict[str, Any]], axis: Any,
                 place: Mapping[str, float]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: place[row["place"][axis]])


def curve(axes: Any, rows: Any, axis: Any, place: Mapping[str, float], quantity: Quantity,
          **options: Any) -> None:
    """Rows without a value are left out. Nothing at all is drawn, and nothing named, where none has
    one."""
    rows = [row for row in sorted_along(rows, axis, place) if not math.isnan(quantity.of(row))]
    if rows:
        with_errors(axes, [place[row["place"][axis]] for row in rows],
                    [quantity.of(row) for row in rows], [quantity.half_of(row) for row in rows],
                    **options)


def expected(axes: Any, rows: Sequence[dict[str, Any]], axis: Any, place: Mapping[str, float],
             quantity: Quantity) -> None:
    """The theory of these rows; named once a panel."""
    known = [row for row in sorted_along(rows, axis, place)
             if row.get("theory_us")] if quantity.column == "mean_us" else []
    labelled = "theory" in axes.get_legend_handles_labels()[1]
    theory(axes, [place[row["place"][axis]] for row in known],
           [number(row["theory_us"]) * quantity.factor for row in known],
           None if labelled else "theory")


def methods_over(axes: Any, sweep: Sweep, rows: Sequence[dict[str, Any]],
                 quantity: Quantity) -> str:
    """A line for each method."""
    axis = sweep.within()[0]
    place, unit = places(axes, sweep.values(axis))
    of_method = [sweep.select(rows, method=method) for method in sweep.methods]
    for method, mine, ring in zip(sweep.methods, of_method,
                                  rings(of_method, axis, quantity, dashed=False)):
        colour, marker = METHOD_STYLE[method]
        curve(axes, mine, axis, place, quantity, colour=colour, marker=marker, linestyle="-",
              label=named(method), ring=ring)
        expected(axes, mine, axis, place, quantity)
    return unit


def groups_over(axes: Any, sweep: Sweep, rows: Sequence[dict[str, Any]], quantity: Quantity,
                plt: ModuleType) -> str:
    """A line for each value of the second axis, on a scale of colours."""
    axis, second = sweep.within()
    place, unit = places(axes, sweep.values(axis))
    values = sweep.values(second)
    of_value = [[row for row in rows if row["place"][second] == value] for value in values]
    for i, (value, mine,
            ring) in enumerate(zip(values, of_value, rings(of_value, axis, quantity, dashed=True))):
        curve(axes, mine, axis, place, quantity, colour=shade(plt, i, len(values)),
              marker=MARKERS[i % len(MARKERS)], linestyle=LINE_STYLES[i % len(LINE_STYLES)],
              label=value, ring=ring)
        expected(axes, mine, axis, place, quantity)
    return unit


def gains_over(axes: Any, sweep: Sweep, rows: Sequence[dict[str, Any]], quantity: Quantity) -> str:
    """One line of gains, and published ones where the scenario names them."""
    axis = sweep.within()[0]
    place, unit = places(axes, sweep.values(axis))
    colour, marker = METHOD_STYLE[rows[0]["compared"][1]]
    curve(axes, rows, axis, place, quantity, colour=colour, marker=marker, linestyle="-",
          label=rows[0]["compared"][1])
    known = [row for row in rows if int(row["point"]) in sweep.references]
    if known:
        published(axes, [place[row["place"][axis]] for row in known],
                  [sweep.references[int(row["point"])] * 100 for row in known])
    return unit


def grid(sweep: Sweep, rows: Sequence[dict[str, Any]],
         quantity: Quantity) -> tuple[dict[tuple[str, str], dict[str, Any]], list[str], list[str]]:
    """Rows of a heat map by (x, y); (texts of x, texts of y)."""
    axis, second = sweep.within()
    return {(row["place"][axis], row["place"][second]): row
            for row in rows
            if not math.isnan(quantity.of(row))}, sweep.values(axis), sweep.values(second)


def scale(plt: ModuleType, quantity: Quantity, rows: Sequence[dict[str, Any]]) -> tuple[Any, Any]:
    """(norm, colour map) of all panels that show this quantity: gains around 0 in the colours of
    the method that is better."""
    from matplotlib import colors
    values = [value for value in map(quantity.of, rows) if not math.isnan(value)] or [0.0]
    if quantity.is_gain:
        furthest = max(1e-9, *(abs(value) for value in values))
        return colors.Normalize(-furthest, furthest), colors.LinearSegmentedColormap.from_list(
            "gain", [METHOD_STYLE["traditional"][0], "#f4f4f4", METHOD_STYLE["dynamic"][0]])
    low, high = min(values), max(values)
    if low > 0 and high / low >= 32:
        return colors.LogNorm(low, high), plt.get_cmap("viridis")
    return colors.Normalize(low, high if high > low else low + 1), plt.get_cmap("viridis")


def heat_map(axes: Any, sweep: Sweep, rows: Sequence[dict[str, Any]], quantity: Quantity,
             scaled: tuple[Any, Any]) -> Any:
    """A cell for each pair of values; a dash where nothing has completed, a dot where a gain is
    significant. Returns what a colour bar is of."""
    cells, across, up = grid(sweep, rows, quantity)
    norm, colours = scaled
    numbers = [[quantity.of(cells[x, y]) if (x, y) in cells else math.nan for x in across]
               for y in up]
    drawn = axes.pcolormesh(range(len(across) + 1), range(len(up) + 1), numbers, norm=norm,
                            cmap=colours, edgecolors=PAPER, linewidth=0.8)
    for j, y in enumerate(up):
        for i, x in enumerate(across):
            row = cells.get((x, y))
            if row is None:
                axes.text(i + 0.5, j + 0.5, "–", ha="center", va="center", color=MUTED, fontsize=8)
                continue
            red, green, blue, _ = colours(norm(quantity.of(row)))
            # on the cell, whatever the page's colours
            ink = "#101010" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "#ffffff"
            if len(across) <= CELLS_WITH_NUMBERS:
                axes.text(i + 0.5, j + 0.45, f"{quantity.of(row):.3g}", ha="center", va="center",
                          color=ink, fontsize=7)
            if quantity.is_gain and significant(row, rows):
                axes.plot(i + 0.86, j + 0.82, marker="o", markersize=3, color=ink, linestyle="none")
    axes.set_xticks([i + 0.5 for i in range(len(across))])
    axes.set_xticklabels(across)
    tilt(axes, across)
    axes.set_yticks([j + 0.5 for j in range(len(up))])
    axes.set_yticklabels(up)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return drawn


def bars(axes: Any, sweep: Sweep, rows: Sequence[dict[str, Any]], quantity: Quantity) -> None:
    """One point: a bar for each method, or the gain as a mark."""
    if quantity.is_gain:
        chosen = [row for row in rows if row["gain"]]
        for i, row in enumerate(chosen):
            with_errors(axes, [i], [quantity.of(row)], [quantity.half_of(row)],
                        METHOD_STYLE["dynamic"][0], "s", "none", None, capsize=6)
            if int(row["point"]) in sweep.references:
                published(axes, [i], [sweep.references[int(row["point"])] * 100])
        name_ticks(axes, list(range(len(chosen))), [sweep.name] * len(chosen))
        return
    shown = [row for row in rows if not math.isnan(quantity.of(row))]
    for i, row in enumerate(shown):
        half = quantity.half_of(row)
        axes.bar(i, quantity.of(row), width=0.55, color=METHOD_STYLE[row["method"]][0],
                 yerr=None if math.isnan(half) else half, capsize=6)
    if shown:
        name_ticks(axes, list(range(len(shown))), [named(row["method"]) for row in shown])


def highest(rows: Sequence[dict[str, Any]], quantity: Quantity) -> float:
    """The end of the longest bar of these rows, 1 where there is none above 0."""
    ends = [
        quantity.of(row) + (0 if math.isnan(quantity.half_of(row)) else quantity.half_of(row))
        for row in rows
    ]
    return max([end for end in ends if not math.isnan(end)], default=0) or 1


def finish(axes: Any, quantity: Quantity) -> None:
    """Of lines and bars: where y begins, and the grid."""
    if quantity.is_gain:
        zero_line(axes)
    else:
        axes.set_ylim(bottom=0)
    axes.set_ylabel(quantity.words)
    style(axes)


BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0}
ABOVE = {
    "loc": "lower left",
    "bbox_to_anchor": (0.0, 1.02),
    "borderaxespad": 0,
    "ncol": 3,
    "columnspacing": 1.2
}


def legend(axes: Any, panels: Any, title: str | None, where: dict[str, Any]) -> None:
    """BESIDE the last panel of a row or ABOVE it, of what is drawn in any of them: it covers
    nothing and names nothing else."""
    named_once = {
        label: handle
        for panel in panels for handle, label in zip(*panel.get_legend_handles_labels())
    }
    if "theory" in named_once:  # behind what is measured
        named_once["theory"] = named_once.pop("theory")
    if named_once:
        axes.legend(named_once.values(), named_once.keys(), frameon=False, fontsize=9,
                    handlelength=2.6, title=title, title_fontsize=9, **where)
