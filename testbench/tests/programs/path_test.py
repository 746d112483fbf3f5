#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traffic class, hop limit, flow label, TOS and immediates that a program asks for are those on
the wire."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import typing
import unittest
import zlib

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCES / "scripts"))
from rnicsim import sampling  # noqa: E402

PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
PATH_CALLS = os.environ["RNICSIM_PATH_CALLS"]
ROCE_PORT, ENHANCED_PACKET, IPV4, IPV6, NOTIFICATION = 4791, 6, 0x0800, 0x86DD, 0x81
SEND_ONLY_WITH_IMMEDIATE = {0x05: 12, 0x25: 12, 0x65: 20}  # of RC, UC, UD: bytes before it


class Frame(typing.NamedTuple):
    version: int
    opcode: int
    tos: int
    ttl: int
    source_port: int
    label: int
    immediate: int | None


def check_icrc(frame: bytes, udp: int) -> None:
    """IBTA vol. 1, annex 17: the CRC of Ethernet over eight bytes of ones and the packet, with what
    may change on its way as ones."""
    end = udp + struct.unpack_from(">H", frame, udp + 4)[0]
    packet = bytearray(frame[14:end - 4])
    masked = [1, 8, 10, 11] if udp == 34 else [1, 2, 3, 7]
    for at in (*masked, udp - 14 + 6, udp - 14 + 7, udp - 14 + 8 + 4):
        packet[at] = 0xFF
    if udp != 34:
        packet[0] |= 0x0F
    assert zlib.crc32(b"\xFF" * 8 + bytes(packet)) == struct.unpack_from("<I", frame, end - 4)[0]


def frames_of(capture: str) -> list[Frame]:
    """The RoCEv2 packets of a pcapng file."""
    data, at, found = pathlib.Path(capture).read_bytes(), 0, []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == ENHANCED_PACKET:
            frame = data[at + 28:at + 28 + struct.unpack_from("<I", data, at + 20)[0]]
            kind = struct.unpack_from(">H", frame, 12)[0]
            udp = {IPV4: 34, IPV6: 54}.get(kind, 0)
            if udp == 0 or struct.unpack_from(">H", frame, udp + 2)[0] != ROCE_PORT:
                at += length
                continue
            check_icrc(frame, udp)
            port, bth = struct.unpack_from(">H", frame, udp)[0], udp + 8
            headers = SEND_ONLY_WITH_IMMEDIATE.get(frame[bth])
            immediate = headers and struct.unpack_from(">I", frame, bth + headers)[0]
            if kind == IPV4:
                found.append(Frame(4, frame[bth], frame[15], frame[22], port, 0, immediate))
            else:
                first = struct.unpack_from(">I", frame, 14)[0]
                found.append(
                    Frame(6, frame[bth], first >> 20 & 0xFF, frame[21], port, first & 0xFFFFF,
                          immediate))
        at += length
    return found


def folded(label: int) -> int:
    """rdma-core's rdma_flow_label_to_udp_sport()."""
    return (label & 0x3FFF) ^ ((label & 0xFC000) >> 14) | 0xC000


