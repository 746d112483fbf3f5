# SPDX-License-Identifier: Apache-2.0
"""The document as one self-contained page, in the look of the report."""

from collections.abc import Mapping
from typing import Any

from rnicsim.comparison import event_words, forest, text
from rnicsim.report_page import counters, frame, markup
from rnicsim.report_page.words import count, plural, tied

KINDS = {
    "equal": "good",
    "different": "bad",
    "within tolerance": "open",
    "B slower": "bad",
    "B faster": "good",
    "not decided": "open"
}
STYLE = ".events td:last-child { white-space: normal; min-width: 18rem; }\n"


def _badge(verdict: Any) -> Any:
    return markup.badge(KINDS.get(verdict, "none"), verdict)


def _in_short(document: Mapping[str, Any]) -> Any:
    compared, different = document["compared"], document["different"]
    rows = [[what, count(compared[what]), count(different[what])]
            for what in ("runs", "transfers", "counters")]
    return markup.part("comparison", "in_short", [*document["notes"], *text.only(document)],
                       markup.table(["", "compared", "different"], rows, numeric=(1, 2)))


def _times(points: Any) -> Any:
    single = len({point["point"] for point in points}) == 1
    head = ["", "A, µs", "B, µs", "B − A, µs", "change", "faster", "slower", "equal", "verdict"]
    rows = [[
        tied(text.method_of(point, single)),
        *map(tied, (text.microseconds(point["a_us"]), text.microseconds(
            point["b_us"]), text.difference(point), text.relative(point))),
        count(point["faster"]),
        count(point["slower"]),
        count(point["equal"]),
        _badge(point["verdict"])
    ] for point in points]
    ends = [(what, side) for what in ("completed", "failed") for side in ("a", "b")]
    failed = [[
        tied(text.method_of(point, single)), *(count(point[what][side]) for what, side in ends)
    ] for point in points if point["failed"]["a"] or point["failed"]["b"]]
    largest = [[
        markup.code(t["run"]), t["transfer"],
        text.microseconds(t["a_us"]),
        text.microseconds(t["b_us"]),
        text.signed(t["change_us"])
    ] for point in points for t in point["largest"]]
    failures = markup.table(["", "completed, A", "B", "failed, A", "B"], failed,
                            "Times are of transfers that both completed.", range(1, 5))
    changes = markup.table(["run", "transfer", "A, µs", "B, µs", "B − A, µs"], largest,
                           numeric=(2, 3, 4))
    return markup.part("comparison", "times", markup.table(head, rows, numeric=range(1, 8)),
                       text.interval_note(points), forest.picture(points),
                       failures if failed else "", changes if largest else "")


def _counters(points: Any) -> Any:
    single = len({point["point"] for point in points}) == 1
    out = []
    for point in points:
        rows = [[
            markup.counter(c["name"],
                           counters.meanings().get(counters.plain(c["name"]), "")),
            count(c["a"]),
            count(c["b"]),
            text.ratio(c)
        ] for c in sorted(point["counters"], key=text.strength, reverse=True)]
        if rows:
            out.append((f"{text.method_of(point, single)}: {plural(len(rows), 'counter')}",
                        markup.table(["counter, and what it counts", "A", "B", "B / A"], rows,
                                     numeric=(1, 2, 3))))
    return markup.part("comparison", "counters", out) if out else ""


def _first_transfer(first: Any) -> Any:
    rows = [[column, str(first["a"][column]) or "–",
             str(first["b"][column]) or "–"] for column in first["columns"]]
    return markup.part("comparison", "first_transfer", first["transfer"], text.run_of(first),
                       markup.table(["", "A", "B"], rows, numeric=(1, 2)))


def _events(side: Any, events: Any) -> Any:
    """Rows of the table of events."""
    return [[
        side,
        event_words.time(event),
        event.get("transfer", ""),
        tied(event_words.what(event))
    ] for event in events]


def _first_event(first: Any) -> Any:
    rows = _events("both", first["before"]) + _events("A", first["a"]) + _events("B", first["b"])
    rows += [[side.upper(), "–", "", "has no more events"] for side in ("a", "b")
             if not first[side]]
    texts = [f"It differs in {', '.join(first['columns'])}."] if first["columns"] else []
    texts += [f"{why}." for why in text.causes(first)]
    table = markup.table(["", "µs", "transfer", "event"], rows, numeric=(1,))
    return markup.part("comparison", "first_event", count(first["number"]), text.run_of(first),
                       table, texts)


def _first(document: Mapping[str, Any]) -> Any:
    out = [_first_transfer(document["first_transfer"])] if document["first_transfer"] else []
    if document["first_event"]:
        out.append(_first_event(document["first_event"]))
    elif document["verdict"] != "equal":
        out.append(markup.part("comparison", "no_event", document["events"]))
    return markup.part("elements", "joined", out)


def _compared(document: Mapping[str, Any]) -> Any:
    rows = [[
        side.upper(),
        markup.code(about["what"]), about["scenario"], about["seed"],
        markup.code(program),
        markup.code(about["program"].get("source_hash", "?"))
    ] for side, about, program in zip(("a", "b"), (document["a"],
                                                   document["b"]), text.programs(document))]
    settings = [[markup.code(row["key"]), row["a"] or "–", row["b"] or "–"]
                for row in document["settings"]]
    return markup.part("comparison", "compared",
                       markup.table(["", "what", "scenario", "seed", "program", "sources"], rows),
                       markup.table(["setting", "A", "B"], settings) if settings else "")


def page(document: Mapping[str, Any]) -> Any:
    names = list(dict.fromkeys(document[side]["scenario"] for side in ("a", "b")))
    parts = [("In short", _in_short(document)), ("Times", _times(document["points"])),
             ("Counters that moved", _counters(document["points"])),
             ("What differs first", _first(document)), ("What was compared", _compared(document))]
    draws = "the same draws" if document["a"]["seed"] == document["b"][
        "seed"] else "draws of their own"
    lead = markup.part("comparison", "lead", draws, document["a"]["what"], document["b"]["what"])
    return frame.page(f"Comparison: {' and '.join(names)}", lead,
                      [part for part in parts if part[1]],
                      tally=markup.part("comparison", "tally",
                                        _badge(document["verdict"])), more_style=STYLE)
