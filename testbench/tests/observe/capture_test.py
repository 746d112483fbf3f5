#!/usr/bin/python3
"""`rnicsim run --pcap`, and what Wireshark with scripts/wireshark/drp.lua makes of it: against --events, the counters and the
bytes, which are read here without either.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR, RNICSIM_GENERATE_DISSECTOR. Needs tshark and capinfos.
"""
import collections
import csv
import functools
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
DISSECTOR = SOURCE / "scripts" / "wireshark" / "drp.lua"
README = (SOURCE / "scripts" / "wireshark" / "README.md").read_text(encoding="utf-8")
WORK = tempfile.TemporaryDirectory()
MAC = {"a": "02:00:00:00:00:01", "b": "02:00:00:00:00:02"}
OTHER = {"a": "b", "b": "a"}
TYPES = {0x80: "REQ", 0x40: "REQ_ACK", 0x20: "DATA", 0x10: "REL", 0x08: "REL_ACK"}

SCENARIOS = {  # all: dynamic, one run
    "writes": """
system: {link: {loss: 8 %}, host: {registration: {failure: 30 %}}}
run: {methods: [dynamic], repetitions: 1, size: 6001 B, transfers: 60}
""",
    "both": """
system:
  link: {loss: 5 %}
  rnic: {transport: {retransmission: go_back_n}}
  b: {rnic: {pcie: {generation: 2, lanes: 4, max_payload: 256 B, max_read_request: 1024 B}}}
run: {methods: [dynamic], repetitions: 1, size: 10 KiB, operation: alternate, direction: both, in_flight: 4, transfers: 40}
""",
    "reads": """
system: {link: {loss: 25 %}}
run: {methods: [dynamic], repetitions: 1, size: 5 KiB, operation: read, direction: b_to_a, transfers: 50}
""",
    "pings": """
system: {link: {loss: 5 %}, host: {ping: {sizes: [256 B, 1500 B], interval: 0.1 ms}}}
run: {methods: [dynamic], repetitions: 1, size: 20 KiB, transfers: 10}
""",
}

Packet = collections.namedtuple("Packet", "interface ns flags comment bytes wire")


def command(*words, code=0, home=None):
    environment = {**os.environ, "HOME": home or WORK.name, "XDG_CONFIG_HOME": ""}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stderr}"
    return done


def tshark(file, *words, script=True, home=None):
    """What it prints. It has nothing to say on stderr, and Lua nothing to complain about."""
    done = command("tshark", *(["-X", f"lua_script:{DISSECTOR}"] if script else []), "-r", file, *words, home=home)
    errors = [line for line in done.stderr.splitlines() if line and not line.startswith("Running as user")]
    assert not errors, errors
    assert "Lua Error" not in done.stdout, done.stdout[done.stdout.index("Lua Error"):][:300]
    return done.stdout


def fields(file, names, shown="", *words, **options):
    """A tuple of texts for each packet that `shown` shows."""
    words = [*words, *(["-Y", shown] if shown else []), "-T", "fields", "-E", "occurrence=f"]
    for name in names:
        words += ["-e", name]
    return [tuple(line.split("\t")) for line in tshark(file, *words, **options).splitlines()]


