# SPDX-License-Identifier: Apache-2.0
"""Makes DIR/report.html, "Write persistence", from the results of scenarios/persistence in DIR.

Usage: scripts/persistence_page DIR

`scripts/reproduce persistence` simulates them and calls this. Every simulated number on the page is
from a summary.csv in DIR; a scenario whose folder is missing has no section. Exit codes: 0 written,
2 unusable input, 3 matplotlib is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rnicsim import ending
from rnicsim.family_page import page as pages
from rnicsim.family_page import persistence_front
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.experiment import shown
from rnicsim.family_page.persistence_more import (
    coalescing,
    copies,
    evictions,
    gigabit,
    losses,
    order,
    over_time,
    overlap,
    period,
)
from rnicsim.family_page.persistence_pool import MEDIUM_GBPS, devices, pool
from rnicsim.family_page.persistence_rows import (
    MACHINES,
    PROCESSOR,
    holds,
    machine,
    on_the_wires,
    processor,
    us,
)
from rnicsim.family_page.persistence_variants import firmware, reads, set_up
from rnicsim.family_page.verbs_curves import by_place, rows_of, styled
from rnicsim.report_page import look, markup
from rnicsim.report_page.results import number

LEAD = (
    "A WRITE's ACK does not say that its data survive a power cut. Here are seven ways to make them"
    " durable at the other host: on which machine each is right, what it takes, what it costs"
    " processors and network, and what of a patent's gain is left beside simpler means."
)
POST, POLL = 0.25, 0.10  # us; host.verbs of the profile cx5_100g


def hosts(page: pages.Page) -> tuple[Any, bool] | None:
    e: Any = page.experiment("hosts")
    if e is None:
        return None
    count = number(e.rows[0]["transfers_completed"])
    schemes = e.axis(1)
    head = ["scheme", *MACHINES, "us", "processors us"]
    first = [row for row in e.rows if machine(row) == MACHINES[0]]
    table = [[
        scheme, *("holds" if holds(row) else f"{int(row['b.cuts.false_items']):,} false"
                  for row in e.rows if row["values"][1] == scheme),
        shown(of_scheme_row, "mean_us", 1, 3), f"{processor(of_scheme_row, count):.2f}"
    ] for scheme, of_scheme_row in zip(schemes, first)]

    def on(name: str) -> tuple[Callable[..., Any], str]:
        def draw(axes: Any, legend: bool) -> None:
            del legend
            for i, row in enumerate(row for row in e.rows if machine(row) == name):
                axes.plot([processor(row, count)], [us(row)], linestyle="none", marker="o",
                          markersize=9, markeredgewidth=2, color=look.GROUP_COLOURS[i],
                          fillstyle="full" if holds(row) else "none", label=row["values"][1])
            axes.set_xlabel("both processors, us an item")
            axes.set_title(f"{name}: time until told durable (us)")
            axes.set_ylim(bottom=0)
            axes.set_xlim(left=0)
            look.style(axes)
            axes.legend(frameon=False, fontsize=8, loc="lower right")

        return draw, ("time until told durable over the time of both processors, "
                      f"for {len(schemes)} schemes, {name}; hollow where what is told is false")
    wrong = [(row["values"][1], machine(row)) for row in e.rows if not holds(row)]
    said = [
        (
            "One item of 64 B at a time on four machines. Marks are full where no power cut, at any"
            " instant of the run, would have lost an item that its initiator was told is durable,"
            " and hollow where one would. A read proves that data have left the root port, not that"
            " they are durable: with DDIO they are in the cache."
        ),
        "False: "
        + "; ".join(
            f"{name}: " + ", ".join(scheme for scheme, of in wrong if of == name)
            for name in MACHINES
            if any(of == name for _, of in wrong)
        )
        + ".",
    ]
    expected = {(scheme, MACHINES[2]) for scheme in schemes if scheme not in PROCESSOR}
    figure = page.figure(
        e, "Schemes and machines", [on(name) for name in MACHINES], "64 B.", head, table
    )
    return told(said) + figure, set(wrong) == expected


def sizes(page: pages.Page) -> Any:
    e = page.experiment("sizes")
    if e is None:
        return None
    names = [text.replace(" ", "\n") for text in e.axis()]
    head = [
        "size", *(f"{scheme} us" for scheme in e.axis(0)), "fig2 - fig10", "apm - fig10",
        "flush - fig10"
    ]
    by = {scheme: rows_of(e, scheme) for scheme in e.axis(0)}
    gain = {
        other: [us(a) - us(b) for a, b in zip(by[other], by["fig10"])]
        for other in ("fig2", "apm", "flush")
    }
    table = [[
        text, *(shown(by[scheme][i], "mean_us", 1, 3) for scheme in by), *(f"{gain[other][i]:.3f}"
                                                                           for other in gain)
    ] for i, text in enumerate(e.axis())]
    blank = [float("nan")] * len(names)
    gains = styled(
        [(f"than {other}", (list(range(len(names))), of, blank)) for other, of in gain.items()]
    )
    panels = [
        (
            lines(
                "Time until told durable (us)",
                by_place(e, "mean_us"),
                "size of the item",
                bottom=0,
                names=names,
            ),
            f"time over the size, for {len(by)} schemes",
        ),
        (
            lines("fig10 is faster by (us)", gains, "size of the item", bottom=0, names=names),
            "what WRITE_PERSIST saves beside three others, over the size",
        ),
    ]
    said = [
        (
            "No DDIO: all hold. fig2 waits for an answer before it asks to have its data flushed;"
            " fig10 asks with them. So do apm and FLUSH, posted with the WRITE."
        ),
        (
            f"At {e.axis()[0]} fig10 is {gain['fig2'][0]:.2f} us faster than fig2 and"
            f" {gain['apm'][0]:.2f} us faster than apm: nearly all of the gain comes from posting"
            f" both at once. At {e.axis()[-1]}, where the medium is the bottleneck,"
            f" {gain['fig2'][-1]:.2f} us are left."
        ),
    ]
    slower = [
        (text, f"{us(apm) - us(fig2):.2f}")
        for text, apm, fig2 in zip(e.axis(), by["apm"], by["fig2"])
        if us(apm) > us(fig2)
    ]
    if slower:
        said.append(
            f"At {' and '.join(text for text, _ in slower)} apm is slower than fig2, by "
            f"{' and '.join(more for _, more in slower)} us: its doorbell rings when "
            f"both WQEs are posted, {POST} us later than that of fig2's WRITE. fig2 posts its READ "
            "while the data are on their way to the medium, and loses "
            "nothing.")
    return told(said) + page.figure(e, "How long it takes", panels, "One item at a time.", head,
                                    table), gain


def saved(bytes_of: Mapping[str, Sequence[float]], place: int) -> float:
    """Share of fig2's bytes that fig10 does not need, in per cent."""
    return 100 * (1 - bytes_of["fig10"][place] / bytes_of["fig2"][place])


