"""`rnicsim explore`: the rules hold within the standard bounds, and a broken rule is found."""

import os
import re
import subprocess
import sys
import unittest

BINARY = os.environ["RNICSIM_BIN"]
SMALL = ("--operation", "write", "--frames", "2", "--faults", "1")


def explore(*options):
    return subprocess.run([BINARY, "explore", *options], capture_output=True, text=True, check=False)


def rows(text):
    """Of each set of bounds: its name, states, steps, verdict."""
    line = re.compile(r"(.+?)  +([\d,]+) +([\d,]+) +\d+ +[\d.]+ s +\d+  (.*)")
    found = (line.fullmatch(row) for row in text.splitlines())
    return [(m[1], int(m[2].replace(",", "")), int(m[3].replace(",", "")), m[4]) for m in found if m]


class Explore(unittest.TestCase):
    def test_all_rules_hold_within_the_standard_bounds(self):
        done = explore()
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = rows(done.stdout)
        self.assertEqual({verdict for _, _, _, verdict in results}, {"all rules hold"})
        for operation in ("write", "read", "both ends"):
            for method in ("traditional", "dynamic"):
                self.assertTrue(any(name.startswith(f"{operation}, {method}, ") for name, *_ in results), (operation, method))
        self.assertIn("exhaustive within these bounds", done.stdout)
        # The events that these bounds are made for have happened.
        never = re.search(r"never happened within them: (.*)", done.stdout)[1].split(", ")
        for what in ("resumed", "bulk_drains", "buffer_full", "idle_timeouts", "fast_retransmissions", "stale", "failed"):
            self.assertNotIn(what, never)

    def test_the_same_bounds_give_the_same_states(self):
        first, second = rows(explore(*SMALL).stdout), rows(explore(*SMALL).stdout)
        self.assertEqual(len(first), 1)
        self.assertEqual(first, second)

    def test_larger_bounds_hold_more_states(self):
        least = {"frames": 2, "faults": 1, "failures": 0, "staged": 1, "transfers": 1}

        def states(**bounds):
            options = [word for name, value in {**least, **bounds}.items() for word in (f"--{name}", str(value))]
            return rows(explore("--operation", "write", *options).stdout)[0][1]

        smallest = states()
        for name in least:
            self.assertGreater(states(**{name: least[name] + 1}), smallest, name)

    def test_all_rules_hold_with_the_policies_of_networks(self):
        for options in (("--window-rule", "aimd", "--window", "3"), ("--resume-rule", "told", "--slots", "1"),
                        ("--buffer-admission", "per_initiator")):
            done = explore("--operation", "write", "--frames", "3", *options)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(options[1], rows(done.stdout)[0][0])
            self.assertEqual(rows(done.stdout)[0][-1], "all rules hold")

    def test_a_search_that_was_cut_says_so(self):
        done = explore(*SMALL, "--max-states", "500")
        self.assertEqual(done.returncode, 3)
        self.assertIn("NOT EXHAUSTIVE", done.stdout)
        self.assertNotIn("all rules hold", done.stdout)

    def test_options_are_checked(self):
        for options in (("--faults", "9"), ("--operation", "send"), ("--frames", "0"), ("--window", "two")):
            self.assertEqual(explore(*options).returncode, 2, options)


if __name__ == "__main__":
    unittest.main()
