# SPDX-License-Identifier: Apache-2.0
"""What is drawn in one panel. Every function here takes matplotlib axes and a result, and draws;
nothing is saved."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import experiments, look
from rnicsim.report_page.results import ALL_PARTS

if TYPE_CHECKING:
    from rnicsim.report_page.ablations import Study
    from rnicsim.report_page.results import Result

METHODS = ("traditional", "dynamic")
DASHED = (0, (4, 1.5))  # the second of two lines, so that both are seen where they run together
FILL_COLOURS = (look.METHOD_STYLE["dynamic"][0], *look.GROUP_COLOURS)


def _x(result: Result) -> tuple[list[experiments.Entry], list[float], bool]:
    """(entries, places on x, whether places are numbers): few sizes and words stand side by side,
    equally far apart."""
    chosen = experiments.entries(result)
    percentages = all(entry.label.strip().endswith("%") for entry in chosen)
    places = [entry.number if percentages else i for i, entry in enumerate(chosen)]
    return chosen, places, percentages


def _label_x(axes: Any, result: Result, chosen: Sequence[experiments.Entry],
             places: Sequence[float], percentages: bool) -> None:
    name = result.axes[0].split(".")[-1] if result.axes else ""
    if percentages:
        ticks = [p for p in places if len(places) <= 11 or p % 5 == 0]
        axes.set_xticks(ticks)
        axes.set_xticklabels([f"{p:g}" for p in ticks])
        name += " (%)"
    else:
        look.name_ticks(axes, places, [entry.label for entry in chosen])
    axes.set_xlabel(name)


def times(axes: Any, result: Result, beside: Any = None) -> None:
    """Mean time of both methods; `beside`: a second result of the same axis, drawn dotted."""
    chosen, places, percentages = _x(result)
    first_theory = True
    for method in result.methods:
        colour, marker = look.METHOD_STYLE[method]
        if beside is not None:
            found = [(x, experiments.find(beside, e.label)) for x, e in zip(places, chosen)]
            pairs = [(x, beside.time(e.point, method)) for x, e in found
                     if e is not None and method in beside.methods]
            look.with_errors(axes, [x for x, _ in pairs], [e.mean / 1000 for _, e in pairs],
                             [e.half / 1000 for _, e in pairs], colour, marker, ":",
                             f"{method}, no board")
        means = [result.time(e.point, method) for e in chosen]
        look.with_errors(axes, places, [m.mean / 1000 for m in means],
                         [m.half / 1000 for m in means], colour, marker, "-",
                         f"{method}, board" if beside is not None else method)
        expected = [result.value(e.point, method, "theory_us") / 1000 for e in chosen]
        look.theory(axes, places, expected, "theory" if first_theory else None)
        first_theory = first_theory and all(map(math.isnan, expected))
    axes.set_ylim(bottom=0)
    axes.set_ylabel("mean transfer time (ms)")
    _label_x(axes, result, chosen, places, percentages)
    look.style(axes)
    axes.legend(frameon=False, fontsize=9, handlelength=2.6)


def gains(axes: Any, result: Result) -> None:
    """Gain with its paired interval; the paper's points, and the band in which they should lie."""
    chosen, places, percentages = _x(result)
    known: list[Any] = [(x, e, result.gain(e.point)) for x, e in zip(places, chosen)
                        if result.gain(e.point) is not None]
    reference = [(x, e) for x, e, _ in known if e.point in result.references]
    for i, (x, entry) in enumerate(reference):
        low, high = experiments.band(result, entry.point)
        if not math.isnan(low):
            axes.plot([x, x], [low * 100, high * 100], color=look.GRID, linewidth=11,
                      solid_capstyle="butt", zorder=1,
                      label="95 % band of one experiment" if i == 0 else None)
    look.with_errors(axes, [x for x, _, _ in known], [g.mean * 100 for _, _, g in known],
                     [g.half * 100 for _, _, g in known], look.METHOD_STYLE["dynamic"][0], "s", "-",
                     "simulated")
    if reference:
        look.published(axes, [x for x, _ in reference],
                       [result.references[e.point] * 100 for _, e in reference], "paper")
    look.zero_line(axes)
    axes.set_ylabel("gain of dynamic (%)")
    _label_x(axes, result, chosen, places, percentages)
    look.style(axes)
    axes.legend(frameon=False, fontsize=9, handlelength=2.6)


