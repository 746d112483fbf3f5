# SPDX-License-Identifier: Apache-2.0
"""Which run of A and which of B belong together, and which transfers of theirs. Draws are keyed by
what they decide about, so both had the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TYPE_CHECKING

from rnicsim.comparison.folders import duration

if TYPE_CHECKING:
    from rnicsim.comparison.folders import Run


class Pair(NamedTuple):
    """A transfer on both sides."""
    name: str  # a7
    a: dict[Any, Any]
    b: dict[Any, Any]

    def differs(self, columns: Sequence[str]) -> list[str]:
        return [column for column in columns if self.a[column] != self.b[column]]

    def completed(self) -> bool:
        """On both sides."""
        return not self.a["error"] and not self.b["error"]

    def change(self) -> Any:
        """Cycles that B takes longer."""
        return duration(self.b) - duration(self.a)

    def start(self) -> Any:
        return min(self.a["start_cycle"], self.b["start_cycle"])


class Pairing:
    """Everything in A's order."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b
        self.columns = [column for column in a.columns if column in b.columns]
        self.runs = {
            run: [
                Pair(name, transfer, b.runs[run][name]) for name, transfer in transfers.items()
                if name in b.runs[run]
            ]
            for run, transfers in a.runs.items() if run in b.runs
        }
        self.runs_only = {
            "a": [run for run in a.runs if run not in b.runs],
            "b": [run for run in b.runs if run not in a.runs]
        }
        self.transfers_only = {
            side: [(run, name) for run in self.runs for name in ours.runs[run]
                   if name not in theirs.runs[run]]
            for side, ours, theirs in (("a", a, b), ("b", b, a))
        }
        self.places = list(dict.fromkeys(run[:2] for run in self.runs))  # (point, method)
        names: Any = lambda side: next(iter(side.counters.values()), {})
        self.counters = [name for name in names(a) if name in names(b)]
        self.counters_only = {"a": [name for name in names(a) if name not in names(b)],
                              "b": [name for name in names(b) if name not in names(a)]}

    def at(self, place: tuple[str, str]) -> dict[Run, list[Pair]]:
        """{run: pairs} of a point and method."""
        return {run: pairs for run, pairs in self.runs.items() if run[:2] == place}

    def differing(self, run: Run) -> list[Pair]:
        """The transfers of a run that are not alike in every column, by the time of their
        request."""
        return sorted((pair for pair in self.runs[run] if pair.differs(self.columns)),
                      key=Pair.start)

    def same_runs(self, place: tuple[str, str]) -> bool:
        """Whether both sides have the same repetitions there: counters are sums over all of
        them."""
        return not any(run[:2] == place for runs in self.runs_only.values() for run in runs)

    def moved(self, place: tuple[str, str]) -> list[tuple[str, int, int]]:
        """[(counter, A's, B's)] of those that differ; none where the runs are not the same."""
        if not self.same_runs(place):
            return []
        ours, theirs = self.a.counters[place], self.b.counters[place]
        return [(name, ours[name], theirs[name]) for name in self.counters
                if ours[name] != theirs[name]]
