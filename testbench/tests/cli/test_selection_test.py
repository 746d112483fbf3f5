#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/test with options of ctest: in which build it looks for the tests. Installer, build and
ctest are fakes.

Environment: RNICSIM_SOURCE_DIR.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
PRESETS = json.loads((SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))
# A few tests of each build, with their label.
TESTS = {
    "ci": ["timing: a", "protocol: a", "cosim: a", "scenario: shipped", "cli: a"],
    "ci-asan": [
        "protocol: a", "smoke: a", "property: a", "scenario: shipped", "scenario: a", "runner: a",
        "fuzz: a"
    ]
}
# Selects by -L and -R as ctest does; a folder without a build has no tests.
CTEST = """#!/usr/bin/python3
import os, re, sys
words, tests = sys.argv[1:], {tests}
preset = words[words.index("--preset") + 1] if "--preset" in words else ""
preset = preset.removesuffix("-all")
found = tests[preset] if preset and os.path.exists("built_" + preset) else []
for option, place in (("-L", 0), ("--label-regex", 0), ("-R", 1)):
    for at in [i for i, word in enumerate(words) if word == option]:
        found = [test for test in found if re.search(words[at + 1], test.split(": ")[0] if place == 0 else test)]
if "--print-labels" in words:
    preset = words[words.index("--test-dir") + 1].split("/")[1]
    print("Test project\\n\\nAll Labels:\\n" + "\\n".join("  " + label for label in sorted({{test.split(": ")[0] for test in tests[preset]}})))
    sys.exit(0)
if "-N" in words:
    print(f"Test project\\n\\nTotal Tests: {{len(found)}}")
    sys.exit(0)
for test in found:
    print(f"ran {{preset}} {{test}}")
sys.exit(8 if not found or os.environ.get("FAILS") == preset else 0)
"""  # noqa: E501


class OfTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts" / "test", self.folder / "scripts" / "test")
        self.program("scripts/setup", "#!/bin/sh\n")
        self.program("scripts/lint", "#!/bin/sh\n")
        self.program("bin/ctest", CTEST.format(tests=repr(TESTS)))
        self.program(
            "bin/cmake",
            '#!/bin/sh\nif [ "$1" = --build ]; then echo "built $3"; touch "built_$3"; fi\n')

    def program(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def run_test(self, *words: str, **environment: str) -> tuple[int, list[str], list[str], str]:
        """(exit code, builds that were built, tests that ran, output)."""
        done = subprocess.run([self.folder / "scripts" / "test", *words], capture_output=True,
                              text=True, timeout=60, check=False, env={
                                  **os.environ,
                                  **environment, "PATH":
                                  f"{self.folder / 'bin'}:{os.environ['PATH']}"
                              })
        lines = done.stdout.splitlines()

        def after(word: str) -> list[str]:
            return [line.removeprefix(word) for line in lines if line.startswith(word)]

        return done.returncode, after("built "), after("ran "), done.stdout + done.stderr


class Selection(OfTest):
    def test_what_ci_has_needs_no_sanitizers(self) -> None:
        for label in ("timing", "protocol", "cosim", "cli", "^(timing)$"):
            code, built, _, said = self.run_test("-L", label)
            self.assertEqual((code, built), (0, ["ci"]), said)
            self.assertIn("not looked at: the tests of smoke, property, scenario, runner and fuzz",
                          said)
        self.assertEqual(self.run_test("-L", "timing|cosim")[2], ["ci timing: a", "ci cosim: a"])

    def test_what_only_the_sanitizers_have_is_found_there(self) -> None:
        for label in ("smoke", "property", "runner", "fuzz"):
            for option in ("-L", "--label-regex"):
                code, built, ran, said = self.run_test(option, label)
                self.assertEqual((code, built, ran),
                                 (0, ["ci", "ci-asan"], [f"ci-asan {label}: a"]), said)
        self.assertEqual(self.run_test("-R", "runner: a")[2], ["ci-asan runner: a"])

    def test_what_both_have_runs_in_both(self) -> None:
        self.assertEqual(
            self.run_test("-L", "scenario")[2],
            ["ci scenario: shipped", "ci-asan scenario: shipped", "ci-asan scenario: a"])
        self.assertEqual(
            self.run_test("-L", "timing|smoke")[2], ["ci timing: a", "ci-asan smoke: a"])

    def test_a_test_that_fails_fails_it_and_the_other_build_is_tried(self) -> None:
        for preset in ("ci", "ci-asan"):
            code, _, ran, _ = self.run_test("-L", "scenario", FAILS=preset)
            self.assertEqual((code, len(ran)), (8, 3))

    def test_no_test_is_an_error(self) -> None:
        for words in (("-L", "tming"), ("-R", "nothing"), ("-L", "timing", "-L", "smoke")):
            code, _, ran, said = self.run_test(*words)
            self.assertEqual((code, ran), (1, []))
            self.assertIn(
                f"error: test: found no test that '{' '.join(words)}' selects, neither in ci nor "
                "in ci-asan\n",
                said)

    def test_the_labels_are_those_of_the_presets(self) -> None:
        """scripts/test names what ci-asan has and ci has not."""
        questions = {
            preset["name"]: set(preset["cacheVariables"]["RNICSIM_TEST_QUESTIONS"].split(";"))
            for preset in PRESETS["configurePresets"]
            if "RNICSIM_TEST_QUESTIONS" in preset.get("cacheVariables", {})
        }
        here = {"smoke", "property", "scenario", "runner"}
        self.assertEqual(questions["ci-asan"] - questions["ci"], here)
        text = (SOURCE / "scripts" / "test").read_text(encoding="utf-8")
        self.assertIn("for label in smoke property scenario runner fuzz; do", text)
        for label in here | {"fuzz"}:
            self.assertIn(label, text[:text.index("set -euo pipefail")])


class All(OfTest):
    """scripts/test --all: parts that have passed on the sources as they are are not tried again."""
    def setUp(self) -> None:
        super().setUp()
        for name in ("prove", "defence", "edge", "soak", "debian_root", "mutants",
                     "network_mutants", "application_mutants", "verbs_mutants", "rtl_mutants"):
            self.program(f"scripts/{name}",
                         f'#!/bin/sh\necho "ran {name} $*"\n[ "$FAILS" != {name} ]\n')
        (self.folder / "rtl").mkdir()
        self.write("rtl/core.sv", "module core;\n")
        for words in (("init", "-q"), ("add", "."),
                      ("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "A")):
            subprocess.run(["git", "-C", self.folder, *words], check=True)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def test_what_has_passed_is_not_tried_again(self) -> None:
        code, _, first, said = self.run_test("--all")
        self.assertEqual(code, 0, said)
        self.assertIn("ci timing: a", first)
        self.assertIn("prove --faults --part 1/2", first)
        self.assertIn("verbs_mutants --part 3/3", first)
        code, _, second, said = self.run_test("--all")
        self.assertEqual((code, second), (0, []), said)
        self.assertIn("has passed on these sources", said)
        self.assertEqual(self.run_test("--all", "--again")[2], first)

    def test_a_change_is_one_for_those_that_depend_on_it(self) -> None:
        self.run_test("--all")
        self.write("rtl/core.sv", "module core; endmodule\n")
        self.assertIn("prove --faults --part 2/2", self.run_test("--all")[2])
        self.write("README.md", "A page\n")
        ran = self.run_test("--all")[2]
        self.assertIn("ci timing: a", ran)
        self.assertNotIn("prove --faults --part 2/2", ran)

    def test_a_part_that_fails_is_tried_again_alone(self) -> None:
        code, _, ran, said = self.run_test("--all", FAILS="defence")
        self.assertEqual(code, 1, said)
        self.assertIn("soak --transfers 1000000", ran)
        code, _, ran, said = self.run_test("--all")
        self.assertEqual((code, ran), (0, ["defence --part 1/2", "defence --part 2/2"]), said)

    def test_the_list_tries_nothing(self) -> None:
        code, built, ran, said = self.run_test("--all", "--list")
        self.assertEqual((code, built, ran), (0, [], []), said)
        self.assertRegex(said, r"defence 1/2 +- +- +- +never")
        self.run_test("--all")
        self.assertRegex(
            self.run_test("--all", "--list")[3],
            r"defence 1/2 +\d{4}-\d\d-\d\d_\d\d:\d\d +0:\d\d +[0-9a-f]{7,}\+? +"
            r"its sources are the same\n")
        self.write("rtl/core.sv", "module other;\n")
        self.assertRegex(
            self.run_test("--all", "--list")[3], r"defence 1/2 .* its sources have changed")

    def test_the_list_marks_a_part_that_takes_too_long(self) -> None:
        self.run_test("--all")
        stamp = self.folder / "build/all/defence_2_2"
        text = stamp.read_text(encoding="utf-8")
        self.write("build/all/defence_2_2", re.sub(r" \d+:\d\d ", " 41:07 ", text))
        said = self.run_test("--all", "--list")[3]
        self.assertRegex(said, r"defence 2/2 .* 41:07 .*, takes too long\n")
        self.assertNotRegex(said, r"defence 1/2 .* takes too long")

    def test_the_seconds_of_each_part_are_kept(self) -> None:
        self.run_test("--all")
        lines = (self.folder / "build/part_seconds.txt").read_text(encoding="utf-8").splitlines()
        parts = [line.split(" ", 1)[1] for line in lines]
        self.assertIn("verbs mutants 2/3", parts)
        self.assertEqual(len(parts), len(set(parts)))


if __name__ == "__main__":
    unittest.main()
