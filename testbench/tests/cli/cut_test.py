#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim cut` and `rnicsim crash` from outside: all instants of a run, single ones for which a
process really stops, what their lists say, exit codes, refusals.

The oracle proper stops one process at many instants (tests/cuts/test_oracle.cpp). Environment:
RNICSIM_BIN, RNICSIM_SOURCE_DIR, RNICSIM_ALL.
"""

from __future__ import annotations
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any


BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import sampling  # noqa: E402
BAD = SOURCE / "scenarios" / "persistence" / "bad"
CHANCES = SOURCE / "scenarios" / "persistence" / "chances.yaml"
INSTANTS = 100 if sampling.wants_all() else 8
HELD = "p002_none_r0"  # of CHANCES: fig2, and an IIO that holds data until they are pushed
INSTANT = r"\d+\.\d{3}(?:\d{3})? us"
LOST = r"^lost: ([\d,]+) B in the iio, ([\d,]+) B in the llc, ([\d,]+) B in the imc$"
LISTS = {
    "false": "told persisted and not safe",
    "vulnerable": "told written and not safe",
    "torn": "torn",
    "inverted": "safe before one that was posted earlier"
}


def in_ps(instant: Any) -> Any:
    number, unit = instant.split()
    return round(float(number) * 10 ** {"ps": 0, "ns": 3, "us": 6, "ms": 9, "s": 12}[unit])


class Cuts(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_it(self, *arguments: Any, code: int = 0, **environment: Any) -> Any:
        done = subprocess.run([BIN, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False, env={
                                  **os.environ,
                                  **environment
                              })
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def refused(self, expected: Any, *arguments: str | Path) -> None:
        done = self.run_it(*arguments, code=2)
        self.assertIn(expected, done.stderr)
        self.assertEqual(list(self.folder.glob("*.csv")), [])

    def rows(self, file: str | Path) -> Any:
        with open(self.folder / file, encoding="utf-8", newline="") as text:
            return [{key: int(value) for key, value in row.items()} for row in csv.DictReader(text)]


class OfAllInstants(Cuts):
    def test_what_a_wrong_set_up_loses(self) -> None:
        said = self.run_it("cut", BAD / "n1.yaml", code=1).stdout
        self.assertRegex(
            said, r"^n1, run p000_none_r0: the power of b cut at any instant from " + INSTANT +
            " to " + INSTANT + r"\n")
        share = float(re.search(r"^  false +([\d.]+) % +\d+ +200$", said, re.M).group(1))
        self.assertGreater(share, 50)
        self.assertRegex(
            said,
            r"\nfalse persistence: a is told that item 0 of its q0 is durable at b, and at [\d.]+ "
            r"us line 0x[0-9a-f]+ of it is in the llc\n$"
        )

    def test_its_mended_twin_loses_nothing(self) -> None:
        said = self.run_it("cut", BAD / "n1_fixed.yaml").stdout
        self.assertRegex(said, r"\n  false +0\.00 % +0 +0\n")
        self.assertNotIn("false persistence:", said)

    def test_shares_are_those_of_the_rows(self) -> Any:
        said = self.run_it("cut", CHANCES, "--run", HELD, "--csv", "x.csv").stdout
        rows = self.rows("x.csv")
        self.assertEqual(list(rows[0]), [
            "time_ps", "iio_bytes", "llc_bytes", "imc_bytes", "vulnerable", "unproven", "torn",
            "false", "inverted"
        ])
        self.assertEqual(rows, sorted(rows, key=lambda row: int(row["time_ps"])))
        told = sum(b["time_ps"] - a["time_ps"] for a, b in zip(rows, rows[1:]) if a["vulnerable"])
        share = float(re.search(r"^  vulnerable +([\d.]+) %", said, re.M).group(1))
        self.assertAlmostEqual(share, 100 * told / (rows[-1]["time_ps"] - rows[0]["time_ps"]),
                               delta=0.1)
        self.assertIn("scheme: fig2, hold: until_pushed, run p002_none_r0", said)

    def test_settings_may_be_changed(self) -> None:
        said = self.run_it("cut", BAD / "n1.yaml", "--set", "system.host.persistence.domain=wsp",
                           "--set", "run.transfers=3").stdout
        self.assertRegex(said, r"\n  false +0\.00 % +0 +0\n")


class OfOneInstant(Cuts):
    """A process for each that really stops, beside the rows of one that does not."""
    def found(self, at: Any, code: int, *scenario: Any) -> Any:
        said = self.run_it("cut", *scenario, "--at", f"{at} ps", code=code).stdout
        counts = dict(zip(("iio_bytes", "llc_bytes", "imc_bytes"),
                          (int(n.replace(",", "")) for n in re.search(LOST, said, re.M).groups())))
        for name, title in LISTS.items():
            counts[name] = int(re.search(rf"^{title}: (\d+) items?$", said, re.M).group(1))
        return counts, said

    def test_a_stop_finds_what_the_run_folded_says(self) -> None:
        draw = random.Random(1)
        scenario: Any
        for scenario in ((BAD / "n1.yaml", "--set", "run.transfers=20"), (BAD / "n8.yaml", "--set",
                                                                          "run.transfers=20"),
                         (CHANCES, "--run", HELD, "--set", "run.transfers=20")):
            self.run_it("cut", *scenario, "--csv", "x.csv", code=1 if scenario[0] != CHANCES else 0)
            rows = self.rows("x.csv")
            instants = [
                row["time_ps"] + draw.choice((0, 1, -1))
                for row in draw.sample(rows, INSTANTS // 2)
            ]
            instants += [
                draw.randrange(rows[0]["time_ps"], rows[-1]["time_ps"] + 1000000)
                for _ in range(INSTANTS - len(instants))
            ]
            for at in instants:
                expected = next((row for row in reversed(rows) if row["time_ps"] < at),
                                dict.fromkeys(rows[0], 0))
                with self.subTest(scenario=scenario[0].stem, at=at):
                    found, _ = self.found(at, 1 if expected["false"] else 0, *scenario)
                    self.assertEqual(found, {key: expected[key] for key in found})

    def test_it_says_which_items_and_where_they_are(self) -> None:
        rows = self.csv_of(BAD / "n1.yaml")
        at = next(row["time_ps"] for row in rows if row["false"] == 3) + 1
        found, said = self.found(at, 1, BAD / "n1.yaml")
        self.assertEqual(found["false"], 3)
        self.assertRegex(
            said, r"\ntold persisted and not safe: 3 items\n"
            r"  a\.q0\.0: 0 of 64 bytes are there, line 0x[0-9a-f]+ is in the llc; "
            r"told written at " + INSTANT + "; told persisted at " + INSTANT + r"\n"
            r"  a\.q0\.1: ")
        self.assertRegex(
            said, r"\n[34] items posted, 3 told persisted, 0 of which all bytes are there\n")

    def csv_of(self, scenario: Path) -> Any:
        self.run_it("cut", scenario, "--csv", "x.csv", code=1)
        return self.rows("x.csv")

    def test_before_anything_nothing_is_lost_and_behind_the_end_all_is_told(self) -> None:
        found, said = self.found(1, 0, BAD / "n1.yaml")
        self.assertEqual(sum(found.values()), 0)
        self.assertIn("\n0 items posted, 0 told persisted, 0 of which all bytes are there\n", said)
        found, said = self.found(10**12, 1, BAD / "n1.yaml")
        # all in one slot: the last has overwritten the others
        self.assertEqual((found["false"], found["llc_bytes"]), (200, 64))
        self.assertRegex(said, r"\n  and 188 more\n")

    def test_a_run_that_hangs_has_answers_until_then(self) -> None:
        for more in ((), ("--csv", "x.csv"), ("--at", "5 s")):
            done = self.run_it("cut", BAD / "n4a.yaml", *more, code=1)
            self.assertEqual(done.stdout, "")
            self.assertIn("watchdog: ", done.stderr)
        last = self.rows("x.csv")[-1]
        self.assertEqual(sum(last.values()) - last["time_ps"], 0)
        _, said = self.found(10**12, 0, BAD / "n4a.yaml")
        self.assertRegex(
            said, r"\n164 items posted, 163 told persisted, 164 of which all bytes are there\n")


class OfCrashes(Cuts):
    NAMES = ("posted, not told durable", "  durable when all rests", "  not", "torn when all rests",
             "told durable, and not")
    FIFTY = ["crash", CHANCES, "--set", "run.transfers=50", "--what", "system"]

    def counts(self, said: Any) -> Any:
        return [
            int(re.search(rf"^  {name} +([\d,]+)$", said, re.M).group(1).replace(",", ""))
            for name in self.NAMES
        ]

    def shares(self, said: Any) -> Any:
        """Of time in percent, on average, at most; by row."""
        found = [
            re.search(rf"^  {name} +([\d.]+) % +([\d.]+) +([\d,]+)$", said, re.M).groups()
            for name in self.NAMES
        ]
        return [(float(share), float(mean), int(most.replace(",", "")))
                for share, mean, most in found]

    def test_crashes_at_all_instants_and_at_random_ones(self) -> None:
        for run in (HELD, "p000_none_r0"):
            said = self.run_it(*self.FIFTY, "--run", run, "--csv", "x.csv").stdout
            self.assertRegex(
                said,
                rf"^chances, run {run}: system of a crashes at any instant from {INSTANT} to "
                rf"{INSTANT}, in \d+ pieces\n"
            )
            posted, durable, lost, torn, wrong = self.shares(said)
            self.assertEqual(posted, (100, 1, 1))  # one at a time
            self.assertAlmostEqual(durable[1] + lost[1], 1, delta=0.0011)
            self.assertEqual((torn, wrong), ((0, 0, 0), (0, 0, 0)))
            drawn = self.shares(self.run_it(*self.FIFTY, "--run", run, "--samples", "200").stdout)
            self.assertAlmostEqual(drawn[1][0], durable[0], delta=5)
            self.check_rows(said, run, durable)
        self.assertGreater(lost[1], 0)

    def check_rows(self, said: Any, run: Any, durable: Any) -> None:
        """Of the list: a row a change, whose shares are those that are printed, and what a single
        crash there leaves."""
        rows = self.rows("x.csv")
        end = in_ps(re.search(rf" to ({INSTANT}), in ", said).group(1))
        times = [row["time_ps"] for row in rows] + [end]
        untold = sum((after - at) * (row["durable"] - row["told"])
                     for row, at, after in zip(rows, times, times[1:]))
        self.assertAlmostEqual(100 * untold / (times[-1] - times[0]), durable[0], delta=0.006)
        for before, row in zip(rows, rows[1:]):
            self.assertNotEqual({**before, "time_ps": 0}, {**row, "time_ps": 0})
        for row, after in list(zip(rows, times[1:]))[7:11]:
            for at in (row["time_ps"] + 1, after):
                alone = self.run_it(*self.FIFTY, "--run", run, "--at", f"{at} ps").stdout
                self.assertEqual(
                    self.counts(alone)[:2],
                    [row["posted"] - row["told"], row["durable"] - row["told"]])

    def test_what_is_not_held_passes_on_by_itself(self) -> None:
        held, eager = (self.shares(self.run_it(*self.FIFTY, "--run", run).stdout)
                       for run in (HELD, "p000_none_r0"))
        self.assertGreater(eager[1][0], held[1][0] + 10)

    def test_the_same_seed_gives_the_same_answer_and_losses_are_made_good_by_the_card(self) -> None:
        lossy = [
            "crash", CHANCES, "--run", "p000_none_r0", "--samples", "20", "--set",
            "run.transfers=20", "--set", "system.link.loss=5 %"
        ]
        first, again = (self.run_it(*lossy).stdout for _ in range(2))
        self.assertEqual(first, again)
        self.assertRegex(
            first, r"^chances, run p000_none_r0: host of a crashes at 20 random instants from " +
            INSTANT + " to " + INSTANT + r"\n")

    def test_where_the_last_item_fails_it_crashes_until_the_host_does_nothing_any_more(
            self) -> None:
        said = self.run_it("crash", CHANCES, "--run", "p000_none_r0", "--set", "run.transfers=2",
                           "--set", "system.link.loss=90 %", "--set", "system.rnic.rc.retry_cnt=1",
                           "--what", "system", "--csv", "x.csv").stdout
        self.assertEqual(self.shares(said)[0][2], 1)
        self.assertGreaterEqual(len(self.rows("x.csv")), 1)

    def test_only_items_of_the_host_that_crashes_count(self) -> None:
        scenario = self.folder / "two.yaml"
        scenario.write_text("""
