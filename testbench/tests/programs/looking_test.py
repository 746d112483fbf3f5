#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults on programs of Debian, by tape, and what can be seen of them: tapes name their QPs."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
TAPE = "rnicsim fault tape 2\n"


def rnicsim(*words: Any) -> Any:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300,
                          check=False)


class Looking(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def pair(self, command: Any, *options: str) -> Any:
        """Client on a, server on b."""
        if shutil.which(command.split()[0]) is None:
            self.skipTest(
                f"{command.split()[0]} is not installed (Debian: ibverbs-utils, perftest)")
        words = [*command.split(), "-p", free_port()]
        return rnicsim("exec", SCENARIO, *options, "--on", "b", "--", *words, "--on", "a", "--",
                       *words, "127.0.0.1")

    def played(self, command: str, lines: str) -> tuple[subprocess.CompletedProcess[str], str]:
        """The run, and the tape of what went wrong in it."""
        (self.folder / "played.tape").write_text(TAPE + lines)
        done = self.pair(command, "--tape", str(self.folder / "played.tape"), "--record-tape",
                         str(self.folder / "recorded.tape"))
        return done, (self.folder / "recorded.tape").read_text()


class Tapes(Looking):
    def test_a_tape_names_the_qps_of_programs(self) -> None:
        """The third answer is lost and no other frame; what the recorder writes is what was
        played."""
        line = "b>a a.q0 RESPONSE +2 #1 lost\n"
        done, recorded = self.played("ib_read_lat -F -n 20", line)
        self.assertEqual((done.returncode, recorded), (0, TAPE + line), done.stderr)
        self.assertNotIn("did not come up", done.stderr)

    def test_qps_are_numbered_in_the_order_of_their_creation(self) -> None:
        lines = "".join(f"a>b a.q{qp} WRITE +{70 + qp} #1 lost\n" for qp in range(3))
        done, recorded = self.played("ib_write_bw -F -n 100 -q 3", lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(recorded.splitlines()[1:]), lines.splitlines())

    def test_a_fault_that_never_comes_up_is_told(self) -> None:
        done, recorded = self.played("ib_read_lat -F -n 20",
                                     "b>a a.q7 RESPONSE +2 #1 lost\na>b a.q0 READ +2 #1 lost\n")
        self.assertIn("1 fault of the tape did not come up", done.stderr)
        self.assertEqual(recorded, TAPE + "a>b a.q0 READ +2 #1 lost\n")

    def test_a_recorded_tape_repeats_the_losses(self) -> None:
        first = self.pair("ib_write_bw -F -n 200", "--set", "system.link.loss=1 %", "--record-tape",
                          str(self.folder / "first.tape"))
        lines = (self.folder / "first.tape").read_text()
        self.assertGreater(lines.count("lost"), 50, first.stderr)
        again, recorded = self.played("ib_write_bw -F -n 200", lines.removeprefix(TAPE))
        self.assertEqual((again.returncode, recorded), (0, lines), again.stderr)

    def test_a_link_is_down_for_a_while(self) -> None:
        """1.999 s without any frame: longer than eight ACK timers of 67 ms, shorter than those of
        1.07 s."""
        for timeout, code, said in (("14", 1, "Failed status 12"), ("18", 0, "65536")):
            with self.subTest(timeout):
                done, recorded = self.played(f"ib_write_bw -F -n 1000 -u {timeout}",
                                             "link a-b DOWN 1 ms..2000 ms\n")
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertRegex(done.stdout + done.stderr, rf"(?m)^\s*{said}")
                self.assertTrue(
                    re.fullmatch(TAPE + r"link a-b DOWN \d+ cycles\.\.\d+ cycles\n", recorded),
                    recorded)


class Explained(Looking):
    """What the recording of a run, its events and its time line show of calls."""

    def recorded(self, command: str, lines: str = "", *options: str) -> Any:
        (self.folder / "played.tape").write_text(TAPE + lines)
        self.run_file = str(self.folder / "x.run")
        done = self.pair(command, "--tape", str(self.folder / "played.tape"), "--record",
                         self.run_file, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def explained(self, *options: str, code: int = 0) -> Any:
        done = rnicsim("explain", SCENARIO, "--recorded", self.run_file, *options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_other_settings_are_told(self) -> None:
        setting = ("--set", "system.host.verbs.post=300 ns")
        self.recorded("ib_read_lat -F -n 5", "", *setting)
        for options, told in (((), True), (setting, False)):
            done = rnicsim("explain", SCENARIO, "--recorded", self.run_file, "--program", "a:0",
                           *options)
            self.assertIn("READ of 2 B", done.stdout)
            self.assertEqual("was recorded with other settings" in done.stderr, told, done.stderr)

    def test_calls_stand_between_the_packets_that_they_cause(self) -> None:
        self.recorded("ib_read_lat -F -n 5", "b>a a.q0 RESPONSE +2 #1 lost\n")
        shown = self.explained("--program", "a:0")
        steps = [
            "post_send a.q0 #2", "READ of 2 B", "-- READ +2 --", "= RESPONSE +2 ==",
            "ACK timer expires", "READ +2 again", "has it already", "RESPONSE +2 again",
            "poll_cq: a.q0 #2", "post_send a.q0 #3"
        ]
        self.assertRegex(shown, "(?s)" + ".*".join(map(re.escape, steps)))
        # lost, and no other
        self.assertEqual(re.findall(r"x=+ (RESPONSE \+\d)", shown), ["RESPONSE +2"])
        self.assertIn("a.q0: timeouts 1, retransmissions 1\n", shown)
        self.assertIn("peer of a.q0: duplicates 1\n", shown)
        self.assertEqual(
            (shown.count("post_send"), shown.count("READ of 2 B"), shown.count("poll_cq: a.q0")),
            (5, 5, 5))
        times = [
            float(line.split()[0]) for line in shown.splitlines()
            if re.match(r"\s*\d+\.\d{3}  ", line)
        ]
        self.assertEqual(times, sorted(times))
        # The server calls nothing meanwhile, but its QP answers.
        served = self.explained("--program", "b:0")
        self.assertNotIn("post_send", served)
        self.assertIn("modify_qp b.q0 to RTR", served)
        answers = re.findall(r"RESPONSE (.*?) =+(>|x)", served)
        self.assertEqual(answers, [("+0..1 (2 frames)", ">"), ("+2", "x"), ("+2 again", ">"),
                                   ("+3..4 (2 frames)", ">")])

    def test_a_message_of_a_program_is_explained_as_one_of_a_scenario(self) -> None:
        said = self.recorded("ib_read_lat -F -n 5 -s 4096", "b>a a.q0 RESPONSE +5 #1 lost\n")
        whole, stalled = (self.explained("--transfer", f"a.q0.{message}") for message in (0, 1))
        self.assertRegex(whole,
                         r"^message a\.q0\.0, READ of 4096 B: completed after \d\.\d{3} µs\n")
        self.assertIn("RESPONSE +0..3 (4 frames)", whole)
        self.assertRegex(
            stalled,
            r"(?s)READ \+4 .*RESPONSE \+4 .*x=+ RESPONSE \+5 .*an answer is missing: asks "
            r"again.*takes the completion"
        )
        took = [float(re.search(r"completed after ([\d.]+)", text)[1]) for text in (whole, stalled)]
        self.assertGreater(took[1], took[0] + 2)
        # What perftest prints is from call to completion, and the two looks at the clock.
        typical = float(said.splitlines()[-2].split()[4])
        self.assertAlmostEqual(typical, took[0], delta=0.13)

    def test_receives_and_several_qps(self) -> None:
        self.recorded("ib_send_bw -F -n 20 -q 2")
        received = self.explained("--program", "b:0")
        for qp in range(2):
            self.assertRegex(received, rf"poll_cq: .*from a\.q{qp} #\d")
            self.assertRegex(received, rf"= q{qp} SEND \+|q{qp} SEND \+\d")
            self.assertIn(f"post_recv b.q{qp} #", received)

    def test_datagrams_are_numbered_by_the_qp_that_sends_them(self) -> None:
        self.recorded("ib_send_lat -F -n 5 -c UD")
        for program in ("a:0", "b:0"):
            packets = re.findall(r"\|(?:==|<=+) (SEND \+\d+)",
                                 self.explained("--program", program, "--every-frame"))
            self.assertEqual(packets, [f"SEND +{number}" for number in range(5) for _ in range(2)])

    def test_the_status_of_what_fails_stands_at_its_poll(self) -> None:
        (self.folder / "played.tape").write_text(TAPE + "link a-b DOWN 1 ms..3000 ms\n")
        self.run_file = str(self.folder / "x.run")
        done = self.pair("ib_write_bw -F -n 100", "--tape", str(self.folder / "played.tape"),
                         "--record", self.run_file)
        self.assertNotEqual(done.returncode, 0)
        shown = self.explained("--program", "a:0")
        self.assertRegex(shown, r"(?s)ACK timer expires.*poll_cq: RETRY_EXC_ERR a\.q0 #0")
        self.assertRegex(shown, r"a\.q0: .*timeouts 8")

    def test_events_and_the_time_line_have_the_calls(self) -> None:
        self.recorded("ib_read_lat -F -n 5", "", "--events", str(self.folder / "x.csv"), "--trace",
                      str(self.folder / "x.json"))
        rows = [
            row for row in csv.DictReader((self.folder / "x.csv").read_text().splitlines())
            if row["unit"] == "call" and row["end"] == "a"
        ]
        posts = [row for row in rows if row["event"] == "post_send"]
        self.assertEqual(len(posts), 5)
        entries = json.loads((self.folder / "x.json").read_text())["traceEvents"]
        names = {(e["pid"], e["tid"]): e["args"]["name"]
                 for e in entries if e["name"] == "thread_name"}
        order = {(e["pid"], e["tid"]): e["args"]["sort_index"]
                 for e in entries if e["name"] == "thread_sort_index"}
        [calls] = [track for track, name in names.items() if name == "a:0 ib_read_lat, thread 0"]
        self.assertTrue(
            all(order[calls] < order[track] for track in order
                if track[0] == calls[0] and track != calls))
        drawn = [e for e in entries if e["ph"] == "X" and (e["pid"], e["tid"]) == calls]
        self.assertEqual(len(drawn), len(rows))
        first = [e for e in drawn if e["name"].startswith("post_send")][0]
        self.assertEqual(first["name"], "post_send a.q0 #0")
        self.assertAlmostEqual(first["ts"] + first["dur"],
                               int(posts[0]["time_ps"]) / 1e6, delta=1e-6)
        ends = [e["ts"] + e["dur"] for e in drawn]
        self.assertTrue(all(later["ts"] >= end - 0.001 for later, end in zip(drawn[1:], ends)),
                        "a thread does one thing at a time")

    def test_to_look_changes_nothing(self) -> None:
        ends = []
        for options in ((), ("--record", str(self.folder / "y.run"))):
            done = self.pair("ib_send_bw -F -n 50", *options)
            ends.append(re.findall(r"ends after ([\d.]+ us and \d+ requests)", done.stderr))
        self.assertEqual(len(ends[0]), 1)
        self.assertEqual(ends[0], ends[1])

    def test_what_is_wrong_is_said(self) -> None:
        self.recorded("ib_read_lat -F -n 5")
        for options, expected in ((("--program", "c:0"),
                                   "expected one of a:0 (ib_read_lat), b:0 (ib_read_lat)"),
                                  (("--program", "ib_read_lat"), "expected one of"),
                                  (("--transfer", "a.q0.5"), "expected one of a.q0.0 .. 4"),
                                  (("--transfer", "7"), "such as a.q0.7"),
                                  ((), "expected --program NAME or --transfer NAME"),
                                  (("--program", "a:0", "--transfer", "a.q0.1"),
                                   "expected --program NAME or --transfer NAME")):
            with self.subTest(options):
                self.assertIn(expected, self.explained(*options, code=2))
        whole = pathlib.Path(self.run_file).read_bytes()
        head = len(b"\n".join(whole.split(b"\n", 3)[:3])) + 1  # three lines
        for bad, expected in ((b"", "is no recording"), (whole[:-5], "has no end"),
                              (whole[:head] + whole[head + 8:],
                               "is damaged"), (whole.replace(b"recording 5,", b"recording 4,",
                                                             1), "another version"),
                              (whole.replace(b"switches: a b", b"switches: a c",
                                             1), "the scenario that it was recorded with"),
                              (whole[:head] + b"\xff" * (len(whole) - head - 16) + whole[-16:],
                               "is damaged")):
            with self.subTest(expected):
                pathlib.Path(self.run_file).write_bytes(bad)
                self.assertIn(expected, self.explained("--program", "a:0", code=2))
        done = rnicsim("explain", SCENARIO, "--program", "a:0")
        self.assertEqual((done.returncode, "expected --recorded FILE.run" in done.stderr),
                         (2, True))


if __name__ == "__main__":
    unittest.main()
