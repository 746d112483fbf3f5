# SPDX-License-Identifier: Apache-2.0
"""The first event that differs between two runs: files of `rnicsim run --events x.jsonl`, line by
line, of any length."""

import itertools
import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from rnicsim.report_page.results import Unusable

BEFORE, AFTER = 4, 5  # events shown of both, and of each side from the first that differs
FORMAT = "rnicsim events"


def _head(lines: Any, name: str) -> tuple[int, list[str]]:
    try:
        head = json.loads(next(lines))
        if head["format"] != FORMAT:
            raise KeyError(head["format"])
        return head["version"], head["columns"]
    except (StopIteration, ValueError, KeyError, TypeError) as error:
        raise Unusable(
            f"{name}: expected events as `rnicsim run --events x.jsonl` writes them") from error


def _parsed(line: str, name: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise Unusable(f"{name}: is cut off or damaged: {error}") from error


def columns_that_differ(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None,
                        columns: Sequence[str]) -> list[str]:
    """Of two events, or of an event and None."""
    if a is None or b is None:
        return []
    return [column for column in columns if a.get(column) != b.get(column)]


class Decisions:
    """What each end's transport controller has decided last, and about each transfer: why something
    else happens there."""

    def __init__(self) -> None:
        self.last: dict[Any, Any] = {}

    def take(self, event: dict[str, Any]) -> None:
        if event.get("event") == "decides":
            self.last[event["end"], None] = self.last[event["end"], event.get("transfer")] = event

    def behind(self, events: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        """The decision that the first of these events comes from, with `how`: "from" if it was
        decided at that time (it may be told after what came of it), "before" if it is the last one
        before about the same transfer. None if there is none, or the event names its own cause."""
        if not events or "cause" in events[0]:
            return None
        first = events[0]
        at_this_end = [
            event for event in events
            if event.get("event") == "decides" and event.get("end") == first.get("end")
        ]
        for event in [*at_this_end, self.last.get((first.get("end"), None))]:
            if event and event["time_ps"] == first.get("since_ps"):
                return {**event, "how": "from"}
        last = self.last.get((first.get("end"), first["transfer"])) if "transfer" in first else None
        return {**last, "how": "before"} if last else None


def first_difference(a: Any, b: Any, name_a: str = "A", name_b: str = "B") -> dict[str, Any] | None:
    """`a`, `b`: iterators over lines, the first says the format. None if all events are alike, else
    {number (from 1), count (events alike), before, a, b, columns, cause_a, cause_b}: events as
    dictionaries."""
    (version_a, columns_a), (version_b, columns_b) = _head(a, name_a), _head(b, name_b)
    if version_a != version_b:
        raise Unusable(
            f"{name_a} and {name_b} have events of versions {version_a} and {version_b}, which do "
            "not mean the same"
        )
    columns = [column for column in columns_a if column in columns_b]
    before: deque[Any] = deque(maxlen=BEFORE)
    decisions = Decisions()
    for number, (line_a, line_b) in enumerate(itertools.zip_longest(a, b), 1):
        ours = None if line_a is None else line_a if line_a == line_b else _parsed(line_a, name_a)
        if line_a == line_b or line_b is not None and line_a is not None and not columns_that_differ(  # noqa: E501
                ours, _parsed(line_b, name_b), columns):
            before.append(line_a)
            if '"decides"' in line_a:
                decisions.take(_parsed(line_a, name_a))
            continue
        firsts = [
            None if line is None else _parsed(line, name)
            for line, name in ((line_a, name_a), (line_b, name_b))
        ]
        more = [[first, *(_parsed(line, name)
                          for line in itertools.islice(rest, AFTER - 1))] if first else []
                for first, rest, name in ((firsts[0], a, name_a), (firsts[1], b, name_b))]
        return {
            "number": number,
            "before": [_parsed(line, name_a) for line in before],
            "a": more[0],
            "b": more[1],
            "columns": columns_that_differ(firsts[0], firsts[1], columns),
            "cause_a": decisions.behind(more[0]),
            "cause_b": decisions.behind(more[1])
        }
    return None
