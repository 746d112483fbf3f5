# SPDX-License-Identifier: Apache-2.0
"""Documents (RMongo): sections of the page "A bridge between hosts"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import bars, count, done, points, rows_of, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page.bridge_rows import Row
    from rnicsim.family_page.page import Page

ENDS = ("client", "server")
LINES = {"up_to_date": "up to\ndate"}  # names of more than one
INITIAL = 64  # packets of the whole log: 64 KiB


def posts(row: Row) -> int:
    return count(row, *(f"{end}.host.sends_posted" for end in ENDS))


def expected(kind: str, flow: str, operations: int) -> int:
    """Work requests of the thesis' sequences: a message, and in turns an empty WRITE for each."""
    twice = 2 if flow == "turns" else 1
    exchange, query, pull = 2 * twice, twice + 1, 2 * twice + twice + 1
    each = {"write": exchange, "query": query, "oplog": pull, "always": pull, "heartbeat": pull}
    if kind == "up_to_date":
        return operations * exchange + query
    return operations * each[kind] + (operations // 4 * exchange if kind == "heartbeat" else 0)


def sequences(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("document_counts")
    if e is None:
        return None
    kinds = list(dict.fromkeys(row["method"] for row in e.rows))
    flows = e.axis(0)
    rows = {(row["method"], row["values"][0]): row for row in e.rows}
    equal = sum(posts(row) == expected(kind, flow, done(row)) for (kind, flow), row in rows.items())
    panels = [
        (
            bars(
                f"WRITEs an operation, {flow}",
                [LINES.get(kind, kind) for kind in kinds],
                [posts(rows[kind, flow]) / done(rows[kind, flow]) for kind in kinds],
            ),
            f"WRITEs of an operation, {flow}",
        )
        for flow in flows
    ]
    table = [
        [
            kind,
            flow,
            f"{posts(row):,}",
            f"{expected(kind, flow, done(row)):,}",
            f"{us(row, 'median_us'):.2f}",
            f"{count(row, 'server.rc.tx_payload_packets'):,}",
        ]
        for (kind, flow), row in rows.items()
    ]
    once, always = rows["oplog", "slots"], rows["always", "slots"]
    packets = [count(row, "server.rc.tx_payload_packets") for row in (once, always)]
    pull, write = (us(rows[kind, "slots"], "median_us") for kind in ("oplog", "write"))
    waits = us(rows["up_to_date", "slots"], "median_us")
    said = [
        "Each message is a WRITE with immediate. A query's documents are its answer. A round of "
        "the log asks how far the primary is, and for what is new; the first one pulls the whole "
        "log. As printed the mark that says so is never cleared (always): each round pulls all of "
        "it."
    ]
    claims = [
        Claim(
            "R8",
            "a query's answer is one WRITE, whatever its bytes",
            "exact",
            "all counts as the sequences have them",
            f"{equal} of {len(rows)} equal",
            equal == len(rows),
            e.name,
        ),
        Claim(
            "R11",
            "a pull takes two round trips; who is up to date waits",
            "shape",
            "twice a write; 20 us and a round",
            f"{pull / write:.2f} times; {waits:.1f} us",
            1.9 <= pull / write <= 2.2 and 20 < waits < 20 + pull,
            e.name,
        ),
        Claim(
            "R11b",
            "as printed each round pulls the whole log (defect)",
            "exact",
            f"{INITIAL} packets more a round, but for the first",
            f"{packets[0]:,} packets; {packets[1]:,}",
            packets[1] - packets[0] == (done(always) - 1) * (INITIAL - 1),
            e.name,
        ),
    ]
    head = [
        "operation",
        "messages in",
        "WRITEs",
        "by formula",
        "median us",
        "packets of the server",
    ]
    return (
        told(said) + page.figure(e, "What an operation takes", panels, "500 B.", head, table),
        claims,
    )


def sizes(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("document_sizes")
    if e is None:
        return None
    names = e.axis(1)
    places = list(range(len(names)))
    of = {
        (kind, work): [us(row, "median_us") for row in rows_of(e, work, method=kind)]
        for kind in ("pool", "each", "tcp")
        for work in e.axis(0)
    }
    idle, busy = e.axis(0)
    gains = {
        work: [1 - a / b for a, b in zip(of["pool", work], of["tcp", work])] for work in e.axis(0)
    }
    each = [b / a for a, b in zip(of["pool", idle], of["each", idle])]
    saved = [b - a for a, b in zip(of["pool", idle], of["tcp", idle])]
    labels = {"pool": "registered once", "each": "for each query", "tcp": "TCP"}
    panels = [
        (
            lines(
                "A query, server does nothing (us)",
                styled([(label, points(places, of[kind, idle])) for kind, label in labels.items()]),
                "documents",
                bottom=0,
                names=names,
            ),
            "median time of a query by size",
        ),
        (
            lines(
                "RDMA takes less than TCP by (%)",
                styled(
                    [
                        (f"server works {work}", points(places, [100 * one for one in gains[work]]))
                        for work in e.axis(0)
                    ]
                ),
                "documents",
                bottom=0,
                names=names,
            ),
            "gain over size",
        ),
    ]
    table = [
        [text, work, *(f"{of[kind, work][i]:.1f}" for kind in labels), f"{gains[work][i]:.0%}"]
        for work in e.axis(0)
        for i, text in enumerate(names)
    ]
    said = [
        "Against TCP most is saved a message, not a byte: the gain is largest where documents are "
        "small and the server is quick. Registering for each query costs more than TCP does."
    ]
    claims = [
        Claim(
            "R6",
            "a pool beats registering each time, small ones most",
            "shape",
            "always, and falling",
            ", ".join(f"{one:.1f}" for one in each) + " times",
            min(each) > 1 and each == sorted(each, reverse=True),
            e.name,
        ),
        Claim(
            "R9",
            "the gain over TCP grows with the bytes moved",
            "shape",
            "grows",
            f"{', '.join(f'{one:.0%}' for one in gains[idle])}: it falls; saved are "
            f"{', '.join(f'{one:.0f}' for one in saved)} us",
            gains[idle] == sorted(gains[idle]),
            e.name,
        ),
        Claim(
            "R10",
            "with work of the server the gain is smaller",
            "shape",
            "at each size",
            f"{max(gains[busy]):.0%} at most, {max(gains[idle]):.0%} without",
            all(a < b for a, b in zip(gains[busy], gains[idle])),
            e.name,
        ),
    ]
    head = ["documents", "work", *(f"{label} (us)" for label in labels.values()), "gain"]
    return (
        told(said) + page.figure(e, "A query by its bytes", panels, "Median.", head, table),
        claims,
    )
