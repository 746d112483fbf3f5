# SPDX-License-Identifier: Apache-2.0
"""Claims that the paper's 5 x 800 transfers leave undecided, judged once more by as many paired
transfers as it takes: both methods of a repetition see the same draws. These experiments are ours
(scenarios/pairs), their verdicts stand beside the paper's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import experiments, findings, words
from rnicsim.report_page.intervals import difference, paired

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate
    from rnicsim.report_page.results import Result

FOLDERS = {  # folder -> claims that it decides
    "f5_pairs_rare": ("F5",),
    "f5_pairs": ("F5",),
    "f7c_pairs": ("F7c",),
}


def size(result: Result) -> str:
    """"20 × 5,000 pairs a point (2 % to 10 %)\""""
    labels = result.values(0)
    where = labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"
    return f"{result.repetitions} × {words.count(result.transfers)} pairs a point ({where})"


def gains_under_loss(chosen: Sequence[Result]) -> list[tuple[str, Estimate]]:
    """[(LFP, gain)] of every folder, the smallest probability first."""
    entries = [(entry, result.gain(entry.point)) for result in chosen
               for entry in experiments.faulty(result)]
    return [(entry.label, gain) for entry, gain in sorted(entries, key=lambda pair: pair[0].number)
            if gain is not None]


def payloads(result: Result) -> dict[tuple[str, ...], int]:
    """{(payload, bulk drain): point}"""
    return {tuple(values): point for point, values in enumerate(result.points)}


def more_for_small_frames(result: Result) -> Estimate | None:
    """Gain at the smallest payload minus gain at the largest, each with the drain in one request;
    None if one is missing."""
    index, sizes = payloads(result), result.values(0)
    ends = [index.get((payload, "true")) for payload in (sizes[0], sizes[-1])]
    if None in ends or len(sizes) < 2:
        return None
    return experiments.larger(result, ends[0], result, ends[1])


def worth_by_repetition(result: Result, payload: str) -> list[float] | None:
    """What one request a drain is worth, in each repetition; None if the files do not say."""
    index = payloads(result)
    runs: list[Any] = [
        result.means(index[payload, bulk], method) for bulk in ("true", "false")
        for method in ("traditional", "dynamic")
    ]
    if not experiments.comparable(*runs):
        return None
    return [d_f / t_f - d_t / t_t for t_t, d_t, t_f, d_f in zip(*runs)]


def steps_of_worth(result: Result) -> list[tuple[str, Estimate]]:
    """[("256 B to 512 B", what the drain is worth at the first minus at the second)]"""
    worth = findings.drain_worth(result)
    steps = []
    for (small, a), (large, b) in zip(worth, worth[1:]):
        each: list[Any] = [worth_by_repetition(result, payload) for payload in (small, large)]
        step = paired([x - y for x, y in zip(*each)]) if all(each) else difference(a, b)
        steps.append((f"{small} to {large}", step))
    return steps
