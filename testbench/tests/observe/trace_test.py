#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim run --trace` by the rules of Chrome's trace format, and `--vcd` as GTKWave's tools read
it.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs gtkwave and node.
"""
import base64
import collections
import json
import re
import subprocess
import time
import unittest
from decimal import Decimal
from typing import Any

from look_support import WORK, counters, looked_at, rows, simulate

TRACKS = [
    "transfers", "host software", "transport decisions", "MAC sends", "MAC receives",
    "PCIe to the host"
]


def cycles(time: Decimal) -> int:
    """Microseconds, exact, as cycles of 8 ns."""
    value = Decimal(time) * 125
    assert value == int(value), time
    return int(value)


class Trace(unittest.TestCase):
    events: Any
    text: Any

    @classmethod
    def setUpClass(cls) -> None:
        looked_at()
        cls.text = (WORK / "t.json").read_text(encoding="utf-8")
        cls.events = json.loads(cls.text, parse_float=Decimal)["traceEvents"]

    def of(self, phase: str, track: str | None = None) -> list[dict[str, Any]]:
        return [
            e for e in self.events
            if e["ph"] == phase and (track is None or e["tid"] == TRACKS.index(track))
        ]

    def test_a_browser_s_json_reads_it(self) -> None:
        done = subprocess.run([
            "node", "-e",
            "console.log(JSON.parse(require('fs').readFileSync(process.argv[1])).traceEvents.length)",  # noqa: E501
            WORK / "t.json"
        ], capture_output=True, text=True, check=True)
        self.assertEqual(int(done.stdout), len(self.events))

    def test_each_event_has_what_its_phase_needs(self) -> None:
        needs = {
            "M": {"name", "pid", "args"},
            "X": {"name", "pid", "tid", "ts", "dur", "args"},
            "i": {"name", "pid", "tid", "ts", "s"},
            "C": {"name", "pid", "tid", "ts", "args"},
            "b": {"name", "pid", "tid", "ts", "cat", "id"},
            "e": {"name", "pid", "tid", "ts", "cat", "id"}
        }
        self.assertEqual({e["ph"] for e in self.events}, set(needs))
        for e in self.events:
            self.assertLessEqual(needs[e["ph"]], set(e))
            self.assertIn(e["pid"], (1, 2))
        names = [(e["pid"], e.get("tid"), e["args"].get("name")) for e in self.of("M")
                 if e["name"] != "thread_sort_index"]
        self.assertEqual(
            sorted(names, key=str),
            sorted([(pid, None, f"end {'ab'[pid - 1]}")
                    for pid in (1, 2)] + [(pid, tid, name) for pid in (1, 2)
                                          for tid, name in enumerate(TRACKS)], key=str))

    def test_slices_of_a_track_do_not_overlap(self) -> None:
        tracks = collections.defaultdict(list)
        for e in self.of("X"):
            tracks[e["pid"], e["tid"]].append(
                (cycles(e["ts"]), cycles(e["ts"]) + cycles(e["dur"]), e["name"]))
        self.assertEqual(len(tracks), 10)
        for track, slices in tracks.items():
            slices.sort()
            for (_, end, first), (begin, _, second) in zip(slices, slices[1:]):
                self.assertLessEqual(end, begin, f"{track}: {first} and {second}")

    def test_frames_and_decisions_are_those_of_the_events(self) -> None:
        have = counters()
        for pid, end in ((1, "a"), (2, "b")):
            sent = [e for e in self.of("X", "MAC sends") if e["pid"] == pid]
            self.assertEqual(len(sent), have[f"{end}.gmac.tx_frames"])
            self.assertEqual(
                sorted(cycles(e["ts"]) + cycles(e["dur"]) for e in sent),
                sorted((int(r["time_ps"]) // 8000) for r in rows()
                       if (r["end"], r["unit"]) == (end, "mac")))
            self.assertEqual(len([e for e in self.of("X", "MAC receives") if e["pid"] == pid]),
                             have[f"{end}.gmac.rx_frames"])
            decisions = [e for e in self.of("X", "transport decisions") if e["pid"] == pid]
            said = [(cycles(e["ts"]) + cycles(e["dur"]), e["args"]["cause"], e["args"]["results"])
                    for e in decisions]
            expected: list[Any] = []
            for r in rows():
                if r["end"] != end or r["unit"] != "transport" or r["event"] == "rx_overrun":
                    continue
                if r["event"] == "decides":
                    expected.append([(int(r["time_ps"]) // 8000), r["cause"], []])
                else:
                    expected[-1][2].append(r["event"])
            self.assertEqual(said, [(cycle, cause, ", ".join(results))
                                    for cycle, cause, results in expected])

    def test_transfers_are_spans_and_the_buffer_is_a_counter(self) -> None:
        begun = {e["id"]: cycles(e["ts"]) for e in self.of("b")}
        ended = {e["id"]: cycles(e["ts"]) for e in self.of("e")}
        self.assertEqual(len(begun), 24)
        self.assertEqual(begun, {
            r["transfer"]: (int(r["time_ps"]) // 8000)
            for r in rows() if r["event"] == "requested"
        })
        self.assertEqual(
            ended, {
                r["transfer"]: (int(r["time_ps"]) // 8000)
                for r in rows() if r["event"] in ("completed", "failed")
            })
        fills = [(cycles(e["ts"]), e["args"]["slots"]) for e in self.of("C") if e["pid"] == 2]
        self.assertEqual(fills, [((int(r["time_ps"]) // 8000), int(r["bytes"]))
                                 for r in rows() if (r["end"], r["unit"]) == ("b", "buffer")])
        self.assertGreater(len(fills), 10)

    def test_lost_and_overrun_frames_are_marked(self) -> None:
        names = collections.Counter(e["name"].split(":")[0] for e in self.of("i", "MAC receives"))
        self.assertEqual(names["lost"], sum(r["event"] == "lost" for r in rows()))
        self.assertEqual(names["no room"], sum(r["event"] == "rx_overrun" for r in rows()))


class Speedscope(unittest.TestCase):
    """An independent viewer of Chrome's trace format: https://www.speedscope.app, from npm, in
    headless Chromium."""

    VERSION = "1.25.0"

    def test_it_opens_with_all_tracks(self) -> None:
        looked_at()
        try:
            subprocess.run([
                "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", WORK,
                f"speedscope@{self.VERSION}"
            ], capture_output=True, timeout=120, check=True)
            from selenium import webdriver
        except (OSError, subprocess.SubprocessError, ImportError) as error:
            self.skipTest(f"speedscope could not be had from npm, or selenium is missing: {error}")
        script = WORK / "profile.js"  # as its own command line does it
        encoded = base64.b64encode((WORK / "t.json").read_bytes()).decode()
        script.write_text(f"speedscope.loadFileFromBase64('t.json', '{encoded}')", encoding="utf-8")
        options: Any = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver: Any = webdriver.Chrome(options=options)
        try:
            driver.get(
                f"file://{WORK}/node_modules/speedscope/dist/release/index.html#localProfilePath={script}"  # noqa: E501
            )
            body = driver.find_element("tag name", "body")
            deadline = time.monotonic() + 60
            while "(1/10)" not in body.text and time.monotonic() < deadline:
                time.sleep(0.2)
            self.assertEqual(driver.title, "t.json - speedscope")
            self.assertRegex(body.text, r"end [ab] \(pid [12]\), [\w ]+ \(tid \d\) \(1/10\)")
            said = "".join(entry["message"] for entry in driver.get_log("browser"))
            self.assertIn("Importing as Trace Event Format profile", said)
        finally:
            driver.quit()


class Window(unittest.TestCase):
    """Of 0.5 to 0.9 ms: spans that reach over it are cut, values are those of the whole run."""
    events: Any

    @classmethod
    def setUpClass(cls) -> None:
        looked_at()
        simulate("window", "--observe-run", "p000_dynamic_r1", "--trace", WORK / "w.json", "--vcd",
                 WORK / "w.vcd", "--observe-window", "0.5 ms..0.9 ms")
        cls.events = json.loads((WORK / "w.json").read_text(encoding="utf-8"),
                                parse_float=Decimal)["traceEvents"]

    def test_every_span_begins_and_ends_in_it(self) -> None:
        spans = {}
        for row in rows():
            if row["event"] == "requested":
                spans[row["transfer"]] = [(int(row["time_ps"]) // 8000), None]
            if row["event"] in ("completed", "failed"):
                spans[row["transfer"]][1] = (int(row["time_ps"]) // 8000)
        expected = {
            name: (max(begin, 62500), min(end, 112500))
            for name, (begin, end) in spans.items() if begin < 112500 and end >= 62500
        }
        found: dict[Any, Any] = {e["id"]: [None, None] for e in self.events if e["ph"] in "be"}
        for e in self.events:
            if e["ph"] in "be":
                self.assertIsNone(found[e["id"]]["be".index(e["ph"])])
                found[e["id"]]["be".index(e["ph"])] = cycles(e["ts"])
        self.assertEqual({name: tuple(span) for name, span in found.items()}, expected)
        self.assertTrue(
            any(begin == 62500 for begin, _ in expected.values())
            and any(end == 112500 for _, end in expected.values()))

    def test_the_fill_is_known_from_the_start(self) -> None:
        for pid, end in ((1, "a"), (2, "b")):
            told = [(cycles(e["ts"]), e["args"]["slots"]) for e in self.events
                    if e["ph"] == "C" and e["pid"] == pid]
            fills = [((int(r["time_ps"]) // 8000), int(r["bytes"])) for r in rows()
                     if (r["end"], r["unit"]) == (end, "buffer")]
            before = [slots for cycle, slots in fills if cycle < 62500]
            self.assertEqual(told, [(62500, before[-1] if before else 0)] +
                             [(c, s) for c, s in fills if 62500 <= c < 112500])

    def test_waveforms_are_of_the_whole_run(self) -> None:
        def values(name: str) -> Any:
            return [
                line for line in (WORK / name).read_text(encoding="utf-8").splitlines()
                if not line.startswith("     ")
            ]
        self.assertEqual(values("w.vcd"), values("s.vcd"))


class Signals(unittest.TestCase):
    """The file converted by GTKWave's tools agrees with the events."""
    changes: Any
    names: Any

    @classmethod
    def setUpClass(cls) -> None:
        looked_at()
        subprocess.run(["vcd2fst", WORK / "s.vcd", WORK / "s.fst"], check=True, capture_output=True)
        text = subprocess.run(["fst2vcd", WORK / "s.fst"], capture_output=True, text=True,
                              check=True).stdout
        head, body = text.split("$enddefinitions $end")
        assert re.search(r"\$timescale\s+1\s*ns\s+\$end", head), head[:300]
        codes, scope = {}, []
        for what, name, code, signal in re.findall(
                r"\$(scope|upscope|var)(?: module (\S+)| \S+ +\d+ +(\S+) +(\w+)|)", head):
            if what == "scope":
                scope.append(name)
            elif what == "upscope":
                scope.pop()
            else:
                codes[code] = ".".join([*scope[1:], signal])
        cls.names = set(codes.values())
        cls.changes = collections.defaultdict(list)  # signal: (cycle, value)
        time = 0
        for line in body.splitlines():
            if line.startswith("#"):
                time = int(line[1:])
            elif line[:1] == "b":
                value, code = line[1:].split()
                cls.changes[codes[code]].append((time // 8, int(value, 2)))
            elif line[:1] in "01" and line[1:] in codes:
                cls.changes[codes[line[1:]]].append((time // 8, int(line[0])))

    def at(self, signal: Any, cycle: int) -> int:
        return next((value for when, value in reversed(self.changes[signal]) if when <= cycle),
                    None)

    def test_every_end_has_its_signals(self) -> None:
        entry = {
            "phase", "initiator", "indirect", "tid", "una", "next", "expected", "request_timer",
            "data_timer", "release_timer", "idle_timer"
        }
        expected = {
            f"{end}.{name}"
            for end in "ab" for name in ("indirect_buffer_slots", "transfers")
        }
        expected |= {f"{end}.entry{i}.{name}" for end in "ab" for i in range(8) for name in entry}
        self.assertEqual(self.names, expected)

    def test_the_buffer_fills_when_the_events_say_so(self) -> None:
        for end in "ab":
            told = [((int(r["time_ps"]) // 8000), int(r["bytes"])) for r in rows()
                    if (r["end"], r["unit"]) == (end, "buffer")]
            self.assertEqual(self.changes[f"{end}.indirect_buffer_slots"][1:], told)

    def test_windows_move_and_timers_run(self) -> None:
        for end in "ab":
            sent = [r for r in rows() if (r["end"], r["event"]) == (end, "data_sent")]
            self.assertGreater(len(sent), 100)
            for r in sent[::7]:
                cycle, tid, own = (int(r["time_ps"]) // 8000), int(
                    r["tid"]), int(r["role"] == "initiator")
                sn = int(re.search(r"sn=(\d+)", r["cause"])[1])
                entry = next(f"{end}.entry{i}" for i in range(8)
                             if self.at(f"{end}.entry{i}.phase", cycle) not in (0, None) and (
                                 self.at(f"{end}.entry{i}.tid", cycle),
                                 self.at(f"{end}.entry{i}.initiator", cycle)) == (tid, own))
                self.assertGreater(self.at(entry + ".next", cycle), sn)
                self.assertLessEqual(
                    self.at(entry + ".next", cycle) - self.at(entry + ".una", cycle), 8)
                self.assertEqual(self.at(entry + ".data_timer", cycle), 1)

    def test_all_is_quiet_in_the_end(self) -> None:
        for end in "ab":
            self.assertEqual(self.changes[f"{end}.transfers"][-1][1], 0)
            for i in range(8):
                self.assertEqual(self.changes[f"{end}.entry{i}.phase"][-1][1], 0)


if __name__ == "__main__":
    unittest.main()
