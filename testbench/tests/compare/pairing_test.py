#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What belongs together, what is missing, and what is no results folder. No simulation."""
import json
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from compare_support import Folder, make, transfer
from rnicsim.comparison import document, text
from rnicsim.comparison.sides import FolderSide, Settings
from rnicsim.report_page.results import Unusable

NEVER = Settings(Path("/nonexistent/rnicsim"))


def runs(times: Sequence[list[int]], method: str = "dynamic",
         **more: Any) -> dict[tuple[int, str, int], dict[tuple[str, int], dict[str, Any]]]:
    """A run for each list of times, in cycles; a transfer follows the other."""
    return {(0, method, repetition): {("a", i): transfer(sum(its[:i]), time, **more)
                                      for i, time in enumerate(its)}
            for repetition, its in enumerate(times)}


class Pairing(Folder):
    def compare(self, *more: Any) -> Any:
        a, b = (FolderSide(self.folder / name, NEVER, self.folder) for name in "ab")
        return document.compare(a, b, *more)

    def lines(self) -> str:
        return "\n".join(text.lines(self.compare()))

    def test_equal(self) -> None:
        for name in "ab":
            make(self.folder / name, runs([[100, 200], [50, 60]]))
        found = self.compare()
        self.assertEqual((found["verdict"], found["events"]),
                         ("equal", "not compared: nothing differs"))
        self.assertEqual(text.lines(found)[-1], "equal: 2 runs, 4 transfers, 2 counters")

    def test_times_by_hand(self) -> None:
        """Differences of the repetitions' means in cycles: 5, 10, 15."""
        make(self.folder / "a", runs([[100, 200], [100, 200], [100, 200]]))
        make(self.folder / "b", runs([[110, 200], [100, 220], [140, 190]]))
        point, = self.compare()["points"]
        self.assertEqual([point[key] for key in ("faster", "slower", "equal", "transfers")],
                         [1, 3, 2, 6])
        self.assertAlmostEqual(point["a_us"], 150 * 0.008)
        self.assertAlmostEqual(point["b_us"], 160 * 0.008)
        self.assertAlmostEqual(point["difference_us"], 10 * 0.008)
        self.assertAlmostEqual(point["half_width_us"], 4.302653 * 5 / 3 ** 0.5 * 0.008, places=6)
        self.assertAlmostEqual(point["relative"], 10 / 150)
        self.assertFalse(point["significant"])
        self.assertEqual([(t["run"], t["transfer"]) for t in point["largest"]],
                         [("p000_dynamic_r2", "a0"), ("p000_dynamic_r1", "a1"),
                          ("p000_dynamic_r0", "a0")])

    def test_first_transfer_by_time_not_by_name(self) -> None:
        early, late = transfer(5, 100), transfer(900, 100)
        make(self.folder / "a",
             {(0, "dynamic", 0): {
                  ("a", 0): late,
                  ("b", 0): early,
                  ("b", 1): transfer(3, 10)
              }})
        make(
            self.folder / "b", {
                (0, "dynamic", 0): {
                    ("a", 0): {
                        **late, "mode": "indirect"
                    },
                    ("b", 0): {
                        **early, "end_cycle": 106
                    },
                    ("b", 1): transfer(3, 10)
                }
            })
        first = self.compare()["first_transfer"]
        self.assertEqual((first["transfer"], first["columns"]), ("b0", ["end_cycle"]))
        self.assertEqual((first["a"]["end_cycle"], first["b"]["end_cycle"]), (105, 106))

    def test_errors_are_no_times(self) -> None:
        make(self.folder / "a", runs([[100, 200], [100, 200], [100, 200]]))
        make(self.folder / "b", runs([[100, 200], [100, 200], [100, 200]]))
        table = self.folder / "b" / "transfers.csv"
        failed = table.read_text(encoding="utf-8").replace("300,1.600,direct,",
                                                           "999,7.192,direct,data timeout", 1)
        table.write_text(failed, encoding="utf-8")
        summary = self.folder / "b" / "summary.csv"
        summary.write_text(
            summary.read_text(encoding="utf-8").replace(",6,0,", ",5,1,"), encoding="utf-8")
        found = self.compare(document.DIFFERING, 0.5)
        point, = found["points"]
        self.assertEqual((point["completed"], point["failed"], point["transfers"]), ({
            "a": 6,
            "b": 5
        }, {
            "a": 0,
            "b": 1
        }, 5))
        self.assertEqual((point["difference_us"], point["verdict"]), (0, "equal"))
        self.assertEqual(found["verdict"], "different")  # a tolerance is of times, not of failures
        self.assertIn("completed 6 in A, 5 in B; failed 0, 1", self.lines())

    def test_missing_runs_and_transfers_are_named(self) -> None:
        make(self.folder / "a", runs([[100], [100, 200], [100]]))
        # a sum over two runs, not three
        make(self.folder / "b", runs([[100, 100], [100]]), counters={"a.x": 4, "b.x": 0})
        found, said = self.compare(document.DIFFERING, 1.0), self.lines()
        self.assertEqual(found["verdict"], "different")
        self.assertEqual(
            found["only"], {
                "a": {
                    "runs": ["p000_dynamic_r2"],
                    "transfers": ["p000_dynamic_r1 a1"]
                },
                "b": {
                    "runs": [],
                    "transfers": ["p000_dynamic_r0 a1"]
                }
            })
        self.assertEqual((found["compared"]["counters"], found["points"][0]["counters"]), (0, []))
        self.assertIn("only A has 1 run: p000_dynamic_r2", said)
        self.assertIn("only B has 1 transfer: p000_dynamic_r0 a1", said)
        self.assertIn(
            "Counters are not compared where the sides have other repetitions: -, dynamic.", said)

    def test_points_are_paired_by_their_values(self) -> None:
        both = {
            (0, "dynamic", 0): {
                ("a", 0): transfer(1, 100)
            },
            (1, "dynamic", 0): {
                ("a", 0): transfer(1, 700)
            }
        }
        swapped = {
            (0, "dynamic", 0): both[1, "dynamic", 0],
            (1, "dynamic", 0): both[0, "dynamic", 0]
        }
        make(self.folder / "a", both, ["loss"], [["1 %"], ["5 %"]])
        make(self.folder / "b", swapped, ["loss"], [["5 %"], ["1 %"]])
        self.assertEqual(self.compare()["verdict"], "equal")

    def test_nothing_in_common(self) -> None:
        make(self.folder / "a", runs([[100]]), ["loss"], [["1 %"]])
        make(self.folder / "b", runs([[100]]), ["loss"], [["5 %"]])
        with self.assertRaisesRegex(
                Unusable, "have no run in common: their points are loss: 1 % and loss: 5 %"):
            self.compare()

    def test_counters(self) -> None:
        make(self.folder / "a", runs([[100]]), counters={"a.x": 4, "a.y": 0, "a.z": 7, "a.old": 1})
        make(self.folder / "b", runs([[100]]), counters={"a.x": 5, "a.y": 2, "a.z": 7})
        found = self.compare()
        self.assertEqual(found["points"][0]["counters"], [{
            "name": "a.x",
            "a": 4,
            "b": 5,
            "ratio": 1.25
        }, {
            "name": "a.y",
            "a": 0,
            "b": 2,
            "ratio": None
        }])
        self.assertEqual(
            (found["different"]["counters"], found["compared"]["counters"], found["verdict"]),
            (2, 3, "different"))
        self.assertIn("note: Only A has the counters a.old; they are not compared.", self.lines())

    def test_settings_and_seeds_that_differ(self) -> None:
        make(self.folder / "a", runs([[100]]),
             resolved="system:\n  rnic:\n    window: 8\n    mtu: 9\nrun:\n  size: 1 KiB\n")
        make(
            self.folder / "b", runs([[100]]), seed=2,
            resolved="system:\n  a:\n    rnic:\n      window: 4\n      mtu: 9\n  b:\n    rnic:\n"
            "      window: 4\n      mtu: 7\nrun:\n  size: 1 KiB\n")
        said = self.lines()
        self.assertIn("setting system.rnic.window: 8 -> 4\nsetting system.b.rnic.mtu: 9 -> 7\n",
                      said)
        self.assertIn("note: The seeds differ (1, 2)", said)

    def test_events_of_a_folder_whose_scenario_cannot_be_run(self) -> None:
        make(self.folder / "a", runs([[100]]))
        make(self.folder / "b", runs([[101]]))
        self.assertRegex(
            self.lines(),
            r"events: not compared: \S+/a: its scenario, from its manifest, cannot be run again: "
            "/nonexistent/rnicsim: No such file or directory: expected a program `rnicsim`")


