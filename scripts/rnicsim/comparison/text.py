# SPDX-License-Identifier: Apache-2.0
"""The document as text for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rnicsim.report_page.words import count, plural

MOST_COUNTERS = 10  # at each point and method; --json has all
MOST_NAMES = 5  # of runs and transfers that only one side has


def aligned(rows: Sequence[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in rows
    ]


def signed(value: float, decimals: int = 3) -> str:
    """Never minus zero."""
    text = f"{value:+,.{decimals}f}"
    return text if text.strip("+-0.,") else text.lstrip("+-")


def microseconds(value: float) -> str:
    return "-" if value is None else f"{value:,.3f}"


def difference(point: Mapping[Any, Any]) -> str:
    if point["difference_us"] is None:
        return "-"
    half = "" if point["half_width_us"] is None else f" ± {point['half_width_us']:,.3f}"
    return signed(point["difference_us"]) + half


def relative(point: Mapping[str, Any]) -> str:
    return "-" if point["relative"] is None else f"{signed(point['relative'] * 100, 2)} %"


def method_of(point: Mapping[str, Any], only_point: bool) -> Any:
    return point["method"] if only_point else f"{point['point']}, {point['method']}"


def interval_note(points: Sequence[dict[str, Any]]) -> str:
    """What the verdicts rest on."""
    tested = sum(point["p"] is not None for point in points)
    if tested == 0:
        return "Fewer than 3 repetitions: no intervals, nothing is decided about the means."
    return (
        "Interval: 95 %, Student's t over the repetitions. A mean is slower or faster if its "
        "p-value is at most 5 % after Holm's "
        f"correction for {plural(tested, 'comparison')}.")


def _times(points: Sequence[dict[str, Any]]) -> list[str]:
    single = len({point["point"] for point in points}) == 1
    head = ["", "A", "B", "B - A", "", "faster", "slower", "equal", "verdict"]
    rows = [[
        method_of(point, single),
        microseconds(point["a_us"]),
        microseconds(point["b_us"]),
        difference(point),
        relative(point),
        count(point["faster"]),
        count(point["slower"]),
        count(point["equal"]), point["verdict"]
    ] for point in points]
    lines = [
        "mean time of a transfer in µs, paired by run and transfer; how many transfers B made "
        "faster, slower, left equal",
        *aligned([head, *rows]), f"  {interval_note(points)}"
    ]
    for point in points:
        if point["failed"]["a"] or point["failed"]["b"]:
            done, failed = point["completed"], point["failed"]
            lines.append(
                f"  {method_of(point, single)}: completed {count(done['a'])} in A, "
                f"{count(done['b'])} in B; failed "
                f"{count(failed['a'])}, {count(failed['b'])}. Times are of those that both "
                "completed."
            )
    changed = [transfer for point in points for transfer in point["largest"]]
    if changed:
        lines.append("largest changes")
        lines += aligned([[
            t["run"], t["transfer"], f"{microseconds(t['a_us'])} -> {microseconds(t['b_us'])} µs",
            signed(t["change_us"])
        ] for t in changed])
    return lines


def strength(counter: Mapping[str, Any]) -> tuple[float, int]:
    """By which counters are sorted: how far the ratio is from 1, those that were or became 0
    first."""
    low, high = sorted((counter["a"], counter["b"]))
    return (float("inf") if low == 0 else high / low, high)


def ratio(counter: Mapping[str, Any]) -> str:
    return "-" if counter["ratio"] is None else f"{counter['ratio']:,.3f}"


def _counters(points: Sequence[dict[str, Any]]) -> list[str]:
    single = len({point["point"] for point in points}) == 1
    rows, left = [], 0
    for point in points:
        strongest = sorted(point["counters"], key=strength, reverse=True)[:MOST_COUNTERS]
        rows += [[
            method_of(point, single), counter["name"],
            count(counter["a"]),
            count(counter["b"]),
            ratio(counter)
        ] for counter in strongest]
        left += len(point["counters"]) - len(strongest)
    if not rows:
        return []
    lines = [
        "counters that moved, the strongest first (sums over the repetitions; *_high_water: the "
        "highest)",
        *aligned([["", "counter", "A", "B", "B / A"], *rows])
    ]
    return lines + ([f"  and {plural(left, 'counter')} more: --json and --html have all"]
                    if left else [])


def causes(first: Any) -> Any:
    """Why each side's event happens, where it does not say so itself."""
    how = {"from": "comes from", "before": "comes after"}
    return [
        f"{side.upper()}'s {how[first[f'cause_{side}']['how']]}: {first[f'cause_{side}']['words']}"
        for side in ("a", "b") if first[f"cause_{side}"]
    ]


