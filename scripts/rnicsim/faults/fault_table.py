# SPDX-License-Identifier: Apache-2.0
"""The table in faults_seen.txt: which kinds of test see each fault."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.places import ROOT

if TYPE_CHECKING:
    from rnicsim.faults.changes import Change
    from rnicsim.report_page.results import Result

PAGE = ROOT / "testbench/tests/corpus/mutants/faults_seen.txt"
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
MODEL_KINDS = ("timing", "protocol", "baseline", "explore", "soak", "cosim", "edge")
VERILOG_KINDS = ("unit", "random", "directed", "proof")
LEAST = 2  # kinds that have to see each


def of_verilog(fault: Any) -> Any:
    return fault.file.startswith("rtl/")


def kinds_of(fault: Any) -> Any:
    return VERILOG_KINDS if of_verilog(fault) else MODEL_KINDS


def table(faults: Any, results: Any) -> Any:
    text = []
    for title, verilog, kinds in (("fault in the models", False, MODEL_KINDS),
                                  ("fault in the Verilog", True, VERILOG_KINDS)):
        rows = [fault for fault in faults if of_verilog(fault) == verilog and fault in results]
        text.append(f"| {title} | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}\n" + "".join(
            f"| {fault.name} | "
            f"{' | '.join('yes' if results[fault][kind] else '-' for kind in kinds)} |\n"
            for fault in rows))
    return "\n".join(text)


def in_page(text: str) -> tuple[str, str, str]:
    """What stands between the marks: (before, between, behind)."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"error: {PAGE.name}: expected once '{BEGIN}' and '{END}'")
    before, _, rest = text.partition(BEGIN + "\n")
    between, _, behind = rest.partition(END)
    return before + BEGIN + "\n", between, END + behind


def rows_of_page() -> list[list[str]]:
    """[[fault, cell of each kind]] of the page."""
    _, between, _ = in_page(PAGE.read_text(encoding="utf-8"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in between.splitlines()
            if line.startswith("| ")]
    return [row for row in rows if not row[0].startswith("fault in ")]


def write(all_faults: Any, results: Mapping[str, Result]) -> None:
    """What was seen now, and of the other faults what the page has."""
    cells = {row[0]: row[1:] for row in rows_of_page()}
    known = {
        fault: dict(zip(kinds_of(fault), (cell == "yes" for cell in cells[fault.name])))
        for fault in all_faults if fault.name in cells
    }
    before, _, behind = in_page(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(before + table(all_faults, {**known, **results}) + behind, encoding="utf-8")


def check(faults: Sequence[Change]) -> int:
    """Is the table that of the list? Says what is not."""
    rows = rows_of_page()
    wrong = [
        f"is not in the table: {fault.name}" for fault in faults
        if [row[0] for row in rows].count(fault.name) != 1
    ]
    wrong += [
        f"is not in the list: {row[0]}" for row in rows
        if row[0] not in {fault.name
                          for fault in faults}
    ]
    wrong += [
        f"is seen by fewer than {LEAST} kinds of test: {row[0]}" for row in rows
        if row.count("yes") < LEAST
    ]
    for line in wrong:
        print(f"{PAGE.name}: {line}")
    print(f"table of faults: {len(rows)} rows, {len(faults)} faults, {len(wrong)} wrong")
    return 1 if wrong else 0
