# SPDX-License-Identifier: Apache-2.0
"""Documents at a time, and what they are kept in: sections of the page "A bridge between hosts"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import bars, cost, count, done, gbps, points, rows_of, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page.bridge_rows import Row
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

ENDS = ("client", "server")
PAGE = 4096  # bytes, of what is registered
BASELINE = 50e6  # bytes: S of equation 3.1; k is 0.7
LOADS = {"idle": 0.0, "quarter": 0.25, "half": 0.5, "almost_full": 0.9375}  # of memory
FULL = "full"
WAYS = {"rdma": "slots", "turns": "turns", "each": "registered\neach time", "tcp": "TCP"}
RATES = {**LOADS, "almost_full": 0.9}  # of the link


def several(page: Page) -> tuple[Any, list[Claim]] | None:
    """Of operations at a time, and of who has RDMA."""
    slots, support, all_of = (
        page.experiment(name) for name in ("document_slots", "document_support", "documents")
    )
    if slots is None or support is None or all_of is None:
        return None
    count_of = [int(text) for text in slots.axis(0)]
    rate = [gbps(row) * 1e3 / 8 / 500 for row in slots.rows]
    one, alone = rate[0], rate[count_of.index(4)] / rate[0]
    took = us(slots.rows[0], "median_us") / 16
    panels = [
        (
            lines(
                "M operations/s",
                styled([("16 under way", points(count_of, rate))]),
                "slots",
                bottom=0,
                legend_at="lower right",
            ),
            "operations a second over slots",
        )
    ]
    figure = page.figure(
        slots,
        "Operations at a time",
        panels,
        "500 B.",
        ["slots", "M operations/s"],
        [[str(a), f"{b:.3f}"] for a, b in zip(count_of, rate)],
    )
    ways = {row["method"]: row for row in support.rows}
    packets = {
        name: count(row, *(f"{end}.rc.tx_packets" for end in ENDS)) for name, row in ways.items()
    }
    bar = [
        (
            bars(
                "A query of 4 KiB, median (us)",
                list(ways),
                [us(row, "median_us") for row in ways.values()],
                "who has RDMA",
            ),
            "time by who has RDMA",
        )
    ]
    figure += page.figure(
        support,
        "Which host has RDMA",
        bar,
        "",
        ["has RDMA", "median us", "first (us)", "packets of the cards"],
        [
            [name, f"{us(row, 'median_us'):.2f}", f"{us(row, 'max_us'):.1f}", str(packets[name])]
            for name, row in ways.items()
        ],
    )
    variants = list(dict.fromkeys(row["method"] for row in all_of.rows))
    quick = rows_of(all_of, all_of.axis(0)[0])
    bar = [
        (
            bars(
                "Queries of 4 KiB, 8 under way (Gb/s)",
                [WAYS[name] for name in variants],
                [gbps(row) for row in quick],
            ),
            "goodput by variant",
        )
    ]
    figure += page.figure(
        all_of,
        "Eight queries at a time",
        bar,
        "Server does nothing.",
        ["work", "way", "median us", "Gb/s"],
        [
            [row["values"][0], name.replace("\n", " "), f"{us(row, 'median_us'):.1f}",
             f"{gbps(row):.2f}"]
            for row in all_of.rows
            for name in [WAYS[row["method"]]]
        ],
    )
    others = [packets[name] for name in ways if name != "both"]
    claims = [
        Claim(
            "R1",
            "RDMA if both hosts have it, else TCP",
            "exact",
            "packets of cards with both alone",
            f"{packets['both']}; {', '.join(map(str, others))}",
            packets["both"] > 0 and not any(others),
            support.name,
        ),
        Claim(
            "R2",
            "who has RDMA is found out once, at set-up",
            "exact",
            "the first operation alone is longer",
            f"first {us(ways['neither'], 'max_us'):.0f} us, p90 "
            f"{us(ways['neither'], 'p90_us'):.1f}, median {us(ways['neither'], 'median_us'):.1f}",
            us(ways["neither"], "p90_us") < 1.2 * us(ways["neither"], "median_us"),
            support.name,
        ),
        Claim(
            "R7",
            "one message at a time: a round trip each; N slots, N times, until the end is busy",
            "exact",
            "1 slot: 1 / round; 4 slots 3.6 to 4 times",
            f"{one:.3f} M/s x {took:.2f} us = {one * took:.2f}; {alone:.2f} times",
            0.95 <= one * took <= 1.05 and 3.6 <= alone <= 4,
            slots.name,
        ),
    ]
    return told([]) + figure, claims


def registered(e: Experiment, row: Row) -> float:
    """Bytes, by what it took."""
    base, a_page = (cost(e, f"registration.{key}") for key in ("base", "page"))
    taken = count(row, "client.host.worked_registration_ps") / 1e3
    return (taken - base) / a_page * PAGE


def by_load(title: str, values: Mapping[str, float]) -> Any:
    """Of equation 3.1 and as printed; the equation leaves a full host nothing, which is refused."""
    names = [*LOADS, FULL]
    curves = [
        ("equation 3.1", points(range(len(LOADS)), [values[name] for name in LOADS])),
        ("as printed", points(range(len(names)), [values[f"printed_{name}"] for name in names])),
    ]
    texts = [name.replace("_", "\n") for name in names]
    return lines(title, styled(curves), "host's load", bottom=0, names=texts)


def buffers(page: Page) -> tuple[Any, list[Claim]] | None:
    e, receives = page.experiment("document_buffers"), page.experiment("document_receives")
    if e is None or receives is None:
        return None
    rows = {row["method"]: row for row in e.rows}
    found = {name: registered(e, row) for name, row in rows.items()}
    wanted = {name: 0.7 * BASELINE * (1 - LOADS[name]) * (1 - RATES[name]) for name in LOADS}
    first = {name: us(row, "max_us") / 1e3 for name, row in rows.items()}
    panels = [
        (
            by_load("Registered for a connection (MB)", {k: v / 1e6 for k, v in found.items()}),
            "bytes registered by load",
        ),
        (by_load("First operation (ms)", first), "time of the first operation by load"),
    ]
    table = [
        [
            name,
            f"{found[name] / 1e6:.2f}" if name in found else "refused: 0",
            f"{found[f'printed_{name}'] / 1e6:.2f}",
            f"{first[f'printed_{name}']:.2f}",
        ]
        for name in (*LOADS, FULL)
    ]
    right = all(abs(found[name] - wanted[name]) <= PAGE for name in LOADS)
    few = rows["almost_full"]
    printed, again = receives.select("as_printed")[0], receives.select("posted_again")[0]
    naks = count(printed, "server.rc.rnr_naks_sent")
    said = [
        "Loads: none; 25 and 50 % of memory and link; 93.75 and 90 %; all memory. As printed a "
        "host that has nothing left registers 50 MB, and so does one below the bound (0.5, no "
        "value in the thesis). Where buffers are few, operations wait for them.",
        f"As printed no receive WQE is posted again: {done(printed)} operations, then RNR NAKs; "
        "with seven tries, which is for ever, the run ends by its watchdog, with two the others "
        "fail.",
    ]
    claims = [
        Claim(
            "R4",
            "equation 3.1: 35, 19.7, 8.75, 0.22 MB; printed jumps to 50",
            "exact",
            "to a page; 50 MB from the bound on",
            ", ".join(f"{found[name] / 1e6:.2f}" for name in LOADS)
            + f"; {found['printed_idle'] / 1e6:.2f}",
            right and abs(found["printed_idle"] - BASELINE) <= PAGE,
            e.name,
        ),
        Claim(
            "R5",
            "printed: a full host registers most (defect)",
            "exact",
            "50 MB",
            f"{found['printed_full'] / 1e6:.2f} MB",
            abs(found["printed_full"] - BASELINE) <= PAGE,
            e.name,
        ),
        Claim(
            "R12",
            "printed: a receive WQE is used once (defect)",
            "exact",
            "6 operations, 3 RNR NAKs; none otherwise",
            f"{done(printed)}, {naks}; {done(again)} of 20",
            (done(printed), naks) == (6, 3) and not count(again, "server.rc.rnr_naks_sent"),
            receives.name,
        ),
        Claim(
            "B8",
            "few buffers hold operations back, and lose none",
            "exact",
            "waits, 0 fail",
            f"{us(few, 'wait_us'):.1f} us in the mean, {few['transfers_failed']} fail",
            us(few, "wait_us") > 10 * us(rows["idle"], "wait_us")
            and few["transfers_failed"] == "0",
            e.name,
        ),
    ]
    head = ["load", "equation (MB)", "as printed (MB)", "first operation, printed (ms)"]
    figure = page.figure(e, "Buffers by load", panels, "", head, table)
    figure += page.figure(
        receives,
        "Receive WQEs",
        [
            (
                bars(
                    "Operations of 20 that complete",
                    ["posted again", "as printed"],
                    [done(again), done(printed)],
                ),
                "operations that complete",
            )
        ],
        "4 slots.",
        ["", "complete", "fail", "RNR NAKs"],
        [
            [
                row["method"],
                str(done(row)),
                row["transfers_failed"],
                str(count(row, "server.rc.rnr_naks_sent")),
            ]
            for row in receives.rows
        ],
    )
    return told(said) + figure, claims
