# SPDX-License-Identifier: Apache-2.0
"""Tables of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import experiments, markup, words
from rnicsim.report_page.claims import FAILS, HOLDS, INSIDE, OUTSIDE, UNDECIDED
from rnicsim.report_page.results import ALL_PARTS
from rnicsim.report_page.words import tied

if TYPE_CHECKING:
    from rnicsim.report_page.ablations import Study
    from rnicsim.report_page.claims import Row
    from rnicsim.report_page.results import Result


def claims(rows: Sequence[Row]) -> Any:
    labels = ("Id", "Claim", "Paper", "Ours", "Verdict", "How it was judged")
    return markup.part(
        "report", "claims", labels,
        [(row.claim.id, tied(row.claim.words), row.claim.paper, tied(row.judgement.ours) or "–",
          kind(row.judgement.verdict), row.judgement.verdict, row.claim.basis, row.judgement.how)
         for row in rows])


def kind(verdict: str) -> str:
    """Of a badge."""
    return {
        HOLDS: "good",
        INSIDE: "good",
        FAILS: "bad",
        OUTSIDE: "bad",
        UNDECIDED: "open"
    }.get(verdict, "none")


def numbers(result: Result) -> Any:
    """A row a point: times, gain, band and the paper's number."""
    head = [*(result.axes or ["scenario"]), *result.methods, "gain", "indirect"]
    theory = any(result.rows[key].get("theory_us") for key in result.rows)
    if theory:
        head += [f"theory, {method}" for method in result.methods]
    if result.references:
        head += ["paper", "95 % band"]
    rows = []
    for entry in experiments.entries(result):
        p = entry.point
        share = result.value(p, result.compared[1], "indirect_share")
        row = [tied(v) for v in (result.points[p] or [result.name])]
        row += [words.milliseconds(result.time(p, method)) for method in result.methods]
        row += [words.gain(result.gain(p)), words.percent(share)]
        if theory:
            row += [
                words.ms(result.value(p, method, "theory_us"))
                if result.rows[p, method].get("theory_us") else "–" for method in result.methods
            ]
        if result.references:
            known = p in result.references
            low, high = experiments.band(result, p) if known else (0, 0)
            row += [words.percent(result.references[p]) if known else "–",
                    f"{words.percent(low)} to {words.percent(high)}" if known else "–"]
        rows.append(row)
    return markup.table(head, rows, numeric=range(len(head)))


def parts(result: Result) -> Any:
    """A row a point and method: mean microseconds of each part, their sum, and the mean."""
    theory = any(result.rows[key].get("theory_setup_us") for key in result.rows)
    head = [
        *(result.axes or ["scenario"]), "method",
        *(ALL_PARTS[part][0] for part in result.part_names()), "sum", "mean",
        *(["theory of set-up + waiting"] if theory else [])
    ]
    rows = []
    for entry in experiments.entries(result):
        for method in result.methods:
            values = result.parts(entry.point, method)
            if values:
                rows.append([
                    *map(tied, result.points[entry.point] or [result.name]), method,
                    *(words.fixed(v, 3) for v in values.values()),
                    words.fixed(sum(values.values()), 3),
                    words.fixed(result.value(entry.point, method, "mean_us"), 3),
                    *([words.fixed(result.value(entry.point, method, "theory_setup_us"), 3)]
                      if theory else [])
                ])
    lead = len(head) - len(result.part_names()) - 2 - theory
    return markup.table(head, rows, "Microseconds a transfer, mean over all repetitions",
                        range(lead, len(head)))


def ablation(study: Study) -> Any:
    """A row a setting and group: gain and both times."""
    head = [
        study.axis_name, *([study.group_name] if any(study.groups) else []), "gain", "traditional",
        "dynamic"
    ]
    rows = []
    for value in study.values:
        for group in study.groups:
            point = study.points.get((value, group))
            if point is not None:
                rows.append([
                    tied(value), *([tied(group)] if group else []),
                    words.gain(study.result.gain(point)),
                    *(words.milliseconds(study.result.time(point, m))
                      for m in ("traditional", "dynamic"))
                ])
    return markup.table(head, rows, numeric=range(len(head) - 3, len(head)))


