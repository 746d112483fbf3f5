# SPDX-License-Identifier: Apache-2.0
"""Plasma's sections of the page "Applications"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page import applications_claims as claims
from rnicsim.family_page.applications_claims import KIB, crossover, of_protocol, size_of
from rnicsim.family_page.applications_drawing import BLANK, over_sizes, times
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.experiment import counted
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import look
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages

PROTOCOLS = ("socket", "sendrecv", "read")
KINDS = {  # of work, as counters have them: what a bar shows
    "calls of the store": ("call",),
    "TCP": ("syscall", "epoll", "wake", "stream_tx", "stream_rx"),
    "copies": ("copy",),
    "new pages": ("touch",),
    "registration": ("registration", "deregistration"),
    "verbs": ("post", "receive", "poll", "event_read", "arm", "context_switch", "work"),
}


def plasma(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("plasma")
    if e is None:
        return None
    curves = {name: of_protocol(e, name) for name in (*PROTOCOLS, "hybrid")}
    head, table = times(e, curves)
    shown = {name: curves[name] for name in PROTOCOLS}
    panels = [
        (over_sizes("Small objects (us)", shown, 32 * KIB), "time of small objects"),
        (over_sizes("Large objects (us)", shown, 4096 * KIB, 32 * KIB), "time of large objects"),
    ]
    rows = claims.of_plasma(e)
    said = [
        "A get: TRANSFER and DATA by TCP, room in the store, the object, its seal. Sockets pay "
        "20 us for each write of 4 KiB, chunks of 4 KiB wait for an ACK each, a READ has both "
        "ends register the object for it."
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Three ways to fetch an object",
            panels,
            "Mean of 20 gets, one at a time.",
            head,
            table,
        ),
        rows,
    )


def where(page: pages.Page) -> tuple[Any, Any] | None:
    """Stacked bars: what both processors work for."""
    e = page.experiment("plasma")
    if e is None:
        return None
    chosen = [
        (text, row)
        for text in ("4 KiB", "64 KiB", "1 MiB")
        for protocol in PROTOCOLS
        for row in of_protocol(e, protocol)
        if row["values"][0] == text
    ]

    def worked(row: Mapping[str, Any], kinds: Sequence[str]) -> float:
        """us an object, of both ends."""
        return (
            sum(
                int(row[f"{host}.host.worked_{kind}_ps"])
                for host in ("owner", "user")
                for kind in kinds
            )
            / 1e6
            / int(row["transfers_completed"])
        )

    def draw(sizes: str) -> Callable[..., Any]:
        def bars(axes: Any, legend: bool) -> None:
            del legend
            of = [row for text, row in chosen if text == sizes]
            below = [0.0] * len(of)
            for (label, kinds), colour in zip(KINDS.items(), look.GROUP_COLOURS * 2):
                values = [worked(row, kinds) for row in of]
                axes.bar(
                    range(len(of)),
                    values,
                    bottom=below,
                    width=0.6,
                    color=colour,
                    label=label,
                    hatch="//" if label in ("registration", "verbs") else None,
                )
                below = [a + b for a, b in zip(below, values)]
            look.name_ticks(axes, list(range(len(of))), list(PROTOCOLS))
            axes.set_title(f"Both processors, {sizes} (us)")
            axes.set_ylim(0, 1.6 * max(below))  # room for the legend
            look.style(axes)
            axes.legend(frameon=False, fontsize=8, loc="upper right")

        return bars

    head = ["object", "protocol", *KINDS, "bytes copied", "calls of TCP"]
    table = [
        [
            text,
            row["values"][-1],
            *(f"{worked(row, kinds):.1f}" for kinds in KINDS.values()),
            counted(copied(row)),
            counted(of_get(row, "tcp.calls")),
        ]
        for text, row in chosen
    ]
    panels = [
        (draw(text), f"what the processors do for an object of {text}")
        for text in ("4 KiB", "1 MiB")
    ]
    said = [
        "What both processors do for an object, by kind of work, from the counters of the "
        "hosts. Sockets pay by write, chunks by copy and by new page, a READ by page "
        "registered."
    ]
    return (
        told(said)
        + page.figure(
            e, "Where the time of the processors goes", panels, "us an object.", head, table
        ).replace('id="plasma"', 'id="where"'),
        None,
    )


def of_get(row: Mapping[str, Any], counter: str) -> float:
    return sum(int(row[f"{host}.{counter}"]) for host in ("owner", "user")) / int(
        row["transfers_completed"]
    )


def copied(row: Mapping[str, Any]) -> float:
    by_plasma = 2 * size_of(row) if row["values"][-1] == "sendrecv" else 0
    return by_plasma + of_get(row, "tcp.sent_bytes") + of_get(row, "tcp.read_bytes")


def window(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("window")
    if e is None:
        return None
    curves = {text: e.select("none", **{"protocol, window, chunk": text}) for text in e.axis()}
    names = {
        text: "READ"
        if text.startswith("read")
        else f"{text.split(', ')[1]} x {text.split(', ')[2]}"
        for text in curves
    }
    head, table = times(e, {names[text]: rows for text, rows in curves.items()})
    read = next(rows for text, rows in curves.items() if text.startswith("read"))
    found = {
        names[text]: crossover(rows, read) for text, rows in curves.items() if rows is not read
    }
    panels = [
        (
            over_sizes(
                "Windows of 4 KiB chunks (us)",
                {names[text]: rows for text, rows in curves.items() if text.endswith(", 4 KiB")},
                512 * KIB,
            ),
            "time over size for four windows",
        ),
        (
            over_sizes(
                "Larger chunks (us)",
                {names[text]: rows for text, rows in curves.items() if ", 1, " in text},
                512 * KIB,
            ),
            "time over size for three chunks",
        ),
    ]
    rows = claims.of_window(found, e)
    said = [
        "A READ overtakes SENDs where the ACKs that these wait for have cost more than "
        "registering. With a window of 1 each chunk of 4 KiB waits for its ACK; the copies are "
        "the same with every window.",
        "A READ is better from: "
        + "; ".join(
            f"{name}: {at / KIB:,.0f} KiB" if at is not None else f"{name}: nowhere up to 4 MiB"
            for name, at in found.items()
        )
        + " (between two sizes: by their straight line).",
    ]
    return (
        told(said)
        + page.figure(
            e,
            "The crossover is that of an ACK per chunk, not of memcpy",
            panels,
            "Chunks to an ACK x bytes of a chunk.",
            head,
            table,
        ),
        rows,
    )


def costs(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("costs")
    if e is None:
        return None
    rows, table = [], []
    for text in e.axis(1):
        of = {name: e.select("none", costs=text, protocol=name) for name in ("sendrecv", "read")}
        at = crossover(of["sendrecv"], of["read"])
        gap = number(of["read"][0]["mean_us"]) - number(of["sendrecv"][0]["mean_us"])
        last = number(of["sendrecv"][-1]["mean_us"]) / number(of["read"][-1]["mean_us"])
        rows.append((at, gap, last))
        table.append([text, f"{gap:.1f}", "–" if at is None else f"{at / KIB:.0f}", f"{last:.2f}"])
    labels = ["fitted", "base / 2", "base x 2", "page / 2", "page x 2", "copies / 2", "copies x 2",
              "one WQE"]

    def draw(axes: Any, legend: bool) -> None:
        del legend
        axes.bar(
            range(len(rows)),
            [(at or 0) / KIB for at, *_ in rows],
            width=0.6,
            color=look.GROUP_COLOURS[0],
        )
        look.name_ticks(
            axes, list(range(len(rows))), [text.replace(" ", "\n", 1) for text in labels]
        )
        axes.set_title("A READ is better from (KiB)")
        look.style(axes)

    said = [
        "One cost at a time by half and double. Registration moves the crossover by tens of "
        "KiB; the rate of copies hardly does. With one receive WQE, as the thesis says (its "
        "published code: 100), each chunk waits until it is posted again: a READ is then better "
        f"from {(rows[-1][0] or 0) / KIB:.0f} KiB, and {rows[-1][2]:.2f} times as fast at 4 MiB "
        f"(T3: {rows[0][2]:.2f})."
    ]
    head = [
        "registration base, page; copies warm, cold; receive WQEs",
        "READ behind SENDs at 4 KiB (us)",
        "READ is better from (KiB)",
        "SENDs / READ at 4 MiB",
    ]
    return told(said) + page.figure(
        e,
        "How far the figures move with their costs",
        [(draw, "crossover with each cost")],
        "Window 1, 4 KiB.",
        head,
        table,
    ), claims.of_costs(rows)


def loss(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("loss")
    if e is None:
        return None
    curves = {name: e.select("none", protocol=name) for name in PROTOCOLS}
    places = list(range(len(e.axis(0))))
    drawn = styled(
        [
            (name, (places, [number(row["mean_us"]) / 1e3 for row in rows], [BLANK] * len(rows)))
            for name, rows in curves.items()
        ]
    )
    panels = [
        (
            lines("Mean time of 256 KiB (ms)", drawn, "lost frames", bottom=0, names=e.axis(0)),
            "time over loss for three protocols",
        )
    ]
    head = [
        "lost frames",
        "protocol",
        "mean us",
        "median us",
        "p99 us",
        "packets sent again",
        "TCP pieces sent again",
        "failed",
    ]
    table = [
        [
            row["values"][0],
            row["values"][1],
            f"{number(row['mean_us']):,.1f}",
            f"{number(row['median_us']):,.1f}",
            f"{number(row['p99_us']):,.1f}",
            counted(sum(int(row[f"{host}.rc.retransmissions"]) for host in ("owner", "user"))),
            counted(sum(int(row[f"{host}.tcp.resent"]) for host in ("owner", "user"))),
            row["transfers_failed"],
        ]
        for row in e.rows
    ]
    said = [
        "With one chunk to an ACK a lost packet is mostly the last one of what is sent: nobody "
        "tells of the gap, and the card waits for its timer, 67 ms. A READ is one stream of "
        "packets, whose gaps show at once; what it loses at its end waits as well, as do the "
        "messages of TCP, for 200 ms."
    ]
    return told(said) + page.figure(
        e, "Loss", panels, "256 KiB, three runs of 200 gets.", head, table
    ), claims.of_loss(curves)


def early(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("early")
    if e is None:
        return None
    with_acks, without = e.rows
    head = ["", "mean us", "RNR NAKs"]
    table = [
        [name, f"{number(row['mean_us']):,.1f}", counted(int(row["user.rc.rnr_naks_sent"]))]
        for name, row in (("an ACK per window", with_acks), ("no ACKs", without))
    ]

    times_ms = [number(row["mean_us"]) / 1e3 for row in e.rows]

    def draw(axes: Any, legend: bool) -> None:
        del legend
        axes.bar(
            [0, 1],
            times_ms,
            width=0.5,
            color=look.GROUP_COLOURS[0],
        )
        look.name_ticks(axes, [0, 1], ["an ACK per window", "no ACKs"])
        axes.set_title("Mean time of 256 KiB (ms)")
        look.style(axes)

    said = [
        "Chunks that nobody holds back find no receive WQE: the card refuses them (RNR) and has "
        "them sent again after 640 us. Nothing is lost, and the object takes "
        f"{number(without['mean_us']) / number(with_acks['mean_us']):.0f} times as long. In "
        "every order of events this fault and a slot shared by the chunks of a window, which "
        "corrupts the object, are found by exploration, and none without them."
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Without ACKs",
            [(draw, "time with and without ACKs")],
            "Two receive WQEs, a window of 2.",
            head,
            table,
        ),
        None,
    )
