# SPDX-License-Identifier: Apache-2.0
"""What a ring's rules and a core's buffers cost, and what breaks without: sections of the page "A
bridge between hosts"."""

from __future__ import annotations

import re
from math import ceil
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import bars, cost, count, done, gbps, points, rows_of, size
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.page import wrapped
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import markup

if TYPE_CHECKING:
    from pathlib import Path

    from rnicsim.family_page.bridge_rows import Row
    from rnicsim.family_page.page import Page

KINDS = {
    "usual": "all rules, chunks",
    "one_tlp": "a partial line is one TLP",
    "packed": "packed, chunks",
    "packed_one_tlp": "packed, one TLP",
    "no_fence": "no fence in between",
}


def millions(row: Row) -> float:
    """Messages, a microsecond."""
    return gbps(row) * 1e3 / 8 / size(row["values"][0])


def tlps(row: Row) -> float:
    return count(row, "n0.near_to_target_writes") / done(row)


def rules(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("rules")
    if e is None:
        return None
    names = [text.split(",")[0] for text in e.axis(0)]
    of = {kind: e.select(kind) for kind in KINDS}
    places = list(range(len(names)))
    rates = styled(
        [
            (label, points(places, [millions(row) for row in of[kind]]))
            for kind, label in (
                ("usual", "slots begin with a line"),
                ("packed", "packed"),
                ("no_fence", "no fence in between"),
            )
        ]
    )
    panels = [
        (
            lines(
                "M messages/s of one core",
                rates,
                "message",
                names=names,
                bottom=0,
                legend_at="lower left",
            ),
            "messages a second by size",
        ),
        (
            bars(
                "TLPs of 1016 B in a slot of 1 KiB",
                [
                    label.replace(", ", ",\n").replace(" is ", "\nis ").replace(" in ", "\nin ")
                    for label in KINDS.values()
                ],
                [tlps(of[kind][-1]) for kind in KINDS],
            ),
            "TLPs of a message by rule",
        ),
    ]
    table = [
        [name, label, f"{millions(of[kind][i]):.2f}", f"{tlps(of[kind][i]):.0f}"]
        for i, name in enumerate(names)
        for kind, label in KINDS.items()
    ]
    small = [millions(row) for row in of["usual"][:4]]
    aligned, packed, none = (
        tlps(of[kind][-1]) for kind in ("one_tlp", "packed_one_tlp", "no_fence")
    )
    said = [
        "A slot that does not begin with a line (NTSocks' 8 B behind one) touches one line more. "
        "The fence between payload and header costs nothing at this rate: without it one has to "
        "come behind the header. But it has the first line leave twice, in chunks: 8 B a TLP."
    ]
    claims = [
        Claim(
            "D3",
            "8 M small messages a second (figure 5-21)",
            "calibrated",
            "7 to 8.5, 8 to 248 B",
            f"{min(small):.1f} to {max(small):.1f}",
            7 <= min(small) and max(small) <= 8.5,
            e.name,
        ),
        Claim(
            "N30",
            "slots that begin with a line need a TLP less in 1 KiB",
            "exact",
            "packed one more; 16 full lines and no other without the fence",
            f"{aligned:.0f}, packed {packed:.0f}, without the fence {none:.0f}",
            packed == aligned + 1 and none == 16,
            e.name,
        ),
    ]
    return (
        told(said)
        + page.figure(
            e,
            "What the rules cost",
            panels,
            "Depth 64.",
            ["message", "ring", "M messages/s", "TLPs a message"],
            table,
        ),
        claims,
    )


def buffers(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("buffers")
    if e is None:
        return None
    places = [int(text) for text in e.axis(1)]
    rows = {text.split(",")[0]: rows_of(e, text) for text in e.axis(0)}
    panels = [
        (
            lines(
                "Goodput of one core (Gb/s)",
                styled(
                    [(text, points(places, [gbps(row) for row in of])) for text, of in rows.items()]
                ),
                "write-combining buffers",
                bottom=0,
                legend_at="upper left",
            ),
            "goodput over buffers",
        )
    ]
    table = [
        [text, str(place), f"{gbps(row):.2f}"]
        for text, of in rows.items()
        for place, row in zip(places, of)
    ]
    keeps, fills = cost(e, "store.evict"), cost(e, "store.line")
    said = [
        f"A line keeps its buffer for {keeps:g} ns on its way to the port, and a core fills one in "
        f"{fills:g} ns: {ceil(keeps / fills)} are on their way while it fills another one."
    ]
    return (
        told(said)
        + page.figure(
            e, "Write-combining buffers", panels, "", ["message", "buffers", "Gb/s"], table
        ),
        [],
    )


LEFT_OUT = {
    "no_fence": ("the fence, few credits", "few_credits"),
    "no_zero": ("zeroing the length", "all"),
    "no_push": ("saying how far it is, a slow reader", "slow_reader"),
}


def said_by(folder: Path) -> dict[str, str]:
    """What each run that failed says, by its variant."""
    text = (folder / "bad" / "rules.txt").read_text(encoding="utf-8")
    found = re.findall(
        r"^p\d+_(\w+)_r0: (?:invariant violated at )?(.*)$", text, flags=re.MULTILINE
    )
    return dict(found)


def explored(folder: Path) -> dict[str, str]:
    """Verdicts of `rnicsim explore --personality ntb --policy all`, by rule that is left out."""
    file = folder / "explore.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    found = re.findall(r"^(H\w+) (.*?): .*?(BROKEN in .*|all rules hold)$", text, flags=re.M)
    return {f"{name} {what}": verdict for name, what, verdict in found}


def broken(page: Page) -> tuple[Any, list[Claim]] | None:
    if not (page.folder / "bad" / "rules.txt").exists():
        return None
    runs, orders = said_by(page.folder), explored(page.folder)
    table = [
        [without, runs.get(name, "nothing"), runs.get(other, "nothing, each byte is right")]
        for name, (without, other) in LEFT_OUT.items()
    ]
    short = {name.split()[0]: verdict for name, verdict in orders.items()}
    searched = [[name, verdict.removeprefix("BROKEN ")] for name, verdict in orders.items()]
    said = [
        "A run without a rule, if unsafe: true lets it, ends where the reader's bytes are wrong; "
        "with the rule, and all else equal, it does not. Whether a run meets the order that breaks "
        "a ring is chance: exploration tries all of them."
    ]

    def breaks(run: str, *searches: str) -> tuple[str, bool]:
        sound = LEFT_OUT[run][1] not in runs if run else True
        holds = (
            sound
            and (not run or run in runs)
            and all("BROKEN" in short.get(one, "") for one in searches)
        )
        return (
            ", ".join(
                [
                    *([f"a run: {runs.get(run, 'nothing').rsplit(': ')[-1]}"] if run else []),
                    *(f"{one} {short.get(one, 'not explored')}" for one in searches),
                ]
            ),
            holds,
        )

    claims = [
        Claim(
            number,
            what,
            "exact",
            "broken without the rule, sound with it",
            *breaks(run, *searches),
            "bad/rules, explore" if run else "explore",
        )
        for number, what, run, searches in (
            ("N6", "payload before header, by a fence: no torn message", "no_fence", ("H1", "H2")),
            ("N7", "a header is 8 B in one line: never seen in part", "", ("H11",)),
            ("N8", "a length that is not zeroed: a slot is taken again", "no_zero", ("H4",)),
            ("N9", "a sender that knows how far it is read never overruns", "no_push", ("H6",)),
        )
    ]
    steps = {
        name: int(verdict.split()[2]) for name, verdict in short.items() if "BROKEN" in verdict
    }
    picture = markup.part(
        "elements",
        "figure",
        "explored",
        "Rules left out, explored",
        page.drawn(
            "explored",
            [
                (
                    bars(
                        "Steps until a ring without a rule breaks",
                        [name.removeprefix("H") for name in steps],
                        list(steps.values()),
                        "rule, H",
                    ),
                    "steps by rule",
                )
            ],
        ),
        f"{next(iter(steps))} to {list(steps)[-1]}; r, z: variants." if steps else "",
    )
    commands = markup.part(
        "elements",
        "commands",
        "rnicsim run scenarios/bridge/bad/rules.yaml\n"
        "rnicsim explore --personality ntb --policy all",
    )
    return (
        told(said)
        + wrapped(["left out", "the run says", "with it"], table)
        + picture
        + wrapped(["left out, explored", "found"], searched)
        + commands
    ), claims
