"""What the scripts that change one line at a time share: how a program of a build is linked, with objects put before its libraries."""

import argparse
import re
import shlex
import subprocess
import sys

SECONDS = 600  # a compiler or linker that hangs


def call(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)


def link_command(build, program):
    """How it is linked, from the build itself."""
    if not (build / "build.ninja").is_file():
        sys.exit(f"error: {build} is no build (cmake --preset ci && cmake --build --preset ci)")
    done = call(["ninja", "-t", "commands", f"bin/{program}"], build)
    lines = [line for line in done.stdout.splitlines() if f" -o bin/{program}" in line]
    if not lines:
        sys.exit(f"error: {build} has no {program} (cmake --preset ci && cmake --build --preset ci)")
    return lines[-1].removeprefix(": && ").split(" && ")[0]


def link(command, objects, program, build):
    """The program of this link command, with other objects in the place of those of its libraries."""
    words = shlex.split(command)
    place = words.index("-o")
    words[place + 1] = str(program)
    # First of all, also before the objects of the program: of a function that several of them hold, the first is taken.
    first = next(number for number, word in enumerate(words) if word.endswith(".o"))
    words[first:first] = objects
    done = call(["sh", "-c", shlex.join(words)], build)
    if done.returncode != 0:
        sys.exit(f"error: linking failed:\n{done.stderr}")


def only_once(text, old, where):
    """Ends the script unless `old` stands once in the text."""
    if text.count(old) != 1:
        sys.exit(f"error: {where}: '{old}' stands {text.count(old)} times there, expected once")


def pattern(text):
    """For argparse: a regular expression."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"found '{text}', expected a regular expression: {error}") from None
