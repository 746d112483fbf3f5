#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CITATION.cff and CHANGELOG.md name the version of the CMake project, and the same day; each
source names its licence."""
import os
import pathlib
import re
import subprocess
import unittest
from typing import Any

import yaml

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])


def text_of(name: str) -> Any:
    return (SOURCES / name).read_text(encoding="utf-8")


class Citation(unittest.TestCase):
    def setUp(self) -> None:
        self.cited = yaml.safe_load(text_of("CITATION.cff"))

    def test_it_has_what_the_format_asks_for(self) -> None:
        self.assertEqual(self.cited["cff-version"], "1.2.0")
        self.assertEqual(self.cited["title"], "rnicsim")
        for key in ("message", "authors"):
            self.assertTrue(self.cited[key], key)

    def test_its_version_is_the_project_s(self) -> None:
        found = re.search(r"^project\(rnicsim VERSION (\S+)", text_of("CMakeLists.txt"),
                          re.MULTILINE)
        assert found
        self.assertEqual(self.cited["version"], found[1])

    def test_the_changelog_s_last_release_is_this_one(self) -> None:
        found = re.search(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", text_of("CHANGELOG.md"),
                          re.MULTILINE)
        assert found
        self.assertEqual((found[1], found[2]),
                         (self.cited["version"], str(self.cited["date-released"])))


class Licence(unittest.TestCase):
    """In one of the first two lines. Inputs of tests, results and what is for Yosys' formal flow
    have none: tools read their first line."""

    def test_each_source_has_it(self) -> None:
        listed = subprocess.run(["git", "ls-files"], cwd=SOURCES, capture_output=True, text=True,
                                check=False)
        names = listed.stdout.split("\n") if listed.returncode == 0 else [
            str(file.relative_to(SOURCES)) for file in SOURCES.rglob("*")
        ]
        sources = [
            name for name in names
            if pathlib.Path(name).suffix in (".h", ".cpp", ".inc", ".sv", ".py", ".cmake") and
            not name.startswith(("results/", "testbench/tests/corpus/", "build/"))
        ]
        self.assertGreater(len(sources), 1000)
        without = [
            name for name in sources
            if "SPDX-License-Identifier: Apache-2.0" not in "".join(text_of(name).split("\n")[:2])
        ]
        self.assertEqual(without, [])


if __name__ == "__main__":
    unittest.main()
