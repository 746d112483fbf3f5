# SPDX-License-Identifier: Apache-2.0
"""Hosts of Plasma that set up their connections: a section of the page "Applications"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import Claim, us
from rnicsim.family_page.applications_drawing import BLANK
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.experiment import counted
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages

VARIANTS = {
    "before": "before the run",
    "once": "once for two hosts",
    "each": "each connection for itself",
}


def setup(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("setup")
    if e is None:
        return None
    of = {name: e.select(name) for name in VARIANTS}
    lasts = 1e9 * max(int(ms) for ms in re.findall(r"setup: (\d+) ms", e.scenario["resolved"]))
    hosts = [int(row["hosts"]) for row in of["once"]]
    pairs = [count * (count - 1) // 2 for count in hosts]

    def setups(row: Mapping[str, Any]) -> float:
        """Of connections: both hosts work for each."""
        return int(row["node.host.worked_work_ps"]) / lasts / 2

    once, each = ([setups(row) for row in of[name]] for name in ("once", "each"))
    resent = [sum(int(row["node.tcp.resent"]) for row in of[name]) for name in ("once", "each")]
    head = ["hosts", "set up", "set-ups", "median us", "mean us", "longest ms", "TCP again"]
    table = [
        [
            str(count),
            label,
            counted(setups(row)),
            f"{number(row['median_us']):,.1f}",
            f"{us(row):,.1f}",
            f"{number(row['max_us']) / 1e3:,.1f}",
            counted(int(row["node.tcp.resent"])),
        ]
        for name, label in VARIANTS.items()
        for count, row in zip(hosts, of[name], strict=True)
    ]
    drawn = styled(
        [
            (
                label,
                (
                    list(range(len(hosts))),
                    [us(row) / 1e3 for row in of[name]],
                    [BLANK] * len(hosts),
                ),
            )
            for name, label in VARIANTS.items()
        ]
    )
    said = [
        "All hosts fetch from each other. A set-up takes both hosts 300 ms, and a host of one "
        "thread does one at a time: the first objects wait for those of others as well. Later "
        "ones take about what they take between hosts connected before. TCP waits for the "
        f"same thread: of its segments {resent[0]} were sent again, without reuse {resent[1]}. "
        "Where a thread sets up for longer than TCP tries, 25.4 s, streams die."
    ]
    claims = [
        Claim(
            "T7: N hosts that fetch from each other set up N(N - 1)/2 connections; without reuse "
            "twice as many",
            "thesis 3.1",
            "exact",
            "; ".join(f"{count} and {2 * count}" for count in pairs),
            "; ".join(f"{a:g} and {b:g}" for a, b in zip(once, each, strict=True)),
            once == pairs and each == [2 * count for count in pairs],
            e.name,
        )
    ]
    return (
        told(said)
        + page.figure(
            e,
            "Connections that are set up when they are wanted",
            [
                (
                    lines(
                        "Mean time (ms)",
                        drawn,
                        "hosts",
                        bottom=0,
                        names=[str(count) for count in hosts],
                    ),
                    "mean time of an object over the number of hosts",
                )
            ],
            "16 KiB, 20 gets of each host's from each other one, in a drawn order.",
            head,
            table,
        ),
        claims,
    )
