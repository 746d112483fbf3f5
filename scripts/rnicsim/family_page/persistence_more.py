# SPDX-License-Identifier: Apache-2.0
"""Write persistence: what goes wrong, what a flush read may stand for, and where data wait."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import rows_of, styled
from rnicsim.report_page import look
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.page import Page

POST_AND_POLL = 0.35  # us; host.verbs of the profile cx5_100g
SIGMAS = 3  # of a normal distribution: 99.7 % are within


def items(row: Mapping[str, Any]) -> Any:
    return number(row["transfers_completed"])


def expected_count(row: Mapping[str, Any], chance: float) -> tuple[float, float]:
    """(how many of a row's items, half the width of the band in which 99.7 % of such rows are)."""
    count = items(row)
    return count * chance, SIGMAS * (count * chance * (1 - chance)) ** 0.5


def per_cent(text: str) -> Any:
    return number(text.split()[0]) / 100


def flat(values: Sequence[float]) -> Any:
    return list(range(len(values))), values, [float("nan")] * len(values)


def losses(page: Page) -> tuple[Any, bool] | None:
    e = page.experiment("losses")
    if e is None:
        return None

    def asked(row: Mapping[str, Any]) -> Any:
        return number(row["a.rc.persist_repeats"])
    head = ["PACK", "loss", "asked again", "expected", "99.7 % band", "told too early"]
    # One answer is lost, not both; each repeat brings one of them, or it is repeated again.
    chances: dict[str, Any] = {
        "psn_only": lambda f: 2 * f / (1 + f) / ((1 - f) * (1 - f * f)),
        "opcode": lambda f: f / (1 + f) / (1 - f)**2
    }
    table, held = [], True
    for row in e.rows:
        pack, loss = row["values"]
        mean, half = expected_count(row, chances[pack](per_cent(loss)))
        held = held and abs(asked(row) - mean) <= half and int(row["b.cuts.false_items"]) == 0
        table.append([
            pack, loss, f"{asked(row):,.0f}", f"{mean:,.0f}",
            f"{mean - half:,.0f} to {mean + half:,.0f}", f"{int(row['b.cuts.false_items']):,}"
        ])
    curves = styled([(pack, flat([100 * asked(row) / items(row) for row in rows_of(e, pack)]))
                     for pack in e.axis(0)])
    panels = [(lines("Items whose PACK is asked for again (%)", curves,
                     "chance of a frame to be lost", bottom=0, names=e.axis()),
               "share of items whose PACK the initiator asks for again, over the loss")]
    said = [
        f"{items(e.rows[0]):,.0f} items, two ACKs. Where the second ACK of a PSN is the PACK an"
        " item waits if either is lost, twice the loss; a PACK with its own opcode waits only for"
        " its own loss. Without a timer (rnic.rc.pm.timer: 0 ns) all of these wait for ever"
        " (scenarios/persistence/bad/n4a.yaml); here the timer, 1 ms, is long enough to repeat"
        " nothing that is on its way, and nobody is told too early."
    ]
    return (
        told(said)
        + page.figure(
            e, "Frames are lost", panels, "64 B, one item at a time, no DDIO.", head, table
        ),
        held,
    )


def copies(page: Page) -> Any:
    e = page.experiment("copies")
    if e is None:
        return None

    def wrong(row: Mapping[str, Any]) -> Any:
        return int(row["b.cuts.false_items"])

    head = [
        "PACK", "root port holds", "told too early",
        "twice the copies, and three standard deviations"
    ]
    table = []
    for row in e.rows:
        mean, half = expected_count(row, 0.02)
        table.append([
            *row["values"], f"{wrong(row):,}",
            f"{mean + half:,.0f}" if row["values"][0] == "psn_only" else "0"
        ])
    curves = styled([(pack, flat([wrong(row) for row in rows_of(e, pack)])) for pack in e.axis(0)])
    panels = [(lines("Items told too early", curves, "the root port holds data for", bottom=0,
                     names=e.axis()), "items told too early, over how long the root port "
               "holds data")]
    ok = all(
        wrong(row) == 0 if row["values"][0] ==
        "opcode" else wrong(row) <= sum(expected_count(row, 0.02)) for row in e.rows)
    seen = any(wrong(row) for row in e.rows if row["values"][0] == "psn_only")
    said = [
        f"{items(e.rows[0]):,.0f} items; one frame in a hundred arrives twice, its copy up to 2 us "
        "later. A copy of the reception's ACK, or the ACK of a "
        f"WRITE_PERSIST's copy, is taken for "
        "the PACK if it comes before the data are durable: the longer that takes, the more often. "
        "With an opcode of its own never."
    ]
    return told(said) + page.figure(e, "Frames are copied", panels, "64 B, one item at a time, no "
                                    "DDIO.", head, table), (ok and seen, [
                                        wrong(row) for row in rows_of(e, "psn_only")
                                    ])


def period(row: Mapping[str, Any]) -> Any:
    """us from an item of 64 B to the next."""
    return 1e-3 * 8 * 64 / number(row["goodput_gbps"])


def coalescing(page: Page) -> Any:
    e = page.experiment("coalescing")
    if e is None:
        return None
    each, all_ = rows_of(e, "false"), rows_of(e, "true")

    def reads(row: Mapping[str, Any]) -> Any:
        return number(row["b.rc.flush_reads"])
    head = ["packets outstanding", "one each, us", "one for all, us", "flush reads an item"]
    table = [[
        a["values"][-1], f"{period(a):.3f}", f"{period(b):.3f}", f"{reads(b) / items(b):.2f}"
    ] for a, b in zip(each, all_)]
    curves = styled([("one for each item", flat([period(row) for row in each])),
                     ("one for all that wait", flat([period(row) for row in all_]))])
    panels = [(lines("From an item to the next (us)", curves, "packets outstanding", bottom=0,
                     names=e.axis()), "period over the window, with a flush read for each "
               "item and with one for all")]
    flush = period(each[-1])  # us: flush reads one behind the other
    rarely = all((reads(row) - 1) * flush <= items(row) * period(row) for row in all_)
    alone = period(each[0])  # a round, and a flush: the first item takes so long
    bound = all(
        period(row)
        <= max((alone + flush) / int(row["values"][-1]), POST_AND_POLL) + alone / items(row)
        for row in all_
    )
    said = [
        (
            "The root port holds data for 5 us; one flush read at a time. It ends when the root"
            " port has released all that came before it began, and the next one begins then: each"
            f" takes {flush:.2f} us, which bounds the period with one for each item. One flush read"
            " for all pending items removes that bound."
        ),
        (
            f"32 outstanding: {period(each[-1]):.2f} us and {period(all_[-1]):.2f} us,"
            f" {reads(all_[-1]) / items(all_[-1]):.2f} flush reads an item."
        ),
    ]
    return told(said) + page.figure(
        e, "One flush read for all", panels, "64 B, one ACK, no DDIO.", head, table
    ), (rarely and bound, each, all_)


def gigabit(page: Page) -> Any:
    e = page.experiment("gigabit")
    if e is None:
        return None
    one, two = rows_of(e, "1"), rows_of(e, "2")
    head = ["packets outstanding", "1 ACK, us", "2 ACKs, us", "saved %"]
    table = [[
        a["values"][-1], f"{period(a):.3f}", f"{period(b):.3f}",
        f"{100 * (1 - period(b) / period(a)):.1f}"
    ] for a, b in zip(one, two)]
    curves = styled([("1 ACK", flat([period(row) for row in one])),
                     ("2 ACKs", flat([period(row) for row in two]))])
    panels = [(lines("From an item to the next (us)", curves, "packets outstanding", bottom=0,
                     names=e.axis()), "period over the window on a wire of 1 Gb/s, with "
               "one ACK and with two")]
    lost = 100 * (period(two[-1]) / period(one[-1]) - 1)
    said = [
        "The same on a wire of 1 Gb/s: two answers of 66 B take longer than an item of 64 B with "
        "its headers, so that the way back is what limits.",
        f"{one[-1]['values'][-1]} outstanding: two ACKs cost {lost:.1f} %."
    ]
    return told(said) + page.figure(e, "A second ACK on a slow wire", panels,
                                    "64 B, no DDIO, 16 flush reads at once.", head, table), lost


# ACKs and packets outstanding, in the order of scenarios/persistence/overlap.yaml.
OVERLAPS = ("1 ACK, one outstanding", "2 ACKs, one outstanding", "1 ACK, two outstanding")


def overlap(page: Page) -> Any:
    e = page.experiment("overlap")
    if e is None:
        return None
    waits, overlaps, ahead = ([period(row) for row in rows_of(e, first)] for first in e.axis(0))
    # us: how much longer a persist ACK takes than that of the reception, which is a round
    flushes = [a - b for a, b in zip(waits, overlaps)]
    head = [
        "root port holds", "flush, us", *(f"{name}, us" for name in OVERLAPS), "gain of 2 ACKs",
        "of two outstanding"
    ]
    table = [[
        hold, f"{flush:.3f}", f"{a:.3f}", f"{b:.3f}", f"{c:.3f}", f"{a / b:.2f}", f"{a / c:.2f}"
    ] for hold, flush, a, b, c in zip(e.axis(), flushes, waits, overlaps, ahead)]
    curves = styled([(name, (flushes, of, [float("nan")] * len(of)))
                     for name, of in zip(OVERLAPS, (waits, overlaps, ahead))])
    panels = [(lines(
        "From an item to the next (us)", curves, "what a flush takes (us)", log=False, bottom=0,
        names=[f"{flush:.2f}" for flush in flushes]
    ), "period over the time of a flush: one ACK and two with one packet outstanding, one ACK with "
       "two"
               )]
    # a flush is nearest to a round
    same = min(range(len(flushes)), key=lambda i: float(abs(flushes[i] - overlaps[i])))
    said = [
        "What two ACKs overlap is the flush of an item with the round of the next one. With one "
        "packet outstanding they save the whole flush, if the card has enough "
        "flush reads at once. A second packet outstanding halves the period, however long a flush "
        "takes.",
        f"Where a flush takes as long as a round, {flushes[same]:.2f} us, both gain the same: "
        f"{waits[same]:.2f} us with one ACK, {overlaps[same]:.2f} us with two, "
        f"{ahead[same]:.2f} us with two packets outstanding. Where it takes longer two ACKs gain "
        "more than two packets do."
    ]
    # the first item's way there and the last one's flush are in the period, too
    once = 4 / items(e.rows[0])
    halved = all(abs(waits[same] / of[same] - 2) < 0.01 + once for of in (overlaps, ahead))
    found = {"one": waits[same], "two": overlaps[same], "ahead": ahead[same], "halved": halved}
    return told(said) + page.figure(e, "How long a flush takes", panels,
                                    "64 B, no DDIO, 16 flush reads at once.", head, table), found


def evictions(page: Page) -> Any:
    e = page.experiment("evictions")
    if e is None:
        return None
    names = {
        "false, lru": "past the LLC",
        "true, lru": "LLC full, oldest first",
        "true, random": "LLC full, in any order"
    }
    head = [
        "line of SCM", *(f"{name}, GB/s" for name in names.values()), "any order to oldest first"
    ]

    def rate(row: Mapping[str, Any]) -> Any:
        return number(row["goodput_gbps"]) / 8
    by = {name: rows_of(e, text) for text, name in names.items()}
    share = [rate(c) / rate(b) for b, c in zip(*list(by.values())[1:])]
    table = [[line, *(f"{rate(rows[i]):.2f}" for rows in by.values()), f"{share[i]:.2f}"]
             for i, line in enumerate(e.axis())]
    curves = styled([(name, flat([rate(row) for row in rows])) for name, rows in by.items()])
    panels = [
        (
            lines(
                "Goodput (GB/s)", curves, "bytes that SCM writes at least", bottom=0, names=e.axis()
            ),
            "goodput over the line of SCM, past the LLC and through it",
        )
    ]
    said = [
        (
            "A stream of WRITEs into one module of SCM (2.3 GB/s) that nobody flushes: what the LLC"
            " evicts is what gets there. Evicted in order, four lines of 64 B share the 256 B that"
            " SCM writes at least; in random order each costs all of them."
        ),
        f"With SCM's line of {e.axis()[-1]} {100 * share[-1]:.0f} % of the goodput are left.",
    ]
    return (
        told(said)
        + page.figure(e, "Through a full LLC", panels, "16 KiB, LLC's share 256 KiB.", head, table),
        share,
    )


def order(page: Page) -> Any:
    e = page.experiment("order")
    if e is None:
        return None
    names = {"false": "past the LLC", "true": "through the LLC"}

    def share(row: Mapping[str, Any]) -> Any:
        return 100 * number(row["b.cuts.inverted_ps"]) / number(row["b.cuts.ps"])
    head = ["way", "scheme", "a later one is durable before an earlier one, % of the time"]
    table = [[names[row["values"][0]], row["values"][1], f"{share(row):.1f}"] for row in e.rows]
    said = [
        "Who writes a log before the data counts on the order. Past the LLC items become durable in"
        " the order in which they were sent, at every instant. Through an LLC that evicts in random"
        " order they do not, until a processor has flushed them."
    ]
    curves = styled(
        [(names[way], flat([share(row) for row in rows_of(e, way)])) for way in e.axis(0)]
    )
    panels = [
        (
            lines("Out of order (% of the time)", curves, "scheme", bottom=0, names=e.axis()),
            "share of the time in which a later item is durable before an earlier one",
        )
    ]
    found = {tuple(row["values"]): share(row) for row in e.rows}
    return told(said) + page.figure(e, "In order, or not", panels, "256 B, 32 at once.", head,
                                    table), found


SHOWN = 2  # items, of cuts over time
STAGES = {"iio_bytes": "root port", "llc_bytes": "LLC", "imc_bytes": "iMC"}


def rows_of_cuts(file: Path) -> list[tuple[float, dict[str, Any]]]:
    """Behind the first items, which find nothing in the caches: (us since then, row) of a
    cuts.csv."""
    with open(file, encoding="utf-8", newline="") as held:
        rows = list(csv.DictReader(held))
    begins = [
        i for i, row in enumerate(rows)
        if int(row["iio_bytes"]) > 0 and (i == 0 or int(rows[i - 1]["iio_bytes"]) == 0)
    ]
    shown = rows[begins[10]:begins[10 + SHOWN]]
    first = int(shown[0]["time_ps"])
    return [((int(row["time_ps"]) - first) / 1e6, row) for row in shown]


def over_time(page: Page) -> tuple[Any, dict[str, list[tuple[float, Any]]]] | None:
    files = {
        "fig2": page.folder / "chances" / "cuts_p002.csv",
        "fig10": page.folder / "chances" / "cuts_p005.csv"
    }
    e = page.experiment("chances")
    if e is None or not all(file.exists() for file in files.values()):
        return None
    found = {scheme: rows_of_cuts(file) for scheme, file in files.items()}

    def on(scheme: str) -> tuple[Callable[..., Any], str]:
        def draw(axes: Any, legend: bool) -> None:
            del legend
            times = [at for at, _ in found[scheme]]
            for i, (column, name) in enumerate(STAGES.items()):
                axes.step(times, [int(row[column]) for _, row in found[scheme]], where="post",
                          color=look.GROUP_COLOURS[i], linestyle=look.LINE_STYLES[i], label=name)
            axes.step(times, [64 * int(row["vulnerable"]) for _, row in found[scheme]],
                      where="post", color="black", linewidth=0.8, label="told written")
            axes.set_xlabel("us")
            axes.set_title(f"{scheme}: bytes that a cut would lose")
            axes.set_ylim(bottom=0)
            look.style(axes)
            axes.legend(frameon=False, fontsize=8, loc="upper right")

        return draw, ("bytes that a cut would lose, by where they are, "
                      f"over {SHOWN} items of {scheme}")

    table = [[
        scheme, f"{at:.3f}", *(row[column] for column in STAGES), row["vulnerable"], row["unproven"]
    ] for scheme, rows in found.items() for at, row in rows]
    said = [
        f"What a cut finds at each instant of {SHOWN} items (scenarios/persistence/chances.yaml, "
        "the root port holds data until a read pushes them; made by "
        f"rnicsim cut ... --csv). With fig2 "
        "the initiator has been told that they are written while they are there; with fig10 it has "
        "not been told anything."
    ]
    panels = [on(scheme) for scheme in files]
    return told(said) + page.figure(
        e, "What lies where", panels, "64 B.",
        ["scheme", "us", *STAGES.values(), "told written", "not told durable"], table), found
