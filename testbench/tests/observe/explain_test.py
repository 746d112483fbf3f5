#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim explain`: the ladder against the events of the same run; its drawings in tools that are
not ours.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs chromium.
"""
import csv
import re
import subprocess
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

from look_support import SOURCE, WORK, looked_at, rnicsim, rows, scenario

RUN = ("--run", "p000_dynamic_r1")
SVG = "{http://www.w3.org/2000/svg}"


def explain(transfer: str, *words: str | Path, code: int = 0) -> Any:
    return rnicsim("explain", scenario(), *RUN, "--transfer", transfer, *words, code=code)


def ladder(transfer: str, *words: str) -> list[tuple[str, str]]:
    """(microseconds, line) of each row."""
    lines = explain(transfer, *words).stdout.splitlines()[3:]
    return [(line[:10].strip(), line[12:]) for line in lines]


class Ladder(unittest.TestCase):
    transfers: Any

    @classmethod
    def setUpClass(cls) -> None:
        looked_at()
        with open(WORK / "all" / "transfers.csv", encoding="utf-8") as stream:
            cls.transfers = [
                row for row in csv.DictReader(stream)
                if (row["method"], row["repetition"]) == ("dynamic", "1")
            ]

    def test_it_takes_as_long_as_the_transfer(self) -> None:
        for row in self.transfers:
            name = row["initiator"] + row["id"]
            done = explain(name)
            how = "failed" if row["error"] else "completed"
            self.assertRegex(
                done.stdout.splitlines()[0],
                rf"^look: transfer {name}, {row['operation']} of 20001 B, dynamic method, "
                rf"run p000_dynamic_r1: {how} after {re.escape(row['time_us'])} µs(?:, the last "
                r"byte in memory [\d.]+ µs (?:later|before))?$"
            )
            last = [
                time for time, line in ladder(name)
                if "transfer completed" in line or "error:" in line
            ]
            self.assertEqual(last, [row["time_us"]])

    def test_the_method_is_the_initiator_s(self) -> None:
        mixed = ("explain", SOURCE / "scenarios/systems/mixed_methods.yaml", "--run",
                 "p000_dynamic_r0", "--transfer")
        for name, methods in (("old0.3", "traditional method, of fresh1 dynamic"),
                              ("fresh0.3", "dynamic method")):
            with self.subTest(name):
                self.assertRegex(
                    rnicsim(*mixed, name).stdout.splitlines()[0],
                    rf"^mixed_methods: transfer {name}, write of 16384 B, {methods}, run ")

    def test_every_frame_is_there_once_in_time(self) -> None:
        """With --every-frame: the frames of the events, lost ones marked, at the time of their
        first byte."""
        for name in ("a0", "b3", "a7"):
            mine = [r for r in rows() if r["transfer"] == name]
            start = int(next(int(r["time_ps"]) // 8000 for r in mine if r["event"] == "requested"))
            # preamble, SFD and the frame
            sent = [((int(r["time_ps"]) // 8000) - 8 - int(r["bytes"]), r) for r in mine
                    if r["event"] == "sent"]
            lost = {(r["end"], r["time_ps"]) for r in mine if r["event"] == "lost"}
            expected = sorted(
                (f"{(begin - start) * 8 / 1000:.3f}", r["type"], (r["end"], r["time_ps"]) in lost)
                for begin, r in sent)
            shown = []
            for time, line in ladder(name, "--every-frame"):
                frame = re.search(
                    r"(?:--|==) (REQ_ACK|REQ|DATA|ACK|REL_ACK|REL)\b", line) or re.search(
                        r"(REQ_ACK|DATA|ACK|REL_ACK|REL|REQ)\b[^|]* (?:--|==)\|", line)
                if frame:
                    shown.append((time, frame[1], "x" in re.sub(r"[a-z]{2,}", "", line)))
            self.assertEqual(sorted(shown), expected, name)

    def test_groups_count_their_frames(self) -> None:
        for name in ("a0", "b1"):
            data = [
                r for r in rows()
                if (r["transfer"], r["event"], r["type"]) == (name, "sent", "DATA")
            ]
            counted = 0
            for _, line in ladder(name):
                if found := re.search(
                        r"(?:DATA (\d+)(?:\.\.(\d+) \((\d+) frames\))?)(?: indirect)?(?: again)? "
                        r"[=x ]",
                        line):
                    counted += int(found[3] or 1)
            self.assertEqual(counted, len(data), name)

    def test_decisions_and_fill_are_told(self) -> None:
        text = "".join(explain(row["initiator"] + row["id"]).stdout for row in self.transfers)
        for words in ("sends indirectly from now on", "is told REQ_ACK (simulated)",
                      "registration fails (attempt 1)", "region registered",
                      "duplicate ACKs: sends again", "data timer expires",
                      "drains the indirect buffer", "receive buffer full: drops it", "slots kept]",
                      "its slots are free again", "region released",
                      "indirect buffer full: drops it"):
            self.assertIn(words, text)

    def test_slots_are_its_own(self) -> None:
        """What a ladder says of the indirect buffer follows from the transfer's own decisions; all
        its slots are freed."""
        checked = 0
        for row in self.transfers:
            name = row["initiator"] + row["id"]
            mine = [
                r for r in rows() if r["transfer"] == name and r["unit"] == "transport"
                and r["end"] != row["initiator"]
            ]
            kept = [(int(r["time_ps"]) // 8000) for r in mine if r["event"] == "kept_indirect"]
            start = int(
                next(
                    int(r["time_ps"]) // 8000 for r in rows()
                    if r["transfer"] == name and r["event"] == "requested"))
            shown = [(round(float(time) * 125) + start, line)
                     for time, line in ladder(name, "--every-frame")]
            told = [
                int(found[1]) for _, line in shown
                if (found := re.search(r"\[(\d+) slots? kept\]", line))
            ]
            if not kept:
                self.assertEqual(told, [], name)
                continue
            checked += 1
            leaves = [(int(r["time_ps"]) // 8000) for r in mine
                      if r["event"] in ("bulk_drains", "idle_timeouts", "out_of_region")]
            free = [
                cycle for cycle, line in shown
                if "slots are free again" in line or "slots come free" in line
            ]
            self.assertTrue(free and min(free) >= min(leaves), f"{name}: {free} {leaves}")
            self.assertEqual(max(told), len(kept) if len(leaves) == 1 else max(told), name)
            self.assertEqual(told[-1], 0, name)
        self.assertGreater(checked, 2)

    def test_times_only_grow(self) -> None:
        for row in self.transfers[::5]:
            times = [float(time) for time, _ in ladder(row["initiator"] + row["id"])]
            self.assertEqual(times, sorted(times))

    def test_the_drawing_says_what_the_text_says(self) -> None:
        explain("a7", "--draw", WORK / "a7.svg")
        # black in a program that knows no variables
        self.assertNotIn("var(", (WORK / "a7.svg").read_text(encoding="utf-8"))
        tree = xml.parse(WORK / "a7.svg").getroot()
        self.assertEqual(tree.tag, SVG + "svg")
        shown = [
            element.text for element in tree.iter(SVG + "text") if element.get("class") == "time"
        ]
        self.assertEqual(shown, [time for time, _ in ladder("a7")])
        crosses = sum(element.get("class") == "cross" for element in tree.iter(SVG + "line"))
        self.assertEqual(crosses,
                         2 * sum(r["event"] == "lost" for r in rows() if r["transfer"] == "a7"))
        width, height = (float(value) for value in tree.get("viewBox").split()[2:])
        for element in tree.iter():
            for key, limit in (("x", width), ("x1", width), ("x2", width), ("y", height),
                               ("y1", height), ("y2", height)):
                if element.get(key) is not None and element.get(key) != "100%":
                    self.assertTrue(0 <= float(element.get(key)) <= limit, xml.tostring(element))

    def test_a_browser_shows_the_page(self) -> None:
        explain("a7", "--draw", WORK / "a7.html")
        done = subprocess.run([
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
            f"file://{WORK / 'a7.html'}"
        ], capture_output=True, text=True, timeout=120, check=True)
        self.assertIn("transfer completed", done.stdout)
        self.assertEqual(done.stdout.count('class="time"'), len(ladder("a7")))
        self.assertNotRegex((WORK / "a7.html").read_text(encoding="utf-8"),
                            r"(?:src|href)=|url\(|@import")

    def test_verilog_has_the_same_ladder(self) -> None:
        text = scenario().read_text(encoding="utf-8")
        file = scenario("rtl", text + "simulation: {rnic: rtl}\n")
        found = rnicsim("explain", file, *RUN, "--transfer", "b5").stdout.splitlines()[1:]
        self.assertEqual(found, explain("b5").stdout.splitlines()[1:])

    def test_a_transfer_that_fails(self) -> None:
        file = scenario(
            "fails",
            "system: {link: {loss: 99.9999 %}}\nrun: {methods: [dynamic], transfers: 2, "
            "repetitions: 1}\n"
        )
        text = rnicsim("explain", file, "--transfer", "1").stdout
        self.assertRegex(text.splitlines()[0], r"failed after [\d.]+ µs$")
        self.assertIn("error: request timeout", text)
        self.assertEqual(text.count("-- REQ --"), 16)
        self.assertEqual(text.count("request timer expires"), 16)

    def test_the_last_byte_in_far_memory(self) -> None:
        """Writes: at the responder's host; reads: at the initiator's. By --events, where the bytes
        are written."""
        from look_support import rows
        checked = set()
        for transfer in ("a0", "a1", "b2", "b3", "a6", "b7"):
            text = explain(transfer).stdout
            title = text.splitlines()[0]
            found = re.search(
                r"completed after ([\d.]+) µs, the last byte in memory ([\d.]+) µs (later|before)$",
                title)
            if not found:
                self.assertIn("failed after", title)
                continue
            line, = [line for line in text.splitlines() if "has the last byte in memory" in line]
            at = float(line.split()[0])
            self.assertAlmostEqual(
                at,
                float(found[1]) + float(found[2]) * (1 if found[3] == "later" else -1), places=2)
            own = [row for row in rows() if row["transfer"] == transfer]
            start = next(int(row["time_ps"]) // 1000 for row in own if row["event"] == "requested")
            absolute = start / 1000 + at
            end = {
                "write": "ba",
                "read": "ab"
            }[title.split(", ")[1].split()[0]]["ab".index(transfer[0])]
            written = [
                float(row["time_ps"]) / 1000000 for row in rows()
                if row["unit"] == "memory" and row["event"] == "write" and row["end"] == end
            ]
            self.assertLess(min(abs(time - absolute) for time in written), 0.01)
            checked.add(title.split(", ")[1].split()[0])
        self.assertEqual(checked, {"write", "read"})

    def test_plain_hosts_have_no_transfers(self) -> None:
        plain = "system: {hosts: {a: {rnic: {personality: plain}}, b: {rnic: {personality: plain}}%s}, switches: {s0: {}}, links: [%s]}\n" \
                "run: {repetitions: 1, transfers: 2, size: 100 B, traffic: [{from: a, to: b}%s]}\n"  # noqa: E501
        links = ["{between: [a, s0]}", "{between: [b, s0]}"]
        file = scenario("plain", plain % ("", ", ".join(links), ""))
        self.assertIn("nobody has transfers", rnicsim("explain", file, "-t", "a.0", code=2).stderr)
        links += ["{between: [c, s0]}", "{between: [d, s0]}"]
        file = scenario("plain", plain % (", c: {}, d: {}", ", ".join(links), ", {from: c, to: d}"))
        self.assertIn("such as c.1", rnicsim("explain", file, "-t", "a.0", code=2).stderr)
        self.assertIn("transfer completed", rnicsim("explain", file, "-t", "c.1").stdout)

    def test_what_is_not_there_is_refused(self) -> None:
        for transfer, said in (("12", "expected a number of 0 .. 11"),
                               ("c1",
                                "expected a number of 0 .. 11, with the end that asks for it"),
                               ("1.5", "expected a number"), ("-1", "expected a number")):
            self.assertIn(said, explain(f"{transfer}", code=2).stderr if transfer != "-1" else
                          rnicsim("explain", scenario(), *RUN, "--transfer=-1", code=2).stderr)
        self.assertIn("expected one of p000_traditional_r0 .. p000_dynamic_r1",
                      rnicsim("explain", scenario(), "--run", "p7", "-t", "1", code=2).stderr)
        self.assertIn("ends with .svg or .html", explain("1", "--draw", "x.png", code=2).stderr)
        self.assertIn("cannot be created",
                      explain("1", "--draw", WORK / "none" / "x.svg", code=2).stderr)

    def test_in_a_network_it_says_where_a_frame_waited_and_was_lost(self) -> None:
        """By --events: from the last byte at the switch to the last byte at the next node, less
        latency, frame and delay."""
        text = """