def run_of(first: Mapping[str, Any]) -> Any:
    """Its name, or both where the points stand in another order."""
    return first["run"] if first["run"] == first[
        "run_b"] else f"{first['run']} (in B: {first['run_b']})"


def _first_transfer(first: Mapping[str, Any] | None) -> list[str]:
    if first is None:
        return []
    rows = [[column, str(first["a"][column]) or "-",
             str(first["b"][column]) or "-"] for column in first["columns"]]
    return [
        f"first transfer that differs: {first['transfer']} of {run_of(first)}",
        *aligned([["", "A", "B"], *rows])
    ]


def first_event(first: None, why_not: str) -> list[str]:
    """Its lines; also where there is none, if somebody wanted to know."""
    if first is None:
        return [f"events: {why_not}"]
    lines = [
        f"first event that differs: number {count(first['number'])} of {run_of(first)}; = are alike"
    ]
    lines += [f"  =  {event['words']}" for event in first["before"]]
    for side in ("a", "b"):
        lines += [f"  {side.upper()}  {event['words']}"
                  for event in first[side]] or [f"  {side.upper()}  has no more events"]
    if first["columns"]:
        lines.append(f"  it differs in {', '.join(first['columns'])}")
    return lines + [f"  {why}" for why in causes(first)]


def only(document: Mapping[str, Any]) -> list[str]:
    lines = []
    for side in ("a", "b"):
        for kind, names in document["only"][side].items():
            if names:
                shown = [*names[:MOST_NAMES], *(["..."] if len(names) > MOST_NAMES else [])]
                lines.append(
                    f"only {side.upper()} has {plural(len(names), kind[:-1])}: {', '.join(shown)}")
    return lines


def last_line(document: Mapping[str, Any]) -> str:
    compared, different = document["compared"], document["different"]
    if document["verdict"] == "equal":
        events = "" if document["events"].startswith("not") else ", events " + document["events"]
        return (
            f"equal: {plural(compared['runs'], 'run')}, "
            f"{plural(compared['transfers'], 'transfer')}, "
            f"{plural(compared['counters'], 'counter')}{events}")
    counts = ", ".join(f"{count(different[what])} of {plural(compared[what], what[:-1])}"
                       for what in ("runs", "transfers", "counters"))
    more = (
        "" if document["tolerance"] is None else
        f" (tolerance {document['tolerance'] * 100:g} %)"
    )
    return f"{document['verdict']}{more}: {counts}"


def programs(document: Mapping[str, Any]) -> list[str]:
    """What each side's program is called: its revision, else the hash of its sources; and its file
    where two were called."""
    files = [document[side]["run_by"] for side in ("a", "b")]
    two = None not in files and files[0] != files[1]
    revisions = [program.get("git_revision") or f"sources {program.get('source_hash', '?')}"
                 for program in (document["a"]["program"], document["b"]["program"])]
    return [revision + (f", {file}" if two else "") for revision, file in zip(revisions, files)]


def lines(document: Mapping[str, Any]) -> list[str]:
    out = [
        f"{side.upper()}: {document[side]['what']} ({program})"
        for side, program in zip(("a", "b"), programs(document))
    ]
    out += [
        f"setting {row['key']}: {row['a'] or 'none'} -> {row['b'] or 'none'}"
        for row in document["settings"]
    ]
    out += [f"note: {note}" for note in document["notes"]] + only(document)
    if document["verdict"] != "equal":
        out += _times(document["points"]) + _counters(document["points"]) + _first_transfer(
            document["first_transfer"])
        out += first_event(document["first_event"], document["events"])
    return [*out, last_line(document)]
