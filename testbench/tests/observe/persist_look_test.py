#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Items with a scheme: their ladders, --events, --trace, tapes, captures and `compare`, against
each other and against the samples.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs tshark.
"""
import collections
import csv
import functools
import json
import re
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from capture_support import as_somebody, command
from look_support import SOURCE, WORK, rnicsim, rows, scenario

BAD = SOURCE / "scenarios/persistence/bad"
TEXT = """
system:
  host: {persistence: {ddio: DDIO}}
  rnic: {profile: cx5_100g, rc: {timeout: 4, pm: {timer: 20 us}}}
  link: {rate: 100 Gbps, loss: 2 %, duplication: 1 %, reordering: 2 %, lateness: 5 us}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run:
  traffic: [{from: a, to: b, size: 3000 B, scheme: SCHEME, depth: 3}]
  transfers: 40
  repetitions: 1
"""
FAULTS = re.compile(r", loss.*us}")
POSTS = {
    "fig2": ["WRITE", "READ"],
    "fig3": ["WRITE", "SEND", "SEND"],
    "fig10": ["WRITE_PERSIST"],
    "fig10, acks: 2": ["WRITE_PERSIST"],
    "apm": ["WRITE", "READ"],
    "flush": ["WRITE", "FLUSH"],
    "gpspm": ["WRITE", "SEND", "SEND"]
}
BY_PROCESSOR = ("fig3", "gpspm")


def name_of(scheme: str, kind: str) -> str:
    return re.sub(r"\W+", "_", f"{kind}_{scheme}")


def text_of(scheme: str) -> Any:
    # of those that wait for a PACK
    text = TEXT if scheme.startswith("fig1") else TEXT.replace(", pm: {timer: 20 us}", "")
    return text.replace("SCHEME", scheme).replace("DDIO",
                                                  "true" if scheme in BY_PROCESSOR else "false")


def faulty(scheme: str) -> Any:
    return scenario(name_of(scheme, "faulty"), text_of(scheme))


def calm(scheme: str) -> Any:
    return scenario(name_of(scheme, "calm"), FAULTS.sub("}", text_of(scheme)))


@functools.cache
def looked_at(scheme: str) -> tuple[str, list[dict[str, str]]]:
    """(name, samples) of a run with faults, with every file that looks inside it."""
    name = name_of(scheme, "look")
    files = [
        word for option, suffix in (("--events", "csv"), ("--trace", "json"), ("--pcap", "pcapng"),
                                    ("--record-tape", "tape"))
        for word in (option, WORK / f"{name}.{suffix}")
    ]
    rnicsim("run", faulty(scheme), "--out", WORK / name, "--no-plot", "--quiet", "--transfers-csv",
            *files)
    with open(WORK / name / "transfers.csv", encoding="utf-8") as stream:
        return name, list(csv.DictReader(stream))


def cut(picoseconds: int) -> str:
    """As a ladder shows it: whole nanoseconds."""
    return f"{picoseconds // 1000 // 1000}.{picoseconds // 1000 % 1000:03}"


def explain(file: Path, item: str, *words: str | Path, code: int = 0) -> Any:
    return rnicsim("explain", file, "--transfer", item, *words, code=code)


def ladder(done: CompletedProcess[str]) -> tuple[str, list[tuple[float, str]], list[str]]:
    """(title, [(microseconds, rest)] of its rows)."""
    head, _, *body = done.stdout.split("\n\n")[0:2] + done.stdout.split("\n\n")[2:]
    rows_of = [line for line in done.stdout.splitlines()[3:] if re.match(r" *\d+\.\d{3}  ", line)]
    return head, [(float(line[:10]), line[12:]) for line in rows_of], body


def stages(line: str, count: int) -> list[str]:
    """The numbers of lines in each stage, with their marks."""
    return re.findall(r" {1,3}(\d+[?!]?|\.)", line[12 + 29 + 1 + 52 + 1 - 12:][:5 * count + 1])


class Ladder(unittest.TestCase):
    def test_it_takes_as_long_as_the_sample_and_shows_what_is_posted(self) -> None:
        for scheme, posts in POSTS.items():
            _, samples = looked_at(scheme)
            for sample in samples[::9]:
                title, shown, _ = ladder(explain(faulty(scheme), f"a.{sample['id']}"))
                took = int(sample["end_ps"]) - int(sample["start_ps"])
                with self.subTest(scheme=scheme, item=sample["id"]):
                    self.assertRegex(
                        title,
                        rf"item a\.{re.escape(sample['id'])}, {scheme.split(',', maxsplit=1)[0]} "
                        r"of 3000 B, run p000_none_r0: "
                        rf"told durable after {re.escape(cut(took))} µs, safe [\d.]+ µs before$")
                    self.assertEqual(
                        [post for _, line in shown for post in re.findall(r"posts (\w+)", line)],
                        posts)
                    told = [(at, line) for at, line in shown if "told: durable" in line]
                    self.assertEqual([f"{at:.3f}" for at, _ in told], [cut(took)])
                    self.assertNotIn("it is not", told[0][1])
                    self.assertEqual(sum("flushes the lines" in line for _, line in shown),
                                     int(scheme in BY_PROCESSOR))
                    self.assertEqual([at for at, _ in shown], sorted(at for at, _ in shown))

    def test_lines_come_into_stages_when_the_events_say_so(self) -> None:
        for scheme in ("fig10", "gpspm"):
            name, samples = looked_at(scheme)
            own = collections.defaultdict(list)
            for event in rows(f"{name}.csv"):
                if event["unit"] == "line":
                    own[event["transfer"], event["event"]].append(int(event["time_ps"]) / 1000)
            for sample in samples[::9]:
                start = int(sample["start_ps"]) // 1000
                _, shown, _ = ladder(explain(faulty(scheme), f"a.{sample['id']}"))
                for stage, shown_as in (("iio", "IIO"), ("llc",
                                                         "LLC") if scheme in BY_PROCESSOR else
                                        ("imc", "ADR")):
                    at = own[f"a.{sample['id']}", stage]
                    # lines of 3000 bytes; some take two packets
                    self.assertGreaterEqual(len(at), 47)
                    first, last = (
                        1000 *
                        next(t for t, line in shown
                             if re.search(rf"{words}{len(at)} line writes in {shown_as}", line))
                        for words in ("first of ", r"(?<!of )\b"))
                    self.assertAlmostEqual(first, min(at) - start, delta=9)  # cycles of 8 ns
                    self.assertAlmostEqual(last, max(at) - start, delta=9)

    def test_stages_are_those_of_the_host_and_numbers_add_up(self) -> None:
        for scheme, names in (("fig10", "IIO  ADR  SCM"), ("gpspm", "IIO  LLC  ADR  SCM")):
            done = explain(faulty(scheme), "a.q0.3")
            head = done.stdout.splitlines()[2]
            self.assertIn(names + "   CPU b", head)
            self.assertIn("CPU a", head)
            came = 0
            for _, line in ladder(done)[1]:
                numbers = [
                    int(n.rstrip("?!")) if n != "." else 0
                    for n in stages(line,
                                    names.count("  ") + 1)
                ]
                self.assertEqual(len(numbers), names.count("  ") + 1, line)
                self.assertGreaterEqual(sum(numbers), came, line)
                came = sum(numbers)
            self.assertIn(came, (47, 50))
            self.assertNotIn("!", "".join(line for _, line in ladder(done)[1]))

    def test_a_false_answer_is_red_where_the_line_lies(self) -> None:
        done = explain(BAD / "n1.yaml", "a.q0.3", "--draw", WORK / "n1.svg")
        title, shown, _ = ladder(done)
        self.assertRegex(title, r"told durable after [\d.]+ µs, and not safe$")
        told = next(i for i, (_, line) in enumerate(shown)
                    if "told: durable, and it is not" in line)
        self.assertEqual([stages(line, 4) for _, line in shown[told:]],
                         [[".", "1!", ".", "."]] * (len(shown) - told))
        self.assertFalse([line for _, line in shown[:told] if "!" in line])
        for what in ("WRITE +3", "flush read", "PACK +3", "CQE", "1 line write in LLC"):
            self.assertTrue(any(what in line for _, line in shown[:told]), what)
        explain(BAD / "n1_fixed.yaml", "a.q0.3", "--draw", WORK / "fixed.svg")
        for file, red, lanes in (("n1", True, 4), ("fixed", False, 3)):
            drawing = xml.parse(WORK / f"{file}.svg").getroot()
            looks = [node.get("class") for node in drawing.iter("{http://www.w3.org/2000/svg}rect")]
            self.assertEqual("persisted" in looks, red, file)
            self.assertIn("stay", looks)
            heads = [
                node.text for node in drawing.iter("{http://www.w3.org/2000/svg}text")
                if node.get("class") == "head"
            ]
            self.assertEqual(heads, [
                "CPU a", "RNIC a", "RNIC b", "CPU b", "IIO", *(["LLC"] if red else []), "ADR", "SCM"
            ])
            self.assertEqual(len(heads), 4 + lanes)

    def test_a_program_that_is_told_of_writing_only_is_orange(self) -> None:
        """fig2: the ACK comes when the card has the data, and the IIO keeps them until the READ
        pushes."""
        text = FAULTS.sub("}", text_of("fig2")).replace("ddio: false",
                                                        "ddio: false, iio: {hold: until_pushed}")
        _, shown, _ = ladder(explain(scenario("held", text), "a.q0.0"))
        written = next(i for i, (_, line) in enumerate(shown) if "told: written" in line)
        self.assertEqual(stages(shown[written][1], 3), ["47?", ".", "."])
        self.assertEqual(stages(shown[-1][1], 3), [".", ".", "47"])

    def test_who_waits_for_ever_is_shown_to_the_end(self) -> None:
        done = rnicsim("run", BAD / "n4a.yaml", "--out", WORK / "n4a", "--no-plot", "--quiet",
                       code=1)
        item = re.search(
            r"^n4a: item (a\.q0\.\d+), fig10 of 64 B, .*: nobody is told that it is durable, safe "
            r"after",
            done.stderr, re.MULTILINE)
        self.assertIsNotNone(item)
        shown = explain(BAD / "n4a.yaml", item[1], code=1)
        self.assertIn("waits still, at the end", shown.stdout)
        self.assertIn(shown.stdout, done.stderr)

    def test_a_name_that_is_none_says_what_would_be_one(self) -> None:
        for item, said in (("7", "such as a.q0.7"),
                           ("b.q0.0",
                            "expected b.q0 to send messages, but it only answers, such as a.q0.7"),
                           ("a.q0.40", "expected a number of 0 .. 39 behind a.q0")):
            self.assertIn(said, explain(calm("fig10"), item, code=2).stderr)


class Files(unittest.TestCase):
    def test_each_item_is_posted_and_told_of_once(self) -> None:
        for scheme in POSTS:
            name, samples = looked_at(scheme)
            events = rows(f"{name}.csv")
            for step in ("posted", "written", "persisted"):
                names = [
                    event["transfer"] for event in events
                    if (event["unit"], event["event"], event["end"]) == ("program", step, "a")
                ]
                unsignaled = step == "written" and scheme in ("apm", "flush", "gpspm")
                self.assertEqual(sorted(names), [] if unsignaled else sorted(f"a.{sample['id']}"
                                                                             for sample in samples),
                                 (scheme, step))
            with open(WORK / f"{name}.json", encoding="utf-8") as stream:
                spans: collections.defaultdict[Any, Any] = collections.defaultdict(dict)
                for entry in json.load(stream)["traceEvents"]:
                    if entry.get("cat") == "message":
                        spans[entry["id"]][entry["ph"]] = entry["ts"]
            self.assertEqual({item: (span["b"], span["e"])
                              for item, span in spans.items()}, {
                                  f"a.{sample['id']}": tuple(
                                      int(sample[key]) / 1e6 for key in ("start_ps", "end_ps"))
                                  for sample in samples
                              })

    def test_what_a_processor_has_stored_is_nobodys(self) -> None:
        rnicsim("run", BAD / "n11.yaml", "--out", WORK / "n11", "--no-plot", "--quiet", "--events",
                WORK / "n11.csv", code=1)
        stored = [(event["end"], event["event"], event["address"]) for event in rows("n11.csv")
                  if event["unit"] == "line" and not event["transfer"]]
        came = {
            stage: sorted((end, address) for end, at, address in stored if at == stage)
            for stage in ("iio", "llc", "imc", "scm")
        }
        # each host has 32 items at once
        self.assertEqual([len(came["iio"]), len(came["llc"]), len(set(came["llc"]))], [0, 64, 64])
        self.assertGreater(len(came["imc"]), 0)  # what is evicted
        self.assertEqual(came["imc"], sorted(set(came["imc"]) & set(came["llc"])))
        self.assertEqual(came["imc"], came["scm"])

    def test_a_tape_of_each_scheme_plays_the_same_again(self) -> None:
        kinds = set()
        for scheme in POSTS:
            name, samples = looked_at(scheme)
            tape = WORK / f"{name}.tape"
            rnicsim("run", calm(scheme), "--tape", tape, "--out", WORK / f"{name}_again",
                    "--no-plot", "--quiet", "--transfers-csv")
            with open(WORK / f"{name}_again" / "transfers.csv", encoding="utf-8") as stream:
                self.assertEqual(list(csv.DictReader(stream)), samples, scheme)
            kinds |= set(re.findall(r" ([A-Z]+) \+", tape.read_text(encoding="utf-8")))
        self.assertLessEqual({"WRITE", "READ", "FLUSH", "SEND", "PACK", "ACK"}, kinds)

    def test_captures_are_read_without_a_complaint(self) -> None:
        own = {
            "FLUSH": "0x1c",
            "PERSIST_ACK": "0xc1",
            "WRITE_PERSIST_FIRST": "0xc2",
            "WRITE_PERSIST_MIDDLE": "0xc3",
            "WRITE_PERSIST_LAST": "0xc4"
        }
        seen = set()
        for scheme in ("fig10", "flush", "gpspm"):
            name, _ = looked_at(scheme)
            words = ("-X", f"lua_script:{SOURCE}/scripts/wireshark/roce.lua", "--disable-protocol",
                     "rpcordma", "-o", "infiniband.identify_payload:FALSE")
            names = ("frame.interface_name", "roce.bth.opcode", "roce.feth.placement",
                     "_ws.malformed", "infiniband.bth.opcode")
            packets = [
                line.split("\t")
                for line in command(*as_somebody(), "tshark", *words, "-r", WORK /
                                    f"{name}.pcapng", "-T", "fields",
                                    *(word for field in names
                                      for word in ("-e", field))).stdout.splitlines()
            ]
            events = rows(f"{name}.csv")
            sent = collections.Counter(
                own.get(event["type"], "") for event in events if event["event"] == "sent")
            self.assertEqual(
                collections.Counter(packet[1] for packet in packets if packet[0].endswith(".sent")),
                sent, scheme)
            # make persistent
            self.assertEqual({packet[2]
                              for packet in packets if packet[1] == "0x1c"},
                             {"2"} if scheme == "flush" else set())
            self.assertEqual([
                packet for packet in packets if packet[3] or (packet[1] == "") == (packet[4] == "")
            ], [], scheme)
            seen |= set(sent)
        self.assertEqual(seen, {"", *own.values()})


class Compared(unittest.TestCase):
    def test_a_run_equals_itself_and_not_another_scheme(self) -> None:
        same = rnicsim("compare", faulty("fig10"), "--set-b", "system.rnic.rc.pm.timer=20 us")
        self.assertIn("equal", same.stdout)
        other = rnicsim("compare", calm("apm"), calm("flush"), code=1)
        self.assertIn("setting run.traffic.0.scheme: apm -> flush", other.stdout)
        self.assertRegex(other.stdout, r"b\.rc\.flush_reads +0 +40")

    def test_the_first_event_that_differs_is_shown(self) -> None:
        told = rnicsim("compare", calm("fig10"), "--set-b",
                       "system.host.persistence.iio.latency=80 ns", "--events", code=1)
        self.assertRegex(told.stdout, r"first event that differs: number \d+ of p000_none_r0")
        self.assertRegex(told.stdout, r"(?m)^  A  \d+\.\d{3,6} µs .*a\.q0\.0: b: line imc$")


if __name__ == "__main__":
    unittest.main()
