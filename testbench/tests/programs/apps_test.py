#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rnic-apps: the protocols of applications on libibverbs put the same messages on the wire as in
the simulator's own run."""
import csv
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

import wire_messages
from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM, APPS = os.environ["RNICSIM"], os.environ["RNICSIM_APPS"]
NETWORK = str(SOURCES / "scenarios/programs/two_hosts.yaml")
# Of the same cards and link. Nothing that hosts do takes time but what takes it under exec, too.
SCENARIO = """
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run:
  traffic: [{name: item, from: b, to: a, %s}]
  transfers: 20
  repetitions: 1
"""
PLASMA = "application: plasma, sizes: [1 KiB, 20 KiB, 100 KiB], connections: 2, plasma: {%s}"
KV = "application: kv, sizes: [3 B, 5000 B, 40 KiB], connections: 2, depth: 1, kv: {%s}"
ECHO = "application: echo, sizes: [64 B, 5000 B, 40 KiB], connections: 2, depth: 3, echo: {%s}"


class Apps(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def scenario(self, item: str, name: str = "x.yaml") -> str:
        file = pathlib.Path(self.folder, name)
        file.write_text(SCENARIO % item, encoding="utf-8")
        return str(file)

    def exec(self, answers: list[str], asks: list[str], *options: str) -> Any:
        """Both on simulated cards; each with the words behind the scenario."""
        port = free_port()
        return subprocess.run([
            "timeout", "200", PROGRAM, "exec", NETWORK, *options, "--on", "a", "--", APPS, *answers,
            "--listen", port, "--on", "b", "--", APPS, *asks, "--connect", f"127.0.0.1:{port}"
        ], capture_output=True, text=True, check=False)

    def apps(self, item: str, *options: str) -> Any:
        words = [self.scenario(item), "--gid", "0"]
        return self.exec(words, [*words, "--csv", f"{self.folder}/apps.csv"], *options)

    def run_simulated(self, item: str, *options: str) -> None:
        subprocess.run([
            PROGRAM, "run", self.scenario(item), "-q", "--no-plot", "-o", f"{self.folder}/out",
            "--transfers-csv", *options
        ], check=True, timeout=200)

    def messages(self, name: str) -> dict[str, list[list[wire_messages.Message]]]:
        """What each side sends, connection by connection."""
        of = wire_messages.of(f"{self.folder}/{name}")
        return {place: [of[key] for key in sorted(of) if key[0] == place]
                for place in ("a.sent", "b.sent")}

    def test_its_messages_are_those_of_the_simulators_run(self) -> None:
        missing = wire_messages.missing()
        if missing is not None:
            self.skipTest(f"left out: {missing}")
        items = [PLASMA % f"protocol: {protocol}" for protocol in ("sendrecv", "read", "hybrid")]
        items += [PLASMA % "protocol: sendrecv, window: 3, chunk: 3000 B"]
        items += [PLASMA % "setup: 1 ms, reuse: false"]
        items += [ECHO % f"memory: {memory}" for memory in ("pool", "copy", "each")]
        items += [KV % f"operation: {operation}, rx_size: 64 KiB" for operation in ("get", "set")]
        for item in items:
            with self.subTest(item):
                done = self.apps(item, "--pcap", f"{self.folder}/apps.pcapng")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.run_simulated(item, "--pcap", f"{self.folder}/run.pcapng")
                found, expected = self.messages("apps.pcapng"), self.messages("run.pcapng")
                self.assertEqual([len(of) for of in expected.values()], [2, 2])
                self.assertEqual(found, expected)
                if "echo" in item:  # 20 of each connection, from both sides
                    self.assertEqual({len(of) for both in found.values() for of in both}, {20})
                    self.assertEqual([m.immediate for m in found["b.sent"][0]], list(range(20)))

    def test_where_the_formula_is_a_bound_it_may_be_less(self) -> None:
        """One ACK may be of several messages, as they meet."""
        done = self.apps("application: rpc, size: 20000 B, depth: 16, rpc: {answer: 20000 B}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_operation_takes_as_long(self) -> None:
        """Where no stream takes part, which takes no simulated time under exec; and one thing is
        registered at a time, as the calls of a program that registers several come in its own
        order."""
        for item in (ECHO % "memory: pool", "application: echo, size: 64 B, depth: 1",
                     "application: echo, size: 1 MiB, depth: 4",
                     "application: echo, size: 64 KiB, depth: 1, echo: {memory: each}"):
            with self.subTest(item):
                done = self.apps(item)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.run_simulated(item)
                self.assert_as_long(item, ())

    def assert_as_long(self, item: str, without: tuple[str, ...]) -> None:
        """Within 5 % of the simulator's run, without these parts of an operation's time."""
        means = []
        for name in ("apps.csv", "out/transfers.csv"):
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual({row["error"] for row in rows}, {""})
            left_out = [f"{part}_ps" for part in without]
            times = [float(row["time_us"]) - sum(int(row[part]) for part in left_out) / 1e6
                     for row in rows]
            means.append(sum(times) / len(times))
        print(f"{item}: {means[0]:.3f} us, {means[1]:.3f} us in the simulator's run")
        self.assertAlmostEqual(means[0] / means[1], 1, delta=0.05)

    def test_what_the_processor_does_takes_as_long(self) -> None:
        """Copies, new pages, calls of the store, memory: the costs of a server. What Plasma says by
        TCP takes no simulated time here, and who waits for it looks once in a while: that part of
        an operation is left out."""
        costs = ("--set", "system.host.cpu.profile=xeon_2018")
        for size in ("1 KiB", "20 KiB", "100 KiB", "1 MiB"):
            for protocol in ("sendrecv", "read"):
                item = f"application: plasma, size: {size}, plasma: {{protocol: {protocol}}}"
                with self.subTest(item):
                    done = self.apps(item, *costs)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.run_simulated(item, *costs)
                    self.assert_as_long(item, ("ask",))
        item = "application: echo, size: 40 KiB, depth: 1, echo: {memory: copy}"
        done = self.apps(item, *costs)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_simulated(item, *costs)
        self.assert_as_long(item, ())

    def test_a_row_is_an_operation(self) -> None:
        self.assertEqual(self.apps(PLASMA % "protocol: hybrid").returncode, 0)
        with open(f"{self.folder}/apps.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["id"] for row in rows], [f"q{c}.{i}" for c in (0, 1)
                                                       for i in range(20)])
        for row in rows:
            parts = [int(value) for name, value in row.items()
                     if name.endswith("_ps") and name not in ("start_ps", "end_ps")]
            self.assertEqual(len(parts), 6)
            self.assertEqual(sum(parts), int(row["end_ps"]) - int(row["start_ps"]))

    def test_the_first_object_waits_for_the_set_up(self) -> None:
        done = self.apps("application: plasma, size: 20 KiB, plasma: {setup: 1 ms}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(f"{self.folder}/apps.csv", encoding="utf-8") as file:
            took = [int(row["end_ps"]) - int(row["start_ps"]) for row in csv.DictReader(file)]
        self.assertEqual([time >= 1_000_000_000 for time in took], [True, *[False] * 19], took)

    def test_other_bytes_are_found(self) -> None:
        """A chunk is copied over one that is being sent."""
        done = self.apps("application: plasma, size: 1 MiB, plasma: {protocol: sendrecv, "
                         "window: 8, slots: shared, unsafe: true}")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("connection 0: other bytes than those of operation 0", done.stderr)

    def test_what_it_cannot_do_it_says(self) -> None:
        item = ECHO % "memory: pool"
        good = [self.scenario(item), "--gid", "0"]
        for words, said in (([*good, "--device", "mlx5_0"],
                             "--device: there is no 'mlx5_0', expected one of rnicsim0"),
                            ([*good, "--port", "2"], "--port: found 2, expected 1 to 1"),
                            ([good[0], "--gid", "99"], "--gid: found 99, expected 0 to "),
                            (good[:1], "--gid: expected the index of a RoCE v2 GID"),
                            ([*good, "--item", "y"], "--item: the scenario has no item 'y'"),
                            ([*good, "--set", "run.transfers"], "--set: found 'run.transfers'"),
                            ([*good, "--set", "run.traffic.item.think=1 us"], "`think`, `pace`"),
                            ([*good, "--set", "run.traffic.item.application=other"],
                             "run.traffic.item.application: found 'other'"),
                            ([self.scenario(PLASMA % "protocol: socket", "y.yaml"), "--gid", "0"],
                             "it goes by TCP alone"),
                            ([self.scenario(PLASMA % "order: turn", "z.yaml"), "--gid", "0"],
                             "its connections take turns"),
                            ([self.scenario(PLASMA % "setup: 1 ms", "s.yaml"), "--gid", "0"],
                             "expected run.connections: 1, or plasma.reuse: false"),
                            ([NETWORK, "--gid", "0"], "give one `application: echo`")):
            with self.subTest(said):
                done = self.exec(words, good)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)

    def test_both_sides_need_the_same_scenario(self) -> None:
        words = [self.scenario(ECHO % "memory: pool"), "--gid", "0"]
        done = self.exec(words, [*words, "--set", "run.transfers=21"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the other side has another scenario", done.stderr)

    def test_without_a_card(self) -> None:
        if shutil.which("ibv_devices") and subprocess.run(
            ["ibv_devices"], capture_output=True, text=True, check=False).stdout.count("\n") > 2:
            self.skipTest("this machine has a card")
        done = subprocess.run([
            APPS, self.scenario(ECHO % "memory: pool"), "--gid", "0", "--listen", free_port()
        ], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no RDMA device: run it under `rnicsim exec`", done.stderr)


if __name__ == "__main__":
    unittest.main()