system:
  host: {persistence: {ddio: false}}
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}, c: {}}
  switches: {s: {}}
  links: [{between: [a, s]}, {between: [b, s]}, {between: [c, s]}]
run:
  traffic:
    - {from: a, to: c, scheme: fig10, size: 64 B, depth: 1, transfers: 3}
    - {from: b, to: c, scheme: ack, size: 64 B, depth: 1, transfers: 20, unsafe: true}
""", encoding="utf-8")
        last = {}
        for host, items in (("a", 3), ("b", 20)):
            self.run_it("crash", scenario, "--host", host, "--csv", "x.csv")
            rows = self.rows("x.csv")
            self.assertEqual((rows[0]["posted"], rows[0]["told"]), (1, 0))
            self.assertEqual((rows[-1]["posted"], rows[-1]["told"]), (items, items))
            last[host] = rows[-1]["time_ps"]
        self.assertGreater(last["b"], last["a"])

    def test_one_instant(self) -> None:
        said = self.run_it("crash", BAD / "n1_fixed.yaml", "--at", "1 ms", "--what", "system",
                           "--set", "run.transfers=5").stdout
        self.assertIn("n1_fixed, run p000_none_r0: system of a crashes at 1000.000 us\n", said)
        self.assertEqual(self.counts(said), [0, 0, 0, 0, 0])  # behind the end: all is told
        self.assertRegex(said, r"\n  posted +5\n  told durable +5\n")

    def test_a_run_that_fails(self) -> None:
        done = self.run_it("crash", BAD / "n1_fixed.yaml", "--set", "run.transfers=5", code=1,
                           RNICSIM_FAIL_AT="1")
        self.assertIn("the run failed", done.stderr)
        self.assertIn("RNICSIM_FAIL_AT", done.stderr)

    def test_what_was_told_and_is_lost_is_an_error(self) -> None:
        self.assertGreater(
            self.counts(
                self.run_it("crash", BAD / "n1.yaml", "--at", "1 ms", "--set", "run.transfers=5",
                            code=1).stdout)[4], 0)


class Refusals(Cuts):
    def test_each(self) -> None:
        n1 = BAD / "n1.yaml"
        for command in ("cut", "crash"):
            self.refused(
                "no item of run.traffic has a scheme: expected one whose data are made durable",
                command, SOURCE / "scenarios" / "verbs" / "latency.yaml")
            self.refused("no item of run.traffic has a scheme", command,
                         SOURCE / "scenarios" / "examples" / "minimal.yaml")
            self.refused('--at 0 ns: expected a time of the run, such as "12.5 us"', command, n1,
                         "--at", "0 ns")
            self.refused('--at soon: expected a time of the run, such as "12.5 us"', command, n1,
                         "--at", "soon")
            self.refused("--run p009_none_r0: there is no such run", command, n1, "--run",
                         "p009_none_r0")
        self.refused("--host a: expected one at which items are made durable: b", "cut", n1,
                     "--host", "a")
        self.refused("--csv x.csv: has all instants; expected no --at", "cut", n1, "--at", "1 us",
                     "--csv", "x.csv")
        self.refused("--csv x.txt: expected the name of a file that ends with .csv", "cut", n1,
                     "--csv", "x.txt")
        self.refused("--host b: expected the initiator of an item with a scheme, such as a",
                     "crash", n1, "--host", "b")
        self.refused("--what b: expected host or system", "crash", n1, "--what", "b")
        self.refused("--csv x.csv: has all instants; expected no --at and no --samples", "crash",
                     n1, "--at", "1 us", "--csv", "x.csv")
        self.refused("--csv x.csv: has all instants; expected no --at and no --samples", "crash",
                     n1, "--samples", "5", "--csv", "x.csv")
        self.refused("--csv x.txt: expected the name of a file that ends with .csv", "crash", n1,
                     "--csv", "x.txt")
        self.refused("--at excludes --samples", "crash", n1, "--samples", "5", "--at", "1 us")


if __name__ == "__main__":
    unittest.main()
