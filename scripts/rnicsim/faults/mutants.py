"""Changes one line of what the protocol decides at a time, and sees whether the exploration and the tests notice.

Usage: scripts/mutants [--build FOLDER] [--jobs N] [--sample N] [--seed N] [--all] [--only REGEX] [--search] [--standard]

  --build FOLDER  a build with tests [build/ci]; its programs are linked anew with each mutant
  --jobs N        mutants at once [all cores]
  --sample N      N of them, drawn by --seed N [all; the seed: from the commit]; --all, or RNICSIM_ALL=1: all, whatever it says
  --only REGEX    those in whose line it is found
  --search        only those that the exploration has to notice; test_protocol is not asked
  --standard      where the small searches find nothing, all of `rnicsim explore` follows

The mutants stand in testbench/tests/mutants/decisions.txt. Each is held to some small searches of `rnicsim explore` until one
finds a broken rule, and to test_protocol. First all of these have to pass with the sources as they are. Exit codes: 0 everything
was noticed as the list says; 1 something was not, or nothing could be built.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rnicsim import ending
from rnicsim import sampling
from rnicsim.faults.linking import call, link, link_command, only_once, pattern
from rnicsim.places import ROOT

LIST = ROOT / "testbench" / "tests" / "mutants" / "decisions.txt"
SOURCES = Path("model") / "rnic"
BY_SEARCH = "search"  # the remark of those that the exploration has to notice; any other says why nobody can
PROGRAMS = ("rnicsim", "test_protocol")
SECONDS = 120  # a mutant that hangs has been noticed
# Small sets of bounds, the cheapest first: under a second each.
SEARCHES = [
    "--operation write --method traditional --frames 4 --faults 1",
    "--operation read --method traditional --frames 4 --faults 1",
    "--operation write --method dynamic --frames 3 --faults 1 --prompt",
    "--operation read --method dynamic --frames 3 --faults 1 --prompt",
    "--operation write --method dynamic --frames 4 --faults 1 --slots 1 --prompt",
    "--operation write --method dynamic --frames 4 --faults 1 --retransmission go_back_n",
    "--operation read --method traditional --frames 4 --faults 1 --retransmission go_back_n",
    "--operation write --method dynamic --frames 4 --faults 1",
    "--operation write --method dynamic --frames 2 --faults 2",
    "--operation read --method dynamic --frames 4 --faults 2",
    "--operation both-ends --method dynamic --transfers 2 --frames 1 --faults 1 --staged 1 --fetch-at-once",
    "--operation write --method dynamic --transfers 2 --frames 1 --faults 1 --staged 1 --fetch-at-once",
    "--operation write --method traditional --frames 2 --staged 1 --fetch-at-once --forgetful",
    "--operation write --method dynamic --frames 2 --staged 1 --fetch-at-once --forgetful",
    "--operation write --method dynamic --frames 3 --window 1 --staged 1 --fetch-at-once --forgetful",
]


def parts_of(line):
    """The fields of a line: '|' inside one is written '\\|', a line end '\\n'."""
    return [part.replace("\\|", "|").replace("\\n", "\n") for part in line.split(" | ")]


def read_mutants(options):
    mutants = []
    for number, line in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        file, old, new, name, *remark = parts_of(line)
        remark = remark[0] if remark else ""
        only_once((ROOT / SOURCES / file).read_text(encoding="utf-8"), old, f"{LIST.name}:{number}: {file}")
        if options.only.search(line) and (remark == BY_SEARCH or not options.search):
            mutants.append((file, old, new, name, remark))
    return sampling.drawn(mutants, options, "mutants of the decisions")


def compile_commands(build):
    """How each source of the logic is compiled, by its path in SOURCES."""
    file = build / "compile_commands.json"
    if not file.is_file():
        sys.exit(f"error: {build} is not a build (cmake --preset ci && cmake --build --preset ci)")
    found = {str(Path(entry["file"]).relative_to(ROOT / SOURCES)): shlex.split(entry["command"])
             for entry in json.loads(file.read_text(encoding="utf-8"))
             if Path(entry["file"]).is_relative_to(ROOT / SOURCES) and "rnicsim_logic.dir" in entry["command"]}
    if not found:
        sys.exit(f"error: {build} is a build of other sources, expected one of {ROOT}")
    return found


def compiled(folder, file, text, commands, build):
    """The objects that the changed file makes: its own, or, of a header, of all sources of the logic. Of a header's functions the
    linker takes the first it meets, and these come first."""
    changed = folder / SOURCES / file
    changed.parent.mkdir(parents=True)
    changed.write_text(text, encoding="utf-8")
    if file.endswith(".cpp") and file not in commands:
        sys.exit(f"error: {build} does not compile {SOURCES / file}, expected a source of rnicsim_logic")
    objects = []
    for name in [file] if file in commands else sorted(commands):
        words = list(commands[name])
        result = folder / f"{name.replace('/', '.')}.o"
        words[words.index("-o") + 1] = str(result)
        words[words.index("-c") + 1] = str(changed if name == file else ROOT / SOURCES / name)
        words.insert(1, f"-I{folder}")
        words.append("-w")  # what the change leaves unused is no reason to refuse it
        done = call(words, build)
        if done.returncode != 0:
            sys.exit(f"error: the mutant of {file} is not compiled:\n{done.stderr}")
        objects.append(str(result))
    return objects


def run(command):
    """Exit code and standard output; None where it hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""


