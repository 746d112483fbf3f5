# SPDX-License-Identifier: Apache-2.0
"""Goodput through a bridge, by slots, rings and credits, beside the closed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import (
    BYTE,
    bars,
    cost,
    count,
    done,
    gbps,
    none_there,
    points,
    rows_of,
    setting,
    size,
    tlp,
    us,
)
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import look

if TYPE_CHECKING:
    from rnicsim.family_page.bridge_rows import Row
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

LINE, WORD = 64, 8  # bytes
CORES = {"1": "one core", "2": "two cores"}
CHIP = 80  # Gb/s of payload: the thesis' bridge
THESIS = 79.8  # Gb/s: 74.3 of its tool, which divides by 2^30
NEAR = 0.03  # by which a run may differ from a closed form: its begin, its end, a last slot


def rate_of(text: str) -> float:
    return float(text.split()[0])


def crosses(slot: int, rate: float) -> float:
    """Nanoseconds of a full slot on the link. A fence is between payload and header, so the first
    line, that has both, leaves in chunks of 8 B."""
    return LINE // WORD * tlp(WORD, rate) + (slot // LINE - 1) * tlp(LINE, rate)


def stored(e: Experiment, slot: int) -> float:
    """Nanoseconds of a core."""
    paid = ("nts.tx", "store.evict", "store.fence", "store.word")
    return sum(cost(e, key) for key in paid) + slot // LINE * cost(e, "store.line")


def by_form(e: Experiment, slot: int, rate: float, cores: int) -> float:
    """Gb/s: the slowest of the link, the cores that send, and those that read."""
    slowest = max(crosses(slot, rate), stored(e, slot) / cores, cost(e, "nts.rx") / cores)
    return 8 * (slot - WORD) / slowest


def with_forms(
    drawn: Callable[..., Any], x: Sequence[float], forms: Sequence[Sequence[float]]
) -> Callable[..., Any]:
    """Closed forms as thin dashes over the curves."""

    def draw(axes: Any, legend: bool) -> None:
        for i, form in enumerate(forms):
            look.theory(axes, x, form, None if i else "closed form")
        drawn(axes, legend)

    return draw


def panels(e: Experiment) -> list[tuple[Callable[..., Any], str]]:
    """Goodput by slot: a panel for each bridge."""
    names = e.axis(2)
    places = list(range(len(names)))
    made = []
    for rate in e.axis(0):
        found = {
            CORES.get(cores, f"{cores} cores"): points(
                places, [gbps(row) for row in rows_of(e, rate, cores)]
            )
            for cores in e.axis(1)
        }
        forms = [[form_of(e, row) for row in rows_of(e, rate, cores)] for cores in e.axis(1)]
        title = (
            f"Goodput, chip of {rate} (Gb/s)"
            if rate_of(rate)
            else "Goodput, as fast as the link (Gb/s)"
        )
        drawn = lines(
            title,
            styled(list(found.items())),
            "slot",
            bottom=0,
            names=names,
            legend_at="lower right",
        )
        made.append((with_forms(drawn, places, forms), title))
    return made


def form_of(e: Experiment, row: Row) -> float:
    rate, cores, slot = row["values"]
    return by_form(e, size(slot), rate_of(rate), int(cores))


def slots(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("slots")
    if e is None:
        return None
    table, off = [], []
    for row in e.rows:
        rate, cores, slot = row["values"]
        form = form_of(e, row)
        off.append(abs(gbps(row) / form - 1))
        capped = rate_of(rate) * (1 - WORD / size(slot))
        table.append(
            [
                rate if rate_of(rate) else "link's",
                cores,
                slot,
                f"{gbps(row):.1f}",
                f"{form:.1f}",
                f"{capped:.1f}" if capped else "–",
            ]
        )
    names = e.axis(2)
    two = {text: gbps(row) for text, row in zip(names, rows_of(e, "80 Gbps", "2"))}
    first = rows_of(e, "80 Gbps", "2")[0]
    index = count(first, "n0.target_to_near_write_bytes") / count(
        first, "n0.near_to_target_write_bytes"
    )
    said = [
        "Messages of 128 KiB in slots. The closed form is the slowest of a core, its reader, and "
        "the link: a payload leaves before its header, so the first line of a slot crosses as "
        f"eight chunks of 8 B, {tlp(WORD):.0f} ns each. One core is too slow for small slots; two "
        "fill the chip from 4 KiB on. Reading is free here (host.cpu.copy)."
    ]
    claims = [
        Claim(
            "N17",
            "goodput of several flows reaches the chip's rate (90.4 to 93.6 % of the thesis' "
            "tool, which divides by 2^30, are 97 to 100.5 %)",
            "shape",
            "97 to 100.5 % of 80 Gb/s with slots of 1 KiB (published code) to 8 KiB (thesis)",
            ", ".join(f"{two[text] / CHIP:.1%}" for text in names),
            all(0.97 <= two[text] / CHIP <= 1.005 for text in names),
            e.name,
        ),
        Claim(
            "N11",
            "what the reader says takes less than a thousandth of the bytes",
            "exact",
            "below 0.1 % with slots of 1 KiB",
            f"{index:.3%}",
            index < 0.001,
            e.name,
        ),
        Claim(
            "D1",
            "goodput is the closed form's",
            "exact",
            f"within {NEAR:.0%} at all " f"{len(off)} points",
            f"{max(off):.1%} at most",
            max(off) <= NEAR,
            e.name,
        ),
    ]
    head = ["chip", "cores", "slot", "Gb/s", "closed form", "rate x payload / slot"]
    return (
        told(said)
        + page.figure(e, "Goodput by slot", panels(e), f"Thesis: {THESIS} Gb/s.", head, table),
        claims,
    )


def partitions(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("partitions")
    if e is None:
        return None
    rings = [int(text) for text in e.axis(0)]
    kinds = {"chunks": "chunks of 8 B", "one_tlp": "a TLP a line"}
    found = {kind: [gbps(row) for row in e.select(kind)] for kind in kinds}
    shown = [
        (
            lines(
                "Gb/s of 256 B messages",
                styled([(label, points(rings, found[kind])) for kind, label in kinds.items()]),
                "rings, a core each",
                log=False,
                bottom=0,
                legend_at="lower right",
            ),
            "goodput over the number of rings",
        )
    ]
    table = [
        [
            kind,
            str(ring),
            f"{gbps(row):.1f}",
            f"{count(row, 'n0.near_to_target_writes') / done(row):.0f}",
            f"{count(row, 'n0.near_to_target_credit_stalls'):,}",
        ]
        for kind in kinds
        for ring, row in zip(rings, e.select(kind))
    ]
    one = found["one_tlp"]
    tlps = count(e.select("chunks")[0], "n0.near_to_target_writes") / done(e.select("chunks")[0])
    linear = one[rings.index(4)] / one[0]
    flat = one[-1] / one[rings.index(6)]
    said = [
        "k rings carry k times as much until the link is full: where lines leave whole, with six, "
        f"as in the thesis; in chunks of 8 B a message is {tlps:.0f} TLPs of a credit each, and "
        "four rings fill the link."
    ]
    claim = Claim(
        "N15",
        "k rings, k times the rate, until the link is full; the thesis: flat from 6",
        "calibrated",
        "4 rings 3.9 times one; 12 at most 3 % above 6",
        f"{linear:.2f} times; {flat - 1:+.1%} (a TLP a line)",
        linear >= 3.9 and abs(flat - 1) <= 0.03,
        e.name,
    )
    head = ["partial lines", "rings", "Gb/s", "TLPs a message", "waits for credits"]
    return told(said) + page.figure(
        e, "Rings beside each other", shown, "80 Gb/s of payload.", head, table
    ), [claim]


def neighbours(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("neighbours")
    if e is None:
        return None
    names = e.axis(0)
    small = [row for row in e.rows if row["traffic"] == "small"]
    alone = min(us(row, "min_us") for row in small)
    columns = {"median": "median_us", "p99": "p99_us", "longest": "max_us"}
    parts = {
        label: [1e3 * (us(row, column) - alone) for row in small]
        for label, column in columns.items()
    }

    def draw(axes: Any, legend: bool) -> None:
        del legend
        for i, (label, values) in enumerate(parts.items()):
            places = [place + 0.25 * (i - 1) for place in range(len(values))]
            axes.bar(places, values, width=0.22, color=look.GROUP_COLOURS[i], label=label)
            for place, value in zip(places, values):
                if value == 0:
                    none_there(axes, place)
        look.name_ticks(axes, list(range(len(small))), names)
        axes.set_xlabel("between messages of 10,000 B")
        axes.set_title("8 B are there later by (ns)")
        axes.set_ylim(0, 1.4 * max(parts["longest"]))
        look.style(axes)
        axes.legend(frameon=False, fontsize=8, loc="upper left")

    large = [row for row in e.rows if row["traffic"] == "large"]
    table = [
        [text, f"{gbps(beside):.1f}", *(f"{one:.0f}" for one in later)]
        for text, beside, *later in zip(e.axis(0), large, *parts.values())
    ]
    worst = max(parts["longest"]) / 1e3
    claim = Claim(
        "N19",
        "in a ring of its own 8 B are hardly disturbed by 10 KB",
        "shape",
        "below 0.6 us (thesis 0.36 in the mean, of sockets)",
        f"at most {worst:.2f} us",
        worst < 0.6,
        e.name,
    )
    said = [
        "Both rings have cores of their own: what is left is the link, where lines of both take "
        "turns, and the port before it."
    ]
    head = ["between large messages", "their Gb/s", *(f"{label} later (ns)" for label in parts)]
    return told(said) + page.figure(
        e, "A small message beside large ones", [(draw, "delay of 8 B")], "", head, table
    ), [claim]


def rings(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("rings")
    if e is None:
        return None
    names = e.axis(0)
    rate = [gbps(row) * 1e3 / 8 / 120 for row in e.rows]
    asked = [100 * count(row, "n0.target_to_near_writes") / done(row) for row in e.rows]
    shown = [
        (bars("M messages/s of 120 B", names, rate, "ring"), "messages a second by ring"),
        (bars("Indices sent back per 100 messages", names, asked, "ring"), "pushes by ring"),
    ]
    table = [[text, f"{a:.2f}", f"{b:.1f}"] for text, a, b in zip(names, rate, asked)]
    answer = sum(cost(e, f"store.{key}") for key in ("word", "evict", "fence"))
    said = [
        "A header asks the reader how far it is when more than half of the ring may be full, and "
        "so do all behind it until the answer is there: a small ring costs the reader's core, "
        f"{answer:.0f} ns an answer."
    ]
    claim = Claim(
        "N10",
        "a ring whose half drains sooner than an answer comes is slower",
        "shape",
        "8 slots below 0.8 of the largest, and no ring slower than a smaller one",
        f"{rate[0] / rate[-1]:.2f}",
        rate[0] < 0.8 * rate[-1] and rate == sorted(rate),
        e.name,
    )
    return told(said) + page.figure(
        e,
        "How large a ring has to be",
        shown,
        "Slots of 128 B.",
        ["ring", "M messages/s", "indices per 100"],
        table,
    ), [claim]


def loop(e: Experiment) -> float:
    """Nanoseconds until a credit is back: a line, both sides, an UpdateFC of 8 B."""
    there, back = tlp(LINE) + cost(e, "bridge.latency"), cost(e, "bridge.latency") + 8 * BYTE
    return there + 2 * cost(e, "bridge.translate") + back


def by_credits(e: Experiment, row: Row) -> float:
    """Gb/s: what credits let through, at most what the link does."""
    rate, headers = rate_of(row["values"][0]), int(row["values"][1])
    slot = size(setting(e, "nts.slot"))
    tlps = slot // LINE - 1 + LINE // WORD
    return 8 * (slot - WORD) / max(tlps * loop(e) / headers, crosses(slot, rate))


def credits(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("credits")
    if e is None:
        return None
    headers = [int(text) for text in e.axis(1)]
    drawn, forms, table, off = [], [], [], []
    for rate in e.axis(0):
        rows = rows_of(e, rate)
        form = [by_credits(e, row) for row in rows]
        label = f"chip of {rate}" if rate_of(rate) else "as fast as the link"
        drawn.append((label, points(headers, [gbps(row) for row in rows])))
        forms.append(form)
        for text, row, at in zip(e.axis(1), rows, form):
            off.append(abs(gbps(row) / at - 1))
            table.append(
                [
                    label,
                    text,
                    f"{gbps(row):.1f}",
                    f"{at:.1f}",
                    f"{count(row, 'n0.near_to_target_credit_stalls'):,}",
                ]
            )
    said = [
        f"A credit is back after {loop(e):.0f} ns: line, link, translation, UpdateFC. A TLP of "
        "8 B takes one as one of 64 B does."
    ]
    claim = Claim(
        "D2",
        "goodput by credits is the closed form's",
        "exact",
        f"within {NEAR:.0%} at all {len(off)} points",
        f"{max(off):.1%} at most",
        max(off) <= NEAR,
        e.name,
    )
    curves = lines(
        "Goodput (Gb/s)", styled(drawn), "posted header credits", bottom=0, legend_at="lower right"
    )
    shown = [(with_forms(curves, headers, forms), "goodput over credits")]
    return told(said) + page.figure(
        e,
        "Goodput by posted credits",
        shown,
        "Two cores, slots of 8 KiB.",
        ["bridge", "credits", "Gb/s", "closed form", "waits"],
        table,
    ), [claim]
