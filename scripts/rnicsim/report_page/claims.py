# SPDX-License-Identifier: Apache-2.0
"""The paper's claims (by the ids of the project's targets), each judged from the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rnicsim.report_page import experiments, findings, pairs, words
from rnicsim.report_page.intervals import compare_with_zero
from rnicsim.report_page.results import Unusable

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate
    from rnicsim.report_page.results import Result

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "not decided"
INSIDE, OUTSIDE = "inside the 95 % band", "outside the 95 % band"
NOT_RUN, SYNTHESIS = "not run", "needs the RTL synthesis"
BUFFER_BITS = 48 * 1024 * 8
PAPER_LOGIC = (106_754, 111_846)  # ALMs: paper, table 2
PLURAL = {"pins": "pins", "plls": "PLLs"}


class Judgement(NamedTuple):
    verdict: str
    ours: str
    how: str


class Claim(NamedTuple):
    id: str
    words: str
    paper: str
    needs: tuple[Any, ...]  # of folders
    judge: Callable[..., Any] | None
    basis: str = "predicted"  # or what was fitted to the paper's number, or given by the paper


class Row(NamedTuple):
    claim: Claim
    judgement: Judgement


def order(named: Sequence[tuple[str, Estimate]], subject: str) -> tuple[str, str]:
    """A claim that says of every comparison: it is above 0."""
    if not named:
        return NOT_RUN, ("The results have no point at which both methods ran and something can be "
                         "compared.")
    sides = compare_with_zero(named)
    text = (
        f"{subject}: the interval lies above 0 at {len(sides.above)} of "
        f"{words.plural(sides.count, 'point')}"
    )
    if sides.around:
        text += f", includes 0 at {words.listed(sides.around)}"
    if sides.below:
        text += f", lies below 0 at {words.listed(sides.below)}"
    if sides.below and not sides.refuted:
        text += " (but not any more when widened for so many comparisons)"
    verdict = HOLDS if len(sides.above) == sides.count else FAILS if sides.refuted else UNDECIDED
    return verdict, text + "."


def span(named: Sequence[tuple[str, Estimate]], show: Callable[..., Any]) -> Any:
    """The smallest and the largest of some estimates."""
    if not named:
        return ""
    low, high = (choose((e for _, e in named), key=lambda e: e.mean) for choose in (min, max))
    return show(low) if len(named) == 1 else f"{show(low)} to {show(high)}"


def faster(results: Mapping[str, Result], name: str) -> Judgement:
    named = experiments.gains(results[name], experiments.faulty(results[name]))
    verdict, how = order(named, "Gain of dynamic")
    return Judgement(verdict, span(named, words.gain), how)


def faster_under_loss(results: Mapping[str, Result]) -> Judgement:
    """F5, with what theory expects: the gain may be there and too small for this many transfers."""
    result = results["fig5_lfp"]
    judgement = faster(results, "fig5_lfp")
    expected = [(e.label, result.value(e.point, "traditional", "theory_setup_us") -
                 result.value(e.point, "dynamic", "theory_setup_us"),
                 result.time(e.point, "traditional").mean) for e in experiments.faulty(result)]
    expected = [(label, earlier, earlier / time) for label, earlier, time in expected
                if earlier == earlier]
    if not expected:
        return judgement
    first, last = expected[0], expected[-1]
    sign = "at every LFP" if all(earlier > 0 for _, earlier, _ in expected) else "not at every LFP"
    theory = (
        f" By theory data may start earlier {sign}: on average by "
        f"{words.fixed(first[1], 2)}\u202fµs at {first[0]} "
        f"({words.percent(first[2], 3)} of the time) and by {words.fixed(last[1], 1)}\u202fµs at "
        f"{last[0]} "
        f"({words.percent(last[2], 2)}).")
    return judgement._replace(how=judgement.how + theory)


def loss_costs_more(results: Mapping[str, Result]) -> Judgement:
    frp, lfp = results["fig4_frp"], results["fig5_lfp"]
    named = [(f"{label} ({method})", experiments.slower(lfp, b, frp, a, method))
             for label, a, b in experiments.matched(frp, lfp) for method in frp.methods]
    verdict, how = order(named, "Time under LFP minus time under FRP, each method")
    return Judgement(verdict, span(named, words.milliseconds), how)


def larger_gap(results: Mapping[str, Result]) -> Judgement:
    frp, lfp = results["fig4_frp"], results["fig5_lfp"]
    named = [(label, experiments.larger(frp, a, lfp, b))
             for label, a, b in experiments.matched(frp, lfp) if frp.gain(a) and lfp.gain(b)]
    verdict, how = order(named, "Gain under FRP minus gain under LFP")
    return Judgement(verdict, span(named, words.points), how)


def number(name: str, value: str, paper: float) -> Any:
    """A claim that names a gain."""
    def judge(results: Mapping[str, Result]) -> Judgement:
        result = results[name]
        entry = experiments.find(result, value)
        if entry is None or result.gain(entry.point) is None:
            return Judgement(NOT_RUN, "", f"The results have no gain at {value}.")
        low, high = experiments.band(result, entry.point)
        ours = words.gain(result.gain(entry.point))
        if low != low:
            return Judgement(UNDECIDED, ours, "One repetition gives no band.")
        inside = low <= paper <= high
        size = f"{result.repetitions} × {words.plural(result.transfers, 'transfer')}"
        how = (
            f"The paper's {words.percent(paper)} lies {'inside' if inside else 'outside'} "
            f"{words.percent(low)} to "
            f"{words.percent(high)}, where 95 % of experiments of this size ({size}) fall.")
        return Judgement(INSIDE if inside else OUTSIDE, ours, how)
    return judge


def falls_with_payload(results: Mapping[str, Result]) -> Judgement:
    """Both parts: time falls as frames grow, and the board is slower than the simulation without
    it."""
    board, simulated = results["fig7_board"], results["fig7_simulated"]
    sizes = experiments.entries(board)
    falls = [(f"{small.label} to {large.label} ({method})",
              experiments.slower(board, small.point, board, large.point, method))
             for small, large in zip(sizes, sizes[1:]) for method in board.methods]
    exceeds = [(f"{entry.label} ({method})",
                experiments.slower(board, entry.point, simulated, other.point, method))
               for entry in sizes for other in [experiments.find(simulated, entry.label)] if other
               for method in board.methods]
    verdicts, texts = zip(order(falls, "Time saved by the next larger frame, each method"),
                          order(exceeds, "Board time minus simulated time, each method"))
    worst = next(v for v in (NOT_RUN, FAILS, UNDECIDED, HOLDS) if v in verdicts)
    if FAILS in verdicts:
        worst = FAILS
    ours = (
        f"{span(falls, words.milliseconds)} a step; board longer by "
        f"{span(exceeds, words.milliseconds)}"
    )
    return Judgement(worst, ours, " ".join(texts))


def write_requests(result: Result, point: int) -> Any:
    """PCIe write requests a transfer at the responder: (traditional, dynamic)."""
    return tuple(
        result.per_transfer(point, method, "b.pcie.write_requests")
        for method in ("traditional", "dynamic"))


def small_frames_gain(results: Mapping[str, Result]) -> Judgement:
    """Two questions: do small frames gain more, and does the one PCIe request do it?"""
    board, drain = results["fig7_board"], results["fig7_drain"]
    sizes = [entry for entry in experiments.entries(board) if board.gain(entry.point)]
    worth = findings.drain_worth(drain)
    if len(sizes) < 2 or len(worth) < 2 or not board.counter_exists("b.pcie.write_requests"):
        return Judgement(NOT_RUN, "",
                         "The results lack two payloads with gains and counters of PCIe requests.")
    small, large = sizes[0], sizes[-1]
    more = experiments.larger(board, small.point, board, large.point)
    side = "above 0" if more.low > 0 else "below 0" if more.high < 0 else "around 0"
    requests = {entry.label: write_requests(board, entry.point) for entry in sizes}
    counts = words.listed(f"{words.fixed(a, 1)} and {words.fixed(b, 1)} at {label}"
                          for label, (a, b) in requests.items())
    falls = all(before[1].mean > after[1].mean for before, after in zip(worth, worth[1:]))
    verdicts = (order([("", more)], "")[0], order([worth[0]], "")[0], HOLDS if falls else FAILS)
    verdict = next(v for v in (FAILS, UNDECIDED, HOLDS) if v in verdicts)
    how = (
        f"The gain at {small.label} minus the gain at {large.label} is {words.points(more)}: the "
        f"interval lies {side}. "
        f"PCIe write requests a transfer at the receiving host, traditional and dynamic: {counts}. "
        "One request a drain "
        "instead of one a frame is worth "
        f"{words.listed(f'{words.points(e)} at {label}' for label, e in worth)}: "
        f"{'the mechanism is there, and' if worth[0][1].low > 0 else 'so far no more than chance, and'} "  # noqa: E501
        f"{'stronger' if falls else 'not stronger'} for small frames.")
    return Judgement(verdict, f"{words.points(more)}", how)


def faster_in_pairs(chosen: Sequence[Result]) -> Judgement:
    verdict, how = order(pairs.gains_under_loss(chosen), "Gain of dynamic")
    return Judgement(verdict, span(pairs.gains_under_loss(chosen), words.gain), how)


def small_frames_in_pairs(chosen: Sequence[Result]) -> Judgement:
    """The two questions of small_frames_gain(), and how the worth of one request falls, each with
    its interval."""
    result = chosen[0]
    more, worth, steps = pairs.more_for_small_frames(result), findings.drain_worth(
        result), pairs.steps_of_worth(result)
    if more is None or len(worth) < 2:
        return Judgement(NOT_RUN, "", "The results lack two payloads with gains.")
    sizes = result.values(0)
    judged = [
        order([(f"{sizes[0]} over {sizes[-1]}", more)],
              "Gain at the smallest payload minus gain at the largest"),
        order(worth[:1], "What one DMA request a drain is worth for small frames"),
        order(steps, "What it is worth more than at the next larger payload")
    ]
    verdicts = [verdict for verdict, _ in judged]
    verdict = next(v for v in (FAILS, UNDECIDED, HOLDS) if v in verdicts)
    values = words.listed(f"{words.points(e)} at {label}" for label, e in worth)
    return Judgement(
        verdict, words.points(more),
        " ".join([*(how for _, how in judged), f"One request a drain is worth {values}."]))


IN_PAIRS = {"F5": faster_in_pairs, "F7c": small_frames_in_pairs}


def judge_pairs(claim: Claim, results: Mapping[str, Result]) -> list[Row]:
    """The same claim by our own, larger experiment, where its folders are there: a row, or
    nothing."""
    names = [name for name, ids in pairs.FOLDERS.items() if claim.id in ids]
    chosen = [results[name] for name in names if name in results]
    if not chosen:
        return []
    absent = [name for name in names if name not in results]
    judgement = IN_PAIRS[claim.id](chosen)
    sizes = words.listed(pairs.size(result) for result in chosen)
    missing = (
        f" Missing: {'; '.join(experiments.command(name) for name in absent)}." if absent else
        ""
    )
    return [
        Row(
            claim._replace(words="The same, by as many paired transfers as it takes.",
                           basis=f"ours, beside the paper's 5 × 800: {sizes}"),
            judgement._replace(how=judgement.how + missing))
    ]


def hardware(folder: Path) -> tuple[Judgement, Judgement]:
    """T2a and T2b, from DIR/hwcost.json (scripts/hwcost): {"source": text, "rows": [{"resource",
    "traditional", "dynamic"}]}, with the resources `memory_bits`, `pins`, `plls`, and `logic`."""
    file = folder / "hwcost.json"
    if not file.exists():
        missing = Judgement(
            SYNTHESIS, "",
            "There is no hwcost.json beside the result folders: scripts/hwcost --out "
            "DIR/hwcost.json."
        )
        return missing, missing
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        rows = {row["resource"]: (row["traditional"], row["dynamic"]) for row in content["rows"]}
        source = f"Source: {content.get('source', 'hwcost.json')}."
        bits = rows["memory_bits"][1] - rows["memory_bits"][0]
        same = {PLURAL[name]: rows[name][0] == rows[name][1] for name in PLURAL if name in rows}
        old, new = rows.get("logic", (None, None))
        growth = new / old - 1 if "logic" in rows else None
    except (OSError, ValueError, KeyError, TypeError, IndexError, ZeroDivisionError,
            AttributeError) as error:
        raise Unusable(f"hwcost.json: {type(error).__name__}: {error}") from error
    equal = [f"{name} {'equal' if is_equal else 'not equal'}" for name, is_equal in same.items()]
    memory = Judgement(
        HOLDS if bits == BUFFER_BITS and all(same.values()) else FAILS,
        "; ".join([f"{signed(bits)} bits", *equal]),
        f"Block memory: {signed(bits)} bits against {signed(BUFFER_BITS)}. {source}")
    if growth is None:
        return memory, Judgement(
            SYNTHESIS, "", "hwcost.json says nothing of logic: scripts/hwcost without --fast.")
    paper = PAPER_LOGIC[1] - PAPER_LOGIC[0]
    how = (
        "Judged by the per cent, though its base differs: there the whole FPGA with the PCIe and "
        "MAC IP, here the core alone. "
        f"{signed(new - old)} on {words.count(old)} ALMs (estimate) against {signed(paper)} on "
        f"{words.count(PAPER_LOGIC[0])}: on the "
        f"paper's base ours would be {signed_percent((new - old) / PAPER_LOGIC[0])}. {source}")
    return memory, Judgement(HOLDS if 0 <= growth <= paper / PAPER_LOGIC[0] else FAILS,
                             f"{signed_percent(growth)} ({signed(new - old)})", how)


def signed_percent(fraction: float) -> str:
    return ("+" if fraction >= 0 else "") + words.percent(fraction)


def signed(n: int) -> str:
    return f"{'+' if n >= 0 else words.MINUS}{words.count(abs(n))}"


FIG6 = (("1 %", 0.019), ("5 %", 0.049), ("10 %", 0.088))
FIG7 = (("256 B", 0.120), ("512 B", 0.136), ("1024 B", 0.092))
CLAIMS = (
    Claim("F4", "Registrations fail, no frame is lost: dynamic is faster at every FRP above 0.",
          "order", ("fig4_frp", ), lambda r: faster(r, "fig4_frp")),
    Claim("F5", "Frames are lost, no registration fails: dynamic is faster at every LFP above 0.",
          "order", ("fig5_lfp", ), faster_under_loss),
    Claim(
        "F45a",
        "At the same probability, lost frames cost more time than failed registrations, for both "
        "methods.",
        "order", ("fig4_frp", "fig5_lfp"), loss_costs_more),
    Claim(
        "F45b",
        "The gap between the methods is larger under failed registrations than under lost frames.",
        "order", ("fig4_frp", "fig5_lfp"), larger_gap),
    *(Claim("F6", f"FRP = LFP = {value}: dynamic is faster by", words.percent(paper),
            ("fig6_joint", ), number("fig6_joint", value,
                                     paper), "fitted: request timer, data timer, retry")
      for value, paper in FIG6),
    *(Claim("F7a", f"Board, payload {value}: dynamic is faster by", words.percent(paper),
            ("fig7_board", ), number("fig7_board", value, paper), "mean of the three fitted")
      for value, paper in FIG7),
    Claim("F7b",
          "On the board time falls as frames grow, and every time exceeds the simulated one.",
          "order", ("fig7_board", "fig7_simulated"), falls_with_payload),
    Claim(
        "F7c",
        "Small frames gain more, because the indirect path moves many frames with one PCIe "
        "request.",
        "mechanism", ("fig7_board", "fig7_drain"), small_frames_gain),
)
T2 = (Claim("T2a", "The dynamic RNIC needs 48 KiB more block memory, no more pins and PLLs.",
            "+393,216 bits; equal", (), None, "given by the paper: 6,144 words of 64 bits"),
      Claim("T2b", "The dynamic RNIC needs a little more logic.", "+4.8\u202f% ALMs (+5,092)", (),
            None))


def judge_all(results: Mapping[str, Result], folder: Path) -> list[Row]:
    """A row for each claim, in the paper's order."""
    rows = []
    for claim in CLAIMS:
        missing = [name for name in claim.needs if name not in results]
        if missing:
            judgement = Judgement(
                NOT_RUN, "", "Missing: " + "; ".join(experiments.command(name) for name in missing))
        else:
            assert claim.judge is not None  # what needs no folder is judged elsewhere
            judgement = claim.judge(results)
        rows += [Row(claim, judgement), *judge_pairs(claim, results)]
    return rows + [Row(claim, judgement) for claim, judgement in zip(T2, hardware(folder))]
