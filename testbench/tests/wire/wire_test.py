#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""RoCEv2 frames of each kind read by others: tshark's own dissector, ours for the rest, zlib's CRC,
and scapy where it is installed.

Environment: RNICSIM_ROCE_SAMPLES, which prints the frames and what was written;
RNICSIM_GENERATE_ROCE_DISSECTOR; RNICSIM_SOURCE_DIR. Needs tshark.
"""
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
DISSECTOR = SOURCE / "scripts" / "wireshark" / "roce.lua"
OURS = {
    0x1C: "FLUSH",
    0x1D: "ATOMIC_WRITE",
    0x81: "CNP",
    0xC0: "WRITE_PERSIST_ONLY",
    0xC1: "PERSIST_ACK",
    0xC2: "WRITE_PERSIST_FIRST",
    0xC3: "WRITE_PERSIST_MIDDLE",
    0xC4: "WRITE_PERSIST_LAST",
    0xC5: "SELECTIVE_NAK",
    0xC6: "SELECTIVE_WRITE_FIRST",
    0xC7: "SELECTIVE_WRITE_MIDDLE",
    0xC8: "SELECTIVE_WRITE_LAST",
    0xC9: "SELECTIVE_WRITE_ONLY"
}  # not Wireshark's
BTH = 42  # where it begins in a frame

# What was written, and Wireshark's field for it.
FIELDS = {
    "opcode": "infiniband.bth.opcode",
    "psn": "infiniband.bth.psn",
    "to": "infiniband.bth.destqp",
    "partition": "infiniband.bth.p_key",
    "solicited": "infiniband.bth.se",
    "ack_request": "infiniband.bth.a",
    "address": "infiniband.reth.va",
    "key": "infiniband.reth.r_key",
    "length": "infiniband.reth.dmalen",
    "swap_or_add": "infiniband.atomiceth.swapdt",
    "compare": "infiniband.atomiceth.cmpdt",
    "msn": "infiniband.aeth.msn",
    "original": "infiniband.atomicacketh.origremdt",
    "immediate": "infiniband.immdt",
    "invalidated": "infiniband.ieth",
    "queue_key": "infiniband.deth.q_key",
    "from": "infiniband.deth.srcqp",
    "kind": "infiniband.aeth.syndrome.opcode",
    "dscp": "ip.dsfield.dscp",
    "ecn": "ip.dsfield.ecn",
    "source_port": "udp.srcport"
}
# by kind
VALUE = {
    0: "infiniband.aeth.syndrome.credit_count",
    1: "infiniband.aeth.syndrome.timer",
    3: "infiniband.aeth.syndrome.error_code"
}
ALWAYS = {
    "ip.flags.df": 1,
    "ip.flags.mf": 0,
    "udp.dstport": 4791,
    "udp.checksum": 0,
    "infiniband.bth.tver": 0,
    "infiniband.bth.m": 1
}
# The same of our dissector.
OUR_FIELDS = {
    "opcode": "roce.bth.opcode",
    "psn": "roce.bth.psn",
    "to": "roce.bth.destqp",
    "partition": "roce.bth.pkey",
    "msn": "roce.aeth.msn",
    "arrived": "roce.arrived.arrivedpsn",
    "address": "roce.reth.va",
    "key": "roce.reth.rkey",
    "length": "roce.reth.dmalen",
    "placement": "roce.feth.placement",
    "selectivity": "roce.feth.selectivity"
}


def samples() -> Any:
    """[(what was written, bytes)]"""
    done = subprocess.run([os.environ["RNICSIM_ROCE_SAMPLES"]], capture_output=True, text=True,
                          check=True)
    found = []
    for line in done.stdout.splitlines():
        words = dict(word.split("=") for word in line.split())
        frame = bytes.fromhex(words.pop("bytes"))
        found.append(({name: int(value) for name, value in words.items()}, frame))
    return found


SAMPLES = samples()


def number(text: str) -> Any:
    """Of a field as tshark shows it: a flag, a number, or bytes (of which there are none without a
    letter)."""
    if text in ("True", "False"):
        return int(text == "True")
    return int(text, 16 if re.fullmatch("[0-9]*[a-f][0-9a-f]*", text) else 0)


def icrc(frame: Any) -> Any:
    """By the standard, with nothing of ours: over the packet from IPv4 to the pad, eight bytes FF
    before it, ones in what may change."""
    end = 14 + struct.unpack_from(">H", frame, 16)[0] - 4
    packet = bytearray(frame[14:end])
    # TOS, TTL, checksum of IPv4; checksum of UDP; FECN, BECN, reserved
    for at in (1, 8, 10, 11, 26, 27, 32):
        packet[at] = 0xFF
    return struct.pack("<I", zlib.crc32(bytes(8 * [0xFF]) + packet)), frame[end:end + 4]


class Wire(unittest.TestCase):
    work: Any
    capture: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.work.cleanup)
        cls.capture = Path(cls.work.name) / "roce.pcap"
        data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        for i, (_, frame) in enumerate(SAMPLES):
            data += struct.pack("<IIII", i, 0, len(frame), len(frame)) + frame
        cls.capture.write_bytes(data)

    def tshark(self, *words: Any, script: bool = True) -> Any:
        """Its output, without protocols that take payload for theirs."""
        version = re.search(
            r"(\d+)\.(\d+)",
            subprocess.run(["tshark", "--version"], capture_output=True, text=True,
                           check=True).stdout)
        somebody = []
        # loads no Lua for root
        if os.geteuid() == 0 and (int(version[1]), int(version[2])) >= (4, 4):
            somebody = [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                "--inh-caps=+dac_override", "--ambient-caps=+dac_override"
            ]
        done = subprocess.run([
            *somebody, "tshark", "--disable-protocol", "rpcordma", "-o",
            "infiniband.identify_payload:FALSE",
            *(["-X", f"lua_script:{DISSECTOR}"] if script else []), "-r", self.capture, *words
        ], capture_output=True, text=True, timeout=120, check=True, env={
            **os.environ, "HOME": self.work.name,
            "XDG_CONFIG_HOME": ""
        })
        errors = [
            line for line in done.stderr.splitlines()
            if line and not line.startswith("Running as user")
        ]
        self.assertEqual(errors, [])
        self.assertNotIn("Lua Error", done.stdout)
        return done.stdout

    def fields(self, names: Any, script: Any = True) -> Any:
        """For each frame {name: text}."""
        words = ["-T", "fields", "-E", "occurrence=f"]
        for name in names:
            words += ["-e", name]
        lines = self.tshark(*words, script=script).splitlines()
        self.assertEqual(len(lines), len(SAMPLES))
        return [dict(zip(names, line.split("\t"))) for line in lines]

    def test_there_is_a_frame_of_each_opcode(self) -> None:
        table = (SOURCE / "tlm" / "roce" / "header.h").read_text(encoding="utf-8")
        opcodes = re.search(r"enum class Opcode[^{]*{(.*?)};", table, re.DOTALL)[1]
        self.assertEqual(len({written["opcode"]
                              for written, _ in SAMPLES}),
                         len(re.findall(r"^\s*\w+(?: = 0x\w+)?,", opcodes, re.MULTILINE)))

    def test_wireshark_reads_what_was_written(self) -> None:
        names = sorted({*FIELDS.values(), *VALUE.values(), *ALWAYS, "infiniband.bth.padcnt"})
        for shown, (written, frame) in zip(self.fields(names), SAMPLES):
            if written["opcode"] in OURS:
                continue
            with self.subTest(**written):
                expected = {
                    FIELDS[name]: value
                    for name, value in written.items() if name in FIELDS
                } | ALWAYS
                expected["infiniband.bth.padcnt"] = -written["payload"] % 4
                # Wireshark shows an RNR NAK's time in ms
                if "kind" in written and written["kind"] != 1:
                    expected[VALUE[written["kind"]]] = written["value"]
                self.assertEqual({name: number(shown[name]) for name in expected}, expected)
                self.assertEqual(shown["udp.srcport"], str(0xC000 | 0x12 * 0x34))
                self.assertGreaterEqual(len(frame), 60)

    def test_wireshark_has_the_same_times_of_rnr_naks(self) -> None:
        times = {}
        for line in self.tshark("-V", "-Y", "infiniband.aeth.syndrome.opcode == 1").splitlines():
            if found := re.search(r"= Timer: ([\d.]+) ms \((\d+)\)", line):
                times[int(found[2])] = float(found[1])
        expected = {0: 655.36, 1: 0.01}
        for code in range(2, 32):
            expected[code] = 0.01 * 2 ** (code // 2) * (1.5 if code % 2 else 1)
        self.assertEqual({code: round(time, 2)
                          for code, time in times.items()},
                         {code: round(time, 2)
                          for code, time in expected.items()})

    def test_nothing_is_malformed(self) -> None:
        for shown, (written, _) in zip(
                self.fields(("_ws.malformed", "_ws.expert.severity", "frame.protocols")), SAMPLES):
            # Of an empty datagram Wireshark misses the header of InfiniBand's management that might
            # be in it.
            if written["opcode"] in (0x64, 0x65) and written["payload"] == 0:
                continue
            with self.subTest(**written):
                self.assertEqual((shown["_ws.malformed"], shown["_ws.expert.severity"]), ("", ""))
                self.assertIn("roce" if written["opcode"] in OURS else "infiniband",
                              shown["frame.protocols"].split(":"))

    def test_our_dissector_reads_the_rest(self) -> None:
        names = [
            *OUR_FIELDS.values(), "_ws.col.Protocol", "roce.bth.becn", "roce.bth.migreq",
            "roce.aeth.syndrome", "roce.icrc"
        ]
        found = set()
        for shown, (written, frame) in zip(self.fields(names), SAMPLES):
            if written["opcode"] not in OURS:
                self.assertEqual(shown["roce.bth.opcode"], "")
                continue
            found.add(written["opcode"])
            expected = {
                OUR_FIELDS[name]: value
                for name, value in written.items() if name in OUR_FIELDS
            }
            self.assertEqual({name: number(shown[name]) for name in expected}, expected)
            self.assertEqual(int(shown["roce.icrc"], 16).to_bytes(4, "big"), icrc(frame)[1])
            cnp = OURS[written["opcode"]] == "CNP"
            self.assertEqual((number(shown["roce.bth.becn"]), number(shown["roce.bth.migreq"])),
                             (cnp, not cnp))
            self.assertEqual(shown["roce.aeth.syndrome"], {
                0xC1: "0x05",
                0xC5: "0x60"
            }.get(written["opcode"], ""))
        self.assertEqual(found, set(OURS))

    def test_our_dissector_leaves_the_others_to_wireshark(self) -> None:
        names = ("_ws.col.Info", "frame.protocols")
        for ours, alone, (written, _) in zip(self.fields(names), self.fields(names, script=False),
                                             SAMPLES):
            if written["opcode"] not in OURS:
                self.assertEqual({name: text.replace(":roce:", ":")
                                  for name, text in ours.items()}, alone)

    def test_the_tables_of_the_dissector_are_ours(self) -> None:
        generated = subprocess.run([os.environ["RNICSIM_GENERATE_ROCE_DISSECTOR"]],
                                   capture_output=True, text=True, check=True).stdout
        part = re.search(r"^-- tables: begin[^\n]*\n(.*?)^-- tables: end$",
                         DISSECTOR.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        self.assertEqual(part[1], generated, "run scripts/reference")

    def test_each_icrc_is_zlib_s(self) -> None:
        for written, frame in SAMPLES:
            with self.subTest(**written):
                expected, found = icrc(frame)
                self.assertEqual(found.hex(), expected.hex())

    def test_each_icrc_is_scapy_s(self) -> None:
        try:
            from scapy.contrib.roce import BTH as Bth  # pylint: disable=import-outside-toplevel
            from scapy.layers.l2 import Ether  # pylint: disable=import-outside-toplevel
        except ImportError as error:
            self.skipTest(
                "scapy is not installed (scripts/setup --all, or Debian: apt-get install "
                f"python3-scapy): {error}"
            )
        for written, frame in SAMPLES:
            with self.subTest(**written):
                # scapy takes Ethernet's padding for the packet's
                whole = frame[:14 + struct.unpack_from(">H", frame, 16)[0]]
                packet = Ether(whole)
                self.assertEqual((packet[Bth].opcode, packet[Bth].psn, packet[Bth].dqpn),
                                 (written["opcode"], written["psn"], written["to"]))
                packet[Bth].icrc = None  # is computed anew
                self.assertEqual(bytes(packet).hex(), whole.hex())


if __name__ == "__main__":
    unittest.main()
