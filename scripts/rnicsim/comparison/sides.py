# SPDX-License-Identifier: Apache-2.0
"""A and B: a scenario that is run, or a results folder. Either gives results, and the events of a
run."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.comparison import event_store
from rnicsim.comparison.folders import Results
from rnicsim.report_page.results import Unusable

OLD_NAME = "the next release will not know the old name"  # in a warning of the program

BAD_INPUT, ALL_TRANSFERS_FAILED, INTERRUPTED = 2, 4, 130  # exit codes of rnicsim


class Failed(ending.Failed):
    """The simulator; one line."""


@dataclass
class Settings:
    """How the program is called, besides the scenario."""
    program: Path
    sets: list[Any] = field(default_factory=list)
    seed: str | None = None
    tape: Path | None = None
    jobs: int | None = None
    profiles: list[Path] = field(default_factory=list)

    def options(self) -> list[Any]:
        words = [word for text in self.sets for word in ("--set", text)]
        words += ["--seed", self.seed] if self.seed is not None else []
        words += ["--tape", str(self.tape)] if self.tape is not None else []
        words += [word for file in self.profiles for word in ("--profile", str(file))]
        return words


class ScenarioSide:
    """Run once; its output folder stays, so that only the run whose events are asked for is
    simulated again."""

    def __init__(self, scenario: Path, settings: Settings, work: Path) -> None:
        self.scenario, self.settings, self.work = scenario, settings, work
        self.name = shlex.join([str(scenario), *settings.options()])
        self.kind, self.run_by = "scenario", str(settings.program)
        self._results = None

    def _run(self, *more: str | Path) -> None:
        jobs = ["--jobs", str(self.settings.jobs)] if self.settings.jobs else []
        command = [
            self.settings.program.absolute(), "--log-level", "warning", "run", self.scenario,
            "--out", self.work / "out", "--transfers-csv", "--quiet", "--no-plot", *jobs,
            *self.settings.options(), *more
        ]
        try:
            told = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                  check=False)
        except OSError as error:
            raise Unusable(
                f"{self.settings.program}: {error.strerror}: expected a program `rnicsim`"
            ) from error
        if told.returncode == INTERRUPTED:
            raise KeyboardInterrupt
        if told.returncode not in (0, ALL_TRANSFERS_FAILED):  # that is a result, too
            said = told.stderr.strip() or f"{self.settings.program}: exit code {told.returncode}"
            if str(self.work) in said:
                said += (
                    "; that folder is temporary and gone: TMPDIR chooses where the next one lies"
                )
            raise (Unusable if told.returncode == BAD_INPUT else
                   Failed)(f"{self.scenario}: {said.removeprefix('error: ')}")
        for line in told.stderr.splitlines():
            if OLD_NAME in line:
                print(line, file=sys.stderr)

    def _left(self, read: type[Results] | Callable[..., Any], path: Path) -> Any:
        """What the program has left. The folder is ours and about to go: the message is about the
        program."""
        try:
            return read(path)
        except (Unusable, OSError) as error:
            what = str(error).replace(f"{self.work}/", "")
            raise Failed(
                f"{self.scenario}: {self.settings.program} ended without an error, but what it "
                f"left is of no use: {what}; "
                "expected a program `rnicsim`") from error

    def results(self) -> Any:
        if self._results is None:
            self.work.mkdir(parents=True, exist_ok=True)
            self._run()
            self._results = self._left(Results, self.work / "out")
        return self._results

    def events(self, label: str) -> Iterator[str]:
        """Lines of the events of a run."""
        file = self.work / f"{label}.jsonl"
        self._run("--events", file, "--observe-run", label)
        with self._left(lambda path: path.open(encoding="utf-8"), file) as stream:
            yield from stream
        file.unlink()


class FolderSide:
    """Its events are those that it holds (results/baseline), or those of its scenario, run again
    from the manifest."""

    def __init__(self, folder: Path, settings: Settings, work: Path) -> None:
        self.folder, self.settings, self.work = folder, settings, work
        self.name, self.kind, self.run_by = str(folder), "folder", None
        self._results: Results | None = None
        self._again: ScenarioSide | None = None

    def results(self) -> Any:
        if self._results is None:
            self._results = Results(self.folder)
        return self._results

    def stored(self, label: str) -> Path:
        return self.folder / "events" / f"{label}{event_store.SUFFIX}"

    def events(self, label: str) -> Any:
        if self.stored(label).is_file():
            return event_store.unpacked(self.stored(label))
        return self._run_again().events(label)

    def _run_again(self) -> Any:
        if self._again is None:
            self.work.mkdir(parents=True, exist_ok=True)
            scenario = self.work / f"{self.results().name}.yaml"
            scenario.write_text(self.results().resolved, encoding="utf-8")
            tape = None  # what was played is with the results
            if self.results().tape:
                tape = self.work / "own.tape"
                tape.write_text(self.results().tape, encoding="utf-8")
            profiles = []
            for number, text in enumerate(self.results().profiles):
                profiles.append(self.work / f"profile{number}.yaml")
                profiles[-1].write_text(text, encoding="utf-8")
            settings = Settings(self.settings.program, tape=tape, jobs=self.settings.jobs,
                                profiles=profiles)
            again = ScenarioSide(scenario, settings, self.work / "again")
            try:
                new = again.results()
            except (Unusable, Failed) as error:
                raise Unusable(
                    f"{self.folder}: its scenario, from its manifest, cannot be run again: {error}"
                ) from error
            if new.runs != self.results().runs or new.counters != self.results().counters:
                made, ours = (side.program.get("source_hash", "?")
                              for side in (self.results(), new))
                raise Unusable(
                    f"{self.folder}: its scenario, run again by {self.settings.program}, gives "
                    "other results: it was made by "
                    f"sources {made}, this program is of {ours}; give the one that made it")
            self._again = again
        return self._again


def side(what: Any, settings: Settings, work: Path) -> Any:
    """A scenario file or a results folder. Throws Unusable if it is neither."""
    if what.is_dir():
        return FolderSide(what, settings, work)
    if what.suffix in (".yaml", ".yml") and what.is_file():
        return ScenarioSide(what, settings, work)
    if what.exists():
        raise Unusable(f"{what}: expected a scenario (.yaml) or a results folder")
    raise Unusable(f"{what}: there is no such scenario or results folder")
