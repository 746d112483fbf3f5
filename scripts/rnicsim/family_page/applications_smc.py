# SPDX-License-Identifier: Apache-2.0
"""SMC-R beside TCP and verbs, and what an article says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import KIB, Claim, crossover, size_of
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages

NAMES = {
    "tcp": "TCP",
    "smc_r": "SMC-R, 64 KiB",
    "smc_r_512": "SMC-R, 512 KiB",
    "verbs": "verbs, no sockets",
}
Rows = Sequence[Mapping[str, Any]]


def median(row: Mapping[str, Any]) -> float:
    """us; the mean has the set-up of the connection as well."""
    return float(row["median_us"])


def set_up(rows: Rows) -> float:
    """us of a connection: the first request has waited for it."""
    return float(rows[0]["set_up_us"]) * int(rows[0]["transfers_completed"])


def panel(title: str, curves: Mapping[str, Rows], least: int, most: int) -> Any:
    drawn = []
    for label, rows in curves.items():
        chosen = [row for row in rows if least <= size_of(row) <= most]
        drawn.append(
            (
                label,
                (
                    [size_of(row) / KIB for row in chosen],
                    [median(row) for row in chosen],
                    [float("nan")] * len(chosen),
                ),
            )
        )
    return lines(title, styled(drawn), "message (KiB)", bottom=0)


def smc(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("smc")
    if e is None:
        return None
    curves = {label: e.select(name) for name, label in NAMES.items()}
    tcp, small, large, verbs = curves.values()
    panels = [
        (panel("Small messages (us)", curves, 64, 16 * KIB), "round trips of small messages"),
        (
            panel("Large messages (us)", curves, 16 * KIB, 256 * KIB),
            "round trips of large messages",
        ),
    ]
    head = ["message", *(f"{label} (us)" for label in curves), "SMC-R: requests posted, both ends"]
    table = [
        [
            row["values"][-1],
            *(f"{median(rows[i]):,.1f}" for rows in curves.values()),
            f"{posted(row):.1f}",
        ]
        for i, row in enumerate(small)
    ]
    said = [
        "SMC-R has each byte copied twice, as TCP does, and an interrupt and a call of the system "
        "at each end; it saves what TCP's protocol costs. A message that fills the peer's ring "
        "waits there until all of it is read: then it stops and goes.",
        f"Its connection takes {set_up(small):,.0f} us behind TCP's handshake: three messages by "
        f"TCP, two by SEND. A peer that declines is known to be one after {set_up(tcp):,.0f} us.",
    ]
    return told(said) + page.figure(
        e, "Sockets by shared memory", panels, "Median of 20 round trips.", head, table
    ), of_smc(tcp, small, large, verbs)


def posted(row: Mapping[str, Any]) -> float:
    """Work requests of a round trip."""
    both = sum(int(row[f"{host}.host.sends_posted"]) for host in ("client", "server"))
    return both / int(row["transfers_completed"])


def of_smc(tcp: Rows, small: Rows, large: Rows, verbs: Rows) -> list[Claim]:
    made = []
    for name, rows, ring in (("64 KiB", small, 64 * KIB), ("512 KiB", large, 512 * KIB)):
        between = [
            size_of(row)
            for row, slow, fast in zip(rows, tcp, verbs)
            if median(fast) < median(row) < median(slow)
        ]
        up_to = [size_of(row) for row in rows if size_of(row) <= ring // 4]
        made.append(
            Claim(
                f"A11: SMC-R lies between verbs and TCP, up to a quarter of a ring of {name}",
                "article 4.4",
                "finding",
                "at each size",
                f"at {sum(size in between for size in up_to)} of {len(up_to)}",
                all(size in between for size in up_to),
                "smc",
            )
        )
    slower = [
        crossover([timed(row) for row in rows], [timed(row) for row in tcp])
        for rows in (small, large)
    ]
    made.append(
        Claim(
            "A11: ... and with messages of any size",
            "article 4.4",
            "shape",
            "nowhere behind TCP up to 4 MiB",
            "; ".join(
                f"{name}: nowhere" if at is None else f"{name}: behind it from {at / KIB:,.0f} KiB"
                for name, at in zip(("64 KiB", "512 KiB"), slower)
            ),
            slower == [None, None],
            "smc",
        )
    )
    return made


def timed(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row, with its median where others have their mean."""
    return {**row, "mean_us": row["median_us"]}
