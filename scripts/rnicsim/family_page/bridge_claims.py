# SPDX-License-Identifier: Apache-2.0
"""Claims of the thesis on kernel-bypass networks (2021), by their numbers: N of chapter 5, R of 3,
B of 4. Sections judge what scenarios of this page show; the rest is here, with where it is tested,
or why it is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from rnicsim.family_page.page import verdict, verdicts
from rnicsim.report_page import markup


class Claim(NamedTuple):
    number: str  # N5, R4, B13
    what: str
    kind: str  # exact, shape, calibrated
    expected: str
    here: str
    holds: bool
    where: str  # a scenario of the page, or `explore`


class Elsewhere(NamedTuple):
    """A claim that no scenario of this page decides."""

    number: str
    what: str
    kind: str
    verdict: str  # tested, other page, not built, not reproducible
    why: str
    where: str  # of what is tested or on another page: a file


NUMBERS = [
    f"{kind}{i}" for kind, last in (("N", 33), ("R", 16), ("B", 13)) for i in range(1, last + 1)
] + [f"{kind}{i}" for kind, last in (("S", 5), ("D", 4)) for i in range(1, last + 1)]
TESTS = "testbench/tests/"
BESIDE = "an RDMA flow beside a bridge's has no scenario on this page yet"

ELSEWHERE = [
    Elsewhere(
        "N1",
        "a write is over for the core before the link has it; a load waits a round trip",
        "exact",
        "tested",
        "to the picosecond; loads: bridge.cpp",
        TESTS + "bridge/store_path_forms.cpp",
    ),
    Elsewhere(
        "N2",
        "a write of up to 256 B takes 1.25 to 3 times as long as a read",
        "none",
        "not reproducible",
        "contradicts N5: a read is two loads of 0.4 us, so such a write takes 0.5 to 1.2 us one "
        "way, and a WRITE of 1.6 us 1.3 to 3.2 times as long, not 5.6",
        "",
    ),
    Elsewhere(
        "N3",
        "64 B: ten times as many writes as reads",
        "shape",
        "tested",
        "a hundred times: loads follow each other, stores do not wait",
        TESTS + "bridge/store_path_forms.cpp",
    ),
    Elsewhere(
        "N4",
        "write-combining: an eighth of the TLPs of uncached stores",
        "exact",
        "tested",
        "64 B are 1 TLP or 8; host.cpu.store.mapping: uncached has them in runs",
        TESTS + "bridge/store_path_forms.cpp",
    ),
    Elsewhere(
        "N12",
        "places of the ring's indices",
        "exact",
        "tested",
        "each is safe in every order; runs have all (run.nts.index), this page the shadow",
        TESTS + "bridge/rings.cpp",
    ),
    Elsewhere(
        "N13",
        "what is beyond the window's limit never reaches memory",
        "exact",
        "tested",
        "also proved of the Verilog",
        TESTS + "bridge/window.cpp",
    ),
    Elsewhere(
        "N14",
        "rings that do not fit in a window are refused",
        "exact",
        "tested",
        "the message says how much there is",
        TESTS + "applications/test_nts.cpp",
    ),
    Elsewhere(
        "N24",
        "two flows into one port: PFC and CNP; one of them by the bridge: none",
        "shape",
        "not built",
        BESIDE,
        "",
    ),
    Elsewhere(
        "N25", "no benefit outside the bounds of equation 5.1", "shape", "not built", BESIDE, ""
    ),
    Elsewhere(
        "N26",
        "bridge and card slow each other only near 128 Gb/s",
        "shape",
        "not built",
        BESIDE,
        "",
    ),
    Elsewhere(
        "N27",
        "a doorbell saves the processor and costs an interrupt",
        "shape",
        "tested",
        "run.nts.notify: doorbell; no scenario of this page has it",
        TESTS + "applications/test_nts.cpp",
    ),
    Elsewhere(
        "N28",
        "the handshake ends well whoever starts first",
        "exact",
        "tested",
        "of drivers (B6), whatever is lost; of a receiver that begins anew, explored",
        TESTS + "bridge/handshake.cpp",
    ),
    Elsewhere(
        "N29",
        "a dead peer: the sender waits for ever, or goes to TCP",
        "exact",
        "tested",
        "of a link that is down; it waits, or run.nts.failover sends by TCP",
        TESTS + "applications/test_nts.cpp",
    ),
    Elsewhere(
        "R3",
        "a link that fails later is not noticed by the choice",
        "exact",
        "tested",
        "its operations fail",
        TESTS + "applications/test_documents.cpp",
    ),
    Elsewhere(
        "R13",
        "a burst larger than one poll waits for the next event",
        "exact",
        "not built",
        "who is woken polls until the queue is empty",
        "",
    ),
    Elsewhere(
        "R14",
        "400 QPs fit into the card's cache, 5000 do not",
        "shape",
        "other page",
        "the rate by QPs, judged there",
        "results/verbs/message_rate",
    ),
    Elsewhere(
        "R15",
        "a shared receive queue saves memory at the same rate",
        "shape",
        "other page",
        "receives and rate, own and shared",
        "results/verbs/shared_receives",
    ),
    Elsewhere(
        "B4",
        "each WRITE with immediate takes a receive WQE",
        "exact",
        "tested",
        "compared with the formula in every run",
        TESTS + "applications/test_blocks.cpp",
    ),
    Elsewhere(
        "B5",
        "a shared queue of the sum of bursts serves all",
        "exact",
        "other page",
        "RNR NAKs by the queue's size",
        "results/verbs/shared_receives",
    ),
    Elsewhere(
        "B7",
        "polling n at once: a call for n",
        "exact",
        "not built",
        "a poll's cost is by completion",
        "",
    ),
    Elsewhere(
        "B11",
        "go-back-N on large blocks under loss",
        "shape",
        "other page",
        "goodput by loss, messages of 64 KiB",
        "results/verbs/loss",
    ),
    Elsewhere(
        "B12",
        "a sync by RDMA takes no longer than by TCP",
        "shape",
        "not built",
        "blocks go by RDMA alone",
        "",
    ),
    Elsewhere(
        "S1",
        "sockets take 1.7 us more than stores alone up to 256 B, 2.8 up to 4 KiB; copied once they "
        "are a third below a WRITE",
        "none",
        "not reproducible",
        "what processes and their queues cost is fitted to it (run.nts.hand_over)",
        "",
    ),
    Elsewhere(
        "S2",
        "a 32nd of the time of Linux' TCP, a 4.4th of libvma's; up to 2.9 times libvma's goodput",
        "none",
        "not reproducible",
        "neither is here; N32 has the TCP of this simulator",
        "",
    ),
    Elsewhere(
        "S3",
        "YCSB's mixes: 4 to 58 % less time than with libvma",
        "none",
        "not reproducible",
        "Redis, libvma and the mixes are not here; N32 has single commands",
        "",
    ),
    Elsewhere(
        "S4",
        "RMongo: 30, 30, 17 and 15 % more operations a second",
        "none",
        "not reproducible",
        "an operation computes 68 to 213 us there, beside 3 of network",
        "",
    ),
    Elsewhere(
        "S5",
        "BoR: 20.2 % less time to sync, 26.4 to 33.9 % less of the processor",
        "none",
        "not reproducible",
        "the work on a block, and the kernel's part in TCP's, are not said",
        "",
    ),
]


def order(number: str) -> int:
    found = re.match(r"[NRBDS]\d+", number)
    assert found is not None
    return NUMBERS.index(found[0])


def said(judged: Sequence[Claim]) -> list[str]:
    met = sum(one.holds for one in judged)
    return [
        "N, R, B: of the thesis' chapters 5, 3, 4; S: what it says in sums; D: of this page. "
        f"{met} of {len(judged)} that "
        "runs of this page decide are met. exact: counts, or a closed form; shape: an order or a "
        "range; calibrated: what was fitted decides it. tested: by a test alone."
    ]


def badge(kind: str) -> Any:
    return markup.badge({"not built": "open"}.get(kind, "none"), kind)


def table(judged: Sequence[Claim]) -> Any:
    """All claims in the order of their numbers. What a run judges is not elsewhere."""
    decided = {one.number for one in judged}
    rows = [
        (
            order(one.number),
            [
                f"{one.number} {one.what}",
                verdict(one.holds, "met", "missed"),
                one.kind,
                f"expected {one.expected}; here {one.here}",
                one.where,
            ],
        )
        for one in judged
    ]
    rows += [
        (
            order(one.number),
            [
                f"{one.number} {one.what}",
                badge(one.verdict),
                one.kind,
                one.why,
                one.where,
            ],
        )
        for one in ELSEWHERE
        if one.number not in decided
    ]
    rows.sort(key=lambda row: row[0])
    return verdicts(
        ["claim", "verdict", "kind", "found, or why not", "where"], [row for _, row in rows]
    )
