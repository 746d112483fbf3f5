# SPDX-License-Identifier: Apache-2.0
"""What is said of each point and method: times, paired; counters that moved; the transfers that
changed most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.comparison import statistics
from rnicsim.comparison.folders import duration

if TYPE_CHECKING:
    from rnicsim.comparison.folders import Run
    from rnicsim.comparison.pairs import Pair, Pairing

US_PER_CYCLE = 0.008
LARGEST = 3  # transfers named at each point and method


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _us(cycles: float | None) -> float | None:
    return None if cycles is None else cycles * US_PER_CYCLE


def _largest(pairing: Pairing, runs: Mapping[Run, list[Pair]]) -> Any:
    changed = [(pair, run) for run, pairs in runs.items() for pair in pairs
               if pair.completed() and pair.change() != 0]
    changed.sort(key=lambda item: -abs(float(item[0].change())))
    return [{
        "run": pairing.a.label(run),
        "transfer": pair.name,
        "a_us": _us(duration(pair.a)),
        "b_us": _us(duration(pair.b)),
        "change_us": _us(pair.change())
    } for pair, run in changed[:LARGEST]]


def _of(pairing: Pairing, place: tuple[str, str]) -> dict[str, Any]:
    runs = pairing.at(place)
    done = {run: [pair for pair in pairs if pair.completed()] for run, pairs in runs.items()}
    done = {run: pairs for run, pairs in done.items() if pairs}
    means = [[_mean([duration(pair[side]) for pair in pairs]) for pairs in done.values()]
             for side in (1, 2)]
    difference = statistics.paired(
        [_mean([pair.change() for pair in pairs]) for pairs in done.values()]) if done else None
    changes = [pair.change() for pairs in done.values() for pair in pairs]
    every = [pair for pairs in runs.values() for pair in pairs]
    a, b = (_mean(side) if side else None for side in means)
    return {
        "point":
        place[0],
        "method":
        place[1],
        "repetitions":
        len(runs),
        "transfers":
        len(changes),
        "completed": {
            "a": sum(not pair.a["error"] for pair in every),
            "b": sum(not pair.b["error"] for pair in every)
        },
        "failed": {
            "a": sum(bool(pair.a["error"]) for pair in every),
            "b": sum(bool(pair.b["error"]) for pair in every)
        },
        "a_us":
        _us(a),
        "b_us":
        _us(b),
        "difference_us":
        _us(difference.mean) if difference else None,
        "half_width_us":
        _us(difference.half) if difference else None,
        "relative":
        difference.mean / a if difference and a else None,
        "p":
        difference.p if difference else None,
        "faster":
        sum(change < 0 for change in changes),
        "slower":
        sum(change > 0 for change in changes),
        "equal":
        sum(change == 0 for change in changes),
        "largest":
        _largest(pairing, runs),
        "counters": [{
            "name": name,
            "a": a,
            "b": b,
            "ratio": statistics.ratio(a, b)
        } for name, a, b in pairing.moved(place)],
    }


def _verdict(point: Mapping[str, Any]) -> str:
    if point["transfers"] == 0:
        return "nothing to compare"
    if point["faster"] == point["slower"] == 0:
        return "equal"
    if not point["significant"]:
        return "not decided"
    return "B slower" if point["difference_us"] > 0 else "B faster"


def compared(pairing: Pairing) -> list[dict[str, Any]]:
    """A dictionary for each point and method, in order."""
    points = [_of(pairing, place) for place in pairing.places]
    for point, adjusted in zip(points, statistics.holm([point["p"] for point in points])):
        point["p_holm"] = adjusted
        point["significant"] = None if adjusted is None else adjusted <= statistics.ALPHA
        point["verdict"] = _verdict(point)
    return points
