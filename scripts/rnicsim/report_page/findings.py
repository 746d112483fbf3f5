# SPDX-License-Identifier: Apache-2.0
"""Sentences computed from results: captions, and the answers to what a reader wants to know."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import experiments, words
from rnicsim.report_page.intervals import compare_with_zero
from rnicsim.report_page.results import PARTS, quantities

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate
    from rnicsim.report_page.results import Result

BUFFER_BITS, PAPER_BITS = 48 * 1024 * 8, 3_323_924  # the second: paper, table 2, traditional


def last(result: Result) -> experiments.Entry:
    """The last point, where most goes wrong."""
    return experiments.entries(result)[-1]


def where(result: Result, entry: experiments.Entry) -> Any:
    return f"{result.axes[0].split('.')[-1]} = {entry.label}" if result.axes else result.name


def caption(result: Result) -> str:
    """What a figure shows, in words."""
    if not experiments.has_gains(result):
        return "Only one method ran: there is no gain."
    named = experiments.gains(result, experiments.faulty(result))
    if not named:
        return ""
    sides = compare_with_zero(named)
    best_label, best = max(named, key=lambda pair: pair[1].mean)
    text = (
        f"The gain's interval lies above 0 at {len(sides.above)} of "
        f"{words.plural(sides.count, 'point')}"
        f"{f', below 0 at {len(sides.below)}' if sides.below else ''}. "
        f"The largest gain is {words.gain(best)}, at {result.axes[0].split('.')[-1]} = "
        f"{best_label}."
    )
    end = last(result)
    times = [result.time(end.point, method) for method in ("traditional", "dynamic")]
    return (
        f"{text} At the right end a transfer takes {words.milliseconds(times[0])} the traditional "
        "way, "
        f"{words.milliseconds(times[1])} the dynamic way.{paper(result)}{theory(result)}")


def paper(result: Result) -> str:
    if not result.references:
        return ""
    inside = 0
    for point, gain in result.references.items():
        low, high = experiments.band(result, point)
        inside += low <= gain <= high
    return f" Of the paper's {words.plural(len(result.references), 'number')}, {inside} " + \
        f"{'lies' if inside == 1 else 'lie'} inside our 95 % band."


def payload_in_the_gain(board: Result, drain: Any) -> str:
    """How much of the gain knows the payload: why the simulated gains differ less than the
    paper's."""
    saved: list[Any] = [(entry.label, changes(board, entry.point))
                        for entry in experiments.entries(board)]
    if len(board.references) < 2 or len(saved) < 2 or not all(change for _, change in saved):
        return ""
    net = words.listed(f"{words.ms(-sum(dict(change).values()))} at {label}"
                       for label, change in saved)
    shares = [dict(change)["waiting"] / sum(dict(change).values()) for _, change in saved]
    text = (
        f" Dynamic saves {net} a transfer; {words.percent(min(shares), 0)} to "
        f"{words.percent(max(shares), 0)} of that is waiting for "
        "memory that other tasks hold, which does not know the payload.")
    worth = drain_worth(drain) if drain else []
    if worth:
        values = words.listed(f"{words.points(e)} at {label}" for label, e in worth)
        text += (
            " What does know it, one DMA request a drain instead of one a frame, is worth "
            f"{values}."
        )
    shares = [board_failures(board, entry.point) for entry in experiments.entries(board)]
    if all(share == share for share in shares):
        text += (
            f" How many registrations fail is an outcome there: {words.percent(min(shares))} to "
            f"{words.percent(max(shares))} "
            "of the attempts.")
    spread = (max(board.references.values()) - min(board.references.values())) * 100
    return text + (
        f" The paper's gains span {words.fixed(spread, 1)} percentage points: no mechanism "
        "modelled here makes so "
        "much of the payload.")


def board_failures(board: Result, point: int) -> Any:
    """Share of the attempts to register that found too little memory, both methods together; NaN if
    not counted."""
    counted = [[board.value(point, method, f"b.host.{counter}") for method in board.methods]
               for counter in ("registration_no_memory", "registrations")]
    return sum(counted[0]) / sum(counted[1]) if sum(counted[1]) else math.nan


def drain_worth(drain: Result) -> list[tuple[str, Estimate]]:
    """[(payload, gain with one DMA request a drain minus gain with one a frame)], smallest payload
    first."""
    index = {tuple(values): p for p, values in enumerate(drain.points)}
    return [(payload,
             experiments.larger(drain, index[payload, "true"], drain, index[payload, "false"]))
            for payload in drain.values(0) if {(payload, "true"), (payload, "false")} <= set(index)]


