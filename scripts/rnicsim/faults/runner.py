# SPDX-License-Identifier: Apache-2.0
"""One loop for every script that tries changes: make each, ask who notices it, print the answer,
count.

A change is made in a folder of its own that goes away with it, so that nothing has to be restored,
however the script ends.
"""

import argparse
import concurrent.futures
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rnicsim import sampling
from rnicsim.places import ROOT


@dataclass(frozen=True)
class Answer:
    good: bool  # noticed by all who have to
    text: str  # for the user: a line, or several
    noticed: Any = None  # by whom, for the summary


class Question:
    """What a script asks of each change."""

    def fails_unchanged(self, changes: Any, pool: Any) -> str:
        """Who fails with the sources as they are, as words; empty if nobody. Their word about a
        change means nothing."""
        raise NotImplementedError

    def ask(self, change: Any, folder: Path) -> Answer:
        """The answer about one change, made in this empty folder."""
        raise NotImplementedError

    def summary(self, answers: Any) -> str:
        """The last line, of {change: answer}."""
        raise NotImplementedError


def arguments_of(description: str, jobs: int | None = None) -> argparse.ArgumentParser:
    """The options that these scripts share. `jobs`: how many changes at once; None: one, and no
    option."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--only", default="", type=pattern)
    if jobs:
        parser.add_argument("--jobs", default=jobs, type=int)
    sampling.add_options(parser)
    return parser


def pattern(text: str) -> re.Pattern[str]:
    """For argparse: a regular expression."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"found '{text}', expected a regular expression: {error}") from None


def chosen(listed: Any, parser: Any, options: argparse.Namespace, what: Any) -> Any:
    """Those of [(line, change)] that --only matches, or a part of them."""
    changes = [change for line, change in listed if options.only.search(line)]
    if not changes:
        parser.error(f"--only {options.only.pattern}: no line of the {what} has that")
    return sampling.drawn(changes, options, what)


def in_folder(ask: Any, change: Any) -> Any:
    """What `ask` answers about this change, in a folder that is empty now and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="rnicsim_change_") as name:
        return ask(change, Path(name))


def of_unchanged(build: Any, ask: Any) -> Any:
    """What `ask` answers about the programs of a build as they are, in such a folder, too."""
    with tempfile.TemporaryDirectory(prefix="rnicsim_change_") as name:
        build.link_unchanged(Path(name))
        return ask(Path(name))


def run(changes: Any, question: Any, jobs: int = 1, after: Any = None) -> Any:
    """Asks about each change and prints what is answered; returns the exit code. `after` is called
    with all answers so far."""
    answers, started = {}, time.monotonic()
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        if failing := question.fails_unchanged(changes, pool):
            sys.exit(f"error: with the sources as they are these fail: {failing}")
        asked = {pool.submit(in_folder, question.ask, change): change for change in changes}
        began = time.monotonic()
        for number, future in enumerate(concurrent.futures.as_completed(asked), 1):
            answers[asked[future]] = answer = future.result()
            left = (time.monotonic() - began) / number * (len(changes) - number)
            print(f"{number:3}/{len(changes)} {left:5.0f} s left  {answer.text}", flush=True)
            if after:
                after(answers)
    finally:
        pool.shutdown(cancel_futures=True)  # waits for those at work, not for all
    print(f"{question.summary(answers)}, in {time.monotonic() - started:.0f} s")
    return 0 if changes and all(answer.good for answer in answers.values()) else 1