def read_pcapng(file):
    """Interfaces [(link type, options)] and packets, by the draft: nothing of ours or Wireshark's."""
    data, at, interfaces, packets, section = Path(file).read_bytes(), 0, [], [], None

    def options(body):
        found, place = {}, 0
        while place < len(body):
            code, length = struct.unpack_from("<HH", body, place)
            if code == 0:
                assert place + 4 == len(body), "something behind the end of the options"
                break
            found[code] = body[place + 4:place + 4 + length]
            place += 4 + (length + 3) // 4 * 4
        return found

    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0 and struct.unpack_from("<I", data, at + length - 4)[0] == length
        body = data[at + 8:at + length - 4]
        if kind == 0x0A0D0D0A:
            assert at == 0 and struct.unpack_from("<IHHq", body) == (0x1A2B3C4D, 1, 0, -1)
            section = options(body[16:])
        elif kind == 1:
            link, _, limit = struct.unpack_from("<HHI", body)
            assert limit == 0
            interfaces.append((link, options(body[8:])))
        else:
            assert kind == 6, kind
            interface, high, low, captured, wire = struct.unpack_from("<IIIII", body)
            rest = options(body[20 + (captured + 3) // 4 * 4:])
            packets.append(Packet(interfaces[interface][1][2].decode(), high << 32 | low, struct.unpack("<I", rest[2])[0],
                                  rest.get(1, b"").decode(), body[20:20 + captured], wire))
        at += length
    return section, interfaces, packets


def drp_of(frame):
    """The header as --events writes it: (type, tid, sn, ackn, len, mode), or all empty."""
    if frame[12:14] != b"\x01\xff":
        return ("",) * 6
    ctrl, _, tid, length, sn, ackn = struct.unpack_from(">BBHIII", frame, 14)
    kind = "ACK" if ctrl & 0x20 and length == 0 else TYPES[ctrl & 0xF8]
    return (kind, *map(str, (tid, sn, ackn, length)), "indirect" if ctrl & 2 else "direct")


class Run:
    def __init__(self, name, scenario, *options):
        self.folder = Path(WORK.name) / name
        self.folder.mkdir()
        file = self.folder / f"{name}.yaml"
        file.write_text(scenario, encoding="utf-8")
        self.capture = self.folder / "x.pcapng"
        command(BIN, "run", file, "--no-plot", "--quiet", "--out", self.folder / "out", "--pcap", self.capture, "--events",
                self.folder / "x.csv", *options)
        self.section, self.interfaces, self.packets = read_pcapng(self.capture)
        self.frames = [packet for packet in self.packets if not packet.interface.endswith(".pcie")]
        with open(self.folder / "x.csv", newline="", encoding="utf-8") as events:
            self.events = list(csv.DictReader(events))
        with open(self.folder / "out" / "summary.csv", newline="", encoding="utf-8") as summary:
            self.counters = {key: int(value) for key, value in next(csv.DictReader(summary)).items() if re.match(r"[ab]\.|link", key)}

    def rows(self, unit, *events):
        return [row for row in self.events if row["unit"] == unit and row["event"] in events]

    def wire_rows(self):
        """What becomes packets, in the packets' order: by time, of equal ones the one decided first."""
        rows = [row for row in self.events if (row["unit"], row["event"]) in (("mac", "sent"), ("link", "arrives"))]
        return sorted(rows, key=lambda row: int(row["time_ns"]))


@functools.cache
def run(name):
    return Run(name, SCENARIOS[name], "--pcap-tlps")


@functools.cache
def column(name):
    """The field of a column: newer versions of tshark write it in lower case."""
    found = command("tshark", "-r", run("reads").capture, "-c", "1", "-T", "fields", "-e", f"_ws.col.{name.lower()}").stdout.strip()
    return f"_ws.col.{name.lower() if found else name}"


def interface_of(row):
    return row["end"] + ".sent" if row["event"] == "sent" else OTHER[row["end"]] + ".received"


def transfer_of(row):
    return f"{MAC[row['transfer'][0]]}/{row['transfer'][1:]}" if row["transfer"] else ""


class File(unittest.TestCase):
    """The capture itself."""

    @staticmethod
    def each():
        return [run(name) for name in SCENARIOS]

    def test_interfaces_and_section_say_what_they_are(self):
        for one in self.each():
            self.assertEqual(one.section, {4: b"rnicsim"})
            names = [(link, options[2].decode(), options[9], options.get(13)) for link, options in one.interfaces]
            self.assertEqual(names, [(1, name, b"\x09", b"\0") for name in ("a.sent", "b.received", "b.sent", "a.received")]
                             + [(147, name, b"\x09", None) for name in ("a.pcie", "b.pcie")])
            for _, options in one.interfaces:
                self.assertIn("RNIC " + options[2].decode()[0], options[3].decode())

    def test_capinfos_accepts_it(self):
        for one in self.each():
            said = command("capinfos", one.capture).stdout
            for pattern in (r"Strict time order: +True", r"Capture application: rnicsim", r"timestamp precision: +nanoseconds",
                            r"Number of interfaces in file: 6"):
                self.assertRegex(said, pattern)
            self.assertEqual(int(command("capinfos", "-Mc", one.capture).stdout.split()[-1]), len(one.packets))

    def test_frames_are_those_of_the_events_in_time_and_order(self):
        for one in self.each():
            rows = one.wire_rows()
            self.assertGreater(len(rows), 300)
            self.assertEqual([packet.ns for packet in one.packets], sorted(packet.ns for packet in one.packets))
            expected = [(interface_of(row), int(row["cycle"]) * 8, int(row["bytes"]) - 4,
                         (row["type"], row["tid"], row["sn"], row["ackn"], row["len"], row["mode"])) for row in rows]
            found = [(packet.interface, packet.ns, len(packet.bytes), drp_of(packet.bytes)) for packet in one.frames]
            self.assertEqual(found, expected)
            for packet in one.frames:
                self.assertEqual(packet.flags, 2 if packet.interface.endswith("sent") else 1)
                self.assertEqual(packet.wire, len(packet.bytes))

    def test_some_packets_have_the_same_time(self):
        """So the order of equal ones is tested above."""
        self.assertLess(len({packet.ns for packet in run("both").frames}), len(run("both").frames))

    def test_lost_frames_carry_the_cycle(self):
        for one in self.each():
            lost = {(row["end"], int(row["cycle"])) for row in one.rows("link", "lost")}
            self.assertGreater(len(lost), 5)
            for packet in one.frames:
                cycle = packet.ns // 8
                gone = packet.interface.endswith("sent") and (packet.interface[0], cycle) in lost
                self.assertEqual(packet.comment, f"lost on the link, cycle {cycle}" if gone else "")

    def test_sent_is_received_and_lost_and_the_counters_agree(self):
        for one in self.each():
            for end, direction in (("a", "a_to_b"), ("b", "b_to_a")):
                sent = [packet for packet in one.frames if packet.interface == end + ".sent"]
                received = [packet for packet in one.frames if packet.interface == OTHER[end] + ".received"]
                self.assertEqual([packet.bytes for packet in sent if not packet.comment], [packet.bytes for packet in received])
                self.assertEqual(len(sent), one.counters[end + ".gmac.tx_frames"])
                self.assertEqual(sum(len(packet.bytes) + 4 for packet in sent), one.counters[end + ".gmac.tx_bytes"])
                self.assertEqual(len(received), one.counters[OTHER[end] + ".gmac.rx_frames"])
                self.assertEqual(len(sent) - len(received), one.counters[f"link.{direction}_lost"])

    def test_payloads_are_whole_and_the_same_each_time(self):
        """Of every transfer all bytes are there, no two segments are equal, and a repetition carries the same."""
        for name, size in (("writes", 6001), ("both", 10240), ("reads", 5120)):
            one = run(name)
            payloads = collections.defaultdict(dict)
            rows = [row for row in one.wire_rows() if row["event"] == "sent"]
            packets = [packet for packet in one.frames if packet.interface.endswith("sent")]
            for row, packet in zip(rows, packets):
                if row["type"] == "DATA":
                    payload = packet.bytes[46:46 + int(row["len"])]
                    self.assertEqual(payloads[row["transfer"]].setdefault(int(row["sn"]), payload), payload)
                    self.assertEqual(packet.bytes[46 + len(payload):].strip(b"\0"), b"")
            self.assertEqual(len(payloads), len({row["transfer"] for row in rows}))
            for segments in payloads.values():
                self.assertEqual(sum(map(len, segments.values())), size)
                self.assertEqual(len(set(segments.values())), len(segments))

    def test_a_window_holds_what_lies_in_it(self):
        middle = run("both").frames[len(run("both").frames) // 2].ns
        window = Run("window", SCENARIOS["both"], "--observe-window", f"{middle} ns..{middle + 80_000} ns")
        expected = [packet for packet in run("both").frames if middle <= packet.ns < middle + 80_000]
        self.assertGreater(len(expected), 20)
        self.assertEqual(window.packets, expected)
        self.assertEqual(len(window.interfaces), 4)  # no --pcap-tlps

    def test_a_failed_run_leaves_what_it_has(self):
        """Also what is still held back: with a window that ends with the first frame, nothing comes behind it."""
        file = Path(WORK.name) / "failed.yaml"
        file.write_text("""
system:
  host: {registration: {base_cost: 50 ms}}
  rnic: {transport: {request_timer: 2 ms, idle_timeout: 5 ms, max_requests: 2, data_timer: 2 ms, release_timer: 2 ms}}
simulation: {watchdog: 6 ms}
run: {methods: [dynamic], repetitions: 1, transfers: 1}
""", encoding="utf-8")
        capture = Path(WORK.name) / "failed.pcapng"

        def packets(*options):
            done = command(BIN, "run", file, "--no-plot", "--out", Path(WORK.name) / "failed", "--pcap", capture, *options, code=1)
            self.assertIn("watchdog", done.stderr)
            return read_pcapng(capture)[2]

        whole = packets()
        self.assertIn("write REQ tid=0", tshark(capture))
        self.assertGreater(len(whole), 2)
        self.assertEqual(packets("--observe-window", f"0 ns..{whole[0].ns + 8} ns"), whole[:1])

    def test_a_capture_that_cannot_be_written_is_named(self):
        file = Path(WORK.name) / "full.pcapng"
        file.symlink_to("/dev/full")
        done = command(BIN, "run", SOURCE / "scenarios/examples/minimal.yaml", "--no-plot", "--out", Path(WORK.name) / "full", "--pcap",
                       file, code=1)
        self.assertIn(f"{file}: cannot be written", done.stderr)


class Tlps(unittest.TestCase):
    """The PCIe requests, read by the drawings of the PCIe specification."""

    @staticmethod
    def decode(header):
        """(kind, address, bytes)"""
        length = struct.unpack_from(">H", header, 2)[0] & 0x3FF or 1024
        first, last = header[7] & 15, header[7] >> 4
        wide = header[0] & 0x20
        address = struct.unpack_from(">Q" if wide else ">I", header, 8)[0]
        enabled = [bool(first >> i & 1) for i in range(4)]
        if length > 1:
            enabled += [True] * (4 * (length - 2)) + [bool(last >> i & 1) for i in range(4)]
        assert (length == 1) == (last == 0) and len(header) == (16 if wide else 12) and address % 4 == 0
        start = enabled.index(True)
        assert enabled[start:start + sum(enabled)] == [True] * sum(enabled)
        return "MWr" if header[0] & 0x40 else "MRd", address + start, sum(enabled)

    def test_each_request_is_cut_as_counted(self):
        for name, limits in (("writes", {"a": (128, 512), "b": (128, 512)}), ("both", {"a": (128, 512), "b": (256, 1024)})):
            one = run(name)
            expected = []
            for row in one.rows("pcie", "dma_write", "dma_read", "interrupt"):
                kind, limit = ("MRd", limits[row["end"]][1]) if row["event"] == "dma_read" else ("MWr", limits[row["end"]][0])
                address, left = int(row["address"] or 0), int(row["bytes"])
                while left:
                    part = min(left, limit - address % limit)
                    expected.append((row["end"] + ".pcie", int(row["time_ns"]), row["event"] == "interrupt", kind, address, part))
                    address, left = address + part, left - part
            packets = [packet for packet in one.packets if packet.interface.endswith(".pcie")]
            found = [(packet.interface, packet.ns, packet.comment == "interrupt", *self.decode(packet.bytes)) for packet in packets]
            self.assertEqual(found, sorted(expected, key=lambda tlp: tlp[1]))
            for end in "ab":
                of = collections.Counter((kind, interrupt) for interface, _, interrupt, kind, _, _ in found if interface[0] == end)
                self.assertEqual(of, {("MWr", False): one.counters[end + ".pcie.write_tlps"], ("MRd", False): one.counters[
                    end + ".pcie.read_tlps"], ("MWr", True): one.counters[end + ".pcie.interrupts"]})
                self.assertEqual(sum(tlp[5] for tlp in found if tlp[0][0] == end and tlp[3] == "MRd"), one.counters[end + ".pcie.read_bytes"])
            for packet, tlp in zip(packets, found):
                payload = -(-(tlp[4] % 4 + tlp[5]) // 4) * 4 if tlp[3] == "MWr" else 0
                self.assertEqual((packet.wire, packet.flags), (len(packet.bytes) + payload, 2))

    def test_the_dissector_reads_them_so_too(self):
        one = run("both")
        shown = fields(one.capture, ("frame.interface_name", "tlp.kind", "tlp.address", "tlp.bytes", "tlp.requester", "tlp.tag",
                                     column("Protocol"), column("Info")), "tlp")
        packets = [packet for packet in one.packets if packet.interface.endswith(".pcie")]
        self.assertEqual(len(shown), len(packets))
        for found, packet in zip(shown, packets):
            kind, address, length = self.decode(packet.bytes)
            info = f"{kind} {length} B at {address:#x}" + (", interrupt" if packet.comment else "")
            self.assertEqual(found, (packet.interface, kind, f"0x{address:016x}", str(length), "0x0000", "0", "PCIe", info))

    def test_wide_addresses_and_odd_bytes(self):
        headers = {"60000020000000ff0000000212345680": ("MWr", 0x212345680, 128), "20000000000000ff0000000100000000": ("MRd", 1 << 32, 4096),
                   "400000010000000800001000": ("MWr", 0x1003, 1), "400000030000001c00001000": ("MWr", 0x1002, 7)}
        file = Path(WORK.name) / "tlps.pcapng"
        write_pcapng(file, [("a.pcie", bytes.fromhex(header)) for header in headers], link=147)
        shown = fields(file, ("tlp.kind", "tlp.address", "tlp.bytes"))
        self.assertEqual(shown, [(kind, f"0x{address:016x}", str(length)) for kind, address, length in headers.values()])
        strange = Path(WORK.name) / "strange.pcapng"  # USER0 is anybody's, and not all of a.pcie need be memory requests
        write_pcapng(strange, [("a.pcie", bytes(8)), ("a.pcie", b"\x74" + bytes(15)), ("eth0", bytes(16))], link=147)
        self.assertEqual(fields(strange, ("tlp.kind",)), [("",)] * 3)


def write_pcapng(file, packets, link=1, cut=None):
    """[(interface name, bytes)]; `cut`: what is captured of each."""
    def block(kind, body):
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    names = sorted({name for name, _ in packets})
    data = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name in names:
        data += block(1, struct.pack("<HHIHH", link, 0, 0, 2, len(name)) + name.encode() + bytes(-len(name) % 4) + bytes(4))
    for i, (name, content) in enumerate(packets):
        kept = content[:cut]
        data += block(6, struct.pack("<IIIII", names.index(name), 0, i, len(kept), len(content)) + kept + bytes(-len(kept) % 4))
    Path(file).write_bytes(data)


def frame(ctrl, tid=1, length=0, sn=0, ackn=0, ext=0, payload=b"", source="a", ether_type=0x01FF, cut=None):
    mac = {end: bytes.fromhex(MAC[end].replace(":", "")) for end in "ab"}
    header = struct.pack(">BBHIIIQQ", ctrl, ext, tid, length, sn, ackn, 0x1122334455667788, 0x99AABBCCDDEEFF00)
    return (mac[OTHER[source]] + mac[source] + struct.pack(">H", ether_type) + header + payload)[:cut]


class Dissector(unittest.TestCase):
    def hand_made(self, *frames, interface="eth0"):
        file = Path(WORK.name) / (self.id().rsplit(".", maxsplit=1)[-1] + ".pcapng")
        write_pcapng(file, [one if isinstance(one, tuple) else (interface, one) for one in frames])
        return file

    def test_the_header_is_the_one_description_s(self):
        generated = subprocess.run([os.environ["RNICSIM_GENERATE_DISSECTOR"]], capture_output=True, text=True, check=True).stdout
        part = re.search(r"^-- header: begin[^\n]*\n(.*?)^-- header: end$", DISSECTOR.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        self.assertEqual(part[1], generated, "run scripts/reference")

    def test_every_field_is_as_in_the_events(self):
        names = ("frame.interface_name", "drp.type", "drp.tid", "drp.sn", "drp.ackn", "drp.len", "drp.ctrl.mode", "drp.transfer",
                 "drp.operation", "drp.ctrl.rw", "drp.ctrl.valid", "drp.ctrl", "drp.ext", "drp.sba", "drp.dba", "drp.payload", "eth.src",
                 "eth.dst", "eth.type")
        for scenario in SCENARIOS:
            one = run(scenario)
            shown = iter(fields(one.capture, names, "drp"))
            for row, packet in zip(one.wire_rows(), one.frames):
                if not row["type"]:
                    continue
                found = dict(zip(names, next(shown)))
                self.assertEqual([found[name] for name in names[:6]],
                                 [packet.interface, row["type"], row["tid"], row["sn"], row["ackn"], row["len"]])
                self.assertEqual(found["drp.transfer"], transfer_of(row))
                ctrl, ext, *_, sba, dba = struct.unpack_from(">BBHIIIQQ", packet.bytes, 14)
                self.assertEqual((found["drp.ctrl"], found["drp.ext"], found["drp.sba"], found["drp.dba"]),
                                 (f"0x{ctrl:02x}", f"0x{ext:02x}", f"0x{sba:016x}", f"0x{dba:016x}"))
                self.assertEqual([found["drp.ctrl.rw"], found["drp.ctrl.mode"], found["drp.ctrl.valid"]], list(f"{ctrl & 7:03b}"))
                self.assertEqual(found["drp.operation"], "read" if ctrl & 4 else "write")
                payload = packet.bytes[46:46 + int(row["len"])] if row["type"] == "DATA" else b""
                self.assertEqual(found["drp.payload"], payload.hex())
                self.assertEqual((found["eth.src"], found["eth.dst"]), (MAC[row["end"]], MAC[OTHER[row["end"]]]))
                self.assertEqual(found["eth.type"], "0x01ff")
            self.assertIsNone(next(shown, None))

    def test_flags_are_shown_as_bits(self):
        shown = tshark(self.hand_made(frame(0x47, tid=3, length=5)), "-V")
        for bits, name, value in (("0... ....", "REQ", "False"), (".1.. ....", "REQ_ACK", "True"), ("..0. ....", "DATA", "False"),
                                  ("...0 ....", "REL", "False"), (".... 0...", "REL_ACK", "False"), (".... .1..", "RW", "True"),
                                  (".... ..1.", "MODE", "True"), (".... ...1", "VALID", "True")):
            self.assertIn(f"{bits} = {name}: {value}", shown)

    def test_the_line_of_each_kind(self):
        made = {frame(0x80, tid=3, length=4096, sn=1024): "write REQ tid=3 len=4096 segment=1024",
                frame(0x41, tid=3, length=4096, source="b"): "write REQ_ACK tid=3 len=4096 valid",
                frame(0x44, tid=4, length=9, source="b"): "read REQ_ACK tid=4 len=9 invalid",
                frame(0x22, tid=9, length=4, sn=5, payload=bytes(20)): "write DATA tid=9 sn=5 len=4 indirect [simulated REQ_ACK]",
                frame(0x20, tid=3, length=20, sn=5, payload=bytes(20)): "write DATA tid=3 sn=5 len=20",
                frame(0x20, tid=3, ackn=6, source="b"): "write ACK tid=3 ackn=6",
                frame(0x24, tid=4, ackn=0): "read ACK tid=4 ackn=0",
                frame(0x12, tid=9): "write REL tid=9 indirect", frame(0x0C, tid=4, source="b"): "read REL_ACK tid=4"}
        shown = fields(self.hand_made(*made), (column("Protocol"), column("Info"), "frame.protocols"))
        self.assertEqual(shown, [("DRP", info, "eth:drp") for info in made.values()])

    def test_malformed_frames_say_the_reason(self):
        """Those of tlm/drp_header.cpp, in its order, at their edges."""
        good = [frame(0x20, length=14, payload=bytes(14)), frame(0x80, length=1, sn=1, payload=bytes(14))]
        bad = {frame(0x80, length=1, sn=1, cut=45): "truncated: 31 bytes, a header has 32", frame(0x80, cut=14): "truncated: 0 bytes",
               frame(0x07): "type_bits: 0 of", frame(0xC0, ext=1): "type_bits: 2 of", frame(0xF8): "type_bits: 5 of",
               frame(0x20, ext=1, length=99): "extension: EXT is not 0",
               frame(0x20, length=15, payload=bytes(14)): "length: LEN says 15 bytes, the frame has 14",
               frame(0x80, sn=1): "length: a request for nothing", frame(0x84, length=1): "length: a request for nothing"}
        file = self.hand_made(*good, *bad)
        shown = fields(file, ("frame.number", column("Info"), "_ws.expert.message", "_ws.expert.severity"), "drp.malformed")
        self.assertEqual([int(number) for number, *_ in shown], list(range(3, 3 + len(bad))))
        for (_, info, message, severity), reason in zip(shown, bad.values()):
            self.assertTrue(info.startswith("malformed, " + reason), info)
            self.assertTrue(message.startswith("Malformed, " + reason), message)
            self.assertEqual(severity, str(0x00800000))  # error
        names = re.search(r"kDrpErrorNames\{(.*?)\}", (SOURCE / "tlm" / "drp_header.h").read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual({reason.split(":")[0] for reason in bad.values()}, set(re.findall(r'"(\w+)"', names[1])) - {"none"})
        self.assertEqual(len(fields(file, ("drp.transfer",), "drp.transfer")), len(good))

    def test_what_was_not_captured_is_not_malformed(self):
        file = Path(WORK.name) / "cut.pcapng"
        for cut, info, payload in ((45, "header not captured", ""), (46, "write DATA tid=1 sn=0 len=9", ""),
                                   (48, "write DATA tid=1 sn=0 len=9", b"12".hex())):
            write_pcapng(file, [("eth0", frame(0x20, length=9, payload=b"123456789"))], cut=cut)
            self.assertEqual(fields(file, (column("Info"), "drp.payload", "drp.malformed")), [(info, payload, "")])

    def test_other_frames_are_left_to_wireshark(self):
        other = [frame(0x20, ether_type=0x01FE), frame(0x20, ether_type=0x0800), frame(0x20, ether_type=0x0200)]
        file = self.hand_made(*other, frame(0x24))
        self.assertEqual(fields(file, ("frame.number",), "drp"), [("4",)])
        self.assertEqual(fields(file, ("frame.protocols",), "!drp"), fields(file, ("frame.protocols",), "frame.number < 4", script=False))
        self.assertTrue(fields(run("pings").capture, ("frame.number",), "!drp && !tlp"))

    def test_filters_follow_one_transfer(self):
        one = run("both")
        for name in ("a7", "b12"):
            expected = [row for row in one.wire_rows() if row["transfer"] == name]
            shown = fields(one.capture, ("drp.type", "frame.time_epoch"), f'drp.transfer == "{MAC[name[0]]}/{name[1:]}"')
            self.assertEqual(shown, [(row["type"], f"{int(row['time_ns']) / 1e9:.9f}") for row in expected])
            self.assertEqual({row["type"] for row in expected}, {"REQ", "REQ_ACK", "DATA", "ACK", "REL", "REL_ACK"})
        by_source = fields(one.capture, ("frame.number",), f"eth.src == {MAC['a']} && eth.addr == {MAC['b']} && drp")
        self.assertEqual(len(by_source), sum(row["end"] == "a" and bool(row["type"]) for row in one.wire_rows()))

    def test_tids_wrap_and_transfers_do_not(self):
        file = self.hand_made(*(frame(0x80, tid=tid, length=1, sn=1) for tid in (30000, 60000, 65535, 0, 65535, 1)),
                              frame(0x41, tid=0, source="b"), frame(0x80, tid=0, length=1, sn=1, source="b"))
        self.assertEqual([transfer for transfer, in fields(file, ("drp.transfer",))],
                         [f"{MAC['a']}/{number}" for number in (30000, 60000, 65535, 65536, 65535, 65537, 65536)] + [MAC["b"] + "/0"])

    def notes(self, one, note):
        """Transfers with the note, by interface."""
        found = collections.defaultdict(list)
        for interface, transfer, info in fields(one.capture, ("frame.interface_name", "drp.transfer", column("Info")), note):
            found[interface].append((transfer, info))
        return found

    def test_retransmissions_are_those_that_the_ends_count(self):
        for scenario in ("writes", "both", "reads"):
            one = run(scenario)
            found = self.notes(one, "drp.retransmission")
            for end in "ab":
                self.assertEqual(len(found[end + ".sent"]), one.counters[end + ".transport.retransmissions"])
                # Where they arrive: only those of which an earlier one has arrived, too.
                seen, again = set(), 0
                for row in one.rows("link", "arrives"):
                    if row["end"] == end and row["type"] == "DATA":
                        again += (row["transfer"], row["sn"]) in seen
                        seen.add((row["transfer"], row["sn"]))
                self.assertEqual(len(found[OTHER[end] + ".received"]), again)
            self.assertTrue(all(info.split(" [")[1] == "retransmission]" for shown in found.values() for _, info in shown))
        self.assertGreater(len(found["a.sent"]), len(found["b.received"]))

    def test_repeated_requests(self):
        for scenario in ("writes", "both", "reads"):
            one = run(scenario)
            found = self.notes(one, "drp.repeated_request")
            self.assertGreater(sum(map(len, found.values())), 2)
            for end in "ab":
                transfers = {row["transfer"] for row in one.rows("mac", "sent") if row["transfer"][:1] == end}
                self.assertEqual(len(found[end + ".sent"]), one.counters[end + ".transport.requests_sent"] - len(transfers))
                self.assertTrue(all("REQ" in info and "[repeated]" in info for _, info in found[end + ".sent"]))

    def test_duplicate_acks(self):
        for scenario in ("writes", "both", "reads"):
            one = run(scenario)
            found = self.notes(one, "drp.duplicate_ack")
            expected, last = collections.Counter(), {}
            for row, packet in zip(one.wire_rows(), one.frames):
                if row["type"] == "ACK":
                    key = (packet.interface, row["transfer"])
                    read = packet.bytes[14] & 4
                    expected[packet.interface] += last.get(key, None if read else "0") == row["ackn"]
                    last[key] = row["ackn"]
            self.assertGreater(sum(expected.values()), 20)
            self.assertEqual({interface: len(shown) for interface, shown in found.items()}, +expected)

    def test_simulated_request_acks(self):
        """Of a write: at its initiator those that go indirect with no valid REQ_ACK; the transport counts them as went_indirect."""
        one = run("writes")
        found = self.notes(one, "drp.simulated_request_ack")
        self.assertEqual(len(found["a.sent"]), one.counters["a.transport.went_indirect"])
        self.assertGreater(len(found["a.sent"]), 5)
        went = [f"{MAC['a']}/{row['transfer'][1:]}" for row in one.rows("transport", "went_indirect")]
        self.assertEqual([transfer for transfer, _ in found["a.sent"]], went)
        reads = self.notes(run("reads"), "drp.simulated_request_ack")
        self.assertTrue(reads["b.received"] and not reads["a.sent"])  # responder a has sent its REQ_ACK
        messages = {message for message, in fields(run("reads").capture, ("_ws.expert.message",), "drp.simulated_request_ack")}
        self.assertEqual(messages, {"Simulated request-ack: this data stands for the missing REQ_ACK"})

    def test_a_valid_request_ack_is_not_simulated(self):
        data = frame(0x22, length=4, payload=bytes(14))
        file = self.hand_made(("a.received", frame(0x40, source="b")), ("a.sent", data), ("b.sent", frame(0x41, source="b")),
                              ("b.received", data), ("a.received", frame(0x41, tid=2, source="b")), ("a.sent", frame(0x22, tid=2, length=1, payload=b"1")))
        self.assertEqual(fields(file, ("frame.number",), "drp.simulated_request_ack"), [("2",)])

    def test_mode_switches_of_a_transfer_s_data(self):
        modes = (0x22, 0x22, 0x20, 0x20, 0x22)
        frames = [frame(mode, length=1, sn=sn, payload=b"1") for sn, mode in enumerate(modes)]
        acks = [frame(0x20, ackn=1, source="b")]  # the mode of others does not count
        file = self.hand_made(*frames[:2], *acks, *frames[2:], frame(0x20, tid=2, length=1, payload=b"1"))
        shown = fields(file, ("frame.number", "_ws.expert.message"), "drp.mode_switch")
        self.assertEqual(shown, [("4", "Mode switch: indirect -> direct"), ("6", "Mode switch: direct -> indirect")])

    def test_links_lead_to_the_request_and_the_answer_and_back(self):
        one = run("writes")
        names = ("frame.number", "frame.interface_name", "drp.transfer", "drp.type", "drp.request", "drp.response_to", "drp.response_in",
                 "drp.sn", "drp.ackn")
        shown = {row["frame.number"]: row for row in (dict(zip(names, found)) for found in fields(one.capture, names, "drp", "-2"))}
        pairs = collections.Counter()
        asked = {"REQ_ACK": "REQ", "ACK": "DATA", "REL_ACK": "REL"}
        for number, row in shown.items():
            if row["drp.request"]:
                first = shown[row["drp.request"]]
                self.assertEqual((first["drp.type"], first["drp.transfer"]), ("REQ", row["drp.transfer"]))
                self.assertEqual(first["drp.request"], "")
            if row["drp.response_to"]:
                to = shown[row["drp.response_to"]]
                self.assertEqual((to["drp.type"], to["drp.transfer"]), (asked[row["drp.type"]], row["drp.transfer"]))
                self.assertEqual(to["frame.interface_name"][0], row["frame.interface_name"][0])
                self.assertLessEqual(int(to["drp.response_in"]), int(number))
                if row["drp.type"] == "ACK":
                    self.assertEqual(int(to["drp.sn"]) + 1, int(row["drp.ackn"]))
                pairs[row["drp.type"]] += 1
            if row["drp.response_in"]:
                self.assertEqual(shown[row["drp.response_in"]]["drp.response_to"], number)
        self.assertEqual(pairs["REL_ACK"], sum(row["drp.type"] == "REL_ACK" for row in shown.values()))
        self.assertGreater(pairs["REQ_ACK"], 100)
        self.assertGreater(pairs["ACK"], 100)

    def test_details_and_two_passes_make_lua_complain_of_nothing(self):
        for scenario in SCENARIOS:
            text = tshark(run(scenario).capture, "-2", "-V", "-c", "3000")
            self.assertIn("Dynamic RDMA protocol, ", text)


class Readme(unittest.TestCase):
    def test_its_example_is_what_the_commands_print(self):
        lines = re.search(r"## Example.*?```\n(.*?)```", README, re.DOTALL)[1].replace("\\\n", "").splitlines()
        commands = [line[2:] for line in lines if line.startswith("$ ")]
        folder = Path(WORK.name) / "readme"
        folder.mkdir()
        (folder / "scenarios").symlink_to(SOURCE / "scenarios")
        (folder / "scripts").symlink_to(SOURCE / "scripts")
        (folder / "bin").mkdir()
        (folder / "bin" / "rnicsim").symlink_to(BIN)
        done = subprocess.run(["bash", "-ec", "\n".join(commands)], capture_output=True, text=True, check=False, cwd=folder,
                              env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": WORK.name})
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = [line for line in done.stdout.splitlines() if " DRP " in line]
        self.assertEqual([line for line in lines if not line.startswith("$ ")], printed)

    def test_its_filters_are_filters(self):
        filters = re.findall(r"^\| `(.*?)` \|", README, re.MULTILINE)
        filters += re.findall(r"`(drp\.(?!lua)\w+)`", README)
        self.assertGreater(len(filters), 12)
        for one in filters:
            tshark(run("writes").capture, "-c", "1", "-Y", one)

    def test_its_install_line_installs(self):
        home = Path(WORK.name) / "home"
        home.mkdir()
        line = re.search(r"^mkdir -p .*?drp\.lua \S+", README, re.MULTILINE)[0]
        subprocess.run(["bash", "-ec", line], check=True, cwd=SOURCE, env={**os.environ, "HOME": str(home)})
        self.assertTrue(fields(run("reads").capture, ("drp.tid",), "drp.type == \"REQ\"", script=False, home=str(home)))


def tearDownModule():
    shutil.rmtree(WORK.name, ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
