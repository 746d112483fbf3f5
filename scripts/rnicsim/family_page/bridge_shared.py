# SPDX-License-Identifier: Apache-2.0
"""Connections that share rings and cores: turns, priorities, placement, one core, copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import bars, cost, done, gbps, points, rows_of, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page.page import Page

TURNS = {
    "own_ring": "own ring",
    "one_slot": "1 slot",
    "four_slots": "4 slots",
    "batch": "16 slots",
    "whole": "messages",
}


def turns(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("turns")
    if e is None:
        return None
    small = [e.select(kind, traffic="small")[0] for kind in TURNS]
    large = [e.select(kind, traffic="large")[0] for kind in TURNS]
    names = list(TURNS.values())
    tails = [us(row, "p99_us") for row in small]
    table = [
        [name, f"{us(row):.2f}", f"{us(row, 'p99_us'):.2f}", f"{gbps(beside):.1f}"]
        for name, row, beside in zip(names, small, large)
    ]
    own, one, four, batch, whole = tails
    said = [
        "A large message has ten slots. The small one waits until the turn of the other connection "
        "is over: a message, some slots, or one. A turn of 16 slots, as the published code has it, "
        "goes on into the next message, and is worse than no slices at all: what helps is a short "
        "turn, or a ring of one's own."
    ]
    claims = [
        Claim(
            "N18",
            "8 B behind 10 KB in one ring: a long tail without slices, near the optimum with them",
            "shape",
            "p99 by turns of 16 slots, the default, below half of that by messages",
            f"{batch:.2f} us; {whole:.2f} by messages, {own:.2f} in a ring of its own",
            batch < 0.5 * whole,
            e.name,
        ),
        Claim(
            "D4",
            "... with turns of one slot",
            "shape",
            "p99 below half of that by messages, above that in an own ring",
            f"{one:.2f} us; {four:.2f} by 4 slots",
            own < one < 0.5 * whole,
            e.name,
        ),
    ]
    turn, mean = "how long a turn is", [us(row) for row in small]
    shown = [
        (bars("8 B, mean (us)", names, mean, turn), "mean of 8 B"),
        (bars("8 B, p99 (us)", names, tails, turn), "99th percentile of 8 B"),
    ]
    head = ["turns", "8 B mean (us)", "p99 (us)", "Gb/s of 10,000 B"]
    return told(said) + page.figure(
        e, "A small message in the ring of large ones", shown, "", head, table
    ), claims


def priorities(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("priorities")
    if e is None:
        return None
    names = ["strict" if text == "0" else text for text in e.axis(0)]
    mean, most = (
        {
            kind: [us(row, column) for row in e.rows if row["traffic"] == kind]
            for kind in ("first", "last")
        }
        for column in ("mean_us", "max_us")
    )
    table = [
        [name, f"{a:.1f}", f"{b:.1f}", f"{c:.1f}"]
        for name, a, b, c in zip(names, mean["first"], mean["last"], most["last"])
    ]
    said = [
        "Both always have messages. Without a bound the flow of priority 7 moves when that of 0 is "
        "over; with one turn each both are as without priorities."
    ]
    waits = most["last"][0] / most["last"][-1]
    claim = Claim(
        "N21",
        "strict priorities starve the lowest; a bound of turns does not",
        "shape",
        "the longest wait of the last is ten times that with one turn each; then both take as "
        "long, within 10 %",
        f"{waits:.1f} times; {mean['last'][-1] / mean['first'][-1]:.2f}",
        waits >= 10 and abs(mean["last"][-1] / mean["first"][-1] - 1) <= 0.1,
        e.name,
    )
    longest = bars("Priority 7, longest (us)", names, most["last"], "turns of priority 0 in a row")
    shown = [(longest, "longest wait of the last")]
    head = ["turns of the first", "first (us)", "last (us)", "longest of the last (us)"]
    return told(said) + page.figure(e, "Two priorities in a ring", shown, "", head, table), [claim]


def slow_program(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("slow_program")
    if e is None:
        return None
    kinds = {"quick": "as quick", "slow": "slow", "lossy": "slow, no flow control"}
    fast, slow = (
        [e.select(kind, traffic=item)[0] for kind in kinds] for item in ("fast", "slow")
    )
    lost = [int(row["transfers_failed"]) for row in slow]
    names = list(kinds.values())
    table = [
        [name, f"{us(a):.2f}", f"{us(b):.2f}", str(done(b)), str(n)]
        for name, a, b, n in zip(names, fast, slow, lost)
    ]
    said = [
        "The second connection's program works for 5 us on each message, and takes from a queue of "
        "16. With flow control who sends knows of room there: the connection stands back, and the "
        "ring is the other one's. Without it the thread of the ring drops what finds no room."
    ]
    claims = [
        Claim(
            "N22",
            "without flow control a slow program loses messages",
            "exact",
            "none with it, some without",
            f"{lost[1]} and {lost[2]} of {done(slow[1]) + lost[1]}",
            lost[1] == 0 < lost[2],
            e.name,
        ),
        Claim(
            "N23",
            "a slow connection does not block others",
            "shape",
            "the other one's messages take no longer than beside a quick program",
            f"{us(fast[1]):.2f} us, {us(fast[0]):.2f} beside a quick one",
            us(fast[1]) <= us(fast[0]),
            e.name,
        ),
    ]
    texts = [name.replace(", ", ",\n") for name in names]
    second = "the second connection's program"
    drawn = bars("The first connection, mean (us)", texts, [us(row) for row in fast], second)
    shown = [(drawn, "mean of the first connection")]
    head = ["second program", "first (us)", "second (us)", "came", "lost"]
    return told(said) + page.figure(e, "A slow program", shown, "", head, table), claims


def placement(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("placement")
    if e is None:
        return None
    k = [int(text) for text in e.axis(0)]
    rate = [gbps(row) for row in e.rows]
    spread = [us(row, "p99_us") / us(row, "median_us") for row in e.rows]
    table = [
        [str(n), f"{a:.2f}", f"{us(row):.2f}", f"{b:.2f}"]
        for n, a, b, row in zip(k, rate, spread, e.rows)
    ]
    steps = [a / rate[0] / n for n, a in zip(k, rate)]
    said = [
        "Connections are placed in turn when they begin. Twelve equal flows then load 2 or 4 "
        "partitions alike, each with as much as its core can send; six want more credits than "
        "there are."
    ]
    claim = Claim(
        "N20",
        "placing connections round robin balances equal flows",
        "shape",
        "2 and 4 partitions carry as many times as much, within 3 %",
        ", ".join(f"{n}: {n * one:.2f} times" for n, one in zip(k[1:], steps[1:])),
        all(abs(one - 1) <= 0.03 for n, one in zip(k, steps) if n <= 4),
        e.name,
    )
    shown = [
        (
            lines(
                "Gb/s of 56 B messages",
                styled([("twelve flows", points(k, rate))]),
                "partitions",
                log=False,
                bottom=0,
            ),
            "goodput by partitions",
        )
    ]
    head = ["partitions", "Gb/s", "mean (us)", "p99 / median"]
    return told(said) + page.figure(e, "Flows in partitions", shown, "", head, table), [claim]


def one_core(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("one_core")
    if e is None:
        return None
    message = 56 * 8 / 1e3
    polls = {"usual": cost(e, "verbs.poll"), "quick": 40.0}
    rate = {
        kind: [sum(gbps(row) for row in rows_of(e, text, method=kind)) for text in e.axis(0)]
        for kind in polls
    }
    table = [
        [f"{ns:.0f} ns", f"{rate[kind][0] / message:.2f}", f"{rate[kind][1] / message:.2f}",
         f"{rate[kind][0] / rate[kind][1]:.2f}"]
        for kind, ns in polls.items()
    ]
    said = [
        f"A core that sends pays {cost(e, 'nts.tx'):.0f} ns a slot and its stores, one that takes "
        f"{cost(e, 'nts.rx'):.0f} ns: one core for both directions does both, and looks at its "
        "ring in between (host.verbs.poll), which decides how far below a half it is."
    ]
    half = rate["usual"][0] / rate["usual"][1]
    claim = Claim(
        "N16",
        "one core for both directions: half the rate of small messages",
        "shape",
        "0.4 to 0.6",
        f"{half:.2f}",
        0.4 <= half <= 0.6,
        e.name,
    )
    names = ["one core", "two cores"]
    shown = [
        (bars("M messages/s, both ways", names, [one / message for one in rate["usual"]]), "rate")
    ]
    head = ["a look", "one core", "two cores (M messages/s)", "one / two"]
    return told(said) + page.figure(e, "One core or two", shown, "", head, table), [claim]


def copies(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("copies")
    if e is None:
        return None
    names = e.axis(0)
    kinds = ("direct", "shm", "origin")
    mean = {kind: [us(row, "min_us") for row in e.select(kind)] for kind in kinds}
    table = [
        [name, *(f"{mean[kind][i]:.3f}" for kind in kinds)] for i, name in enumerate(names)
    ]
    last = [mean[kind][-1] for kind in kinds]
    said = [
        "direct: the program works in the ring; shm: one copy, to memory that it shares; origin: "
        "each program copies once more, to and from its own."
    ]
    claim = Claim(
        "N31",
        "latency by copies: direct below shm below origin, the more the longer a message is",
        "shape",
        "in this order at each size; origin less shm grows with the size",
        f"{last[0]:.2f}, {last[1]:.2f}, {last[2]:.2f} us at {names[-1]} (thesis: origin 1.88 us "
        "above shm, not compared)",
        all(a < b < c for a, b, c in zip(*mean.values()))
        and mean["origin"][-1] - mean["shm"][-1] > mean["origin"][0] - mean["shm"][0],
        e.name,
    )
    shown = [
        (
            lines(
                "One way (us)",
                styled([(kind, points(list(range(len(names))), mean[kind])) for kind in kinds]),
                "message",
                bottom=0,
                names=names,
                legend_at="upper left",
            ),
            "latency by copies",
        )
    ]
    return told(said) + page.figure(
        e, "Copies beside the stores", shown, "", ["message", *kinds], table
    ), [claim]
