# SPDX-License-Identifier: Apache-2.0
"""What the page of RoCEv2 opens with: three findings in a picture, and behind them what is
missed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rnicsim.family_page import page as pages
from rnicsim.family_page.drawing import curve, lines
from rnicsim.family_page.experiment import gbps
from rnicsim.family_page.verbs_curves import by_place, rows_of, styled
from rnicsim.family_page.verbs_measured import CX5, Row, Shape
from rnicsim.report_page import look


def latencies(rows: Iterable[Row]) -> list[tuple[Callable[..., Any], str]]:
    """Bars of the measured latencies of a ConnectX-5 beside ours."""
    chosen = [
        row for row in rows if row.source == CX5 and row.unit == "us" and not isinstance(row, Shape)
    ]

    def draw(axes: Any, legend: bool) -> None:
        del legend
        places = list(range(len(chosen)))
        for shift, label, values, colour in (
            (-0.2, "measured, ConnectX-5", [row.measured for row in chosen], look.MUTED),
            (0.2, "here, fitted", [row.here for row in chosen], look.GROUP_COLOURS[0]),
        ):
            axes.bar(
                [place + shift for place in places], values, width=0.38, color=colour, label=label
            )
        look.name_ticks(
            axes, places, [row.what.split(",")[0].replace(" of ", "\nof ") for row in chosen]
        )
        axes.set_title("Latency (us)")
        axes.set_ylim(
            0, 1.35 * max(max(row.measured, row.here) for row in chosen)
        )  # room for the legend
        look.style(axes)
        axes.legend(frameon=False, fontsize=8, loc="upper left")
    return [(draw, "latency of single messages, measured and simulated")] if chosen else []


def of_measurements(rows: Sequence[Row]) -> str:
    kinds = [
        ("predicted", [row for row in rows if not row.fitted]),
        ("fitted", [row for row in rows if row.fitted]),
    ]
    return (
        f"Of {len(rows)} measured figures {sum(row.holds for row in rows)} are met within their"
        " tolerance: "
        + " and ".join(
            f"{sum(row.holds for row in of)} of the {len(of)} that were {kind}"
            for kind, of in kinds
        )
        + "."
    )


def front(page: pages.Page, found: Mapping[str, Any]) -> pages.Front:
    e: Any  # is there where its section was found
    findings, panels, counts, missed = [], [], [], []
    if "Held against measurements" in found:
        rows = found["Held against measurements"]
        findings.append(of_measurements(rows))
        panels += latencies(rows)
        counts.append(("measured figures", len(rows), sum(row.holds for row in rows)))
        missed += [row.missed() for row in rows if not row.holds]
    if "Held against theory" in found:
        rows = found["Held against theory"]
        counts.append(("expectations of theory", len(rows), sum(holds for _, holds in rows)))
        missed += [
            [what, theory, here, scenario]
            for (what, _, theory, here, scenario), holds in rows
            if not holds
        ]
    if "Two flows and one port" in found:
        rows = found["Two flows and one port"]
        counts.append(
            ("comparisons of two flows at one port", len(rows), sum(met for _, met in rows))
        )
        missed += [
            [what, predicted if predicted != "–" else f"{thesis} (thesis)", here, "placement"]
            for (what, _, _, thesis, predicted, here), met in rows
            if not met
        ]
    if "Loss" in found:
        worst, e = found["Loss"], page.experiment("loss")
        findings.append(
            f"With {worst['go_back_n']['values'][-1]} of the packets lost go_back_n carries"
            f" {gbps(worst['go_back_n'])} Gb/s and selective_repeat"
            f" {gbps(worst['selective_repeat'])}."
        )
        panels.append(
            (
                lines(
                    "Goodput where packets are lost (Gb/s)",
                    by_place(e, "goodput_gbps"),
                    "lost packets",
                    bottom=0,
                    names=e.axis(),
                ),
                "goodput over loss for three ways to repeat",
            )
        )
    if "Many to one" in found:
        (dropped, paused), e = found["Many to one"], page.experiment("incast")
        findings.append(
            f"{dropped['values'][-1]} clients to one port get {gbps(dropped)} Gb/s where the switch"
            f" drops, {gbps(paused)} where it pauses."
        )
        curves = styled(
            [
                (
                    "drops" if first.startswith("[],") else "pauses",
                    curve(rows_of(e, first), "goodput_gbps"),
                )
                for first in e.axis(0)
            ]
        )
        panels.append(
            (
                lines(
                    "Goodput of many to one (Gb/s)",
                    curves,
                    "clients",
                    bottom=0,
                    legend_at="lower left",
                ),
                "goodput over the clients, with drops and with pauses",
            )
        )
    behind = [("What is missed", pages.missed(counts, missed))] if counts else []
    return pages.Front(
        findings,
        panels,
        "The profile cx5_100g at 100 Gb/s; WRITEs of 64 KiB where nothing else is said.",
        behind,
    )
