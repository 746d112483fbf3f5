# SPDX-License-Identifier: Apache-2.0
"""A bridge's flow beside RDMA flows to the same host: sections of the page "A bridge between
hosts", where scenarios offload and split are run. Rows of an item `bridge`, and of an item `rdma`
of one or two hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page import bridge_root_ports as root_ports
from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import bars, count, gbps, points, rows_of, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rnicsim.family_page.bridge_rows import Row
    from rnicsim.family_page.page import Page

NEAR = 0.02  # to which a flow is as alone
PORT, HOST = 100, 128  # Gb/s: of the target's port, and of its IIO
# Hosts that send by RDMA, and when the bridge's flow begins: behind them, or with them.
FLOWS = {
    "1, 2 ms": "one RDMA flow",
    "2, 2 ms": "two RDMA flows",
    "1, 0 ns": "one, and the bridge",
    "2, 0 ns": "two, and the bridge",
}


def of(rows: Sequence[Row], traffic: str) -> Row:
    return next(row for row in rows if row["traffic"] == traffic)


def stopped(row: Row) -> tuple[int, int]:
    """Pauses that the senders heard, CNPs that the target sent; of the whole run."""
    return count(row, "far.gmac.pauses_heard"), count(row, "target.rc.cnps_sent")


def offload(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("offload")
    if e is None:
        return None
    rows = {text: rows_of(e, text) for text in FLOWS}
    rdma = {text: of(found, "rdma") for text, found in rows.items()}
    bridge = {text: of(found, "bridge") for text, found in rows.items()}
    each = [gbps(row) / int(text.split(",")[0]) for text, row in rdma.items()]
    breaks = {", and ": ", and\n", " RDMA": "\nRDMA"}
    names = [
        name.replace(text, broken)
        for name in FLOWS.values()
        for text, broken in breaks.items()
        if text in name
    ]
    panels = [
        (bars("Each RDMA flow (Gb/s)", names, each), "goodput of an RDMA flow"),
        (bars("Pauses of the switch", names, [stopped(row)[0] for row in rdma.values()]), "pauses"),
    ]
    table = [
        [
            name,
            f"{rate:.1f}",
            f"{us(rdma[text], 'p99_us'):.0f}",
            f"{us(bridge[text]):.2f}" if text.endswith("0 ns") else "–",
            *map(str, stopped(rdma[text])),
        ]
        for (text, name), rate in zip(FLOWS.items(), each)
    ]
    alone, beside, full = (us(bridge[text]) for text in ("1, 2 ms", "1, 0 ns", "2, 0 ns"))
    slower = max(beside, full) / alone - 1
    two, one = stopped(rdma["2, 2 ms"]), stopped(rdma["1, 0 ns"])
    said = [
        "Two flows of 56 Gb/s to a host whose port has 100: the second one by the port, too, or "
        "from a neighbour through a bridge (table 5-1)."
    ]
    claim = Claim(
        "N24",
        "two flows into one port: PFC and CNPs; one of them through the bridge: none, and both as "
        "alone",
        "shape",
        f"more than 0; 0; within {NEAR:.0%}",
        f"{two[0]}, {two[1]}; {one[0]}, {one[1]}; bridge {slower:+.1%}, RDMA "
        f"{each[2] / each[0] - 1:+.1%}",
        min(two) > 0 and one == (0, 0) and slower <= NEAR and each[2] >= (1 - NEAR) * each[0],
        e.name,
    )
    claims, over_time = [claim], ""
    found = root_ports.read(e)
    if found:
        text, steady = root_ports.judged(e, found)
        said.append(text)
        claims.append(steady)
        over_time = root_ports.figures(page, found, FLOWS)
    head = ["flows", "RDMA, each (Gb/s)", "its p99 (us)", "bridge (us)", "pauses", "CNPs"]
    figure = page.figure(e, "Beside RDMA", panels, "", head, table)
    return told(said) + figure + over_time, claims


def split(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("split")
    if e is None:
        return None
    paces = e.axis(0)
    alone: list[float] = []
    by_port: list[float] = []
    by_both: dict[str, list[tuple[float, float]]] = {text: [] for text in e.axis(1)}
    for pace in paces:
        solo = rows_of(e, pace, "false", "1, 2 ms")
        alone.append(round(gbps(of(solo, "rdma")) + gbps(of(solo, "bridge")), 1))
        by_port.append(gbps(of(rows_of(e, pace, "false", "2, 2 ms"), "rdma")))
        for shared, found in by_both.items():
            both = rows_of(e, pace, shared, "1, 0 ns")
            found.append((gbps(of(both, "bridge")), gbps(of(both, "rdma"))))
    sums = {shared: [sum(one) for one in found] for shared, found in by_both.items()}
    panels = [
        (
            lines(
                "Both flows (Gb/s)",
                styled(
                    [
                        ("both by the port", points(alone, by_port)),
                        ("split, an IIO each", points(alone, sums["false"])),
                        ("split, one IIO", points(alone, sums["true"])),
                    ]
                ),
                "what both have alone (Gb/s)",
                log=False,
                bottom=0,
                legend_at="lower right",
            ),
            "goodput of both flows over what they have alone",
        )
    ]
    table = [
        [f"{a:.0f}", f"{b:.1f}", f"{sums['false'][i]:.1f}", f"{sums['true'][i]:.1f}"]
        for i, (a, b) in enumerate(zip(alone, by_port))
    ]
    gains = [one / port - 1 for one, port in zip(sums["true"], by_port)]
    kept = [one / whole for one, whole in zip(sums["true"], alone)]
    within = [PORT < whole < HOST for whole in alone]
    apart = min(one / whole for one, whole in zip(sums["false"], alone))
    said = [
        "The bridge helps where both flows want more than the port has; where they want more than "
        "one IIO for both takes, they share that, which still is more than the port."
    ]
    claims = [
        Claim(
            "N25",
            "splitting helps only between the port's rate and the host's (equation 5.1)",
            "shape",
            f"0 below {PORT}; all between; nothing above {HOST}",
            "; ".join(f"{a:.0f}: {b:+.0%}" for a, b in zip(alone, gains)),
            all((gain > NEAR) == inside for gain, inside in zip(gains, within)),
            e.name,
        ),
        Claim(
            "N26",
            f"bridge and card slow each other only near {HOST} Gb/s, and only in one IIO",
            "shape",
            f"within {NEAR:.0%} below; less above",
            "; ".join(f"{a:.0f}: {b:.1%}" for a, b in zip(alone, kept)) + f"; apart {apart:.1%}",
            all((one < 1 - NEAR) == (whole > HOST) for one, whole in zip(kept, alone))
            and apart >= 1 - NEAR,
            e.name,
        ),
    ]
    head = ["alone, in all", "by the port", "split, an IIO each", "split, one IIO"]
    return told(said) + page.figure(e, "When a bridge helps", panels, "Gb/s.", head, table), claims
