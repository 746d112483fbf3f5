# SPDX-License-Identifier: Apache-2.0
"""What every page has: head, style, contents, sections."""

from pathlib import Path

from rnicsim.report_page import markup, render

HERE = Path(__file__).parent


def style():
    text = (HERE / "style.css").read_text(encoding="utf-8")
    return text.replace("LIGHT", render.colour_rules(False)).replace("DARK", render.colour_rules(True))


def page(title, lead, parts, tally="", warnings="", scripts=(), more_style=""):
    """`parts`: (heading, HTML) of each section, the first is "In short". `lead`, `tally`, `warnings`: HTML above them.
    `scripts`: at the end of the page. `more_style`: CSS of this page alone."""
    return markup.fill("page.html", title=title, style=style() + more_style, lead=lead, parts=parts, tally=tally, warnings=warnings,
                       scripts=scripts)
