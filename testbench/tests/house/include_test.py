#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which folder may know which: CONTRIBUTING.md, "Where things go"."""
import os
import pathlib
import re
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
INCLUDE = re.compile(r'^#include "((?:tlm|model|testbench)/[^"]+)"', re.MULTILINE)


def includes(top: str) -> list[tuple[pathlib.Path, str]]:
    """Each file of `top` with each file of ours that it includes."""
    files = [
        file for pattern in ("*.h", "*.cpp", "*.inc", "*.h.in")
        for file in (SOURCES / top).rglob(pattern)
    ]
    return [(file.relative_to(SOURCES), found) for file in files
            for found in INCLUDE.findall(file.read_text())]


def node(file: pathlib.Path) -> str:
    """A folder of model/; of what lies in model/ itself the header with its source, as config.h
    knows what system.h does not."""
    return str(file.parent) if len(file.parts) > 2 else str(file.with_suffix(""))


def circle(edges: dict[str, set[str]]) -> list[str]:
    """The nodes of a circle, the first one again at the end; empty if there is none."""
    done: set[str] = set()

    def visit(at: str, way: list[str]) -> list[str]:
        if at in way:
            return way[way.index(at):] + [at]
        if at in done:
            return []
        for after in sorted(edges.get(at, ())):
            found = visit(after, way + [at])
            if found:
                return found
        done.add(at)
        return []

    for start in sorted(edges):
        found = visit(start, [])
        if found:
            return found
    return []


class Includes(unittest.TestCase):
    def test_a_circle_is_found(self) -> None:
        self.assertEqual(circle({"a": {"b"}, "b": {"c", "d"}, "d": {"b"}}), ["b", "d", "b"])
        self.assertEqual(circle({"a": {"b", "c"}, "b": {"c"}}), [])

    def test_folders_of_the_model_include_each_other_in_no_circle(self) -> None:
        edges: dict[str, set[str]] = {}
        for file, included in includes("model"):
            here, there = node(file), node(pathlib.Path(included))
            if included.startswith("model/") and here != there:
                edges.setdefault(here, set()).add(there)
        self.assertIn("model/faults", edges["model/network/link"])  # the graph is not empty
        self.assertEqual(circle(edges), [])

    def test_folders_of_the_testbench_include_each_other_in_no_circle(self) -> None:
        edges: dict[str, set[str]] = {}
        for file, included in includes("testbench"):
            here, there = file.parts[1], pathlib.Path(included).parts[1]
            if included.startswith("testbench/") and "tests" not in (here, there) and here != there:
                edges.setdefault(here, set()).add(there)
        self.assertIn("workloads", edges["run"])  # the graph is not empty
        self.assertEqual(circle(edges), [])

    def test_who_runs_a_simulation_knows_no_kind_of_work(self) -> None:
        allowed = {"testbench/workloads/works.h"}
        named = {
            included
            for file, included in includes("testbench/run")
            if file.name.startswith("simulate.") and "/workloads/" in included
        }
        self.assertEqual(named, allowed)
        text = (SOURCES / "testbench/run/simulate.cpp").read_text()
        self.assertIsNone(re.search(r"(?i)\b(drp|roce|verbs|scoreboard|stations?)\b", text))

    def test_lower_folders_do_not_know_higher_ones(self) -> None:
        for top, may in (("tlm", ("tlm/",)), ("model", ("tlm/", "model/"))):
            wrong = [
                f"{file} includes {included}" for file, included in includes(top)
                if not included.startswith(may)
            ]
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
