# SPDX-License-Identifier: Apache-2.0
"""The section of the verbs page that holds results of scenarios/verbs against closed forms, and the
orders that any card has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.experiment import value
from rnicsim.family_page.page import verdict, verdicts
from rnicsim.family_page.verbs_measured import at, qps
from rnicsim.report_page import markup
from rnicsim.report_page.results import number

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

PS_A_BYTE = 0.08e-3  # us, at 100 Gb/s
GAP_AND_PREAMBLE = 20
# Bytes of a frame beside its payload: Ethernet 14 + 4, IPv4 20, UDP 8, BTH 12, ICRC 4; a RETH of 16
# in the first packet of a WRITE.
HEADERS, RETH = 62, 16
PMTU = 1024
EXACT_US = 1e-4  # far below a cycle
CYCLE_US = 3.2e-3  # of cx5_100g


def frames_bytes(message: int, pmtu: int, first_header: int = RETH) -> int:
    """Bytes on the wire of a message's packets, gaps and preambles with them."""
    packets = -(-message // pmtu)
    return message + first_header + packets * (HEADERS + GAP_AND_PREAMBLE)


LINE_GBPS = 65536 * 8 / (frames_bytes(65536, PMTU) * PS_A_BYTE) / 1e3  # of 64 KiB
# Share of it that is left where each packet has a RETH, as with selective repeat (VERBS.md V-R12):
# h in the table.
RETH_IN_EACH = frames_bytes(65536, PMTU) / frames_bytes(65536, PMTU, 65536 // PMTU * RETH)


def row(what: str, theory: str, found: str, holds: bool,
        *experiments: Experiment) -> tuple[tuple[Any, ...], bool]:
    return (what, verdict(holds), theory, found, ", ".join(e.name for e in experiments)), holds


def full_line(e: Experiment) -> tuple[tuple[Any, ...], bool]:
    """Outstanding messages enough, a link carries payload in the share that frames have."""
    size, text = 4096, "4 KiB"
    theory = size * 8 / (frames_bytes(size, size) * PS_A_BYTE) / 1e3
    # the processor that does not bound it
    here = at(e, "goodput_gbps", e.axis(0)[-1], "write", text)
    return row(f"WRITE of {text} in a packet: payload's share of the line",
               f"{theory:.2f} Gb/s, less than .3 % for filling the pipe", f"{here:.2f} Gb/s",
               0.997 * theory <= here <= theory, e)


def wire_time(e: Experiment) -> tuple[tuple[Any, ...], bool]:
    """A message's latency at two rates differs by its bytes on the wire: the gap behind its last
    packet is not waited for."""
    size = 4096
    on_wire = frames_bytes(size, PMTU) - 12
    theory = on_wire * (8000 - 800) * 1e-6
    here = at(e, "mean_us", "write", "1 Gbps") - at(e, "mean_us", "write", "10 Gbps")
    return row("WRITE of 4 KiB at 1 and at 10 Gb/s: the difference",
               f"{on_wire:,} B x 7,200 ps = {theory:.4f} us", f"{here:.4f} us",
               abs(here - theory) < EXACT_US, e)


def three_packets(e: Experiment) -> tuple[tuple[Any, ...], bool]:
    """Behind the step of a read of host memory a message takes longer by its packets on the line:
    PCIe, which is faster, reads and writes them meanwhile."""
    theory = 3 * PACKET_US
    here = at(e, "mean_us", "write", "4 KiB") - at(e, "mean_us", "write", "1 KiB")
    return row("WRITE of 4 KiB and of 1 KiB: three packets more on the line",
               f"{theory:.4f} us, within a cycle of the card", f"{here:.4f} us",
               abs(here - theory) <= CYCLE_US, e)


def window(e: Experiment) -> tuple[tuple[Any, ...], bool]:
    """Window x PMTU a round, until the line is full."""
    found = [(int(r["values"][-1]), number(r["goodput_gbps"])) for r in e.rows]
    round_us = found[0][0] * PMTU * 8 / found[0][1] / 1e3
    holds = all(
        abs(rate / min(LINE_GBPS, w * PMTU * 8 / round_us / 1e3) - 1) < 0.01
        for w, rate in found) and 20 < round_us < 23
    return row(
        "WRITE over 10 us each way: window x PMTU a round, or the line",
        f"in proportion to the first, whose round is {round_us:.2f} us; line {LINE_GBPS:.2f} Gb/s",
        ", ".join(f"{w}: {rate:.2f}" for w, rate in found), holds, e)


PACKET_US = (HEADERS + GAP_AND_PREAMBLE + PMTU) * PS_A_BYTE
# From a lost packet to its repetition, in packets: the next one shows the gap, the link both ways,
# MAC and path of three cards' sides, and what the transmit buffer of cx5_100g holds by then, 16
# KiB.
ROUND = (PACKET_US + 2 * 0.3904 + 3 * (0.0768 + 0.128) + 16384 * PS_A_BYTE) / PACKET_US
TIMEOUT = 8  # of scenarios/verbs/loss.yaml


SELECTIVE = f"(1-p) h, h = {RETH_IN_EACH:.3f}"


def timer_us(timeout: int) -> Any:
    return 4.096 * 2**timeout


TIMEOUT_US = timer_us(TIMEOUT)


def selective_repeat(loss: float) -> float:
    """Share of the bandwidth left where each lost packet costs one that repeats it, and nothing
    else; and each packet a RETH."""
    return (1 - loss) * RETH_IN_EACH


def whole_round(loss: float) -> float:
    """... where it costs all that is sent until it is repeated."""
    return (1 - loss) / (1 - loss + loss * ROUND)


def of_loss(text: str) -> float:
    return float(text.split()[0]) / 100


def go_back_n(loss: float) -> Any:
    """whole_round, with the timer: the NAK or the first repeated packet may be lost, too, and then
    it has to expire (V-S1: one NAK a gap)."""
    return 1 / (1 + loss / (1 - loss) * (ROUND + 2 * loss * TIMEOUT_US / PACKET_US))


def spread(loss: float, messages: int, theory: float) -> Any:
    """Share by which the goodput of so many messages differs by chance: 2 standard deviations of
    the number of timeouts, a Poisson one."""
    timeouts = messages * 64 * loss * 2 * loss
    return 2 * math.sqrt(timeouts) * TIMEOUT_US / (messages * 65536 * 8 / theory / 1e3)


def luck(loss: float, packets: int, left: float) -> float:
    """Share by which the goodput differs by chance where each lost packet costs the same: 2
    standard deviations of their number, a Poisson one."""
    return 2 / math.sqrt(packets * loss) * (1 - left)


def against(what: str, theory: float, here: float, tolerance: float,
            e: Experiment) -> tuple[tuple[Any, ...], bool]:
    return row(what, f"{theory:.2f} Gb/s within {100 * tolerance:.1f} %",
               f"{here:.2f} Gb/s, {here / theory:.3f} of it",
               abs(here / theory - 1) <= tolerance, e)


def losses(e: Experiment) -> list[tuple[tuple[Any, ...], bool]]:
    made = []
    clean = at(e, "goodput_gbps", "go_back_n", "0 %")
    messages = int(e.rows[0]["transfers_completed"])
    for policy, form, formula in (("go_back_n", whole_round, "(1-p) / (1-p+pR)"),
                                  ("selective_repeat", selective_repeat, SELECTIVE)):
        for text in e.axis()[1:]:
            left = form(of_loss(text))
            made.append(
                against(f"{policy} at {text} of loss: {formula}, no timer", clean * left,
                        at(e, "goodput_gbps", policy, text),
                        0.01 + luck(of_loss(text), messages * 64, left), e))
    for text in e.axis()[1:]:
        theory = clean * go_back_n(of_loss(text))
        made.append(
            against(
                f"go_back_n at {text} of loss: the same with the timer, 1 / (1 + p/(1-p) (R + "
                "2pT))",
                theory, at(e, "goodput_gbps", "go_back_n",
                           text), 0.02 + spread(of_loss(text), messages, theory), e))
    for text in e.axis()[1:]:
        lost, again = (int(at(e, column, "selective_repeat", text))
                       for column in ("a-b.a_to_b_lost", "a.rc.retransmissions"))
        made.append(
            row(f"selective_repeat at {text} of loss: packets sent again for each lost one", "1",
                f"{again:,} for {lost:,}: {again / max(1, lost):.2f}", again == lost, e))
    share = {
        text: {p: at(e, "goodput_gbps", p, text) / clean
               for p in e.axis(0)}
        for text in e.axis()
    }
    holds = all(s["go_back_0"] <= s["go_back_n"] *
                1.01 and s["go_back_n"] <= s["selective_repeat"] / RETH_IN_EACH * 1.001
                for s in share.values())
    made.append(
        row(
            "go_back_0, go_back_n, selective_repeat: never worse from left to right, but for the "
            "RETHs",
            "≤ at each loss", "; ".join(f"{text}: " + ", ".join(f"{v:.3f}" for v in s.values())
                                        for text, s in share.items()), holds, e))
    return made


def took_us(r: Mapping[str, Any]) -> Any:
    return int(r["transfers_completed"]) * 65536 * 8 / number(r["goodput_gbps"]) / 1e3


def without_timer(r: Mapping[str, Any]) -> Any:
    """Goodput if the timer had expired at once."""
    took = took_us(r) - int(r["a.rc.timeouts"]) * timer_us(int(r["values"][-1]))
    return int(r["transfers_completed"]) * 65536 * 8 / took / 1e3


def timer(e: Experiment) -> list[tuple[tuple[Any, ...], bool]]:
    """The same packets are lost whatever the timer is: what it costs, and what the other forms come
    to without it."""
    made = []
    text = e.axis(1)[-1]
    for recovery in e.axis(0):
        first, *_, last = rows = [r for r in e.rows if tuple(r["values"][:2]) == (recovery, text)]
        expired = int(last["a.rc.timeouts"])
        theory = expired * (timer_us(int(last["values"][-1])) - timer_us(int(first["values"][-1])))
        here = took_us(last) - took_us(first)
        same = all(r[key] == first[key] for r in rows
                   for key in ("a.rc.timeouts", "a.rc.retransmissions", "a-b.a_to_b_lost"))
        made.append(
            row(
                f"{recovery} at {text} of loss: a timer of 2^{last['values'][-1]} in place of "
                f"2^{first['values'][-1]}, the same losses",
                f"{expired} expiries, {theory / 1e3:.2f} ms within 1 %",
                f"{here / 1e3:.2f} ms" + ("" if same else ", other losses"), same
                and abs(here - theory) <= 0.01 * theory, e))
    for r in e.rows:
        recovery, text, timeout = r["values"]
        if int(timeout) != TIMEOUT:
            continue
        policy = recovery.split(", ")[0]
        left = (selective_repeat if policy == "selective_repeat" else whole_round)(of_loss(text))
        made.append(
            against(
                f"{recovery} at {text} of loss, less {r['a.rc.timeouts']} expiries: "
                f"{SELECTIVE if policy == 'selective_repeat' else '(1-p) / (1-p+pR)'}",
                LINE_GBPS * left, without_timer(r),
                0.01 + luck(of_loss(text),
                            int(r["transfers_completed"]) * 64, left), e))
    return made


def rising(numbers: Sequence[float]) -> bool:
    return all(a < b for a, b in zip(numbers, numbers[1:]))


def orders(latency: Sequence[Experiment], inline: Sequence[Experiment],
           speeds: Sequence[Experiment]) -> list[tuple[tuple[Any, ...], bool]]:
    made = []
    for e in latency:
        of = [[at(e, "mean_us", what, size) for what in ("write", "send", "read")]
              for size in e.axis()]
        late = [size for size, times in zip(e.axis(), of) if not rising(times)]
        made.append(
            row("latency: WRITE < SEND < READ", "at each size",
                f"not at {', '.join(late)}" if late else "at each size", not late, e))
        grows = all(
            rising([at(e, "mean_us", what, size) for size in e.axis()]) for what in e.axis(0))
        made.append(
            row("latency grows with the message", "each verb", "each verb" if grows else "not each",
                grows, e))
    for e in inline:
        push = all(
            at(e, "mean_us", "push", size) < at(e, "mean_us", "doorbell", size)
            for size in e.axis())
        made.append(
            row("a pushed WQE is faster than one that is read", "at each size",
                "at each size" if push else "not at each", push, e))
    for e in speeds:
        falls = all(
            rising([at(e, "mean_us", what, rate) for rate in reversed(e.axis())])
            for what in e.axis(0))
        made.append(
            row("latency falls with the link's rate", "each verb",
                "each verb" if falls else "not each", falls, e))
    return made


def incast(e: Experiment) -> list[tuple[tuple[Any, ...], bool]]:
    drops = {
        r["values"][-1]: number(r["goodput_gbps"])
        for r in e.rows if r["values"][0].startswith("[],")
    }
    paused = [r for r in e.rows if not r["values"][0].startswith("[],")]
    refused = sum(int(r["s0.server.refused"]) for r in paused)
    again = sum(
        int(v) for r in paused for k, v in r.items() if k.endswith("rc.retransmissions") and v)
    return [
        row("Many to one through a lossless class: frames refused, packets sent again", "0, 0",
            f"{refused}, {again}", refused == 0 and again == 0, e),
        row(
            "Many to one: pauses carry no less than drops", "with each number of clients",
            "; ".join(
                f"{r['values'][-1]}: {number(r['goodput_gbps']):.2f} and "
                f"{drops[r['values'][-1]]:.2f}"
                for r in paused),
            all(number(r["goodput_gbps"]) >= 0.999 * drops[r["values"][-1]] for r in paused), e)
    ]


# bytes on the card and of a QP, contexts in a set; of scenarios/verbs/message_rate.yaml
BUDGET, CONTEXT, WAYS, OUTSTANDING = 2 << 20, 384, 16, 256


def set_is_full(number_of_qps: int) -> float:
    """Of a QP: so many others or more share its set, with a hash that spreads them at random
    (model/VERBS.md, V-K1)."""
    mean = number_of_qps / (BUDGET // (WAYS * CONTEXT))
    return 1 - sum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(WAYS))


def contexts(e: Experiment) -> list[tuple[tuple[Any, ...], bool]]:
    rates = {qps(r): number(r["goodput_gbps"]) * 1e3 / 64 for r in e.rows}
    missed = {
        qps(r): int(r["client.rc.cache_misses_qp"]) / int(r["client.rc.tx_packets"])
        for r in e.rows
    }
    knee = BUDGET / CONTEXT
    fit = {n: rate for n, rate in rates.items() if OUTSTANDING <= n <= knee / 2}
    beyond = {n: rate for n, rate in rates.items() if n > knee}
    full = max(rates.values())
    made = [
        row(
            f"message rate: full up to half of {knee:,.0f} QPs, whose contexts the card holds; "
            "beyond them half is gone",
            "at least 97 %; at most 50 %", "; ".join(", ".join(f"{n:,}: {rate / full:.1%}"
                                                               for n, rate in some.items())
                                                     for some in (fit, beyond)),
            all(rate >= 0.97 * full for rate in fit.values())
            and all(rate <= 0.5 * full for rate in beyond.values()), e)
    ]
    expected = {n: set_is_full(n) for n in missed}
    made.append(
        row(
            "contexts missed, a message: at most where a set is full, and half as often at least",
            ", ".join(f"{n:,}: {p:.3f}" for n, p in expected.items()),
            ", ".join(f"{n:,}: {share:.3f}" for n, share in missed.items()),
            all(0.5 * expected[n] - 0.005 <= share <= expected[n] + 0.005
                for n, share in missed.items()), e))
    falls = [rate for n, rate in rates.items() if n > knee / 2]
    made.append(
        row("hit < miss: the rate falls with each step behind that half", "falling",
            ", ".join(f"{rate:.1f}" for rate in falls) + " M/s",
            all(a > b for a, b in zip(falls, falls[1:])), e))
    return made


# ns of the processor for a WRITE: post, push, poll of profile cx5_100g
OF_A_WRITE_NS = 250 + 130 + 100


def threads_rate(number_of_threads: float) -> float:
    """Million WRITEs a second that so many threads post and poll, each on a core of its own."""
    return number_of_threads * 1e3 / OF_A_WRITE_NS


def threads(e: Experiment) -> tuple[tuple[Any, ...], bool]:
    made = [(value(r["values"][-1]), number(r["goodput_gbps"]) * 1e3 / 64) for r in e.rows]
    return row(
        "message rate of threads: each adds what its processor can, up to 16",
        "; ".join(f"{n:g}: {threads_rate(n):.2f} M/s, less at most 1 %" for n, _ in made
                  if n <= 16),
        "; ".join(f"{n:g}: {rate:.2f}" for n, rate in made),
        all(threads_rate(n) * (0.99 if n <= 16 else 0) <= rate <= threads_rate(n)
            for n, rate in made), e)


def congestion(e: Experiment) -> list[tuple[tuple[Any, ...], bool]]:
    pairs = list(zip(e.select("none", congestion="none"), e.select("none", congestion="dcqcn")))
    queue = "s0.server.queue_high_water"
    return [
        row(
            "DCQCN keeps the longest queue shorter", "with each number of clients",
            "; ".join(f"{n['values'][-1]}: {int(d[queue]):,} for {int(n[queue]):,} B"
                      for n, d in pairs), all(int(d[queue]) < int(n[queue]) for n, d in pairs), e),
        row("DCQCN: Jain's index", "at least 0.95",
            ", ".join(f"{number(d['jain']):.3f}" for _, d in pairs),
            all(number(d["jain"]) >= 0.95 for _, d in pairs), e)
    ]


def section(page: Page) -> tuple[Any, list[tuple[Any, bool]]] | None:
    of = page.experiments
    rows = [
        check(e)
        for name, check in (("pmtu_4096", full_line), ("speeds", wire_time), ("window", window))
        for e in of(name)
    ]
    rows += [three_packets(e) for e in of("latency")]
    rows += [
        each for name, check in (("loss", losses), ("timer", timer)) for e in of(name)
        for each in check(e)
    ]
    rows += orders(of("latency"), of("inline"), of("speeds"))
    rows += [each for e in of("incast") for each in incast(e)]
    rows += [each for e in of("dcqcn") for each in congestion(e)]
    rows += [threads(e) for e in of("threads")]
    rows += [each for e in of("message_rate") for each in contexts(e)]
    if not rows:
        return None
    lead = [
        (
            "Each figure is from the scenario named beside it. Tests hold single times to the"
            " picosecond (ctest -L network), and the rules of VERBS.md one by one (ctest -L verbs)."
        ),
        (
            "The forms of loss without a timer count what has to be sent again and nothing else."
            " They miss where the timer expires: it is 1.05 ms, as long as 11,850 packets take on"
            " the line, and a few expiries cost more than all that is sent again. The form with the"
            " timer (T in packets) has it expire for a share of 2p of the losses. Rows that leave"
            " the expiries out show what else costs time: needless repetitions, and a closed"
            " window."
        ),
    ]
    table = verdicts(
        ["what", "verdict", "theory", "simulated", "scenario"], [cells for cells, _ in rows]
    )
    return markup.part("elements", "paragraphs", lead) + table, rows
