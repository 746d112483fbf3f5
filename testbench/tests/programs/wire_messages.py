# SPDX-License-Identifier: Apache-2.0
"""The messages of RC that a capture without losses shows, as tshark reads its frames."""
import shutil
import subprocess
import typing

# By a frame's opcode (InfiniBand architecture, table of BTH opcodes): verb, is it the first, the
# last of its message, has it a RETH, an immediate.
_KINDS = (
    ("SEND", True, False, False, False), ("SEND", False, False, False, False),
    ("SEND", False, True, False, False), ("SEND", False, True, False, True),
    ("SEND", True, True, False, False), ("SEND", True, True, False, True),
    ("WRITE", True, False, True, False), ("WRITE", False, False, False, False),
    ("WRITE", False, True, False, False), ("WRITE", False, True, False, True),
    ("WRITE", True, True, True, False), ("WRITE", True, True, True, True),
    ("READ", True, True, True, False),
)
_BTH, _RETH, _IMMEDIATE, _ICRC, _UDP = 12, 16, 4, 4, 8
_SEND_ONLY = 4
_FIELDS = ("frame.interface_name", "infiniband.bth.destqp", "infiniband.bth.opcode",
           "infiniband.bth.padcnt", "udp.length", "infiniband.reth.dmalen", "infiniband.immdt")


class Message(typing.NamedTuple):
    verb: str  # "SEND", "WRITE", "READ"
    bytes: int
    immediate: int | None


# Where a frame was seen ("a.sent"), to which QP it goes.
Direction = tuple[str, int]
Messages = dict[Direction, list[Message]]
Sends = dict[Direction, list[bytes]]


def missing() -> str | None:
    """Why captures cannot be read here."""
    return None if shutil.which("tshark") else "tshark is not installed (Debian: tshark)"


def _shown(capture: str, fields: tuple[str, ...], only: str = "infiniband") -> list[list[str]]:
    words = [word for field in fields for word in ("-e", field)]
    done = subprocess.run([
        "tshark", "-r", capture, "--disable-protocol", "rpcordma", "-o",
        "infiniband.identify_payload:FALSE", "-Y", only, "-T", "fields", "-E", "occurrence=f",
        *words
    ], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def of(capture: str) -> Messages:
    """In the order of the wire."""
    found: Messages = {}
    under_way: dict[Direction, int] = {}  # bytes so far
    for place, qp, opcode, padding, length, dma, immediate in _shown(capture, _FIELDS):
        if int(opcode) >= len(_KINDS):
            continue  # an answer
        verb, first, last, has_reth, has_immediate = _KINDS[int(opcode)]
        headers = _UDP + _BTH + _RETH * has_reth + _IMMEDIATE * has_immediate
        direction = (place, int(qp, 0))
        size = 0 if first else under_way.pop(direction)
        size += int(dma) if verb == "READ" else int(length) - headers - int(padding) - _ICRC
        if last:
            found.setdefault(direction, []).append(
                Message(verb, size, int(immediate, 16) if has_immediate else None))
        else:
            under_way[direction] = size
    assert not under_way, f"{capture} ends within messages"
    return found


def sends_of_one_frame(capture: str) -> Sends:
    """What is in SENDs without immediate."""
    found: Sends = {}
    for place, qp, data in _shown(capture, (*_FIELDS[:2], "data"),
                                  f"infiniband.bth.opcode == {_SEND_ONLY}"):
        found.setdefault((place, int(qp, 0)), []).append(bytes.fromhex(data))
    return found
