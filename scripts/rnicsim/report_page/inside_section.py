# SPDX-License-Identifier: Apache-2.0
"""The section "Inside the transfers": distributions, buffer fill, ladders, captures, counters of
the folders that have them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rnicsim import ending
from rnicsim.report_page import charts, counters, experiments, inside, markup, render, words
from rnicsim.report_page.look import METHOD_STYLE
from rnicsim.report_page.pictures import Pictures
from rnicsim.report_page.words import tied

if TYPE_CHECKING:
    from rnicsim.report_page.results import Result

HERE = Path(__file__).parent
LIBRARY = Path("/usr/share/javascript/chart.js/chart.min.js")  # Debian's libjs-chart.js


class Missing(ending.Failed):
    """A program or library; one line."""


def library() -> list[str]:
    """The scripts that turn charts into interactive ones."""
    if not LIBRARY.is_file():
        raise Missing("chart.js is missing (Debian: apt install libjs-chart.js)")
    # Without the addresses in its notices: a report names no other host.
    chart = re.sub(r"(?m)^ \* https?://.*\n", "", LIBRARY.read_text(encoding="utf-8"))
    return [chart, (HERE / "inside.js").read_text(encoding="utf-8")]


def interactive(svg: str, data: Mapping[str, Any]) -> Any:
    """A panel's picture with the numbers behind it, from which inside.js makes a chart."""
    # nothing in it ends the element
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return markup.part("inside", "interactive", svg, text)


def place(result: Result, point: int) -> str:
    """FRP = LFP: 10 %"""
    return ", ".join(f"{axis}: {value}"
                     for axis, value in zip(result.axes, result.points[point])) or result.name


def points(result: Result) -> list[int]:
    return [entry.point for entry in experiments.entries(result)]


def chart(title: str, x: str, y: str, most: float, curves: Mapping[Any, Any],
          colours: Any) -> dict[str, Any]:
    """What inside.js draws: the second line dashed, so that both are seen where they run
    together."""
    lines = [{"name": name, "colour": render.variable(colour), "dashed": i == 1, "points": line}
             for i, ((name, line), colour) in enumerate(zip(curves.items(), colours))]
    return {"title": title, "x": x, "y": y, "xMax": most, "lines": lines}


def distributions(pictures: Pictures, one: inside.Inside) -> Any:
    """A panel a point: the share of the transfers that took at most so long."""
    result, panels, data = one.result, [], []
    for p in points(result):
        curves = {
            m: one.distribution(p, m)
            for m in result.methods if one.times[p, m]["quantiles_us"]
        }
        if not curves:
            continue
        longest = max(line[-1][0] for line in curves.values())
        said = words.listed(
            f"{m} median {words.ms(one.quantile(p, m, 0.5))}, slowest "
            f"{words.ms(one.quantile(p, m, 1))}"
            for m in curves)
        panels.append(
            render.Panel(
                f"{one.name}-times-{p}",
                lambda axes, legend, c=curves, x=longest, title=place(result, p):
                (charts.distribution(axes, c, x), axes.set_title(title)),
                f"Distribution of the transfer times at {place(result, p)}: {said}."))
        lines = {m: [(line[0][0], 0), *line] for m, line in curves.items()}
        data.append(
            chart(place(result, p), "transfer time (ms)", "transfers that took at most this (%)",
                  longest * 1.04, lines, [METHOD_STYLE[m][0] for m in lines]))
    caption = (
        "How many of the transfers, in percent, took at most so long. The further left, the "
        "faster; a vertical stretch is "
        "many transfers of the same time. " + failed(one))
    return pictures.figure(f"{one.name}_times", "How the transfer times spread", panels, caption,
                           markup.details("The numbers", quantiles(one)),
                           wraps=[interactive_with(d) for d in data])


def interactive_with(data: Mapping[str, Any]) -> Callable[..., Any]:
    return lambda svg: interactive(svg, data)


def failed(one: inside.Inside) -> str:
    n = sum(t["failed"] for t in one.times.values())
    return (
        f"{words.plural(n, 'transfer')} failed and {'is' if n == 1 else 'are'} left out." if n else
        "No transfer failed."
    )


