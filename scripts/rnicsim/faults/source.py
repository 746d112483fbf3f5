# SPDX-License-Identifier: Apache-2.0
"""A source as its tokens and scopes: where an expression stands, and the text with another
there."""

import difflib
import functools
from dataclasses import dataclass

from rnicsim.faults.scopes import Scope, scopes_of
from rnicsim.faults.tokens import Token, places_of, rendered, tokens_of, words
from rnicsim.places import ROOT


class NotFoundError(Exception):
    """The expression does not stand once in its scope; says what is nearest."""


@dataclass(frozen=True)
class Source:
    text: str
    verilog: bool
    tokens: list[Token]
    scopes: list[Scope]

    def line_of(self, token: int) -> int:
        return self.text.count("\n", 0, self.tokens[token].start) + 1

    def scopes_called(self, name: str) -> list[Scope]:
        """Overloads have one name."""
        found = [scope for scope in self.scopes if scope.name == name]
        if not found:
            names = sorted({scope.name for scope in self.scopes})
            near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
            hint = f"nearest: {', '.join(near)}" if near else f"it has: {', '.join(names[:10])}"
            raise NotFoundError(f"there is no '{name}'; {hint}")
        return found

    def place_of(self, name: str, old: str) -> tuple[int, int]:
        """The tokens [first, last) of this expression in the scope of this name."""
        searched = words(tokens_of(old, self.verilog))
        scopes = self.scopes_called(name)
        if not searched:
            raise NotFoundError("what stands there is empty")
        found = [
            scope.first + place
            for scope in scopes
            for place in places_of(searched, words(self.tokens[scope.first : scope.last]))
        ]
        if not found:
            raise NotFoundError(f"'{old}' is not in {name}; {self.nearest(searched, scopes)}")
        if len(found) > 1:
            lines = ", ".join(str(self.line_of(place)) for place in found)
            raise NotFoundError(f"'{old}' is {len(found)} times in {name}, in lines {lines}")
        return found[0], found[0] + len(searched)

    def nearest(self, searched: list[str], scopes: list[Scope]) -> str:
        """The row of tokens that is most like the one searched."""
        best, ratio = 0, -1.0
        matcher = difflib.SequenceMatcher(b=searched, autojunk=False)
        for scope in scopes:
            for place in range(scope.first, max(scope.first + 1, scope.last - len(searched) + 1)):
                matcher.set_seq1(words(self.tokens[place : place + len(searched)]))
                if matcher.real_quick_ratio() > ratio and matcher.ratio() > ratio:
                    best, ratio = place, matcher.ratio()
        near = rendered(self.tokens[best : best + len(searched)])
        return f"nearest, in line {self.line_of(best)}: '{near}'"

    def replaced(self, name: str, old: str, new: str) -> str:
        """The text with `new` in the place of `old`; tokens that both begin or end with stay."""
        first, last = self.place_of(name, old)
        tokens = tokens_of(new, self.verilog)
        begin = 0
        here = words(self.tokens[first:last])
        there = words(tokens)
        while begin < min(len(here), len(there)) and here[begin] == there[begin]:
            begin += 1
        end = 0
        while end < min(len(here), len(there)) - begin and here[-1 - end] == there[-1 - end]:
            end += 1
        middle = rendered(tokens[begin : len(tokens) - end])
        first, last = first + begin, last - end
        if first < last:
            start, stop = self.tokens[first].start, self.tokens[last - 1].end
            return self.text[:start] + middle + self.text[stop:]
        if first < len(self.tokens) and end:  # inserted before what stays
            start = self.tokens[first].start
            return f"{self.text[:start]}{middle} {self.text[start:]}"
        start = self.tokens[first - 1].end
        return f"{self.text[:start]} {middle}{self.text[start:]}"


@functools.cache
def source_of(file: str) -> Source:
    """Of a file, by its path from the root; read once."""
    text = (ROOT / file).read_text(encoding="utf-8")
    in_verilog = file.endswith(".sv")
    tokens = tokens_of(text, in_verilog)
    return Source(text, in_verilog, tokens, scopes_of(tokens, in_verilog))