def calibration(content: Mapping[str, Any]) -> Any:
    """calibration.json of scripts/calibrate: `constants` {name: {`value`, `unit`}}; gains as
    fractions: `gains` [{`at`, `paper`, `ours`, `half_width`, `band_low`, `band_high`, `inside`}];
    `sensitivity` [{`constant`, `change`, `gains`, `measure`}]; `searched`, `repetitions`, `measure`
    (chi-square of the three gains)."""
    constants = markup.table(["constant", "value"],
                             [[tied(name), tied(f"{c['value']:g} {c['unit']}")]
                              for name, c in content["constants"].items()], "Constants", (1, ))
    gains = markup.table(["at", "paper", "ours", "95 % band", "paper's number"], [[
        tied(g["at"]),
        words.percent(
            g["paper"]), f"{words.percent(g['ours'], 2)} ± {words.percent(g['half_width'], 2)}",
        f"{words.percent(g['band_low'])} to {words.percent(g['band_high'])}",
        markup.badge("good", INSIDE) if g["inside"] else markup.badge("bad", OUTSIDE)
    ] for g in content["gains"]], "Gains with these constants", (1, 2, 3))
    head = [
        "constant", "change", *(f"gain at {tied(g['at'])}" for g in content["gains"]), "measure"
    ]
    moved = markup.table(head, [[
        tied(s["constant"]),
        tied(s["change"]), *(words.percent(g, 2) for g in s["gains"]),
        words.fixed(s["measure"], 2) if "measure" in s else "–"
    ] for s in content.get("sensitivity", [])], "Sensitivity: one constant changed at a time",
                         range(2, len(head)))
    return markup.part("report", "calibration", how_good(content),
                       [constants, gains, *([moved] if content.get("sensitivity") else [])])


def how_good(content: Mapping[str, Any]) -> str:
    """What was searched, how well it fits, and whether neighbours fit better."""
    if "measure" not in content:
        return ""
    searched = "These constants were searched" if content[
        "searched"] else "These constants were checked, not searched anew"
    text = (
        f"{searched}, with {content['repetitions']} repetitions. The measure of fit, the paper's "
        "three gains against the "
        f"band of one experiment, is {words.fixed(content['measure'], 2)}; 95 % of true models "
        "stay below 7.8."
    )
    others = [s["measure"] for s in content.get("sensitivity", []) if "measure" in s]
    if others:
        better = sum(m < content["measure"] for m in others)
        text += (
            f" Of the {len(others)} neighbours below, {better} fit a little better (the best: "
            f"{words.fixed(min(others), 2)}), "
            "none by more than the paper's three numbers can tell apart. Every other figure is a "
            "prediction with these "
            "constants.")
    base = [g["ours"] for g in content["gains"]]
    moved: dict[Any, Any] = {}
    for s in content.get("sensitivity", []):
        change = max(abs(gain - ours) for gain, ours in zip(s["gains"], base))
        moved[s["constant"]] = max(change, moved.get(s["constant"], 0))
    idle = [name for name, change in moved.items() if change < 1e-4]
    if idle:
        text += (
            f" No gain moves by 0.01 percentage points for {words.listed(idle)}: these numbers "
            "cannot fit that."
        )
    return text


def manifests(results: Mapping[str, Result]) -> tuple[list[tuple[str, str]], Any]:
    """(what all folders have in common, a table of what differs)"""
    head = [
        "scenario", "seed", "repetitions", "transfers", "revision", "sources", "data frames",
        "frames/s", "wall time", "machine"
    ]
    flush_right = {"seed", "repetitions", "transfers", "data frames", "frames/s", "wall time"}
    rows = []
    for name, result in results.items():
        m = result.manifest
        cost, program, machine = m["cost"], m["program"], m["machine"]
        rate = cost.get("data_frames_per_run_second")
        rows.append([
            markup.code(name),
            str(m["scenario"]["seed"]),
            str(result.repetitions),
            words.count(result.transfers),
            markup.code(program["git_revision"]),
            markup.code(program["source_hash"]),
            words.count(cost["data_frames"]),
            words.count(rate) if rate else "–", f"{words.fixed(cost['wall_seconds'], 1)} s",
            tied(f"{machine['cpu']}, {words.plural(machine['cores'], 'core')}")
        ])
    once = [i for i in range(1, len(head)) if len(rows) > 1 and len({row[i] for row in rows}) == 1]
    kept = [i for i in range(len(head)) if i not in once]
    numeric = [place for place, i in enumerate(kept) if head[i] in flush_right]
    return [(head[i], rows[0][i]) for i in once], markup.table([head[i] for i in kept],
                                                               [[row[i] for i in kept]
                                                                for row in rows], numeric=numeric)
