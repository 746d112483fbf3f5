#!/usr/bin/env python3
"""CITATION.cff and CHANGELOG.md name the version of the CMake project, and the same day."""
import os
import pathlib
import re
import unittest

import yaml  # type: ignore  # Debian has no stubs of it

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])


def text_of(name: str) -> str:
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
        found = re.search(r"^project\(rnicsim VERSION (\S+)", text_of("CMakeLists.txt"), re.MULTILINE)
        assert found
        self.assertEqual(self.cited["version"], found[1])

    def test_the_changelog_s_last_release_is_this_one(self) -> None:
        found = re.search(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", text_of("CHANGELOG.md"), re.MULTILINE)
        assert found
        self.assertEqual((found[1], found[2]), (self.cited["version"], str(self.cited["date-released"])))


if __name__ == "__main__":
    unittest.main()
