# SPDX-License-Identifier: Apache-2.0
"""Tokens of C++ and of SystemVerilog: what a compiler sees of a text, without blanks and
comments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

BLANK = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
OPERATORS = (
    r"<<<=?|>>>=?|<=>|<<=|>>=|\.\.\.|->\*?|===|!==|==|!=|<=|>=|&&|\|\||<<|>>|\+\+|--|::"
    r"|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\+:|-:|~\^|\*\*|."
)
STRING = r'"(?:\\.|[^"\\\n])*"'
CPP = re.compile(
    r'(?:u8|u|U|L)?R"(?P<raw>[^()\s]*)\(.*?\)(?P=raw)"'
    rf"|(?:u8|u|U|L)?{STRING}|(?:u8|u|U|L)?'(?:\\.[^']*|[^'\\\n])'"
    r"|\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*"
    rf"|[A-Za-z_]\w*|{OPERATORS}",
    re.DOTALL,
)
VERILOG = re.compile(
    rf"{STRING}|\d*'[sS]?[bdhoBDHO][0-9a-fA-FxXzZ?_]+|'[01xXzZ](?!\w)|\d[\d_.]*"
    rf"|[`$]?[A-Za-z_][\w$]*|{OPERATORS}",
    re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    text: str
    start: int  # in the text that it was read from
    end: int


def tokens_of(text: str, verilog: bool) -> list[Token]:
    pattern = VERILOG if verilog else CPP
    found: list[Token] = []
    place = 0
    while place < len(text):
        if blank := BLANK.match(text, place):
            place = blank.end()
            continue
        match = pattern.match(text, place)
        assert match is not None  # the last of OPERATORS takes any character
        found.append(Token(match[0], place, match.end()))
        place = match.end()
    return found


def words(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def rendered(tokens: Sequence[Token]) -> str:
    """In one line: a blank where there were blanks or comments between two tokens."""
    text = ""
    for number, token in enumerate(tokens):
        if number and token.start != tokens[number - 1].end:
            text += " "
        text += token.text
    return text


def places_of(searched: Sequence[str], within: Sequence[str]) -> list[int]:
    """Where these words stand in that row of words."""
    return [
        place for place in range(len(within) - len(searched) + 1)
        if within[place] == searched[0] and list(within[place:place +
                                                        len(searched)]) == list(searched)
    ]
