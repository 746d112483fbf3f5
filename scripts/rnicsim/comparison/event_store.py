# SPDX-License-Identifier: Apache-2.0
"""Events of a run in little space: by columns, times as differences in the largest unit that they
all have, xz. What comes out is what went in, to the byte."""

import json
import lzma
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rnicsim.report_page.results import Unusable

SUFFIX = ".xz"
# first character of a column's line, and of the last line, which has the unit of times in ps
NUMBERS, TEXTS, UNIT = "#", "$", "@"
TIMES = ("time_ps", "since_ps")


def _lines(head: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield json.dumps(head, separators=(",", ":")) + "\n"
    for row in rows:
        yield json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n"


def _times(row: dict[str, Any], last: int, sign: int) -> int:
    """Times as small numbers (sign -1) or back; `last`: `since_ps` of the row before, as it is
    written. Absent ones stay absent."""
    if "since_ps" in row:
        since = row["since_ps"] if sign < 0 else row["since_ps"] + last
        if "time_ps" in row:
            row["time_ps"] += sign * since
        row["since_ps"] += sign * last
        last = since
    return last


def packed(lines: Iterable[Any]) -> bytes:
    """`lines`: of a JSON Lines file of events. Bytes."""
    lines = list(lines)
    head, rows, last = json.loads(lines[0]), [json.loads(line) for line in lines[1:]], 0
    for row in rows:
        last = _times(row, last, -1)
    unit = math.gcd(*(row[name] for row in rows for name in TIMES if name in row)) or 1
    for row in rows:
        for name in TIMES:
            if name in row:
                row[name] //= unit
    text = [json.dumps(head, separators=(",", ":"))]
    for column in head["columns"]:
        kind = TEXTS if any(isinstance(row.get(column), str) for row in rows) else NUMBERS
        text.append(kind + ",".join(str(row.get(column, "")) for row in rows))
    text.append(f"{UNIT}{unit}")
    data = lzma.compress("\n".join(text).encode(), preset=9)
    try:
        if list(_unpack(data)) == lines:
            return data
    except ValueError:
        pass  # a text with a comma: the columns have not the same length
    raise Unusable(
        "these events cannot be stored: expected what `rnicsim run --events x.jsonl` writes")


def _unpack(data: bytes) -> Iterator[Any]:
    first, *text, unit = lzma.decompress(data).decode().split("\n")
    head, last = json.loads(first), 0
    if not unit.startswith(UNIT):
        raise ValueError("no unit of times")
    columns = [(name, line[0], line[1:].split(","))
               for name, line in zip(head["columns"], text, strict=True)]
    rows = []
    for cells in zip(*(cells for _, _, cells in columns), strict=True):
        row = {
            name: cell if kind == TEXTS else int(cell)
            for (name, kind, _), cell in zip(columns, cells) if cell != ""
        }
        for name in TIMES:
            if name in row:
                row[name] *= int(unit[1:])
        last = _times(row, last, 1)
        rows.append(row)
    return _lines(head, rows if rows != [{}] else [])


def unpacked(file: Path) -> Iterator[Any]:
    """An iterator over the lines. Throws Unusable."""
    try:
        return _unpack(file.read_bytes())
    except (OSError, lzma.LZMAError, ValueError, IndexError, KeyError, TypeError) as error:
        raise Unusable(
            f"{file}: {type(error).__name__}: {error}: expected events that scripts/baseline "
            "--update has written"
        ) from error
