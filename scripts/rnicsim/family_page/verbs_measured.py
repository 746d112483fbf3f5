# SPDX-License-Identifier: Apache-2.0
"""The section of the verbs page that holds results of scenarios/verbs beside what others have
measured, with a verdict each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.page import verdict, verdicts
from rnicsim.report_page import markup
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

CX5 = "ConnectX-5"  # perftest on an MT4119, firmware 16.23, 100 Gb/s RoCE, PMTU 1024: a public log
REPORT = "test report"  # DPDK-style report of a 100 Gb/s card, PMC7842203
ISSUE = "perftest 131"
ERPC = "eRPC"
HDR = "HDR log"

LEAD = [
    "Measured figures are others': "
    + f"{CX5}, perftest on an MT4119 with firmware 16.23 at 100 Gb/s and PMTU 1024 (a public log);"
    f" {REPORT}, PMC7842203, a card of 100 Gb/s with PMTU 4096; {ISSUE}, an issue of perftest"
    f" with figures of another card; {HDR}, ib_write_lat on InfiniBand HDR, of which only the"
    f' shape can be compared; {ERPC}, Kalia and others, NSDI 2019, on a ConnectX-5. "Fitted"'
    " figures were known when the link's delay, the processor's costs, the atomic unit's rest"
    " and the card's memory for contexts were chosen, or are quotients of such figures: they"
    ' test our arithmetic and nothing else. "Predicted" ones were not.',
    (
        f"The profile's processor, whose costs were fitted to latencies of {CX5}, posts short"
        f" messages more slowly than the unknown machine of the {REPORT}, so four rows are missed."
        " The next four use costs chosen so that the line is the bound (100, 20 and 20 ns to post,"
        " poll and receive, instead of 250, 100 and 60): they show how much headers and gaps leave"
        " of it."
    ),
    (
        f"The tolerance of the inline step spans {ISSUE} and the {HDR}, which differ by a factor of"
        " 2.3, so meeting it shows little."
    ),
]


class Row:
    """`tolerance`: the share by which `here` may differ; or (least, most) of it."""

    def __init__(self, what: Any, source: str, measured: Any, here: Any, unit: str, tolerance: Any,
                 fitted: bool, scenario: str) -> None:
        self.what, self.source = what, source
        self.measured, self.here, self.unit = measured, here, unit
        self.tolerance, self.fitted, self.scenario = tolerance, fitted, scenario

    @property
    def holds(self) -> Any:
        if isinstance(self.tolerance, tuple):
            return self.tolerance[0] <= self.here <= self.tolerance[1]
        return abs(self.here - self.measured) <= self.tolerance * self.measured

    def compared(self) -> list[str]:
        """Measured, here, deviation, tolerance."""
        allowed = (f"{self.tolerance[0]:g} to {self.tolerance[1]:g}" if isinstance(
            self.tolerance, tuple) else f"{100 * self.tolerance:g} %")
        return [
            f"{self.measured:.2f}", f"{self.here:.2f}",
            f"{100 * (self.here / self.measured - 1):+.1f} %", allowed
        ]

    def missed(self) -> list[str]:
        """What, expected, here, scenario."""
        measured, here, _, allowed = self.compared()
        return [
            f"{self.what} ({self.unit})" if self.unit else self.what,
            f"{measured} ({self.source}, {allowed})",
            here,
            self.scenario,
        ]

    def cells(self) -> list[Any]:
        return [
            f"{self.what} ({self.unit})" if self.unit else self.what,
            verdict(self.holds, "met", "missed"), "fitted" if self.fitted else "predicted",
            *self.compared(), self.source, self.scenario
        ]


class Shape(Row):
    """Several numbers, which need only have the order of those measured. `tolerance`: none."""

    @property
    def holds(self) -> bool:
        return order(self.here) == order(self.measured)

    def compared(self) -> list[str]:
        return [", ".join(f"{n:.2f}" for n in numbers)
                for numbers in (self.measured, self.here)] + ["–", "order"]


def order(numbers: Sequence[float]) -> list[int]:
    return sorted(range(len(numbers)), key=lambda i: numbers[i])


def at(e: Experiment, column: str, *values: str) -> Any:
    """The number of the row with these values of the axes."""
    return next(number(row[column]) for row in e.rows if tuple(row["values"]) == values)


SIZES = ("2 B", "128 B", "256 B", "1 KiB", "4 KiB")
HDR_US = (1.87, 1.96, 2.87, 3.05, 3.85)  # WRITEs of these sizes


def grows(times: Any) -> list[float]:
    return [b - a for a, b in zip(times, times[1:])]


def latency(e: Experiment) -> list[Any]:
    mean = {what: at(e, "mean_us", what, "2 B") for what in ("write", "send", "read")}
    writes = [at(e, "mean_us", "write", size) for size in SIZES]
    return [
        Row("WRITE of 2 B, one way", CX5, 1.58, mean["write"], "us", 0.1, True, e.name),
        Row("SEND of 2 B, one way", CX5, 1.68, mean["send"], "us", 0.1, True, e.name),
        Row("READ of 2 B, a round", CX5, 2.69, mean["read"], "us", 0.1, True, e.name),
        Row("READ : WRITE, 2 B", CX5, 1.70, mean["read"] / mean["write"], "", (1.6, 2.1), True,
            e.name),
        Row("READ : WRITE, 2 B", ISSUE, 2.05, mean["read"] / mean["write"], "", (1.6, 2.1), True,
            e.name),
        Shape(f"WRITE, what it takes longer from one size to the next: {', '.join(SIZES)}", HDR,
              grows(HDR_US), grows(writes), "us", None, False, e.name)
    ]


def atomics(e: Experiment) -> list[Row]:
    rate = number(e.rows[-1]["goodput_gbps"]) * 1e3 / 64
    return [Row("FETCH_ADD, a round", CX5, 2.65, at(e, "mean_us", "1"), "us", 0.1, True, e.name),
            Row("FETCH_ADD, 16 outstanding", CX5, 2.17, rate, "M/s", 0.1, True, e.name)]


def bandwidth(e: Experiment) -> list[Row]:
    return [
        Row(f"{what.upper()} of 64 KiB, 128 outstanding", CX5, measured,
            at(e, "goodput_gbps", what, "64 KiB"), "Gb/s", tolerance, False, e.name)
        for what, measured, tolerance in (("write", 92.48, 0.005), ("send", 92.16, 0.01),
                                          ("read", 87.26, 0.07))
    ]


def packets_of_4096(e: Experiment) -> list[Row]:
    """With the profile's processor, and with costs that were chosen in view of these figures."""
    return [
        Row(f"{what.upper()} of {size}, PMTU 4096, {processor}", REPORT, measured,
            at(e, "goodput_gbps", costs, what, size), "Gb/s", tolerance, fitted, e.name)
        for costs, processor, fitted in zip(e.axis(0), ("the profile's processor",
                                                        "a faster processor"), (False, True))
        for what, size, measured, tolerance in (("write", "4 KiB", 97.5, 0.01), ("write", "2 KiB",
                                                                                 95.2, 0.01),
                                                ("send", "4 KiB", 97.6, 0.02), ("send", "2 KiB",
                                                                                94.5, 0.02))
    ]


