#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Messages between RoCEv2 RNICs: `rnicsim explain`, --events and --trace of one run against each
other and against the samples.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""
import csv
import json
import re
import unittest
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from look_support import SOURCE, WORK, rnicsim, rows, scenario

NETWORK = """
system:
  rnic: {profile: cx5_100g, rc: {timeout: 4}}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}}
  switches: {s0: {latency: 300 ns, mtu: 4200 B}}
  links: [{between: [a, s0]}, {between: [b, s0], loss: 4 %}]
run:
  traffic:
    - {from: a, to: b, operation: OPERATION, size: 5000 B, depth: 3, connections: 2, signal_every: 2}
  transfers: 12
  repetitions: 1
"""  # noqa: E501
PAIR = """
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run:
  traffic: [{from: a, to: b, operation: OPERATION, size: 4 KiB, pattern: PATTERN, depth: 2}]
  transfers: 4
  repetitions: 1
"""
BYTE_PS = 80  # 100 Gb/s
KINDS = {"send": "SEND", "write_imm": "WRITE", "read": "RESPONSE"}


def network(operation: str) -> Any:
    return scenario(operation, NETWORK.replace("OPERATION", operation))


def pair(operation: Any, pattern: str = "stream") -> Any:
    depth = ", depth: 2" if pattern == "stream" else ""
    return scenario(
        f"pair_{operation}_{pattern}",
        PAIR.replace("OPERATION", operation).replace("PATTERN, depth: 2", pattern + depth))


def looked_at(
        operation: str) -> tuple[list[dict[str, str]], list[dict[str, str]], list[dict[str, Any]]]:
    """(events, samples by (QP, number), trace) of a run."""
    out = WORK / f"out_{operation}"
    rnicsim("run", network(operation), "--out", out, "--no-plot", "--quiet", "--transfers-csv",
            "--events", WORK / f"{operation}.csv", "--trace", WORK / f"{operation}.json")
    with open(out / "transfers.csv", encoding="utf-8") as stream:
        samples = list(csv.DictReader(stream))
    with open(WORK / f"{operation}.json", encoding="utf-8") as stream:
        return rows(f"{operation}.csv"), samples, json.load(stream)["traceEvents"]


def explain(file: Path, message: str, *words: str | Path, code: int = 0) -> Any:
    return rnicsim("explain", file, "--transfer", message, *words, code=code)


def lines(done: CompletedProcess[str]) -> list[tuple[str, str]]:
    """(microseconds, rest) of each row of a ladder."""
    return [(line[:10].strip(), line[12:]) for line in done.stdout.splitlines()[3:]]


def cut(picoseconds: int) -> str:
    """As a ladder shows it: whole nanoseconds."""
    return f"{picoseconds // 1000 // 1000}.{picoseconds // 1000 % 1000:03}"


class Times(unittest.TestCase):
    """All that looks at a run says the same picosecond."""

    def test_events_samples_and_trace_agree_to_the_picosecond(self) -> None:
        fractions = set()
        for operation in KINDS:
            events, samples, trace = looked_at(operation)
            end = "arrived" if operation == "write_imm" else "completed"
            told = {
                step: {
                    e["transfer"]: int(e["time_ps"])
                    for e in events if (e["unit"], e["event"]) == ("program", step)
                }
                for step in ("posted", end)
            }
            for sample in samples:
                name = f"a.{sample['id']}"
                self.assertEqual(told["posted"][name], int(sample["start_ps"]), name)
            # Frames of the trace end when the events say, to the picosecond.
            slices = sorted(
                round((e["ts"] + e["dur"]) * 1e6) for e in trace
                if e["ph"] == "X" and e["tid"] == 3)
            sent = sorted(
                int(e["time_ps"]) for e in events
                if e["event"] == "sent" and e["end"] in ("a", "b"))
            self.assertEqual(slices, sent, operation)
            fractions |= {int(e["time_ps"]) % 8000 for e in events}
        self.assertGreater(len(fractions), 20, "times are rounded to a clock that is not theirs")

    def test_posts_of_a_stream_are_as_far_apart_as_a_post_costs(self) -> None:
        """380 ns of the processor each, and not 384, 376, 384."""
        rnicsim(
            "run",
            scenario(
                "posts",
                PAIR.replace("OPERATION",
                             "write").replace("PATTERN", "stream").replace("depth: 2", "depth: 4")),
            "--out", WORK / "posts", "--no-plot", "--quiet", "--events", WORK / "posts.csv")
        at = [
            int(e["time_ps"]) for e in rows("posts.csv")
            if (e["unit"], e["event"]) == ("program", "posted")
        ]
        self.assertEqual(len({later - earlier for earlier, later in zip(at, at[1:])}), 1, at)
        self.assertNotEqual((at[1] - at[0]) % 8000, 0)


