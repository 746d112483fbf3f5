# SPDX-License-Identifier: Apache-2.0
"""A server of keys and values through a bridge, beside TCP and RDMA: a section of the page "A
bridge between hosts"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.family_page.bridge_claims import Claim
from rnicsim.family_page.bridge_rows import points, rows_of, size, us
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page.page import Page

LABELS = {
    "kernel": "TCP, kernel",
    "user": "TCP, program",
    "rdma": "RDMA",
    "ring": "rings",
    "direct": "rings, no copy",
}
SMALL = 4096  # bytes: values of a store; more are files
THESIS = {"kernel": 24.5, "user": 1.58}  # times as long as through a bridge, at most


def span(values: list[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def commands(page: Page) -> tuple[Any, list[Claim]] | None:
    e = page.experiment("keys")
    if e is None:
        return None
    idle, busy = e.axis(0)
    names = e.axis(1)
    places = list(range(len(names)))
    of = {
        (item, program): [us(row) for row in rows_of(e, program, traffic=item)]
        for item in LABELS
        for program in (idle, busy)
    }
    small = sum(size(name) <= SMALL for name in names)

    def longer(item: str, program: str, ring: str = "ring") -> list[float]:
        return [a / b for a, b in zip(of[item, program], of[ring, program])]

    panels = [
        (
            lines(
                "A command, programs do nothing (us)",
                styled(
                    [
                        (LABELS[item], points(places[:small], of[item, idle][:small]))
                        for item in ("kernel", "user", "rdma", "ring")
                    ]
                ),
                "value",
                bottom=0,
                names=names[:small],
            ),
            "time of a command by the bytes of a value",
        ),
        (
            lines(
                "Times as long as through rings",
                styled(
                    [
                        (LABELS[item], points(places, longer(item, idle)))
                        for item in ("kernel", "user", "rdma")
                    ]
                ),
                "value",
                bottom=0,
                names=[name.replace(" ", "\n") for name in names],  # too many for a line
            ),
            "gain over value size",
        ),
    ]
    table = [
        [name, program, *(f"{of[item, program][i]:.2f}" for item in LABELS)]
        for program in (idle, busy)
        for i, name in enumerate(names)
    ]
    less = {
        item: [longer(item, program)[:small] for program in (idle, busy)] for item in THESIS
    }
    files = longer("kernel", idle, "direct")[small:]
    saved = [a - b for a, b in zip(of["kernel", idle][small:], of["direct", idle][small:])]
    said = [
        "A command and its answer are a message each. TCP in the program stands for libvma. What "
        "is gained is a cost of each message; of long values a core's stores take most, and the "
        "gain falls. No command is handed to another process, which takes NTSocks 1.7 us a round "
        "(run.nts.hand_over)."
    ]
    claims = [
        Claim(
            "N32",
            "a store's commands take less by a bridge than over TCP in the kernel and over RDMA "
            "sockets",
            "shape",
            "less at each size (with other programs, stacks and processors there, up to "
            + " and ".join(f"{most} times" for most in THESIS.values())
            + " as long)",
            "; ".join(
                f"{span(quick)} times, with work {span(slow)}" for quick, slow in less.values()
            ),
            all(min(one) > 1 for both in less.values() for one in both),
            e.name,
        ),
        Claim(
            "N32b",
            "what the programs work themselves hides the gain",
            "shape",
            "at each size",
            f"at 8 B {less['kernel'][0][0]:.1f} times, {less['kernel'][1][0]:.1f} with work",
            all(a > b for quick, slow in less.values() for a, b in zip(quick, slow)),
            e.name,
        ),
        Claim(
            "N33",
            "the longer a file, the more times as long TCP takes",
            "shape",
            "grows, from 3.88 to 6.69 times",
            f"falls: {', '.join(f'{one:.1f}' for one in files)} times; what is saved grows: "
            f"{', '.join(f'{one:.0f}' for one in saved)} us",
            min(files) > 1 and files == sorted(files),
            e.name,
        ),
    ]
    head = ["value", "programs", *(f"{label} (us)" for label in LABELS.values())]
    title = "Commands by the bytes of a value"
    return told(said) + page.figure(e, title, panels, "Mean.", head, table), claims
