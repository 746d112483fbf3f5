#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim run --pcap`: the file against --events, the counters and the bytes, which are read here
by the specifications.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs tshark and capinfos.
"""
import collections
import os
import re
import struct
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from capture_support import (BIN, OTHER, SCENARIOS, SOURCE, WORK, Run, as_somebody, column, command,
                             drp_of, fields, interface_of, read_pcapng, run, tshark, write_pcapng)


class File(unittest.TestCase):
    """The capture itself."""

    @staticmethod
    def each() -> list[Run]:
        return [run(name) for name in SCENARIOS]

    def test_interfaces_and_section_say_what_they_are(self) -> None:
        for one in self.each():
            self.assertEqual(one.section, {4: b"rnicsim"})
            names = [(link, options[2].decode(), options[9], options.get(13))
                     for link, options in one.interfaces]
            self.assertEqual(names, [(1, name, b"\x09", b"\0")
                                     for name in ("a.sent", "b.received", "b.sent", "a.received")] +
                             [(147, name, b"\x09", None) for name in ("a.pcie", "b.pcie")])
            for _, options in one.interfaces:
                self.assertIn("RNIC " + options[2].decode()[0], options[3].decode())

    def test_capinfos_accepts_it(self) -> None:
        for one in self.each():
            said = command("capinfos", one.capture).stdout
            for pattern in (r"Strict time order: +True", r"Capture application: rnicsim",
                            r"timestamp precision: +nanoseconds",
                            r"Number of interfaces in file: 6"):
                self.assertRegex(said, pattern)
            self.assertEqual(int(command("capinfos", "-Mc", one.capture).stdout.split()[-1]),
                             len(one.packets))

    def test_a_switch_that_pauses_its_senders(self) -> None:
        """Pause frames are captured where they arrive; a switch has no interface of its own."""
        file = Path(WORK.name) / "pauses.pcapng"
        command(BIN, "run", SOURCE / "scenarios/systems/pauses.yaml", "--set", "run.repetitions=1",
                "--set", "run.transfers=100", "--set", "run.traffic.bulk.transfers=300",
                "--observe-run", "p005_none_r0", "--pcap", file, "--out",
                Path(WORK.name) / "pauses", "--no-plot", "--quiet")
        self.assertRegex(command("capinfos", file).stdout, r"Number of interfaces in file: 6")
        pauses = tshark(file, "-Y", "macc.opcode == 0x0101")
        self.assertGreater(len(pauses.splitlines()), 3)

    def test_unreliable_connections_and_datagrams_are_read(self) -> None:
        """By Wireshark's own dissector, without a complaint."""
        for run_name, opcode, more in (("p008_none_r0", "36", {("", "")}), ("p015_none_r0", "100", {
            ("0x0000000011111111", "0x00000002")
        })):
            file = Path(WORK.name) / "services.pcapng"
            command(BIN, "run", SOURCE / "scenarios/verbs/services.yaml", "--set",
                    "run.transfers=20", "--observe-run", run_name, "--pcap", file, "--out",
                    Path(WORK.name) / "services", "--no-plot", "--quiet")
            names = ("infiniband.bth.opcode", "_ws.malformed", "_ws.expert.severity",
                     "infiniband.deth.q_key", "infiniband.deth.srcqp")
            words = [
                "--disable-protocol", "rpcordma", "-T", "fields",
                *(word for name in names for word in ("-e", name))
            ]
            shown = [tuple(line.split("\t")) for line in tshark(file, *words).splitlines()]
            self.assertEqual(len(shown), 20)  # each once, where it is sent
            self.assertEqual({line[:3] for line in shown}, {(opcode, "", "")})
            self.assertEqual({line[3:] for line in shown}, more)

    def test_each_frame_once_unless_both_places_are_asked_for(self) -> None:
        """By default where it is sent. `both` has what the other two have together."""
        both = run("both")
        for at, end in (("sent", ".sent"), ("received", ".received")):
            one = Run(f"at_{at}", SCENARIOS["both"], *(() if at == "sent" else ("--pcap-at", at)),
                      at=None)
            self.assertEqual([(packet.interface, packet.ns, packet.bytes, packet.comment)
                              for packet in one.packets],
                             [(packet.interface, packet.ns, packet.bytes, packet.comment)
                              for packet in both.frames if packet.interface.endswith(end)])
        said = command(BIN, "run", SOURCE / "scenarios/examples/minimal.yaml", "--pcap-at", "both",
                       code=2).stderr
        self.assertIn("--pcap-at: expected --pcap FILE with it", said)
        said = command(BIN, "run", SOURCE / "scenarios/examples/minimal.yaml", "--pcap", "x.pcapng",
                       "--pcap-at", "here", code=2).stderr
        self.assertIn("--pcap-at here: expected sent, received or both", said)

    def test_frames_are_those_of_the_events_in_time_and_order(self) -> None:
        for one in self.each():
            rows = one.wire_rows()
            self.assertGreater(len(rows), 300)
            self.assertEqual([packet.ns for packet in one.packets],
                             sorted(packet.ns for packet in one.packets))
            expected = [(interface_of(row), int(row["time_ps"]) // 1000, int(row["bytes"]) - 4,
                         (row["type"], row["tid"], row["sn"], row["ackn"], row["len"], row["mode"]))
                        for row in rows]
            found = [(packet.interface, packet.ns, len(packet.bytes), drp_of(packet.bytes))
                     for packet in one.frames]
            self.assertEqual(found, expected)
            for packet in one.frames:
                self.assertEqual(packet.flags, 2 if packet.interface.endswith("sent") else 1)
                self.assertEqual(packet.wire, len(packet.bytes))

    def test_some_packets_have_the_same_time(self) -> None:
        """So the order of equal ones is tested above."""
        self.assertLess(len({packet.ns for packet in run("both").frames}), len(run("both").frames))

    def test_lost_frames_carry_the_time(self) -> None:
        for one in self.each():
            lost = {(row["end"], int(row["time_ps"])) for row in one.rows("link", "lost")}
            self.assertGreater(len(lost), 5)
            for packet in one.frames:
                gone = packet.interface.endswith("sent") and (packet.interface[0],
                                                              packet.ns * 1000) in lost
                self.assertEqual(packet.comment,
                                 f"lost on the link, {packet.ns / 1000:.3f} us" if gone else "")

    def test_sent_is_received_and_lost_and_the_counters_agree(self) -> None:
        for one in self.each():
            for end, direction in (("a", "a_to_b"), ("b", "b_to_a")):
                sent = [packet for packet in one.frames if packet.interface == end + ".sent"]
                received = [
                    packet for packet in one.frames if packet.interface == OTHER[end] + ".received"
                ]
                self.assertEqual([packet.bytes for packet in sent if not packet.comment],
                                 [packet.bytes for packet in received])
                self.assertEqual(len(sent), one.counters[end + ".gmac.tx_frames"])
                self.assertEqual(sum(len(packet.bytes) + 4 for packet in sent),
                                 one.counters[end + ".gmac.tx_bytes"])
                self.assertEqual(len(received), one.counters[OTHER[end] + ".gmac.rx_frames"])
                self.assertEqual(len(sent) - len(received), one.counters[f"link.{direction}_lost"])

    def test_payloads_are_whole_and_the_same_each_time(self) -> None:
        """Of every transfer all bytes are there, no two segments are equal, and a repetition
        carries the same."""
        for name, size in (("writes", 6001), ("both", 10240), ("reads", 5120)):
            one = run(name)
            payloads: collections.defaultdict[Any, Any] = collections.defaultdict(dict)
            rows = [row for row in one.wire_rows() if row["event"] == "sent"]
            packets = [packet for packet in one.frames if packet.interface.endswith("sent")]
            for row, packet in zip(rows, packets):
                if row["type"] == "DATA":
                    payload = packet.bytes[46:46 + int(row["len"])]
                    self.assertEqual(payloads[row["transfer"]].setdefault(int(row["sn"]), payload),
                                     payload)
                    self.assertEqual(packet.bytes[46 + len(payload):].strip(b"\0"), b"")
            self.assertEqual(len(payloads), len({row["transfer"] for row in rows}))
            for segments in payloads.values():
                self.assertEqual(sum(map(len, segments.values())), size)
                self.assertEqual(len(set(segments.values())), len(segments))

    def test_a_window_holds_what_lies_in_it(self) -> None:
        middle = run("both").frames[len(run("both").frames) // 2].ns
        window = Run("window", SCENARIOS["both"], "--observe-window",
                     f"{middle} ns..{middle + 80_000} ns")
        expected = [
            packet for packet in run("both").frames if middle <= packet.ns < middle + 80_000
        ]
        self.assertGreater(len(expected), 20)
        self.assertEqual(window.packets, expected)
        self.assertEqual(len(window.interfaces), 4)  # no --pcap-tlps

    def test_a_failed_run_leaves_what_it_has(self) -> None:
        """Also what is still held back: with a window that ends with the first frame, nothing comes
        behind it."""
        file = Path(WORK.name) / "failed.yaml"
        file.write_text("run: {methods: [dynamic], repetitions: 1, transfers: 3000, size: 1 KiB}\n",
                        encoding="utf-8")
        capture = Path(WORK.name) / "failed.pcapng"

        def packets(*options: str) -> Any:
            with unittest.mock.patch.dict(os.environ, RNICSIM_FAIL_AT="1000"):
                done = command(BIN, "run", file, "--no-plot", "--out",
                               Path(WORK.name) / "failed", "--pcap", capture, *options, code=1)
            self.assertIn("RNICSIM_FAIL_AT", done.stderr)
            return read_pcapng(capture)[2]

        whole = packets()
        self.assertIn("write REQ tid=0", tshark(capture))
        self.assertGreater(len(whole), 2)
        first = [packet for packet in whole if packet.ns == whole[0].ns]
        self.assertEqual(packets("--observe-window", f"0 ns..{whole[0].ns + 8} ns"), first)

    def test_a_capture_that_cannot_be_written_is_named(self) -> None:
        file = Path(WORK.name) / "full.pcapng"
        file.symlink_to("/dev/full")
        done = command(BIN, "run", SOURCE / "scenarios/examples/minimal.yaml", "--no-plot", "--out",
                       Path(WORK.name) / "full", "--pcap", file, code=1)
        self.assertIn(f"{file}: cannot be written", done.stderr)


class RoCEv2(unittest.TestCase):
    """As scripts/wireshark/README.md says to open them."""

    def test_no_payload_is_taken_for_another_protocol(self) -> None:
        """Of one byte least of all, which two zeros follow: an EtherType in Wireshark's eyes."""
        pages = [(SOURCE / page).read_text(encoding="utf-8")
                 for page in ("scripts/wireshark/README.md", "testbench/observe/README.md")]
        words = re.search(r"^tshark -X lua_script:(scripts/wireshark/roce.lua) (.*) -r x.pcapng$",
                          pages[0], re.MULTILINE)
        self.assertIn(words[2], pages[1])
        for name, settings in (("swept", ()), ("byte", ("--set", "run.sweep=null", "--set",
                                                        "run.size=1 B"))):
            capture = Path(WORK.name) / f"roce_{name}.pcapng"
            command(BIN, "run", SOURCE / "scenarios/verbs/latency.yaml", *settings, "--no-plot",
                    "--quiet", "--out",
                    Path(WORK.name) / f"roce_{name}", "--pcap", capture)
            shown = command(*as_somebody(), "tshark", "-X", f"lua_script:{SOURCE / words[1]}",
                            *words[2].split(), "-r", capture, "-T", "fields", "-e",
                            "infiniband.bth.opcode", "-e", "_ws.malformed").stdout.splitlines()
            self.assertEqual(len(shown), len(read_pcapng(capture)[2]))
            self.assertGreater(len(shown), 1000)
            self.assertEqual([line for line in shown if not re.fullmatch(r"\d+\t", line)], [])


class Tlps(unittest.TestCase):
    """The PCIe requests, read by the drawings of the PCIe specification."""

    @staticmethod
    def decode(header: bytes) -> tuple[str, int, int]:
        """(kind, address, bytes)"""
        length = struct.unpack_from(">H", header, 2)[0] & 0x3FF or 1024
        first, last = header[7] & 15, header[7] >> 4
        wide = header[0] & 0x20
        address = struct.unpack_from(">Q" if wide else ">I", header, 8)[0]
        enabled = [bool(first >> i & 1) for i in range(4)]
        if length > 1:
            enabled += [True] * (4 * (length - 2)) + [bool(last >> i & 1) for i in range(4)]
        assert (length == 1) == (last
                                 == 0) and len(header) == (16 if wide else 12) and address % 4 == 0
        start = enabled.index(True)
        assert enabled[start:start + sum(enabled)] == [True] * sum(enabled)
        return "MWr" if header[0] & 0x40 else "MRd", address + start, sum(enabled)

    def test_each_request_is_cut_as_counted(self) -> Any:
        for name, limits in (("writes", {
                "a": (128, 512),
                "b": (128, 512)
        }), ("both", {
                "a": (128, 512),
                "b": (256, 1024)
        })):
            one = run(name)
            expected = []
            for row in one.rows("pcie", "dma_write", "dma_read", "interrupt"):
                kind, limit = ("MRd", limits[row["end"]][1]) if row["event"] == "dma_read" else (
                    "MWr", limits[row["end"]][0])
                address, left = int(row["address"] or 0), int(row["bytes"])
                while left:
                    part = min(left, limit - address % limit)
                    expected.append((row["end"] + ".pcie", int(row["time_ps"]) // 1000,
                                     row["event"] == "interrupt", kind, address, part))
                    address, left = address + part, left - part
            packets = [packet for packet in one.packets if packet.interface.endswith(".pcie")]
            found = [(packet.interface, packet.ns, packet.comment == "interrupt",
                      *self.decode(packet.bytes)) for packet in packets]
            self.assertEqual(found, sorted(expected, key=lambda tlp: float(tlp[1])))
            for end in "ab":
                of = collections.Counter((kind, interrupt)
                                         for interface, _, interrupt, kind, _, _ in found
                                         if interface[0] == end)
                self.assertEqual(
                    of, {
                        ("MWr", False): one.counters[end + ".pcie.write_tlps"],
                        ("MRd", False): one.counters[end + ".pcie.read_tlps"],
                        ("MWr", True): one.counters[end + ".pcie.interrupts"]
                    })
                self.assertEqual(
                    sum(tlp[5] for tlp in found if tlp[0][0] == end and tlp[3] == "MRd"),
                    one.counters[end + ".pcie.read_bytes"])
            for packet, tlp in zip(packets, found):
                payload = -(-(tlp[4] % 4 + tlp[5]) // 4) * 4 if tlp[3] == "MWr" else 0
                self.assertEqual((packet.wire, packet.flags), (len(packet.bytes) + payload, 2))

    def test_the_dissector_reads_them_so_too(self) -> None:
        one = run("both")
        shown = fields(one.capture,
                       ("frame.interface_name", "tlp.kind", "tlp.address", "tlp.bytes",
                        "tlp.requester", "tlp.tag", column("Protocol"), column("Info")), "tlp")
        packets = [packet for packet in one.packets if packet.interface.endswith(".pcie")]
        self.assertEqual(len(shown), len(packets))
        for found, packet in zip(shown, packets):
            kind, address, length = self.decode(packet.bytes)
            info = f"{kind} {length} B at {address:#x}" + (", interrupt" if packet.comment else "")
            self.assertEqual(found, (packet.interface, kind, f"0x{address:016x}", str(length),
                                     "0x0000", "0", "PCIe", info))

    def test_wide_addresses_and_odd_bytes(self) -> None:
        headers = {
            "60000020000000ff0000000212345680": ("MWr", 0x212345680, 128),
            "20000000000000ff0000000100000000": ("MRd", 1 << 32, 4096),
            "400000010000000800001000": ("MWr", 0x1003, 1),
            "400000030000001c00001000": ("MWr", 0x1002, 7)
        }
        file = Path(WORK.name) / "tlps.pcapng"
        write_pcapng(file, [("a.pcie", bytes.fromhex(header)) for header in headers], link=147)
        shown = fields(file, ("tlp.kind", "tlp.address", "tlp.bytes"))
        self.assertEqual(shown, [(kind, f"0x{address:016x}", str(length))
                                 for kind, address, length in headers.values()])
        # USER0 is anybody's, and not all of a.pcie need be memory requests
        strange = Path(WORK.name) / "strange.pcapng"
        write_pcapng(strange, [("a.pcie", bytes(8)), ("a.pcie", b"\x74" + bytes(15)),
                               ("eth0", bytes(16))], link=147)
        self.assertEqual(fields(strange, ("tlp.kind",)), [("",)] * 3)


if __name__ == "__main__":
    unittest.main()
