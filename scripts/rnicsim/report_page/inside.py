# SPDX-License-Identifier: Apache-2.0
"""What scripts/look_inside has left in a result folder: DIR/NAME/inside/inside.json and the ladders
beside it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rnicsim.report_page.results import Unusable

if TYPE_CHECKING:
    from rnicsim.report_page.results import Result

VERSION = 1
STEPS = 200  # quantiles are given at 0, 1/200, ..., 1
SHOWN = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)  # of these, in the table


def as_text(content: Mapping[str, Any]) -> str:
    """JSON with a line for each entry of a list: short, and differences can be read."""
    lines = []
    for key, value in content.items():
        if isinstance(value, list):
            entries = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            lines.append(f'"{key}": [\n{entries}\n]' if entries else f'"{key}": []')
        else:
            lines.append(f'"{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


class Inside:
    """One folder's. `result` is the folder's results.Result, `place` the path of the folder from
    that of the page."""

    def __init__(self, folder: Path, result: Result, place: Path) -> None:
        self.folder, self.result, self.place, self.name = folder, result, place, result.name
        try:
            content = json.loads((folder / "inside.json").read_text(encoding="utf-8"))
            if content["version"] != VERSION:
                raise Unusable(
                    f"inside.json has version {content['version']}, expected {VERSION}: run "
                    "scripts/look_inside again"
                )
            self.of, self.transfers, self.fill = content["summary_sha256"], content[
                "transfers"], content["fill"]
            self.times = {(t["point"], t["method"]): t for t in content["times"]}
            self.ladders = {
                t["ladder"]: (folder / t["ladder"]).read_bytes()
                for t in self.transfers
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unusable(f"{result.name}/inside: {type(error).__name__}: {error}") from error
        except Unusable as error:
            raise Unusable(f"{result.name}/inside: {error}") from None

    def quantile(self, point: int, method: str, share: float) -> Any:
        """In microseconds; None if nothing completed."""
        quantiles = self.times[point, method]["quantiles_us"]
        return quantiles[round(share * STEPS)] if quantiles else None

    def distribution(self, point: int, method: str) -> Any:
        """[(milliseconds, percent of the transfers that took at most this)]; equal times are one
        step."""
        highest = {
            us: 100 * step / STEPS
            for step, us in enumerate(self.times[point, method]["quantiles_us"])
        }
        return [(us / 1000, percent) for us, percent in highest.items()]

    def fills(self, point: int) -> tuple[list[dict[str, Any]], dict[str, list[tuple[float, int]]]]:
        """The fill curves of one point, and their lines: name -> [(milliseconds, slots)]."""
        curves = [curve for curve in self.fill if curve["point"] == point]
        ends = {curve["end"] for curve in curves}
        lines = {}
        for curve in curves:
            name = " and ".join(role for role in curve["roles"] if role != "median")
            name += f", end {curve['end']}" if len(ends) > 1 else ""
            lines[name] = [(us / 1000, slots) for us, slots in curve["slots"]]
        return curves, lines

    def at(self, point: int) -> list[dict[str, Any]]:
        """The transfers drawn of one point."""
        return [transfer for transfer in self.transfers if transfer["point"] == point]

    def has_capture(self, transfer: Mapping[str, Any]) -> Any:
        return (self.folder / transfer["capture"]).is_file()

    def picture(self, transfer: Mapping[str, Any]) -> tuple[str, int, int]:
        """(data URL, width, height) of a ladder. As an image of its own its style sheet stays its
        own."""
        svg = self.ladders[transfer["ladder"]]
        width, height = re.findall(rb'viewBox="0 0 (\d+) (\d+)"', svg)[0]
        return "data:image/svg+xml;base64," + base64.b64encode(svg).decode(), int(width), int(
            height)


def read(root: Path, results: Mapping[str, Result]) -> Any:
    """({name: Inside} of the folders that have one, names of those that have one of other
    results)"""
    found, stale = {}, []
    for name, result in results.items():
        folder = result.folder / "inside"
        if folder.is_dir():
            one = Inside(folder, result, folder.relative_to(root))
            if one.of == hashlib.sha256((result.folder / "summary.csv").read_bytes()).hexdigest():
                found[name] = one
            else:
                stale.append(name)
    return found, stale