def network_load(page: pages.Page) -> Any:
    e = page.experiment("sizes")
    if e is None:
        return None
    by = {scheme: rows_of(e, scheme) for scheme in e.axis(0)}
    frames_of, bytes_of = (
        {scheme: [on_the_wires(row, what) for row in rows] for scheme, rows in by.items()}
        for what in ("frames", "bytes")
    )
    head = ["scheme", *(f"{size}: messages, B" for size in e.axis())]
    table = [
        [
            scheme,
            *(
                f"{frames:.0f}, {count:,.0f}"
                for frames, count in zip(frames_of[scheme], bytes_of[scheme])
            ),
        ]
        for scheme in by
    ]
    places, blank = list(range(len(e.axis()))), [float("nan")] * len(e.axis())
    names = [text.replace(" ", "\n") for text in e.axis()]
    beyond = styled(
        [
            (
                scheme,
                (
                    places,
                    [
                        count - number(row["size (B)"])
                        for count, row in zip(bytes_of[scheme], by[scheme])
                    ],
                    blank,
                ),
            )
            for scheme in by
        ]
    )
    messages = styled([(scheme, (places, frames_of[scheme], blank)) for scheme in by])
    panels = [
        (
            lines(
                "Bytes beside the payload, an item",
                beyond,
                "size of the item",
                bottom=0,
                names=names,
            ),
            "bytes on the wires that are not payload, over the size",
        ),
        (
            lines(
                "Messages an item, both ways", messages, "size of the item", bottom=0, names=names
            ),
            "frames on the wires over the size",
        ),
    ]
    said = [
        (
            "What an item costs the network: every frame of both hosts, with headers and FCS. A"
            " scheme that asks with the WRITE itself and is answered once needs two."
        ),
        (
            f"At {e.axis()[0]} fig10 needs {bytes_of['fig10'][0]:.0f} B, {saved(bytes_of, 0):.0f} %"
            f" fewer than fig2's {bytes_of['fig2'][0]:.0f} B; at"
            f" {e.axis()[-1]} {saved(bytes_of, -1):.1f} % fewer."
        ),
    ]
    drawn = page.drawn("network-load", panels)
    figure = markup.part(
        "elements",
        "figure",
        "network-load",
        "What an item costs the network",
        drawn,
        "One item at a time, no DDIO.",
        "",
        markup.table(head, table, numeric=range(1, len(head))),
    )
    return told(said) + figure, (bytes_of, frames_of)


