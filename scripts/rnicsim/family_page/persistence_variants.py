# SPDX-License-Identifier: Apache-2.0
"""Write persistence, what the patent leaves open: how much a READ reads, how an initiator learns
where to write, and what firmware costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.persistence_more import flat, items, period
from rnicsim.family_page.persistence_rows import on_the_wires, us
from rnicsim.family_page.verbs_curves import by_place, rows_of, styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.page import Page

CYCLE = 0.005  # us: steps are whole cycles of the card, and polls of the processor
HIDDEN = 0.05  # us: the way of a line through the root port, and more
PMTU = 1024  # bytes; rnic.rc.pmtu of the profile cx5_100g
FRAMES = 288  # bytes of WRITE, ACK, READ and its response, without data


def reads(page: Page) -> Any:
    e = page.experiment("reads")
    if e is None:
        return None
    by = {way: rows_of(e, way) for way in e.axis(0)}
    names = [text.replace(" ", "\n") for text in e.axis()]
    sizes = [number(row["size (B)"]) for row in by["fig2, all"]]

    def saved(other: str) -> list[float]:
        return [100 * (1 - on_the_wires(a, "bytes") / on_the_wires(b, "bytes"))
                for a, b in zip(by["fig10, end"], by[other])]

    blank = [float("nan")] * len(names)
    share = styled([(f"than {way}", (list(range(len(names))), saved(way), blank))
                    for way in by if way != "fig10, end"])
    head = ["size", *(f"{way}: us, B" for way in by)]
    table = [[text, *(f"{us(rows[i]):.3f}, {on_the_wires(rows[i], 'bytes'):,.0f}"
                      for rows in by.values())] for i, text in enumerate(e.axis())]
    panels = [
        (lines("Time until told durable (us)", by_place(e, "mean_us"), "size of the item",
               bottom=0, names=names), f"time over the size, for {len(by)} ways"),
        (lines("fig10 needs fewer bytes (%)", share, "size of the item", bottom=0, names=names),
         "share of bytes that fig10 saves, over the size"),
    ]
    exact = all(
        on_the_wires(row, "bytes") == FRAMES + 2 * size
        for way in ("fig2, all", "apm, all")
        for row, size in zip(by[way], sizes) if size <= PMTU)
    said = [
        "The patent's figure 2 reads the data; 8 B do as well, as PCIe orders the read behind all"
        " of them. Read whole, an item of at most a PMTU is 288 B and its data twice on the wires.",
        f"At {e.axis()[-1]} fig10 then needs {saved('fig2, all')[-1]:.0f} % fewer bytes than fig2,"
        f" not {saved('fig2, end')[-1]:.1f} %, and is"
        f" {us(by['fig2, all'][-1]) - us(by['fig10, end'][-1]):.2f} us faster, not"
        f" {us(by['fig2, end'][-1]) - us(by['fig10, end'][-1]):.2f} us.",
    ]
    figure = page.figure(e, "What the READ asks for", panels, "One item at a time, no DDIO.", head,
                         table)
    return told(said) + figure, (exact, saved("fig2, all"))


def set_up(page: Page) -> Any:
    e = page.experiment("set_up")
    if e is None:
        return None
    pairs = {}
    for scheme in e.axis(0):
        ahead, sent = rows_of(e, scheme)
        pairs[scheme] = (ahead, sent)

    def more(scheme: str, what: str) -> float:
        ahead, sent = pairs[scheme]
        counters = [f"{end}.gmac.tx_{what}" for end in "ab"]
        return float(sum(number(sent[of]) - number(ahead[of]) for of in counters))

    def takes(scheme: str) -> float:
        ahead, sent = pairs[scheme]
        return float((us(sent) - us(ahead)) * items(sent))
    head = ["scheme", "set-up, us", "messages", "B", "of an item's time"]
    table = [[scheme, f"{takes(scheme):.2f}", f"{more(scheme, 'frames'):.0f}",
              f"{more(scheme, 'bytes'):.0f}", f"{takes(scheme) / us(pairs[scheme][0]):.2f}"]
             for scheme in pairs]
    curves = styled([("set-up", flat([takes(scheme) for scheme in pairs])),
                     ("an item", flat([us(ahead) for ahead, _ in pairs.values()]))])
    panels = [(lines("The table's way, and an item's (us)", curves, "scheme", bottom=0,
                     names=list(pairs)), "time of the set-up and of an item, by scheme")]
    same = all(more(scheme, "frames") == 2 and more(scheme, "bytes") == 152 for scheme in pairs)
    times = [takes(scheme) for scheme in pairs]
    said = [
        "The responder tells the initiator where its region is (start, length, key, access: the"
        " patent's table 2) by a SEND of 24 B, once for each connection; the first item waits for"
        " it. With an ACK that is 152 B, whatever follows."
    ]
    figure = page.figure(e, "The region's table", panels, "64 B, one item at a time, no DDIO.",
                         head, table)
    return told(said) + figure, (same, times)


STEPS = {"fig10": 2, "fig11": 1, "apm": 0}  # of the firmware, an item


def firmware(page: Page) -> Any:
    e = page.experiment("firmware")
    if e is None:
        return None
    lone = {scheme: rows_of(e, f"{scheme}, 1") for scheme in STEPS}
    ahead = {scheme: rows_of(e, f"{scheme}, 64") for scheme in STEPS}
    names = e.axis()
    needs = [float(text.split()[0]) / 1000 for text in names]  # us

    def times(rows: Mapping[str, Any], what: Any) -> Any:
        return styled([(scheme, (needs, [what(row) for row in of], [float("nan")] * len(needs)))
                       for scheme, of in rows.items()])
    head = ["a step", *(f"{scheme}, us" for scheme in STEPS),
            *(f"{scheme} ahead, us" for scheme in STEPS)]
    table = [[text, *(f"{us(lone[scheme][i]):.3f}" for scheme in STEPS),
              *(f"{period(ahead[scheme][i]):.3f}" for scheme in STEPS)]
             for i, text in enumerate(names)]
    short = [text.split()[0] for text in names]
    panels = [
        (lines("Time until told durable (us)", times(lone, us), "a step takes (ns)", log=False,
               bottom=0, names=short), "time of an item over the time of a step"),
        (lines("From an item to the next (us)", times(ahead, period), "a step takes (ns)",
               log=False, bottom=0, names=short), "period over the time of a step"),
    ]
    # us: a step that passes while data leave the root port costs less
    hidden = [STEPS[scheme] * need - (us(row) - us(of[0]))
              for scheme, of in lone.items() for row, need in zip(of, needs)]
    exact = all(-CYCLE <= less <= HIDDEN for less in hidden)
    bound = all(period(row) >= STEPS[scheme] * need * (1 - 1 / items(row))
                for scheme, of in ahead.items() for row, need in zip(of, needs))
    over = next((text for text, a, b in zip(names, lone["fig10"], lone["apm"]) if us(a) > us(b)),
                "")
    said = [
        "The patent's module may be a circuit, or software in the card. As firmware it takes a"
        " step to begin a flush read and one when that has come back (fig10), or one to tell the"
        " processor (fig11), one behind the other; apm needs none.",
        f"From a step of {over} on apm, with no new card, is faster than fig10." if over else
        "fig10 stays faster than apm.",
    ]
    figure = page.figure(e, "A module of firmware", panels, "64 B, no DDIO, 16 flush reads.", head,
                         table)
    return told(said) + figure, (exact and bound, over)
