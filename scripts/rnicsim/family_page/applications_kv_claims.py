# SPDX-License-Identifier: Apache-2.0
"""Claims about keys and values, each with a verdict from a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import KIB, Claim, Rows, at, us

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment

TRANSPORTS = {"kernel": "TCP", "user": "TCP in the program", "rdma": "RDMA"}


def with_threads(e: Experiment, variant: str, threads: str) -> Any:
    """Rows by connections."""
    return [row for row in e.select(variant) if row["values"][1].split(",")[0] == threads]


def rate(row: Mapping[str, Any]) -> float:
    """Commands a second: each connection has one under way all the time."""
    return int(row["values"][0]) / us(row) * 1e6


def knee(rows: Rows) -> int:
    """Connections from which on more of them add less than a tenth."""
    for row, after in zip(rows, rows[1:]):
        if rate(after) < 1.1 * rate(row):
            return int(row["values"][0])
    return int(rows[-1]["values"][0])


def of_keys(e: Experiment) -> list[Claim]:
    one = {variant: with_threads(e, variant, "1") for variant in TRANSPORTS}
    four = with_threads(e, "kernel", "4")
    by_rdma = e.select("rdma")
    posted = sum(
        int(row[f"{host}.host.sends_posted"]) for row in by_rdma for host in ("server", "clients")
    )
    wanted = sum(2 * int(row["transfers_completed"]) + 2 * int(row["values"][0]) for row in by_rdma)
    gain = rate(one["rdma"][-1]) / rate(one["kernel"][-1]) - 1
    constant = us(one["kernel"][0]) - us(one["rdma"][0])
    user = rate(one["user"][-1]) / rate(one["kernel"][-1])
    return [
        Claim(
            "A1: a GET is two WRITEs with immediate, a connection two messages about memory",
            "article 2",
            "exact",
            f"{wanted:,} work requests",
            f"{posted:,}",
            posted == wanted,
            e.name,
        ),
        Claim(
            "A2: one command at a time gains 16 us, whatever it is",
            "article 3.3",
            "shape",
            "14 to 18 us",
            f"{constant:.1f} us",
            14 <= constant <= 18,
            e.name,
        ),
        Claim(
            "A2: a server that is full answers half as many again, up to twice as many",
            "article 3.3",
            "shape",
            "+50 to +100 %",
            f"{gain:+.0%}; Redis' own measurements: up to +230 %",
            0.5 <= gain <= 1,
            e.name,
        ),
        Claim(
            "A12: TCP in the program answers about three times as much as in the kernel",
            "article 4.4",
            "shape",
            "about 3 times (2 to 4)",
            f"{user:.2f}",
            2 <= user <= 4,
            e.name,
        ),
        Claim(
            "A15: four threads are full with more connections than one",
            "article 3.2",
            "shape",
            "the knee moves up",
            f"{knee(one['kernel'])} and {knee(four)}",
            knee(one["kernel"]) < knee(four),
            e.name,
        ),
    ]


def of_stores(curves: Mapping[str, Rows]) -> list[Claim]:
    tcp, read = curves["kv, TCP"], curves["Plasma, READ"]
    sizes = [64 * KIB, 4096 * KIB]
    pairs = [(at(read, size), at(tcp, size)) for size in sizes]
    return [
        Claim(
            "T13: Plasma by READ is faster than a server of values by TCP, from 64 KiB on",
            "thesis 4.3",
            "shape",
            "READ is faster",
            "; ".join(f"{a:,.0f} against {b:,.0f} us" for a, b in pairs)
            + ": one write a value; how the thesis' client reads is not said",
            all(a < b for a, b in pairs),
            "stores",
        )
    ]
