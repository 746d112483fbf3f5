#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""All commands that observe one run choose the same one: the first dynamic, else the first, or the
one that is named; and name it.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""
import unittest
from typing import Any

from look_support import WORK, rnicsim, scenario, simulate

BOTH = (
    "system: {link: {loss: 4 %}, host: {registration: {failure: 70 %}}}\nrun: {size: 4 KiB, "
    "transfers: 3, repetitions: 1}\n"
)
ONLY = BOTH.replace("repetitions: 1", "repetitions: 1, methods: [traditional]")


class ChosenRun(unittest.TestCase):
    def looked_at(self, text: str, *words: str) -> Any:
        """The run that each command names."""
        file = scenario("chosen", text)
        run = rnicsim("run", file, "--out", WORK / "chosen", "--no-plot", "--fresh", "--events",
                      WORK / "c.csv", "--record-tape", WORK / "c.tape",
                      *(["--observe-run", *words] if words else [])).stdout
        explain = rnicsim("explain", file, "--transfer", "1",
                          *(["--run", *words] if words else [])).stdout
        shrink = rnicsim("shrink", file, "--out", WORK / "s.tape", "--wanted",
                         "link.a_to_b_carried>=1", *(["--run", *words] if words else []))
        wave = rnicsim("cosim", file, "--set", "simulation.a.frame_filter=rtl", "--wave",
                       WORK / "c.fst", *(["--wave-run", *words] if words else [])).stdout
        self.assertIn(f"{WORK / 'c.csv'}, {WORK / 'c.tape'}: of run ", run)
        found = {
            run.split(": of run ")[1].split("\n")[0],
            explain.splitlines()[0].split("run ")[1].split(":")[0],
            shrink.stderr.split(" in run ")[1].split(";")[0],
            wave.split(": of run ")[1].split("\n")[0]
        }
        self.assertEqual(len(found), 1, found)
        return found.pop()

    def test_the_first_dynamic_one(self) -> None:
        self.assertEqual(self.looked_at(BOTH), "p000_dynamic_r0")

    def test_else_the_first(self) -> None:
        self.assertEqual(self.looked_at(ONLY), "p000_traditional_r0")

    def test_or_the_one_that_is_named(self) -> None:
        self.assertEqual(self.looked_at(BOTH, "p000_traditional_r0"), "p000_traditional_r0")

    def test_the_files_are_of_that_run(self) -> None:
        file = scenario("chosen", BOTH)
        words: Any
        for name, words in (("default", []), ("named", ["--observe-run", "p000_dynamic_r0"]),
                            ("other", ["--observe-run", "p000_traditional_r0"])):
            rnicsim("run", file, "--out", WORK / "files", "--no-plot", "--quiet", "--fresh",
                    "--events", WORK / f"{name}.csv", *words)
        default, named, other = ((WORK / f"{name}.csv").read_bytes()
                                 for name in ("default", "named", "other"))
        self.assertTrue(default == named, "of the first dynamic run")
        self.assertTrue(default != other, "the methods differ")

    def test_a_run_that_is_not_there(self) -> None:
        file = scenario("chosen", BOTH)
        for words in (["run", file, "--events", WORK / "x.csv", "--observe-run",
                       "p7"], ["explain", file, "-t", "0", "--run",
                               "p7"], ["cosim", file, "--wave", WORK / "x.fst", "--wave-run",
                                       "p7"]):
            self.assertIn(
                "p7: there is no such run; expected one of p000_traditional_r0 .. p000_dynamic_r0",
                rnicsim(*words, code=2).stderr)
        self.assertIn("--wave-run: expected --wave FILE.fst with it",
                      rnicsim("cosim", file, "--wave-run", "p000_dynamic_r0", code=2).stderr)

    def test_quiet_says_nothing(self) -> None:
        done = simulate("quiet", "--events", WORK / "q.csv")
        self.assertEqual(done.stdout + done.stderr, "")


if __name__ == "__main__":
    unittest.main()