def theory(result: Result) -> str:
    """At how many points the closed form lies inside the simulated interval."""
    known, inside = 0, 0
    for point, method in result.rows:
        expected, mean = result.value(point, method, "theory_us"), result.time(point, method)
        if not math.isnan(expected) and not math.isnan(mean.half):
            known += 1
            inside += abs(expected - mean.mean) <= mean.half + 0.0005
    return (
        f" Theory lies inside the simulated interval for {inside} of the {known} times it is "
        "derived for." if known else
        ""
    )


def changes(result: Result, point: int) -> list[tuple[str, float]] | None:
    """(part, dynamic minus traditional in microseconds), the largest change first; None without
    parts."""
    traditional, dynamic = (result.parts(point, method) for method in ("traditional", "dynamic"))
    if not traditional or not dynamic:
        return None
    return sorted(((part, dynamic[part] - traditional[part]) for part in PARTS),
                  key=lambda pair: -abs(pair[1]))


def buffered(results: Mapping[str, Result]) -> str:
    """How many frames the reads put into an indirect buffer."""
    counters = ("a.transport.kept_indirect", "b.transport.kept_indirect")
    reads = [results[name] for name in experiments.READS if name in results]
    frames = [
        result.value(*key, counter) for result in reads for key in result.rows
        for counter in counters
    ]
    known = [n for n in frames if not math.isnan(n)]
    return (
        f" In the runs below, {words.plural(sum(known), 'frame')} went into one." if known else
        ""
    )


def parts_caption(result: Result) -> str:
    end = last(result)
    found = changes(result, end.point)
    if found is None:
        return ""
    told = [
        f"{PARTS[part][0]} {words.ms(abs(change))} {'shorter' if change < 0 else 'longer'}"
        for part, change in found if abs(change) >= 1
    ][:3]
    if not told:
        return (
            f"At {where(result, end)} both methods spend their time "
            f"alike.{setup_theory(result, end.point)}"
        )
    return (
        f"At {where(result, end)} a dynamic transfer differs from a traditional one by: "
        f"{words.listed(told)}."
        f"{setup_theory(result, end.point)}")


def setup_theory(result: Result, point: int) -> str:
    """The closed form of set-up and waiting beside the simulated parts."""
    told = []
    for method in result.methods:
        expected, parts = result.value(point, method,
                                       "theory_setup_us"), result.parts(point, method)
        if not math.isnan(expected):
            told.append(
                f"{words.ms(expected)} ({method}; simulated "
                f"{words.ms(parts['setup'] + parts['waiting'])})"
            )
    return f" Theory gives for set-up and waiting together: {words.listed(told)}." if told else ""


def main_result(results: Mapping[str, Result]) -> Result | None:
    """The experiment that the first answer is taken from, or None."""
    names = [
        n for n in ("fig6_joint", "fig4_frp") if n in results and experiments.has_gains(results[n])
    ]
    return results[names[0]] if names else None


def wins(results: Mapping[str, Result]) -> bool:
    """Whether dynamic is faster there, by more than chance."""
    result = main_result(results)
    gain = result.gain(last(result).point) if result else None
    return gain is not None and gain.low > 0


def in_three(results: Mapping[str, Result], worth: Any) -> Any:
    """What a reader takes away, a sentence each: the gain, where it is small, what it costs.
    `worth`: of 48 KiB, by the buffer's ablation, or None."""
    result = main_result(results)
    if result is None:
        return []
    end = last(result)
    share = result.value(end.point, "dynamic", "indirect_share")
    told = [
        f"At {where(result, end)} dynamic saves {words.gain(result.gain(end.point))} of a"
        f" transfer's time, as {words.percent(share)} of the transfers send before the connection"
        " is established."
    ]
    loss = results.get("fig5_lfp")
    if loss and experiments.has_gains(loss):
        first, end = experiments.entries(loss)[0], last(loss)
        clean = (
            f" and {words.gain(loss.gain(first.point))} at {where(loss, first)}"
            if first.number == 0
            else ""
        )
        told.append(
            f"Where only frames are lost it saves {words.gain(loss.gain(end.point))} at"
            f" {where(loss, end)}{clean}."
        )
    told.append(
        f"The indirect buffer of 48 KiB adds {words.percent(BUFFER_BITS / PAPER_BITS)} to the block"
        " memory of the paper's RNIC"
        + (f", and is worth {words.points(worth, 1)} of the gain." if worth else ".")
    )
    return told


