# SPDX-License-Identifier: Apache-2.0
"""An event in words."""

from collections.abc import Mapping
from typing import Any

from rnicsim.report_page import counters

STEPS = {  # of the host's software (model/rnic/drp/host/host_observer.h)
    "requested": "the upper layer asks for a transfer of {bytes} "
                 "B", "command_posted": "a command is posted for the RNIC",
    "event_taken": "an event of the RNIC is "
                   "handled", "acknowledged": "the upper layer is shown the REQ_ACK",
    "completed": "the upper layer is told that the transfer is "
                 "complete", "failed": "the upper layer is told that the transfer has failed",
    "registered": "a region is registered, attempt "
                  "{bytes}", "registration_failed": "attempt {bytes} to register a region fails by "
                                                    "a draw",
    "no_memory": "attempt {bytes} to register a region finds too little "
                 "memory", "refused": "a region that is illegal is refused",
    "released": "a region is not registered any more",
}
MESSAGES = {  # of programs with RoCEv2 RNICs
    "posted": "the program posts {type} of {bytes} "
              "B", "completed": "the program takes the completion",
    "arrived": "the program has the "
               "message", "failed": "the program takes a completion with an error",
}
ACCESSES = {
    ("pcie", "dma_write"): "DMA write",
    ("pcie", "dma_read"): "DMA read",
    ("memory", "write"): "memory is written,",
    ("memory", "read"): "memory is read,"
}


def _frame(event: Mapping[str, Any]) -> str:
    numbers = " ".join(f"{name}={event[name]}" for name in ("sn", "ackn", "len") if name in event)
    mode = f" {event['mode']}" if "mode" in event else ""
    return (
        f"{event.get('type', 'an ordinary frame')}{' ' + numbers if numbers else ''}{mode}, "
        f"{event.get('bytes', '?')} B"
    )


def _decision(event: Mapping[str, Any]) -> Any:
    name = event["event"]
    if name == "decides":
        return f"decides about: {event.get('cause', '?')}"
    meaning = counters.meanings().get("transport." +
                                      ("rx_overruns" if name == "rx_overrun" else name))
    told = f"{name} ({meaning})" if meaning else name
    return told + (f"; cause: {event['cause']}" if "cause" in event else "")


def what(event: Any) -> str:
    """Without its time and its transfer."""
    end, unit, name = event.get("end", "?"), event.get("unit"), event.get("event")
    if (unit, name) == ("mac", "sent"):
        return f"{end} sends {_frame(event)}"
    if unit == "link":
        return f"{end}'s frame {'is lost' if name == 'lost' else 'arrives'}: {_frame(event)}"
    if (unit, name) in ACCESSES:
        return (
            f"{end}: {ACCESSES[unit, name]} {event.get('bytes', '?')} B at "
            f"{event.get('address', 0):#x}"
        )
    if (unit, name) == ("pcie", "interrupt"):
        return f"{end}: interrupt"
    if (unit, name) == ("buffer", "fill"):
        return f"{end}'s indirect buffer holds {event.get('bytes', '?')} slots"
    if unit == "transport":
        return f"{end}'s transport controller: {_decision(event)}"
    if unit == "host":
        return f"{end}'s host: {STEPS.get(name, name).format(bytes=event.get('bytes', '?'))}"
    if unit == "program":
        return (
            f"{end}: " + MESSAGES.get(name, name).format(type=event.get("type", "?"),
                                                         bytes=event.get("bytes", "?"))
        )
    if unit == "qp":
        return f"{end}'s QP {event.get('tid', '?')}: {name}"
    return f"{end}: {unit} {name}"


def time(event: Mapping[str, Any]) -> str:
    """Microseconds as text, exact: "12.480", or "12.480320"."""
    us, ps = divmod(event["time_ps"], 1_000_000)
    return f"{us}.{ps // 1000:03d}" if ps % 1000 == 0 else f"{us}.{ps:06d}"


def sentence(event: Mapping[str, Any]) -> str:
    """On one line, with its time and transfer."""
    transfer = f"{event['transfer']}: " if "transfer" in event else ""
    return f"{time(event)} µs {transfer}{what(event)}"