class Malformed(Folder):
    def refuse(self, spoil: Callable[..., Any], said: str) -> None:
        folder = make(self.folder / f"f{len(list(self.folder.iterdir()))}",
                      runs([[100, 200], [50, 60]]))
        spoil(folder)
        with self.assertRaises(Unusable) as caught:
            FolderSide(folder, NEVER, self.folder).results()
        self.assertRegex(str(caught.exception), said)
        self.assertNotIn("\n", str(caught.exception))

    def test_files(self) -> None:
        what = "expected what `rnicsim run --transfers-csv` leaves"
        for name in ("transfers.csv", "summary.csv", "manifest.json"):
            self.refuse(lambda folder: (folder / name).unlink(), f"/{name} is missing: {what}")
            self.refuse(lambda folder: (folder / name).write_bytes(b"\xff\xfe"),
                        f"/{name}: .*{what}")
            self.refuse(lambda folder: (folder / name).write_bytes(b""), f"/{name}: .*{what}")

    def test_rows(self) -> None:
        def change(name: str, old: str, new: str) -> Any:
            def spoil(folder: Path) -> None:
                text_there = (folder / name).read_text(encoding="utf-8")
                self.assertIn(old, text_there)
                (folder / name).write_text(text_there.replace(old, new, 1), encoding="utf-8")
            return spoil
        table = "transfers.csv"
        self.refuse(change(table, "0,dynamic,1,a,1", "0,dynamic,1,a,0"),
                    r"row 5: transfer a0 of p000_dynamic_r1 is there twice")
        self.refuse(
            change(table, "0,dynamic,1,a,1", "3,dynamic,1,a,1"),
            r"row 5: point 3, dynamic: manifest.json knows 1 points and the methods dynamic")
        self.refuse(change(table, "0,dynamic,1,a,1", "0,dynamic,2,a,1"),
                    r"row 5: repetition 2: manifest.json knows 2")
        self.refuse(change(table, ",100,0.800", ",x,0.800"),
                    r"row 2: end_cycle is 'x': expected a whole number")
        self.refuse(change(table, "end_cycle", "ende"), r"has no column end_cycle")
        self.refuse(change(table, ",direct,,10,90", ",direct"),
                    r"row 2 has not 12 cells as the header has|row 2 has not 13 cells")
        self.refuse(change("summary.csv", "dynamic,4,0", "dynamic,5,0"),
                    r"transfers.csv: 4 transfers of point 0, dynamic, but summary.csv speaks of 5")
        self.refuse(change("summary.csv", ",5,", ",5.5,"),
                    r"summary.csv: row 2: a.x is '5.5': expected a whole number")

    def test_manifest(self) -> None:
        def without(*keys: str) -> Callable[..., Any]:
            def spoil(folder: Path) -> None:
                manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
                for key in keys:
                    manifest["scenario"].pop(key)
                (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
            return spoil
        for key in ("axes", "points", "methods", "repetitions", "resolved", "seed"):
            self.refuse(without(key), f"manifest.json: KeyError: '{key}'")


if __name__ == "__main__":
    unittest.main()
