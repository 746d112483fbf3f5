#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a comparison, against values computed by hand."""
import math
import unittest

import compare_support  # noqa: F401: finds the package

from rnicsim.comparison import statistics
from rnicsim.report_page import intervals


class Paired(unittest.TestCase):
    def test_mean_interval_and_p(self) -> None:
        """1..5: mean 3, standard error sqrt(2.5 / 5), t(0.975, 4) = 2.776445. For 4 degrees of
        freedom P(T < t) is 1/2 + 3/8 u (1 - u^2 / 12) with u = t / sqrt(1 + t^2 / 4); t^2 = 9 / 0.5
        = 18."""
        difference = statistics.paired([1, 2, 3, 4, 5])
        self.assertAlmostEqual(difference.mean, 3)
        self.assertAlmostEqual(difference.half, 2.776445 * math.sqrt(0.5), places=5)
        u = math.sqrt(18 / 5.5)
        self.assertAlmostEqual(difference.p, 1 - 2 * 3 / 8 * u * (1 - u * u / 12), places=9)
        self.assertAlmostEqual(difference.p, 0.013236, places=6)

    def test_two_degrees_of_freedom(self) -> None:
        """P(|T| > t) = 1 - t / sqrt(2 + t^2)."""
        for t in (0.1, 1, 3, 30):
            self.assertAlmostEqual(intervals.two_sided(t, 2), 1 - t / math.sqrt(2 + t * t),
                                   places=9)
            self.assertEqual(intervals.two_sided(-t, 2), intervals.two_sided(t, 2))
        self.assertEqual((intervals.two_sided(0, 2), intervals.two_sided(math.inf, 2)), (1, 0))

    def test_interval_excludes_zero_where_p_is_below_5_percent(self) -> None:
        for values in ([1, 2, 3, 4, 5], [-1, 2, 3, -4, 5], [0.1, 2, 2.2], [-7, -6, -3]):
            difference = statistics.paired(values)
            self.assertEqual(abs(difference.mean) > difference.half, difference.p < 0.05, values)

    def test_two_repetitions_give_no_interval(self) -> None:
        self.assertEqual(statistics.paired([1, 3]), (2, None, None))
        self.assertEqual(statistics.paired([7]), (7, None, None))

    def test_the_same_difference_everywhere(self) -> None:
        self.assertEqual(statistics.paired([0, 0, 0]), (0, 0, 1))
        self.assertEqual(statistics.paired([4, 4, 4]), (4, 0, 0))


class Holm(unittest.TestCase):
    def test_by_hand(self) -> None:
        """In order: 4 x 0.005, 3 x 0.01, 2 x 0.03, then 1 x 0.04, which may not be less than the
        one before."""
        for found, expected in zip(statistics.holm([0.01, 0.04, 0.03, 0.005]),
                                   (0.03, 0.06, 0.06, 0.02), strict=True):
            self.assertAlmostEqual(found, expected)

    def test_limits(self) -> None:
        self.assertEqual(statistics.holm([]), [])
        self.assertEqual(statistics.holm([0.9, None, 0.8]), [1.0, None, 1.0])
        self.assertEqual(statistics.holm([0.04]), [0.04])


if __name__ == "__main__":
    unittest.main()