class Wire(unittest.TestCase):
    def frames(self, command: str, *options: str, address: str = "127.0.0.1") -> list[Frame]:
        words = command.split()
        if shutil.which(words[0]) is None:
            self.skipTest(f"{words[0]} is not installed (perftest)")
        with tempfile.TemporaryDirectory() as folder:
            capture = f"{folder}/x.pcapng"
            done = subprocess.run([
                PROGRAM, "exec", SCENARIO, *options, "--pcap", capture, "--on", "a", "--", *words,
                "--on", "b", "--", *words, address
            ], capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = frames_of(capture)
        self.assertGreater(len(found), 10)
        return found

    @sampling.in_turn(3)
    def test_perftests_traffic_class(self) -> None:
        for service in ("RC", "UC", "UD"):
            with self.subTest(service):
                port = free_port()
                self.assertEqual(
                    {
                        f.tos
                        for f in self.frames(
                            f"ib_send_lat -F -n 20 -c {service} -p {port} --tclass=96")
                    }, {96})
                self.assertEqual(
                    {f.tos
                     for f in self.frames(f"ib_send_lat -F -n 20 -c {service} -p {port}")},
                    {26 << 2})

    def test_the_two_bits_of_ecn_are_the_cards(self) -> None:
        """The QP's context has the six of the DSCP; 255 is no number of its own."""
        command = f"ib_write_lat -F -n 20 -p {free_port()} --tclass="
        self.assertEqual({f.tos for f in self.frames(command + "105")}, {104})
        self.assertEqual({f.tos for f in self.frames(command + "255")}, {252})
        marking = self.frames(command + "105", "--set", "system.rnic.rc.congestion=dcqcn")
        self.assertLessEqual({f.tos for f in marking if f.opcode != NOTIFICATION}, {104, 104 | 2})

    @sampling.in_turn(3)
    def test_each_field_of_an_address(self) -> None:
        for service in ("rc", "uc", "ud"):
            for label, gid in ((0, 0), (1, 3), (0x12345, 0), (0xFFFFF, 0), (0x54321, 1), (0, 2),
                               (0x12345, 2)):
                with self.subTest(service=service, label=label, gid=gid):
                    # Each side has its own: traffic class 4 and 8, hop limit 7 and 9 of who listens
                    # and who connects.
                    found = self.frames(f"{PATH_CALLS} {free_port()} {service} {label} {gid}",
                                        address="connect")
                    self.assertEqual({(f.tos, f.ttl) for f in found}, {(4, 7), (8, 9)})
                    self.assertEqual({f.version for f in found}, {6 if gid in (1, 2) else 4})
                    for frame in found:
                        if label != 0:
                            self.assertEqual(frame.source_port, folded(label))
                        if frame.version == 6:
                            self.assertEqual(frame.source_port, folded(frame.label))

    def test_immediates(self) -> None:
        """Each second message has one: on the wire, too, in network order, as it was posted."""
        for service in ("rc", "uc", "ud"):
            with self.subTest(service):
                found = self.frames(f"{PATH_CALLS} {free_port()} {service} 0 0", address="connect")
                self.assertEqual(sorted(f.immediate for f in found if f.immediate is not None),
                                 sorted(2 * [0x01020300 + i for i in range(0, 8, 2)]))

    @sampling.in_turn(3)
    def test_perftests_gids(self) -> None:
        for options, version in (("-x 0", 4), ("-x 1", 6), ("-x 2", 6), ("-x 3", 4), ("--ipv6", 6),
                                 ("", 4)):
            for test in ("ib_write_lat", "ib_send_lat -c UD", "ib_read_lat", "ib_send_bw"):
                with self.subTest(options=options, test=test):
                    found = self.frames(f"{test} -F -n 20 -p {free_port()} {options}")
                    self.assertEqual({f.version for f in found}, {version})

    @sampling.in_turn(3)
    def test_a_class_that_is_ipv6s_is_paused_and_marked(self) -> None:
        """The switch takes it from the traffic class."""
        marking = ("--set", "system.rnic.rc.congestion=dcqcn", "--set",
                   "system.link.ecn_marking=100 %", "--pcap-at", "received")
        found = self.frames(f"ib_write_lat -F -n 20 -p {free_port()} -x 1 --tclass=96", *marking)
        self.assertIn(96 | 3, {f.tos for f in found})
        self.assertIn(NOTIFICATION, {f.opcode for f in found})

    @sampling.in_turn(3)
    def test_the_tos_of_the_connection_manager(self) -> None:
        """perftest's own connection, on which both sides say what they have, has none."""
        classes = [f.tos for f in self.frames(f"ib_write_lat -F -n 20 -p {free_port()} -R -T 64")]
        self.assertEqual(set(classes), {64, 26 << 2})
        self.assertGreaterEqual(classes.count(64), 2 * 2 * 20)  # of both sides, WRITEs and ACKs


if __name__ == "__main__":
    unittest.main()
