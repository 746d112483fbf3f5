# SPDX-License-Identifier: Apache-2.0
"""Lists of changes: one wrong expression each, found by its function and its tokens.

A list has sections, `[path of a file from the root]`, with a line for each change:

    FUNCTION | what stands there | what stands there instead | meaning | remark

FUNCTION is qualified by its classes, without namespaces (`SwitchLogic::refuses`); a constant or
member is its own name, and of Verilog it is the module, or `module::function`. The text is compared
token by
token: blanks, line ends and comments do not count. It has to stand once in that function. A single
'|' is written '\\|'. Lists of Verilog have no meaning: the change says what it does.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rnicsim.faults.source import NotFoundError, source_of
from rnicsim.places import CORPUS, ROOT, module_file, verilog

LISTS = CORPUS / "mutants"


@dataclass(frozen=True)
class Change:
    """One expression of a file, and what stands there instead. The file itself is never touched:
    copies are changed."""

    file: str  # from the root
    function: str
    old: str
    new: str
    name: str
    remark: str = ""

    @property
    def module(self) -> str:
        """Of Verilog: a file is named like its module."""
        return Path(self.file).stem

    def text(self) -> str:
        """The file with the change; throws NotFoundError."""
        source = source_of(self.file)
        return source.replaced(self.function, self.old, self.new) if self.old else source.text

    def write_rtl(self, folder: Path) -> None:
        """All of rtl/ in one folder, with the change in it."""
        for file in verilog():
            same = self.file == str(file.relative_to(ROOT))
            text = self.text() if same else file.read_text(encoding="utf-8")
            (folder / file.name).write_text(text, encoding="utf-8")


def unchanged(file: str) -> Change:
    """What changes nothing of this file: with it, all tests have to pass."""
    return Change(file, "", "", "", f"{file} as it is")


def module_unchanged(module: str) -> Change:
    return unchanged(str(module_file(module).relative_to(ROOT)))


def parts_of(line: str) -> list[str]:
    """The fields of a line: a single '|' inside one is written '\\|'."""
    return [part.replace("\\|", "|") for part in line.split(" | ")]


def of_model(file: str, parts: list[str]) -> Change:
    """FUNCTION | old | new | meaning | remark"""
    function, old, new, name, *remark = parts
    return Change(file, function, old, new, name, *remark)


def of_module(file: str, parts: list[str]) -> Change:
    """FUNCTION | old | new | remark, of Verilog: what it does is its name."""
    function, old, new, *remark = parts
    return Change(file, function, old, new, f"{Path(file).stem}: {old} -> {new}", *remark)


def read(
    path: Path, change_of: Callable[[str, list[str]], Change] = of_model
) -> list[tuple[str, Change]]:
    """[(file and line, change)] of a list; `change_of` makes one of the file and the fields. Ends
    the script where an expression does not stand once in its function: says of all of them."""
    found = []
    wrong = []
    file = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.relative_to(ROOT)}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if section := re.fullmatch(r"\[(.+)\]", line):
            file = section[1]
            if not (ROOT / file).is_file():
                sys.exit(f"error: {where}: there is no {file}")
            continue
        if not file:
            sys.exit(f"error: {where}: expected a section first, [path of a file]")
        try:
            change = change_of(file, parts_of(line))
            change.text()
            found.append((f"{file} | {line}", change))
        except (TypeError, ValueError):
            sys.exit(f"error: {where}: found {len(parts_of(line))} fields in '{line}'")
        except NotFoundError as error:
            wrong.append(f"error: {where}: {file}: {error}")
    if wrong:
        sys.exit("\n".join(wrong))
    return found
