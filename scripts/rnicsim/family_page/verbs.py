# SPDX-License-Identifier: Apache-2.0
"""Makes DIR/report.html, "A RoCEv2 RNIC", from the results of scenarios/verbs in DIR.

Usage: scripts/verbs_page DIR

`scripts/reproduce verbs` simulates them and calls this. Every simulated number on the page is from
a summary.csv in DIR; a scenario whose folder is missing has no section. Exit codes: 0 written, 2
unusable input, 3 matplotlib is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim import ending
from rnicsim.family_page import page as pages
from rnicsim.family_page import (
    verbs_front,
    verbs_loss,
    verbs_many,
    verbs_measured,
    verbs_placement,
    verbs_theory,
)
from rnicsim.family_page.drawing import curve, lines, told
from rnicsim.family_page.experiment import a_run, counted, gbps, shown
from rnicsim.family_page.verbs_curves import by_place, rows_of, styled
from rnicsim.report_page import look
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment

LEAD = (
    "Connections between two hosts and among many: what a card of the ConnectX-5 class does here "
    "beside what others have measured of one, beside "
    "closed forms, and what loss, distance and many senders cost.")


def over_size(title: str, e: Experiment, column: str) -> Callable[..., Any]:
    return lines(title, by_place(e, column), "size of the message", bottom=0,
                 names=[text.replace(" ", "\n") for text in e.axis()])


def by_first(e: Experiment, column: str, cell: Callable[...,
                                                        Any]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table: the last axis down, the first one across."""
    head = [e.scenario["axes"][-1], *(f"{first} {column}" for first in e.axis(0))]
    return head, [[
        last, *(cell(next(row for row in rows_of(e, first) if row["values"][-1] == last))
                for first in e.axis(0))
    ] for last in e.axis()]


def by_size(page: pages.Page, name: str, heading: str, quantity: tuple[str, str, str,
                                                                       Callable[..., Any]],
            said: Callable[..., Any], alt: str, caption: str) -> tuple[Any, Experiment] | None:
    """A section on one quantity over the size of a message; (HTML, the experiment) or None.
    `quantity`: column, unit, title, cell of the table."""
    e = page.experiment(name)
    if e is None:
        return None
    column, unit, title, cell = quantity
    head, table = by_first(e, unit, cell)
    return told(said(e)) + page.figure(e, heading, [(over_size(title, e, column), alt)], caption,
                                       head, table), e


TIME = ("mean_us", "us", "Mean time (us)", lambda row: shown(row, "mean_us", 1, 3))
RATE = ("goodput_gbps", "Gb/s", "Goodput (Gb/s)", gbps)


def latency(page: pages.Page) -> tuple[Any, Experiment] | None:
    def said(e: Experiment) -> list[str]:
        return [
            "A message at a time, as ib_write_lat, ib_send_lat and ib_read_lat measure: half a "
            "round of WRITE and SEND, a whole one of READ. What is not inline is "
            "read by the card first: the step behind 220 B.",
            "2 B: " + ", ".join(f"{what.upper()} {shown(rows_of(e, what)[0], 'mean_us', 1, 3)} us"
                                for what in e.axis(0)) + "."
        ]

    return by_size(page, "latency", "Latency", TIME, said,
                   "latency over the size of the message, for WRITE, SEND and READ",
                   "No loss; the link's delay holds a switch.")


def cut_through(page: pages.Page) -> tuple[Any, None] | None:
    """A panel for each way through the card."""
    e: Any = page.experiment("cut_through")
    if e is None:
        return None
    rows = {(what, mode): [row for row in rows_of(e, what) if row["values"][1] == mode]
            for what in e.axis(0) for mode in e.axis(1)}
    names = [text.replace(" ", "\n") for text in e.axis()]
    panels = []
    for mode in e.axis(1):
        curves = styled([(what, curve(rows[what, mode], "mean_us", x=list(range(len(names)))))
                         for what in e.axis(0)])
        words = mode.replace("_", " ")
        panels.append((lines(f"Mean time (us), {words}", curves, "PMTU", bottom=0,
                             names=names), f"time of a message over the PMTU, {words}"))
    head = [
        "PMTU",
        *(f"{what}, {mode.replace('_', ' ')} us" for what in e.axis(0) for mode in e.axis(1))
    ]
    table = [[
        text, *(shown(rows[what, mode][i], "mean_us", 1, 3) for what in e.axis(0)
                for mode in e.axis(1))
    ] for i, text in enumerate(e.axis())]

    def spread(mode: str) -> Any:
        times = [[number(row["mean_us"]) for row in rows[what, mode]] for what in e.axis(0)]
        return max(max(of) / min(of) - 1 for of in times)

    said = [
        (
            "A message of 4 KiB in one to eight packets. A card that stores packets reads a whole"
            " one from memory before it sends it, and receives a whole one before it writes it; one"
            " that cuts through does neither. The profile's card cuts through, as the latency of a"
            " measured card does not depend on the MTU."
        ),
        "Longest over shortest time, of the verb that differs most: "
        + ", ".join(f"{mode.replace('_', ' ')} {100 * spread(mode):.1f} %" for mode in e.axis(1))
        + ".",
    ]
    return (
        told(said)
        + page.figure(e, "Packets that are not stored", panels, "4 KiB, no loss.", head, table),
        None,
    )


