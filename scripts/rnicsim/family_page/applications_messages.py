# SPDX-License-Identifier: Apache-2.0
"""Sections of the page "Applications" on programs that send messages: brpc, NCCL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import KIB, Claim, size_of
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.experiment import value
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

BLANK = float("nan")
REQUEST = 515  # messages of 4 MiB and 12 B, at 8160 B each
WINDOW, ACK_AT = 125, 64


def of_one(row: Mapping[str, Any], *counters: str) -> float:
    """Of a request: the first counter without the others."""
    first, *rest = (int(row[counter]) for counter in counters)
    return (first - sum(rest)) / int(row["transfers_completed"])


def events(row: Mapping[str, Any]) -> float:
    """Of a message, at the server. Interrupts of its Ethernet port are those of the hello."""
    return of_one(row, "server.host.interrupts", "server.ethernet.interrupts") / REQUEST


def curves(
    rows: Mapping[str, Sequence[Mapping[str, Any]]], x: Sequence[float], of: Any
) -> list[Any]:
    return styled(
        [
            (label, (x, [of(row) for row in found], [BLANK] * len(found)))
            for label, found in rows.items()
        ]
    )


def of_calls(e: Experiment) -> list[Claim]:
    everything, some = (e.select("none", solicit=name) for name in ("all", "some"))
    sent = [of_one(row, "server.host.sends_posted") for row in e.rows]
    refused = sum(int(row["server.rc.rnr_naks_sent"]) for row in e.rows)
    slow = {"all": events(everything[0]), "some": events(some[0])}
    return [
        Claim(
            "A7: an ACK to 64 messages, and each message finds a receive WQE",
            "article 4.2",
            "exact",
            f"{REQUEST // ACK_AT} ACKs and an answer; 0 RNR NAKs",
            f"{min(sent):g} to {max(sent):g} SENDs; {refused} RNR NAKs",
            set(sent) == {REQUEST // ACK_AT + 1} and refused == 0,
            e.name,
        ),
        Claim(
            "A8: marks turn an event per message into one per 33, where messages are 6.7 us apart",
            "article 4.2",
            "shape",
            "above 0.95; below 0.04",
            f"{slow['all']:.2f}; {slow['some']:.3f}",
            slow["all"] > 0.95 and slow["some"] < 0.04,
            e.name,
        ),
    ]


def calls(page: Page) -> tuple[Any, Any] | None:
    e = page.experiment("rpc")
    if e is None:
        return None
    by_marks = {
        label: e.select("none", solicit=name)
        for label, name in (("all messages wake", "all"), ("those that are marked", "some"))
    }
    rates = [value(text) for text in e.axis(0)]
    work = "server.host.worked_ps"
    panels = [
        (
            lines(
                "Events per message",
                curves(by_marks, rates, events),
                "link (Gb/s)",
                bottom=0,
            ),
            "events per message over the rate of the link",
        ),
        (
            lines(
                "Server's work per message (us)",
                curves(by_marks, rates, lambda row: of_one(row, work) / 1e6 / REQUEST),
                "link (Gb/s)",
                bottom=0,
            ),
            "work of the server per message over the rate of the link",
        ),
    ]
    head = ["link", "wake", "events per message", "server's work per message (us)", "Gb/s"]
    table = [
        [
            *row["values"],
            f"{events(row):.3f}",
            f"{of_one(row, work) / 1e6 / REQUEST:.3f}",
            f"{number(row['goodput_gbps']):.2f}",
        ]
        for row in e.rows
    ]
    said = [
        "brpc sends a request of 4 MiB in 515 SENDs and lets 125 be under way. A host that waits "
        "for events is woken by the 33rd of those that wake nobody, by the last one, and by the "
        "last one of a window. What comes while it works raises no event, so the faster the link "
        "the less there is to save. The window costs nothing. In every order of events nobody "
        "sleeps for ever with these marks, and without them, or without the window, exploration "
        "finds the fault."
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Messages that wake their receiver",
            panels,
            "10 requests of 4 MiB, one at a time; processor xeon_2018.",
            head,
            table,
        ),
        of_calls(e),
    )


def messages(row: Mapping[str, Any]) -> float:
    return of_one(row, "sender.host.sends_posted") + of_one(row, "receiver.host.sends_posted")


def of_fifo(e: Experiment) -> list[Claim]:
    one, two = (e.select("none", routing=name) for name in ("false", "true"))
    counted = [{messages(row) for row in rows} for rows in (one, two)]
    refused = sum(int(row["receiver.rc.rnr_naks_sent"]) for row in e.rows)
    return [
        Claim(
            "A9: credit first: a pair is 2 messages, 3 with adaptive routing, and none is refused",
            "article 4.3",
            "exact",
            "2; 3; 0 RNR NAKs",
            "; ".join(", ".join(f"{n:g}" for n in sorted(of)) for of in counted)
            + f"; {refused} RNR NAKs",
            counted == [{2}, {3}] and refused == 0,
            e.name,
        )
    ]


def fifo(page: Page) -> tuple[Any, Any] | None:
    e = page.experiment("fifo")
    if e is None:
        return None
    names = {
        f"{depth} at a time, {'WRITE and notice' if routing == 'true' else 'WRITE_IMM'}": {
            "depth": depth,
            "routing": routing,
        }
        for depth in e.axis(1)
        for routing in e.axis(2)
    }
    rows = {label: e.select("none", **chosen) for label, chosen in names.items()}
    sizes = [size_of(row) / KIB for row in next(iter(rows.values()))]
    panels = [
        (
            lines(
                "Gb/s",
                curves(rows, sizes, lambda row: number(row["goodput_gbps"])),
                "message (KiB)",
                bottom=0,
            ),
            "goodput over the size of a message",
        ),
    ]
    head = ["message", "at a time", "divided", "mean us", "until the slot is there (us)", "Gb/s"]
    table = [
        [
            *row["values"],
            f"{number(row['mean_us']):,.2f}",
            f"{number(row['slot_us']):,.2f}",
            f"{number(row['goodput_gbps']):.2f}",
        ]
        for row in e.rows
    ]
    said = [
        "Who receives WRITEs to a FIFO of the sender where a message goes; the sender looks there "
        "until it finds the next slot, and WRITEs the message with a notice. Each message waits "
        "for its slot, however many are under way: that leaves when the buffer that it names is "
        "free, while the sender hears of the message that was there. The first one waits for TCP "
        "as well. A notice of its own costs next to nothing. In every order of events a sender "
        "that does not wait, and a notice that is ahead of its data, are found by exploration, "
        "and nothing without these faults."
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Messages that go where their receiver has said",
            panels,
            "130 messages; processor xeon_2018.",
            head,
            table,
        ),
        of_fifo(e),
    )