def periods(page: pages.Page) -> Any:
    e = page.experiment("periods")
    if e is None:
        return None
    one, two = rows_of(e, "1"), rows_of(e, "2")
    places = list(range(len(one)))
    blank = [float("nan")] * len(one)
    head = ["packets outstanding", "1 ACK, us", "2 ACKs, us", "saved %"]
    table = [[
        a["values"][-1], f"{period(a):.3f}", f"{period(b):.3f}",
        f"{100 * (1 - period(b) / period(a)):.0f}"
    ] for a, b in zip(one, two)]
    curves = styled([("1 ACK", (places, [period(row) for row in one], blank)),
                     ("2 ACKs", (places, [period(row) for row in two], blank))])
    panels = [(lines("From an item to the next (us)", curves, "packets outstanding", bottom=0,
                     names=e.axis()), "period over the window, with one ACK and with two")]
    said = [
        "WRITE_PERSISTs of 64 B posted ahead. With one ACK the next one waits for the persist ACK "
        "of the one before, with two (the patent's overlap) only for the "
        "acknowledgement of its reception. A window of two packets does as much.",
        f"One outstanding: {period(one[0]):.2f} us and {period(two[0]):.2f} us; two outstanding "
        f"with one ACK: {period(one[1]):.2f} us."
    ]
    return told(said) + page.figure(e, "Items one behind the other", panels,
                                    "64 B, no DDIO, 16 flush reads at once.", head, table), (one,
                                                                                             two)


def chances(page: pages.Page) -> Any:
    e = page.experiment("chances")
    if e is None:
        return None

    def share(row: Mapping[str, Any], what: str) -> Any:
        return 100 * number(row[f"b.cuts.{what}_ps"]) / number(row["b.cuts.ps"])

    head = [
        "scheme", "root port holds", "written, a cut loses it, %", "written, not told durable, %",
        "told durable, a cut loses it, %"
    ]
    table = [[
        *row["values"], *(f"{share(row, what):.1f}" for what in ("vulnerable", "unproven", "false"))
    ] for row in e.rows]
    places = list(range(len(e.axis())))
    blank = [float("nan")] * len(places)
    curves = styled(
        [
            (scheme, (places, [share(row, "vulnerable") for row in rows_of(e, scheme)], blank))
            for scheme in e.axis(0)
        ]
    )
    panels = [
        (
            lines(
                "A cut loses what is told written (%)",
                curves,
                "the root port holds data for",
                bottom=0,
                names=e.axis(),
            ),
            "chance over how long the root port holds data",
        )
    ]
    said = [
        "The chance that a power cut at a random instant loses data that the initiator was told are"
        " written. A WRITE's ACK comes while its data are in flight in the host; WRITE_PERSIST says"
        " nothing before they are durable. A root port that passes data on at once has done so"
        " before the ACK arrives."
    ]
    found = {tuple(row["values"]): share(row, "vulnerable") for row in e.rows}
    return told(said) + page.figure(e, "A cut at random", panels,
                                    "64 B, one item at a time, no DDIO.", head, table), found


