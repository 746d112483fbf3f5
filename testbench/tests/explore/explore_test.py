# SPDX-License-Identifier: Apache-2.0
"""`rnicsim explore`: the rules hold within the standard bounds, and a broken rule is found."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

BINARY = os.environ["RNICSIM_BIN"]
SOURCE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import sampling  # noqa: E402

SMALL = ("--operation", "write", "--frames", "2", "--faults", "1")
THREE_ENDS = ("--initiators", "2", "--staged", "1", "--fetch-at-once")


def explore(*options: str) -> Any:
    return subprocess.run([BINARY, "explore", *options], capture_output=True, text=True,
                          check=False)


def rows(text: Any) -> Any:
    """Of each set of bounds: its name, states, steps, verdict."""
    line = re.compile(r"(.+?)  +([\d,]+) +([\d,]+) +\d+ +[\d.]+ s +\d+  (.*)")
    found = (line.fullmatch(row) for row in text.splitlines())
    return [(m[1], int(m[2].replace(",", "")), int(m[3].replace(",", "")), m[4]) for m in found
            if m]


class Explore(unittest.TestCase):
    @sampling.in_turn(4)
    def test_all_rules_hold_within_the_standard_bounds(self) -> None:
        done = explore()
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = rows(done.stdout)
        self.assertEqual({verdict for _, _, _, verdict in results}, {"all rules hold"})
        for operation in ("write", "read", "both ends"):
            for method in ("traditional", "dynamic"):
                self.assertTrue(
                    any(name.startswith(f"{operation}, {method}, ") for name, *_ in results),
                    (operation, method))
                there = any(
                    name.startswith(f"{operation}, {method}, 2 initiators, ")
                    for name, *_ in results)
                self.assertEqual(there, operation != "both ends", (operation, method))
        self.assertIn("exhaustive within these bounds", done.stdout)
        # The events that these bounds are made for have happened.
        never = re.search(r"never happened within them: (.*)", done.stdout)[1].split(", ")
        for what in ("resumed", "bulk_drains", "buffer_full", "table_full", "idle_timeouts",
                     "fast_retransmissions", "stale", "failed"):
            self.assertNotIn(what, never)

    def test_what_the_bounds_of_a_ring_hide_is_refused(self) -> None:
        ring = ("--personality", "ntb")
        for options, says in (
            (("--stream", ), "--stream: nothing goes by it"),
            (("--stream", "--downs", "0"), "as the link is never down: expected --downs 1"),
            (("--policy", "H2", "--stream"), "--stream: nothing goes by it"),
            (("--policy", "H14", "--resets", "0"), "expected --downs or --resets, 1 in all"),
            (("--policy", "H13", "--downs", "0"), "expected --downs 1"),
            (("--policy", "H2", "--index", "rl"), "expected --index shadow"),
        ):
            done = explore(*ring, *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(says, done.stderr, options)
        done = explore(*ring, "--policy", "all", "--resets", "0", "--max-states", "1000")
        self.assertRegex(done.stdout, r"\nH14 .* shows nothing, expected --downs or --resets, 1")
        self.assertRegex(done.stdout, r"\nH1 .* BROKEN in 4 steps")

    def test_a_wrong_ring_that_nothing_shows_is_not_called_right(self) -> None:
        done = explore("--personality", "ntb", "--policy", "H3", "--index", "lr")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("nothing misses the rule within these bounds", done.stdout)
        self.assertNotIn("all rules hold", done.stdout)

    def test_the_same_bounds_give_the_same_states(self) -> None:
        first, second = rows(explore(*SMALL).stdout), rows(explore(*SMALL).stdout)
        self.assertEqual(len(first), 1)
        self.assertEqual(first, second)

    @sampling.in_turn(4)
    def test_larger_bounds_hold_more_states(self) -> None:
        least = {
            "frames": 2,
            "faults": 1,
            "failures": 0,
            "staged": 1,
            "transfers": 1,
            "initiators": 1
        }

        def states(**bounds: Any) -> Any:
            options = [
                word for name, value in {
                    **least,
                    **bounds
                }.items() for word in (f"--{name}", str(value))
            ]
            return rows(explore("--operation", "write", *options).stdout)[0][1]

        smallest = states()
        for name in least:
            self.assertGreater(states(**{name: least[name] + 1}), smallest, name)

    @sampling.in_turn(4)
    def test_all_rules_hold_with_the_policies_of_networks(self) -> None:
        for options in (("--window-rule", "aimd", "--window", "3"),
                        ("--resume-rule", "told", "--slots", "1"), ("--buffer-admission",
                                                                    "per_initiator")):
            done = explore("--operation", "write", "--frames", "3", *options)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(options[1], rows(done.stdout)[0][0])
            self.assertEqual(rows(done.stdout)[0][-1], "all rules hold")

    def explored(self, *options: str) -> Any:
        """What has happened within bounds of three ends, in which all rules hold."""
        done = explore(*THREE_ENDS, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([verdict for *_, verdict in rows(done.stdout)], ["all rules hold"])
        never = re.search(r"never happened within them: (.*)", done.stdout)[1].split(", ")
        return lambda what: what not in never

    @sampling.in_turn(4)
    def test_two_initiators_share_the_buffer_and_its_quota(self) -> None:
        bounds = ("--operation", "write", "--frames", "2", "--faults", "0", "--prompt")
        happened = self.explored(*bounds)
        self.assertTrue(happened("buffer_full"))  # four frames, two slots
        self.assertTrue(happened("bulk_drains"))
        alone = self.explored(*bounds, "--failures", "0")
        self.assertFalse(alone("kept_indirect"))
        enough = ("--slots", "4")
        self.assertFalse(self.explored(*bounds, *enough)("buffer_full"))
        self.assertTrue(
            self.explored(*bounds, *enough, "--buffer-admission", "per_initiator")("buffer_full"))
        self.assertTrue(self.explored(*bounds, "--slots", "1", "--resume-rule", "told")("resumed"))

    @sampling.in_turn(4)
    def test_two_initiators_share_the_table(self) -> None:
        bounds = ("--operation", "write", "--frames", "1", "--faults", "0")
        self.assertFalse(self.explored(*bounds)("table_full"))
        small = (*bounds, "--table", "1", "--failures", "0")
        happened = self.explored(*small)
        self.assertTrue(happened("table_full"))
        self.assertTrue(happened("went_indirect"))  # nobody answered
        happened = self.explored(*small, "--busy-answer")
        self.assertTrue(happened("invalid_request_acks_sent"))
        self.assertFalse(happened("went_indirect"))
        self.assertTrue(
            self.explored("--operation", "read", "--frames", "1", "--faults", "0", "--table",
                          "1")("table_full"))

    def test_a_search_that_was_cut_says_so(self) -> None:
        done = explore(*SMALL, "--max-states", "500")
        self.assertEqual(done.returncode, 3)
        self.assertIn("NOT EXHAUSTIVE", done.stdout)
        self.assertNotIn("all rules hold", done.stdout)

    def test_options_are_checked(self) -> None:
        for options in (("--faults", "9"), ("--operation", "send"), ("--frames", "0"),
                        ("--window", "two"), ("--initiators", "3"), ("--initiators", "2",
                                                                     "--operation", "both-ends")):
            self.assertEqual(explore(*options).returncode, 2, options)


if __name__ == "__main__":
    unittest.main()
