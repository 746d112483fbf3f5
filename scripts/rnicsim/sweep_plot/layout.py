"""Which panels a picture has: one axis lines, two axes lines on a scale of colours or heat maps, more axes a row of panels each."""

import math
import textwrap
from typing import NamedTuple

from rnicsim.sweep_plot import panels
from rnicsim.sweep_plot.quantity import GAIN, Quantity, quantity
from rnicsim.sweep_plot.sweep import short

PANEL = (4.3, 3.5)  # inches
BESIDE = 1.6  # inches for the legend, or for a colour bar
LINES_AT_MOST = 6  # values of the second axis that lines can show; more are a heat map
ROWS_AT_MOST = 24
LABEL = 40  # characters beside a panel


class Wanted(NamedTuple):
    """Options of scripts/plot. `form`: lines, heat, or "" for what suits; `size`: inches, or None; `title`: or None."""
    column: str = "mean_us"
    form: str = ""
    title: str | None = None
    size: tuple[float, float] | None = None


class Column(NamedTuple):
    """What the panels of one column show. Without a method all of them."""
    of: Quantity
    method: str | None


def axis_words(axis, unit=""):
    """Of a path so much as fits; a long name in several lines."""
    words = axis
    while len(words) > LABEL and "." in words:
        words = words.split(".", 1)[1]
    return textwrap.fill(f"{words} ({unit})" if unit else words, LABEL)


def columns(sweep, of):
    """A gain stands in the row of one method, and is judged by both."""
    gains = [Column(GAIN, None)] if of.column == "mean_us" and any(row["gain"] for row in sweep.rows) else []
    return [*([Column(of, None)] if len(sweep.within()) < 2 else [Column(of, method) for method in sweep.methods]), *gains]


def is_heat(sweep, form):
    within = sweep.within()
    return len(within) == 2 and (form == "heat" or form == "" and len(sweep.values(within[1])) > LINES_AT_MOST)


def legend_title(sweep):
    within = sweep.within()
    return short(within[1]) if len(within) == 2 else None


def draw_panel(plt, sweep, rows, axes, column, heat):
    """One panel, without its legend."""
    of, within = column.of, sweep.within()
    mine = rows if column.method is None else sweep.select(rows, method=column.method)
    if heat:
        drawn = panels.heat_map(axes, sweep, mine, of, panels.scale(plt, of, sweep.rows))
        axes.figure.colorbar(drawn, ax=axes, label=of.words + (",\ndot: beyond its interval" if of is GAIN else ""))
        axes.set_ylabel(axis_words(within[1]))
        axes.set_xlabel(axis_words(within[0]))
        return
    if not within:
        panels.bars(axes, sweep, mine, of)
    else:
        unit = (panels.groups_over(axes, sweep, mine, of, plt) if len(within) == 2 else panels.gains_over(axes, sweep, mine, of) if of is GAIN else
                panels.methods_over(axes, sweep, mine, of))
        axes.set_xlabel(axis_words(within[0], unit))
    panels.finish(axes, of)


def same_scale(rows_of_axes, what):
    """Methods beside one another compare, and so do gains below one another."""
    groups = [[axes for axes, column in zip(row, what) if column.of is not GAIN] for row in rows_of_axes]
    groups.append([axes for row in rows_of_axes for axes, column in zip(row, what) if column.of is GAIN])
    for group in filter(None, groups):
        low, high = min(axes.get_ylim()[0] for axes in group), max(axes.get_ylim()[1] for axes in group)
        for axes in group:
            axes.set_ylim(low, high)


def title_of(sweep, left_out):
    n = sweep.repetitions
    said = f"{sweep.name}   ({n} repetition{'s'[:n != 1]}, {'error bars: 95 % confidence' if n > 1 else 'no intervals'})"
    return said + (f"\nthe first {ROWS_AT_MOST} of {ROWS_AT_MOST + left_out} rows; --where chooses" if left_out else "")


def draw(plt, sweep, wanted):
    """The whole picture."""
    what, heat = columns(sweep, quantity(wanted.column, sweep)), is_heat(sweep, wanted.form)
    facets = sweep.facets()
    left_out = max(0, len(facets) - ROWS_AT_MOST)
    facets = facets[:ROWS_AT_MOST]
    width, height = PANEL
    beside = len(what) if heat else 1 if sweep.within() else 0
    figure, grid = plt.subplots(len(facets), len(what), figsize=wanted.size or (width * len(what) + BESIDE * beside, height * len(facets) + 0.7),
                                squeeze=False, layout="constrained")
    for (words, rows), row_axes in zip(facets, grid):
        for axes, column in zip(row_axes, what):
            draw_panel(plt, sweep, rows, axes, column, heat)
            axes.set_title("   ".join(filter(None, (words, panels.named(column.method) if column.method else ""))), loc="left", fontsize=9)
        if not heat and sweep.within():
            panels.legend(row_axes[-1], row_axes, legend_title(sweep), panels.BESIDE)
    if not heat:
        same_scale(grid, what)
    figure.suptitle(title_of(sweep, left_out) if wanted.title is None else wanted.title, fontsize=11)
    return figure


class Single(NamedTuple):
    """A panel by itself, for a page. `draw(axes, legend)` as render.Panel wants it; `of`: what it shows, over what; `which`: of which facet
    and method, or ""."""
    draw: object
    of: str
    which: str


def singles(plt, sweep, column_name="mean_us"):
    """Every panel of the picture by itself, on the scale of its row; at most ROWS_AT_MOST rows."""
    what, heat = columns(sweep, quantity(column_name, sweep)), is_heat(sweep, "")
    made = []
    over = f" over {' and '.join(sweep.within())}" if sweep.within() else ""
    for words, rows in sweep.facets()[:ROWS_AT_MOST]:
        for column in what:
            drawable = [row for row in (rows if column.method is None else sweep.select(rows, method=column.method)) if not math.isnan(column.of.of(row))]
            if not drawable:
                continue
            title = ", ".join(filter(None, (words, panels.named(column.method) if column.method else "")))

            def draw_one(axes, legend, rows=rows, column=column, title=title):
                del legend
                draw_panel(plt, sweep, rows, axes, column, heat)
                if not heat and column.of is not GAIN:
                    axes.set_ylim(top=1.05 * panels.highest(rows, column.of))
                if heat or not sweep.within():
                    axes.set_title(title, loc="left", fontsize=9)
                else:
                    by = f"by {legend_title(sweep)}" if legend_title(sweep) else ""
                    panels.legend(axes, [axes], ", ".join(filter(None, (title, by))) or None, panels.ABOVE)
            made.append(Single(draw_one, column.of.words + over, title))
    return made
