# SPDX-License-Identifier: Apache-2.0
"""The sections of any result folder, of the paper or not: figures, where the time goes, the
numbers, counters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rnicsim.report_page import charts, counters, look, markup, render, tables, words
from rnicsim.report_page.pictures import Pictures
from rnicsim.report_page.results import ALL_PARTS, Result, number
from rnicsim.report_page.words import tied
from rnicsim.sweep_plot import layout
from rnicsim.sweep_plot.quantity import gain
from rnicsim.sweep_plot.sweep import Sweep, significant

POINTS_AS_BARS = 16  # more are a table only
BESIDE_THE_MEAN = (("median_us", "median ms"), ("p90_us", "p90 ms"), ("p99_us", "p99 ms"))
SHARES: tuple[tuple[str, str, Callable[[float], str]],
              ...] = (("failed_share", "failed", lambda value: words.percent(value, 2)),
                      ("goodput_gbps", "goodput Gb/s", lambda value: words.fixed(value, 3)),
                      ("jain", "Jain", lambda value: words.fixed(value, 3)))


def with_half(row: Mapping[str, Any], column: str, half: str, factor: float, decimals: int) -> str:
    text = words.fixed(number(row[column]) * factor, decimals)
    return f"{text} ± {words.fixed(number(row[half]) * factor, decimals)}" if row[column] and row[
        half] else text


def numbers(sweep: Sweep) -> Any:
    """A row for each point, item and method."""
    axes = sorted(sweep.axes, key=list(sweep.rows[0]["place"]).index)
    gains = any(row["gain"] for row in sweep.rows)
    shares = [each for each in SHARES if each[0] in sweep.rows[0]]
    times = [each for each in BESIDE_THE_MEAN if each[0] in sweep.rows[0]]
    head = [
        *axes, sweep.word, "completed", "mean ms", *(name for _, name in times),
        *(name for _, name, _ in shares), *(["gain %", "beyond its interval"] if gains else [])
    ]
    rows = []
    for row in sweep.rows:
        gain = [
            with_half(row, "gain", "gain_ci95", 100, 2),
            "yes" if significant(row, sweep.rows) else "no"
        ] if row["gain"] else ["–", "–"]
        rows.append([
            *(tied(row["place"][axis]) for axis in axes), row["method"],
            words.count(int(row["transfers_completed"])),
            with_half(row, "mean_us", "ci95_us", 1e-3,
                      4), *(words.fixed(number(row[column]) * 1e-3, 4) for column, _ in times),
            *(show(number(row[column])) for column, _, show in shares), *(gain if gains else [])
        ])
    return markup.table(head, rows, numeric=range(len(axes) + 1, len(head)))


def figures(pictures: Pictures, name: str, sweep: Sweep, heading: str) -> list[Any]:
    """The panels of scripts/plot, and where shares of goodput are known, those of goodput."""
    wanted = [
        "mean_us", *(["goodput_gbps"] if any(row.get("goodput_gbps") for row in sweep.rows) else [])
    ]
    out = []
    for column in wanted:
        singles = layout.singles(pictures.plt, sweep, column)
        panels = [
            render.Panel(f"{name}-{column}-{i}", single.draw,
                         f"{heading}: {', '.join(filter(None, (single.of, single.which)))}.")
            for i, single in enumerate(singles)
        ]
        if panels:
            pictures.add(f"{name}_{column}", layout.draw(pictures.plt, sweep,
                                                         layout.Wanted(column)))
            out.append(
                markup.part(
                    "elements", "figure", f"{name}-{column}", heading,
                    [render.inline(pictures.plt, panel) for panel in panels],
                    f"{words.sentence('; '.join(dict.fromkeys(single.of for single in singles)))}. "
                    f"{'Bars: 95 % intervals.' if layout.has_error_bars(sweep, column) else ''}",
                    "", ""))
    return out


def parts(pictures: Pictures, name: str, result: Any, heading: str) -> Any:
    """Bars where they are few, and a table."""
    known = [key for key in result.rows if result.parts(*key)]
    if not known:
        return ""
    drawn = []
    if len(result.points) <= POINTS_AS_BARS and any(
            sum(result.parts(*key).values()) > 0 for key in known):
        panel = render.Panel(f"{name}-parts", charts.parts_of(result),
                             f"{heading}: parts of the time.", charts.parts_height(result))
        drawn = [render.inline(pictures.plt, panel)]
    occur = [
        part for part in ALL_PARTS
        if any((result.parts(*key) or {}).get(part, 0) > 0 for key in known)
    ]
    legend = [(render.variable(look.PART_COLOURS[part]), *ALL_PARTS[part]) for part in occur]
    said = "The parts add up to the mean, to 0.001 µs." + (
        f" {', '.join(f'{m[0].upper()} is {m}' for m in result.methods)}."
        if len(result.methods) > 1 else "")
    return markup.part("general", "parts", f"{name}-parts", heading, legend, drawn, said,
                       markup.details("The parts in numbers", tables.parts(result)))


def counted(sweep: Sweep) -> Any:
    """Counters that counted anything: a column a point and method; those of a point are the same
    for all of its items."""
    first = list({(row["point"], row["method"]): row
                  for row in reversed(sweep.rows)}.values())[::-1]
    names = [
        column for column in first[0] if isinstance(column, str) and "." in column
        and column not in sweep.axes and counters.meaning(column)
    ]
    shown = [column for column in names if any(number(row[column]) for row in first)]
    swept = [axis for axis in first[0]["place"] if axis != "traffic"]
    head = [
        "counter, and what it counts", *(markup.part(
            "inside", "of_point", ", ".join(row["place"][axis]
                                            for axis in swept) or sweep.name, row["method"])
                                         for row in first)
    ]
    rows = [[
        markup.counter(column, counters.meaning(column)), *(words.count(int(row[column]))
                                                            for row in first)
    ] for column in shown]
    return markup.part("general", "counters", markup.table(head, rows, numeric=range(1, len(head))),
                       [name for name in names if name not in shown])


def lead(sweep: Sweep) -> str:
    n = sum(int(row["transfers_completed"]) for row in sweep.rows)
    failed = sum(int(row.get("transfers_failed") or 0) for row in sweep.rows)
    text = (
        f"Results of the scenario {sweep.name}, seed {sweep.manifest['scenario']['seed']}: "
        f"{words.plural(len(sweep.manifest['scenario']['points']), 'point')}, "
        f"{words.plural(sweep.repetitions, 'repetition')} of each; "
        f"{words.plural(n, sweep.sample())} completed, {words.count(failed)} failed."
    )
    gains = [row for row in sweep.rows if row["gain"]]
    if gains:
        better = [row for row in gains if significant(row, sweep.rows) and number(row["gain"]) > 0]
        worse = [row for row in gains if significant(row, sweep.rows) and number(row["gain"]) < 0]
        text += (
            f" Gains beyond their 95 % intervals: {len(better)} above 0 and {len(worse)} below, of "
            f"{len(gains)}; "
            "none is judged where another share of the transfers has failed with the other method.")
    return text


def section(pictures: Pictures, folder: Path, name: str) -> Any:
    """Of one result folder."""
    sweep = Sweep(folder)
    made = figures(pictures, name, sweep, folder.name)
    items = list(dict.fromkeys(row["place"].get("traffic") for row in sweep.rows))
    for place, item in enumerate(items):
        heading = f"{folder.name}: where the time goes" + (f", traffic {item}"
                                                           if item is not None else "")
        made.append(parts(pictures, f"{name}-{place}", Result(folder, item=item), heading))
    return markup.part("general", "section", lead(sweep), made,
                       markup.details("The numbers", numbers(sweep)),
                       markup.details("Counters, and what they count", counted(sweep)))


def in_short(results: Mapping[str, Result]) -> Any:
    """A row a folder: the best and the worst gain."""
    head = ["result", "points", "completed", "failed", "least gain %", "greatest gain %"]
    rows = []
    for name, result in results.items():
        sweep = Sweep(result.folder)
        gains = [of for of in map(gain(sweep).of, sweep.rows) if not math.isnan(of)]
        rows.append([
            markup.code(name),
            words.count(len(result.points)),
            words.count(sum(int(row["transfers_completed"]) for row in sweep.rows)),
            words.count(sum(int(row.get("transfers_failed") or 0) for row in sweep.rows)),
            words.fixed(min(gains), 2) if gains else "–",
            words.fixed(max(gains), 2) if gains else "–"
        ])
    return markup.table(head, rows, numeric=range(1, len(head)))
