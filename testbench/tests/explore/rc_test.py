# SPDX-License-Identifier: Apache-2.0
"""`rnicsim explore --personality rc`: RoCEv2's rules hold within the bounds, and options are
refused rightly."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "scripts"))
from rnicsim import sampling  # noqa: E402

BINARY = os.environ["RNICSIM_BIN"]
ROW = re.compile(r"(.+?)  +([\d,]+) +([\d,]+) +(\d+) +[\d.]+ s +\d+  (.*)")


def explore(*options: str) -> Any:
    return subprocess.run([BINARY, "explore", *options], capture_output=True, text=True,
                          check=False)


def rows(text: Any) -> Any:
    """Of each set of bounds: its name, states, steps, depth, verdict."""
    found = (ROW.fullmatch(row) for row in text.splitlines())
    return [(m[1], int(m[2].replace(",", "")), int(m[3].replace(",", "")), int(m[4]), m[5])
            for m in found if m]


class ExploreRc(unittest.TestCase):
    def explored(self, *options: str) -> Any:
        """The rows of bounds in which all rules hold, and all that is printed."""
        done = explore("--personality", "rc", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = rows(done.stdout)
        self.assertEqual({verdict for *_, verdict in results}, {"all rules hold"})
        self.assertIn("exhaustive within these bounds", done.stdout)
        return results, done.stdout

    def test_all_rules_hold_within_the_standard_bounds(self) -> None:
        if not sampling.wants_all():
            self.skipTest("left to --all: the standard set of RoCEv2 takes minutes")
        results, text = self.explored()
        print(text, file=sys.stderr)
        for kind in ("RC ", "UC ", "UD ", "; b: ", "; c to the same queue: ", ", ERR",
                     ", deregister", ", receives 0"):
            self.assertTrue(any(kind in name for name, *_ in results), kind)
        self.assertNotIn("never possible", text)
        durable = [states for name, states, *_ in results if "PACK" in name or "flush" in name]
        self.assertEqual((len(durable), sum(durable)), (142, 2_368_630))
        self.assertEqual(sum(states for _, states, *_ in results) - sum(durable), 18_551_027)

    def test_without_ops_all_ordered_pairs_are_explored(self) -> None:
        results, text = self.explored("--faults", "0")
        self.assertEqual(len({name for name, *_ in results}), 25)
        self.assertNotIn("request lost", text.split("never possible")[0])

    def test_the_same_bounds_give_the_same_states_and_larger_ones_more(self) -> None:
        def states(*options: str) -> Any:
            results, _ = self.explored("--ops", "write,read", *options)
            self.assertEqual(len(results), 1)
            return results[0][1:4]

        first = states()
        self.assertEqual(first, states())
        for larger in (("--faults", "2"), ("--packets", "3")):
            self.assertGreater(states(*larger)[0], first[0], larger)
        self.assertLess(states("--window", "1")[0], first[0])

    def test_two_that_ask(self) -> None:
        for requesters, name in (("both-ends", "; b: "), ("shared", "; c to the same queue: ")):
            results, _ = self.explored("--requesters", requesters, "--faults", "0")
            self.assertEqual(len({name for name, *_ in results}), 15)
            self.assertTrue(all(name in row for row, *_ in results))
            results, _ = self.explored("--requesters", requesters, "--faults", "0", "--ops",
                                       "write,write", "--others", "read")
            self.assertIn(f"RC write, write{name}read,", results[0][0])

    def test_err_and_deregistrations_are_moves(self) -> None:
        for option, step in (("--to-error", "modify to ERR"), ("--deregister", "deregister")):
            plain, without = self.explored("--ops", "write,read")
            results, text = self.explored("--ops", "write,read", option)
            self.assertGreater(results[0][1], plain[0][1])
            self.assertIn(step, without.split("never possible")[1])
            self.assertNotIn(step, text.split("never possible")[1])

    def test_fewer_receives_than_messages(self) -> None:
        self.explored("--ops", "send", "--receives", "0", "--rnr", "1")
        # With endless tries it waits for ever, and the search has to say so.
        done = explore("--personality", "rc", "--ops", "send", "--receives", "0")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("BROKEN: V-I11: from here there is no way to the end", done.stdout)

    def test_list_prints_the_bounds_and_explores_nothing(self) -> None:
        done = explore("--personality", "rc", "--list", "--requesters", "shared", "--ops", "send")
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [
            "RC send; c to the same queue: send, 2 packets, go_back_n, window 3, rd_atomic 1, F 1"
        ]))
        for personality in ("rc", "drp"):
            names = explore("--personality", personality, "--list").stdout.splitlines()
            self.assertGreater(len(names), 30)
            self.assertEqual(len(set(names)), len(names), personality)

    def test_services_without_answers(self) -> None:
        for service, sets in (("uc", 12), ("ud", 1)):
            results, text = self.explored("--service", service)
            self.assertEqual(len(results), sets)
            self.assertIn("answer", text.split("never possible")[1])

    def test_a_broken_rule_is_shown_with_the_way_there(self) -> None:
        # retry_cnt 0: the first loss is one too many, and the search has to say so.
        done = explore("--personality", "rc", "--ops", "write", "--retry", "0")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("BROKEN: V-I10", done.stdout)
        way = done.stdout.split("The way there, ")[1].splitlines()
        steps = [line for line in way[1:] if line.startswith("  ") and "! " not in line]
        self.assertEqual(len(steps), int(way[0].split()[0]))
        self.assertIn("  a: a WQE is posted", steps)
        self.assertRegex(done.stdout, r"  a>b WRITE_\S+ psn \d+ .*|a: the timer expires")

    def test_what_is_to_be_durable(self) -> None:
        # Each field that a state lacks, and each that it has too much, changes a number. Of other
        # messages it has nothing of all this.
        for options, figures in ((("write_persist", "--acks", "1"),
                                  (227, 389, 18)), (("write_persist", ), (407, 771, 22)),
                                 (("write_persist,write_persist", ), (14_665, 38_114, 42)),
                                 (("flush", ), (41, 60, 9)), (("write,flush", ), (1_610, 3_674,
                                                                                  31)),
                                 (("write,flush,atomic_write", "--rd-atomic", "2"),
                                  (3_978, 10_571, 36)), (("write,read", ), (1_857, 4_054, 33)),
                                 (("send,fetch_add", ), (15_913, 51_187, 35)),
                                 (("fetch_add,fetch_add", "--retransmission", "selective_repeat",
                                   "--rd-atomic", "2", "--apart"), (460, 929, 19))):
            results, text = self.explored("--ops", *options)
            self.assertEqual(results[0][1:4], figures, options)
            durable = "persist" in options[0] or "flush" in options[0]
            self.assertEqual("flush read done" in text.split("never possible")[0], durable, options)
            self.assertTrue(results[0][0].startswith(f"RC {options[0].replace(',', ', ')}, "),
                            options)
        results, _ = self.explored("--ops", "write_persist", "--acks", "1", "--mark", "range",
                                   "--repeat", "longer")
        self.assertTrue(results[0][0].endswith(", PACK by opcode, 1 ACK, mark range, late repeat"))

    def test_a_second_ack_as_pack_is_shown_with_a_way_to_each_rule_that_it_breaks(self) -> None:
        done = explore("--personality", "rc", "--ops", "write_persist", "--packets", "1", "--pack",
                       "psn_only")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        repeated, never = rows(done.stdout)
        self.assertEqual(repeated[1:],
                         (116, 213, 13, "BROKEN: V-I13: told persistent, and it is not"))
        self.assertEqual(never[1:],
                         (99, 181, 13, "BROKEN: V-I13: told persistent, and it is not, and 1 more"))
        ways = [way.splitlines() for way in done.stdout.split("The way there, ")[1:]]
        self.assertEqual([way[0] for way in ways], ["8 steps:", "8 steps:", "6 steps:"])
        for false in ways[:2]:
            self.assertEqual(false[9], "    ! V-I13: told persistent, and it is not")
        self.assertRegex(ways[2][6], r"  b>a ACK psn \d+ .* is lost")
        self.assertTrue(all(line.startswith("  then ") for line in ways[2][7:10]), ways[2])
        self.assertEqual(ways[2][10], "    ! nothing more happens")
        self.assertIn("exhaustive within these bounds", done.stdout)

    def test_each_rule_goes_on_to_the_next_set(self) -> None:
        options = ("--personality", "rc", "--retry", "0", "--window", "1")
        first, each = explore(*options), explore(*options, "--each-rule")
        self.assertEqual((first.returncode, each.returncode), (1, 1))
        self.assertEqual(len(rows(first.stdout)), 1)
        self.assertEqual(len(rows(each.stdout)), 25)

    def test_a_search_that_was_cut_says_so(self) -> None:
        done = explore("--personality", "rc", "--ops", "write", "--max-states", "50")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("NOT EXHAUSTIVE", done.stdout)
        self.assertNotIn("all rules hold", done.stdout)

    def test_options_of_the_other_personality_are_refused(self) -> None:
        for options, said in ((("--personality", "rc", "--frames", "3"),
                               "--frames: belongs to --personality drp"),
                              (("--personality", "rc", "--prompt"),
                               "--prompt: belongs to --personality drp"),
                              (("--personality", "rc", "--tape", "x"),
                               "--tape: belongs to --personality drp"),
                              (("--ops", "write"), "--ops: belongs to --personality rc"),
                              (("--service", "uc"), "--service: belongs to --personality rc"),
                              (("--retransmission", "go_back_0"),
                               "go_back_0 belongs to --personality rc")):
            done = explore(*options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(said, done.stderr)

    def test_options_are_checked(self) -> None:
        for options in (("--ops", "write,compare_swap"), ("--ops", "write", "--pack", "psn_only"),
                        ("--ops", "flush", "--acks", "1"), ("--ops", "write", "--coalesce"),
                        ("--flush-reads", "2"), ("--ops", "write_persist", "--acks",
                                                 "3"), ("--service", "uc", "--only-timers"),
                        ("--service", "uc", "--ops",
                         "write_persist"), ("--faults", "9"), ("--service", "ud", "--ops", "write"),
                        ("--service", "xrc"), ("--others", "write"), ("--ops", "write", "--others",
                                                                      "write"),
                        ("--requesters", "shared", "--others",
                         "write"), ("--requesters", "two"), ("--service", "uc", "--to-error"),
                        ("--service", "uc", "--requesters",
                         "shared"), ("--service", "uc", "--ops",
                                     "read"), ("--service", "uc", "--window",
                                               "2"), ("--service", "uc", "--rnr",
                                                      "1"), ("--service", "ud", "--ops", "send",
                                                             "--packets", "2"), ("--service", "uc",
                                                                                 "--packets", "2")):
            self.assertEqual(explore("--personality", "rc", *options).returncode, 2, options)


if __name__ == "__main__":
    unittest.main()
