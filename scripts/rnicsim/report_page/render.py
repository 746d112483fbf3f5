# SPDX-License-Identifier: Apache-2.0
"""Panels as files (PNG, SVG) and as SVG that lives inside the page: its colours follow the page,
its text is text."""

import html
import io
import re
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from rnicsim.report_page import look
from rnicsim.report_page.words import tied

PNG_METADATA, SVG_METADATA = {
    "Software": None
}, {
    "Date": None,
    "Creator": None,
    "Format": None,
    "Type": None
}
# inches of a panel: about as wide as a phone, so that 10 pt stay 10 pt there
WIDTH, HEIGHT = 4.6, 3.4


class Panel:
    """`draw(axes, legend)` draws it; `alt` says in words what is to be seen."""

    def __init__(self, name: str, draw: Any, alt: str, height: float = HEIGHT) -> None:
        self.name, self.draw, self.alt, self.height = name, draw, alt, height


def _figure(plt: ModuleType, panels: Sequence[Panel], legend: bool) -> Any:
    height = max(panel.height for panel in panels)
    figure, axes = plt.subplots(1, len(panels),
                                figsize=(WIDTH * len(panels), height + (0.5 if legend else 0)),
                                squeeze=False, layout="constrained")
    for panel, place in zip(panels, axes[0]):
        panel.draw(place, legend)
    return figure


def files(plt: Any, panels: Sequence[Panel], heading: str) -> list[bytes]:
    """(PNG, SVG) bytes of all panels side by side."""
    figure = _figure(plt, panels, True)
    figure.suptitle(heading, fontsize=11)
    return saved(plt, figure)


def saved(plt: ModuleType, figure: Any) -> list[bytes]:
    """(PNG, SVG) bytes of a whole picture, which is closed."""
    out = []
    for kind, metadata in (("png", PNG_METADATA), ("svg", SVG_METADATA)):
        stream = io.BytesIO()
        figure.savefig(stream, format=kind, metadata=metadata, dpi=150)
        out.append(stream.getvalue())
    plt.close(figure)
    return out


def inline(plt: ModuleType, panel: Panel) -> str:
    """The panel as an <svg> element."""
    with plt.rc_context({"svg.fonttype": "none"}):
        figure = _figure(plt, [panel], False)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata=SVG_METADATA, transparent=True)
        plt.close(figure)
    return themed(stream.getvalue(), panel.name, panel.alt)


def themed(svg: Any, name: str, alt: str) -> str:
    """What the page needs of matplotlib's SVG: no prologue, ids that occur once on the page,
    colours as variables."""
    svg = svg[svg.index("<svg "):]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    box = re.findall(r'viewBox="([^"]+)"', svg)[0]
    begin = f'<svg viewBox="{box}" role="img" aria-label="{html.escape(tied(alt))}">'
    svg = re.sub(r"<svg [^>]*>", lambda _: begin, svg, count=1)
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*(?:;\s*)?", r"font-size: \1; ", svg)
    svg = re.sub(r"\*\{[^}]*\}", "", svg)
    for light in look.DARK:
        svg = re.sub(light + r"\b", f"var(--{variable(light)})", svg, flags=re.IGNORECASE)
    svg = re.sub(r"[ \t]*\n[ \t]*", "\n", svg).strip()
    svg = re.sub(r"<style[^>]*></style>\n?", "", svg)
    return re.sub(r"<defs>\s*</defs>\n?", "", svg)


def variable(colour: str) -> str:
    """Name of the CSS variable of one of look's colours."""
    return "c" + colour.strip("#").lower()


def colour_rules(dark: bool) -> str:
    """CSS declarations of all colours."""
    return "".join(f"--{variable(light)}:{look.DARK[light] if dark else light.lower()};"
                   for light in look.DARK)
