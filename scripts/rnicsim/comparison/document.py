# SPDX-License-Identifier: Apache-2.0
"""The comparison as one document: --json writes it, the text and the page are made from it
(results/README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.comparison import events, event_words, points
from rnicsim.comparison.folders import settings_that_differ
from rnicsim.comparison.pairs import Pairing
from rnicsim.report_page.results import Unusable

if TYPE_CHECKING:
    from rnicsim.comparison.folders import Run
    from rnicsim.comparison.pairs import Pair
    from rnicsim.comparison.sides import FolderSide, ScenarioSide

FORMAT = 1
EQUAL, DIFFERENT, WITHIN = "equal", "different", "within tolerance"
NONE, DIFFERING, ALL = "none", "differing", "all"  # runs whose events are compared


def _about(side: FolderSide | ScenarioSide) -> dict[str, Any]:
    results = side.results()
    return {
        "what": side.name,
        "kind": side.kind,
        "scenario": results.name,
        "seed": results.seed,
        "program": results.program,
        "run_by": side.run_by
    }


def _transfer(pairing: Pairing, run: Run, pair: Pair) -> dict[str, Any]:
    return {
        "run": pairing.a.label(run),
        "run_b": pairing.b.label(run),
        **run._asdict(), "transfer": pair.name,
        "a": pair.a,
        "b": pair.b,
        "columns": pair.differs(pairing.columns)
    }


def _with_words(event: Mapping[str, Any]) -> Any:
    return None if event is None else {**event, "words": event_words.sentence(event)}


def _event(pairing: Pairing, run: Run, found: Any) -> Any:
    told = {key: [_with_words(event) for event in found[key]] for key in ("before", "a", "b")}
    return {
        "run": pairing.a.label(run),
        "run_b": pairing.b.label(run),
        **run._asdict(), "number": found["number"],
        **told, "columns": found["columns"],
        "cause_a": _with_words(found["cause_a"]),
        "cause_b": _with_words(found["cause_b"])
    }


def _first_event(pairing: Pairing, a: FolderSide, b: FolderSide | ScenarioSide,
                 runs: Sequence[Run]) -> tuple[None, int]:
    """(the first event that differs or None, how many runs' events were compared)"""
    for count, run in enumerate(runs, 1):
        labels = pairing.a.label(run), pairing.b.label(run)
        found = events.first_difference(iter(a.events(labels[0])), iter(b.events(labels[1])),
                                        f"A, {labels[0]}", f"B, {labels[1]}")
        if found:
            return _event(pairing, run, found), count
    return None, len(runs)


def _notes(pairing: Pairing) -> list[str]:
    """What a reader has to know before believing the rest."""
    a, b = pairing.a, pairing.b
    notes = []
    if a.seed != b.seed:
        notes.append(
            f"The seeds differ ({a.seed}, {b.seed}): the runs did not have the same draws, the "
            "pairs are pairs by name only."
        )
    if a.tape != b.tape:
        notes.append(
            "The fault tapes differ: the runs did not have the same draws, the pairs are pairs by "
            "name only."
        )
    for side, names in pairing.counters_only.items():
        if names:
            notes.append(
                f"Only {side.upper()} has the counters {', '.join(names)}; they are not compared.")
    places = [place for place in pairing.places if not pairing.same_runs(place)]
    if places:
        notes.append("Counters are not compared where the sides have other repetitions: " +
                     "; ".join(f"{point}, {method}" for point, method in places) + ".")
    columns = sorted(set(a.columns) ^ set(b.columns))
    if columns:
        notes.append(
            "Columns of transfers.csv that only one side has are not compared: "
            f"{', '.join(columns)}."
        )
    return notes


def _only(pairing: Pairing) -> dict[str, dict[str, list[str]]]:
    return {
        side: {
            "runs": [getattr(pairing, side).label(run) for run in pairing.runs_only[side]],
            "transfers": [
                f"{getattr(pairing, side).label(run)} {name}"
                for run, name in pairing.transfers_only[side]
            ]
        }
        for side in ("a", "b")
    }


def _within(tolerance: float, pairing: Pairing, told: Sequence[dict[str, Any]]) -> bool:
    """Whether everything is there on both sides, ends alike, and no mean time has moved by more
    than this fraction."""
    complete = not any(pairing.runs_only[side] or pairing.transfers_only[side]
                       for side in ("a", "b"))
    alike = all(pair.a["error"] == pair.b["error"] for pairs in pairing.runs.values()
                for pair in pairs)
    return complete and alike and all(abs(point["relative"] or 0) <= tolerance for point in told)


def compare(a: Any, b: FolderSide | ScenarioSide, which_events: str = DIFFERING,
            tolerance: float | None = None) -> Any:
    """`a`, `b`: sides. `tolerance`: a fraction of the mean time. Throws Unusable, sides.Failed."""
    pairing = Pairing(a.results(), b.results())
    if not pairing.runs:
        raise Unusable(
            f"{a.name} and {b.name} have no run in common: their points are "
            f"{'; '.join(pairing.a.points)} and "
            f"{'; '.join(pairing.b.points)}, their methods {', '.join(pairing.a.methods)} and "
            f"{', '.join(pairing.b.methods)}"
        )
    told = points.compared(pairing)
    differing = {run: pairing.differing(run) for run in pairing.runs}
    first = next(((run, pairs[0]) for run, pairs in differing.items() if pairs), None)
    moved = {place: len(pairing.moved(place)) for place in pairing.places}
    suspects = [run for run in pairing.runs if differing[run] or moved[run[:2]]]
    document: dict[str, Any] = {
        "format":
        FORMAT,
        "verdict":
        None,
        "tolerance":
        tolerance,
        "a":
        _about(a),
        "b":
        _about(b),
        "settings": [{
            "key": key,
            "a": ours,
            "b": theirs
        } for key, ours, theirs in settings_that_differ(pairing.a, pairing.b)],
        "notes":
        _notes(pairing),
        "only":
        _only(pairing),
        "compared": {
            "runs": len(pairing.runs),
            "transfers": sum(map(len, pairing.runs.values())),
            "counters": len(pairing.counters) * sum(map(pairing.same_runs, pairing.places))
        },
        "different": {
            "runs": sum(map(bool, differing.values())),
            "transfers": sum(map(len, differing.values())),
            "counters": sum(moved.values())
        },
        "points":
        told,
        "first_transfer":
        _transfer(pairing, *first) if first else None,
        "first_event":
        None,
        "events":
        "not compared: --no-events",
    }
    if which_events != NONE:
        runs = list(pairing.runs) if which_events == ALL else suspects
        try:
            document["first_event"], count = _first_event(pairing, a, b, runs)
            document["events"] = "not compared: nothing differs"
            if runs:
                document["events"] = f"compared in {count} {'run' if count == 1 else 'runs'}"
        except Unusable as error:
            if which_events == ALL:
                raise
            document["events"] = f"not compared: {error}"
    equal = not suspects and not document["first_event"] and not any(
        part for only in document["only"].values() for part in only.values())
    document["verdict"] = EQUAL if equal else WITHIN if tolerance is not None and _within(
        tolerance, pairing, told) else DIFFERENT
    return document
