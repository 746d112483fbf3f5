# SPDX-License-Identifier: Apache-2.0
"""HTML: jinja2 fills the templates of templates/. It escapes every text that no template made."""

import re
from functools import lru_cache

from rnicsim.places import ROOT
from rnicsim.report_page.words import tied

TEMPLATES = ROOT / "scripts" / "rnicsim" / "templates"


def identifier(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


@lru_cache(maxsize=None)
def environment():
    import jinja2  # only pages need it
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    made.filters.update(prose=tied, identifier=identifier)
    return made


def fill(template, **values):
    """A whole template, as text."""
    return environment().get_template(template).render(**values).lstrip()


def part(template, macro, *values):
    """HTML of one macro of a template."""
    return getattr(environment().get_template(f"{template}.html").module, macro)(*values)


def table(head, rows, caption="", numeric=()):
    """`numeric`: columns set flush right."""
    return part("elements", "table", head, rows, caption, numeric)


def details(summary, content):
    return part("elements", "details", summary, content)


def code(text):
    return part("elements", "code", text)


def counter(name, meaning):
    return part("elements", "counter", name, meaning)


def badge(kind, verdict):
    """`kind`: good, bad, open or none."""
    return part("elements", "badge", kind, verdict)
