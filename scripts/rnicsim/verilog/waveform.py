# SPDX-License-Identifier: Apache-2.0
"""Reads a waveform of `rnicsim cosim --wave`, through GTKWave's fst2vcd."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Wave:
    """A file, read: `scopes` of its signals, `times` of its changes, cycles() for the values in
    each cycle."""

    def __init__(self, file: Path) -> None:
        text = subprocess.run(["fst2vcd", file], capture_output=True, text=True, check=True).stdout
        head, body = text.split("$enddefinitions $end")
        assert re.search(r"\$timescale\s+1ps\s+\$end", head)
        self.signals, self.scopes, scope = {}, set(), []
        for what, name, code in re.findall(
                r"\$(scope|upscope|var)(?: module (\S+)| \S+ \d+ (\S+ \S+)|)", head):
            if what == "scope":
                scope.append(name)
                self.scopes.add(".".join(scope))
            elif what == "upscope":
                scope.pop()
            else:
                code, name = code.split()
                self.signals[".".join([*scope, name])] = code
        self.times: list[int] = []
        self.changes: list[dict[str, int | None]] = []
        for line in body.splitlines():
            if line.startswith("#"):
                self.times.append(int(line[1:]))
                self.changes.append({})
            elif line[:1] == "b":
                value, code = line[1:].split()
                self.changes[-1][code] = int(value, 2) if set(value) <= {"0", "1"} else None
            elif line[:1] in ("0", "1"):
                self.changes[-1][line[1:]] = int(line[0])

    def cycles(self, *names: Any) -> Iterator[Any]:
        """(time, values) of each cycle that was drawn: from its rising edge on."""
        codes = [self.signals[name] for name in names]
        clock = self.signals[next(name for name in self.signals if name.endswith(".clk_i"))]
        now: dict[str, int | None] = {}
        for time, changed in zip(self.times, self.changes):
            now.update(changed)
            if now[clock] == 1:
                yield time, [now[code] for code in codes]
