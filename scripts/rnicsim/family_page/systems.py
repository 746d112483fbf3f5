# SPDX-License-Identifier: Apache-2.0
"""Makes DIR/report.html, "The method among many", from the results of scenarios/systems in DIR.

Usage: scripts/systems_page DIR

`scripts/reproduce systems` simulates them and calls this. Every number on the page is from a
summary.csv in DIR; a scenario whose folder is missing has no section. Exit codes: 0 written, 2
unusable input, 3 matplotlib is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim import ending
from rnicsim.family_page import page as pages
from rnicsim.family_page import systems_targets
from rnicsim.family_page.drawing import curve, lines, told
from rnicsim.family_page.experiment import a_run, counted, failed, gbps, shown, value, whole_ms
from rnicsim.report_page import look
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment

LEAD = (
    "One server and its clients at a switch: what the paper's dynamic method gains when it is not "
    "alone on the wire. Registrations fail "
    "with the probability that each section's scenario says; nothing is lost on the links, only "
    "where a switch has no room."
)


def clients(row: Mapping[str, Any]) -> str:
    """The axis value, without a pause that belongs to it."""
    return str(row["values"][-1].split(",")[0])


def gain_text(row: Mapping[str, Any]) -> Any:
    return shown(row, "gain", 100, 1, "gain_ci95")


def kibibytes(rows: Sequence[dict[str, Any]]) -> list[float]:
    return [value(row["values"][-1]) * (1024 if "MiB" in row["values"][-1] else 1) for row in rows]


def significant(row: Mapping[str, Any]) -> bool:
    return bool(row["gain_ci95"]) and abs(number(row["gain"])) > number(row["gain_ci95"])


def by_method(experiment: Experiment, column: str, scale: float = 1.0, half: None = None,
              **wanted: str) -> list[tuple[Any, ...]]:
    return [(method, *look.METHOD_STYLE[method], "-",
             curve(experiment.select(method, **wanted), column, scale, half))
            for method in experiment.scenario["methods"]]


def gains(experiment: Experiment, **wanted: str) -> list[tuple[Any, ...]]:
    return [("gain", *look.METHOD_STYLE["dynamic"], "-",
             curve(experiment.select("dynamic", **wanted), "gain", 100, "gain_ci95"))]


def many_clients(
        page: pages.Page, name: str, heading: str, xlabel: str,
        sentence: str) -> tuple[Any, tuple[list[str], list[str], list[tuple[Any, Any]]]] | None:
    """Gain, goodput and 99th percentile over the clients."""
    e = page.experiment(name)
    if e is None:
        return None
    rows = list(zip(e.select("traditional"), e.select("dynamic")))
    head = [
        "clients", "gain %", "traditional Gb/s", "dynamic Gb/s", "traditional p99 ms",
        "dynamic p99 ms", "Jain, dynamic", "failed %"
    ]
    table = [[
        d["values"][-1],
        gain_text(d),
        gbps(t),
        gbps(d),
        shown(t, "p99_us", 1e-3),
        shown(d, "p99_us", 1e-3),
        shown(d, "jain", 1, 3),
        failed(d)
    ] for t, d in rows]
    panels = [(lines("Gain of the dynamic method (%)", gains(e), xlabel,
                     percent=True), f"{heading}: gain over the clients"),
              (lines("Goodput (Gb/s)", by_method(e, "goodput_gbps"), xlabel,
                     bottom=0), f"{heading}: goodput over the clients")]
    stays = [clients(d) for _, d in rows if significant(d) and number(d["gain"]) > 0]
    negative = [clients(d) for _, d in rows if significant(d) and number(d["gain"]) < 0]
    said = [
        sentence,
        "The gain lies above its 95 % interval with so many clients: "
        f"{', '.join(stays) or 'none'}; below it: {', '.join(negative) or 'none'}."
    ]
    figure = page.figure(e, heading, panels, "Bars: 95 % intervals over the repetitions.", head,
                         table)
    return told(said) + figure, (stays, negative, rows)


def incast(
        page: pages.Page) -> tuple[Any, tuple[list[str], list[str], list[tuple[Any, Any]]]] | None:
    return many_clients(
        page, "incast", "Clients that always have something to write", "clients",
        "When the server's port is full, every frame that the indirect buffer refuses, and every "
        "one that the resume sends again, "
        "takes its place from another one. The traditional method waits instead, and the port "
        "carries the others."
    )


def resume(page: pages.Page) -> tuple[Any, tuple[dict[str, Any], dict[str, Any]]] | None:
    e = page.experiment("resume")
    if e is None:
        return None
    curves = [(rule, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], look.LINE_STYLES[i],
               curve(e.select("dynamic", resume=rule), "gain", 100, "gain_ci95"))
              for i, rule in enumerate(e.axis(0))]
    sent = [(rule, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], look.LINE_STYLES[i],
             (*curve(rows, "gain")[:1], [
                 int(row["client.transport.retransmissions"]) / int(row["transfers_completed"])
                 for row in rows
             ], [float("nan")] * len(rows))) for i, rule in enumerate(e.axis(0))
            for rows in [e.select("dynamic", resume=rule)]]
    rows = list(zip(e.select("dynamic", resume="window_full"), e.select("dynamic", resume="told")))
    head = [
        "clients", "gain %, window_full", "gain %, told",
        "frames sent again a transfer, window_full", "told", "p99 ms, window_full", "told"
    ]

    def again(row: Mapping[str, Any]) -> str:
        return (
            f"{int(row['client.transport.retransmissions']) / int(row['transfers_completed']):.2f}"
        )

    table = [[
        clients(f),
        gain_text(f),
        gain_text(t),
        again(f),
        again(t),
        shown(f, "p99_us", 1e-3),
        shown(t, "p99_us", 1e-3)
    ] for f, t in rows]
    f, t = rows[-2]
    said = [
        "When its connection is established an indirect initiator with a full window sends all of "
        "it again: between two hosts a full window "
        "means a full buffer. Behind the queue of a switch it means nothing, and the frames are "
        "sent twice. With resume_rule: told the "
        "responder says in the REQ_ACK whether it has refused frames.",
        f"With {clients(f)} clients {again(f)} frames a transfer are sent again by window_full and "
        f"{again(t)} by told; the gain goes "
        f"from {gain_text(f)} % to {gain_text(t)} %."
    ]
    panels = [(lines("Gain of the dynamic method (%)", curves, "clients",
                     percent=True), "gain over the clients, for both rules"),
              (lines("Frames sent again, a transfer", sent, "clients",
                     bottom=0), "frames sent again over the clients, for both rules")]
    return told(said) + page.figure(e, "What is sent again", panels,
                                    "Bars: 95 % intervals over the repetitions.", head, table), (f,
                                                                                                 t)


def load(page: pages.Page) -> Any:
    return many_clients(
        page,
        "load",
        "The same with pauses: the port about half full",
        "clients",
        (
            "Here each client thinks between transfers, so that all together need about half of the"
            " wire: time spent waiting is lost."
        ),
    )


def data_timer(page: pages.Page) -> Any:
    e = page.experiment("data_timer")
    if e is None:
        return None
    curves = [(rule, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], "-",
               curve(e.select("dynamic", timer=rule), "goodput_gbps"))
              for i, rule in enumerate(e.axis(0))]
    times = [(rule, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], "-",
              curve(e.select("dynamic", timer=rule), "p99_us", 1e-3))
             for i, rule in enumerate(e.axis(0))]
    rows = list(zip(e.select("dynamic", timer="fixed"), e.select("dynamic", timer="adaptive")))
    head = ["clients", "fixed Gb/s", "adaptive Gb/s", "fixed p99 ms", "adaptive p99 ms"]
    table = [[clients(f),
              gbps(f),
              gbps(a),
              shown(f, "p99_us", 1e-3),
              shown(a, "p99_us", 1e-3)] for f, a in rows]
    first = number(rows[0][0]["goodput_gbps"])
    collapsed = next((clients(f) for f, _ in rows if number(f["goodput_gbps"]) < 0.8 * first), None)
    worst = min((number(a["goodput_gbps"]) for _, a in rows))
    said = [
        "A window of each client waits in the switch. When all windows together take longer than "
        "the data timer, each frame is sent again "
        "although none is lost, and the repeated frames fill the port: the goodput collapses.",
        f"With the fixed timer it falls below four fifths at {collapsed} clients; with the "
        "adaptive one (data_timer_rule: adaptive, "
        f"RFC 6298) it is never below {worst:.3f} Gb/s."
        if collapsed else "In these results the fixed timer bears all of them."
    ]
    panels = [(lines("Goodput (Gb/s)", curves, "clients",
                     bottom=0), "goodput over the clients, fixed and adaptive data timer"),
              (lines("99th percentile (ms)", times, "clients",
                     bottom=0), "99th percentile of the transfer time")]
    caption = (
        "The switch has 1 MiB; it dropped "
        f"{sum(int(row['s0.server.refused']) for row in e.rows):,} frames."
    )
    return told(said) + page.figure(e, "Queues longer than the data timer", panels, caption, head,
                                    table), (collapsed, worst)


def buffer(page: pages.Page) -> Any:
    e: Any = page.experiment("buffer")
    if e is None:
        return None

    def of(column: str, scale: float = 1.0) -> list[tuple[Any, ...]]:
        return [(f"{method}, {rule}", look.METHOD_STYLE[method][0], look.GROUP_MARKERS[i],
                 look.LINE_STYLES[i], (kibibytes(e.select(method, timer=rule)),
                                       *curve(e.select(method, timer=rule), column, scale)[1:]))
                for i, rule in enumerate(e.axis(0)) for method in e.scenario["methods"]]

    head = [
        "memory", "timer", "traditional Gb/s", "dynamic Gb/s", "dropped, dynamic",
        "failed %, traditional", "failed %, dynamic", "gain %"
    ]
    table = []
    for t, d in zip(e.select("traditional"), e.select("dynamic")):
        same = t["failed_share"] == d["failed_share"]
        table.append([
            d["values"][-1], d["values"][0],
            gbps(t),
            gbps(d), f"{int(d['s0.server.refused']):,}",
            failed(t),
            failed(d),
            gain_text(d) if same else "not judged"
        ])
    best = max(e.select("dynamic", timer="fixed"),
               key=lambda row: float(number(row["goodput_gbps"])))
    adaptive = e.select("dynamic", timer="adaptive")
    low = min(number(row["goodput_gbps"]) for row in adaptive)
    lost = sum(int(row["transfers_failed"]) for row in adaptive)
    said = [
        (
            "Sixteen clients whose windows together are longer than the memory of the switch, or"
            " than the data timer. Less memory drops frames, which fast retransmission repeats"
            " soon; more memory lets queues outlast the fixed timer."
        ),
        (
            "With the fixed timer the goodput is best with"
            f" {best['values'][-1]} ({gbps(best)} Gb/s). With the adaptive one it is at least"
            f" {low:.3f} Gb/s with any of them, and {lost} transfers fail. Where the shares of"
            " failed transfers differ no gain is judged: a starved client asks less."
        ),
    ]
    panels = [
        (
            lines("Goodput (Gb/s)", of("goodput_gbps"), "memory of the switch (KiB)", bottom=0),
            "goodput over the memory of the switch",
        ),
        (
            lines(
                "99th percentile (ms)", of("p99_us", 1e-3), "memory of the switch (KiB)", bottom=0
            ),
            "99th percentile over the memory of the switch",
        ),
    ]
    return (
        told(said)
        + page.figure(e, "Frames that a switch drops", panels, "16 clients.", head, table),
        best,
    )


def indirect_buffer(page: pages.Page) -> Any:
    e = page.experiment("indirect_buffer")
    if e is None:
        return None
    rows = e.select("dynamic")
    head = ["indirect buffer", "gain %", "refused frames a transfer", "most slots in use", "p99 ms"]
    table = []
    for row in rows:
        transfers = int(row["transfers_completed"]) + int(row["transfers_failed"])
        table.append([
            row["values"][-1],
            gain_text(row), f"{int(row['server.transport.buffer_full']) / transfers:.2f}",
            row["server.transport.indirect_buffer_high_water"],
            shown(row, "p99_us", 1e-3)
        ])
    enough = next((row for row in rows
                   if int(row["server.transport.buffer_full"]) == 0 and row["values"][-1] != "0 B"),
                  None)
    most = max(int(row["server.transport.indirect_buffer_high_water"]) for row in rows)
    said = [
        "What arrives before its memory is registered waits in the server's indirect buffer. While "
        "one registration is tried again the port "
        "can fill it, whoever sends: its size follows from the port's rate and the host's retry, "
        "not from the number of clients.",
        (f"It refuses nothing from {enough['values'][-1]} on"
         if enough else "The largest one here still refuses frames") +
        f"; at most {most} slots of 1 KiB were in use."
    ]
    places = list(range(len(rows)))

    def panel(column: str, title: str, scale: float = 1.0,
              half: str | None = None) -> Callable[..., Any]:
        def draw(axes: Any, legend: bool) -> None:
            del legend
            x, y, bars = curve(rows, column, scale, half, places)
            colour, marker = look.METHOD_STYLE["dynamic"]
            look.with_errors(axes, x, y, bars, colour, marker, "-", title)
            look.name_ticks(axes, places, [row["values"][-1] for row in rows])
            axes.set_title(title)
            axes.set_xlabel("indirect buffer of the server")
            axes.tick_params(axis="x", labelsize=8)
            axes.set_ylim(bottom=0)
            look.style(axes)
        return draw

    panels = [(panel("gain", "Gain of the dynamic method (%)", 100,
                     "gain_ci95"), "gain over the size of the indirect buffer"),
              (panel("server.transport.buffer_full", "Refused frames, all repetitions"),
               "refused frames over the size of the indirect buffer")]
    return told(said) + page.figure(e, "How large the indirect buffer has to be", panels,
                                    "Eight clients with pauses.", head, table), (enough, most)


def short_beside_bulk(
        page: pages.Page) -> tuple[Any, list[tuple[dict[str, Any], dict[str, Any]]]] | None:
    e = page.experiment("short_beside_bulk")
    if e is None:
        return None
    rows = [
        (t, d)
        for t, d in zip(
            e.select("traditional", traffic="short"), e.select("dynamic", traffic="short")
        )
    ]
    head = [
        "bulk hosts",
        "traffic",
        "traditional mean ms",
        "dynamic mean ms",
        "gain %",
        "traditional p99 ms",
        "dynamic p99 ms",
        "Jain, dynamic",
    ]
    table = [
        [
            d["values"][-1],
            d["traffic"],
            shown(t, "mean_us", 1e-3, 3),
            shown(d, "mean_us", 1e-3, 3),
            gain_text(d),
            shown(t, "p99_us", 1e-3, 2),
            shown(d, "p99_us", 1e-3, 2),
            shown(d, "jain", 1, 3),
        ]
        for t, d in zip(e.select("traditional"), e.select("dynamic"))
    ]
    said = [
        (
            "Transfers of 4 KiB beside transfers of 1 MiB at the same port. A short one waits"
            " behind what is queued in the switch, a window of each bulk host. It gains most from"
            " the dynamic method: a refused registration costs it a whole request timer otherwise."
        ),
        (
            f"With {rows[-1][1]['values'][-1]} bulk hosts the 99th percentile of the short ones is"
            f" {shown(rows[-1][0], 'p99_us', 1e-3, 2)} ms with the traditional method and"
            f" {shown(rows[-1][1], 'p99_us', 1e-3, 2)} ms with the dynamic one."
        ),
    ]
    panels = [
        (
            lines(
                "Short: 99th percentile (ms)",
                by_method(e, "p99_us", 1e-3, traffic="short"),
                "bulk hosts",
                bottom=0,
            ),
            "99th percentile of short transfers",
        ),
        (
            lines("Short: gain (%)", gains(e, traffic="short"), "bulk hosts", percent=True),
            "gain of short transfers",
        ),
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Short transfers beside bulk",
            panels,
            "Short: 4 clients, 4 KiB; bulk: 1 MiB.",
            head,
            table,
        ),
        rows,
    )


def table_limits(page: pages.Page) -> Any:
    e: Any = page.experiment("table")
    if e is None:
        return None
    head = [
        "entries", "busy answer", "traditional Gb/s", "dynamic Gb/s", "failed %, traditional",
        "failed %, dynamic", "refused, dynamic", "Jain, dynamic"
    ]
    table = [[
        d["values"][-1], d["values"][0],
        gbps(t),
        gbps(d),
        failed(t),
        failed(d), f"{int(d['server.transport.table_full']):,}",
        shown(d, "jain", 1, 3)
    ] for t, d in zip(e.select("traditional"), e.select("dynamic"))]
    rows = e.select("dynamic", busy_answer="false")
    answered = e.select("dynamic", busy_answer="true")
    enough = next(
        (row["values"][-1] for row in rows if int(row["server.transport.table_full"]) == 0), None)
    said = [
        "Eight clients and a server whose connection table is too small for all of them. A request "
        "that finds it full is not answered: its "
        "initiator tries again at its timer, sixteen times, and then fails.",
        f"The table refuses nothing from {enough} entries on."
        if enough else "All tables here refuse requests.",
        f"With {rows[0]['values'][-1]} entries the dynamic method's goodput is {gbps(rows[0])} "
        f"Gb/s, and {gbps(answered[0])} Gb/s where the server "
        "answers that it is busy: data that would find no entry is not sent then. More transfers "
        "fail instead, as each answer costs a request."
        if number(answered[0]["goodput_gbps"]) > number(rows[0]["goodput_gbps"]) else
        "The answer that the server is busy brings nothing here."
    ]

    def of(column: str) -> list[tuple[Any, ...]]:
        return [(f"{method}, {text}", look.METHOD_STYLE[method][0], look.GROUP_MARKERS[i],
                 look.LINE_STYLES[i], curve(e.select(method, busy_answer=value), column))
                for i, (value, text) in enumerate((("false", "silent"), ("true", "busy")))
                for method in e.scenario["methods"]]

    panels = [(lines("Goodput (Gb/s)", of("goodput_gbps"), "table entries",
                     bottom=0), "goodput over the table's entries"),
              (lines("Jain's index", of("jain"), "table entries",
                     bottom=0), "Jain's index over the table's entries")]
    return told(said) + page.figure(e, "A connection table that is too small", panels,
                                    "Eight clients.", head, table), enough


def pauses(page: pages.Page) -> tuple[Any, None] | None:
    e: Any = page.experiment("pauses")
    if e is None:
        return None
    pairs = list(zip(e.select("none", lossless="[]"), e.select("none", lossless="[3]")))
    head = [
        "hosts", "traffic", "lost %, drops", "lost %, pauses", "p99 us, drops", "p99 us, pauses",
        "Gb/s, drops", "Gb/s, pauses", "Jain, drops", "Jain, pauses", "pause frames",
        "marked, pauses"
    ]
    table = [[
        d["values"][-1], d["traffic"],
        failed(d),
        failed(p),
        shown(d, "p99_us"),
        shown(p, "p99_us"),
        gbps(d),
        gbps(p),
        shown(d, "jain", 1, 3),
        shown(p, "jain", 1, 3),
        counted(a_run(p, "s0.source.pauses_sent")),
        counted(a_run(p, "s0.sink.marked"))
    ] for d, p in pairs]
    dropped, paused = [pair for pair in pairs if pair[0]["traffic"] == "bulk"][-1]
    said = [
        (
            "Plain hosts at 100 Gb/s, each with as many frames of 4 KiB as its wire takes, to one"
            " host; short frames of a higher class pass them. With two hosts and more the switch"
            " drops frames, or it pauses their senders (IEEE 802.1Qbb) and loses none."
        ),
        (
            f"With {dropped['values'][-1]} hosts {failed(dropped)} % of the frames are lost without"
            f" pauses, and {failed(paused)} % with them; the port carries {gbps(dropped)} and"
            f" {gbps(paused)} Gb/s. Jain's index is {shown(dropped, 'jain', 1, 3)} and"
            f" {shown(paused, 'jain', 1, 3)}."
        ),
    ]

    def of(column: str, scale: int, traffic: Any) -> list[tuple[Any, ...]]:
        return [(text, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], "-",
                 curve(e.select("none", lossless=classes, traffic=traffic), column, scale))
                for i, (classes, text) in enumerate((("[]", "drops"), ("[3]", "pauses")))]

    panels = [(lines("Bulk: lost frames (%)", of("failed_share", 100, "bulk"), "hosts",
                     bottom=0), "lost frames over the number of hosts"),
              (lines("Short: 99th percentile (us)", of("p99_us", 1, "short"), "hosts",
                     bottom=0), "99th percentile of short frames over the number of hosts")]
    caption = (
        "Frames of 4 KiB in class 3, short ones in class 6. Counters: mean of the repetitions."
    )
    return told(said) + page.figure(e, "A switch that drops, and one that pauses", panels, caption,
                                    head, table), None


def placement(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("placement")
    if e is None:
        return None
    rows = e.rows
    head = [
        "pace of each", "flows", "Gb/s", "time of all frames ms", "mean us", "p99 us", "lost %",
        "pause frames", "marked frames"
    ]

    def whole(row: Mapping[str, Any]) -> Any:
        return whole_ms(row, 4096)

    def pauses_of(row: Mapping[str, Any]) -> float:
        return a_run(row, "s0.source.pauses_sent")

    def marks_of(row: Mapping[str, Any]) -> float:
        return a_run(row, "s0.sink.marked")
    table = [
        [
            *row["values"],
            gbps(row),
            f"{whole(row):.2f}",
            shown(row, "mean_us"),
            shown(row, "p99_us"),
            failed(row),
            counted(pauses_of(row)),
            counted(marks_of(row)),
        ]
        for row in rows
    ]
    alone, both = rows[-2:]
    said = [
        (
            "Flows of ordinary frames of 4 KiB to one host, each at a pace. While the port carries"
            " their sum they do not affect each other. Where it does not, the switch pauses both"
            " and marks frames, and both take longer."
        ),
        (
            f"At {both['values'][0]} each: alone {whole(alone):.2f} ms,"
            f" {counted(pauses_of(alone))} pause frames; both {whole(both):.2f} ms,"
            f" {counted(pauses_of(both))} pause frames, {counted(marks_of(both))} marks."
        ),
    ]

    def bars(of: Callable[..., Any], title: str, unit: str) -> Callable[..., Any]:
        def draw(axes: Any, legend: bool) -> None:
            del legend
            places = list(range(len(rows)))
            axes.bar(places, [of(row) for row in rows], color=look.METHOD_STYLE["dynamic"][0],
                     width=0.6)
            look.name_ticks(axes, places,
                            [f"{row['values'][1]} x {row['values'][0].split()[0]}" for row in rows])
            axes.set_title(f"{title} ({unit})")
            axes.set_xlabel("flows x Gb/s")
            axes.set_ylim(bottom=0)
            look.style(axes)
        return draw
    panels = [(bars(whole, "Time of all frames", "ms"), "time of all frames, alone and together"),
              (bars(pauses_of, "Pause frames", "number"), "pause frames, alone and together")]
    return told(said) + page.figure(e, "Two flows and one port", panels,
                                    "100,000 frames of each. Counters: mean of the repetitions.",
                                    head, table), None


SECTIONS = {
    "A full port": incast,
    "What is sent again": resume,
    "A port with room": load,
    "The data timer": data_timer,
    "Memory of the switch": buffer,
    "The indirect buffer": indirect_buffer,
    "Short transfers": short_beside_bulk,
    "The connection table": table_limits,
    "Pauses in place of drops": pauses,
    "Two flows and one port": placement,
    "Held against theory": systems_targets.section
}


def front(page: pages.Page, found: Mapping[str, Any]) -> pages.Front:
    """Three findings in a picture, and behind them what is missed."""
    e: Any  # is there where its section was found
    findings, panels, behind = [], [], []
    if "A port with room" in found and "A full port" in found:
        (_, _, load_rows), (_, negative, full_rows) = (
            found["A port with room"],
            found["A full port"],
        )
        (_, first), (_, last) = load_rows[0], load_rows[-1]
        findings.append(
            f"At a port that is about half full the dynamic method gains {gain_text(first)} % with"
            f" {clients(first)} clients and {gain_text(last)} % with {clients(last)}; at a full"
            f" port {gain_text(full_rows[0][1])} % with one client"
            + (f", and it loses with {', '.join(negative)}." if negative else ".")
        )
        curves = [
            (
                label,
                look.GROUP_COLOURS[i],
                look.GROUP_MARKERS[i],
                look.LINE_STYLES[i],
                curve(
                    [row for _, row in rows],
                    "gain",
                    100,
                    "gain_ci95",
                    [value(clients(row)) for _, row in rows],
                ),
            )
            for i, (label, rows) in enumerate(
                (("port half full", load_rows), ("port full", full_rows))
            )
        ]
        panels.append(
            (
                lines("Gain of the dynamic method (%)", curves, "clients", percent=True),
                "gain over the clients, at a port half full and at a full one",
            )
        )
    if "The data timer" in found and found["The data timer"][0]:
        (collapsed, worst), e = found["The data timer"], page.experiment("data_timer")
        findings.append(
            f"The fixed data timer collapses at {collapsed} clients where the switch has room for"
            f" their windows; the adaptive one keeps at least {worst:.3f} Gb/s."
        )
        curves = [
            (
                f"{rule} data timer",
                look.GROUP_COLOURS[i],
                look.GROUP_MARKERS[i],
                look.LINE_STYLES[i],
                curve(e.select("dynamic", timer=rule), "goodput_gbps"),
            )
            for i, rule in enumerate(e.axis(0))
        ]
        panels.append(
            (
                lines("Goodput, dynamic method (Gb/s)", curves, "clients", bottom=0),
                "goodput over the clients, fixed and adaptive data timer",
            )
        )
    if "The indirect buffer" in found and found["The indirect buffer"][0]:
        findings.append(
            "The server's indirect buffer refuses nothing from"
            f" {found['The indirect buffer'][0]['values'][-1]} on: its size follows from the port's"
            " rate and the host's retry, not from the number of clients."
        )
    if "Held against theory" in found:
        rows = found["Held against theory"]
        counts = [("expectations of theory", len(rows), sum(holds for *_, holds, _ in rows))]
        behind.append(
            (
                "What is missed",
                pages.missed(
                    counts,
                    [
                        [what, theory, here, name]
                        for what, theory, here, holds, name in rows
                        if not holds
                    ],
                ),
            )
        )
    return pages.Front(
        findings, panels, "One server at 1 Gb/s. Bars: 95 % intervals over the repetitions.", behind
    )


FAMILY = pages.Family("systems", "The method among many", LEAD, SECTIONS, front)


@ending.reported("systems_page")
def main(arguments: Sequence[str]) -> int:
    return pages.write(FAMILY, __doc__, arguments)
