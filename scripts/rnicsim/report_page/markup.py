"""The few HTML elements that the page is made of."""

import re

from rnicsim.report_page.words import escape


def identifier(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def paragraphs(texts):
    return "".join(f"<p>{escape(text)}</p>\n" for text in texts if text)


def table(head, rows, caption="", numeric=()):
    """A table that scrolls inside its place. Cells are HTML already; `numeric`: columns set flush right."""
    def cells(tag, row):
        scope = ' scope="col"' if tag == "th" else ""
        return "".join(f'<{tag}{scope}{" class=n" if i in numeric else ""}>{cell}</{tag}>' for i, cell in enumerate(row))
    lines = [f"<caption>{escape(caption)}</caption>"] if caption else []
    lines += [f"<thead><tr>{cells('th', head)}</tr></thead>", "<tbody>"]
    lines += [*(f"<tr>{cells('td', row)}</tr>" for row in rows), "</tbody>"]
    return '<div class="scroll" tabindex="0"><table>\n' + "\n".join(lines) + "\n</table></div>\n"


def details(summary, content):
    return f"<details><summary>{escape(summary)}</summary>\n{content}</details>\n"


def figure(name, panels, caption, more=""):
    """`panels`: SVG elements; `more`: what follows inside the figure, a table for example."""
    inside = "\n".join(f'<div class="panel">{svg}</div>' for svg in panels)
    return (f'<figure id="{name}">\n<div class="panels">\n{inside}\n</div>\n<figcaption>{caption}</figcaption>\n{more}'
            "</figure>\n")


def section(heading, content):
    name = identifier(heading)
    return (f'<section id="{name}" aria-labelledby="h-{name}">\n<h2 id="h-{name}">{escape(heading)}</h2>\n{content}'
            "</section>\n")


def badge(verdict):
    """A verdict as a sign, a word and a colour."""
    kind = {"holds": "good", "inside the 95 % band": "good", "does not hold": "bad", "outside the 95 % band": "bad",
            "not decided": "open"}.get(verdict, "none")
    sign = {"good": "✓", "bad": "✗", "open": "?", "none": "–"}[kind]
    return f'<span class="badge {kind}"><span aria-hidden="true">{sign}</span> {escape(verdict)}</span>'
