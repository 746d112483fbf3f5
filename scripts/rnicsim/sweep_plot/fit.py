# SPDX-License-Identifier: Apache-2.0
"""What has to fit: labels of ticks beside one another, titles above their panel."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

ASLANT = 8  # points of a label that does not lie
WIDE_TEXT = 30  # letters of all labels that fit side by side
LETTER = 0.62  # width of a usual letter, of the size of its font
SHORTEST = 12  # letters of a line, however narrow the panel


class Labels(NamedTuple):
    """Of the ticks of one axis, from the first on; "" where there is no room for one."""
    texts: list[str]
    degrees: int


def wrapped(text: str, inches: Any, points: int) -> str:
    """In lines of this width, at this size of the font."""
    return textwrap.fill(text, max(SHORTEST, int(inches * 72 / (points * LETTER))))


def turn(label: Any, degrees: int) -> None:
    """So that its end points at the tick."""
    if degrees:
        label.set(rotation=degrees, ha="right", va="center" if degrees == 90 else "top",
                  rotation_mode="anchor", fontsize=ASLANT)


def room(first: tuple[Any, Any], second: tuple[Any, Any], degrees: int) -> Any:
    """Between the ticks of two labels of these (width, height)."""
    height = 1.1 * max(first[1], second[1])
    return height / math.sin(
        math.radians(degrees)) if degrees else (first[0] + second[0]) / 2 + 0.4 * height


def kept(places: Sequence[Any], sizes: Sequence[tuple[Any, Any]], degrees: int) -> list[int]:
    """Numbers of the labels that do not touch: the outermost two, and from the first on each that
    has room before the last."""
    order = sorted(range(len(places)), key=places.__getitem__)

    def apart(a: int, b: int) -> Any:
        return places[b] - places[a] >= room(sizes[a], sizes[b], degrees)
    chosen, last = order[:1], order[-1]
    for each in order[1:-1]:
        if apart(chosen[-1], each) and apart(each, last):
            chosen.append(each)
    if last != chosen[-1] and apart(chosen[-1], last):
        chosen.append(last)
    return sorted(chosen)


def along_x(places: Sequence[Any], sizes: Sequence[tuple[Any, Any]],
            degrees: int) -> tuple[list[int], int]:
    """(numbers kept, degrees): all as they stand, else turned so that most are kept."""
    smaller = [(ASLANT / 10 * width, ASLANT / 10 * height)
               for width, height in sizes] if degrees == 0 else sizes
    ways = [(kept(places, sizes if turned == degrees else smaller, turned), turned)
            for turned in sorted({degrees, 30, 90})]
    return max(ways, key=lambda way: (len(way[0]), -way[1]))


def labels_that_fit(axes: Any, which: str) -> Labels | None:
    """Of the axis "x" or "y" of a figure that has its layout; None where they fit as they are, or
    where matplotlib chooses ticks."""
    from matplotlib.ticker import FixedLocator
    axis = getattr(axes, f"{which}axis")
    labels = axis.get_ticklabels()
    if not isinstance(axis.get_major_locator(), FixedLocator) or len(labels) < 2:
        return None
    degrees, texts = int(labels[0].get_rotation()), [label.get_text() for label in labels]
    for label in labels:
        label.set_rotation(0)
    boxes = [label.get_window_extent() for label in labels]
    ticks = axis.get_ticklocs()
    if which == "x":
        places = [axes.get_xaxis_transform().transform((tick, 0))[0] for tick in ticks]
        chosen, degrees = along_x(places, [(box.width, box.height) for box in boxes], degrees)
    else:
        places = [axes.get_yaxis_transform().transform((0, tick))[1] for tick in ticks]
        chosen = kept(places, [(box.height, box.height / 4) for box in boxes], 0)
    return Labels([text if i in chosen else "" for i, text in enumerate(texts)], degrees)


def chosen_labels(trial: Any) -> list[list[Labels | None]]:
    """Of each panel of a figure, which is spoilt by it: what fits along x and y."""
    trial.draw_without_rendering()
    return [[labels_that_fit(axes, which) for which in "xy"] for axes in trial.axes]


def relabel(figure: Any, chosen: Sequence[list[Labels | None]]) -> None:
    """The same figure anew, with labels that fit."""
    for axes, both in zip(figure.axes, chosen):
        for axis, fitting in zip((axes.xaxis, axes.yaxis), both):
            if fitting and fitting.texts != [label.get_text() for label in axis.get_ticklabels()]:
                axis.set_ticklabels(fitting.texts)
            if fitting:
                for label in axis.get_ticklabels():
                    turn(label, fitting.degrees)
