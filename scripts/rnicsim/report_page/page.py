# SPDX-License-Identifier: Apache-2.0
"""The page: sections in order, and the figures that go with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import (ablations, charts, claims, experiments, findings, frame, general,
                                 hardware, inside, inside_section, look, markup, render, tables,
                                 words)
from rnicsim.report_page.pictures import Pictures
from rnicsim.report_page.results import PARTS, Unusable
from rnicsim.report_page.terms import TERMS

if TYPE_CHECKING:
    from rnicsim.report_page.results import Result

TITLE = "Dynamic RDMA over Gigabit Ethernet: what the simulator shows"


def joined(elements: Iterator[Any]) -> Any:
    return markup.part("elements", "joined", list(elements))


def experiment(pictures: Pictures, results: Mapping[str, Result], name: str, heading: str,
               what: str) -> Any:
    """A figure of times and gains with its table."""
    if name not in results:
        return markup.part("report", "missing", name, experiments.command(name), heading)
    result = results[name]
    beside = results.get("fig7_simulated") if name == "fig7_board" else None
    said = findings.caption(result)
    if name == "fig7_board":
        said += findings.payload_in_the_gain(result, results.get("fig7_drain"))
    name = pictures.id_of(name)
    panels = [render.Panel(f"{name}-time", lambda axes, legend: charts.times(axes, result, beside),
                           f"{heading}: mean transfer time of both methods. {said}")]
    if experiments.has_gains(result):
        panels.append(render.Panel(f"{name}-gain", lambda axes, legend: charts.gains(axes, result),
                                   f"{heading}: gain of dynamic over traditional. {said}"))
    source = result.manifest["reference"]["source"] if result.references else ""
    return pictures.figure(name, heading, panels, f"{what} {said}",
                           markup.details("The numbers", tables.numbers(result)), source)


def further(pictures: Pictures, results: Mapping[str, Result]) -> Any:
    """Our own experiments, and whatever else lies in DIR under a name of its own."""
    return joined(
        markup.part("report", "further", name,
                    general.section(pictures, result.folder, pictures.id_of(name)))
        for name, result in results.items()
        if name not in experiments.EXPECTED or name in experiments.PAIRS)


def where_time_goes(pictures: Pictures, results: Mapping[str, Result]) -> Any:
    names = [n for n in experiments.FIGURES if n in results and n != "fig4_frp_wide" and
             any(results[n].parts(*key) for key in results[n].rows)]
    out = []
    for name in names:
        result, heading = results[name], experiments.FIGURES[name][0]
        said = findings.parts_caption(result)
        panel = render.Panel(f"{name}-parts",
                             lambda axes, legend, result=result: charts.parts(axes, result, legend),
                             f"{heading}: parts of the transfer time. {said}",
                             charts.parts_height(result))
        out.append(
            pictures.figure(f"{name}_parts", f"{heading.split(':')[0]}: where the time goes",
                            [panel], said, markup.details("The numbers", tables.parts(result))))
    legend = [(render.variable(look.PART_COLOURS[part]), *about) for part, about in PARTS.items()]
    return markup.part("report", "where_time_goes", legend, out)


def what_explains_it(pictures: Pictures, results: Mapping[str, Result]) -> Any:
    out, absent = [], []
    for name, (heading, question) in experiments.ABLATIONS.items():
        study = ablations.study(results[name]) if name in results else None
        if study is None:
            absent.append((name, experiments.command(name)))
            continue
        said = ablations.finding(study)
        if name == "ablation_buffer":
            said = " ".join([said, *ablations.what_the_buffer_buys(study)])
        panel = render.Panel(f"{name}-gain",
                             lambda axes, legend, study=study: charts.ablation(axes, study),
                             f"{heading}. {said}", 3.1)
        out.append(pictures.figure(name, heading, [panel], f"{question} {said}",
                                   markup.details("The numbers", tables.ablation(study))))
    return markup.part("report", "what_explains_it", out, absent)


def answers(results: Mapping[str, Result]) -> Any:
    """Why, where not, at what cost: three boxes."""
    buffer = ablations.study(results["ablation_buffer"]) if "ablation_buffer" in results else None
    retry = ablations.study(results["ablation_retry"]) if "ablation_retry" in results else None
    why = findings.why_it_wins(results) + (ablations.mechanisms_apart(retry) if retry else [])
    cost = findings.what_48_kib_costs(results) + (ablations.what_the_buffer_buys(buffer)
                                                  if buffer else [])
    boxes = (("Why dynamic wins" if findings.wins(results) else "Does dynamic win?",
              why), ("Where it cannot win", findings.where_it_cannot(results)),
             ("What 48 KiB costs and buys", cost))
    none = ["The experiments that would tell have not been run."]
    return markup.part("report", "answers", [(heading, texts or none) for heading, texts in boxes],
                       TERMS)


def in_short(pictures: Pictures, results: Mapping[str, Result]) -> Any:
    """The main experiment in a picture, and three findings."""
    main = findings.main_result(results)
    buffer = ablations.study(results["ablation_buffer"]) if "ablation_buffer" in results else None
    if main is None:
        return markup.part(
            "elements", "paragraphs", ["The experiments that would tell have not been run."]
        )
    panels = [
        render.Panel(
            "front-time",
            lambda axes, legend: charts.times(axes, main),
            "Mean transfer time of both methods",
        ),
        render.Panel(
            "front-gain",
            lambda axes, legend: charts.gains(axes, main),
            "Gain of dynamic over traditional",
        ),
    ]
    drawn = [render.inline(pictures.plt, panel) for panel in panels]
    name = next(name for name in experiments.FIGURES if results.get(name) is main)
    caption = f"{experiments.FIGURES[name][1]} Bars: 95 % intervals."
    told = findings.in_three(results, ablations.worth_of_48_kib(buffer) if buffer else None)
    return markup.part("elements", "figure", "front", "In a picture", drawn, caption) + markup.part(
        "elements", "findings", told
    )


def tally(rows: Any) -> Any:
    verdicts = [row.judgement.verdict for row in rows]
    order = (claims.HOLDS, claims.INSIDE, claims.FAILS, claims.OUTSIDE, claims.UNDECIDED,
             claims.SYNTHESIS, claims.NOT_RUN)
    return [(verdict, verdicts.count(verdict)) for verdict in order if verdict in verdicts]


def warnings(results: Mapping[str, Result], incomplete: Sequence[Any]) -> Any:
    """What a reader must know before believing anything on the page."""
    sizes = {name: f"{results[name].repetitions} × {results[name].transfers}"
             for name in experiments.PAPERS if name in results}
    other = [f"{name} ({size})" for name, size in sizes.items() if size != experiments.PAPER_SIZE]
    texts = [
        f"Not of the paper's size of {experiments.PAPER_SIZE} transfers: {words.listed(other)}. "
        "Bands and verdicts are "
        "those of experiments of the size that was run."
    ] if other else []
    sources = {result.manifest["program"]["source_hash"] for result in results.values()}
    if len(sources) > 1:
        texts.append(
            f"The results come from {len(sources)} different states of the sources; see the table "
            "at the end."
        )
    texts += [f"{name} is incomplete; run its command again." for name in incomplete]
    return markup.part("elements", "notice", texts) if texts else ""


def reproduce(results: Mapping[str, Result]) -> Any:
    lines = [
        "scripts/reproduce                 # everything on this page, from nothing", "",
        "# or one experiment at a time:", *(experiments.command(name)
                                            for name in experiments.EXPECTED if name in results),
        "rnicsim report DIR"
    ]
    return markup.part("report", "manifest", *tables.manifests(results), "\n".join(lines))


def section_of(file: Path, section: Callable[..., Any]) -> Any:
    """What `section` makes of this JSON file; nothing where it was not made."""
    if not file.exists():
        return ""
    try:
        return section(json.loads(file.read_text(encoding="utf-8"), parse_constant=float_only))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise Unusable(f"{file.name}: {type(error).__name__}: {error}") from error


def float_only(text: str) -> None:
    """JSON has no NaN; Python's reader would take one."""
    raise ValueError(f"{text} is not a number")


