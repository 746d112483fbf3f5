# SPDX-License-Identifier: Apache-2.0
"""Rows of the results of scenarios/persistence, and what they say of an item."""

from collections.abc import Mapping
from typing import Any

from rnicsim.report_page.results import number

# In the order of scenarios/persistence/hosts.yaml.
MACHINES = ("no DDIO", "DDIO, NS on the data", "DDIO", "DDIO, eADR")
PROCESSOR = (
    "fig3",
    "fig11",
    "gpspm",
)  # schemes in which the responder's processor makes data durable


def machine(row: Mapping[str, Any]) -> str:
    ddio, snoop, _, domain = row["values"][0].strip("[]").split(", ")
    return MACHINES[0 if ddio == "false" else 1 if snoop == "true" else 2 if domain == "adr" else 3]


def us(row: Mapping[str, Any]) -> Any:
    return number(row["mean_us"])


def processor(row: Mapping[str, Any], count: float) -> Any:
    """Both processors, us an item."""
    return (number(row["a.host.worked_ps"]) + number(row["b.host.worked_ps"])) / count / 1e6


def holds(row: Mapping[str, Any]) -> bool:
    """Would no power cut, at any instant of the run, have lost what the initiator was told is
    durable?"""
    return int(row["b.cuts.false_items"]) == 0


def on_the_wires(row: Mapping[str, Any], what: str) -> Any:
    """Both ways, an item: `what` is `frames` or `bytes`, FCS included."""
    return sum(int(row[f"{end}.gmac.tx_{what}"]) for end in "ab") / number(
        row["transfers_completed"]
    )
