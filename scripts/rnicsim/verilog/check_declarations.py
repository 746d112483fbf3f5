# SPDX-License-Identifier: Apache-2.0
"""Finds names of a Verilog module that are used before their declaration: not legal, though
Verilator and Yosys read it.

Usage: scripts/check_declarations FILE...

Exit codes: 0 none, 1 some, each with both lines, 2 no files.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending

SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\(\*(?!\)).*?\*\)|`\w+[^\n]*',
                     re.DOTALL)
TOKEN = re.compile(r"\d*'[sS]?[bodhBODH][\w?]+|'[01xz]|\d\w*|[A-Za-z_$]\w*|::|\S")
TYPES = {
    "logic", "bit", "int", "integer", "byte", "reg", "wire", "genvar", "localparam", "parameter"
}
OF_TYPES = {"signed", "unsigned", *TYPES}
KEYWORDS = set(
    """always always_comb always_ff always_latch and assert assign assume automatic begin case casez cover default else end
    endcase endfunction endgenerate endmodule endpackage enum final for function generate if initial input inout inside module
    negedge or output package packed posedge return struct typedef unique union while""".split(  # noqa: E501
    )) | OF_TYPES


def tokens(text: str) -> list[tuple[int, str]]:
    """[(line, token)] without comments, strings, attributes and directives."""
    text = SKIPPED.sub(lambda skipped: " " + "\n" * skipped[0].count("\n"), text)
    found, line, at = [], 1, 0
    for token in TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        found.append((line, token[0]))
    return found


def is_name(token: str) -> bool:
    return re.match(r"[A-Za-z_]", token) is not None and token not in KEYWORDS


def past(words: Sequence[tuple[int, str]], at: int, stops: str) -> int:
    """The place of the first of `stops` from `at` on, outside of brackets that open after `at`; or
    the end."""
    depth = 0
    while at < len(words):
        word = words[at][1]
        if depth == 0 and word in stops:
            return at
        depth += (word in "([{") - (word in ")]}")
        at += 1
    return at


def declared(words: Sequence[tuple[int, str]]) -> dict[str, int]:
    """{name: place in words} of all declarations; of a name with several, the first."""
    found: dict[Any, Any] = {}
    for at, (_, word) in enumerate(words):
        here = at + 1
        if word == "enum":
            here = past(words, here, "{") + 1
            end = past(words, here, "}")
            while here < end:
                found.setdefault(words[here][1], here)
                here = past(words, here, ",}") + 1
            continue
        if word == "}":  # of a typedef: its name; else an expression goes on
            if here < len(words) and is_name(words[here][1]):
                found.setdefault(words[here][1], here)
            continue
        if not (word in TYPES or (is_name(word) and
                                  (words[at - 1][1] in ("::", ";", "{", "begin") or at == 0))):
            continue
        while here < len(words) and (words[here][1] in OF_TYPES or words[here][1] == "["):
            here = past(words, here + 1, "]") + 1 if words[here][1] == "[" else here + 1
        while here < len(words) and is_name(words[here][1]):
            if words[here + 1][1] not in ",;)=[":
                break  # `type name (`: an instance, or a function, which may be called before it
            found.setdefault(words[here][1], here)
            after = past(words, here + 1, ",;)")
            if after == len(words) or words[after][1] != ",":
                break
            here = after + 1
    return found


def is_use(words: Any, at: Any) -> Any:
    """Whether a name stands for what is declared: no member, no port of an instance, no scoped
    name."""
    before = words[at - 1][1] if at else ""
    if before == "::" or words[at + 1:at + 2] and words[at + 1][1] == "::":
        return False
    if before == ".":
        # `.name` alone connects a port to what has its name; `.name(...)` does not, and behind a
        # name it is a member.
        return words[at - 2][1] in "(," and words[at + 1][1] in ",)"
    return True


def early(text: str) -> list[Any]:
    """[(line of the use, name, line of the declaration)], a name once."""
    every = tokens(text)
    starts = [at for at, (_, word) in enumerate(every) if word in ("module", "package")]
    found = []
    for start, end in zip(starts, [*starts[1:], len(every)]):
        words = every[start:end]
        for name, place in declared(words).items():
            use = next((at for at in range(place) if words[at][1] == name and is_use(words, at)),
                       None)
            if use is not None:
                found.append((words[use][0], name, words[place][0]))
    return sorted(found)


@ending.reported("check_declarations")
def main(files: Sequence[str]) -> int:
    if not files or files[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if files else sys.stderr)
        return 0 if files else 2
    faults = [
        f"{file}:{line}: {name} is used before its declaration in line {declaration}"
        for file in files
        for line, name, declaration in early(Path(file).read_text(encoding="utf-8"))
    ]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0
