# SPDX-License-Identifier: Apache-2.0
"""Makes DIR/report.html and DIR/figures/ of the result folders in DIR: one self-contained page,
with the paper's claims where its folders are.

Usage: scripts/report DIR          (the program calls it: rnicsim report DIR)

DIR holds result folders of any scenarios, or is one itself: the page has their figures, where the
time goes, numbers, counters, and where they come from. Folders named like the scenarios of
scenarios/paper are the paper's: the page judges its claims, says which folders are missing and how
to run them, and shows folders of other names, such as fig6_seed7, as further results.
DIR/calibration.json (scripts/calibrate), DIR/hwcost.json and what scripts/look_inside has left are
shown if they are there. The same input gives the same bytes. results/README.md explains the files.
Exit codes: 0 written, 2 unusable input, 3 matplotlib, jinja2 or chart.js is missing.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from rnicsim import ending
from rnicsim.report_page import experiments, look, page
from rnicsim.report_page.results import Unusable, read_folders


def write(file: Path, content: bytes) -> None:
    """Beside its place, then renamed: a reader never sees half a file."""
    temporary = file.with_name(f".{file.name}.tmp")
    temporary.write_bytes(content)
    temporary.replace(file)


def report(folder: Path, pyplot: ModuleType) -> None:
    results, incomplete = read_folders(folder, experiments.EXPECTED)
    known = {name: place for place, name in enumerate(experiments.EXPECTED)}
    results = dict(
        sorted(results.items(), key=lambda item: (known.get(item[0], len(known)), item[0])))
    if not results:
        raise Unusable(
            f"{folder} is no result folder (with summary.csv and manifest.json) and holds none")
    if page.is_of_the_paper(folder, results, incomplete):
        text, files, rows = page.build(folder, results, incomplete, pyplot)
        said = ", ".join(f"{n} {verdict}" for verdict, n in page.tally(rows))
    else:
        text, files = page.build_general(results, incomplete, pyplot)
        said = f"{len(results)} result{'s'[:len(results) != 1]}"
    if (folder / "figures").exists() and not (folder / "figures").is_dir():
        raise Unusable(
            f"{folder / 'figures'} is a file; figures/ is to be a folder: remove or rename it")
    (folder / "figures").mkdir(exist_ok=True)
    for name, content in files.items():
        write(folder / "figures" / name, content)
    write(folder / "report.html", text.encode("utf-8"))
    print(f"{folder / 'report.html'}: {said}")


@ending.reported("report")
def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(),
              file=sys.stdout if arguments and arguments[0] in ("-h", "--help") else sys.stderr)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    try:
        import jinja2  # noqa: F401, the pages need it
        pyplot = look.pyplot()
    except ImportError as error:
        raise ending.Failed(
            f"{error.name} is missing (Debian: apt install python3-{error.name})") from None
    report(Path(arguments[0]), pyplot)
    return 0
