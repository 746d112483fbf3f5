#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison: it parses, says what the JSON says, and looks right in a browser."""
import json
import sys
import unittest
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from compare_support import SOURCE, Folder, compare

sys.path.insert(0, str(SOURCE / "testbench" / "tests" / "cli"))
from browser import BrowserCase, contrast

VOID = {"meta", "link", "br", "line", "circle", "img", "input"}


class Parser(HTMLParser):
    """Text and elements; complains about what is not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[Any] = []
        self.wrong: list[Any] = []
        self.words: list[str] = []
        self.ids: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str]]) -> None:
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append((tag, self.getpos()))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def make(test: Any) -> tuple[Path, dict[str, Any]]:
    html, told = test.folder / "x.html", test.folder / "x.json"
    scenario = test.scenario(name="a<b&c")
    done = compare(scenario, "--set-b", "system.rnic.drp.window=4", "--html", html, "--json",
                   told)
    test.assertEqual(done.returncode, 1, done.stderr)
    return html, json.loads(told.read_text(encoding="utf-8"))


class Page(Folder):
    def test_it_parses_and_says_what_the_json_says(self) -> None:
        html, told = make(self)
        parser = Parser(html.read_text(encoding="utf-8"))
        self.assertEqual((parser.wrong, parser.open), ([], []))
        self.assertEqual(len(parser.ids), len(set(parser.ids)))
        said = " ".join(" ".join(parser.words).replace("\u00a0", " ").split())
        for point in told["points"]:
            self.assertIn(
                f"{point['a_us']:,.3f} {point['b_us']:,.3f} {point['difference_us']:+,.3f} ± "
                f"{point['half_width_us']:,.3f}",
                said)
            for counter in point["counters"]:
                self.assertIn(counter["name"], said)
        self.assertIn(
            f"Number {told['first_event']['number']:,} of {told['first_event']['run']} is the "
            "first that differs",
            said)
        self.assertIn("a<b&c", said)
        self.assertIn("system.rnic.drp.window 8 4", said)

    def test_equal(self) -> None:
        html, file = self.folder / "x.html", self.scenario()
        self.assertEqual(compare(file, file, "--html", html).returncode, 0)
        parser = Parser(html.read_text(encoding="utf-8"))
        self.assertEqual((parser.wrong, parser.open), ([], []))
        self.assertIn("Every setting of the scenarios is equal.", parser.words)
        self.assertNotIn("What differs first", parser.words)

    def test_same_input_same_bytes(self) -> None:
        html, _ = make(self)
        first = html.read_bytes()
        make(self)
        self.assertEqual(html.read_bytes(), first)


class Browser(BrowserCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        case = Folder()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.url = f"file://{make(case)[0]}"

    def test_no_error_and_no_request(self) -> None:
        self.check_no_error_and_no_request()

    def test_nothing_is_wider_than_the_screen(self) -> None:
        self.check_nothing_is_wider_than_the_screen()

    def test_every_text_can_be_read_in_light_and_dark(self) -> None:
        for dark in (False, True):
            self.open(1280, dark=dark, closed=False)
            page = self.ask("getComputedStyle(document.body).backgroundColor")
            colours = self.ask(
                "[...new Set([...document.querySelectorAll('main *')].filter(e => "
                "!e.closest('.badge')).map(e => "
                "e instanceof SVGTextElement ? getComputedStyle(e).fill : "
                "getComputedStyle(e).color))]"
            )
            self.assertGreater(len(colours), 2)
            for colour in colours:
                self.assertGreater(contrast(colour, page), 4.5, (dark, colour))

    def test_the_picture_has_a_mark_for_each_change(self) -> None:
        self.open(1280)
        self.assertEqual(self.ask("document.querySelectorAll('svg circle').length"), 2)
        outside = self.ask(
            "[...document.querySelectorAll('svg text')].filter(t => { const b = "
            "t.getBoundingClientRect(), "
            "s = t.closest('svg').getBoundingClientRect(); return b.left < s.left - 1 || b.right > "
            "s.right + 1; }).length"
        )
        self.assertEqual(outside, 0)


if __name__ == "__main__":
    unittest.main()