system:
  link: {delay: 80 ns}
  hosts: {server: {}, client: {count: 4}}
  switches: {s0: {buffer: 4 KiB, latency: 1 us}, s1: {}}
  links: [{between: [server, s0]}, {between: [client, s1], loss: 5 %}, {between: [s0, s1], rate: 10 Gbps}]
run: {transfers: 3, repetitions: 1, size: 8 KiB, methods: [dynamic], traffic: [{from: client, to: server}]}
"""  # noqa: E501
        file = scenario("waits", text)
        rnicsim("run", file, "--out", WORK / "waits", "--no-plot", "--quiet", "--events",
                WORK / "waits.csv")
        seen, lost = 0, {"dropped by": 0, "lost behind": 0}
        for transfer in ("client0.0", "client1.0", "client2.1", "client3.2"):
            said = rnicsim("explain", file, "-t", transfer, "--every-frame").stdout
            at_s0 = {}  # frames that have come there, and when
            for row in rows("waits.csv"):
                if row["transfer"] != transfer or row["unit"] not in ("link", "switch"):
                    continue
                frame = (row["type"], row["sn"], row["ackn"], row["mode"])
                if row["event"] in ("lost", "dropped"):
                    how = "dropped by" if row["event"] == "dropped" else "lost behind"
                    lost[how] += 1
                    self.assertIn(f"{how} {row['end']}", said)
                if row["event"] == "arrives" and row["end"] == "s1" and row["type"] in ("REQ",
                                                                                        "DATA",
                                                                                        "REL"):
                    at_s0[frame] = int(row["time_ps"])
                if row["event"] == "arrives" and row["end"] == "s0" and frame in at_s0:
                    wait = int(row["time_ps"]) - at_s0.pop(
                        frame) - 8000 * (125 + 8 + int(row["bytes"])) - 80_000
                    if wait > 16_000:
                        seen += 1
                        self.assertIn(f"waited {wait // 1000 / 1000:.3f} µs at s0", said)
        self.assertGreater(seen, 5)
        self.assertTrue(all(lost.values()), lost)


if __name__ == "__main__":
    unittest.main()
