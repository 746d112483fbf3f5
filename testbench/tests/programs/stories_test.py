#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""testbench/programs/START.md and STORIES.md: each command is run, and what the page says that it
prints is what it prints."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = pathlib.Path(os.environ["RNICSIM"])
START = SOURCES / "testbench/programs/START.md"
PAGE = SOURCES / "testbench/programs/STORIES.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OTHERS = re.compile(r"\b(ib_\w+_(?:lat|bw)|ucx_perftest)\b")
LEFT_OUT = "..."
UCX_MAY_DIFFER = 0.02  # its figures and its recording depend on the machine


def with_port(command: str) -> str:
    """Tests run beside each other: programs take a port that is free."""
    return OTHERS.sub(rf"\1 -p {free_port()}", command)


def is_number(word: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", word) is not None


def same(said: str, expected: str, may_differ: float) -> Any:
    """Blanks count for nothing; `[...]` of the page is any text."""
    pattern = r".*".join(re.escape(" ".join(part.split())) for part in expected.split(LEFT_OUT))
    words, wanted = said.split(), expected.split()
    if re.fullmatch(pattern, " ".join(words)):
        return True
    return may_differ != 0 and len(words) == len(wanted) and all(
        one == other or is_number(one) and is_number(other)
        and abs(float(one) - float(other)) <= may_differ * float(other)
        for one, other in zip(words, wanted))


class Stories(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        (self.folder / "scenarios").symlink_to(SOURCES / "scenarios")

    def compare(self, said: Any, expected: list[str], command: str) -> None:
        """In the page's order; nothing between two lines where it has none left out."""
        may_differ = UCX_MAY_DIFFER if "ucx" in command else 0
        left, gap = said, False
        for line in expected:
            if line.strip() == LEFT_OUT:
                gap = True
                continue
            found = next(
                (i
                 for i, one in enumerate(left if gap else left[:1]) if same(one, line, may_differ)),
                None)
            if found is None:
                self.fail(f"{command}\nexpected: {line}\n" + "\n".join(left[:60]))
            left = left[found + 1:]
            gap = False
        if not gap:
            self.assertEqual(left, [], command)

    def follow(self, command: str, expected: list[str]) -> None:
        words = shlex.split(command)
        if words[0] == "cat":  # the page says what is in it
            (self.folder / words[1]).write_text("\n".join(expected) + "\n")
            return
        for program in OTHERS.findall(command):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed (Debian: perftest, ucx-utils)")
        # In a group of its own, so that none of its programs is left when it takes too long.
        with subprocess.Popen(with_port(command), shell=True, cwd=self.folder, text=True,
                              start_new_session=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={
                                  **os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"
                              }) as running:
            try:
                out, err = running.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, 9)
                raise
        self.compare((out + err).splitlines(), expected, command)

    def story(self, number: int) -> None:
        query = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "perftest"],
                               capture_output=True, text=True, check=False)
        if not query.stdout.startswith("4.5"):
            self.skipTest(
                "left out: the stories are told with perftest 4.5 and UCX 1.13, Debian 12's; "
                "others print other tables"
            )
        stories = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        self.assertEqual([text[:2] for text in stories], ["1.", "2.", "3."])
        self.follow_all(stories[number - 1])

    def follow_all(self, text: str) -> None:
        for block in CONSOLE.findall(text):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *expected = part.replace("\\\n", " ").splitlines()
                with self.subTest(command):
                    self.assertTrue(any(line.strip() != LEFT_OUT for line in expected),
                                    "a command without output is checked by nothing")
                    self.follow(command, expected)

    def test_the_walk_through(self) -> None:
        self.follow_all(START.read_text(encoding="utf-8"))

    def test_a_lost_response(self) -> None:
        self.story(1)

    def test_a_receiver_with_too_few_receives(self) -> None:
        self.story(2)

    def test_a_link_that_is_down(self) -> None:
        self.story(3)

    def test_what_the_page_does_not_say_is_noticed(self) -> None:
        self.compare(["a 1", "b", "c"], ["a   1", "...", "c"], "x")
        self.compare(["a 1.01", "b"], ["a 1.00", "..."], "ucx_perftest")
        for said, expected, command in ((["a 1.01"], ["a 1.00"], "x"), (["a 1.03"], ["a 1.00"],
                                                                        "ucx_perftest"),
                                        (["a", "b", "c"], ["a", "c"], "x"), (["a",
                                                                              "b"], ["a"], "x"),
                                        (["a"], ["a", "b"], "x"), (["b", "a"], ["a", "...",
                                                                                "b"], "x")):
            with self.subTest(said=said,
                              expected=expected), self.assertRaises(self.failureException):
                self.compare(said, expected, command)


if __name__ == "__main__":
    unittest.main()