def is_of_the_paper(folder: Path, results: Mapping[str, Result], incomplete: Sequence[Any]) -> bool:
    """Is any of the paper's experiments here, or what is shown beside them?"""
    return any(name in experiments.EXPECTED for name in (*results, *incomplete)) or any(
        (folder / file).exists() for file in ("calibration.json", "hwcost.json"))


def build_general(results: Mapping[str, Result], incomplete: Sequence[Any],
                  plt: ModuleType) -> tuple[str, dict[str, bytes]]:
    """(the page, files of DIR/figures by name) of results that have nothing to do with the
    paper."""
    pictures = Pictures(plt)
    parts = [("In short", general.in_short(results)),
             *((name, general.section(pictures, result.folder, pictures.id_of(name)))
               for name, result in results.items()),
             ("Manifest",
              markup.part("report", "manifest", *tables.manifests(results),
                          "rnicsim run SCENARIO --out DIR/NAME\nrnicsim report DIR"))]
    warned = [f"{name} is incomplete; run its command again." for name in incomplete]
    lead = markup.part("general", "lead", words.listed(results))
    return frame.page(
        f"Results: {words.listed(results)}", lead, parts,
        warnings=markup.part("elements", "notice", warned) if warned else ""), pictures.files


def build(folder: Path, results: Mapping[str, Result], incomplete: Sequence[Any],
          plt: ModuleType) -> tuple[str, dict[str, bytes], list[claims.Row]]:
    """(the page, files of DIR/figures by name, rows of the claims table)"""
    pictures, rows = Pictures(plt), claims.judge_all(results, folder)

    def group(names: Mapping[str, tuple[str, str]]) -> Any:
        return joined(experiment(pictures, results, name, *about) for name, about in names.items())

    reads = markup.part("report", "reads", findings.buffered(results))
    within, scripts = inside_section.section(pictures, *inside.read(folder, results))
    parts = [
        ("In short", in_short(pictures, results)),
        ("Why, where not, at what cost", answers(results)),
        ("Claims", tables.claims(rows)),
        ("Figures", group(experiments.FIGURES)),
        ("Where the time goes", where_time_goes(pictures, results)),
        ("Inside the transfers", within),
        ("What explains it", what_explains_it(pictures, results)),
        ("Reads", reads + group(experiments.READS)),
        ("Further results", further(pictures, results)),
        ("Hardware", section_of(folder / "hwcost.json", hardware.section)),
        ("Calibration", section_of(folder / "calibration.json", tables.calibration)),
        ("Manifest", reproduce(results)),
    ]
    parts = [(heading, content) for heading, content in parts if content]
    counts = markup.part("report", "tally",
                         [(n, tables.kind(verdict), verdict) for verdict, n in tally(rows)])
    page = frame.page(TITLE, markup.part("report", "lead"), parts, tally=counts,
                      warnings=warnings(results, incomplete), scripts=scripts)
    return page, pictures.files, rows