def quantiles(one: inside.Inside) -> Any:
    head = [
        *(one.result.axes or ["scenario"]), "method", "transfers",
        *("fastest" if s == 0 else "slowest"
          if s == 1 else "median" if s == 0.5 else f"{s:.0%}".replace("%", f"{words.NARROW}%")
          for s in inside.SHOWN)
    ]
    rows = [[
        *map(tied, one.result.points[p] or [one.name]), m,
        words.count(one.times[p, m]["completed"]),
        *(words.ms(one.quantile(p, m, s)) if one.times[p, m]["quantiles_us"] else "–"
          for s in inside.SHOWN)
    ] for p in points(one.result) for m in one.result.methods]
    lead = len(head) - len(inside.SHOWN) - 1
    return markup.table(
        head, rows,
        "So many percent of the transfers took at most this; each is the time of a transfer",
        range(lead, len(head)))


def fills(pictures: Pictures, one: inside.Inside) -> Any:
    """A panel a point at which the chosen transfers put anything into an indirect buffer."""
    panels, data, told = [], [], []
    for p in points(one.result):
        curves, lines = one.fills(p)
        if not curves:
            continue
        longest, where = max(curve["time_us"] for curve in curves) / 1000, place(one.result, p)
        said = f"at {where} " + words.listed(
            f"up to {words.plural(curve['highest'], 'slot')} in the {words.listed(curve['roles'])} "
            f"({curve['transfer']} of "
            f"{curve['run']}, {words.ms(curve['time_us'])})" for curve in curves)
        panels.append(
            render.Panel(
                f"{one.name}-fill-{p}", lambda axes, legend, c=lines, x=longest, title=where:
                (charts.fill(axes, c, x), axes.set_title(title)),
                f"Slots of the indirect buffer in use over time, {said}."))
        data.append(
            chart(where, "time since the request (ms)", "slots in use", longest, lines,
                  charts.FILL_COLOURS))
        told.append(said)
    if not panels:
        return markup.part("inside", "no_fill")
    caption = (
        "The dynamic method's slowest and longest stalled transfers, where their data went "
        "indirect: "
        f"{'; '.join(told)}.")
    commands = "\n".join(curve["command"] for curve in one.fill)
    return pictures.figure(
        f"{one.name}_fill", "How full the indirect buffer is", panels, caption,
        markup.details("The commands", markup.part("elements", "commands", commands)),
        wraps=[interactive_with(d) for d in data])


def ladder(one: inside.Inside, transfer: Mapping[str, Any], opened: bool) -> dict[str, Any]:
    """One transfer: its picture, its capture, the commands for both."""
    commands = transfer["commands"]
    return {
        "what":
        f"{place(one.result, transfer['point'])}, {transfer['method']}, "
        f"{words.listed(transfer['roles'])}: {words.ms(transfer['time_us'])}",
        "named":
        f"transfer {transfer['transfer']} of run {transfer['run']}",
        "opened":
        opened,
        "picture":
        one.picture(transfer),
        "capture": (f"{one.place}/{transfer['capture']}",
                    transfer["capture"]) if one.has_capture(transfer) else None,
        "how":
        f"{commands['ladder']}\n{commands['capture']}"
    }


def ladders(one: inside.Inside) -> list[dict[str, Any]]:
    """A list; the slowest dynamic transfer of the last point is open."""
    drawn = [transfer for p in points(one.result) for transfer in one.at(p)]
    slowest = [transfer for transfer in drawn if "slowest" in transfer["roles"]]
    opened = ([t for t in slowest if t["method"] == "dynamic"] or slowest)[-1:]
    return [ladder(one, transfer, transfer in opened) for transfer in drawn]


def section(pictures: Pictures, insides: Mapping[str, inside.Inside],
            stale: Sequence[Any]) -> tuple[Any, list[str]]:
    """(content, scripts for the end of the page); nothing where no folder has been looked into."""
    headings = {**experiments.FIGURES, **experiments.READS, **experiments.ABLATIONS}
    parts = [(headings.get(name,
                           (name, ))[0], [distributions(pictures, one),
                                          fills(pictures,
                                                one)], ladders(one), counters.table(one.result))
             for name, one in insides.items()]
    return markup.part("inside", "section", stale,
                       parts) if insides or stale else "", library() if insides else []
