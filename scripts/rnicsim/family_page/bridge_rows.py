# SPDX-License-Identifier: Apache-2.0
"""What sections of the page "A bridge between hosts" share: rows, costs as the runs had them,
bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rnicsim.report_page import look
from rnicsim.report_page.results import leaves, quantities

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment

BLANK = float("nan")
Row = Mapping[str, Any]
BYTE = 65 / 1024  # ns of a byte on a Gen3 link of 16 lanes, 128b/130b
MANY = 12  # bars, whose names would touch
HEADER = 24  # bytes of a MWr beside its payload, with framing
NS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"B": 1, "KiB": 1024, "MiB": 1 << 20}


def rows_of(
    e: Experiment, *values: str, method: str | None = None, traffic: str | None = None
) -> list[dict[str, Any]]:
    """With these values of the first axes."""
    return [
        row
        for row in e.rows
        if tuple(row["values"][: len(values)]) == values
        and method in (None, row["method"])
        and traffic in (None, row["traffic"])
    ]


def us(row: Row, column: str = "mean_us") -> float:
    return float(row[column])


def gbps(row: Row) -> float:
    return float(row["goodput_gbps"])


def count(row: Row, *columns: str) -> int:
    return sum(int(row[column]) for column in columns)


def done(row: Row) -> int:
    return int(row["transfers_completed"])


def size(text: str) -> int:
    """Bytes: of '1 KiB'; of several values the first."""
    found, unit = quantities([text.split(",")[0]])
    return int(found[0] * BYTES[unit])


def ns(text: str) -> float:
    found, unit = quantities([text])
    return float(found[0] * NS[unit])


@lru_cache(maxsize=None)
def resolved(text: str) -> dict[str, str]:
    return leaves(text)


def setting(e: Experiment, key: str) -> str:
    """As the scenario was resolved: of the first host or item that has such a key."""
    return next(
        text for name, text in resolved(e.scenario["resolved"]).items() if name.endswith(key)
    )


def cost(e: Experiment, key: str) -> float:
    """... in nanoseconds."""
    return ns(setting(e, key))


def tlp(payload: int, rate: float = 0) -> float:
    """Nanoseconds of a MWr on the link; `rate`: of payload, Gb/s, 0: as fast as the link."""
    return max((HEADER + payload) * BYTE, 8 * payload / rate if rate else 0)


def bars(
    title: str, names: Sequence[str], values: Sequence[float], xlabel: str = ""
) -> Callable[..., Any]:
    """`xlabel`: what the names are, where a title does not say it. Every second one of many names
    stands lower."""
    many = len(names) > MANY

    def draw(axes: Any, legend: bool) -> None:
        del legend
        axes.bar(range(len(names)), values, width=0.6, color=look.GROUP_COLOURS[0])
        texts = [f"\n{name}" if many and i % 2 else name for i, name in enumerate(names)]
        look.name_ticks(axes, list(range(len(names))), texts)
        for place, value in enumerate(values):
            if value == 0:
                none_there(axes, place)
        axes.set_title(title)
        axes.set_xlabel(xlabel)
        look.style(axes)
        if many:
            axes.tick_params(axis="x", labelsize=9)

    return draw


def none_there(axes: Any, place: float) -> None:
    """A bar of nothing, which nobody would see."""
    axes.annotate("0", (place, 0), (0, 2), textcoords="offset points", ha="center", fontsize=8)


def points(x: Sequence[float], y: Sequence[float]) -> tuple[Any, ...]:
    return list(x), list(y), [BLANK] * len(x)
