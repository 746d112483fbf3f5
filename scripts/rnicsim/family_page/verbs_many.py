# SPDX-License-Identifier: Apache-2.0
"""Sections of the page of verbs: many threads, many QPs, receives that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rnicsim.family_page import page as pages
from rnicsim.family_page import verbs_measured, verbs_theory
from rnicsim.family_page.drawing import curve, lines, told
from rnicsim.family_page.experiment import a_run, counted, gbps, shown, value
from rnicsim.family_page.verbs_curves import styled
from rnicsim.report_page import look
from rnicsim.report_page.results import number


def threads(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("threads")
    if e is None:
        return None
    numbers = [value(row["values"][-1]) for row in e.rows]
    rates = [number(row["goodput_gbps"]) * 1e3 / 64 for row in e.rows]
    bounds = [verbs_theory.threads_rate(n) for n in numbers]
    blank = [float("nan")] * len(numbers)
    curves = styled([("simulated", (numbers, rates, blank))])
    curves.append(("bound by the processor", look.INK, "", ":", (numbers, bounds, blank)))
    head = ["threads", "million WRITEs a second", "bound by the processor", "mean us"]
    table = [[
        f"{n:g}", f"{rate:.2f}", f"{bound:.2f}",
        shown(row, "mean_us", 1, 2)
    ] for n, rate, bound, row in zip(numbers, rates, bounds, e.rows)]
    panels = [(lines("Million messages a second", curves, "threads of the client", bottom=0),
               "message rate over the number of threads")]
    said = [
        "32 connections, dealt out to threads with a CQ and a core each. A thread posts a WRITE"
        f" and polls for its completion, {verbs_theory.OF_A_WRITE_NS} ns a message;"
        " the card takes what all of them post.",
        f"One thread: {rates[0]:.2f} million a second; {numbers[-1]:g}: {rates[-1]:.1f}."
    ]
    return told(said) + page.figure(e, "Threads", panels, "WRITE of 8 B.", head, table), None


def message_rate(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("message_rate")
    if e is None:
        return None
    numbers = [verbs_measured.qps(row) for row in e.rows]
    rates = [number(row["goodput_gbps"]) * 1e3 / 64 for row in e.rows]
    missed = [
        int(row["client.rc.cache_misses_qp"]) / int(row["client.rc.tx_packets"]) for row in e.rows
    ]
    head = [
        "QPs", "million WRITEs a second", "mean us", "contexts missed, a message", "written back",
        "WQEs read"
    ]
    table = [[
        f"{n:,}", f"{rate:.1f}",
        shown(row, "mean_us", 1, 2), f"{share:.3f}", f"{int(row['client.rc.cache_write_backs']):,}",
        f"{int(row['client.rc.send_wqe_reads']):,}"
    ] for n, rate, share, row in zip(numbers, rates, missed, e.rows)]

    places = list(range(len(numbers)))
    # not all have room
    names = [f"{n:,}" if place % 2 else "" for place, n in zip(places, numbers)]

    def over_qps(title: str, values: Any) -> Callable[..., Any]:
        curves = styled([("WRITE of 8 B", (places, values, [float("nan")] * len(values)))])
        return lines(title, curves, "QPs of the client", bottom=0, names=names)
    theory = [verbs_theory.set_is_full(n) for n in numbers]
    misses = styled([("simulated", (places, missed, [float("nan")] * len(numbers)))])
    misses.append(
        ("its set is full", look.INK, "", ":", (places, theory, [float("nan")] * len(numbers))))
    panels = [(over_qps("Million messages a second", rates), "message rate over the number of QPs"),
              (lines("Contexts missed, a message", misses, "QPs of the client", bottom=0,
                     names=names), "contexts not on the card over the QPs, and theory")]
    said = [
        "Small inline WRITEs from one card to eight servers, 256 outstanding, a QP after the "
        "other. The card holds 2 MiB of contexts, 384 B a QP: what it does not "
        "have it reads from host memory, and writes back what it has changed. A pushed WQE whose "
        "context is missing is read, too.",
        f"{numbers[3]:,} QPs: {rates[3]:.1f} million a second; 5,000: "
        f"{rates[numbers.index(5000)]:.1f}. The first point is bounded by its latency."
    ]
    return told(said) + page.figure(e, "Many QPs", panels, "8 B; no time of the processor.", head,
                                    table), None


# QPs of the server, twice the depth each; of scenarios/verbs/shared_receives.yaml
OWN_RECEIVES = 32 * 2 * 16


def shared_receives(page: pages.Page) -> tuple[Any, None] | None:
    e = page.experiment("shared_receives")
    if e is None:
        return None
    own, *shared = e.rows

    def naks_of(row: Mapping[str, Any]) -> Any:
        return a_run(row, "server.rc.rnr_naks_sent")
    head = ["receive WQEs", "Gb/s", "mean us", "RNR NAKs"]
    table = [[text, gbps(row), shown(row, "mean_us", 1, 2),
              counted(naks_of(row))] for row, text in
             zip(e.rows, [f"own, {OWN_RECEIVES:,} in all", *(row["values"][-1] for row in shared)])]
    names = [row["values"][-1].split()[-1] for row in shared]
    places = list(range(len(shared)))
    blank = [float("nan")] * len(shared)
    naks = styled([("shared", (places, [naks_of(row) for row in shared], blank))])
    rates = styled([("shared", curve(shared, "goodput_gbps", x=places))])
    rates.append(
        ("own", look.INK, "", ":", (places, [number(own["goodput_gbps"])] * len(shared), blank)))
    panels = [(lines("Goodput (Gb/s)", rates, "receive WQEs of the server", bottom=0,
                     names=names), "goodput over the receive WQEs that all QPs share"),
              (lines("RNR NAKs", naks, "receive WQEs of the server", bottom=0,
                     names=names), "RNR NAKs over the receive WQEs that all QPs share")]
    said = [
        "SENDs of 256 B from 32 QPs to a server whose QPs share their receive WQEs (SRQ). A SEND "
        "that finds none is told to wait and sent again; nothing is lost.",
        f"{names[0]}: {counted(naks_of(shared[0]))} RNR NAKs, {gbps(shared[0])} Gb/s; {names[-1]}: "
        f"{counted(naks_of(shared[-1]))}, "
        f"{gbps(shared[-1])} Gb/s; queues of their own, {OWN_RECEIVES:,} in all: {gbps(own)} Gb/s."
    ]
    return told(said) + page.figure(e, "Shared receive queue", panels,
                                    "256 B. RNR NAKs: mean of the repetitions.", head, table), None
