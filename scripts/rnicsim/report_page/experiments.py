# SPDX-License-Identifier: Apache-2.0
"""Which folders the page expects, and questions that several parts of the page ask of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TYPE_CHECKING

from rnicsim.report_page.intervals import difference, paired, prediction_half_width
from rnicsim.report_page.results import same_value

if TYPE_CHECKING:
    from rnicsim.report_page.intervals import Estimate
    from rnicsim.report_page.results import Result

FIGURES = {  # folder -> (heading, what is done)
    "fig4_frp": ("Figure 4: failed "
                 "registrations", "No frame is lost. The failed-registration probability (FRP) is "
                                  "swept."),
    "fig4_frp_wide": ("Figure 4, wider: failed registrations up to the extreme",
                      "As figure 4, far beyond the paper's range. The paper gives no numbers "
                      "here."),
    "fig5_lfp": ("Figure 5: lost "
                 "frames", "No registration fails. The lost-frame probability (LFP) is swept."),
    "fig6_joint": ("Figure 6: both "
                   "together", "Registrations fail and frames are lost with the same probability."),
    "fig7_board": ("Figure 7: the board",
                   "A slower host and PCIe path, pings of three sizes beside the transfers, memory "
                   "that other tasks use. "
                   "The payload of a data frame is swept. Dotted: the same payloads without the "
                   "board's burdens."),
}
READS = {
    "fig4_frp_read": ("Reads under failed registrations", "Figure 4 with RDMA reads."),
    "fig5_lfp_read": ("Reads under lost frames", "Figure 5 with RDMA reads."),
    "fig6_joint_read": ("Reads under both", "Figure 6 with RDMA reads."),
}
ABLATIONS = {  # folder -> (heading, question)
    "ablation_buffer": ("Size of the indirect "
                        "buffer", "How much early data the responder can park."),
    "ablation_retry": ("Who tries a failed registration again",
                       "The responder's host by itself, or only the next request; with the "
                       "indirect buffer and without."),
    "ablation_indirect_after": ("When silence means: go "
                                "indirect", "On which expiry of the request timer data goes "
                                            "indirect."),
    "ablation_resume": ("What a stalled window waits "
                        "for", "The valid REQ_ACK, or only the data timer."),
    "ablation_window": ("Window", "Data frames that may be outstanding."),
    "ablation_retransmission": ("What a loss "
                                "repeats", "Selective repeat, or everything from the loss on "
                                           "(go-back-N)."),
    "ablation_fast_retransmission": ("Fast retransmission", "On the n-th duplicate "
                                                            "acknowledgement; 0 = off."),
    "ablation_payload": ("Payload of a data "
                         "frame", "On the simulated host, without the board's burdens."),
    "ablation_request_timer": ("Request timer", "From one request to the next."),
    "fig7_drain": ("What one DMA request is "
                   "worth", "On the board: the buffer goes to memory in one request, or in one a "
                            "frame."),
}
OTHERS = ("fig7_simulated",)
PAIRS = ("f5_pairs_rare", "f5_pairs", "f7c_pairs")  # ours: report_page/pairs.py
EXPECTED = (*FIGURES, *OTHERS, *READS, *ABLATIONS, *PAIRS)
PAPERS, PAPER_SIZE = ("fig4_frp", "fig5_lfp", "fig6_joint", "fig7_board"), "5 × 800"


class Entry(NamedTuple):
    """One point of a one-axis sweep."""
    point: int
    label: str
    number: float


def entries(result: Result, axis: int = 0) -> list[Entry]:
    """The points in order of the axis, with its values as numbers where they are numbers (else
    their places)."""
    numbers = result.numbers(axis) if result.axes else None
    labels = [values[axis] if result.axes else result.name for values in result.points]
    known = [Entry(p, label, numbers[label] if numbers else p) for p, label in enumerate(labels)]
    return sorted(known, key=lambda entry: entry.number) if numbers else known


def faulty(result: Result) -> list[Entry]:
    """The points at which anything goes wrong: a probability above 0."""
    return [entry for entry in entries(result) if entry.number > 0]


def has_gains(result: Result) -> bool:
    return {"traditional", "dynamic"} <= set(result.methods)


def gains(result: Any, chosen: Sequence[Entry]) -> list[tuple[str, Estimate]]:
    """(label, gain) of those points that have one."""
    return [(e.label, result.gain(e.point)) for e in chosen if result.gain(e.point) is not None]


def band(result: Result, point: int) -> tuple[float, float]:
    """(low, high) of the 95 % band of one experiment of the same size, as fractions."""
    gain = result.gain(point)
    assert gain is not None  # both methods ran
    half = prediction_half_width(result.time(point, "traditional"), result.time(point, "dynamic"),
                                 gain)
    return gain.mean - half, gain.mean + half


def find(result: Result, value: str, axis: int = 0) -> Entry | None:
    """The point with this value of the axis, or None."""
    return next((entry for entry in entries(result, axis) if same_value(entry.label, value)), None)


def matched(a: Result, b: Result) -> Iterator[tuple[str, int, int]]:
    """(label, point of a, point of b) where both have the same value above 0 of their first
    axes."""
    for entry in faulty(a):
        other = find(b, entry.label)
        if other:
            yield entry.label, entry.point, other.point


def comparable(*lists: Any) -> bool:
    """Whether these are means of the same repetitions."""
    return all(lists) and len({len(means) for means in lists}) == 1


def slower(result_a: Result, point_a: int, result_b: Result, point_b: int, method: str) -> Estimate:
    """Time in a minus time in b: in pairs, because repetition i sees the same draws in both; else
    as independent."""
    a: Any = result_a.means(point_a, method)
    b: Any = result_b.means(point_b, method)
    if comparable(a, b):
        return paired([x - y for x, y in zip(a, b)])
    return difference(result_a.time(point_a, method), result_b.time(point_b, method))


def larger(result_a: Result, point_a: Any, result_b: Result, point_b: Any) -> Estimate:
    """Gain in a minus gain in b, in pairs if that can be."""
    runs: list[Any] = [
        result.means(point, method) for result, point in ((result_a, point_a), (result_b, point_b))
        for method in ("traditional", "dynamic")
    ]
    if comparable(*runs):
        return paired([d_b / t_b - d_a / t_a for t_a, d_a, t_b, d_b in zip(*runs)])
    return difference(result_a.gain(point_a), result_b.gain(point_b))


def command(name: str) -> str:
    """How to run one experiment; DIR is the report's folder."""
    return (
        f"rnicsim run scenarios/{'pairs' if name in PAIRS else 'paper'}/{name}.yaml --out "
        f"DIR/{name}"
    )
