# SPDX-License-Identifier: Apache-2.0
"""Tensors as TensorFlow's verbs carry them, and what an article says of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnicsim.family_page.applications_claims import Claim
from rnicsim.family_page.drawing import lines, told
from rnicsim.family_page.verbs_curves import styled

if TYPE_CHECKING:
    from rnicsim.family_page import page as pages

Rows = Sequence[Mapping[str, Any]]
PATHS = ("direct", "proxy", "proto")
BLANK = float("nan")


def posted(row: Mapping[str, Any]) -> int:
    """WRITEs of both ends."""
    return sum(int(row[f"{host}.host.sends_posted"]) for host in ("owner", "user"))


def count(row: Mapping[str, Any]) -> int:
    return int(row["transfers_completed"])


def wanted(row: Mapping[str, Any], every: int) -> int:
    """3 + 4 (1 - h): each tensor is new once, and with each `every`-th time."""
    new = 1 if every == 0 else -(-count(row) // every)
    return 3 * count(row) + 4 * new


def tensor(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("tensor")
    if e is None:
        return None
    names = ["never" if text == "0" else f"1 of {text}" for text in e.axis(0)]
    places = list(range(len(names)))
    of = {path: e.select("none", path=path) for path in PATHS}
    each = [posted(row) / count(row) for row in of["direct"]]

    def curve(values: Sequence[float]) -> Any:
        return places, list(values), [BLANK] * len(places)

    times = {path: [float(row["mean_us"]) for row in rows] for path, rows in of.items()}
    panels = [
        (
            lines(
                "WRITEs a tensor",
                styled([("both ends", curve(each))]),
                "new meta-data",
                bottom=0,
                names=names,
            ),
            "WRITEs a tensor over how often meta-data change",
        ),
        (
            lines(
                "Mean time of 1 MiB (us)",
                styled([(path, curve(times[path])) for path in ("direct", "proxy")]),
                "new meta-data",
                bottom=0,
                names=names,
            ),
            "time of a tensor over how often meta-data change",
        ),
    ]
    head = ["new meta-data", "WRITEs a tensor", *(f"{path} (us)" for path in PATHS)]
    table = [
        [name, f"{each[i]:.2f}", *(f"{times[path][i]:,.1f}" for path in PATHS)]
        for i, name in enumerate(names)
    ]
    said = [
        "A request, its ACK and the tensor; where the meta-data are new they come first, and the "
        "request is repeated. Who has the tensor then keeps a clone, a copy that costs more than "
        "the messages. Through protobuf at 1 GB/s at each end nothing of this shows."
    ]
    holds = all(
        posted(row) == wanted(row, int(every))
        for rows in of.values()
        for row, every in zip(rows, e.axis(0))
    )
    claims = [
        Claim(
            "A5: 3 WRITEs a tensor, 7 with new meta-data, 3 + 4 (1 - h) in the mean",
            "article 4.1",
            "exact",
            ", ".join(
                f"{wanted(row, int(every)) / count(row):.2f}"
                for row, every in zip(of["direct"], e.axis(0))
            ),
            ", ".join(f"{value:.2f}" for value in each),
            holds,
            e.name,
        )
    ]
    return (
        told(said) + page.figure(e, "A tensor's messages", panels, "One at a time.", head, table),
        claims,
    )


def us_of_message(row: Mapping[str, Any], size: int) -> float:
    """Of the run, for each message of who asks: a request, and one more where meta-data are new."""
    whole = count(row) * size * 8 / float(row["goodput_gbps"]) / 1e3
    return whole / (count(row) + (posted(row) - 3 * count(row)) / 4)


def one_message(page: pages.Page) -> tuple[Any, Any] | None:
    e = page.experiment("one_message")
    if e is None:
        return None
    sizes = {"1 KiB": 1024, "64 KiB": 65536}
    of = {text: e.select("none", size=text) for text in sizes}
    depths = [int(text) for text in e.axis()]
    rates = {
        text: [float(row["goodput_gbps"]) * 1e6 / 8 / sizes[text] for row in rows]
        for text, rows in of.items()
    }
    panels = [
        (
            lines(
                "Thousand tensors a second",
                styled([(t, (depths, rates[t], [BLANK] * len(depths))) for t in sizes]),
                "requests under way",
                bottom=0,
            ),
            "tensors a second over requests under way",
        )
    ]
    head = ["requests under way", *(f"{text} (thousand a second)" for text in sizes)]
    table = [
        [str(depth), *(f"{rates[text][i]:.1f}" for text in sizes)] for i, depth in enumerate(depths)
    ]
    small = of["1 KiB"]
    turn = float(small[0]["content_us"])
    ratios = [us_of_message(row, 1024) / turn for row in small[1:]]
    said = [
        "Each end has one buffer for messages of the other one, which is free again when its ACK "
        "is there. From two requests under way on each waits for the one before: a message a "
        "round trip and what both ends do for it, however many tensors are wanted."
    ]
    claims = [
        Claim(
            "A6: messages a second at most 1 / (RTT + handling), however many are wanted",
            "article 4.1",
            "bound",
            f"a message takes 0.85 to 1 of the {turn:.1f} us from a lone request to its tensor",
            f"{min(ratios):.2f} to {max(ratios):.2f}, with 2 to {depths[-1]} under way",
            all(0.85 <= ratio <= 1 for ratio in ratios),
            e.name,
        )
    ]
    return (
        told(said)
        + page.figure(
            e, "One message at a time", panels, "64 tensors, each asked for ten times.", head, table
        ),
        claims,
    )
