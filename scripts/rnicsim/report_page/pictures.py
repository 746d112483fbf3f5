# SPDX-License-Identifier: Apache-2.0
"""The pictures of a page: drawn into it, and kept as files beside it."""

import re
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from rnicsim.report_page import markup, render


class Pictures:
    """Draws, and keeps the files that belong into DIR/figures."""

    def __init__(self, plt: ModuleType) -> None:
        self.plt = plt
        self.files: dict[Any, Any] = {}
        self.ids: dict[Any, Any] = {}

    def id_of(self, name: str) -> str:
        """Of a result's folder: an id of HTML and the name of a file, which no other folder has."""
        plain = re.sub(r"[^\w-]", "_", name)
        while self.ids.setdefault(plain, name) != name:
            plain += "_"
        return plain

    def add(self, name: str, figure: Any) -> None:
        """A whole picture, drawn by others."""
        for kind, content in zip(("png", "svg"), render.saved(self.plt, figure)):
            self.files[f"{name}.{kind}"] = content

    def figure(self, name: str, heading: str, panels: Sequence[render.Panel], caption: str,
               more: Any = "", source: str = "", wraps: Any = ()) -> Any:
        """`source`: of published numbers. `wraps`: for each panel what makes its picture something
        more."""
        for kind, content in zip(("png", "svg"), render.files(self.plt, panels, heading)):
            self.files[f"{name}.{kind}"] = content
        inline = [render.inline(self.plt, panel) for panel in panels]
        inline = [wrap(svg) for wrap, svg in zip(wraps, inline)] or inline
        return markup.part("elements", "figure", name, heading, inline, caption, source, more)
