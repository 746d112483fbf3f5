#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Captures read by tshark with scripts/wireshark/drp.lua: those of runs, against --events and the
counters, and hand-made ones.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR, RNICSIM_GENERATE_DISSECTOR. Needs tshark.
"""

from __future__ import annotations
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from capture_support import (BIN, DISSECTOR, MAC, OTHER, SCENARIOS, SOURCE, WORK, as_somebody,
                             column, fields, frame, run, transfer_of, tshark, write_pcapng)

sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import sampling  # noqa: E402

README = (SOURCE / "scripts" / "wireshark" / "README.md").read_text(encoding="utf-8")


class Dissector(unittest.TestCase):
    def hand_made(self, *frames: Any, interface: Any = "eth0") -> Any:
        file = Path(WORK.name) / (self.id().rsplit(".", maxsplit=1)[-1] + ".pcapng")
        packets: list[Any] = [one if isinstance(one, tuple) else (interface, one) for one in frames]
        write_pcapng(file, packets)
        return file

    def test_the_header_is_the_one_description_s(self) -> None:
        generated = subprocess.run([os.environ["RNICSIM_GENERATE_DISSECTOR"]], capture_output=True,
                                   text=True, check=True).stdout
        part = re.search(r"^-- header: begin[^\n]*\n(.*?)^-- header: end$",
                         DISSECTOR.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        self.assertEqual(part[1], generated, "run scripts/reference")

    @sampling.in_turn(2)
    def test_every_field_is_as_in_the_events(self) -> None:
        names = ("frame.interface_name", "drp.type", "drp.tid", "drp.sn", "drp.ackn", "drp.len",
                 "drp.ctrl.mode", "drp.transfer", "drp.operation", "drp.ctrl.rw", "drp.ctrl.valid",
                 "drp.ctrl", "drp.ext", "drp.sba", "drp.dba", "drp.payload", "eth.src", "eth.dst",
                 "eth.type")
        for scenario in SCENARIOS:
            one = run(scenario)
            shown = iter(fields(one.capture, names, "drp"))
            for row, packet in zip(one.wire_rows(), one.frames):
                if not row["type"]:
                    continue
                found = dict(zip(names, next(shown)))
                self.assertEqual(
                    [found[name] for name in names[:6]],
                    [packet.interface, row["type"], row["tid"], row["sn"], row["ackn"], row["len"]])
                self.assertEqual(found["drp.transfer"], transfer_of(row))
                ctrl, ext, *_, sba, dba = struct.unpack_from(">BBHIIIQQ", packet.bytes, 14)
                self.assertEqual(
                    (found["drp.ctrl"], found["drp.ext"], found["drp.sba"], found["drp.dba"]),
                    (f"0x{ctrl:02x}", f"0x{ext:02x}", f"0x{sba:016x}", f"0x{dba:016x}"))
                # True: from 4.4 on
                bits = [
                    "01"[found[f"drp.ctrl.{name}"] in ("1", "True")]
                    for name in ("rw", "mode", "valid")
                ]
                self.assertEqual(bits, list(f"{ctrl & 7:03b}"))
                self.assertEqual(found["drp.operation"], "read" if ctrl & 4 else "write")
                payload = packet.bytes[46:46 + int(row["len"])] if row["type"] == "DATA" else b""
                self.assertEqual(found["drp.payload"], payload.hex())
                self.assertEqual((found["eth.src"], found["eth.dst"]),
                                 (MAC[row["end"]], MAC[OTHER[row["end"]]]))
                self.assertEqual(found["eth.type"], "0x01ff")
            self.assertIsNone(next(shown, None))

    def test_flags_are_shown_as_bits(self) -> None:
        shown = tshark(self.hand_made(frame(0x47, tid=3, length=5)), "-V")
        for bits, name, value in (("0... ....", "REQ", "False"), (".1.. ....", "REQ_ACK", "True"),
                                  ("..0. ....", "DATA", "False"), ("...0 ....", "REL", "False"),
                                  (".... 0...", "REL_ACK", "False"), (".... .1..", "RW", "True"),
                                  (".... ..1.", "MODE", "True"), (".... ...1", "VALID", "True")):
            self.assertIn(f"{bits} = {name}: {value}", shown)

    def test_the_line_of_each_kind(self) -> None:
        made = {
            frame(0x80, tid=3, length=4096, sn=1024): "write REQ tid=3 len=4096 segment=1024",
            frame(0x41, tid=3, length=4096, source="b"): "write REQ_ACK tid=3 len=4096 valid",
            frame(0x44, tid=4, length=9, source="b"): "read REQ_ACK tid=4 len=9 invalid",
            frame(0x22, tid=9, length=4, sn=5, payload=bytes(20)):
            "write DATA tid=9 sn=5 len=4 indirect [simulated REQ_ACK]",
            frame(0x20, tid=3, length=20, sn=5, payload=bytes(20)): "write DATA tid=3 sn=5 len=20",
            frame(0x20, tid=3, ackn=6, source="b"): "write ACK tid=3 ackn=6",
            frame(0x24, tid=4, ackn=0): "read ACK tid=4 ackn=0",
            frame(0x12, tid=9): "write REL tid=9 indirect",
            frame(0x0C, tid=4, source="b"): "read REL_ACK tid=4"
        }
        shown = fields(self.hand_made(*made),
                       (column("Protocol"), column("Info"), "frame.protocols"))
        self.assertEqual(shown, [("DRP", info, "eth:drp") for info in made.values()])

    def test_malformed_frames_say_the_reason(self) -> None:
        """Those of tlm/drp/drp_header.cpp, in its order, at their edges."""
        good = [
            frame(0x20, length=14, payload=bytes(14)),
            frame(0x80, length=1, sn=1, payload=bytes(14))
        ]
        bad = {
            frame(0x80, length=1, sn=1, cut=45): "truncated: 31 bytes, a header has 32",
            frame(0x80, cut=14): "truncated: 0 bytes",
            frame(0x07): "type_bits: 0 of",
            frame(0xC0, ext=1): "type_bits: 2 of",
            frame(0xF8): "type_bits: 5 of",
            frame(0x20, ext=1, length=99): "extension: EXT is not 0",
            frame(0x20, length=15, payload=bytes(14)):
            "length: LEN says 15 bytes, the frame has 14",
            frame(0x80, sn=1): "length: a request for nothing",
            frame(0x84, length=1): "length: a request for nothing"
        }
        file = self.hand_made(*good, *bad)
        shown = fields(
            file, ("frame.number", column("Info"), "_ws.expert.message", "_ws.expert.severity"),
            "drp.malformed")
        self.assertEqual([int(number) for number, *_ in shown], list(range(3, 3 + len(bad))))
        for (_, info, message, severity), reason in zip(shown, bad.values()):
            self.assertTrue(info.startswith("malformed, " + reason), info)
            self.assertTrue(message.startswith("Malformed, " + reason), message)
            self.assertEqual(severity, str(0x00800000))  # error
        names = re.search(r"kDrpErrorNames\{(.*?)\}",
                          (SOURCE / "tlm" / "drp" / "drp_header.h").read_text(encoding="utf-8"),
                          re.DOTALL)
        self.assertEqual({reason.split(":")[0]
                          for reason in bad.values()},
                         set(re.findall(r'"(\w+)"', names[1])) - {"none"})
        self.assertEqual(len(fields(file, ("drp.transfer",), "drp.transfer")), len(good))

    def test_what_was_not_captured_is_not_malformed(self) -> None:
        file = Path(WORK.name) / "cut.pcapng"
        for cut, info, payload in ((45, "header not captured",
                                    ""), (46, "write DATA tid=1 sn=0 len=9", ""),
                                   (48, "write DATA tid=1 sn=0 len=9", b"12".hex())):
            write_pcapng(file, [("eth0", frame(0x20, length=9, payload=b"123456789"))], cut=cut)
            self.assertEqual(fields(file, (column("Info"), "drp.payload", "drp.malformed")),
                             [(info, payload, "")])

    def test_other_frames_are_left_to_wireshark(self) -> None:
        other = [
            frame(0x20, ether_type=0x01FE),
            frame(0x20, ether_type=0x0800),
            frame(0x20, ether_type=0x0200)
        ]
        file = self.hand_made(*other, frame(0x24))
        self.assertEqual(fields(file, ("frame.number",), "drp"), [("4",)])
        self.assertEqual(fields(file, ("frame.protocols", ), "!drp"),
                         fields(file, ("frame.protocols", ), "frame.number < 4", script=False))
        self.assertTrue(fields(run("pings").capture, ("frame.number",), "!drp && !tlp"))

    @sampling.in_turn(2)
    def test_filters_follow_one_transfer(self) -> None:
        one = run("both")
        for name in ("a7", "b12"):
            expected = [row for row in one.wire_rows() if row["transfer"] == name]
            shown = fields(one.capture, ("drp.type", "frame.time_epoch"),
                           f'drp.transfer == "{MAC[name[0]]}/{name[1:]}"')
            self.assertEqual(shown, [(row["type"], f"{int(row['time_ps']) // 1000 / 1e9:.9f}")
                                     for row in expected])
            self.assertEqual({row["type"]
                              for row in expected},
                             {"REQ", "REQ_ACK", "DATA", "ACK", "REL", "REL_ACK"})
        by_source = fields(one.capture, ("frame.number", ),
                           f"eth.src == {MAC['a']} && eth.addr == {MAC['b']} && drp")
        self.assertEqual(len(by_source),
                         sum(row["end"] == "a" and bool(row["type"]) for row in one.wire_rows()))

    def test_tids_wrap_and_transfers_do_not(self) -> None:
        file = self.hand_made(
            *(frame(0x80, tid=tid, length=1, sn=1) for tid in (30000, 60000, 65535, 0, 65535, 1)),
            frame(0x41, tid=0, source="b"), frame(0x80, tid=0, length=1, sn=1, source="b"))
        self.assertEqual([
            transfer for transfer, in fields(file, ("drp.transfer", ))
        ], [f"{MAC['a']}/{number}"
            for number in (30000, 60000, 65535, 65536, 65535, 65537, 65536)] + [MAC["b"] + "/0"])

    def notes(self, one: Any, note: Any) -> Any:
        """Transfers with the note, by interface."""
        found = collections.defaultdict(list)
        for interface, transfer, info in fields(
                one.capture, ("frame.interface_name", "drp.transfer", column("Info")), note):
            found[interface].append((transfer, info))
        return found

    def test_retransmissions_are_those_that_the_ends_count(self) -> None:
        for scenario in ("writes", "both", "reads"):
            one = run(scenario)
            found = self.notes(one, "drp.retransmission")
            for end in "ab":
                self.assertEqual(len(found[end + ".sent"]),
                                 one.counters[end + ".transport.retransmissions"])
                # Where they arrive: only those of which an earlier one has arrived, too.
                seen, again = set(), 0
                for row in one.rows("link", "arrives"):
                    if row["end"] == end and row["type"] == "DATA":
                        again += (row["transfer"], row["sn"]) in seen
                        seen.add((row["transfer"], row["sn"]))
                self.assertEqual(len(found[OTHER[end] + ".received"]), again)
            self.assertTrue(
                all(
                    info.split(" [")[1] == "retransmission]" for shown in found.values()
                    for _, info in shown))
        self.assertGreater(len(found["a.sent"]), len(found["b.received"]))

    def test_repeated_requests(self) -> None:
        for scenario in ("writes", "both", "reads"):
            one = run(scenario)
            found = self.notes(one, "drp.repeated_request")
            self.assertGreater(sum(map(len, found.values())), 2)
            for end in "ab":
                transfers = {
                    row["transfer"]
                    for row in one.rows("mac", "sent") if row["transfer"][:1] == end
                }
                self.assertEqual(len(found[end + ".sent"]),
                                 one.counters[end + ".transport.requests_sent"] - len(transfers))
                self.assertTrue(
                    all("REQ" in info and "[repeated]" in info for _, info in found[end + ".sent"]))

    @sampling.in_turn(2)
    def test_duplicate_acks(self) -> None:
        for scenario in ("writes", "both", "reads"):
            one = run(scenario)
            found = self.notes(one, "drp.duplicate_ack")
            expected: collections.Counter[Any] = collections.Counter()
            last: dict[Any, Any] = {}
            for row, packet in zip(one.wire_rows(), one.frames):
                if row["type"] == "ACK":
                    key = (packet.interface, row["transfer"])
                    read = packet.bytes[14] & 4
                    expected[packet.interface] += last.get(key,
                                                           None if read else "0") == row["ackn"]
                    last[key] = row["ackn"]
            self.assertGreater(sum(expected.values()), 20)
            self.assertEqual({interface: len(shown)
                              for interface, shown in found.items()}, +expected)

    def test_simulated_request_acks(self) -> None:
        """Of a write: at its initiator those that go indirect with no valid REQ_ACK; the transport
        counts them as went_indirect."""
        one = run("writes")
        found = self.notes(one, "drp.simulated_request_ack")
        self.assertEqual(len(found["a.sent"]), one.counters["a.transport.went_indirect"])
        self.assertGreater(len(found["a.sent"]), 5)
        went = [
            f"{MAC['a']}/{row['transfer'][1:]}" for row in one.rows("transport", "went_indirect")
        ]
        self.assertEqual([transfer for transfer, _ in found["a.sent"]], went)
        reads = self.notes(run("reads"), "drp.simulated_request_ack")
        # responder a has sent its REQ_ACK
        self.assertTrue(reads["b.received"] and not reads["a.sent"])
        messages = {
            message
            for message, in fields(
                run("reads").capture, ("_ws.expert.message", ), "drp.simulated_request_ack")
        }
        self.assertEqual(messages,
                         {"Simulated request-ack: this data stands for the missing REQ_ACK"})

    def test_a_valid_request_ack_is_not_simulated(self) -> None:
        data = frame(0x22, length=4, payload=bytes(14))
        file = self.hand_made(("a.received", frame(0x40, source="b")), ("a.sent", data),
                              ("b.sent", frame(0x41, source="b")), ("b.received", data),
                              ("a.received", frame(0x41, tid=2, source="b")),
                              ("a.sent", frame(0x22, tid=2, length=1, payload=b"1")))
        self.assertEqual(fields(file, ("frame.number",), "drp.simulated_request_ack"), [("2",)])

    def test_mode_switches_of_a_transfer_s_data(self) -> None:
        modes = (0x22, 0x22, 0x20, 0x20, 0x22)
        frames = [frame(mode, length=1, sn=sn, payload=b"1") for sn, mode in enumerate(modes)]
        acks = [frame(0x20, ackn=1, source="b")]  # the mode of others does not count
        file = self.hand_made(*frames[:2], *acks, *frames[2:],
                              frame(0x20, tid=2, length=1, payload=b"1"))
        shown = fields(file, ("frame.number", "_ws.expert.message"), "drp.mode_switch")
        self.assertEqual(shown, [("4", "Mode switch: indirect -> direct"),
                                 ("6", "Mode switch: direct -> indirect")])

    def test_links_lead_to_the_request_and_the_answer_and_back(self) -> None:
        one = run("writes")
        names = ("frame.number", "frame.interface_name", "drp.transfer", "drp.type", "drp.request",
                 "drp.response_to", "drp.response_in", "drp.sn", "drp.ackn")
        shown = {
            row["frame.number"]: row
            for row in (dict(zip(names, found))
                        for found in fields(one.capture, names, "drp", "-2"))
        }
        pairs: collections.Counter[Any] = collections.Counter()
        asked = {"REQ_ACK": "REQ", "ACK": "DATA", "REL_ACK": "REL"}
        for number, row in shown.items():
            if row["drp.request"]:
                first = shown[row["drp.request"]]
                self.assertEqual((first["drp.type"], first["drp.transfer"]),
                                 ("REQ", row["drp.transfer"]))
                self.assertEqual(first["drp.request"], "")
            if row["drp.response_to"]:
                to = shown[row["drp.response_to"]]
                self.assertEqual((to["drp.type"], to["drp.transfer"]),
                                 (asked[row["drp.type"]], row["drp.transfer"]))
                self.assertEqual(to["frame.interface_name"][0], row["frame.interface_name"][0])
                self.assertLessEqual(int(to["drp.response_in"]), int(number))
                if row["drp.type"] == "ACK":
                    self.assertEqual(int(to["drp.sn"]) + 1, int(row["drp.ackn"]))
                pairs[row["drp.type"]] += 1
            if row["drp.response_in"]:
                self.assertEqual(shown[row["drp.response_in"]]["drp.response_to"], number)
        self.assertEqual(pairs["REL_ACK"],
                         sum(row["drp.type"] == "REL_ACK" for row in shown.values()))
        self.assertGreater(pairs["REQ_ACK"], 100)
        self.assertGreater(pairs["ACK"], 100)

    @sampling.in_turn(2)
    def test_details_and_two_passes_make_lua_complain_of_nothing(self) -> None:
        for scenario in SCENARIOS:
            text = tshark(run(scenario).capture, "-2", "-V", "-c", "3000")
            self.assertIn("Dynamic RDMA protocol, ", text)


class Readme(unittest.TestCase):
    def test_its_example_is_what_the_commands_print(self) -> None:
        lines = re.search(r"## Example.*?```\n(.*?)```", README,
                          re.DOTALL)[1].replace("\\\n", "").splitlines()
        commands = [line[2:] for line in lines if line.startswith("$ ")]
        folder = Path(WORK.name) / "readme"
        folder.mkdir()
        (folder / "scenarios").symlink_to(SOURCE / "scenarios")
        (folder / "scripts").symlink_to(SOURCE / "scripts")
        (folder / "bin").mkdir()
        (folder / "bin" / "rnicsim").symlink_to(BIN)
        reader = folder / "bin" / "tshark"
        reader.write_text(
            f'#!/bin/sh\nexec {" ".join(as_somebody())} {shutil.which("tshark")} "$@"\n',
            encoding="utf-8")
        reader.chmod(0o755)
        done = subprocess.run(["bash", "-ec", "\n".join(commands)], capture_output=True, text=True,
                              check=False, cwd=folder, env={
                                  **os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}",
                                  "HOME": WORK.name
                              })
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = [line for line in done.stdout.splitlines() if " DRP " in line]
        self.assertEqual([line for line in lines if not line.startswith("$ ")], printed)

    def test_its_filters_are_filters(self) -> None:
        listed = README.split("Filters:\n")[1].split("\n## ")[0]
        filters = re.findall(r"^- `(.*?)`:", listed, re.MULTILINE)
        filters += re.findall(r"`(drp\.(?!lua)\w+)`", README)
        self.assertGreater(len(filters), 12)
        for one in filters:
            tshark(run("writes").capture, "-c", "1", "-Y", one)

    def test_its_install_line_installs(self) -> None:
        home = Path(WORK.name) / "home"
        home.mkdir()
        line = re.search(r"^mkdir -p .*?drp\.lua \S+", README, re.MULTILINE)[0]
        subprocess.run(["bash", "-ec", line], check=True, cwd=SOURCE, env={
            **os.environ, "HOME": str(home)
        })
        self.assertTrue(
            fields(
                run("reads").capture, ("drp.tid", ), "drp.type == \"REQ\"", script=False,
                home=str(home)))


if __name__ == "__main__":
    unittest.main()
