#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""librdmacm's sockets beside those of SMC-R: a program of others, and the application `smc` of a
run, exchange the same messages on the same cards, and put on the wire what the protocol of each
says.

Both write a message straight into the other end's ring. By design they differ in
- how the other end hears of it: an rsockets WRITE has an immediate, its length, and takes a receive
  WQE; a WRITE of SMC-R has none, and a CDC SEND of 44 B behind it says how far the ring is written
- how a message is cut: rsockets begin with 2 KiB and double that with each WRITE, so that copying
  and sending overlap, and give the ring away in halves; SMC-R writes what has room, and cuts at the
  ring's end alone
- how room comes back: rsockets WRITE 16 B about each half that has been read; SMC-R says it with
  its own data, and apart from them only if more than half a ring is read that nobody knows of."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing
import unittest

import wire_messages
from wire_messages import Message

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
NETWORK = str(SOURCES / "scenarios/programs/two_hosts.yaml")
SMC = """
system:
  rnic: {{profile: cx5_100g}}
  link: {{rate: 100 Gbps, delay: 390.4 ns}}
  hosts: {{a: {{}}, b: {{}}}}
  links: [{{between: [a, b]}}]
run:
  traffic:
    - {{from: b, to: a, application: smc, size: {size} B, smc: {{rmb: {ring} B}}}}
  transfers: {count}
  repetitions: 1
"""
HEADER, CDC = 4, 44  # bytes of SMC-R: in front of a message of the program; of a message by SEND
HELLO, ROOM = 16, 16  # bytes of rstream's first message; of a half of a ring that is free
FIRST, LONGEST = 2048, 65536  # bytes of the WRITEs of an rsockets message
RECEIVES = 384  # receive WQEs of an rsocket


class Exchange(typing.NamedTuple):
    """So many messages each way, in turn, of so many bytes, through rings of so many."""

    size: int
    messages: int
    ring: int


# Small; filling many rings; more than half a ring; less, in several WRITEs.
EXCHANGES = (
    Exchange(1000, 50, 1 << 17),
    Exchange(2048, 200, 1 << 17),
    Exchange(40000, 20, 1 << 16),
    Exchange(40000, 20, 1 << 17),
)


def cut_at(border: int, begin: int, sizes: list[int]) -> list[int]:
    """Lengths of these WRITEs from `begin` on, where none goes across a multiple of `border`."""
    found = []
    for size in sizes:
        while size:
            part = min(size, border - begin % border)
            found.append(part)
            begin, size = begin + part, size - part
    return found


def of_rsockets(of: Exchange) -> list[int]:
    """Lengths of the WRITEs with the data of one direction, behind its first message."""
    half, at, found = of.ring // 2, HELLO, []
    for _ in range(of.messages):
        left, most = of.size, FIRST
        while left:
            part = min(left, most, half - at % half)
            most = min(2 * most, LONGEST) if most < left else most
            found.append(part)
            at, left = at + part, left - part
    return found


class Rsockets(unittest.TestCase):
    folder: str

    def setUp(self) -> None:
        missing = wire_messages.missing()
        if missing is not None:
            self.skipTest(f"left out: {missing}")
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def captured(self, *words: str) -> list[list[Message]]:
        """What each host sends: there is one connection."""
        capture = f"{self.folder}/x.pcapng"
        done = subprocess.run(
            [PROGRAM, words[0], words[1], "--pcap", capture, *words[2:]],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        messages = wire_messages.of(capture)
        sent = sorted(direction for direction in messages if direction[0].endswith(".sent"))
        self.assertEqual([place for place, _ in sent], ["a.sent", "b.sent"])
        return [messages[direction] for direction in sent]

    def rsockets(self, of: Exchange) -> list[list[Message]]:
        if shutil.which("rstream") is None:
            self.skipTest("left out: rstream is not installed (Debian: rdmacm-utils)")
        # It has twice the buffer that it is asked for.
        words = f"rstream -B {of.ring // 2} -S {of.size} -C 1 -I {of.messages} -T v".split()
        return self.captured(
            "exec", NETWORK, "--on", "a", "--", *words, "--on", "b", "--", *words, "-s", "127.0.0.1"
        )

    def smc(self, of: Exchange) -> list[list[Message]]:
        file = pathlib.Path(self.folder, "smc.yaml")
        file.write_text(
            SMC.format(size=of.size - HEADER, count=of.messages, ring=of.ring), encoding="utf-8"
        )
        return self.captured("run", str(file), "-q", "--no-plot", "-o", f"{self.folder}/out")

    def test_rsockets_put_their_protocol_on_the_wire(self) -> None:
        for of in EXCHANGES:
            with self.subTest(of):
                for sent in self.rsockets(of):
                    # Each has an immediate: a length, or with its upper bits what else it is.
                    self.assertEqual({m.verb for m in sent}, {"WRITE"})
                    self.assertTrue(all(m.immediate is not None for m in sent))
                    data = [m for m in sent if m.immediate == m.bytes][1:]
                    self.assertEqual([m.bytes for m in data], of_rsockets(of))
                    room = [m for m in sent if m.bytes == ROOM and m.immediate != m.bytes]
                    # One half more than the connection's beginning says.
                    taken = HELLO + of.size * of.messages
                    self.assertEqual(len(room), 1 + taken // (of.ring // 2))
                    # Receive WQEs come back with it: no message is about them alone.
                    self.assertLess(len(data), RECEIVES // 2 * len(room))
                    rest = len(sent) - 1 - len(data) - len(room)
                    self.assertEqual([m.bytes for m in sent[len(sent) - rest :]], [0] * rest)
                    self.assertLessEqual(rest, 1)  # one of the two says that it ends

    def test_smc_sends_the_same_data_with_other_messages(self) -> None:
        for of in EXCHANGES:
            with self.subTest(of):
                theirs, ours = self.rsockets(of), self.smc(of)
                for rsocket, smc in zip(theirs, ours):
                    data = [m for m in rsocket if m.immediate == m.bytes][1:]
                    writes = [m for m in smc if m.verb == "WRITE"]
                    sends = [m for m in smc if m.verb == "SEND"]
                    self.assertEqual(len(smc), len(writes) + len(sends))
                    self.assertEqual({m.immediate for m in smc}, {None})
                    self.assertEqual({m.bytes for m in sends}, {CDC})
                    self.assertEqual(sum(m.bytes for m in writes), sum(m.bytes for m in data))
                    self.assertEqual(
                        [m.bytes for m in writes], cut_at(of.ring, 0, [of.size] * of.messages)
                    )
                    # CONFIRM LINK, one for each message, and one for each that is more than half a
                    # ring: for less the answer tells of the room.
                    told = of.messages if of.size > of.ring // 2 else 0
                    self.assertEqual(len(sends), 1 + of.messages + told)
                    if of.size <= FIRST:
                        cuts = [len(found) - of.messages for found in (data, writes)]
                        print(
                            f"{of}: {of.messages} WRITEs of data each, and {cuts[0]} and {cuts[1]} "
                            f"where a ring ends; {len(rsocket)} and {len(smc)} messages in all"
                        )
                        self.assertLess(len(rsocket), len(smc))


if __name__ == "__main__":
    unittest.main()
