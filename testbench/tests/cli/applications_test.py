#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the program tells of applications from outside: describe, explain, workloads, explore.

Environment: RNICSIM_BIN, the program.
"""

import collections
import csv
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SYSTEM = """
system:
  rnic: {profile: cx5_100g}
  host: {cpu: {profile: xeon_2018, cores: 2}, verbs: {notify: events, threads: 2}}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {client: {}, server: {}}
  links: [{between: [client, server]}]
run:
  repetitions: 1
  traffic:
"""
PLASMA = ("    - {name: %s, from: client, to: server, application: plasma, transfers: 5, "
          "size: 4 KiB, plasma: {protocol: %s}}\n")
BOTH = SYSTEM + PLASMA % ("stream", "socket") + PLASMA % ("verbs", "sendrecv")
BESIDE = """
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {client: {}, server: {}}
  links: [{between: [client, server]}]
  bridges: [{name: n0, between: [client, server]}]
run:
  {repetitions: 1, transfers: 5, traffic: [{from: client, to: server, size: 64 KiB},
   {from: client, to: server, size: 100 B, application: nts}]}
"""


def rnicsim(*arguments: Any) -> Any:
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


class Applications(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "both.yaml"
        self.file.write_text(BOTH, encoding="utf-8")

    def said(self, *arguments: Any, code: int = 0) -> str:
        result = rnicsim(*arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return str(result.stdout)


class CheckLines(Applications):
    def lines(self, *arguments: str) -> tuple[float, ...]:
        text = self.said("describe", self.file, *arguments)
        found = re.search(
            r"\nby the costs of client, server:\n  L1, .*: TCP ([\d.]+) us, SEND by interrupts "
            r"([\d.]+) us\n  L2, .*: sends ([\d.]+) Gb/s, receives ([\d.]+) Gb/s\n$", text)
        assert found is not None, text
        return tuple(float(value) for value in found.groups())

    def test_each_cost_is_in_its_line(self) -> None:
        stream, verbs, sends, receives = self.lines()
        # Each message of a stream has two calls, each SEND an event.
        later, same, *_ = self.lines("--set", "system.host.cpu.syscall=600 ns")
        self.assertAlmostEqual(later - stream, 1.0, places=2)
        self.assertEqual(same, verbs)
        same, later, *_ = self.lines("--set", "system.host.cpu.event_read=800 ns")
        self.assertAlmostEqual(later - verbs, 0.5, places=2)
        self.assertEqual(same, stream)
        # A segment of 45 frames took 13.3 us.
        *_, same, slower = self.lines("--set", "system.host.tcp.rx=4 us")
        self.assertEqual(same, sends)
        self.assertAlmostEqual(receives / slower, 15.3 / 13.3, places=2)

    def test_there_are_none_without_costs(self) -> None:
        self.assertNotIn("L1", self.said("describe", self.file, "--set",
                                         "system.host.cpu.profile=none"))


class Explained(Applications):
    def title_and_rows(self, name: str, *more: str) -> tuple[float, list[str], dict[str, float]]:
        text = self.said("explain", self.file, "--transfer", name, *more)
        took = re.search(r"completed after ([\d.]+) ", text.split("\n", 1)[0])
        assert took is not None, text
        ladder, shares = text.split("\nWhere its ")
        parts = {line[12:]: float(line[:10]) for line in shares.split("\n")[1:] if line}
        return float(took[1]), ladder.split("\n"), parts

    def test_the_time_of_a_get_by_sockets_is_divided(self) -> None:
        took, rows, parts = self.title_and_rows("client.q0.3")
        self.assertIn("thread of client", rows[2])
        self.assertIn("kernel", rows[2])
        text = "\n".join(rows)
        for said in ("begins, 4 KiB", "TCP +", "syscall", "wake 1.200", "interrupt", "is over",
                     "ends part 'body'", "sends 4 KiB by TCP", "has 4 KiB by TCP"):
            self.assertIn(said, text)
        self.assertNotIn("SEND +", text)
        # Two processes of a store answer in turn: three calls here, two there, of 3 us each.
        self.assertAlmostEqual(parts["client, thread: call"], 9.0, places=3)
        # The get, and its answer: what comes behind that finds the thread awake.
        self.assertAlmostEqual(parts["from interrupts to their handlers"], 1.6, delta=0.01)
        self.assertEqual(text.count("ends part 'seal'"), 1)

    def test_what_is_printed_adds_up(self) -> None:
        for name in ("client.q0.0", "client.q0.2", "client.q0.3"):
            took, _, parts = self.title_and_rows(name)
            self.assertEqual(round(sum(parts.values()), 3), took, name)

    def test_it_takes_as_long_as_in_the_run(self) -> None:
        out = self.file.parent / "out"
        self.said("run", self.file, "--out", out, "--transfers-csv", "--no-plot")
        rows = (out / "transfers.csv").read_text(encoding="utf-8").split("\n")
        columns = rows[0].split(",")
        for name, item in (("q0.3", "stream"), ("q1.2", "verbs")):
            row = next(dict(zip(columns, line.split(","))) for line in rows[1:]
                       if name in line.split(",") and item in line.split(","))
            took, *_ = self.title_and_rows("client." + name)
            self.assertAlmostEqual(took, float(row["time_us"]), delta=0.001)

    def test_messages_of_a_get_are_named_by_their_ends(self) -> None:
        took, rows, parts = self.title_and_rows("client.q1.2", "--every-frame")
        text = "\n".join(rows)
        self.assertIn("posts SEND of 4 KiB", text)
        self.assertRegex(text, r"SEND \+\d+ ")
        self.assertRegex(text, r"ACK \+\d+ ")
        self.assertIn("copies 4 KiB", text)
        self.assertIn("client, thread: copy", parts)
        self.assertIn("links and switches", parts)
        self.assertAlmostEqual(sum(parts.values()), took, delta=0.001 * (len(parts) + 1))

    def test_it_is_drawn(self) -> None:
        picture = self.file.parent / "x.svg"
        self.said("explain", self.file, "--transfer", "client.q0.3", "--draw", picture)
        drawn = picture.read_text(encoding="utf-8")
        self.assertEqual(drawn.count(">kernel<"), 2)
        self.assertIn(">thread of server<", drawn)

    def test_a_message_is_none_beside_operations_of_its_host(self) -> None:
        self.file.write_text(BESIDE, encoding="utf-8")
        for name, title in (("client.q0.3", "message client.q0.3, WRITE of 65536 B"),
                            ("client.q1.3", "operation client.q1.3 of 100 B")):
            self.assertIn(title, self.said("explain", self.file, "--transfer", name).split("\n")[0])
        result = rnicsim("explain", self.file, "--transfer", "client.q2.3")
        self.assertIn("one of the 2 QPs of client, such as client.q0.4", result.stderr)

    def test_others_are_refused(self) -> None:
        for name, expected in (("client.q0.5", "a number of 0 .. 4"),
                               ("server.q0.0", "only answers"), ("client.q7.0",
                                                                 "one of the 2 QPs")):
            result = rnicsim("explain", self.file, "--transfer", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(expected, result.stderr)


class Frames(Applications):
    def test_events_name_frames_of_streams_as_tapes_do(self) -> None:
        events, tape = self.file.parent / "x.csv", self.file.parent / "x.tape"
        text = self.file.read_text(encoding="utf-8").replace("390.4 ns}", "390.4 ns, loss: 3 %}")
        self.file.write_text(text.replace("transfers: 5", "transfers: 40"), encoding="utf-8")
        self.said("run", self.file, "--out", self.file.parent / "out", "--no-plot", "--events",
                  events, "--record-tape", tape)
        rows = list(csv.DictReader(events.read_text(encoding="utf-8").split("\n")))
        frames = [row for row in rows if row["type"] in ("TCP", "TCP_ACK")]
        self.assertTrue(any(row["mode"].startswith("ACK+PSH #") for row in frames))
        names: collections.Counter[str] = collections.Counter()
        for row in frames:
            if row["event"] == "lost":
                number = row["sn"] if row["type"] == "TCP" else row["ackn"]
                names[f"{row['transfer']} {row['type']} +{number} {row['mode'].split()[-1]}"] += 1
        lost = collections.Counter(
            " ".join(line.split()[1:5]) for line in tape.read_text(encoding="utf-8").split("\n")
            if " TCP" in line and line.endswith(" lost"))
        self.assertGreater(len(lost), 5)
        self.assertTrue(any(not name.endswith("#1") for name in lost))
        self.assertEqual(names, lost)

    def test_bytes_of_a_stream_are_counted_from_its_first(self) -> None:
        events = self.file.parent / "x.csv"
        self.said("run", self.file, "--out", self.file.parent / "out", "--no-plot", "--events",
                  events)
        rows = list(csv.DictReader(events.read_text(encoding="utf-8").split("\n")))
        sent: dict[str, int] = {}
        for row in rows:
            if row["unit"] == "mac" and row["type"] == "TCP":
                self.assertEqual(int(row["sn"]), sent.get(row["transfer"], 1))
                sent[row["transfer"]] = int(row["sn"]) + int(row["len"])
        self.assertEqual(set(sent), {"client.s0", "client.s1", "server.s0", "server.s1"})
        # Five objects of 4 KiB, and as many answers of 64 B.
        self.assertEqual(sent["server.s0"] - 1, 5 * (4096 + 64))


class Workloads(Applications):
    def names(self) -> list[str]:
        return [line.split()[0] for line in self.said("workloads").splitlines()]

    def test_each_has_a_line_and_a_scenario_that_runs(self) -> None:
        names = self.names()
        for name in ("transfers", "frames", "messages", "mix", "fig10", "ack", "echo", "plasma"):
            self.assertIn(name, names)
        for name in names:
            with self.subTest(name):
                scenario = self.said("workloads", name, "--scenario")
                self.assertTrue(self.said("workloads", name).endswith(scenario))
                file = self.file.parent / f"{name}.yaml"
                file.write_text(scenario, encoding="utf-8")
                self.said("run", file, "--out", self.file.parent / name, "--no-plot")

    def test_its_keys_and_their_defaults_are_those_of_the_reference(self) -> None:
        reference: dict[str, str] = {}
        section = ""
        for line in self.said("describe", "--keys").splitlines():
            if line.startswith("### "):
                section = line.split("`")[1]
            elif line.startswith("| `"):
                name, default = line.split("|")[1:3]
                reference[f"{section}.{name.strip(' `')}"] = default.strip()
        for name in self.names():
            text = self.said("workloads", name)
            keys = re.findall(r"^  ([a-z_.]+)  +(.*?)  ", text.split("\nKeys")[1].split("\n\n")[0],
                              re.MULTILINE)
            self.assertGreater(len(keys), 3, name)
            for key, default in keys:
                self.assertEqual(default, reference[f"run.{key}"], key)

    def test_an_application_shows_parts_plan_and_counts(self) -> None:
        text = self.said("workloads", "plasma")
        self.assertIn("Parts of its time: ask create prepare body give_up seal\n", text)
        self.assertIn("has a QP and a stream:", text)
        # One SEND of 4 KiB from its owner and an ACK, below the threshold.
        self.assertRegex(text, r"who asks:    sends 1, receives 1, .*copied_bytes 4096, calls 3")
        self.assertRegex(text, r"who answers: sends 1, receives 1, payload_packets 4, ")

    def test_an_unknown_one_is_refused(self) -> None:
        result = rnicsim("workloads", "plasme")
        self.assertEqual(result.returncode, 2)
        self.assertIn("perhaps plasma", result.stderr)


class Explored(Applications):
    SMALL = ("explore", "--application", "plasma", "--set", "run.plasma.protocol=sendrecv",
             "--set", "run.plasma.chunk=64 B")

    def test_all_rules_hold(self) -> None:
        text = self.said(*self.SMALL, "--set", "run.plasma.recv_wrs=2", "--set",
                         "run.plasma.window=2", "--sizes", "200,130")
        self.assertIn("all rules hold", text)
        self.assertIn("all rules hold", self.said("explore", "--application", "echo", "--set",
                                                  "run.depth=2", "--sizes", "64,40,64"))

    def test_each_application_has_a_verdict_soon(self) -> None:
        bounds = {"kv": "kv.rx_size=256 B", "plasma": "plasma.recv_wrs=4", "rpc": "rpc.queue=8",
                  "smc": "smc.rmb=16 KiB", "documents": "documents.slots=2",
                  "blocks": "run.depth=1"}
        for name in ("echo", "kv", "plasma", "rpc", "fifo", "smc", "tensor", "documents", "blocks"):
            text = self.said("explore", "--application", name, "--max-states", "1000000")
            self.assertIn("all rules hold", text, name)
            self.assertEqual("Bounded" in text, name in bounds, name)
            self.assertIn(bounds.get(name, name), text)
        self.assertNotIn("Bounded", self.said("explore", "--application", "plasma", "--set",
                                              "run.plasma.recv_wrs=3"))
        self.assertNotIn("Bounded", self.said("explore", "--application", "kv", "--set",
                                              "run.kv.transport=tcp"))

    def test_a_defect_is_shown_as_a_ladder(self) -> None:
        text = self.said(*self.SMALL, "--set", "run.plasma.recv_wrs=1", "--set",
                         "run.plasma.ack=false", "--set", "run.plasma.unsafe=true", "--sizes",
                         "200", code=1)
        self.assertIn("BROKEN: a message finds no receive WQE", text)
        steps = re.search(r"The way there, (\d+) steps:", text)
        assert steps is not None
        self.assertIn("who asks", text)
        self.assertRegex(text, r"\|<-+ SEND of 64 B -+\||<- SEND of 64 B")
        self.assertTrue(text.endswith("  ! a message finds no receive WQE\n"))
        self.assertLessEqual(max(map(len, text.splitlines()[3:])), 120)

    def test_other_codes(self) -> None:
        self.assertIn("NOT EXHAUSTIVE", self.said(*self.SMALL, "--max-states", "20", code=3))
        self.assertIn("plasma", self.said(*self.SMALL, "--list"))
        for wrong, expected in ((("--ops", "write"), "--ops"), (("--window", "2"), "--window"),
                                (("--set", "run.plasma.chunks=1"), "chunk")):
            result = rnicsim(*self.SMALL, *wrong)
            self.assertEqual(result.returncode, 2, wrong)
            self.assertIn(expected, result.stderr)
        for wrong in (("--sizes", "4"), ("--application", "messages"), ("--set", "run.depth=2")):
            self.assertEqual(rnicsim("explore", *wrong).returncode, 2, wrong)


if __name__ == "__main__":
    unittest.main()
