# SPDX-License-Identifier: Apache-2.0
"""Claims of the sources of applications, each with a verdict from a run. Thesis: on Plasma over
RDMA, 2022; article: a survey of RDMA in applications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rnicsim.family_page.page import verdict, verdicts
from rnicsim.report_page.results import quantities

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment

KIB = 1024
Rows = Sequence[Mapping[str, Any]]


class Claim(NamedTuple):
    what: str
    source: str
    kind: str  # exact, shape, calibrated, finding
    expected: str
    here: str
    holds: bool
    scenario: str


def table(rows: Sequence[Claim]) -> Any:
    return verdicts(
        ["claim", "verdict", "source", "kind", "expected", "here", "scenario"],
        [
            [
                row.what,
                verdict(row.holds, "met", "missed"),
                row.source,
                row.kind,
                row.expected,
                row.here,
                row.scenario,
            ]
            for row in rows
        ],
    )


def size_of(row: Mapping[str, Any]) -> int:
    """Bytes of its object or message: of the value that ends with a unit of bytes alone."""
    if row.get("size (B)"):
        return int(row["size (B)"])
    found, _ = quantities(
        [next(text for text in row["values"] if "," not in text and text.endswith("B"))]
    )[0]
    return int(found)


def of_protocol(e: Experiment, name: str) -> Any:
    return e.select("none", protocol=name)


def us(row: Mapping[str, Any]) -> float:
    return float(row["mean_us"])


def at(rows: Rows, size: int) -> float:
    return next(us(row) for row in rows if size_of(row) == size)


def crossover(first: Rows, second: Rows) -> float | None:
    """The bytes from which on `second` is the faster one for good, between two sizes by their
    straight lines; nothing: it is not up to the last one."""
    gaps = [(size_of(a), us(a) - us(b)) for a, b in zip(first, second)]
    if gaps[-1][1] <= 0:
        return None
    for (size, gap), (after, more) in reversed(list(zip(gaps, gaps[1:]))):
        if gap <= 0:
            return size + (after - size) * -gap / (more - gap)
    return float(gaps[0][0])


def of_plasma(e: Experiment) -> list[Claim]:
    socket, chunks, read, hybrid = (
        of_protocol(e, name) for name in ("socket", "sendrecv", "read", "hybrid")
    )
    meets = crossover(chunks, read) or 0
    worst = max(us(h) / min(us(c), us(r)) for h, c, r in zip(hybrid, chunks, read)) - 1
    small = [KIB, 4 * KIB, 16 * KIB]
    gap = sum(at(read, s) - at(chunks, s) for s in small) / len(small)
    to_socket = [at(socket, s) - at(chunks, s) for s in small[:2]]
    last = 4096 * KIB
    same = at(socket, 1024 * KIB) / at(chunks, last)
    twice, seven = at(chunks, last) / at(read, last), at(socket, last) / at(read, last)
    return [
        Claim(
            "T1: SENDs and READ meet between 16 and 32 KiB",
            "thesis 4.3",
            "calibrated",
            "16 to 32 KiB",
            f"{meets / KIB:.1f} KiB",
            16 <= meets / KIB <= 32,
            e.name,
        ),
        Claim(
            "T1: hybrid within 5 % of the better one",
            "thesis 4.3",
            "shape",
            "at most 5 %",
            f"{worst:.1%}",
            worst <= 0.05,
            e.name,
        ),
        Claim(
            "T2: SENDs 20 us better than READ, mean of 1, 4 and 16 KiB",
            "thesis 4.3",
            "calibrated",
            "15 to 25 us",
            f"{gap:.1f} us",
            15 <= gap <= 25,
            e.name,
        ),
        Claim(
            "T2: ... and than sockets up to 4 KiB",
            "thesis 4.3",
            "shape",
            "15 to 25 us",
            ", ".join(f"{one:.1f}" for one in to_socket) + " us",
            all(15 <= one <= 25 for one in to_socket),
            e.name,
        ),
        Claim(
            "T3: 1 MiB by sockets takes as long as 4 MiB by SENDs",
            "thesis 4.3",
            "calibrated",
            "0.8 to 1.1",
            f"{same:.2f}",
            0.8 <= same <= 1.1,
            e.name,
        ),
        Claim(
            "T3: READ twice as fast as SENDs at 4 MiB",
            "thesis 4.3",
            "calibrated",
            "1.8 to 2.2",
            f"{twice:.2f}",
            1.8 <= twice <= 2.2,
            e.name,
        ),
        Claim(
            "T3: READ seven times as fast as sockets at 4 MiB",
            "thesis abstract",
            "calibrated",
            "6 to 8",
            f"{seven:.2f}",
            6 <= seven <= 8,
            e.name,
        ),
        Claim(
            "T5: each protocol posts what it has to",
            "thesis 3.2, 3.3",
            "exact",
            "work requests of all runs as 3.2 and 3.3 have them",
            of_posts(e),
            posts_fit(e),
            e.name,
        ),
    ]


def posted(row: Mapping[str, Any]) -> tuple[int, int]:
    """Work requests of the owner and of the user."""
    return int(row["owner.host.sends_posted"]), int(row["user.host.sends_posted"])


def wanted(row: Mapping[str, Any]) -> tuple[int, int]:
    """A chunk and an ACK for each 4 KiB; INFO, READ and FIN; nothing by sockets."""
    protocol, size = row["values"][-1], size_of(row)
    if protocol == "hybrid":
        protocol = "sendrecv" if size < 32 * KIB else "read"
    chunks = -(-size // (4 * KIB))
    of_one = {"socket": (0, 0), "sendrecv": (chunks, chunks), "read": (1, 2)}[protocol]
    return of_one[0] * int(row["transfers_completed"]), of_one[1] * int(row["transfers_completed"])


def posts_fit(e: Experiment) -> bool:
    return all(posted(row) == wanted(row) for row in e.rows)


def of_posts(e: Experiment) -> str:
    found, expected = (sum(sum(of(row)) for row in e.rows) for of in (posted, wanted))
    return f"{found:,} of {expected:,}"


def of_window(found: Mapping[str, float | None], e: Experiment) -> list[Claim]:
    one, all_of = found["1 x 4 KiB"] or 0, found["100 x 4 KiB"]
    return [
        Claim(
            "The crossover is that of an ACK per 4 KiB, not of memcpy",
            "here",
            "finding",
            "with 100 chunks to an ACK none up to 4 MiB",
            f"window 1: {one / KIB:.0f} KiB; 100: "
            + ("none" if all_of is None else f"{all_of / KIB:.0f} KiB"),
            all_of is None,
            e.name,
        )
    ]


def of_costs(rows: Sequence[tuple[float | None, float, float]]) -> list[Claim]:
    base, half, double, page_half, page_double, slow, fast, _ = (at or 0 for at, *_ in rows)
    moved = max(abs(slow - base), abs(fast - base)) / KIB
    return [
        Claim(
            "T6: the crossover moves with registration, base and page",
            "here",
            "shape",
            "down with half, up with double",
            ", ".join(f"{one / KIB:.0f}" for one in (half, page_half, base, page_double, double))
            + " KiB",
            max(half, page_half) < base < min(double, page_double),
            "costs",
        ),
        Claim(
            "... and hardly with the rate of copies",
            "here",
            "finding",
            "by at most 4 KiB",
            f"{moved:.1f} KiB",
            moved <= 4,
            "costs",
        ),
    ]


def of_memory(of: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    made = []
    for processor, rows in of.items():
        ordered = all(us(p) < us(c) for p, c in zip(rows["pool"], rows["copy"]))
        meets = crossover(rows["copy"], rows["each"])
        made.append(
            Claim(
                f"A13: copied data are slower than those of a pool, {processor}",
                "article",
                "shape",
                "at each size",
                "so" if ordered else "not so",
                ordered,
                "memory",
            )
        )
        here = (
            "nowhere up to 4 MiB"
            if meets is None
            else f"from {meets / KIB:,.0f} KiB; up to 1 MiB copies are warm"
        )
        # 170 KiB with all copies at 7.2 GB/s; with the other processor's registration never.
        soon = processor == "xeon_2018"
        made.append(
            Claim(
                f"A13: registering each message beats copying, {processor}",
                "costs",
                "shape",
                "from 128 to 192 KiB, if copies are cold" if soon else "nowhere",
                here,
                meets is not None and 128 <= meets / KIB <= 192 if soon else meets is None,
                "memory",
            )
        )
    return made


def of_loss(curves: Mapping[str, Rows]) -> list[Claim]:
    none = {name: us(rows[0]) for name, rows in curves.items()}
    some = {name: us(rows[-1]) for name, rows in curves.items()}
    failed = sum(int(row["transfers_failed"]) for rows in curves.values() for row in rows)
    return [
        Claim(
            "Every object is complete with up to 1 % of frames lost",
            "IBTA 9.7.5; TCP",
            "exact",
            "0 fail",
            str(failed),
            failed == 0,
            "loss",
        ),
        Claim(
            "Chunks with an ACK each suffer most",
            "here",
            "finding",
            "most of the three",
            ", ".join(f"{name} x {some[name] / none[name]:.0f}" for name in some),
            max(some, key=lambda name: some[name] / none[name]) == "sendrecv",
            "loss",
        ),
    ]
