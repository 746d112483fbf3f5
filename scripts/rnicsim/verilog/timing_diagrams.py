# SPDX-License-Identifier: Apache-2.0
"""Prints what is promised of the ports of each block as timing diagrams, drawn from a run of the
Verilog: rtl/TIMING.md.

Usage: scripts/timing_diagrams [PROGRAM]     PROGRAM: rnicsim with waveforms [build/ci/bin/rnicsim]

The run is one of models and Verilog side by side, so that what is drawn is what was compared. Needs
fst2vcd (GTKWave). `scripts/reference` writes the file.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.verilog.waveform import Wave
from rnicsim.places import ROOT

SCENARIO = """
system: {host: {registration: {failure: 60 %}}}
simulation: {seed: 1, rnic: rtl}
run: {size: 3000 B, transfers: 3, methods: [dynamic], repetitions: 1}
"""
CYCLE = 8000  # ps
WIDTH = 6     # characters a cycle
HEAD = """# Timing

What [README.md](README.md) promises of the blocks' ports, cycle by cycle, drawn by `scripts/timing_diagrams` from a run
in which models and Verilog were equal in every event. A test draws it again. `rnicsim cosim` checks a block of your own
against it.

- `‾`, `_`: high, low; `-`: no meaning
- `|`: a cycle begins in which the signal has changed
- `:`: cycles without changes are left out
"""  # noqa: E501


class Held(dict[Any, Any]):
    """Where a block's clock stands still, its ports stay as they are."""

    def __missing__(self, cycle: int) -> Any:
        return self[max(known for known in self if known < cycle)]


