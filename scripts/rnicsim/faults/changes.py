# SPDX-License-Identifier: Apache-2.0
"""Lists of changes: one wrong line each, found by a source text that occurs once in its file."""

import sys
from dataclasses import dataclass
from pathlib import Path

from rnicsim.places import ROOT, module_file, verilog


@dataclass(frozen=True)
class Change:
    """One source text of a file, and what stands there instead. The file itself is never touched: copies are changed."""
    file: str  # from the root
    old: str
    new: str
    name: str
    remark: str = ""

    @property
    def module(self):
        """Of Verilog: a file is named like its module."""
        return Path(self.file).stem

    def text(self):
        return (ROOT / self.file).read_text(encoding="utf-8").replace(self.old, self.new)

    def write_rtl(self, folder):
        """All of rtl/ in one folder, with the change in it."""
        for file in verilog():
            text = self.text() if self.file == str(file.relative_to(ROOT)) else file.read_text(encoding="utf-8")
            (folder / file.name).write_text(text, encoding="utf-8")


def unchanged(file):
    """What changes nothing of this file: with it, all tests have to pass."""
    return Change(file, "", "", f"{file} as it is")


def parts_of(line):
    """The fields of a line: '|' inside one is written '\\|', a line end '\\n'."""
    return [part.replace("\\|", "|").replace("\\n", "\n") for part in line.split(" | ")]


def read(path, change_of):
    """[(line, change)] of a list; `change_of` makes one of the fields. Ends the script where a text does not stand once in its file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        change = change_of(*parts_of(line))
        count = (ROOT / change.file).read_text(encoding="utf-8").count(change.old)
        if count != 1:
            sys.exit(f"error: {path.relative_to(ROOT)}:{number}: '{change.old}' occurs {count} times in {change.file}, expected once")
        found.append((line, change))
    return found


def of_module(module, old, new, kind="", remark=""):
    """A change of Verilog: what it does is its name."""
    return Change(str(module_file(module).relative_to(ROOT)), old, new, f"{kind or module}: {old} -> {new}", remark)
