# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and what each application does then: sections of the page "Applications"."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import Claim, us
from rnicsim.family_page.applications_drawing import BLANK
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import look
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages
    from rnicsim.family_page.experiment import Experiment

# An unanswered packet is sent eight times, a segment seven: until a card or a stream gives up, us.
CARD_GIVES_UP = 8 * 4.096 * 2**14
STREAM_GIVES_UP = 0.2e6 * (2**7 - 1)
# Of a page, us: xeon_2018.
REGISTERING, GIVING_UP = 10.2, 1.2


def noticed(e: Experiment) -> dict[str, tuple[float, int]]:
    """By variant: how long the first operation that failed took, us, and how many failed."""
    found: dict[str, tuple[float, int]] = {}
    with open(e.folder / "transfers.csv", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if not row["error"]:
                continue
            first, failed = found.get(row["variant"], (float(row["time_us"]), 0))
            found[row["variant"]] = (first, failed + 1)
    return found


def faults(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("faults")
    if e is None:
        return None
    losses = e.axis(0)
    head = [
        "operation",
        *(f"{loss} lost (us)" for loss in losses),
        "p99 at the last (us)",
        "failed",
    ]
    table, failed = [], 0
    for name in dict.fromkeys(row["method"] for row in e.rows):
        rows = e.select(name)
        lost = sum(int(row["transfers_failed"]) for row in rows)
        failed += lost
        p99 = f"{number(rows[-1]['p99_us']):,.0f}"
        table.append([name, *(f"{us(row):,.1f}" for row in rows), p99, str(lost)])
    said = [
        "4 KiB, one operation at a time. What is lost at the end of a message is noticed by a "
        "timer alone: of a card after 67 ms, of TCP after 200 ms. None loses or changes a byte."
    ]
    claims = [
        Claim(
            "With up to 1 % of frames lost each operation of each application completes",
            "IBTA 9.7.5; TCP",
            "exact",
            "0 fail",
            str(failed),
            failed == 0,
            e.name,
        )
    ]
    places = list(range(len(losses)))
    drawn = styled(
        [
            (name, (places, [us(row) / 1e3 for row in e.select(name)], [BLANK] * len(losses)))
            for name in ("plasma_sockets", "plasma_chunks", "kv_tcp", "kv_rdma")
        ]
    )
    panels = [
        (
            lines("Mean time (ms)", drawn, "lost frames", bottom=0, names=losses),
            "time over loss for four applications",
        )
    ]
    return (
        told(said) + page.figure(e, "Loss, for each application", panels, "4 KiB.", head, table),
        claims,
    )


def of_leases(e: Experiment) -> Claim:
    """Of all that Plasma's two ends register; counters have what it costs them."""
    row = e.select("plasma_read")[0]
    registered, given_up = (
        [
            round(int(row[f"{host}.host.worked_{kind}_ps"]) / 1e6 / cost)
            for host in ("server", "client")
        ]
        for kind, cost in (("registration", REGISTERING), ("deregistration", GIVING_UP))
    )
    return Claim(
        "Behind a dead link neither end of Plasma keeps an object registered: leases end",
        "design",
        "exact",
        "as often as registered: {} and {}".format(*registered),
        "{} and {}".format(*given_up),
        registered == given_up and min(registered) > 0,
        e.name,
    )


def dead(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("dead")
    if e is None:
        return None
    at = noticed(e)
    names = list(dict.fromkeys(row["method"] for row in e.rows))
    lasts = [after for after, _ in at.values()]
    table = [
        [name, f"{at[name][0] / 1e3:,.1f}", str(at[name][1])] if name in at else [name, "–", "0"]
        for name in names
    ]

    def draw(axes: Any, legend: bool) -> None:
        del legend
        lengths = [at[name][0] / 1e6 if name in at else 0 for name in names]
        axes.barh(range(len(names)), lengths, height=0.6, color=look.GROUP_COLOURS[0])
        axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
        axes.invert_yaxis()
        axes.set_title("A dead link is noticed after (s)")
        look.style(axes, grid="x")

    said = [
        "The link goes down within the first 0.5 ms and stays so. The end that has something "
        "outstanding gives up after eight tries of its card, 537 ms, or seven of TCP, 25.4 s; "
        "an operation under way and those behind it fail."
    ]
    claims = [
        Claim(
            "A dead link is noticed when a card or a stream gives up, no later",
            "IBTA 9.7.5.1.4; RFC 6298",
            "exact",
            f"{CARD_GIVES_UP / 1e3:.0f} or {STREAM_GIVES_UP / 1e3:,.0f} ms",
            f"{min(lasts) / 1e3:.1f} to {max(lasts) / 1e3:,.1f} ms" if lasts else "nothing fails",
            bool(lasts)
            and all(
                min(abs(last - CARD_GIVES_UP), abs(last - STREAM_GIVES_UP)) < 1000 for last in lasts
            ),
            e.name,
        )
    ]
    claims.append(of_leases(e))
    head = ["operation", "noticed after (ms)", "operations that fail, of 120"]
    return (
        told(said)
        + page.figure(
            e,
            "A link that stays down",
            [(draw, "when each application notices a dead link")],
            "4 KiB.",
            head,
            table,
        ),
        claims,
    )


def slow(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("slow")
    if e is None:
        return None
    costs = e.axis(0)
    head = ["operation", *(f"{cost} (us)" for cost in costs), "RNR NAKs"]
    table, refusals = [], 0
    for name in dict.fromkeys(row["method"] for row in e.rows):
        rows = e.select(name)
        naks = sum(
            int(row[f"{host}.rc.rnr_naks_sent"]) for row in rows for host in ("server", "client")
        )
        refusals += naks
        table.append([name, *(f"{us(row):,.1f}" for row in rows), str(naks)])
    said = [
        "The server takes ever longer for a completion. Each protocol waits for room: a message "
        "that found no receive WQE would be refused, and sent again after a timer."
    ]
    claims = [
        Claim(
            "However slow the server is, no message finds no receive WQE",
            "article 4",
            "exact",
            "0 RNR NAKs",
            str(refusals),
            refusals == 0,
            e.name,
        )
    ]
    places = list(range(len(costs)))
    drawn = styled(
        [
            (
                name,
                (places, [us(row) for row in e.select(name)], [BLANK] * len(places)),
            )
            for name in ("echo", "kv_rdma", "rpc", "fifo")
        ]
    )
    return (
        told(said)
        + page.figure(
            e,
            "A slow receiver",
            [
                (
                    lines("Mean time (us)", drawn, "a completion", bottom=0, names=costs),
                    "time over the cost of a completion",
                )
            ],
            "4 KiB; 16 under way, but of plasma, smc and tensor, which have one.",
            head,
            table,
        ),
        claims,
    )


def refused(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("refused")
    if e is None:
        return None
    chances = e.axis(0)
    labels = {}
    for text in e.axis():
        protocol, after = text.split(", ")
        wait = "at once" if after == "0 ns" else f"after {after}"
        labels[text] = "chunks" if protocol == "sendrecv" else f"READ, {wait}"
    curves = {
        label: [row for row in e.rows if row["values"][-1] == text]
        for text, label in labels.items()
    }
    drawn = styled(
        [
            (label, (list(range(len(chances))), [us(row) for row in rows], [BLANK] * len(rows)))
            for label, rows in curves.items()
        ]
    )
    head = ["refused", *(f"{label} (us)" for label in curves), "registrations refused, of READ"]
    table = [
        [
            chance,
            *(f"{us(rows[i]):,.1f}" for rows in curves.values()),
            str(
                sum(
                    int(rows[i].get(f"{host}.host.registrations_failed") or 0)
                    for label, rows in curves.items()
                    if label != "chunks"
                    for host in ("owner", "user")
                )
            ),
        ]
        for i, chance in enumerate(chances)
    ]
    chunks, once = curves["chunks"], curves["READ, at once"]
    slow = curves["READ, after 1 ms"]
    worse = [c for c, a, b in zip(chances, chunks, slow) if us(b) > us(a)]
    said = [
        "Calls that register memory fail by chance; each end tries again. At once, that costs a "
        "call; after a wait, the wait, twice an object. Chunks use memory that was registered "
        "before, as the indirect buffer of the dynamic RNIC does."
    ]
    claims = [
        Claim(
            "64 KiB: chunks overtake a READ when registering fails and is tried after 1 ms",
            "here",
            "finding",
            "from some chance up to 10 % on",
            f"from {worse[0]} on" if worse else "nowhere",
            bool(worse),
            e.name,
        ),
        Claim(
            "... and not if it is tried at once",
            "here",
            "finding",
            "READ is faster up to 10 %",
            f"{us(once[-1]):.1f} against {us(chunks[-1]):.1f} us",
            us(once[-1]) < us(chunks[-1]),
            e.name,
        ),
    ]
    return (
        told(said)
        + page.figure(
            e,
            "If registering memory fails",
            [
                (
                    lines("Mean time of 64 KiB (us)", drawn, "refused", bottom=0, names=chances),
                    "time over the chance that registering fails",
                )
            ],
            "Plasma, 64 KiB, two runs of 500 gets.",
            head,
            table,
        ),
        claims,
    )
