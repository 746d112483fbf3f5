# SPDX-License-Identifier: Apache-2.0
"""The sections of the verbs page on lost packets and on the timer, which explains what the theory
of loss misses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page import verbs_theory
from rnicsim.family_page.drawing import curve, lines, told
from rnicsim.family_page.experiment import gbps
from rnicsim.family_page.verbs_curves import by_place, rows_of, styled
from rnicsim.report_page import look
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.page import Page


def loss(page: Page) -> tuple[Any, dict[str, dict[str, Any]]] | None:
    e = page.experiment("loss")
    if e is None:
        return None
    selective = rows_of(e, "selective_repeat")
    head = ["way to repeat, loss", "Gb/s", "packets lost", "sent again", "timeouts", "answers lost"]
    counted = ("a-b.a_to_b_lost", "a.rc.retransmissions", "a.rc.timeouts", "a-b.b_to_a_lost")
    table = [[
        ", ".join(row["values"]),
        gbps(row), *(f"{int(row[column]):,}" for column in counted)
    ] for row in e.rows]
    worst = {policy: rows_of(e, policy)[-1] for policy in e.axis(0)}
    text = e.axis()[-1]
    said = [
        "WRITEs of 64 KiB in 64 packets, lost at random on both ways. A lost packet costs "
        "go_back_n what has been decided before the NAK comes: "
        f"a round trip and what the transmit buffer holds, {verbs_theory.ROUND:.0f} packets; "
        "go_back_0 the whole message, at both ends; selective_repeat sends what "
        "is missing. It has a RETH in each packet, which costs "
        f"{100 * (1 - verbs_theory.RETH_IN_EACH):.1f} % where nothing is lost.",
        f"At {text}: " + ", ".join(f"{policy} {gbps(row)} Gb/s"
                                   for policy, row in worst.items()) + ".",
        *where_it_goes(selective[-1])
    ]
    places = list(range(len(e.axis())))
    curves = by_place(e, "goodput_gbps")
    clean = number(rows_of(e, "go_back_n")[0]["goodput_gbps"])
    shares = [verbs_theory.of_loss(text) for text in e.axis()]
    for label, dashes, left in (("go_back_n with the timer, theory", ":", [
            verbs_theory.go_back_n(p) for p in shares
    ]), ("go_back_n, theory", "--", [verbs_theory.whole_round(p) for p in shares]),
                                ("selective_repeat, theory", "-.",
                                 [verbs_theory.selective_repeat(p) for p in shares])):
        curves.append((label, look.INK, "", dashes, (places, [clean * share for share in left],
                                                     [float("nan")] * len(places))))
    again = styled([(policy, (places, [
        int(row["a.rc.retransmissions"]) / int(row["transfers_completed"])
        for row in rows_of(e, policy)
    ], [float("nan")] * len(places))) for policy in e.axis(0)])
    panels = [(lines("Goodput (Gb/s)", curves, "lost packets", bottom=0, names=e.axis()),
               "goodput over loss for three ways to repeat, and theory of two of them"),
              (lines("Packets sent again, a message", again, "lost packets", bottom=0,
                     names=e.axis()), "packets sent again over loss")]
    return told(said) + page.figure(e, "What a lost packet costs", panels, "Timeout 1.05 ms.", head,
                                    table), worst


def where_it_goes(row: Mapping[str, Any]) -> list[str]:
    """What a run of selective_repeat sends again."""
    lost, again, copies, timeouts = (int(row[key])
                                     for key in ("a-b.a_to_b_lost", "a.rc.retransmissions",
                                                 "b.rc.duplicates", "a.rc.timeouts"))
    return [
        f"selective_repeat sends {again:,} packets again for {lost:,} lost ones. {copies:,} were "
        "there already: the selective NAK that told of them was lost, and "
        f"the next one shows them as missing (V-R11). The timer expired {timeouts} times."
    ]


def timer(page: Page) -> tuple[Any, None] | None:
    e: Any = page.experiment("timer")
    if e is None:
        return None
    head = [
        "recovery, window", "loss", "timer us", "Gb/s", "Gb/s without the timer's time", "timeouts",
        "lost", "sent again"
    ]
    table = [[
        recovery, loss, f"{verbs_theory.timer_us(int(timeout)):,.1f}",
        gbps(row), f"{verbs_theory.without_timer(row):.3f}", row["a.rc.timeouts"],
        f"{int(row['a-b.a_to_b_lost']):,}", f"{int(row['a.rc.retransmissions']):,}"
    ] for row in e.rows for recovery, loss, timeout in [row["values"]]]

    def over_timer(loss: str) -> tuple[Callable[..., Any], str]:
        curves = styled([(recovery,
                          curve([row for row in rows_of(e, recovery) if row["values"][1] == loss],
                                "goodput_gbps", x=list(range(len(e.axis())))))
                         for recovery in e.axis(0)])
        return lines(
            f"Goodput at {loss} of loss (Gb/s)", curves, "timer (us)", bottom=0,
            names=[f"{verbs_theory.timer_us(int(text)):,.0f}"
                   for text in e.axis()], legend_at="lower left"
        ), f"goodput over the timer, with {loss} of the packets lost, for three ways to recover"

    def bare(recovery: str) -> list[str]:
        return [
            f"{loss} {verbs_theory.without_timer(row):.2f} Gb/s"
            for row in rows_of(e, recovery)
            for _, loss, timeout in [row["values"]]
            if int(timeout) == verbs_theory.TIMEOUT
        ]
    said = [
        (
            "The losses of the section before, with shorter and longer timers: packet by packet the"
            " same are lost, whatever the timer is, and it expires as often, so only its time"
            " differs. With a window of 64, two round trips, the window is closed from a loss until"
            " the ACK of the repetition."
        ),
        "Without the timer's time, by loss: "
        + "; ".join(f"{recovery}: {', '.join(bare(recovery))}" for recovery in e.axis(0))
        + ".",
    ]
    return (
        told(said)
        + page.figure(
            e,
            "What the timer costs",
            [over_timer(loss) for loss in e.axis(1)],
            "WRITE of 64 KiB.",
            head,
            table,
        ),
        None,
    )
