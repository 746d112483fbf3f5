# SPDX-License-Identifier: Apache-2.0
"""The page on the results of a folder of scenarios: its sections, figures, verdicts; and the
command that writes it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rnicsim import ending
from rnicsim.family_page.experiment import Experiment
from rnicsim.report_page import frame, look, markup, render

Panels = Sequence[tuple[Callable[..., Any], str]]  # (draw, alt) each


class Family:
    """A folder of scenarios and what is said about it. `sections`: heading -> function of the Page
    that gives (HTML, what it found) or None where its scenario was not run; `front`: function of
    the Page and of {heading: what was found} that gives a Front."""

    def __init__(self, name: str, title: str, lead: str, sections: Mapping[str, Callable[..., Any]],
                 front: Callable[..., "Front"]) -> None:
        self.name, self.title, self.lead = name, title, lead
        self.sections, self.front = sections, front


class Front:
    """What a page opens with: `findings`, a sentence each, beneath a picture of `panels`, (draw,
    alt) each. `behind`: sections that follow, (heading, HTML) each; `last`: those behind all."""

    def __init__(self, findings: Sequence[str], panels: Panels, caption: str,
                 behind: Sequence[tuple[str, Any]] = (),
                 last: Sequence[tuple[str, Any]] = ()) -> None:
        self.findings, self.panels, self.caption = findings, panels, caption
        self.behind, self.last = behind, last


class Page:
    def __init__(self, family: Family, folder: Path, plt: ModuleType) -> None:
        self.family, self.folder, self.plt = family, folder, plt

    def experiment(self, name: str) -> Experiment | None:
        place = self.folder / name
        return Experiment(place) if (place / "summary.csv").exists() else None

    def experiments(self, *names: str) -> list[Experiment]:
        return [e for e in map(self.experiment, names) if e is not None]

    def drawn(self, name: str, panels: Panels) -> list[Any]:
        return [
            render.inline(self.plt, render.Panel(f"{name}-{i}", draw, alt))
            for i, (draw, alt) in enumerate(panels)
        ]

    def opening(self, front: Front) -> Any:
        """The picture, and what it shows."""
        picture = (
            markup.part(
                "elements",
                "figure",
                "front",
                "In a picture",
                self.drawn("front", front.panels),
                front.caption,
            )
            if front.panels
            else ""
        )
        return picture + markup.part("elements", "findings", front.findings)

    def figure(self, experiment: Experiment, heading: str, panels: Panels, caption: str,
               head: Sequence[str], rows: Sequence[list[str]]) -> Any:
        drawn = self.drawn(experiment.name, panels)
        table = markup.table(head, rows, numeric=range(1, len(head)))
        command = markup.part("elements", "commands",
                              f"rnicsim run scenarios/{self.family.name}/{experiment.name}.yaml")
        return markup.part("elements", "figure", experiment.name, heading, drawn, caption, "",
                           table) + command


def verdict(holds: bool, good: str = "holds", bad: str = "does not hold") -> Any:
    return markup.badge("good" if holds else "bad", good if holds else bad)


def verdicts(head: Sequence[str], rows: Sequence[Any], numeric: tuple[Any, ...] = ()) -> Any:
    """A table with a verdict in each row, whose words may take several lines."""
    return markup.part("elements", "wrapped", markup.table(head, rows, numeric=numeric))


def wrapped(head: Sequence[str], rows: Sequence[Any]) -> Any:
    """A table of words."""
    return markup.part("elements", "wrapped", markup.table(head, rows))


def missed(of: Sequence[tuple[str, int, int]], rows: Sequence[Any]) -> Any:
    """A section on the expectations that are not met. `of`: (what they are, their number, how many
    are met) each; rows: what, expected, found, scenario."""
    counts = [f"{met} of {number} {what} are met." for what, number, met in of]
    table = verdicts(["what", "expected", "here", "scenario"], rows) if rows else ""
    return markup.part("elements", "paragraphs", counts) + table


def build(family: Family, folder: Path, plt: ModuleType) -> Any:
    page = Page(family, folder, plt)
    made = {
        heading: part
        for heading, section in family.sections.items() if (part := section(page))
    }
    if not made:
        raise ending.Unusable(
            f"{folder}: no result of scenarios/{family.name}; scripts/reproduce {family.name} makes"
            " them"
        )
    front = family.front(page, {heading: found for heading, (_, found) in made.items()})
    parts = [
        ("In short", page.opening(front)),
        *front.behind,
        *((heading, html) for heading, (html, _) in made.items()),
        *front.last,
    ]
    return frame.page(family.title, markup.part("elements", "paragraphs", [family.lead]), parts)


def write(family: Family, usage: str, arguments: Sequence[str]) -> int:
    """The command: `arguments` is the folder, in which report.html is written. Returns the exit
    code."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        asked = bool(arguments) and arguments[0] in ("-h", "--help")
        print(usage.strip(), file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    try:
        plt = look.pyplot()
    except ImportError:
        raise ending.Failed(
            "no page: matplotlib is missing (Debian: apt install python3-matplotlib)") from None
    folder = Path(arguments[0])
    (folder / "report.html").write_text(build(family, folder, plt), encoding="utf-8")
    print(f"{folder / 'report.html'}: {family.title}")
    return 0
