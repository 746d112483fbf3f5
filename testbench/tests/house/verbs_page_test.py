#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of model/VERBS.md has a test of its number in tests/verbs, or where it takes a network
in tests/network, and each test in the first a rule."""
import os
import pathlib
import re
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
RULES = set(
    re.findall(r"^- \*\*(V-[RCSDKQIUP]\d+)\*\* ",
               (SOURCES / "model/VERBS.md").read_text(encoding="utf-8"), re.MULTILINE))
NUMBER = re.compile(r"V-[RCSDKQIUP]\d+")


def names_of_tests(folder: str = "verbs") -> list[str]:
    files = sorted((SOURCES / "testbench/tests" / folder).glob("*.cpp"))
    return [
        name for file in files
        for name in re.findall(r'TEST_CASE\(\s*"([^"]+)"', file.read_text(encoding="utf-8"))
    ]


class VerbsPage(unittest.TestCase):
    def test_each_rule_has_a_test(self) -> None:
        tested = {
            folder: {
                rule
                for name in names_of_tests(folder) for rule in NUMBER.findall(name.split(":")[0])
            }
            for folder in ("verbs", "network")
        }
        self.assertGreater(len(RULES), 35)
        self.assertLessEqual(tested["verbs"], RULES)
        self.assertLessEqual(RULES, tested["verbs"] | tested["network"])

    def test_each_rule_has_a_mutant(self) -> None:
        listed = (SOURCES / "testbench/tests/corpus/mutants/verbs.txt").read_text(encoding="utf-8")
        self.assertLessEqual({rule
                              for rule in RULES if not rule.startswith("V-I")},
                             set(NUMBER.findall(listed)))

    def test_each_test_names_what_it_tests(self) -> None:
        for name in names_of_tests():
            self.assertRegex(name, r"^(V-[RCSDKQIUP]\d+(, V-[RCSDKQIUP]\d+)*|V-[SQ]|Errors): ")

    def test_sources_cite_rules_that_exist(self) -> None:
        files = [
            file for pattern in ("*.h", "*.cpp")
            for file in (SOURCES / "model/rnic/rc").rglob(pattern)
        ]
        cited = {
            rule
            for file in files for rule in NUMBER.findall(file.read_text(encoding="utf-8"))
        }
        self.assertGreater(len(cited), 20)
        self.assertLessEqual(cited, RULES)


if __name__ == "__main__":
    unittest.main()
