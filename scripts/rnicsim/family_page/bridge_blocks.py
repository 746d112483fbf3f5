# SPDX-License-Identifier: Apache-2.0
"""Blocks of a chain (BoR): sections of the page "A bridge between hosts"."""

from __future__ import annotations

import csv
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import count, done, gbps, ns, points, rows_of, size
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import look

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

SET_UP = 4  # a SEND each way, HANDSHAKE, NOTICE
ASKED = {"window_1": 1, "window_16": 1, "two_parts": 2, "live": 2, "heartbeat": 1, "producer": 0}
MESSAGE = 568 + 82  # bytes on the wire
BEHIND, INTERVAL = 20, 200  # blocks; us
WAITS = 5  # us: one that is sent upon an ACK is there after 4
FORK = 0.5e6  # us from one block to the next: EOS


def transfers(e: Experiment) -> dict[int, list[dict[str, str]]]:
    """By point."""
    found = defaultdict(list)
    with open(e.folder / "transfers.csv", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            found[int(row["point"])].append(row)
    return found


def counts(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("block_counts")
    if e is None:
        return None
    table, equal = [], 0
    for row in e.rows:
        kind, blocks = row["method"], done(row)
        beats = blocks // 9 if kind == "heartbeat" else 0
        wanted = SET_UP + ASKED[kind] + 2 * blocks + beats
        found = count(row, "node.host.sends_posted", "source.host.sends_posted")
        equal += found == wanted
        table.append([kind, row["values"][0], str(found), str(wanted), f"{gbps(row):.1f}"])
    names = e.axis(0)
    places = list(range(len(names)))
    kinds = {
        "window_1": "window 1, as printed",
        "window_16": "window 16",
        "producer": "producer, 1",
    }
    panels = [
        (
            lines(
                "Goodput (Gb/s)",
                styled(
                    [
                        (label, points(places, [gbps(row) for row in e.select(kind)]))
                        for kind, label in kinds.items()
                    ]
                ),
                "block",
                bottom=0,
                names=names,
            ),
            "goodput by size of a block",
        )
    ]
    usual, beat = (
        count(e.select(kind)[0], "node.gmac.tx_bytes") for kind in ("window_1", "heartbeat")
    )
    beats = done(e.rows[0]) // 9
    worked = {count(row, "node.host.worked_ps") for row in e.select("window_1")}
    said = [
        "By TCP a handshake; a SEND each way says where messages go; a handshake and its notice. "
        "Then two WRITEs a block, the second an ACK or a verdict. As printed each ACK has the next "
        "block sent: small blocks wait for it."
    ]
    claims = [
        Claim(
            "B13",
            "where messages go is told once a channel",
            "exact",
            "4 messages, then 2 a block, and what asks for them",
            f"{equal} of {len(e.rows)} runs equal",
            equal == len(e.rows),
            e.name,
        ),
        Claim(
            "B3",
            "each control message has one size",
            "exact",
            f"{MESSAGE} B on the wire",
            f"{beat - usual:,} B for {beats} messages",
            beat - usual == beats * MESSAGE,
            e.name,
        ),
        Claim(
            "B9",
            "who gets a block does nothing until it is there",
            "exact",
            "the same work for blocks of 1 to 256 KiB",
            " and ".join(f"{one / 1e6:.1f} us" for one in sorted(worked)),
            len(worked) == 1,
            e.name,
        ),
    ]
    head = ["", "block", "messages", "by formula", "Gb/s"]
    return (
        told(said) + page.figure(e, "What blocks take", panels, "40 blocks.", head, table),
        claims,
    )


def waits_at(rows: list[dict[str, str]]) -> int | None:
    """Blocks that were verified when one had to be waited for, the first one's set-up apart."""
    return next((i for i, row in enumerate(rows) if i and int(row["block_ps"]) > WAITS * 1e6), None)


def behind(rows: list[dict[str, str]]) -> tuple[list[float], list[int]]:
    """Milliseconds, and how many blocks the node lacks then."""
    ends = [int(row["end_ps"]) / 1e9 for row in rows]
    return ends, [BEHIND + int(1e3 * end / INTERVAL) - i for i, end in enumerate(ends, 1)]


def sync(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("blocks")
    if e is None or not (e.folder / "transfers.csv").exists():
        return None
    of = transfers(e)
    table, panel, found = [], [], {}
    for row in e.rows:
        text, window = row["values"]
        work = ns(text) / 1e3
        rows = of[int(row["point"])]
        at = waits_at(rows)
        form = BEHIND / (1 - work / INTERVAL) if work < INTERVAL else None
        found[text, window] = (at, form)
        table.append(
            [
                text,
                window,
                "never" if at is None else str(at),
                "never" if form is None else f"{form:.0f}",
            ]
        )
        if window == "8" and text in ("50 us", "150 us", "220 us"):
            panel.append((f"{text} a block", points(*behind(rows))))
    works = [ns(text) / 1e3 for text in e.axis(0) if ns(text) / 1e3 < INTERVAL]

    def lag(axes: Any, legend: bool) -> None:
        del legend
        for label, colour, _, dashes, (x, y, _) in styled(panel):
            axes.plot(x, y, color=colour, linestyle=dashes, label=label)
        axes.set_title("Blocks behind the chain")
        axes.set_xlabel("time (ms)")
        axes.set_ylim(bottom=0)
        look.style(axes)
        axes.legend(frameon=False, fontsize=8)

    caught = [(at, form) for (_, window), (at, form) in found.items() if window == "8" and form]
    panels: list[tuple[Any, str]] = [
        (lag, "blocks behind the chain over time"),
        (
            lines(
                "Blocks until it is up to date",
                styled(
                    [
                        ("run", points(works, [at or float("nan") for at, _ in caught])),
                        ("H / (1 - t / g)", points(works, [form for _, form in caught])),
                    ]
                ),
                "work for a block (us)",
                log=False,
                bottom=0,
            ),
            "blocks until a node is up to date",
        ),
    ]
    good = all(at is not None and abs(at - form) <= 1 + 0.05 * form for at, form in caught)
    never = {at for at, form in found.values() if form is None}
    lacks = behind(of[int(e.rows[-1]["point"])])[1]
    said = [
        f"A node is {BEHIND} blocks behind a chain that grows by one each {INTERVAL} us, and "
        "verifies each for so long. The first one waits for its set-up, too."
    ]
    claims = [
        Claim(
            "B1",
            "a new node is up to date iff it is faster than the chain; it asks for each part once "
            "(B13)",
            "exact",
            "after H / (1 - t / g) blocks, within 5 % and one",
            "; ".join(f"{at} of {form:.0f}" for at, form in caught),
            good,
            e.name,
        ),
        Claim(
            "B2",
            "slower than the chain it never is (thesis: 1 s a block, 0.5 s from one to the next)",
            "exact",
            "never, and ever more blocks behind",
            f"{'never' if never == {None} else never}; {BEHIND} and {lacks[-1]} blocks behind",
            never == {None} and lacks[-1] > BEHIND + 1,
            e.name,
        ),
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Catching up",
            panels,
            "1 KiB a block.",
            ["work", "window", "blocks until it waits", "H / (1 - t / g)"],
            table,
        ),
        claims,
    )


def broadcast(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("broadcast")
    if e is None or not (e.folder / "transfers.csv").exists():
        return None
    of = transfers(e)
    peers = [int(text) for text in e.axis(1)]

    def last(row: Any) -> float:
        """us from the first block's begin until the last peer has it."""
        first = [one for one in of[int(row["point"])] if one["id"].endswith(".0")]
        return max(int(one["block_ps"]) for one in first) / 1e6

    took = {text: [last(row) for row in rows_of(e, text)] for text in e.axis(0)}
    panels = [
        (
            lines(
                "Last peer has the block (us)",
                styled([(text, points(peers, took[text])) for text in took]),
                "peers",
                log=False,
                bottom=0,
            ),
            "time over peers",
        )
    ]
    table = [
        [text, str(k), f"{one:.1f}"]
        for text, all_of in took.items()
        for k, one in zip(peers, all_of)
    ]
    large = took[e.axis(0)[-1]]
    wire = 8 * size(e.axis(0)[-1]) / 100e3  # us at 100 Gb/s
    each = (large[-1] - large[0]) / (peers[-1] - peers[0])
    said = [
        "The producer's link carries each block once a peer. Verdicts go to it alone, and nobody "
        f"counts forks. Of 1 MiB {FORK / each:,.0f} peers have it when, 0.5 s later, EOS' next "
        "block is due."
    ]
    claim = Claim(
        "B10",
        "the time to reach K peers grows by a block each once the link is full",
        "shape",
        f"{wire:.1f} us a peer and up to 10 % more, 1 MiB",
        f"{each:.1f} us",
        wire <= each <= 1.1 * wire,
        e.name,
    )
    return told(said) + page.figure(
        e,
        "A block for K peers",
        panels,
        "One switch, 100 Gb/s.",
        ["block", "peers", "last has it (us)"],
        table,
    ), [claim]
