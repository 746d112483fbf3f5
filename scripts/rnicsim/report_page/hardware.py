# SPDX-License-Identifier: Apache-2.0
"""The paper's table 2 beside ours: hwcost.json of scripts/hwcost as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from rnicsim.report_page import markup, words
from rnicsim.report_page.words import tied

FAMILIES = {
    "cyclonev": "Cyclone V: ALMs as in the paper's Stratix V",
    "xc7": "Xilinx 7 series: a second opinion"
}


def change(old: float, new: float) -> Any:
    """"+393,216 (+62.5 %)": never without a sign, and no per cent of nothing."""
    more = new - old
    if not more:
        return "0"
    share = f" ({more / old:+.1%})".replace("%", " %") if old else ""
    return (
        f"{'+' if more > 0 else ''}{words.count(more) if more > 0 else '-' + words.count(-more)}{share}"  # noqa: E501
    )


def row(title: str, old: float, new: float, paper: Sequence[int] | None = None) -> list[str]:
    ours = [tied(title), words.count(old), words.count(new), change(old, new)]
    return [
        *ours,
        *([words.count(paper[0]), words.count(paper[1]),
           change(*paper)] if paper else ["", "", ""])
    ]


def section(content: Mapping[str, Any]) -> Any:
    """Nothing where scripts/hwcost was not asked for the whole core, or wrote nothing of its
    families."""
    paper = content.get("paper", {})
    head = ["", "traditional", "dynamic", "change", "paper: traditional", "dynamic", "change"]
    rows = [row(r["title"], r["traditional"], r["dynamic"], paper.get(r["resource"]))
            for r in content["rows"] if "title" in r]
    if not rows:
        return ""
    families = [(FAMILIES.get(name, name),
                 markup.table(head[:4],
                              [row(r["title"], r["traditional"], r["dynamic"])[:4]
                               for r in listed], "", range(1, 4)))
                for name, listed in content.get("families", {}).items()]
    return markup.part("report", "hardware", paper.get("device",
                                                       "no device named"), content["source"],
                       markup.table(head, rows, "Table 2", range(1, 7)), families)