def bandwidth(page: pages.Page) -> tuple[Any, Experiment] | None:
    def said(_: Experiment) -> list[str]:
        return [
            "A stream of messages, 128 of them outstanding, none inline, as ib_write_bw and the "
            "others measure. Below some KiB the processor's post and poll bound "
            "it, above the line does."
        ]

    return by_size(page, "bandwidth", "Bandwidth", RATE, said,
                   "bandwidth over the size of the message", "One connection, one core.")


def inline(page: pages.Page) -> tuple[Any, Experiment] | None:
    def said(_: Experiment) -> list[str]:
        return [
            "A pushed WQE that holds its payload needs no read of host memory; a payload of its "
            "own needs one, a WQE behind a doorbell one more."
        ]

    return by_size(page, "inline", "What a read of host memory costs", TIME, said,
                   "latency over the size, pushed and behind a doorbell",
                   "WRITE; the inline limit is 220 B.")


def speeds(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("speeds")
    if e is None:
        return None
    head, table = by_first(e, "us", lambda row: shown(row, "mean_us", 1, 3))
    curves = styled([(what, curve(rows_of(e, what), "mean_us")) for what in e.axis(0)])
    panels = [(lines("Mean time (us)", curves, "Gb/s of the link",
                     bottom=0), "latency over the rate of the link")]
    return told(["The same card at slower links: a message of 4 KiB."]) + page.figure(
        e, "Latency at other speeds", panels, "4 KiB.", head, table), None


def services(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("services")
    if e is None:
        return None
    head = [
        "outstanding", *(f"{service} us" for service in e.axis(0)),
        *(f"{service} Gb/s" for service in e.axis(0))
    ]
    table = []
    for text in e.axis():
        of = [
            next(row for row in rows_of(e, service) if row["values"][-1] == text)
            for service in e.axis(0)
        ]
        table.append([text, *(shown(row, "mean_us", 1, 3) for row in of), *map(gbps, of)])
    names = [text.replace("stream, ", "") if "stream" in text else "in turn" for text in e.axis()]
    panels = [
        (lines(title, by_place(e, column), "messages outstanding", bottom=0, names=names), alt)
        for title, column, alt in ((
            "Mean time (us)", "mean_us",
            "time until a message is over, over the messages outstanding, for rc, uc and ud"),
                                   ("Goodput (Gb/s)", "goodput_gbps",
                                    "goodput over the messages outstanding, for rc, uc and ud"))
    ]
    alone = {service: rows_of(e, service)[1] for service in e.axis(0)}
    said = [
        (
            "SENDs of 1 KiB over a reliable connection (rc), an unreliable one (uc) and as"
            " datagrams (ud). One way they take the same time, but for the 40 B that a datagram's"
            " receive buffer begins with. A receiver does not wait for an answer; a sender that"
            " wants its buffer back does."
        ),
        "One outstanding: "
        + ", ".join(
            f"{service} {shown(row, 'mean_us', 1, 3)} us and {gbps(row)} Gb/s"
            for service, row in alone.items()
        )
        + ". With more the processor bounds all three.",
    ]
    return (
        told(said)
        + page.figure(e, "What an answer costs", panels, "SEND of 1 KiB, no loss.", head, table),
        None,
    )


def recovery(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("recovery")
    if e is None:
        return None
    base, against = e.scenario["compared"]
    rows = list(zip(e.select(base), e.select(against)))
    head = [
        "loss", f"{base} Gb/s", f"{against} Gb/s", "gain %", f"p99 us, {base}", f"p99 us, {against}"
    ]
    table = [[
        a["values"][-1],
        gbps(a),
        gbps(b),
        shown(b, "gain", 100, 1, "gain_ci95"),
        shown(a, "p99_us"),
        shown(b, "p99_us")
    ] for a, b in rows]
    places = list(range(len(rows)))
    curves = styled([(name, curve(e.select(name), "goodput_gbps", x=places))
                     for name in (base, against)])
    gains = styled([("gain", curve(e.select(against), "gain", 100, "gain_ci95", x=places))])
    panels = [(lines("Goodput (Gb/s)", curves, "lost packets", bottom=0,
                     names=e.axis()), "goodput over loss, of both ways to recover"),
              (lines("Gain in goodput (%)", gains, "lost packets", bottom=0,
                     names=e.axis()), "gain of selective repeat over loss, paired")]
    last = rows[-1][1]
    said = [
        "Two variants of one scenario see the same packets lost, repetition by repetition, so that "
        "their difference is known better than either. "
        f"At {last['values'][-1]} {against} carries {shown(last, 'gain', 100, 0, 'gain_ci95')} % "
        f"more than {base}."
    ]
    return told(said) + page.figure(e, "The same losses, two ways to recover", panels,
                                    "WRITE of 64 KiB. Bars: 95 % intervals.", head, table), None


def window(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("window")
    if e is None:
        return None
    head, table = ["window", "Gb/s"], [[row["values"][-1], gbps(row)] for row in e.rows]
    panels = [
        (
            lines(
                "Goodput (Gb/s)",
                styled([("WRITE of 64 KiB", curve(e.rows, "goodput_gbps"))]),
                "packets outstanding",
                bottom=0,
            ),
            "goodput over the window",
        )
    ]
    said = [
        "Two kilometres of fibre, 10 us each way: a window of packets a round, until the line is"
        " full. Cards have no window: 8388608 is half of all PSNs."
    ]
    return told(said) + page.figure(
        e, "How far a window reaches", panels, "64 KiB.", head, table), None


def pause_frames(row: Mapping[str, Any]) -> float:
    return a_run(row, *(k for k in row if k.startswith("s0.") and k.endswith(".pauses_sent")))


def sent_again(row: Mapping[str, Any]) -> float:
    return a_run(row, *(k for k in row if k.endswith("rc.retransmissions")))


def incast(page: pages.Page) -> tuple[Any, list[dict[str, Any]]] | None:
    e = page.experiment("incast")
    if e is None:
        return None

    def name(first: str) -> str:
        return "drops" if first.startswith("[],") else "pauses"
    head = ["clients", "switch", "Gb/s", "p99 us", "Jain", "refused", "sent again", "pause frames"]
    table = [[
        row["values"][-1],
        name(row["values"][0]),
        gbps(row),
        shown(row, "p99_us", 1),
        shown(row, "jain", 1, 3),
        counted(a_run(row, "s0.server.refused")),
        counted(sent_again(row)),
        counted(pause_frames(row))
    ] for row in e.rows]
    curves = styled([(name(first), curve(rows_of(e, first), "goodput_gbps"))
                     for first in e.axis(0)])
    late = styled([(name(first), curve(rows_of(e, first), "p99_us")) for first in e.axis(0)])
    panels = [(lines("Goodput (Gb/s)", curves, "clients", bottom=0, legend_at="lower left"),
               "goodput over the clients, with drops and with pauses"),
              (lines("99th percentile (us)", late, "clients",
                     bottom=0), "99th percentile over the clients, with drops and with pauses")]
    last = [rows_of(e, first)[-1] for first in e.axis(0)]
    said = [
        (
            "Clients that all write to one server: the switch drops what finds no room, or pauses"
            " the senders (IEEE 802.1Qbb)."
        ),
        (
            f"With {last[0]['values'][-1]} clients the port carries {gbps(last[0])} Gb/s with drops"
            f" and {gbps(last[1])} with pauses."
        ),
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Many to one",
            panels,
            "WRITE of 64 KiB. Counters: mean of the repetitions.",
            head,
            table,
        ),
        last,
    )


def over_time(title: str, series: Sequence[dict[str, Any]], columns: Mapping[str, Any],
              scale: float = 1.0) -> Callable[..., Any]:
    """Curves of a series.csv: {label: its column}."""
    times = [number(row["time_us"]) / 1e3 for row in series]

    def draw(axes: Any, legend: bool) -> None:
        del legend
        for i, (label, column) in enumerate(columns.items()):
            axes.plot(times, [number(row[column]) * scale for row in series],
                      color=look.GROUP_COLOURS[i], linewidth=1.0, label=label)
        axes.set_xlabel("time (ms)")
        axes.set_title(title)
        axes.set_ylim(bottom=0)
        look.style(axes)
        axes.legend(frameon=False, fontsize=8)
    return draw


def dcqcn(page: pages.Page) -> tuple[Any, tuple[list[dict[str, Any]], list[dict[str, Any]]]] | None:
    e = page.experiment("dcqcn")
    if e is None:
        return None
    head = [
        "clients", "congestion", "Gb/s", "p99 us", "Jain", "longest queue KiB", "refused", "marked",
        "CNPs", "timeouts"
    ]
    table = [[
        row["values"][-1], row["values"][0],
        gbps(row),
        shown(row, "p99_us", 1),
        shown(row, "jain", 1, 3), f"{int(row['s0.server.queue_high_water']) / 1024:,.0f}",
        *(counted(a_run(row, column)) for column in ("s0.server.refused", "s0.server.marked",
                                                     "server.rc.cnps_sent", "client.rc.timeouts"))
    ] for row in e.rows]
    queues = styled([(first, curve(rows_of(e, first), "s0.server.queue_high_water", 1 / 1024))
                     for first in e.axis(0)])
    rates = styled([(first, curve(rows_of(e, first), "goodput_gbps")) for first in e.axis(0)])
    panels = [(lines("Longest queue (KiB)", queues, "clients", bottom=0),
               "longest queue in the switch over the clients, without and with DCQCN"),
              (lines("Goodput (Gb/s)", rates, "clients", bottom=0,
                     legend_at="lower left"), "goodput over the clients, without and with DCQCN")]
    none, slowed = (rows_of(e, first) for first in e.axis(0))
    series = e.series()
    if series:
        panels += [(over_time("Bytes in the switch for the server (KiB)", series,
                              {"longest in the interval": "s0>server queue_bytes"}, 1 / 1024),
                    "queue of the port to the server over time, four clients with DCQCN"),
                   (over_time("On the wire (Gb/s)", series,
                              {f"client {i}": f"client{i}>s0 gbps"
                               for i in range(4)}),
                    "rate of each of the four clients over time, with DCQCN")]
    caption = (
        "WRITE of 64 KiB, 16 MiB of memory in the switch. Counters: mean of the repetitions,"
        " queues: the longest of all."
    )
    said = [
        (
            "A switch that marks packets of a long queue (ECN); their receiver tells the sender"
            " (CNP), which slows down (DCQCN). Nothing else bounds what a QP has in flight: without"
            " it all that is posted queues in the switch."
        ),
        "; ".join(
            f"{n['values'][-1]} clients: {int(n['s0.server.queue_high_water']) / 1024:,.0f} KiB and"
            f" {gbps(n)} Gb/s without, {int(d['s0.server.queue_high_water']) / 1024:,.0f} KiB and"
            f" {gbps(d)} Gb/s with it"
            for n, d in zip(none, slowed)
        )
        + ". The increase is 1 Gb/s a step, not the paper's 40 Mb/s, with which the way back would"
        " take longer than the run. Over time: four clients. The first marks find queues full of"
        " packets, and all four brake hard; from then on they share the port, now one ahead, now"
        " another.",
    ]
    return told(said) + page.figure(e, "Marks and rates", panels, caption, head, table), (
        none,
        slowed,
    )


def marking(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("marking")
    if e is None:
        return None
    sets = e.axis(0)
    head = ["marked", *(f"{name} Gb/s" for name in sets), *(f"{name} CNPs" for name in sets)]
    of = {name: rows_of(e, name) for name in sets}
    table = [[
        text, *(gbps(of[name][i]) for name in sets), *(f"{int(of[name][i]['a.rc.cnps_received']):,}"
                                                       for name in sets)
    ] for i, text in enumerate(e.axis())]
    panels = [(lines("Goodput (Gb/s)", by_place(e, "goodput_gbps"), "packets marked", bottom=0,
                     names=e.axis()),
               "goodput over the share of marked packets, with the paper's parameters and a card's")
              ]
    worst = {name: of[name][-1] for name in sets}
    said = [
        (
            "Random marks on a link that has room: how much DCQCN slows down, and how soon it"
            ' recovers. "paper" is what the SIGCOMM paper proposes, "nic" the defaults of cards: a'
            " byte counter of 33 MB in place of 10 MB, and a target that stays at the line's rate"
            " until a timer of 300 us has raised the rate."
        ),
        f"At {e.axis()[-1]}: "
        + ", ".join(f"{name} {gbps(row)} Gb/s" for name, row in worst.items())
        + ".",
    ]
    return (
        told(said)
        + page.figure(
            e, "Marks without a switch", panels, "WRITE of 64 KiB, one connection.", head, table
        ),
        None,
    )


SECTIONS = {
    "Held against measurements": verbs_measured.section,
    "Held against theory": verbs_theory.section,
    "Latency": latency,
    "Cut-through": cut_through,
    "Bandwidth": bandwidth,
    "Inline": inline,
    "Services": services,
    "Speeds": speeds,
    "Loss": verbs_loss.loss,
    "The timer": verbs_loss.timer,
    "Losses alike": recovery,
    "Windows": window,
    "Many to one": incast,
    "Marks in place of pauses": dcqcn,
    "Marks at random": marking,
    "Two flows and one port": verbs_placement.section,
    "Threads": verbs_many.threads,
    "Many QPs": verbs_many.message_rate,
    "Shared receives": verbs_many.shared_receives
}


FAMILY = pages.Family("verbs", "A RoCEv2 RNIC", LEAD, SECTIONS, verbs_front.front)


@ending.reported("verbs_page")
def main(arguments: Sequence[str]) -> int:
    return pages.write(FAMILY, __doc__, arguments)
