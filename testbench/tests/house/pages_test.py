#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages stay readable: prose within 120 columns, prose first, and not more words than
somebody reads."""
import os
import pathlib
import re
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
# Of 0.1.0, seven applications, a bridge with its rings and what is seen of them.
COLUMNS, WORDS = 120, 45_000 + 4_000 + 2_600 + 2_000
FENCE = re.compile(r"^\s*```.*?^\s*```\s*?$", re.DOTALL | re.MULTILINE)


def pages() -> list[pathlib.Path]:
    found = [file for file in SOURCES.rglob(
        "*.md") if not {"build", ".git"} & set(file.relative_to(SOURCES).parts)]
    return sorted(found)


def too_long(text: str) -> list[str]:
    """Lines of prose: no tables, pictures and output."""
    return [line for line in FENCE.sub("", text).split("\n") if len(
        line) > COLUMNS and not line.lstrip().startswith(("|", "!["))]


def words(text: str) -> int:
    """As `wc -w` counts them, the strokes of tables too."""
    return len(text.split())


class Pages(unittest.TestCase):
    def test_prose_stays_within_its_columns(self) -> None:
        self.assertEqual(len(too_long(f"{'a ' * 61}\n| {'a ' * 61}|\n```\n{'a ' * 61}\n```\n")), 1)
        self.assertGreater(len(pages()), 30)
        self.assertEqual([(str(page.relative_to(SOURCES)), line) for page in pages()
                         for line in too_long(page.read_text(encoding="utf-8"))], [])

    def test_each_begins_with_prose(self) -> None:
        for page in pages():
            title, blank, first = page.read_text(encoding="utf-8").split("\n")[:3]
            self.assertTrue(title.startswith("# ") and blank == "", page)
            self.assertRegex(first, r"^[A-Z`\[](?!``)", page)

    def test_they_are_not_too_long_in_all(self) -> None:
        self.assertEqual(words("| a | 1.5 - `b` |\n"), 7)
        self.assertLessEqual(sum(words(page.read_text(encoding="utf-8"))
                             for page in pages()), WORDS)


if __name__ == "__main__":
    unittest.main()