class Trace:
    """The ports of one block, by cycle."""

    def __init__(self, file: Path) -> None:
        wave = Wave(file)
        top = min(wave.scopes, key=len)
        self.names = [name for name in wave.signals if name.rpartition(".")[0] == top]
        ports = [name.rpartition(".")[2] for name in self.names]
        self.at = Held(
            (time // CYCLE, dict(zip(ports, values))) for time, values in wave.cycles(*self.names))

    def first(self, holds: Any, start: int = 0) -> Any:
        return next(cycle for cycle in sorted(self.at) if cycle >= start and holds(self.at[cycle]))


def draw(trace: Any, columns: Any, rows: Any) -> Any:
    """`columns`: (label, cycle), or None for those left out. `rows`: (port, text of its value by
    cycle or None for a wire)."""
    wide = max(len(name) for name, _ in rows) + 2
    lines = [
        "cycle".ljust(wide) + "".join(":".ljust(3) if column is None else column[0].ljust(WIDTH)
                                      for column in columns)
    ]
    for name, text in rows:
        line, before = "", None
        for column in columns:
            if column is None:
                line += ":".ljust(3)
                before = None
                continue
            value = trace.at[column[1]][name]
            if text is not None:
                said = text(column[1])
                line += "-" * WIDTH if said == "-" else said.ljust(WIDTH)
                continue
            line += ("|" if before is not None and value != before else
                     "‾" if value else "_") + ("‾" if value else "_") * (WIDTH - 1)
            before = value
        lines.append(name.ljust(wide) + line)
    return "```\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def offset(cycle: int, zero: Any, name: str) -> Any:
    return (name, cycle) if cycle == zero else (f"{name}{cycle - zero:+}", cycle)


def gmac_tx(trace: Any) -> Any:
    # the second: it needs no padding
    t = trace.first(lambda p: p["start_i"], trace.first(lambda p: p["start_i"]) + 100)
    preamble = trace.first(lambda p: p["gmii_tx_en_o"], t)
    length = trace.first(lambda p: not p["gmii_tx_en_o"], preamble) - preamble - 8
    last = t + 11 + length

    def wire(cycle: int) -> Any:
        place = cycle - preamble - 8
        if not trace.at[cycle]["gmii_tx_en_o"]:
            return "-"
        return (
            "d5" if place == -1 else "55"
        ) if place < 0 else f"b{place + 1}" if place < length - 4 else f"fcs{place - length + 5}"

    def given(cycle: int) -> Any:
        return f"b{cycle - t - 10}" if trace.at[cycle]["take_o"] else "-"

    columns = [offset(c, t, "t") for c in range(t, t + 6)
               ] + [None] + [offset(c, t, "t") for c in range(t + 10, t + 15)] + [None]
    columns += [(f"e{c - last:+}" if c != last else "e", c)
                for c in [*range(last - 6, last + 2), last + 8, last + 9, last + 10]]
    columns.insert(-3, None)
    rows = [("start_i", None), ("ready_o", None), ("take_o", None), ("data_i", given),
            ("last_i", None), ("gmii_tx_en_o", None), ("gmii_txd_o", wire)]
    return (
        f"A frame of L = {length} bytes, begun in cycle t; its last byte is on the wire in e = t + "
        "11 + L,\n"
        "and `ready_o` is high again in e + 9 = t + 20 + L. b1 .. are its bytes;\nbetween frames "
        "`ready_o` stays high, `take_o` and `gmii_tx_en_o` low.\n\n"
        + draw(trace, columns, rows))


def gmac_rx(trace: Any) -> Any:
    begin = trace.first(lambda p: p["gmii_rx_dv_i"])
    s = begin + 8
    t = trace.first(lambda p: not p["gmii_rx_dv_i"], begin) - 1
    length = t - s + 1

    def wire(cycle: int) -> Any:
        place = cycle - s
        if not trace.at[cycle]["gmii_rx_dv_i"]:
            return "-"
        return (
            "d5" if place == -1 else "55"
        ) if place < 0 else f"b{place + 1}" if place < length - 4 else f"fcs{place - length + 5}"

    def out(cycle: int) -> Any:
        return f"b{cycle - s - 4}" if trace.at[cycle]["valid_o"] else "-"

    columns = [offset(c, s, "s") for c in range(s - 2, s + 8)
               ] + [None] + [offset(c, t, "t") for c in range(t - 5, t + 5)]
    rows = [("gmii_rx_dv_i", None), ("gmii_rxd_i", wire), ("valid_o", None), ("first_o", None),
            ("data_o", out), ("end_o", None), ("good_o", None)]
    return ("A good frame whose first byte is on the wire in s, its last one in t.\n\n" +
            draw(trace, columns, rows))


def drp_frame_filter(trace: Any) -> Any:
    t = trace.first(lambda p: p["end_i"])

    def shown(cycle: int) -> str:
        return "valid" if trace.at[cycle]["drp_o"] else "-"
    columns = [offset(c, t, "t") for c in range(t - 3, t + 5)]
    rows = [("valid_i", None), ("end_i", None), ("good_i", None), ("drp_o", None),
            ("ordinary_o", None), ("other_destination_o", None), ("malformed_o", None),
            ("tid_o", shown)]
    return ("The end of a DRP frame in t. `ctrl_o` to `frame_bytes_o` are valid with `tid_o`.\n\n" +
            draw(trace, columns, rows))


def dma_engine(trace: Any) -> Any:
    t = trace.first(lambda p: p["request_valid_i"] and p["request_ready_o"] and p["request_write_i"]
                    and p["piece_bytes_i"] > 700)
    first = trace.first(lambda p: p["tlp_valid_o"], t)
    last = trace.first(lambda p: p["tlp_last_o"] and p["tlp_valid_o"], t)

    def number(cycle: int) -> Any:
        return f"{trace.at[cycle]['tlp_bytes_o']}" if trace.at[cycle]["tlp_valid_o"] else "-"

    columns = [
        *(offset(c, t, "t") for c in range(t, t + 3)), None,
        *(offset(c, t, "t") for c in range(first - 1, first + 3)), None,
        *(offset(c, last, "e") for c in range(last - 2, last + 2))
    ]
    rows = [("request_valid_i", None), ("request_ready_o", None), ("request_write_i", None),
            ("tlp_valid_o", None), ("tlp_first_o", None), ("tlp_last_o", None),
            ("tlp_bytes_o", number), ("idle_o", None)]
    return (
        f"A write of one piece, taken in t with `cfg_request_overhead_i` = {first - t}; the next "
        "request waits meanwhile.\n"
        "Its last TLP is on the ports in e.\n\n" + draw(trace, columns, rows))


def transport_controller(trace: Any) -> Any:
    t = trace.first(lambda p: p["frame_valid_i"] and p["idle_o"])
    columns = [offset(c, t, "t") for c in range(t - 1, t + 10) if c in trace.at]
    for cycle in trace.at.values():
        cycle["send_o ..."] = None
    rows = [*((name, None) for name in ("frame_valid_i", "frame_ready_o", "idle_o", "done_o")),
            ("send_o ...", lambda cycle: "valid" if trace.at[cycle]["done_o"] else "-")]
    return (
        "A decision about a frame that waits in t. `buffer_full_i` is read in t + 1; the "
        "results are valid with `done_o`, in\n"
        "t + 8, in which the next decision may begin.\n\n" + draw(trace, columns, rows))


def indirect_buffer(trace: Any) -> Any:
    t = trace.first(lambda p: p["keep_i"])
    w = trace.first(lambda p: p["walk_i"])
    last = trace.first(lambda p: p["piece_valid_o"] and p["piece_last_o"], w)
    keep = draw(trace, [offset(c, t, "t") for c in range(t, t + 5)],
                [("keep_i", None),
                 ("keep_slot_o", lambda c: "slot" if trace.at[c]["keep_i"] else "-"),
                 ("used_o", lambda c: f"{trace.at[c]['used_o'] - trace.at[t]['used_o']:+}"),
                 ("write_i", None),
                 ("write_word_i", lambda c: str(trace.at[c]["write_word_i"])
                  if trace.at[c]["write_i"] else "-")])
    walk = draw(trace,
                [offset(c, w, "w") for c in range(w - 1, last + 2)], [("mark_i", None),
                                                                      ("walk_i", None),
                                                                      ("piece_ready_i", None),
                                                                      ("piece_valid_o", None),
                                                                      ("piece_last_o", None)])
    return (
        "A frame is kept in t: its slot is counted in t + 1, its words may come at any time before "
        "they are read.\n\n"
        + keep +
        "\nWhat is kept of a TID is listed from w + 1 on, a slot a cycle while `piece_ready_i`, by "
        "SN.\n\n"
        + walk)


DIAGRAMS = [gmac_tx, gmac_rx, drp_frame_filter, transport_controller, indirect_buffer, dma_engine]
ENDS = {
    "gmac_tx": "a.gmac_tx",
    "gmac_rx": "b.gmac_rx",
    "drp_frame_filter": "b.frame_filter",
    "transport_controller": "b.transport_controller",
    "indirect_buffer": "b.indirect_buffer",
    "dma_engine": "b.dma_engine"
}


@ending.reported("timing_diagrams")
def main(arguments: Sequence[str]) -> Any:
    if len(arguments) > 1 or arguments[:1] and arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stdout if arguments[0] in ("-h", "--help") else sys.stderr)
        return 0 if arguments[0] in ("-h", "--help") else 2
    program = Path(arguments[0]) if arguments else ROOT / "build" / "ci" / "bin" / "rnicsim"
    if not program.is_file() or shutil.which("fst2vcd") is None:
        raise ending.Unusable(
            f"needs {program} (cmake --preset ci && cmake --build --preset ci) and fst2vcd of "
            "GTKWave"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "timing.yaml").write_text(SCENARIO, encoding="utf-8")
        done = subprocess.run(
            [program, "cosim", folder / "timing.yaml", "--wave", folder / "x.fst"],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ending.Failed(f"{program} cosim: {done.stderr or done.stdout}")
        text = HEAD
        for diagram in DIAGRAMS:
            block = diagram.__name__
            text += f"\n## {block}\n\n" + diagram(Trace(folder / f"x.{ENDS[block]}.fst"))
    print(text, end="")
