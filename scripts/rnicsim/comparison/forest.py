"""Differences with their intervals as a picture: SVG that takes its colours from the page."""

import math

from rnicsim.comparison.text import difference, method_of
from rnicsim.report_page.words import escape

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 460, 14, 14, 40, 6, 34
COLOURS = {"B slower": "var(--bad)", "B faster": "var(--good)"}


def _reach(point):
    return abs(point["difference_us"]) + (point["half_width_us"] or 0)


def _step(limit):
    """A round number of which two or three fit into the limit."""
    power = 10 ** math.floor(math.log10(limit))
    return next(factor * power for factor in (5, 2, 1, 0.5, 0.2) if factor * power * 2 <= limit * 1.0001)


def picture(points):
    """An <svg> with a row for each point and method whose mean has changed; nothing if none has."""
    shown = [point for point in points if point["difference_us"]]
    if not shown:
        return ""
    limit = max(map(_reach, shown)) * 1.05
    middle, bottom = (LEFT + WIDTH - RIGHT) / 2, TOP + ROW * len(shown)

    def x(microseconds):
        return middle + microseconds / limit * (WIDTH - LEFT - RIGHT) / 2

    step = _step(limit)
    ticks = [i * step for i in range(-int(limit / step), int(limit / step) + 1)]
    out = [f'<svg viewBox="0 0 {WIDTH} {bottom + BOTTOM}" role="img" font-size="12" fill="currentColor" '
           'aria-label="Differences of the mean times with their intervals; the table has the numbers">']
    for tick in ticks:
        style = "var(--ink)" if tick == 0 else "var(--rule)"
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP}" y2="{bottom}" stroke="{style}"/>'
                   f'<text x="{x(tick):.1f}" y="{bottom + 14}" text-anchor="middle" fill="var(--muted)">{tick:g}</text>')
    out.append(f'<text x="{middle:.1f}" y="{bottom + 29}" text-anchor="middle" fill="var(--muted)">'
               "B − A in µs; right of 0, B is slower</text>")
    single = len({point["point"] for point in points}) == 1
    for row, point in enumerate(shown):
        y, mean = TOP + ROW * row + 28, point["difference_us"]
        colour = COLOURS.get(point["verdict"], "var(--muted)")
        half = point["half_width_us"]
        out.append(f'<text x="{LEFT}" y="{y - 13}">{escape(method_of(point, single))}: {escape(difference(point))}</text>')
        if half is not None:
            low, high = x(mean - half), x(mean + half)
            out += [f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>',
                    *(f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{y - 4}" y2="{y + 4}" stroke="{colour}" stroke-width="2"/>'
                      for end in (low, high))]
        out.append(f'<circle cx="{x(mean):.1f}" cy="{y}" r="4.5" fill="{colour}"/>')
    return "".join(out) + "</svg>"