def parts(axes: Any, result: Result, legend: bool = True) -> None:
    """Stacked bars lying down, for each point traditional above dynamic; the longest time sets the
    scale."""
    chosen = [
        e for e in experiments.entries(result) if any(
            result.parts(e.point, m) for m in result.methods)
    ]
    longest = max(
        sum((result.parts(e.point, m) or {}).values()) for e in chosen for m in result.methods)
    unit, scale = ("ms", 1e-3) if longest >= 1000 else ("µs", 1.0)
    marks, names, minor = [], [], []
    for i, entry in enumerate(chosen):
        for m, method in enumerate(result.methods):
            y, left = i + (m - (len(result.methods) - 1) / 2) * 0.4, 0.0
            for part, value in (result.parts(entry.point, method) or {}).items():
                axes.barh(y, value * scale, left=left, height=0.36, color=look.PART_COLOURS[part],
                          label=ALL_PARTS[part][0] if i == m == 0 else None, linewidth=0)
                left += value * scale
            minor.append((y, left, method[0].upper() if len(result.methods) > 1 else ""))
        marks.append(i)
        names.append(", ".join(result.points[entry.point]) or result.name)
    furthest = max(left for _, left, _ in minor)
    for y, left, letter in minor:
        axes.text(left + furthest * 0.012, y, letter, va="center", ha="left", fontsize=8,
                  color=look.MUTED)
    axes.set_yticks(marks)
    axes.set_yticklabels(names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(chosen) - 0.45, -0.55)
    axes.set_xlim(0, furthest * 1.05)
    axes.set_xlabel(f"mean {'frame' if result.methods == ['none'] else 'transfer'} time ({unit})")
    axes.set_ylabel(textwrap.fill(", ".join(axis.split(".")[-1] for axis in result.axes), 30))
    look.style(axes, "x")
    axes.spines["left"].set_visible(False)
    if legend:
        axes.legend(frameon=False, fontsize=9, handlelength=1.2, ncol=4, loc="upper center",
                    bbox_to_anchor=(0.45, -0.14))


def parts_of(result: Result) -> Callable[..., Any]:
    """To be drawn in a page, which has a legend of its own."""
    return lambda axes, legend: parts(axes, result, False)


def parts_height(result: Result) -> float:
    return 1.0 + 0.32 * len(result.points)


def ablation(axes: Any, study: Study) -> None:
    """Gain over the values of one setting, a colour for each group (an ablations.Study)."""
    spread = 0.12
    for g, group in enumerate(study.groups):
        at: list[Any] = [(i + (g - (len(study.groups) - 1) / 2) * spread, study.gain(value, group))
              for i, value in enumerate(study.values)]
        at = [(x, gain) for x, gain in at if gain is not None]
        look.with_errors(axes, [x for x, _ in at], [gain.mean * 100 for _, gain in at],
                         [gain.half * 100
                          for _, gain in at], look.GROUP_COLOURS[g % len(look.GROUP_COLOURS)],
                         look.GROUP_MARKERS[g % len(look.GROUP_MARKERS)],
                         "-" if study.ordered else "none", group, capsize=3)
    names = [f"{value}*" if value == study.base else value for value in study.values]
    look.name_ticks(axes, list(range(len(names))), [name.replace("_", " ") for name in names])
    look.zero_line(axes)
    axes.set_ylabel("gain of dynamic (%)")
    axes.set_xlabel(study.axis_name)
    look.style(axes)
    if any(study.groups):
        axes.legend(frameon=False, fontsize=8.5, handlelength=1.6, title=study.group_name,
                    title_fontsize=8.5)


def distribution(axes: Any, curves: Mapping[str, list[tuple[float, float]]], longest: float) -> Any:
    """`curves`: method -> [(ms, percent of the transfers that took at most this)]."""
    for i, (method, points) in enumerate(curves.items()):
        look.steps(axes, [(points[0][0], 0.0), *points], look.METHOD_STYLE[method][0],
                   DASHED if i == 1 else "-", method)
    axes.set_xlim(0, longest * 1.04)
    axes.set_ylim(0, 103)
    axes.set_xlabel("transfer time (ms)")
    axes.set_ylabel("transfers that took at most this (%)")
    look.style(axes)
    axes.legend(
        frameon=False, fontsize=9,
        loc="center right" if any(len(points) > 1 for points in curves.values()) else "center")


def fill(axes: Any, curves: Mapping[str, list[tuple[float, int]]], longest: float) -> Any:
    """`curves`: name -> [(ms since the request, slots in use)]."""
    for i, (name, points) in enumerate(curves.items()):
        look.steps(axes, points, FILL_COLOURS[i], DASHED if i == 1 else "-", name)
    axes.set_xlim(0, longest)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time since the request (ms)")
    axes.set_ylabel("slots in use")
    look.style(axes)
    axes.legend(frameon=False, fontsize=9)
