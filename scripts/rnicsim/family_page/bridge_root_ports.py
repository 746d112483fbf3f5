# SPDX-License-Identifier: Apache-2.0
"""What the card and the bridge bring to the target's memory over time, beside RDMA (figure 5-28 of
the thesis): pictures and a claim of the section on scenario offload, from its root_ports.csv."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.report_page import look, markup

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

STEP = 20  # us, of a row: a packet of 4 KiB more or less are 1.6 Gb/s
PORT, HOST = 100, 128  # Gb/s: of the target's port; of a server's PCIe in equation 5.1
NEAR = 0.02  # to which both together are as alone
TOP = 215  # Gb/s, of the pictures: room for a legend above what comes
CARD, BRIDGE = "card", "bridge"
Rates = Mapping[str, Sequence[float]]  # Gb/s in each step, by root port


def read(e: Experiment) -> dict[str, Rates]:
    """By the point's value; nothing if `scripts/reproduce` did not look."""
    file = e.folder / "root_ports.csv"
    if not file.exists():
        return {}
    with open(file, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    found: dict[str, Rates] = {}
    for i, (name, *_) in enumerate(e.scenario["points"]):
        of = {int(row["time_us"]) // STEP: row for row in rows if int(row["point"]) == i}
        found[name] = {
            port: [
                int(of[step][f"{port}_bytes"]) * 8e-3 / STEP if step in of else 0.0
                for step in range(max(of, default=-1) + 1)
            ]
            for port in (CARD, BRIDGE)
        }
    return found


def whole(rates: Rates, *ports: str) -> list[float]:
    """All that comes in each step in which these ports have something, but the last one, in which
    a flow ends."""
    busy = [[step for step, rate in enumerate(rates[port]) if rate] for port in ports]
    first, last = max(steps[0] for steps in busy), min(steps[-1] for steps in busy)
    return [sum(rates[port][step] for port in ports) for step in range(first, max(last, first + 1))]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def picture(title: str, rates: Rates, end: int) -> Callable[..., Any]:
    """The card's rate on that of the bridge. `end`: steps of the time axis."""
    through = list(rates[BRIDGE])
    both = [a + b for a, b in zip(through, rates[CARD])]
    edges = [step * STEP / 1e3 for step in range(len(both) + 1)]

    def draw(axes: Any, legend: bool) -> None:
        del legend
        for port, values, colour in (
            (CARD, both, look.GROUP_COLOURS[0]),
            (BRIDGE, through, look.GROUP_COLOURS[3]),  # covers its part of both
        ):
            seen = [one or float("nan") for one in values]
            label = f"by the {port}'s root port"
            axes.stairs(seen, edges, fill=True, color=colour, linewidth=0, label=label)
        label = f"{HOST} Gb/s (equation 5.1)"
        dashes = (0, (4, 2))
        axes.axhline(HOST, color=look.INK, linestyle=dashes, linewidth=0.9, label=label)
        axes.set_title(title)
        axes.set_xlabel("time (ms)")
        axes.set_ylabel("to the target's memory (Gb/s)")
        axes.set_xlim(0, end * STEP / 1e3)
        axes.set_ylim(0, TOP)
        look.style(axes)
        axes.legend(frameon=False, fontsize=8, loc="upper right")

    return draw


def figures(page: Page, found: Mapping[str, Rates], names: Mapping[str, str]) -> Any:
    """Two pictures each, of which two may be beside each other, and their numbers. `names`: by the
    point's value, which says how many RDMA flows there are and when the bridge's begins."""
    table = [
        [name, f"{mean(of):.1f}", f"{max(of):.1f}", f"{mean(of) / HOST:.0%}"]
        for text, name in names.items()
        for of in [whole(found[text], CARD, *([BRIDGE] if text.endswith("0 ns") else []))]
    ]
    head = ["flows", "PCIe, mean (Gb/s)", "most", f"mean, of {HOST} Gb/s"]
    parts = []
    for late, heading, caption, more in (
        (
            True,
            "Root ports over time, by the port alone",
            "An RDMA flow swings: its program posts, then takes completions.",
            "",
        ),
        (
            False,
            "Root ports over time, with the bridge",
            "Here each root port has an IIO of its own: both together may have more than one has. "
            f"Payload, in steps of {STEP} us while all flows run.",
            markup.table(head, table, numeric=range(1, len(head))),
        ),
    ):
        shown = {text: name for text, name in names.items() if late != text.endswith("0 ns")}
        end = max(len(found[text][CARD]) for text in shown)
        panels = []
        for text, name in shown.items():
            title = name[0].upper() + name[1:] + ("; the bridge later" if late else "")
            alt = f"Gb/s to the target's memory over time, by root port: {name}"
            panels.append((picture(title.replace(",", " by RDMA,"), found[text], end), alt))
        name = f"root_ports_{'port' if late else 'bridge'}"
        svgs = page.drawn(name, panels)
        parts.append(markup.part("elements", "figure", name, heading, svgs, caption, "", more))
    return parts[0] + parts[1]


def judged(e: Experiment, found: Mapping[str, Rates]) -> tuple[str, Claim]:
    """What the pictures show, and whether it is what the thesis has."""
    alone, port = found["1, 2 ms"], whole(found["2, 2 ms"], CARD)
    both = whole(found["1, 0 ns"], CARD, BRIDGE)
    parts = [mean(whole(alone, one)) for one in (CARD, BRIDGE)]
    kept = mean(both) / sum(parts)
    text = (
        f"Over time (figure 5-28): by the port the target's PCIe takes {mean(port):.1f} Gb/s, at "
        f"most {max(port):.1f}; with one flow through the bridge {mean(both):.1f}, at most "
        f"{max(both):.1f}: {mean(both) / HOST:.0%} of {HOST}, which the thesis calls saturated."
    )
    return text, Claim(
        "N24b",
        "over time the target's PCIe has more than the port brings: both flows, each as alone",
        "shape",
        f"by the port at most {PORT} Gb/s at any time; with the bridge more in the mean, and what "
        f"both have alone within {NEAR:.0%}",
        f"{max(port):.1f}; {mean(both):.1f}, alone {parts[0]:.1f} and {parts[1]:.1f}",
        max(port) <= PORT < mean(both) and abs(kept - 1) <= NEAR,
        e.name,
    )