def inline_step(e: Experiment) -> list[Row]:
    step = at(e, "mean_us", "push", "221 B") - at(e, "mean_us", "push", "220 B")
    return [
        Row("the step where a WRITE is not inline any more", source, measured, step, "us",
            (0.3, 1.0), False, e.name) for source, measured in ((ISSUE, 0.39), (HDR, 0.91))
    ]


SERVERS, QPS_OF_ERPC = 8, 5000  # the first of scenarios/verbs/message_rate.yaml


def qps(row: Mapping[str, Any]) -> int:
    return SERVERS * int(row["values"][-1])


def message_rate(e: Experiment) -> list[Row]:
    """Where nothing is missing the rate is the highest."""
    rates = {qps(row): number(row["goodput_gbps"]) for row in e.rows}
    return [
        Row("inline WRITEs of 8 B: share of the rate left with 5,000 QPs", ERPC, 0.5,
            rates[QPS_OF_ERPC] / max(rates.values()), "", (0.35, 0.65), True, e.name)
    ]


PARTS = {
    "latency": latency,
    "atomics": atomics,
    "bandwidth": bandwidth,
    "pmtu_4096": packets_of_4096,
    "inline": inline_step,
    "message_rate": message_rate
}


def section(page: Page) -> tuple[Any, list[Any]] | None:
    rows = [row for name, part in PARTS.items() for e in page.experiments(name) for row in part(e)]
    if not rows:
        return None
    table = verdicts(
        ["what", "verdict", "", "measured", "here", "deviation", "tolerance", "by", "scenario"],
        [row.cells() for row in rows])
    return markup.part("elements", "paragraphs", LEAD) + table, rows