class Ladder(unittest.TestCase):
    def test_it_takes_as_long_as_the_sample(self) -> None:
        for operation in KINDS:
            _, samples, _ = looked_at(operation)
            self.assertEqual(len(samples), 24)
            for sample in samples:
                name = f"a.{sample['id']}"
                title = explain(network(operation), name).stdout.splitlines()[0]
                time = cut(int(sample["end_ps"]) - int(sample["start_ps"]))
                self.assertRegex(
                    title,
                    rf"^{operation}: message {re.escape(name)}, {operation.upper()} of 5000 B, run "
                    r"p000_none_r0: "
                    rf"completed after {re.escape(time)} µs, the last byte in memory [\d.]+ µs "
                    r"before$"
                )

    def test_every_packet_is_there_once_in_time(self) -> None:
        """With --every-frame: those that the events have with the message's PSNs, at the time of
        their first byte, lost ones marked."""
        lost_ones = 0
        for operation, kind in KINDS.items():
            file = scenario(
                f"one_{operation}",
                NETWORK.replace("OPERATION", operation).replace("connections: 2", "connections: 1"))
            rnicsim("run", file, "--out", WORK / f"one_{operation}", "--no-plot", "--quiet",
                    "--events", WORK / f"one_{operation}.csv")
            events = rows(f"one_{operation}.csv")
            sender = "b" if operation == "read" else "a"
            for number in (0, 4, 11):
                shown = []
                for _, line in lines(explain(file, f"a.q0.{number}", "--every-frame")):
                    if found := re.search(rf"[ =]{kind} \+(\d+)", line):
                        shown.append(int(found[1]))
                        lost_ones += " x" in line or "x=" in line
                # they begin at 0, and 5000 B are five packets
                psns = range(5 * number, 5 * number + 5)
                sent = [
                    int(e["sn"]) for e in events
                    if (e["event"], e["end"]) == ("sent", sender) and e["type"].startswith(
                        "READ_" if operation == "read" else operation[:4].upper())
                    and e["type"] != "READ_REQUEST" and int(e["sn"]) in psns
                ]
                self.assertEqual(shown, sent, (operation, number))
                self.assertEqual(set(sent), set(psns))
        self.assertGreater(lost_ones, 0)

    def test_a_lost_response_shows_its_price(self) -> None:
        tape = WORK / "lost.tape"
        tape.write_text("rnicsim fault tape 2\nb>a a.q0 RESPONSE +2 #1 lost\n", encoding="utf-8")
        shown = lines(explain(pair("read"), "a.q0.0", "--tape", tape, "--draw", WORK / "lost.svg"))
        text = [line for _, line in shown]
        lost = next(i for i, line in enumerate(text) if "RESPONSE +2" in line and "x" in line)
        asked = next(i for i, line in enumerate(text) if "an answer is missing: asks again" in line)
        again = next(i for i, line in enumerate(text) if "READ +2" in line)
        there = max(i for i, line in enumerate(text) if "RESPONSE +2" in line)
        self.assertLess(lost, asked)
        self.assertLess(asked, again)
        self.assertLess(again, there)
        self.assertIn("RESPONSE +3 again", text[there + 1])
        self.assertIn("RESPONSE +2", (WORK / "lost.svg").read_text(encoding="utf-8"))

    def test_timers_and_errors_are_told(self) -> None:
        tape = WORK / "storm.tape"
        tape.write_text(
            "rnicsim fault tape 2\n" + "".join(f"a>b a.q0 SEND +0 #{n} lost\n"
                                               for n in range(1, 12)), encoding="utf-8")
        done = explain(pair("send"), "a.q0.0", "--tape", tape, "--set", "system.rnic.rc.timeout=8",
                       "--set", "system.rnic.rc.retry_cnt=2")
        self.assertIn("failed after", done.stdout.splitlines()[0])
        text = [line for _, line in lines(done)]  # three tries: a NAK and two timers use them up
        self.assertEqual([
            sum(what in line for line in text)
            for what in ("is told what is missing", "ACK timer expires")
        ], [1, 2])
        self.assertIn("completion: RETRY_EXC_ERR", done.stdout)
        later = explain(pair("send"), "a.q0.1", "--tape", tape, "--set", "system.rnic.rc.timeout=8",
                        "--set", "system.rnic.rc.retry_cnt=2")
        self.assertIn("completion: WR_FLUSH_ERR", later.stdout)

    def test_it_begins_with_the_call(self) -> None:
        """What the cards count of messages before it is not told of this one."""
        rows_of = lines(
            explain(SOURCE / "scenarios/verbs/loss.yaml", "a.q0.40", "--run", "p011_none_r0"))
        self.assertEqual(rows_of[0][0], "0.000")
        self.assertIn("posts WRITE of 64 KiB", rows_of[0][1])
        self.assertGreater(len(rows_of), 20)

    def test_in_turn_both_ends_send(self) -> None:
        for message in ("a.q0.3", "b.q0.2"):
            done = explain(pair("write", "ping_pong"), message)
            self.assertIn(f"message {message}, WRITE of 4096 B", done.stdout)
            self.assertIn("has the message", done.stdout)
            host = message[0]
            self.assertIn(f"host {host}", done.stdout.splitlines()[2][:40])

    def test_late_packets_are_no_copies(self) -> None:
        """Two transmissions of a packet may be on their way at once: each stands where it begins,
        and none is a copy."""
        text = PAIR.replace("OPERATION", "write").replace("PATTERN", "stream").replace(
            "link: {rate: 100 Gbps}",
            "link: {rate: 100 Gbps, reordering: 20 %, lateness: 200 us}").replace(
                "profile: cx5_100g", "profile: cx5_100g, rc: {timeout: 4, window: 8}").replace(
                    "transfers: 4", "transfers: 40")
        file = scenario("late", text)
        rnicsim("run", file, "--out", WORK / "late", "--no-plot", "--quiet", "--events",
                WORK / "late.csv")
        sent = [(int(e["sn"]), (int(e["time_ps"]) // 8000)) for e in rows("late.csv")
                if (e["event"], e["end"]) == ("sent", "a") and e["type"].startswith("WRITE")]
        again = 0
        for number in range(0, 40, 3):
            shown = [
                line for _, line in lines(explain(file, f"a.q0.{number}", "--every-frame"))
                if re.search(r"WRITE \+\d", line)
            ]
            self.assertFalse([line for line in shown if "a copy" in line], number)
            again += sum("again" in line for line in shown)
            # some of them when it is over
            own = sum(4 * number <= psn < 4 * number + 4 for psn, _ in sent)
            self.assertTrue(4 <= len(shown) <= own, (number, len(shown), own))
        self.assertGreater(again, 0)

    def test_each_implied_nak_asks_for_something(self) -> None:
        tape = WORK / "implied.tape"
        tape.write_text("rnicsim fault tape 2\nb>a a.q0 RESPONSE +2 #1 lost\n", encoding="utf-8")
        text = [line for _, line in lines(explain(pair("read"), "a.q0.0", "--tape", tape))]
        self.assertEqual(sum("an answer is missing: asks again" in line for line in text),
                         sum(bool(re.search(r"READ \+[1-9]", line)) for line in text))
        self.assertFalse([line for line in text if "times)" in line and "asks again" in line])

    def test_a_name_that_is_none_says_what_would_be_one(self) -> None:
        for message, said in (
            ("7", "expected a message by host, QP and number, such as a.q0.3"), ("c.q0.1",
                                                                                 "such as a.q0.3"),
            ("a.q0", "such as a.q0.3"), ("a.q1.0",
                                         "expected one of the 1 QPs of a, such as a.q0.3"),
            ("b.q0.0", "expected b.q0 to send messages, but it only answers, such as a.q0.3"),
            ("a.q0.4", "expected a number of 0 .. 3 behind a.q0"),
            ("a.q0.1x", "expected a number of 0 .. 3 behind a.q0")):
            self.assertIn(said, explain(pair("read"), message, code=2).stderr)


class Events(unittest.TestCase):
    def test_each_message_is_posted_and_completed_once(self) -> None:
        events, samples, _ = looked_at("send")
        for step, host in (("posted", "a"), ("completed", "a"), ("arrived", "b")):
            names = [
                e["transfer"] for e in events
                if (e["unit"], e["event"], e["end"]) == ("program", step, host)
            ]
            self.assertEqual(sorted(names), sorted(f"a.{sample['id']}" for sample in samples), step)

    def test_what_the_card_counts_is_told(self) -> None:
        events, _, _ = looked_at("send")
        file = next((WORK / "out_send" / "runs").glob("*.json")).read_text(encoding="utf-8")
        counted = dict(json.JSONDecoder().raw_decode(file[file.index("{"):])[0]["counters"])
        for host in ("a", "b"):
            for what in ("timeouts", "retransmissions", "naks_sent", "naks_received", "duplicates",
                         "out_of_sequence", "ghosts"):
                told = sum((e["unit"], e["event"], e["end"]) == ("qp", what, host) for e in events)
                self.assertEqual(told, counted[f"{host}.rc.{what}"], (host, what))
        self.assertTrue(any(e["event"] == "retransmissions" for e in events))


class Files(unittest.TestCase):
    def test_tlps_are_captured(self) -> None:
        file = WORK / "tlps.pcapng"
        rnicsim("run", pair("send"), "--out", WORK / "tlps", "--no-plot", "--quiet", "--pcap", file,
                "--pcap-at", "both", "--pcap-tlps")
        for interface in (b"a.sent", b"b.received", b"a.pcie", b"b.pcie"):
            self.assertIn(interface, file.read_bytes())

    def test_waveforms_are_refused(self) -> None:
        done = rnicsim("run", pair("send"), "--out", WORK / "vcd", "--no-plot", "--quiet", "--vcd",
                       WORK / "v.vcd", code=2)
        self.assertIn(
            "v.vcd: has waveforms of DRP RNICs, and here is none; expected --trace or --events",
            done.stderr)

    def test_a_refused_command_leaves_no_file_that_was_not_there(self) -> None:
        folder = WORK / "refused"
        folder.mkdir()
        (folder / "old.csv").write_text("mine\n", encoding="utf-8")
        (folder / "link.json").symlink_to(folder / "behind.json")  # a link to nothing stays one
        names = {
            "--vcd": "v.vcd",
            "--pcap": "x.pcapng",
            "--events": "old.csv",
            "--trace": "link.json",
            "--series": "s.csv",
            "--record-tape": "t.tape"
        }
        words = [word for option, name in names.items() for word in (option, folder / name)]
        rnicsim("run", pair("send"), "--out", folder / "out", "--no-plot", *words, code=2)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["link.json", "old.csv"])
        self.assertTrue((folder / "link.json").is_symlink())
        self.assertEqual((folder / "old.csv").read_text(encoding="utf-8"), "mine\n")
        explain(pair("send"), "a.q7.0", "--draw", folder / "x.svg", code=2)
        rnicsim("shrink", pair("send"), "--out", folder / "x.tape", "--wanted", "nothing.there>=1",
                code=2)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["link.json", "old.csv"])


class Trace(unittest.TestCase):
    def test_a_span_for_each_message(self) -> None:
        _, samples, trace = looked_at("read")
        spans: dict[Any, Any] = {}
        for entry in trace:
            if entry.get("cat") == "message":
                spans.setdefault(entry["id"], {})[entry["ph"]] = entry["ts"]
        self.assertEqual(len(spans), len(samples))
        for sample in samples:
            span = spans[f"a.{sample['id']}"]
            self.assertEqual((span["b"], span["e"]),
                             (int(sample["start_ps"]) / 1e6, int(sample["end_ps"]) / 1e6))

    def test_frames_take_as_long_as_on_their_wire(self) -> None:
        _, _, trace = looked_at("send")
        frames = [e for e in trace if e["ph"] == "X" and e["name"].startswith("SEND_MIDDLE")]
        self.assertTrue(frames)
        for frame in frames:
            self.assertAlmostEqual(frame["dur"], (frame["args"]["bytes"] + 8) * BYTE_PS / 1e6,
                                   delta=0.001)


if __name__ == "__main__":
    unittest.main()
