#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/plot says and where it draws, without a browser: units, titles, rings, failed
shares. Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR."""

import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from report_support import write_folder  # finds the package

from rnicsim.report_page import look
from rnicsim.sweep_plot import fit, hidden, layout, units
from rnicsim.sweep_plot.quantity import quantity
from rnicsim.sweep_plot.sweep import Sweep

PLOT = look.pyplot()


class Units(unittest.TestCase):
    def test_the_unit_in_which_values_are_short(self) -> None:
        for texts, labels, unit in ((("8 ns", "2 us"), ["8", "2000"],
                                     "ns"), (("500 us", "2 ms", "1 s"), ["0.5", "2", "1000"],
                                             "ms"), (("0", "5 us"), ["0", "5"], "µs"),
                                    (("64 B", "1 KiB"), ["64", "1024"],
                                     "B"), (("512 B", "1 KiB", "64 KiB"), ["0.5", "1", "64"],
                                            "KiB"), (("1 MiB", "2048 KiB"), ["1", "2"], "MiB")):
            with self.subTest(texts):
                numbers, shown = units.scaled(texts)
                self.assertEqual(([units.written(number) for number in numbers], shown),
                                 (labels, unit))

    def test_values_of_one_unit_stay_as_they_are_written(self) -> None:
        self.assertEqual(units.scaled(["1000 ns", "2000 ns"]), ([1000.0, 2000.0], "ns"))
        self.assertEqual(units.scaled(["0 %", "5 %"]), ([0.0, 5.0], "%"))
        self.assertIsNone(units.scaled(["true", "false"]))

    def test_no_power_of_ten(self) -> None:
        self.assertEqual(
            [units.written(value) for value in (8e-6, 1048577.0, 16777216.0, 0.1, 0.0)],
            ["0.000008", "1048577", "16777216", "0.1", "0"])


class Fit(unittest.TestCase):
    def test_labels_that_would_touch_are_left_out_never_the_outermost(self) -> None:
        sizes = [(10, 10)] * 5
        self.assertEqual(fit.kept([0, 1, 50, 96, 100], sizes, 0), [0, 2, 4])
        self.assertEqual(fit.kept([100, 0, 50, 20, 80], sizes, 0), [0, 1, 2, 3, 4])  # in any order
        self.assertEqual(fit.kept([0, 3], sizes, 0), [0])

    def test_turned_only_if_that_keeps_more(self) -> None:
        self.assertEqual(fit.along_x([0, 100], [(50, 10)] * 2, 0), ([0, 1], 0))
        self.assertEqual(fit.along_x([0, 30, 60], [(50, 10)] * 3, 0), ([0, 1, 2], 30))
        self.assertEqual(fit.along_x([0, 12, 60], [(50, 10)] * 3, 0), ([0, 1, 2], 90))

    def test_a_long_title_takes_more_lines(self) -> None:
        self.assertEqual(fit.wrapped("traffic short   dynamic", 4, 9), "traffic short   dynamic")
        self.assertTrue(
            all(
                len(line) <= 51
                for line in fit.wrapped(f"traffic {'x' * 80}   traditional", 4, 9).split("\n")))


class Pictures(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_sweep_plot_"))

    def sweep(self, name: str, rows: Any, **options: Any) -> Any:
        points = [f"{n} %" for n in range(len(rows))]
        write_folder(self.folder, name, "loss", points, rows, **options)
        return Sweep(self.folder / name)

    def draw(self, sweep: Sweep, **wanted: Any) -> Any:
        figure = layout.draw(PLOT, sweep, layout.Wanted(**wanted))
        self.addCleanup(PLOT.close, figure)
        return figure

    def with_column(self, sweep: Sweep, column: Any) -> Any:
        for row in sweep.rows:
            row[column] = "10.0"
        return sweep

    def test_error_bars_are_named_only_where_they_are(self) -> None:
        rows = [((100, 5), (90, 5), (0.1, 0.02))] * 2
        self.assertIn("error bars: 95 % confidence",
                      self.draw(self.sweep("lines", rows))._suptitle.get_text())
        tails = self.with_column(self.sweep("tails", rows), "p99_us")
        self.assertEqual(
            self.draw(tails, column="p99_us")._suptitle.get_text(), "tails   (5 repetitions)")

    def test_a_heat_map_has_none(self) -> None:
        points = [[f"{x} %", str(y)] for x in range(2) for y in range(2)]
        write_folder(self.folder, "heat", ["loss", "window"], points,
                     [((100, 5), (90, 5), (0.1, 0.02))] * 4)
        sweep = Sweep(self.folder / "heat")
        self.assertNotIn("error bars", self.draw(sweep, form="heat")._suptitle.get_text())
        self.assertIn("error bars", self.draw(sweep, form="lines")._suptitle.get_text())

    def marks(self, figure: Any) -> Any:
        """(label, size, whether open) of the curves of the first panel."""
        return [(line.get_label(), line.get_markersize(), line.get_markerfacecolor() == "none")
                for line in figure.axes[0].lines if line.get_label() in ("traditional", "dynamic")]

    def test_a_mark_below_another_is_a_ring(self) -> None:
        ring = [("traditional", 11.0, True), ("dynamic", 6.5, False)]
        usual = [("traditional", 6.5, False), ("dynamic", 6.5, False)]
        for name, rows, expected in (("near", [((100, 5), (99, 5), (0.01, 0.02))],
                                      ring), ("apart", [((100, 5), (90, 5), (0.1, 0.02))], usual),
                                     ("same", [((100, 5), (100, 5), (0, 0))] * 2,
                                      ring), ("crossing", [((100, 5), (100, 5), (0, 0)),
                                                           ((100, 5), (90, 5), (0.1, 0))], usual)):
            with self.subTest(name):
                self.assertEqual(self.marks(self.draw(self.sweep(name, rows))), expected)

    def test_what_has_failed_stands_beside_the_mean(self) -> None:
        rows = [((100, 5), (90, 5), (0.1, 0.02))] * 2
        failed = {
            (0, "traditional"): {
                "transfers_failed": 0
            },
            (1, "traditional"): {
                "transfers_failed": 1000
            },
            (0, "dynamic"): {
                "transfers_failed": 0
            },
            (1, "dynamic"): {
                "transfers_failed": 0
            }
        }
        sweep = self.sweep("failing", rows, extra=failed)
        said = "failed, not in these times: 0 to 20 % of traditional"
        titles = [axes.get_title(loc="left").replace("\n", " ") for axes in self.draw(sweep).axes]
        self.assertEqual(titles, [said, ""])
        self.assertNotIn(
            "failed", "".join(
                axes.get_title(loc="left") for axes in self.draw(self.sweep("whole", rows)).axes))
        figure, axes = PLOT.subplots(layout="constrained")
        self.addCleanup(PLOT.close, figure)
        layout.singles(PLOT, sweep)[0].draw(axes, False)
        self.assertIn("0 to 20 % of traditional",
                      axes.get_legend().get_title().get_text().replace("\n", " "))

    def test_times_have_the_unit_that_suits_them(self) -> None:
        for mean, unit in ((2_500_000, "s"), (2500, "ms"), (25, "µs"), (0.25, "ns")):
            sweep = self.sweep(f"of_{unit}", [((mean, 0), (mean, 0), (0, 0))])
            found = quantity("mean_us", sweep)
            self.assertIn(f"({unit})", found.words)
            self.assertAlmostEqual(found.of(sweep.rows[0]),
                                   250 if unit == "ns" else 25 if unit == "µs" else 2.5)


class Rings(unittest.TestCase):
    def test_each_that_lies_above_makes_one_larger(self) -> None:
        class Value:
            @staticmethod
            def of(row: Mapping[str, str]) -> Any:
                return row["value"]
        curve = [{"place": {"x": "1"}, "value": 5.0}]
        self.assertEqual(hidden.rings([curve, curve, curve], "x", Value, True), [2, 1, 0])
        self.assertEqual(hidden.rings([curve, []], "x", Value, True), [0, 0])

        line = [*curve, {"place": {"x": "2"}, "value": 6.0}]
        self.assertEqual((hidden.rings([line, line], "x", Value,
                                       True), hidden.rings([line, line], "x", Value, False)),
                         ([0, 0], [1, 0]))


if __name__ == "__main__":
    unittest.main()