def claims(page: Any) -> tuple[Any, list[list[Any]]] | None:
    rows = []

    def say(name: str, text: str, met: bool) -> None:
        rows.append([name, text, pages.verdict(met)])
    if (part := hosts(page)):
        say(
            "P6, P8",
            (
                "No initiator is told too early where a read proves durability or a processor"
                " flushes; with DDIO and ADR every item of fig2, fig10, apm and FLUSH is false"
            ),
            part[1],
        )
    if (part := sizes(page)):
        gain = part[1]
        least = 2 * 0.3904 + POST + POLL  # us: the link's delay both ways, posting, taking
        say(
            "P4",
            (
                "At 64 B fig10 is faster than fig2 by more than a round trip, posting a WQE and"
                f" taking a completion ({least:.2f} us): {gain['fig2'][0]:.2f} us"
            ),
            gain["fig2"][0] > least,
        )
        say(
            "P4",
            (
                "... and hardly faster where the medium is the bottleneck:"
                f" {gain['fig2'][-1]:.2f} us at 64 KiB"
            ),
            gain["fig2"][-1] < 0.1 * gain["fig2"][0],
        )
        say(
            "",
            (
                "At 64 B nearly all of that comes from posting WRITE and READ at once: apm, which"
                f" needs no new card, is {gain['apm'][0]:.2f} us slower than fig10, fig2"
                f" {gain['fig2'][0]:.2f}"
            ),
            gain["apm"][0] < 0.2 * gain["fig2"][0],
        )
    if (part := network_load(page)):
        bytes_of, frames_of = part[1]
        say(
            "",
            (
                "fig10 needs the fewest bytes and messages on the wires at 64 B:"
                f" {bytes_of['fig10'][0]:.0f} B in {frames_of['fig10'][0]:.0f}; fig2"
                f" {bytes_of['fig2'][0]:.0f} B in {frames_of['fig2'][0]:.0f}"
            ),
            all(
                bytes_of["fig10"][0] < bytes_of[scheme][0]
                and frames_of["fig10"][0] < frames_of[scheme][0]
                for scheme in bytes_of
                if scheme != "fig10"
            ),
        )
        say(
            "",
            f"... and at 64 KiB less than 1 % fewer bytes than fig2: {saved(bytes_of, -1):.1f} %",
            saved(bytes_of, -1) < 1,
        )
    if (part := periods(page)):
        one, two = part[1]
        say(
            "P5",
            f"Two ACKs shorten the period with one packet outstanding: {period(one[0]):.2f} to "
            f"{period(two[0]):.2f} us",
            period(two[0]) < 0.95 * period(one[0]))
        say("P5", f"... and two outstanding with one ACK do as much: {period(one[1]):.2f} us",
            period(one[1]) <= period(two[0]))
    if (part := overlap(page)):
        found = part[1]
        say(
            "P5",
            f"... both by a factor of 2 where a flush takes as long as a round: {found['one']:.2f} "
            f"us to {found['two']:.2f} and {found['ahead']:.2f} us",
            found["halved"])
    if (part := chances(page)):
        found = part[1]
        say(
            "P7",
            f"fig10 tells nothing before it is durable: {found['fig10', 'until_pushed']:.1f} %; "
            "fig2 does, where the root port holds data: "
            f"{found['fig2', 'until_pushed']:.1f} %, and where it does not: "
            f"{found['fig2', '0 ns']:.1f} %",
            found["fig10", "until_pushed"] == 0 and found["fig2", "until_pushed"] > 0
            and found["fig2", "0 ns"] == 0)
    if (part := gigabit(page)):
        say(
            "P5",
            f"... and two ACKs cost time where the way back is full: {part[1]:.1f} % at 1 Gb/s",
            part[1] > 0,
        )
    if (part := losses(page)):
        say(
            "P10",
            (
                "With psn_only the share of items that wait for a repeat is twice that of frames"
                " lost, with an opcode the same, within three standard deviations; no loss tells an"
                " initiator too early"
            ),
            part[1],
        )
    if (part := copies(page)):
        ok, wrong = part[1]
        say(
            "P10",
            (
                "Where 1 % of the frames are copied psn_only tells too early, of 10,000 items"
                f" {', '.join(f'{n:,}' for n in wrong)}, at most twice the copies; an opcode never"
            ),
            ok,
        )
    if (part := coalescing(page)):
        say(
            "P14",
            (
                "With one flush read for all pending items there is at most one in the time that"
                " one takes, and the period is at most (a round trip + two flush reads) /"
                " outstanding"
            ),
            part[1][0],
        )
    if (part := evictions(page)):
        share = part[1][-1]
        say(
            "P16",
            (
                "Where a full LLC evicts lines in random order SCM's bandwidth falls towards a"
                f" quarter: {100 * share:.0f} %"
            ),
            share < 0.35,
        )
    if (part := order(page)):
        found = part[1]
        say(
            "P17",
            "An item is never durable before an earlier one where writes go past the LLC; it may "
            "be where they go through it",
            all(found[way, scheme] == 0 for way, scheme in found if way == "false")
            and any(found[way, scheme] > 0 for way, scheme in found if way == "true"))
    if (part := reads(page)):
        exact, share = part[1]
        say(
            "",
            (
                "Where fig2's READ asks for the data an item of up to a PMTU is 288 B and its size"
                f" twice on the wires, and fig10 needs half as many at every size: {min(share):.1f}"
                f" to {max(share):.1f} % fewer"
            ),
            exact and min(share) > 49 and max(share) < 51,
        )
    if (part := set_up(page)):
        same, times = part[1]
        say(
            "",
            (
                "A table of the region by SEND costs two messages and 152 B a connection, and its"
                f" first item {min(times):.2f} to {max(times):.2f} us, with every scheme"
            ),
            same and min(times) > 0 and max(times) < 1.5 * min(times),
        )
    if (part := firmware(page)):
        exact, over = part[1]
        say(
            "",
            (
                "As firmware the module adds two steps to an item of fig10, less at most 50 ns, and"
                f" bounds the period by as much; from {over} a step on apm is faster"
            ),
            exact and bool(over),
        )
    if (part := pool(page)):
        same, gains = part[1]
        say(
            "",
            (
                "In a pool an item costs the network what it does between two hosts, fig10 least;"
                f" fig10 leads fig2 by {min(gains):.2f} us or more with 2, 4 and 8 hosts"
            ),
            same and min(gains) > 2 * 0.3904 + POST + POLL,
        )
    if (part := devices(page)):
        more, full = part[1]
        say(
            "",
            (
                "Eight devices take"
                f" {min(more.values()):.2f} to {max(more.values()):.2f} times as much as one from"
                f" eight initiators; one takes what its medium does ({full:.1f} of"
                f" {MEDIUM_GBPS:.1f} Gb/s) with 16 flush reads at once"
            ),
            min(more.values()) > 7.5 and 0.98 * MEDIUM_GBPS < full <= MEDIUM_GBPS,
        )
    if not rows:
        return None
    said = [
        "P4 to P17 are claims about the patent. Others are tests (ctest --test-dir build/ci -R "
        "...): P1 to P3, P9 and P12, what an item costs in packets, "
        "bytes, WQEs, CQEs, doorbells and DMA requests ('what an item costs'); P15, how long it "
        "takes, to the picosecond ('sum of'); P13, that a flush read "
        "waits for the bytes before it at the rate at which they leave, and for nothing else, to "
        "the picosecond (P13); P7, to a cycle (P7); P11, that an item "
        "outlasts a crash of its initiator from the instant at which its trigger has left it (P11)."
    ]
    return told(said) + pages.verdicts(["claim", "", "verdict"], rows), rows


SECTIONS = {
    "Claims": claims,
    "Which way on which machine": hosts,
    "Over size": sizes,
    "Network load": network_load,
    "A READ of all": reads,
    "A pool": pool,
    "A pool's devices": devices,
    "Over packets outstanding": periods,
    "A flush as long as a round": overlap,
    "A slow wire": gigabit,
    "Coalescing": coalescing,
    "The set-up": set_up,
    "Firmware": firmware,
    "Losses": losses,
    "Copies": copies,
    "Power cuts": chances,
    "What lies where": over_time,
    "Order": order,
    "Evictions": evictions,
}


FAMILY = pages.Family("persistence", "Write persistence", LEAD, SECTIONS, persistence_front.front)


@ending.reported("persistence_page")
def main(arguments: Sequence[str]) -> int:
    return pages.write(FAMILY, __doc__, arguments)