def why_it_wins(results: Mapping[str, Result]) -> Any:
    result = main_result(results)
    if result is None:
        return []
    end = last(result)
    share = result.value(end.point, "dynamic", "indirect_share")
    text = [
        f"At {where(result, end)}, {words.percent(share)} of the dynamic transfers start sending "
        "before the connection "
        f"is established. A transfer takes {words.milliseconds(result.time(end.point, 'dynamic'))} "
        "instead of "
        f"{words.milliseconds(result.time(end.point, 'traditional'))}: a gain of "
        f"{words.gain(result.gain(end.point))}."
    ]
    found = changes(result, end.point)
    if found:
        change = dict(found)
        net = sum(change.values())
        waiting = [
            words.ms(result.parts(end.point, method)["waiting"])
            for method in ("traditional", "dynamic")
        ]
        rest = net - change["waiting"] - change["stalled"] - change["drain"]
        text.append(
            f"The wait before data may be sent goes from {waiting[0]} to {waiting[1]} on average. "
            "Stalls, when all that may be sent has been sent, give back "
            f"{words.ms(change['stalled'])}, and the drain "
            f"of the buffer {words.ms(change['drain'])}; everything else changes by "
            f"{words.ms(rest)}. "
            f"The net is {words.ms(net)} a transfer.")
    return text


def where_it_cannot(results: Mapping[str, Result]) -> list[str]:
    text = []
    lossless = results.get("fig4_frp") or results.get("fig6_joint")
    if lossless and experiments.has_gains(lossless):
        first = experiments.entries(lossless)[0]
        if first.number == 0:
            times = [
                words.ms(lossless.time(first.point, method).mean)
                for method in ("traditional", "dynamic")
            ]
            text.append(
                "Where nothing goes wrong, there is nothing to shorten: with "
                f"{where(lossless, first)} a transfer "
                f"takes {times[0]} traditionally and {times[1]} dynamically, a gain of "
                f"{words.gain(lossless.gain(first.point))}.")
    loss = results.get("fig5_lfp")
    if loss and experiments.has_gains(loss):
        end, first = last(loss), experiments.entries(loss)[0]
        text.append(
            "Loss hits data, not only the handshake; lost data must be sent again in either "
            "method. With "
            f"{where(loss, end)} and no failed registration the gain is "
            f"{words.gain(loss.gain(end.point))}."
        )
        parts, dynamic = (loss.parts(end.point, method) for method in ("traditional", "dynamic"))
        if parts and dynamic and first.number == 0:
            extra = loss.time(end.point, "traditional").mean - loss.time(
                first.point, "traditional").mean
            if extra > 0:
                text.append(
                    f"Of the {words.ms(extra)} that loss adds to a traditional transfer there, "
                    f"{words.percent(parts['retransmission'] / extra, 0)} is retransmission, and "
                    f"{words.percent(parts['waiting'] / extra, 0)} is waiting for the connection. "
                    "Dynamic brings the "
                    f"first from {words.ms(parts['retransmission'])} to "
                    f"{words.ms(dynamic['retransmission'])}, the "
                    f"second from {words.ms(parts['waiting'])} to {words.ms(dynamic['waiting'])}.")
    return text


def what_48_kib_costs(results: Mapping[str, Result]) -> list[str]:
    """The part that figure 6 tells; the ablation of the buffer tells the rest."""
    joint = results.get("fig6_joint")
    if not joint or not experiments.has_gains(joint):
        return []
    end = last(joint)
    text = [
        f"In hardware: 48 KiB are {words.count(BUFFER_BITS)} bits of block memory, "
        f"{words.percent(BUFFER_BITS / PAPER_BITS)} more than the traditional RNIC of the paper "
        "has."
    ]
    sizes = [
        joint.keys.get(key, "") for key in ("system.rnic.drp.indirect_buffer", "run.size")
    ]
    scaled = quantities(sizes)
    if scaled and scaled[0][1] > scaled[0][0]:
        text.append(
            f"The buffer ({sizes[0]}) holds {words.percent(scaled[0][0] / scaled[0][1])} of a "
            "transfer of "
            f"{sizes[1]}; when it is full, the sender must wait.")
    stalled = joint.value(end.point, "dynamic", "stalled_us")
    if not math.isnan(stalled):
        text.append(
            f"At {where(joint, end)} a transfer is stalled for {words.ms(stalled)} on average, "
            f"{words.percent(stalled / joint.time(end.point, 'dynamic').mean)} of its time.")
    if joint.counter_exists("b.transport.buffer_full"):
        full = joint.per_transfer(end.point, "dynamic", "b.transport.buffer_full")
        kept = joint.per_transfer(end.point, "dynamic", "b.transport.kept_indirect")
        text.append(
            f"There, {words.fixed(kept, 1)} frames a transfer are buffered, and "
            f"{words.fixed(full, 1)} are dropped "
            "because the buffer is full.")
    return text
