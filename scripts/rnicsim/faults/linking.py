# SPDX-License-Identifier: Apache-2.0
"""How a program of a build is linked again, with changed objects put before its libraries."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from rnicsim.places import ROOT

SECONDS = 600  # a compiler or linker that hangs
HOW = "cmake --preset ci && cmake --build --preset ci"


def call(command: Any, folder: Any) -> Any:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                          check=False)


def link_command(build: Path, program: str | Path) -> Any:
    """How it is linked, from the build itself."""
    if not (build / "build.ninja").is_file():
        sys.exit(f"error: {build} is no build ({HOW})")
    done = call(["ninja", "-t", "commands", f"bin/{program}"], build)
    lines = [line for line in done.stdout.splitlines() if f" -o bin/{program}" in line]
    if not lines:
        sys.exit(f"error: {build} has no {program} ({HOW})")
    return lines[-1].removeprefix(": && ").split(" && ")[0]


def link(command: Any, objects: Any, program: Path, build: Any, own: Any = None) -> None:
    """The program of this link command, with other objects in the place of those of its libraries,
    and of its `own`, by their names."""
    words = [(own or {}).get(word, word) for word in shlex.split(command)]
    place = words.index("-o")
    words[place + 1] = str(program)
    # First of all, also before the objects of the program: of a function that several of them hold,
    # the first is taken.
    first = next(number for number, word in enumerate(words) if word.endswith(".o"))
    words[first:first] = objects
    done = call(["sh", "-c", shlex.join(words)], build)
    if done.returncode != 0:
        sys.exit(f"error: linking failed:\n{done.stderr}")


class Build:
    """A build whose programs are linked again with a change of the models. `library`: of the
    sources that read a changed header, only those of libraries whose name begins so are compiled
    again. `roots`: folders of sources that may change, of which each has an object of its own.
    `replaced`: sources in whose place a program has its own."""

    def __init__(self, folder: Path, programs: Any, library: str = "rnicsim_",
                 roots: tuple[str, ...] = ("model", "tlm"), replaced: tuple[str, ...] = ()) -> None:
        self.roots = roots
        self.folder = folder.resolve()  # its commands run elsewhere
        self.links = {program: link_command(self.folder, program) for program in programs}
        self.commands = self.read_commands("rnicsim_")
        self.compiled_again = set(self.read_commands(library)) - set(replaced)
        self.tests = self.read_tests()
        self.readers = self.read_readers()

    def read_commands(self, library: Any) -> Any:
        """How each source of these folders is compiled, by its path from the root."""
        found = {}
        for entry in json.loads(
            (self.folder / "compile_commands.json").read_text(encoding="utf-8")):
            source = Path(entry["file"])
            # and not a generator, which has a main of its own
            in_library = f"/{library}" in entry["command"].partition(".dir/")[0]
            if in_library and any(source.is_relative_to(ROOT / root) for root in self.roots):
                found[str(source.relative_to(ROOT))] = shlex.split(entry["command"])
        if not found:
            sys.exit(f"error: {self.folder} is a build of other sources, expected one of {ROOT}")
        return found

    def read_tests(self) -> Any:
        """How each source of the programs themselves is compiled, by its path from the root, and
        the object's name in the link."""
        found = {}
        for entry in json.loads(
            (self.folder / "compile_commands.json").read_text(encoding="utf-8")):
            words = shlex.split(entry["command"])
            result = words[words.index("-o") + 1]
            if any(f"/{program}.dir/" in result for program in self.links):
                found[os.path.relpath(entry["file"], ROOT)] = (words, result)
        return found

    def read_readers(self) -> Any:
        """The sources that read a file, by its path from the root, as ninja has it: a source, and
        below it, indented, what it reads."""
        found: dict[str, set[str]] = {}
        source = ""
        for line in call(["ninja", "-t", "deps"], self.folder).stdout.splitlines():
            if not line.startswith("    "):
                source = ""
                continue
            file = Path(os.path.normpath(self.folder / line.strip()))
            if file.is_relative_to(ROOT):
                name = str(file.relative_to(ROOT))
                source = source or name
                found.setdefault(name, set()).add(source)
        return found

    def objects(self, change: Any, folder: Path) -> Any:
        """Those that the changed file makes: its own, or, of a header, those of all sources that
        read it. Of a header's functions the linker takes the first, and these come first."""
        changed = folder / change.file
        changed.parent.mkdir(parents=True)
        changed.write_text(change.text(), encoding="utf-8")
        sources = [change.file] if change.file in self.commands else sorted(
            self.readers.get(change.file, set()) & self.compiled_again)
        if not sources:
            sys.exit(f"error: {self.folder} compiles nothing of {change.file}")
        return [
            self.compiled(change, self.commands[source], source,
                          changed if source == change.file else ROOT / source, folder)
            for source in sources
        ]

    def compiled(self, change: Any, command: Any, name: str, source: Any, folder: Path) -> Any:
        """The object of a source that sees the change."""
        words = list(command)
        result = folder / f"{name.replace('/', '.')}.o"
        words[words.index("-o") + 1] = str(result)
        words[words.index("-c") + 1] = str(source)
        words.insert(1, f"-I{folder}")
        words.append("-w")  # what the change leaves unused is no reason to refuse it
        done = call(words, self.folder)
        if done.returncode != 0:
            sys.exit(f"error: '{change.name}' is not compiled:\n{done.stderr}")
        return str(result)

    def make(self, change: Any, folder: Path) -> Any:
        """Its programs, with the change, in this folder."""
        objects = self.objects(change, folder)
        for program, command in self.links.items():
            link(command, objects, folder / program, self.folder)
        return objects

    def make_tests(self, change: Any, objects: Any, folder: Path) -> Any:
        """The same, with the tests compiled anew that read the changed header: its functions may be
        inline in them. False: none do.
        `objects`: of make()."""
        own = {
            result: self.compiled(change, words, source, ROOT / source, folder)
            for source, (words, result) in self.tests.items()
            if source in self.readers.get(change.file, set())
        }
        for program, command in self.links.items():
            link(command, objects, folder / program, self.folder, own)
        return bool(own)

    def link_unchanged(self, folder: Path) -> None:
        for program in self.links:
            (folder / program).symlink_to(self.folder / "bin" / program)
