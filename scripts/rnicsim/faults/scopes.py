# SPDX-License-Identifier: Apache-2.0
"""Which tokens of a source belong to which function, class member or constant, by qualified name.

Namespaces are no part of a name. Of Verilog a scope is a module or package, or a function or task
inside: `module::function`. This reads clang-formatted sources of this tree; it is no compiler.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rnicsim.faults.tokens import Token

CLOSING = {"(": ")", "[": "]", "{": "}"}
CLASSES = ("class", "struct", "union", "enum")
ACCESS = ("public", "private", "protected")
NO_NAME = ("alignas", "decltype", "noexcept", "requires", "explicit", "__attribute__")


@dataclass(frozen=True)
class Scope:
    name: str
    first: int  # the tokens [first, last)
    last: int


def scopes_of(tokens: Sequence[Token], verilog: bool) -> list[Scope]:
    found: list[Scope] = []
    words = [token.text for token in tokens]
    if verilog:
        read_verilog(words, found)
    else:
        read_declarations(words, 0, len(words), "", found)
    return found


def behind_group(words: Sequence[str], opening: int) -> int:
    """The token behind the bracket that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(words)):
        if words[place] in CLOSING:
            depth += 1
        elif words[place] in CLOSING.values():
            depth -= 1
            if depth == 0:
                return place + 1
    return len(words)


def behind_line(words: Sequence[str], place: int) -> int:
    """Behind an #include or #pragma: such a line is no declaration. The others do not matter."""
    if words[place + 1] == "include":
        if words[place + 2] == "<":
            return words.index(">", place) + 1
        return place + 3
    return place + 3 if words[place + 1 : place + 3] == ["pragma", "once"] else place + 1


def read_declarations(
    words: Sequence[str], place: int, end: int, inside: str, found: list[Scope]
) -> None:
    """The declarations between these tokens, of a file, a namespace or the class `inside`."""
    while place < end:
        if words[place] == "#":
            place = behind_line(words, place)
        elif words[place] in ACCESS and words[place + 1] == ":":
            place += 2
        elif words[place] in (";", "}"):
            place += 1
        else:
            place = read_declaration(words, place, end, inside, found)


def read_declaration(
    words: Sequence[str], first: int, end: int, inside: str, found: list[Scope]
) -> int:
    """The one that begins there; returns where the next begins."""
    name = ""  # of a function: what stands before its parameters
    assigned = initialises = False
    place = first
    while place < end:
        word = words[place]
        if word == ";":
            break
        if word in ("(", "["):
            if word == "(" and not assigned and not name and words[place - 1] not in NO_NAME:
                name = name_before(words, place)
            place = behind_group(words, place)
            if name.endswith("operator") and words[place] == "(":  # operator()
                name += "()"
                place = behind_group(words, place)
            continue
        if word == "=" and words[place - 1] != "operator":
            assigned = True
        if word == ":" and name:
            initialises = True
        if word == "{":
            behind = behind_group(words, place)
            head = words[first:place]
            if "namespace" in head or (head[:1] == ["extern"] and len(head) == 2):
                read_declarations(words, place + 1, behind - 1, inside, found)
                return behind
            class_name = "" if name or assigned else name_of_class(head)
            if class_name:
                read_declarations(words, place + 1, behind - 1, f"{inside}{class_name}::", found)
                return behind
            member = initialises and words[place - 1] not in (")", "}", "]")
            if name and not assigned and not member:
                found.append(Scope(inside + name, first, behind))
                return behind
            place = behind
            continue
        place += 1
    declared = name or name_of_variable(words[first:place])
    if declared:
        found.append(Scope(inside + declared, first, min(place + 1, end)))
    return place + 1


def name_before(words: Sequence[str], opening: int) -> str:
    """The qualified name before a parenthesis."""
    place = opening - 1
    if "operator" in words[max(0, place - 2) : place + 1]:
        while words[place] != "operator":
            place -= 1
        name = "".join(words[place:opening])
        if not words[opening - 1].isidentifier() or words[opening - 1] == "operator":
            name = "operator" + "".join(words[place + 1 : opening])
    elif words[place].isidentifier():
        name = words[place]
        if words[place - 1] == "~":
            place -= 1
            name = "~" + name
    else:
        return ""
    while words[place - 1] == "::" and words[place - 2].isidentifier():
        name = f"{words[place - 2]}::{name}"
        place -= 2
    return name


def name_of_class(head: Sequence[str]) -> str:
    """What a class is called whose body follows; empty if it is no class."""
    if not any(word in head for word in CLASSES):
        return ""
    place = max(place for place, word in enumerate(head)
                if word in CLASSES and ">" not in head[place:place + 2])
    names = []
    for word in head[place + 1 :]:
        if word in (":", "final"):
            break
        if word.isidentifier() and word not in CLASSES:
            names.append(word)
    return names[-1] if names else "(anonymous)"


def name_of_variable(head: Sequence[str]) -> str:
    """The last name before its value, its dimensions or its end."""
    name = ""
    for word in head:
        if word in ("=", "{", "["):
            break
        if word.isidentifier():
            name = word
    return name


def read_verilog(words: Sequence[str], found: list[Scope]) -> None:
    for outer in ("module", "package"):
        for first, word in enumerate(words):
            if word != outer:
                continue
            last = words.index(f"end{outer}", first) + 1
            found.append(Scope(words[first + 1], first, last))
            for inner in ("function", "task"):
                starts = [place for place in range(first, last) if words[place] == inner]
                for start in starts:
                    behind = words.index(f"end{inner}", start) + 1
                    opening = min(
                        words.index(mark, start) for mark in ("(", ";") if mark in words[start:])
                    found.append(Scope(f"{words[first + 1]}::{words[opening - 1]}", start, behind))


def innermost(scopes: Sequence[Scope], first: int, last: int) -> Scope | None:
    """The smallest that has all these tokens."""
    around = [scope for scope in scopes if scope.first <= first and last <= scope.last]
    return min(around, key=lambda scope: scope.last - scope.first) if around else None
