"""What every page has: head, style, contents, sections."""

from pathlib import Path
from string import Template

from rnicsim.report_page import markup, render
from rnicsim.report_page.words import escape

HERE = Path(__file__).parent


def style():
    text = (HERE / "style.css").read_text(encoding="utf-8")
    return text.replace("LIGHT", render.colour_rules(False)).replace("DARK", render.colour_rules(True))


def page(title, lead, parts, tally="", warnings="", scripts="", more_style=""):
    """`parts`: (heading, HTML) of each section, the first is "In short". `lead`, `tally`, `warnings`: HTML above them.
    `more_style`: CSS of this page alone."""
    links = "".join(f'<li><a href="#{markup.identifier(heading)}">{escape(heading)}</a></li>' for heading, _ in parts)
    template = Template((HERE / "page.html").read_text(encoding="utf-8"))
    return template.substitute(title=escape(title), style=style() + more_style, lead=lead, links=links, tally=tally, warnings=warnings,
                               scripts=scripts, body="".join(markup.section(heading, content) for heading, content in parts))
