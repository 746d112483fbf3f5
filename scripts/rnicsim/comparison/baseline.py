# SPDX-License-Identifier: Apache-2.0
"""Golden baselines: what small scenarios gave when they were last looked at, to the event.
results/baseline/README.md."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rnicsim.comparison import document, event_store, text
from rnicsim.comparison.sides import FolderSide, ScenarioSide
from rnicsim.report_page.results import Unusable

if TYPE_CHECKING:
    from rnicsim.comparison.sides import Settings

# of the manifest: what depends neither on the machine nor on the history of the repository
KEPT = ("format", "scenario")
KEPT_OF_PROGRAM = ("version", "source_hash")
MADE_BY = "scripts/baseline --update makes it"


class Baselines:
    """The folder: scenarios/NAME.yaml, and NAME/ as a results folder with NAME/events."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self, wanted: Any = ()) -> list[str]:
        """Of the scenarios, or those wanted. Throws Unusable."""
        known = sorted(file.stem for file in (self.folder / "scenarios").glob("*.yaml"))
        unknown = [name for name in wanted if name not in known]
        if unknown or not known:
            raise Unusable(
                f"{self.folder}: has no scenario {', '.join(unknown)}: expected one of "
                f"{', '.join(known)}"
                if known else f"{self.folder / 'scenarios'}: holds no scenario")
        return list(wanted) or known

    def left_over(self) -> list[Any]:
        """Baselines whose scenario is gone."""
        known = {"scenarios", *self.names()}
        return sorted(path.name for path in self.folder.iterdir()
                      if path.is_dir() and path.name not in known)

    def exists(self, name: str) -> bool:
        return (self.folder / name / "manifest.json").is_file()

    def sides(self, name: str, settings: Settings, work: Path) -> tuple[FolderSide, ScenarioSide]:
        """(the baseline, its scenario as this program runs it)"""
        return (FolderSide(self.folder / name, settings, work / name / "a"),
                ScenarioSide(self.folder / "scenarios" / f"{name}.yaml", settings,
                             work / name / "b"))

    def store(self, name: str, side: Any) -> None:
        """What a scenario gives becomes the baseline. Throws Unusable, sides.Failed."""
        results, target = side.results(), self.folder / name
        events = {
            results.label(run): event_store.packed(side.events(results.label(run)))
            for run in results.runs
        }
        manifest = {key: results.manifest[key] for key in KEPT}
        manifest["program"] = {key: results.program[key] for key in KEPT_OF_PROGRAM}
        if target.exists():
            shutil.rmtree(target)
        (target / "events").mkdir(parents=True)
        for table in ("summary.csv", "transfers.csv"):
            shutil.copyfile(results.folder / table, target / table)
        (target / "manifest.json").write_text(
            json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        for label, data in events.items():
            (target / "events" / f"{label}{event_store.SUFFIX}").write_bytes(data)


def compare(baselines: Any, name: str, settings: Settings, work: Path) -> Any:
    """The document of a baseline (A) and this program (B): events of all runs, to the last. Throws
    Unusable, sides.Failed."""
    if not baselines.exists(name):
        raise Unusable(f"{baselines.folder / name}: there is no such baseline: {MADE_BY}")
    a, b = baselines.sides(name, settings, work)
    for run in a.results().runs:
        file = a.stored(a.results().label(run))
        if not file.is_file():
            raise Unusable(f"{file} is missing: {MADE_BY}")
    return document.compare(a, b, document.ALL)


def check(baselines: Baselines, names: Sequence[str], settings: Settings, work: Path) -> bool:
    """Compares and prints; whether all are equal."""
    equal = True
    for name in names:
        found = compare(baselines, name, settings, work)
        told = text.lines(found)
        if found["verdict"] == document.EQUAL:
            print(f"{name}: {told[-1]}")
            continue
        equal = False
        print(f"{name}: differs from its baseline (A)", *told, sep="\n  ")
    return equal


def update(baselines: Any, names: Any, settings: Settings, work: Path) -> None:
    """Makes anew what differs, and says where it differed first."""
    for name in names:
        why = ["new"]
        if baselines.exists(name):
            try:
                found = compare(baselines, name, settings, work)
                if found["verdict"] == document.EQUAL and not found["notes"]:
                    print(f"{name}: unchanged")
                    continue
                why = text.lines(found)  # a note: counters that only one of them has
            except Unusable as error:
                why = [f"the baseline could not be read: {error}"]
        baselines.store(name, baselines.sides(name, settings, work)[1])
        print(f"{name}: written;", *why, sep="\n  ")
    for name in baselines.left_over():
        shutil.rmtree(baselines.folder / name)
        print(f"{name}: removed, its scenario is gone")
