#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/look_inside: which transfers it chooses, times, fill, ladders, what it refuses."""

import json
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inside_support import (BIN, SCENARIO, SMALL, SOURCE, Temporary, check, content, files, look,
                            prepare, report, run, summary, transfers)
from rnicsim import look_inside
from rnicsim.report_page import counters, results

FIG6: Any = None
BEFORE: dict[Any, Any] = {}
# One transfer, which goes indirect: nothing else uses the buffer.
ONE = """system:
  host: {registration: {failure: 70 %, retry: when_released}}
run: {methods: [dynamic], transfers: 1, repetitions: 1}
"""


def setUpModule() -> None:
    global FIG6, BEFORE
    root, BEFORE = prepare()
    FIG6 = Temporary.original = root / "fig6_joint"


def name(row: Mapping[str, str]) -> tuple[str, str]:
    """As inside.json names a transfer."""
    return f"p00{row['point']}_{row['method']}_r{row['repetition']}", row["initiator"] + row["id"]


class Chosen(unittest.TestCase):
    def role(self, point: int, method: str, role: str) -> tuple[str, str] | None:
        found = [
            t for t in content(FIG6)["transfers"]
            if (t["point"], t["method"]) == (point, method) and role in t["roles"]
        ]
        self.assertLessEqual(len(found), 1)
        return (found[0]["run"], found[0]["transfer"]) if found else None

    def test_median_and_slowest_are_those_of_transfers_csv(self) -> None:
        groups = transfers(FIG6)
        self.assertEqual(len(groups), 8)
        for key, group in groups.items():
            # stable: of equals the first comes first
            ordered = sorted(group, key=lambda row: float(row["time_us"]))
            median = next(row for row in group
                          if row["time_us"] == ordered[len(group) // 2 - 1]["time_us"])
            slowest = next(row for row in ordered if row["time_us"] == ordered[-1]["time_us"])
            self.assertEqual(self.role(*key, "median"), name(median))
            self.assertEqual(self.role(*key, "slowest"), name(slowest))

    def test_longest_stalled(self) -> None:
        stalled = 0
        for key, group in transfers(FIG6).items():
            longest = max(int(row["stalled_cycles"]) for row in group)
            those = [row for row in group if int(row["stalled_cycles"]) == longest]
            best = max(float(row["time_us"]) for row in those)
            expected = next(name(row) for row in those
                            if float(row["time_us"]) == best) if longest else None
            self.assertEqual(self.role(*key, "longest stalled"), expected)
            stalled += longest > 0
        self.assertGreater(stalled, 0)

    def test_every_ladder_states_its_row_s_time(self) -> None:
        times = {name(row): row["time_us"] for group in transfers(FIG6).values() for row in group}
        for t in content(FIG6)["transfers"]:
            svg = (FIG6 / "inside" / t["ladder"]).read_text(encoding="utf-8")
            stated = re.search(
                r'aria-label="[^"]*transfer (\w+), [^"]*run (\w+): completed after ([\d.]+) µs[",]',
                svg)
            self.assertEqual((stated[2], stated[1]), (t["run"], t["transfer"]))
            self.assertEqual(stated[3], times[t["run"], t["transfer"]])
            self.assertEqual(t["time_us"], float(stated[3]))

    def test_commands_do_it_again(self) -> None:
        t = next(t for t in content(FIG6)["transfers"] if t["run"].startswith("p003_dynamic"))
        with tempfile.TemporaryDirectory() as folder:
            words = shlex.split(t["commands"]["ladder"])
            self.assertEqual((words[0], words[2]), ("rnicsim", "scenarios/paper/fig6_joint.yaml"))
            words[0], words[2] = BIN, str(SCENARIO)
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((Path(folder) / t["ladder"]).read_bytes(),
                             (FIG6 / "inside" / t["ladder"]).read_bytes())
        words = shlex.split(t["commands"]["capture"])
        self.assertEqual(words[words.index("--pcap") + 1], t["capture"])
        row = next(row for group in transfers(FIG6).values() for row in group
                   if name(row) == (t["run"], t["transfer"]))
        first, last = (int(row[end]) * 8 for end in ("start_cycle", "end_cycle"))
        self.assertEqual(words[words.index("--observe-window") + 1], f"{first} ns..{last} ns")


class Numbers(Temporary):
    def test_quantiles_are_times_of_transfers(self) -> None:
        """The shortest time that so many do not exceed, found by counting."""
        groups = transfers(FIG6)
        for t in content(FIG6)["times"]:
            times = [float(row["time_us"]) for row in groups.pop((t["point"], t["method"]))]
            self.assertEqual((t["completed"], t["failed"]), (len(times), 0))
            self.assertEqual(len(t["quantiles_us"]), 201)
            for step, quantile in enumerate(t["quantiles_us"]):
                wanted = max(1, step * len(times) / 200)
                self.assertEqual(quantile,
                                 min(x for x in times if sum(y <= x for y in times) >= wanted),
                                 step)
        self.assertEqual(groups, {})

    def test_fill_is_what_the_events_say(self) -> None:
        """The whole run's events, as JSON lines, cut here."""
        curves = content(FIG6)["fill"]
        self.assertGreater(len(curves), 0)
        high_water = {int(row["point"]): int(row["b.transport.indirect_buffer_high_water"])
                      for row in summary(FIG6) if row["method"] == "dynamic"}
        for curve in curves:
            events = self.folder / "events.jsonl"
            check(
                run(BIN, "run", SCENARIO, "--no-plot", "--out", self.folder / "again", *SMALL,
                    "--events", events, "--observe-run", curve["run"]))
            row = next(row for group in transfers(FIG6).values() for row in group
                       if name(row) == (curve["run"], curve["transfer"]))
            first, last = int(row["start_cycle"]), int(row["end_cycle"])
            lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
            fills = [((e["time_ps"] - 8000 * first) / 1e6, e["bytes"]) for e in lines
                     if e.get("event") == "fill" and first <= e["time_ps"] //
                     8000 <= last and e["end"] == curve["end"]]
            self.assertEqual([tuple(point) for point in curve["slots"]], fills)
            self.assertEqual(curve["highest"], max(slots for _, slots in fills))
            self.assertLessEqual(curve["highest"], high_water[curve["point"]])

    def test_highest_fill_of_a_single_transfer_is_the_counter(self) -> None:
        scenario = self.folder / "one.yaml"
        scenario.write_text(ONE, encoding="utf-8")
        check(run(BIN, "run", scenario, "--no-plot", "--out", self.folder / "one", "--seed", 2))
        check(look(scenario, self.folder / "one"))
        result = results.Result(self.folder / "one")
        self.assertGreater(result.value(0, "dynamic", "b.transport.kept_indirect"), 0)
        found = content(self.folder / "one")
        self.assertEqual([curve["highest"] for curve in found["fill"]],
                         [result.value(0, "dynamic", "b.transport.indirect_buffer_high_water")])
        self.assertEqual(found["transfers"][0]["roles"][:2], ["median", "slowest"])
        self.assertIn("--set simulation.seed=2", found["transfers"][0]["commands"]["ladder"])
        check(report(self.folder))

    def test_thinning_keeps_extremes_and_order(self) -> None:
        points = [[x, 20 + x % 7] for x in range(10_007)]
        points[5003][1], points[9999][1] = 48, 0
        thin = look_inside.thinned(points)
        self.assertLessEqual(len(thin), 500)
        self.assertGreater(len(thin), 400)
        self.assertEqual(thin, sorted(thin))
        self.assertTrue(all(point in points for point in thin))
        for kept in ([5003, 48], [9999, 0]):
            self.assertIn(kept, thin)
        self.assertEqual(look_inside.thinned(points[:500]), points[:500])

    def test_every_counter_has_a_meaning(self) -> None:
        """counters.csv names what summary.csv has, in its order."""
        columns = [column for column in summary(FIG6)[0] if "." in column]
        self.assertEqual(list(counters.meanings()), list(dict.fromkeys(map(counters.plain,
                                                                           columns))))
        self.assertEqual(counters.of(results.Result(FIG6)), columns)


class Folder(Temporary):
    def test_nothing_but_inside_changes(self) -> None:
        after = files(FIG6)
        self.assertEqual({path: data
                          for path, data in after.items() if path.parts[0] != "inside"}, BEFORE)
        self.assertEqual(sorted({path.parts[0] for path in set(after) - set(BEFORE)}), ["inside"])

    def test_the_same_from_nothing(self) -> None:
        """Without runs/, and replacing what is there."""
        folder = self.copy()
        shutil.rmtree(folder / "runs")
        (folder / "inside/old.svg").write_text("", encoding="utf-8")
        check(look(SCENARIO, folder, "--jobs", 1))
        keep = {
            path: data
            for path, data in files(FIG6 / "inside").items() if path.suffix != ".pcapng"
        }
        self.assertEqual(
            {
                path: data
                for path, data in files(folder / "inside").items() if path.suffix != ".pcapng"
            }, keep)

    def test_no_empty_capture(self) -> None:
        for capture in (FIG6 / "inside").glob("*.pcapng"):
            self.assertGreater(capture.stat().st_size, 0, capture)

    def refuse(self, code: int, said: str, *arguments: Any) -> None:
        done = look(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("look_inside: error: " if "usage" in done.stderr else "error: look_inside: ",
                      done.stderr)
        self.assertIn(said, done.stderr)

    def test_errors(self) -> None:
        self.refuse(2, "absent: there is no such folder", SCENARIO, self.folder / "absent")
        self.refuse(2, "no_such.yaml: there is no such scenario", self.folder / "no_such.yaml",
                    FIG6)
        self.refuse(2, "holds no finished results", SCENARIO, self.folder)
        self.refuse(2, "results of fig6_joint.yaml, not of fig5_lfp.yaml",
                    SOURCE / "scenarios/paper/fig5_lfp.yaml", FIG6)
        self.refuse(2, "is missing: build it", SCENARIO, FIG6, "--program", self.folder / "rnicsim")
        self.refuse(3, "rnicsim run: exit code 1", SCENARIO, FIG6, "--program", "/bin/false")
        folder = self.copy()
        with (folder / "summary.csv").open("a", encoding="utf-8") as file:
            file.write("\n")
        self.refuse(2, "holds other results than this program gives", SCENARIO, folder)
        self.assertEqual(files(folder / "inside"), files(FIG6 / "inside"))
        self.assertEqual([path.name for path in folder.iterdir() if path.name.startswith(".look")],
                         [])

    def test_a_network_is_refused_in_one_line(self) -> None:
        """Also one of DRP RNICs. What it names instead works."""
        network = (
            "system:\n  hosts: {a: {RNIC}, b: {RNIC}}\n  links: [{between: [a, b]}]\n"
            "run: {repetitions: 1, transfers: 2, traffic: [{from: a, to: b, size: 1 KiB}]}\n")
        for kind, rnic, run_name, transfer in (("drp", "", "p000_dynamic_r0", "a.1"),
                                               ("rc", "rnic: {profile: gigabit_fpga}",
                                                "p000_none_r0", "a.q0.1")):
            scenario, folder = self.folder / f"{kind}.yaml", self.folder / kind
            scenario.write_text(network.replace("RNIC", rnic), encoding="utf-8")
            check(run(BIN, "run", scenario, "--no-plot", "--out", folder))
            before = files(folder)
            done = look(scenario, folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            said = re.fullmatch(
                r"error: look_inside: [^\n]* holds results of a network, expected those of two "
                r"ends; "
                r"[^\n]*: (rnicsim explain [^\n;]*\.svg)[^\n]*\n", done.stderr)
            self.assertTrue(said, done.stderr)
            self.assertEqual(files(folder), before)
            words = said[1].replace("RUN", run_name).replace("NAME", transfer).replace(
                "FILE", str(self.folder / kind)).split()
            check(run(BIN, *words[1:]))
            self.assertTrue((self.folder / f"{kind}.svg").is_file())

    def test_help(self) -> None:
        done = run(SOURCE / "scripts/look_inside", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage: scripts/look_inside SCENARIO DIR", done.stdout)


if __name__ == "__main__":
    unittest.main()
