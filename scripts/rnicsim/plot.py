# SPDX-License-Identifier: Apache-2.0
"""Draws plot.png and plot.svg from the summary.csv and manifest.json of one output folder.

Usage: scripts/plot OUT [options]

  --of COLUMN          what is drawn: mean_us (the default, with its theory and the gain),
                       median_us, p90_us, p99_us, max_us, goodput_gbps, jain, failed_share; but for
                       mean_us and max_us of networks only
  --where AXIS=VALUE   only the points with this value; may be given again
  --first AXIS         this axis along x; given again: the next as lines, or up
  --form FORM          of two axes: lines or heat; without it heat maps where lines would be more
                       than 6
  --size WxH           inches, for example 8x5
  --title TEXT         in place of the scenario's name; may be empty
  --formats LIST       of png, svg and pdf; png,svg if not given
  --name NAME          of the files, in place of plot

No axis: a bar for each method. One: mean times with their 95 % intervals, as thin dashes the
theory, where summary.csv has theory_us, and beside them the gain of dynamic over traditional,
paired, with published gains where the scenario names them. Two: a line for each value of the
second, or heat maps; there a dot marks a gain beyond its interval, unless another share has failed
with the other method. More, and items of traffic: a row of panels each. Along x runs the axis with
most numbers. The same input gives the same bytes. Exit codes: 0 drawn, 2 unusable input, 3
matplotlib is missing.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, Any

from rnicsim import ending
from rnicsim.report_page.look import pyplot
from rnicsim.sweep_plot.layout import Wanted, draw
from rnicsim.sweep_plot.quantity import NAMES
from rnicsim.sweep_plot.sweep import Sweep

METADATA: dict[str, dict[str, None]] = {
    "png": {
        "Software": None
    },
    "svg": {
        "Date": None,
        "Creator": None
    },
    "pdf": {
        "CreationDate": None,
        "Creator": None,
        "Producer": None
    }
}
USUAL = ("png", "svg")
INCHES = (1, 100)  # least and most of a picture


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ending.Unusable(f"{message}; scripts/plot --help names all options")


def size(text: str) -> tuple[float, float]:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", text)
    if not match or not all(INCHES[0] <= float(side) <= INCHES[1] for side in match.groups()):
        raise argparse.ArgumentTypeError(
            f"found '{text}', expected inches as 8x5, each from {INCHES[0]} to {INCHES[1]}")
    return float(match[1]), float(match[2])


def formats(text: str) -> list[str]:
    chosen = text.split(",")
    wrong = [each for each in chosen if each not in METADATA]
    if wrong:
        raise argparse.ArgumentTypeError(
            f"found '{wrong[0]}', expected some of {', '.join(METADATA)}")
    return chosen


def name(text: str) -> str:
    if not text or "/" in text or text.startswith("."):
        raise argparse.ArgumentTypeError(
            f"found '{text}', expected the name of a file without its end")
    return text


def options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="scripts/plot", add_help=False, allow_abbrev=False)
    parser.add_argument("out", type=Path)
    parser.add_argument("--of", choices=NAMES, default="mean_us")
    parser.add_argument("--where", action="append", default=[])
    parser.add_argument("--first", action="append", default=[])
    parser.add_argument("--form", choices=("lines", "heat"), default="")
    parser.add_argument("--size", type=size)
    parser.add_argument("--title")
    parser.add_argument("--formats", type=formats, default=USUAL)
    parser.add_argument("--name", type=name, default="plot")
    return parser.parse_args(arguments)


def read(chosen: argparse.Namespace) -> Any:
    """The sweep, as these options want it."""
    try:
        sweep = Sweep(chosen.out, chosen.first)
    except KeyError as error:
        known = Sweep(chosen.out)
        raise ending.Unusable(
            f"--first: found {error}, expected an axis of {chosen.out}: "
            f"{', '.join(known.axes) or 'it has none'}"
        ) from None
    wanted = {}
    for text in chosen.where:
        axis, found, value = text.partition("=")
        if not found or axis not in sweep.axes:
            raise ending.Unusable(
                f"--where: found '{text}', expected AXIS=VALUE with an axis of {chosen.out}: "
                f"{', '.join(sweep.axes) or 'it has none'}"
            )
        if value not in sweep.values(axis):
            raise ending.Unusable(
                f"--where: found '{value}', expected a value of {axis}: "
                f"{'; '.join(sweep.values(axis))}"
            )
        wanted[axis] = value
    sweep.keep(wanted)
    if chosen.of not in sweep.rows[0]:
        raise ending.Unusable(
            f"--of: {chosen.out}/summary.csv has no column {chosen.of}: it is not of a network")
    if not chosen.of.endswith("_us") or any(row[chosen.of] for row in sweep.rows):
        return sweep
    raise ending.Unusable(f"{chosen.out}: nothing to draw: no transfer has completed")


def save(figure: Any, chosen: argparse.Namespace) -> None:
    """All files or none: one alone would be of another result later on."""
    pictures = [chosen.out / f"{chosen.name}.{kind}" for kind in chosen.formats]
    for kind, picture in zip(chosen.formats, pictures):
        temporary = picture.with_name(f".{picture.name}.tmp")
        try:
            figure.savefig(temporary, format=kind, metadata=METADATA[kind], dpi=150)
            temporary.replace(picture)
        except OSError as error:
            for half in (temporary, *pictures):
                half.unlink(missing_ok=True)
            raise ending.Unusable(
                f"{picture}: cannot be written: {error.strerror}; make room, then scripts/plot "
                f"{chosen.out} draws it"
            ) from error


@ending.reported("plot")
def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    chosen = options(arguments)
    try:
        drawing = pyplot()
    except ImportError:
        raise ending.Failed(
            "no picture: matplotlib is missing (Debian: apt install python3-matplotlib)") from None
    save(draw(drawing, read(chosen), Wanted(chosen.of, chosen.form, chosen.title, chosen.size)),
         chosen)
    return 0
