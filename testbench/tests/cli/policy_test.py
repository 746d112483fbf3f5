#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The walk-through of CONTRIBUTING.md, "A policy of your own": its patch, its test and its paired
comparison.

Environment: RNICSIM_SOURCE_DIR, RNICSIM_BIN. What the patch changes is compiled with the command of
the build that the program belongs to, and linked with the rest of that build: building anew takes
minutes.
"""

from __future__ import annotations
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any


sys.dont_write_bytecode = True
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
PROGRAM = Path(os.environ["RNICSIM_BIN"]).resolve()
BUILD = PROGRAM.parent.parent
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim.faults.linking import link_command

TEXT = (SOURCE / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = re.search(r"^## A policy of your own\n(.*?)(?=^## )", TEXT, re.DOTALL | re.MULTILINE)[1]
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
PATCH, = (text for kind, text in BLOCKS if kind == "diff")
TEST_FILE, = re.findall(r"in `(testbench/tests/protocol/\w+\.cpp)`", SECTION)
TEST, = (text for kind, text in BLOCKS if kind == "cpp")
COMMANDS = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
CHANGED, = re.findall(r"^\+\+\+ b/(\S+)", PATCH, re.MULTILINE)


def run(*command: Any, cwd: Any = BUILD) -> Any:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd,
                          check=False)


def compile_like(example: Any, file: Path, result: Any, include: Any) -> None:
    """Compiles `file` with the command of the build for `example`, a source of the project."""
    entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    words, = [
        shlex.split(entry["command"]) for entry in entries if entry["file"] == str(SOURCE / example)
    ]
    words[words.index("-o") + 1], words[words.index("-c") + 1] = str(result), str(file)
    done = run(*words, f"-I{include}")
    assert done.returncode == 0, done.stderr


def link(program: str | Path, result: Any, objects: Any, without: Any = ()) -> None:
    """Links `program` of the build again, with these objects in place of those of the libraries."""
    words = shlex.split(link_command(BUILD, program))
    words = [word for word in words if not any(word.endswith(name) for name in without)]
    words[words.index("-o") + 1] = str(result)
    first = next(i for i, word in enumerate(words) if word.endswith((".o", ".a")))
    done = run(*words[:first], *objects, *words[first:])
    assert done.returncode == 0, done.stderr


class WalkThrough(unittest.TestCase):
    folder: Path
    policy: Any
    program: Path
    tests: Any
    tests_without: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="rnicsim_policy_"))
        tree = cls.folder / "tree"
        for name in (CHANGED, TEST_FILE):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / CHANGED, tree / CHANGED)
        patched = subprocess.run(["patch", "-p1", "--fuzz=0"], input=PATCH, capture_output=True,
                                 text=True, cwd=tree, check=False)
        said = patched.stdout + patched.stderr
        assert patched.returncode == 0, f"the patch does not fit {CHANGED}:\n{said}"
        (tree / TEST_FILE).write_text(TEST, encoding="utf-8")
        cls.policy, test = cls.folder / "policy.o", cls.folder / "test.o"
        compile_like(CHANGED, tree / CHANGED, cls.policy, SOURCE)
        compile_like("testbench/tests/protocol/test_window.cpp", tree / TEST_FILE, test, SOURCE)
        cls.program = cls.folder / "rnicsim"
        link("rnicsim", cls.program, [cls.policy])
        others = [
            source.name + ".o" for source in (SOURCE / "testbench/tests/protocol").glob("*.cpp")
        ]
        cls.tests, cls.tests_without = cls.folder / "test_protocol", cls.folder / "test_without"
        link("test_protocol", cls.tests, [test, cls.policy], others)
        link("test_protocol", cls.tests_without, [test], others)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def test_it_is_short(self) -> None:
        self.assertLess(len(SECTION.splitlines()), 100)

    def test_its_test_passes_with_the_policy_and_fails_without(self) -> None:
        done = run(self.tests)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"All tests passed \(\d+ assertions in 1 test case\)")
        self.assertNotEqual(run(self.tests_without).returncode, 0)

    def test_the_scenario_knows_it(self) -> None:
        done = run(self.program, "describe", SOURCE / "scenarios/examples/minimal.yaml", "--set",
                   "system.rnic.drp.mode_choice=first_expiry")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("first_expiry", done.stdout)
        self.assertEqual(
            run(PROGRAM, "describe", SOURCE / "scenarios/examples/minimal.yaml", "--set",
                "system.rnic.drp.mode_choice=first_expiry").returncode, 2)

    def test_the_reference_knows_it(self) -> None:
        """The commands in their order: what builds, what writes the reference with what was
        built."""
        build, reference, _ = COMMANDS[-3:]
        self.assertEqual((build, reference),
                         ("cmake --build --preset release", "scripts/reference build/release/bin"))
        tree = self.folder / "reference"
        for name in ("scripts/reference", "scripts/timing_diagrams", "scenarios/schema.json",
                     "scenarios/profile_schema.json", "scenarios/README.md",
                     "scripts/wireshark/drp.lua", "scripts/wireshark/roce.lua"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, tree / name)
        shutil.copytree(SOURCE / "rtl", tree / "rtl")
        shutil.copytree(SOURCE / "scripts/rnicsim", tree / "scripts/rnicsim")
        before = (tree / "scenarios/schema.json").read_bytes()
        done = run(tree / "scripts/reference", "build/release/bin", cwd=tree)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no build/release/bin/rnicsim: build first", done.stderr)
        self.assertEqual((tree / "scenarios/schema.json").read_bytes(), before)
        programs = tree / "build/release/bin"
        shutil.copytree(
            BUILD / "bin", programs,
            ignore=lambda _, names: [name for name in names if not name.startswith("generate_")])
        shutil.copy(self.program, programs)
        done = run(tree / "scripts/reference", "build/release/bin", cwd=tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        name = "scenarios/schema.json"
        self.assertIn("first_expiry", (tree / name).read_text(encoding="utf-8"))
        self.assertNotIn("first_expiry", (SOURCE / name).read_text(encoding="utf-8"))

    def test_the_paired_comparison_says_what_moved(self) -> None:
        command, = [line for line in COMMANDS if "rnicsim compare" in line]
        words = shlex.split(command)
        self.assertEqual(words[0], "build/release/bin/rnicsim")
        done = run(PROGRAM, *words[1:], "--program", self.program, cwd=SOURCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("went_indirect", done.stdout)
        self.assertRegex(done.stdout, "first event")


if __name__ == "__main__":
    unittest.main()
