# SPDX-License-Identifier: Apache-2.0
"""HTML: jinja2 fills the templates of templates/. It escapes every text that no template made."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rnicsim.places import ROOT
from rnicsim.report_page.words import tied

TEMPLATES = ROOT / "scripts" / "rnicsim" / "templates"


def identifier(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


@lru_cache(maxsize=None)
def environment() -> Any:
    import jinja2  # only pages need it
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True,
                              undefined=jinja2.StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True, keep_trailing_newline=True)
    made.filters.update(prose=tied, identifier=identifier)
    return made


def fill(template: str, **values: Any) -> Any:
    """A whole template, as text."""
    return environment().get_template(template).render(**values).lstrip()


def part(template: str, macro: str, *values: Any) -> Any:
    """HTML of one macro of a template."""
    return getattr(environment().get_template(f"{template}.html").module, macro)(*values)


def table(head: Sequence[Any], rows: Sequence[Any], caption: str = "", numeric: Any = ()) -> Any:
    """`numeric`: columns set flush right."""
    return part("elements", "table", head, rows, caption, numeric)


def details(summary: str, content: Any) -> Any:
    return part("elements", "details", summary, content)


def code(text: str) -> Any:
    return part("elements", "code", text)


def counter(name: str, meaning: Any) -> Any:
    return part("elements", "counter", name, meaning)


def badge(kind: str, verdict: str) -> Any:
    """`kind`: good, bad, open or none."""
    return part("elements", "badge", kind, verdict)
