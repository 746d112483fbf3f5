"""The document as one self-contained page, in the look of the report."""

from rnicsim.comparison import event_words, forest, text
from rnicsim.report_page import counters, frame, markup
from rnicsim.report_page.words import code, count, escape, plural

KINDS = {"equal": ("good", "✓"), "different": ("bad", "✗"), "within tolerance": ("open", "?"), "B slower": ("bad", "✗"),
         "B faster": ("good", "✓"), "not decided": ("open", "?")}


STYLE = ".events td:last-child { white-space: normal; min-width: 18rem; }\n"


def _badge(verdict):
    kind, sign = KINDS.get(verdict, ("none", "–"))
    return f'<span class="badge {kind}"><span aria-hidden="true">{sign}</span> {escape(verdict)}</span>'


def _in_short(document):
    compared, different = document["compared"], document["different"]
    rows = [[what, count(compared[what]), count(different[what])] for what in ("runs", "transfers", "counters")]
    texts = [*document["notes"], *text.only(document)]
    notice = f'<div class="notice">{markup.paragraphs(texts)}</div>\n' if texts else ""
    return notice + markup.table(["", "compared", "different"], rows, numeric=(1, 2))


def _times(points):
    single = len({point["point"] for point in points}) == 1
    head = ["", "A, µs", "B, µs", "B − A, µs", "change", "faster", "slower", "equal", "verdict"]
    rows = [[escape(text.method_of(point, single)), *map(escape, (text.microseconds(point["a_us"]), text.microseconds(point["b_us"]),
             text.difference(point), text.relative(point))), count(point["faster"]), count(point["slower"]), count(point["equal"]),
             _badge(point["verdict"])] for point in points]
    ends = [(what, side) for what in ("completed", "failed") for side in ("a", "b")]
    failed = [[escape(text.method_of(point, single)), *(count(point[what][side]) for what, side in ends)]
              for point in points if point["failed"]["a"] or point["failed"]["b"]]
    largest = [[f"<code>{code(t['run'])}</code>", code(t["transfer"]), text.microseconds(t["a_us"]), text.microseconds(t["b_us"]),
                text.signed(t["change_us"])] for point in points for t in point["largest"]]
    svg = forest.picture(points)
    out = "<p>Mean time of a transfer, paired by run and transfer; how many transfers B made faster, slower, or left equal.</p>\n"
    out += markup.table(head, rows, numeric=range(1, 8)) + markup.paragraphs([text.interval_note(points)])
    out += f'<div class="panel">{svg}</div>\n' if svg else ""
    if failed:
        out += markup.table(["", "completed, A", "B", "failed, A", "B"], failed, "Times are of transfers that both completed.", range(1, 5))
    if largest:
        out += markup.details("The largest changes", markup.table(["run", "transfer", "A, µs", "B, µs", "B − A, µs"], largest,
                                                                  numeric=(2, 3, 4)))
    return out


def _counters(points):
    single = len({point["point"] for point in points}) == 1
    out = []
    for point in points:
        rows = [[f'<code>{code(c["name"])}</code><br><span class="muted">{escape(counters.meanings().get(counters.plain(c["name"]), ""))}'
                 "</span>", count(c["a"]), count(c["b"]), text.ratio(c)]
                for c in sorted(point["counters"], key=text.strength, reverse=True)]
        if rows:
            table = markup.table(["counter, and what it counts", "A", "B", "B / A"], rows, numeric=(1, 2, 3))
            out.append(markup.details(f"{text.method_of(point, single)}: {plural(len(rows), 'counter')}",
                                      f'<div class="counters">{table}</div>\n'))
    if not out:
        return ""
    return ("<p>The strongest first. Sums over the repetitions; of a counter that ends in <code>_high_water</code> the highest of any "
            "run. Counters that are equal are left out.</p>\n" + "".join(out))


def _first_transfer(first):
    rows = [[code(column), code(first["a"][column]) or "–", code(first["b"][column]) or "–"] for column in first["columns"]]
    return (f"<h3>Transfer</h3>\n<p>{code(first['transfer'])} of <code>{code(text.run_of(first))}</code> is the first that differs, by the "
            "time of its request.</p>\n" + markup.table(["", "A", "B"], rows, numeric=(1, 2)))


def _events(side, events):
    """Rows of the table of events."""
    return [[side, count(event["cycle"]), code(event.get("transfer", "")), escape(event_words.what(event))] for event in events]


def _first_event(first):
    rows = _events("both", first["before"]) + _events("A", first["a"]) + _events("B", first["b"])
    rows += [[side.upper(), "–", "", "has no more events"] for side in ("a", "b") if not first[side]]
    texts = [f"It differs in {', '.join(first['columns'])}."] if first["columns"] else []
    texts += [f"{why}." for why in text.causes(first)]
    table = markup.table(["", "cycle", "transfer", "event"], rows, numeric=(1,))
    return (f"<h3>Event</h3>\n<p>Number {count(first['number'])} of <code>{code(text.run_of(first))}</code> is the first that differs. "
            f'Cycles are of 8&nbsp;ns.</p>\n<div class="events">{table}</div>\n{markup.paragraphs(texts)}')


def _first(document):
    out = _first_transfer(document["first_transfer"]) if document["first_transfer"] else ""
    if document["first_event"]:
        return out + _first_event(document["first_event"])
    return out + f"<h3>Event</h3>\n<p>Events: {escape(document['events'])}.</p>\n" if document["verdict"] != "equal" else out


def _compared(document):
    rows = [[side.upper(), f"<code>{code(about['what'])}</code>", code(about["scenario"]), code(about["seed"]),
             f"<code>{code(program)}</code>", f"<code>{code(about['program'].get('source_hash', '?'))}</code>"]
            for side, about, program in zip(("a", "b"), (document["a"], document["b"]), text.programs(document))]
    out = markup.table(["", "what", "scenario", "seed", "program", "sources"], rows)
    settings = [[f"<code>{code(row['key'])}</code>", code(row["a"] or "–"), code(row["b"] or "–")] for row in document["settings"]]
    return out + (markup.table(["setting", "A", "B"], settings) if settings else "<p>Every setting of the scenarios is equal.</p>\n")


def page(document):
    names = list(dict.fromkeys(document[side]["scenario"] for side in ("a", "b")))
    parts = [("In short", _in_short(document)), ("Times", _times(document["points"])),
             ("Counters that moved", _counters(document["points"])), ("What differs first", _first(document)),
             ("What was compared", _compared(document))]
    draws = "the same draws" if document["a"]["seed"] == document["b"]["seed"] else "draws of their own"
    lead = (f'<p class="lead">Two sides with {draws}, run by run, transfer by transfer. A is <code>{code(document["a"]["what"])}</code>, '
            f'B is <code>{code(document["b"]["what"])}</code>.</p>')
    return frame.page(f"Comparison: {' and '.join(names)}", lead, [part for part in parts if part[1]],
                      tally=f"<li>{_badge(document['verdict'])}</li>", more_style=STYLE)
