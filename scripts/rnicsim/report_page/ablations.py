# SPDX-License-Identifier: Apache-2.0
"""Ablations: one setting is varied, everything else stays. What changes, and whether more than
chance changes it."""

from __future__ import annotations

from typing import Any, NamedTuple, TYPE_CHECKING

from rnicsim.report_page import experiments, words
from rnicsim.report_page.results import Result, same_value

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate

FAULT_WORDS = ("FRP", "LFP", "loss", "failure")


class Study(NamedTuple):
    """An ablation. `groups`: values of the fault axis, or one empty text."""
    result: Result
    axis: int
    axis_name: str
    values: list[Any]
    base: str | None  # the setting of every other experiment; None if it is not among the values
    groups: list[Any]
    group_name: str
    ordered: bool
    points: dict[Any, Any]  # (value, group) -> point

    def change(self, value: str, base: str, group: str) -> Any:
        """Gain at `value` minus gain at `base`."""
        return experiments.larger(self.result, self.points[value, group], self.result,
                                  self.points[base, group])

    def gain(self, value: Any, group: str) -> Estimate | None:
        point = self.points.get((value, group))
        return None if point is None else self.result.gain(point)


def study(result: Result) -> Study | None:
    """None if the result sweeps nothing."""
    if not result.axes or not experiments.has_gains(result):
        return None
    faults = [i for i, name in enumerate(result.axes) if any(word in name for word in FAULT_WORDS)]
    axis = next((i for i in range(len(result.axes)) if i not in faults), 0)
    others = [i for i in range(len(result.axes)) if i != axis]
    index = {(values[axis], ", ".join(values[i] for i in others)): p
             for p, values in enumerate(result.points)}
    numbers = result.numbers(axis)
    values = result.values(axis)
    if numbers:
        values = sorted(values, key=numbers.__getitem__)
    groups = list(dict.fromkeys(group for _, group in index))
    return Study(result, axis, result.axes[axis].split(".")[-1].replace("_", " "), values,
                 result.base_value(axis), groups, ", ".join(result.axes[i] for i in others),
                 bool(numbers), index)


def strongest(s: Study) -> Any:
    """The group at which differences show best: the one of the largest gain."""
    return max(
        s.groups, key=lambda group: max(
            (g.mean for g in (s.gain(v, group) for v in s.values) if g), default=-9))


def at(s: Study, group: str) -> str:
    return f" at {s.group_name} = {group}" if group else ""


def finding(s: Any) -> str:
    """One sentence or two: the gain at the base setting, and which other settings differ from it by
    more than chance."""
    group = strongest(s)
    base = s.base if s.base is not None else s.values[-1]
    centre = s.gain(base, group)
    if centre is None:
        return "This run has no gain to compare with."
    sides: Any = {"higher": [], "lower": [], "same": []}
    for value in s.values:
        gain = s.gain(value, group)
        if value == base or gain is None:
            continue
        change = s.change(value, base, group)
        side = "higher" if change.low > 0 else "lower" if change.high < 0 else "same"
        shown = value.replace("_", " ")
        by = words.points(change._replace(mean=abs(change.mean)), 1)
        sides[side].append(f"{shown} ({words.gain(gain, 1)})" if side ==
                           "same" else f"{shown} (by {by})")
    said = [
        f"the gain is {side} with {words.listed(sides[side])}" for side in ("lower", "higher")
        if sides[side]
    ]
    if sides["same"]:
        said.append(f"no difference can be told for {words.listed(sides['same'])}")
    text = f"With {base.replace('_', ' ')}{'' if s.base is None else ' (the setting everywhere else)'} the gain is "  # noqa: E501
    return words.sentence(
        f"{text}{words.gain(centre, 1)}{at(s, group)}. {words.sentence('; '.join(said))}.")


def sizes_of(s: Study) -> dict[int, str]:
    """{0, 48, 128 KiB: the value of the study}, of those that it has."""
    return {
        size: value
        for value in s.values
        for size in (0, 48, 128)
        if same_value(value, f"{size} KiB")
    }


def worth_of_48_kib(s: Study) -> Any:
    """The gain with 48 KiB minus the gain without a buffer, at the strongest group; None where a
    value is missing."""
    group, sizes = strongest(s), sizes_of(s)
    if not {0, 48} <= set(sizes) or any(s.gain(v, group) is None for v in sizes.values()):
        return None
    return s.change(sizes[48], sizes[0], group)


def what_the_buffer_buys(s: Study) -> list[str]:
    """Sentences on 48 KiB against none and against more, at the strongest group; [] where the
    values are missing."""
    group, sizes, bought = strongest(s), sizes_of(s), worth_of_48_kib(s)
    if bought is None:
        return []
    verb = "buys" if bought.low > 0 else "costs" if bought.high < 0 else "changes, within chance,"
    text = [
        f"{words.sentence(at(s, group).strip() or 'here')}, 48 KiB {verb} "
        f"{words.points(bought, 1)} of gain over no buffer "
        f"at all: {words.gain(s.gain(sizes[48], group), 1)} against "
        f"{words.gain(s.gain(sizes[0], group), 1)}."
    ]
    if 128 in sizes:
        more = s.change(sizes[128], sizes[48], group)
        text.append(f"Room for a whole transfer of 128 KiB adds {words.points(more, 1)}" +
                    (": more than chance." if more.low > 0 else
                     ": no more than chance." if more.high > 0 else ": it harms."))
    return text


def mechanisms_apart(s: Study) -> list[str]:
    """Sentences on what the buffer does alone and the host's own retry alone; [] where the study
    does not vary both."""
    zero = next((group for group in s.groups if same_value(group, "0 KiB")), None)
    full = next((group for group in s.groups if same_value(group, "48 KiB")), None)
    if zero is None or full is None or not {"when_released", "on_request"} <= set(s.values):
        return []
    cells = [
        s.gain(*key) for key in (("when_released", full), ("when_released", zero),
                                 ("on_request", full), ("on_request", zero))
    ]
    if None in cells:
        return []
    both, retry, buffer, neither = (words.gain(cell, 1) for cell in cells)
    return [
        "Two things help: the responder's host tries a failed registration again without being "
        "asked, which only a dynamic "
        f"initiator understands; and data is buffered meanwhile. Both together gain {both}, the "
        "host's own retry alone (no "
        f"buffer) {retry}, the buffer alone {buffer}, neither of them {neither}."
    ]
