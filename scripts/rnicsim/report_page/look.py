# SPDX-License-Identifier: Apache-2.0
"""Colours and drawing habits of every picture. Colours are Okabe and Ito's and Tol's: safe for
colour-blind eyes."""

import math
from collections.abc import Sequence
from typing import Any

INK, MUTED, GRID, PAPER = "#1b1f23", "#5f6870", "#dfe3e6", "#fefefe"
GROUP_COLOURS = ["#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK, "#F0E442", "#8C8C8C"]
GROUP_MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
METHODS = (("#0072B2", "o"), ("#D55E00", "s"))


class Styles(dict[Any, Any]):
    """(colour, marker) by the name of a method or variant. One that has none yet gets the next: two
    variants look as the two methods do."""

    def __init__(self) -> None:
        # none: frames of plain hosts, messages
        super().__init__(traditional=METHODS[0], dynamic=METHODS[1], none=("#009E73", "o"))
        self.known = len(self)

    def __missing__(self, name: str) -> Any:
        styles = [*METHODS, *zip(GROUP_COLOURS, GROUP_MARKERS)]
        self[name] = styles[(len(self) - self.known) % len(styles)]
        return self[name]


METHOD_STYLE = Styles()
LINE_STYLES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2))]
PART_COLOURS = {
    "setup": "#88CCEE",
    "waiting": "#EE9A00",
    "stalled": "#CC6699",
    "wire": "#B8BEC4",
    "retransmission": "#882255",
    "drain": "#117733",
    "release": "#44505C",
    # no sample has both
    "post": "#88CCEE",
    "fetch": "#EE9A00",
    "queue": "#CC6699",
    "rnr": "#117733",
    "completion": "#44505C"
}
# The same in the dark: light enough to be seen, names as in the style sheet.
DARK = {
    INK: "#e4e7ea",
    MUTED: "#a2abb3",
    GRID: "#343b42",
    PAPER: "#14181c",
    "#0072B2": "#5ab0ea",
    "#D55E00": "#f58b45",
    "#009E73": "#3cc79c",
    "#CC79A7": "#e29cc4",
    "#56B4E9": "#7cc8f4",
    "#E69F00": "#f0b23c",
    "#F0E442": "#f0e442",
    "#88CCEE": "#88ccee",
    "#EE9A00": "#ee9a00",
    "#CC6699": "#d977a8",
    "#B8BEC4": "#7d868e",
    "#882255": "#b8477f",
    "#117733": "#2fa558",
    "#44505C": "#c3cad0"
}
SETTINGS = {
    "svg.hashsalt": "rnicsim",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.titlesize": 10
}


def pyplot() -> Any:
    """matplotlib's, for files: no screen is needed."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as drawing
    matplotlib.rcParams.update(SETTINGS)
    return drawing


def style(axes: Any, grid: str = "y") -> None:
    axes.grid(True, axis=grid, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def with_errors(axes: Any, x: Sequence[float], y: Sequence[float], half: Sequence[float],
                colour: Any, marker: str, linestyle: Any, label: str | None, capsize: int = 4,
                ring: int = 0) -> None:
    """Markers with a light rim on top of their intervals; none where the half width is NaN. `ring`:
    open, and so many steps larger, for what lies beneath others."""
    capsize += 2 * ring
    bars = [(xi, yi, hi) for xi, yi, hi in zip(x, y, half) if not math.isnan(hi)]
    if bars:
        axes.errorbar([bar[0] for bar in bars], [bar[1] for bar in bars],
                      yerr=[bar[2] for bar in bars], fmt="none", ecolor=colour, elinewidth=1.4,
                      capsize=capsize, capthick=1.4, zorder=2)
    face = {
        "markerfacecolor": "none",
        "markeredgecolor": colour,
        "markeredgewidth": 1.4
    } if ring else {
        "markeredgecolor": PAPER,
        "markeredgewidth": 0.8
    }
    axes.plot(x, y, color=colour, marker=marker, linestyle=linestyle, linewidth=1.7,
              markersize=6.5 + 4.5 * ring, label=label, zorder=3, **face)


def theory(axes: Any, x: Sequence[float], y: Sequence[float], label: str | None) -> None:
    """A thin line where theory gives a value, on top: where it agrees it runs along the simulated
    line."""
    known = [(xi, yi) for xi, yi in zip(x, y) if not math.isnan(yi)]
    if known:
        alone = (
            {"marker": "_", "markersize": 14} if len(known) == 1 else {}
        )  # a line of one point would be in the legend only
        axes.plot(
            [xi for xi, _ in known],
            [yi for _, yi in known],
            color=INK,
            linestyle=(0, (4, 2)),
            linewidth=0.9,
            label=label,
            zorder=3.5,
            **alone
        )


def steps(axes: Any, points: Sequence[tuple[float, float]], colour: str, linestyle: Any,
          label: str) -> None:
    """Each value holds until the next."""
    axes.plot([x for x, _ in points], [y for _, y in points], color=colour, linestyle=linestyle,
              linewidth=1.7, label=label, drawstyle="steps-post", zorder=3)


def published(axes: Any, x: Sequence[float], y: Sequence[float], label: str = "published") -> None:
    axes.plot(x, y, linestyle="none", marker="D", markersize=8, markerfacecolor="none",
              markeredgecolor=INK, markeredgewidth=1.4, label=label, zorder=4)


def zero_line(axes: Any) -> None:
    axes.axhline(0, color=MUTED, linewidth=0.9, zorder=1)


def name_ticks(axes: Any, places: Sequence[Any], names: Any) -> None:
    """Ticks at these places only, far enough from the frame for a bar."""
    axes.set_xticks(places)
    axes.set_xticklabels(names)
    axes.set_xlim(min(places) - 0.6, max(places) + 0.6)