def search(program, standard, options=()):
    """What the exploration finds: the rule and the length of the way there; empty where it finds nothing."""
    for bounds in SEARCHES + ([""] if standard else []):
        code, output = run([program, "explore", *bounds.split(), *options])
        if code == 0:
            continue
        steps = re.search(r"The way there, (\d+) steps", output)
        rule = re.search(r"BROKEN: (.*)", output)
        return f"{rule[1]}, {steps[1]} steps" if steps else f"exit code {code}" if code is not None else "it hangs"
    return ""


def noticed(mutant, options, commands, links):
    """What of it the exploration finds, and whether the tests fail."""
    file, old, new, *_ = mutant
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (ROOT / SOURCES / file).read_text(encoding="utf-8").replace(old, new)
        objects = compiled(folder, file, text, commands, options.build)
        for program, command in links.items():
            link(command, objects, folder / program, options.build)
        found = search(folder / "rnicsim", options.standard)
        return found, not options.search and run([folder / "test_protocol", "--abort"])[0] != 0


@ending.told("mutants")
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "ci", type=Path)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    sampling.add_options(parser)
    parser.add_argument("--only", default="", type=pattern)
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--standard", action="store_true")
    options = parser.parse_args(arguments)
    mutants = read_mutants(options)
    commands = compile_commands(options.build)
    links = {program: link_command(options.build, program) for program in PROGRAMS[:1 if options.search else 2]}
    started = time.monotonic()
    for file in sorted({mutant[0] for mutant in mutants}):
        if any(noticed((file, "", "", ""), options, commands, links)):
            sys.exit(f"error: the exploration or the tests fail with {file} as it is")
    by_search = by_tests = by_any = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda mutant: noticed(mutant, options, commands, links), mutants)
        for number, ((file, _, _, name, remark), (found, failed)) in enumerate(zip(mutants, results), 1):
            seen = bool(found) or failed
            right = bool(found) if remark == BY_SEARCH else seen != bool(remark)
            who = "search, tests" if found and failed else "search" if found else "tests" if failed else "nobody"
            print(f"{number:3}/{len(mutants)}  {'      ' if right else 'WRONG '}{who:13}  {file}: {name}"
                  + (f" [{found}]" if found else f" ({remark})" if remark else ""), flush=True)
            by_search += bool(found)
            by_tests += failed
            by_any += seen
            wrong += not right
    tests = "" if options.search else f"{by_tests} by the tests, "
    print(f"mutants of the decisions: {by_any} of {len(mutants)} noticed, {by_search} by the search, {tests}{wrong} not as the list "
          f"says, in {time.monotonic() - started:.0f} s")
    return 1 if wrong or not mutants else 0
