# SPDX-License-Identifier: Apache-2.0
"""What every page has: head, style, contents, sections."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim.report_page import markup, render

HERE = Path(__file__).parent


def style() -> str:
    text = (HERE / "style.css").read_text(encoding="utf-8")
    return text.replace("LIGHT", render.colour_rules(False)).replace("DARK",
                                                                     render.colour_rules(True))


def page(title: str, lead: Any, parts: Sequence[tuple[str, Any]], tally: Any = "",
         warnings: Any = "", scripts: Any = (), more_style: str = "") -> Any:
    """`parts`: (heading, HTML) of each section, the first is "In short". `lead`, `tally`,
    `warnings`: HTML above them.
    `scripts`: at the end of the page. `more_style`: CSS of this page alone."""
    return markup.fill("page.html", title=title, style=style() + more_style, lead=lead, parts=parts,
                       tally=tally, warnings=warnings, scripts=scripts)
