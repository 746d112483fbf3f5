# SPDX-License-Identifier: Apache-2.0
"""The section of systems_page that holds results of scenarios/systems against theory, with a
verdict each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.experiment import a_run, counted, whole_ms
from rnicsim.family_page.page import verdict
from rnicsim.report_page import markup
from rnicsim.report_page.results import number, quantities

if TYPE_CHECKING:
    from rnicsim.family_page.experiment import Experiment
    from rnicsim.family_page.page import Page

EXACT_US = 1e-4  # far below a cycle
DATA_SHARE = 1024 / 1094  # payload of a data frame, and its bytes on the wire with preamble and gap
FRAME_US = 8.752  # such a frame at 1 Gb/s
ALONE_US = 128 * 1024 * 8 / 1e3  # 128 KiB at 1 Gb/s: the longest wait of run.random_start: auto
WINDOW, DATA_TIMER_US = 8, 500  # defaults that scenarios/systems/data_timer.yaml keeps


def first_number(text: Any) -> Any:
    return quantities([text.split(",")[0]])[0][0]


def path(e: Experiment) -> tuple[Any, ...]:
    equal = [abs(number(row["mean_us"]) - number(row["theory_us"])) < EXACT_US for row in e.rows]
    return ("A transfer over two switches takes the sum of its steps", "equal to the cycle",
            f"{sum(equal)} of {len(equal)} equal", all(equal), e.name)


def port(experiments: Sequence[Experiment]) -> tuple[Any, ...]:
    best = max(
        number(row["goodput_gbps"]) for e in experiments for row in e.rows
        if row["method"] != "none")
    return ("A port of 1 Gb/s carries no more payload than its frames have",
            f"at most {DATA_SHARE:.4f} Gb/s", f"at most {best:.4f} Gb/s", best <= DATA_SHARE,
            ", ".join(e.name for e in experiments))


def full_port(e: Experiment) -> tuple[Any, ...]:
    """Each client has one transfer of 128 frames under way, so that one takes as long as the port
    needs for all n (Little's law): but at the beginning, where it may start later by a transfer
    alone on its wire, and at the end, where it is through as much before the others. Of a client's
    mean that is two in 40."""
    rows = e.select("dynamic", timer="adaptive")
    edges = [
        2 * ALONE_US / (a_run(row, "transfers_completed") / int(row["values"][-1])) for row in rows
    ]
    bounds = [int(row["values"][-1]) * 128 * FRAME_US - edge for row, edge in zip(rows, edges)]
    means = [number(row["mean_us"]) for row in rows]
    at = next(i for i, row in enumerate(rows) if row["values"][-1] == "16")
    return ("Mean time of a transfer where clients fill the port, 16 of them",
            f"at least {bounds[at]:,.0f} us", f"{means[at]:,.0f} us",
            all(mean >= bound for mean, bound in zip(means, bounds)), e.name)


def shape(e: Experiment, what: str, theory: str, holds: Callable[..., Any]) -> tuple[Any, ...]:
    """The sign of the gain, where its interval leaves no doubt, over the number of clients."""
    gains = [(row["values"][-1].split(",")[0], number(row["gain"]), number(row["gain_ci95"]))
             for row in e.select("dynamic")]
    return (what, theory, ", ".join(f"{clients}: {gain:+.1%}" for clients, gain, _ in gains),
            all(holds(int(clients), gain, half) for clients, gain, half in gains), e.name)


def half_full(e: Experiment) -> tuple[Any, ...]:
    return shape(e, "Gain where the port is half full, by clients", "positive with each",
                 lambda clients, gain, half: gain > half)


def turns(e: Experiment) -> tuple[Any, ...]:
    return shape(
        e, "Gain where the port is full, by clients", "positive alone, negative from 4 on",
        lambda clients, gain, half: gain > half if clients == 1 else gain < -half
        if clients >= 4 else True)


def sharing(e: Experiment) -> tuple[Any, ...]:
    """Two flows of the same volume share the port: each takes at least as long as the port needs
    for both."""
    alone, both = (whole_ms(row, 4096) for row in e.rows[-2:])
    ideal = a_run(e.rows[-1], "transfers_completed") * (4096 + 38) * 8 / 100e6
    return ("Two flows of 56 Gb/s to a port of 100: alone, ideal, both",
            f"alone < {ideal:.2f} ms <= both", f"{alone:.2f} ms, {both:.2f} ms",
            alone < ideal <= both, e.name)


def queue(e: Experiment) -> Any:
    """Frames of 1,074 B from 16 sources at random; the shortest time of a frame is that of one that
    did not wait."""
    rows = []
    for row in e.rows:
        load = 16 * FRAME_US / first_number_us(row)
        waits = number(row["mean_us"]) - number(row["min_us"])
        expected = FRAME_US * load / (2 * (1 - load))
        rows.append((f"Mean wait at {load:.0%} of the port: M/D/1",
                     f"{expected:.3f} us", f"{waits:.3f} ± {number(row['ci95_us']):.3f} us",
                     abs(waits - expected) <= number(row["ci95_us"]), e.name))
    return rows


def first_number_us(row: Mapping[str, Any]) -> float:
    value, unit = row["values"][0].split()
    return float(value) * {"us": 1, "ms": 1000}[unit]


def lossless(experiments: Sequence[Experiment]) -> tuple[Any, ...]:
    rows = [
        row for e in experiments for row in (
            e.select("none", lossless="[3]", traffic="bulk") if e.name == "pauses" else e.rows)
    ]
    lost = sum(int(row["transfers_failed"]) for row in rows)
    frames = lost + sum(int(row["transfers_completed"]) for row in rows)
    return ("Frames lost of lossless classes, with the headroom of the formula", "0",
            f"{lost:,} of {frames:,}", lost == 0, ", ".join(e.name for e in experiments))


def pauses(e: Experiment) -> tuple[Any, ...]:
    """Two hosts that always have something to send fill a port of 100 Gb/s by turns: a port's queue
    grows and falls at 50 Gb/s. Between XOFF and XON it moves by xon_below, by what comes before the
    pause takes hold (pause frame, wire, 394 quanta of reaction, wire), by what leaves before the
    next frame is in (pause frame, wire, frame, wire), and at each end by a part of a frame."""
    row = e.rows[-1]
    frame, rate, flows = 4096 + 18, 50 / 8 * 1e3, 2  # bytes, bytes a us
    pause_frame, wire, reaction, one_frame = 72 * 80e-6, 0.5, 394 * 512 / 100e3, (frame + 8) * 80e-6
    swing = 8228 + rate * (pause_frame + 2 * wire + reaction) + rate * (pause_frame + 2 * wire +
                                                                        one_frame)
    took = whole_ms(row, 4096) * 1e3
    # In a period of a port, up and down, it sends one pause and one that takes it back.
    most, least = (2 * flows * took / (2 * length / rate) for length in (swing, swing + 2 * frame))
    sent = a_run(row, "s0.source.pauses_sent")
    return ("Pause frames of two hosts that fill a port", f"{least:,.0f} to {most:,.0f}",
            counted(sent), least <= sent <= most, e.name)


def indirect(e: Experiment) -> tuple[Any, ...]:
    """While a registration that has failed waits for its next try (0.9 ms, and 16.4 us of
    registering) the port brings 105 segments, whoever sends. One in ten fails, so that one of n
    transfers meets as many failures in a row as n has digits."""
    segments = int((900 + 16.4) / FRAME_US) + 1
    waits = {
        row["values"][0].split(",")[0]: int(row["server.transport.indirect_buffer_high_water"])
        for row in e.rows
    }
    in_a_row = len(str(max(int(row["transfers_completed"]) for row in e.rows)))
    return ("Segments in the indirect buffer at most, by the number of clients",
            f"{segments} a failure, {in_a_row} in a row, for any number",
            ", ".join(f"{clients}: {slots}" for clients, slots in waits.items()),
            max(waits.values()) <= segments * in_a_row, e.name)


def spurious(e: Experiment) -> tuple[Any, ...]:
    most = int(DATA_TIMER_US / (WINDOW * FRAME_US))
    rows = [row for row in e.select("dynamic", timer="fixed") if int(row["values"][-1]) <= most]
    count = sum(int(row["client.transport.data_timeouts"]) for row in rows)
    return (f"Data timers that expire for nothing, with {most} clients at most", "0",
            f"{count} with {' and '.join(row['values'][-1] for row in rows)}", count == 0, e.name)


def section(page: Page) -> tuple[Any, list[tuple[Any, ...]]] | None:
    """HTML of the section, or None where none of its scenarios was run."""
    of = page.experiments
    rows = [path(e) for e in of("path")]
    full = of("incast", "load", "data_timer", "buffer", "table")
    rows += [port(full)] if full else []
    rows += [full_port(e) for e in of("data_timer")]
    rows += [row for e in of("queue") for row in queue(e)]
    paused = of("pauses", "placement")
    rows += [lossless(paused)] if paused else []
    rows += [check(e) for e in of("placement") for check in (pauses, sharing)]
    rows += [half_full(e) for e in of("load")] + [turns(e) for e in of("incast")]
    rows += [indirect(e) for e in of("indirect_clients")]
    rows += [spurious(e) for e in of("data_timer")]
    if not rows:
        return None
    lead = [
        "Each figure is from the scenario named beside it. Tests check the same, and what a"
        " scenario cannot show: frames that come together, that the headroom of the formula is"
        " enough and a frame less is not, a port that gets twice what it carries, ns-3's devices"
        " and queues frame by frame (ctest -L network)."
    ]
    table = markup.table(["what", "verdict", "theory", "simulated", "scenario"],
                         [(what, verdict(holds), theory, found, name)
                          for what, theory, found, holds, name in rows])
    return markup.part("elements", "paragraphs", lead) + table, rows
