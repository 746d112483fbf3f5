#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/edge: what it draws, what it repairs, what it finds. Environment: RNICSIM_BIN,
RNICSIM_SOURCE_DIR."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
SCRIPT = SOURCE / "scripts" / "edge"
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import edge_networks, edge_scenarios, sampling

# Not drawn: what is given to every scenario, and what Verilog has of its own, whose names are those
# of a block.
GIVEN = {"simulation.watchdog", "simulation.seed", "run.repetitions",
         "system.rnic.drp.method"}  # by run.methods, or in a variant
# Settings of networks: scripts/edge --networks draws them.
OF_NETWORKS = ("system.link.ecn_marking", "system.hosts", "system.switch", "system.links",
               "system.bridge",
               "system.link.rate", "system.rnic.drp.data_timer_rule",
               "system.rnic.drp.window_rule", "system.rnic.drp.buffer_quota",
               "system.rnic.drp.resume_rule", "system.rnic.drp.busy_answer",
               "run.traffic", "system.rnic.personality", "system.rnic.gmac.pause_reaction",
               "run.application", "run.echo.", "run.fifo.", "run.kv.", "run.plasma.", "run.rpc.",
               "run.smc.", "run.tensor.", "run.allreduce.", "run.documents.", "run.blocks.",
               "run.nts.", "system.host.root_port.",
               "system.host.tcp.",
               "run.pairs", "run.think", "run.start", "run.stagger", "run.random_start", "run.pace",
               "run.class", "run.dscp", "run.ecn", "system.rnic.profile", "system.rnic.clock",
               "system.rnic.rc.", "system.host.clock", "system.host.cpu.", "system.host.verbs.",
               "system.host.persistence.", "run.service", "run.mix.", "run.sizes", "run.pattern",
               "run.depth", "run.outstanding", "run.connections", "run.regions", "run.signal_every",
               "run.scheme", "run.mark", "run.acks", "run.pack", "run.behind", "run.receives_ahead",
               "run.read_back", "run.region_table", "run.unsafe")


def keys_of(schema: Any, path: str = "", definitions: Any = None) -> Iterator[Any]:
    """All keys that the schema declares, without the ends' own."""
    known = definitions or schema["$defs"]
    for name, written in schema.get("properties", {}).items():
        inside = known[written["$ref"].split("/")[-1]] if "$ref" in written else written
        at = f"{path}.{name}" if path else name
        if "properties" in inside:
            if name not in ("a", "b"):
                yield from keys_of(inside, at, known)
        else:
            yield at


class Edge(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def edge(self, *arguments: Any, program: str | Path = os.environ["RNICSIM_BIN"]) -> Any:
        return subprocess.run(
            [SCRIPT, "--program", program, "--keep", self.folder / "kept", *map(str, arguments)],
            capture_output=True, text=True, timeout=300, check=False)

    def fake(self, body: Any) -> Any:
        """A program that does this in place of a simulation."""
        file = self.folder / "fake"
        file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    @sampling.in_turn(2)
    def test_every_setting_is_drawn(self) -> None:
        schema = json.loads((SOURCE / "scenarios" / "schema.json").read_text(encoding="utf-8"))
        drawn = {
            re.sub(r"^(system|simulation)\.[ab]\.", r"\1.", key)
            for number in range(2000) for key in edge_scenarios.scenario(1, number)
        }
        declared = {
            key
            for key in keys_of(schema)
            if not key.startswith(("run.sweep", "run.reference", "run.compare"))
        }
        self.assertGreater(len(declared), 70)
        of_networks = {key for key in declared if key.startswith(OF_NETWORKS)}
        self.assertEqual(declared - drawn - GIVEN - of_networks, set())
        self.assertEqual(drawn - declared, set())

    @sampling.in_turn(2)
    def test_every_setting_of_networks_is_drawn(self) -> None:
        schema = json.loads((SOURCE / "scenarios" / "schema.json").read_text(encoding="utf-8"))
        items = (
            r"^(system\.hosts\.\w+|system\.switch)(?:es\.\w+)?\.|^(system\.(?:link|bridge))s\.[\w-]+\.|^(run)\.traffic\.\w+\."  # noqa: E501
        )
        drawn = set()
        for number in range(1000):
            for key in edge_networks.scenario(1, number):
                found = re.match(items, key)
                of = next((name for name in found.groups() if name), "") if found else ""
                drawn.add(f"{'system' if of.startswith('system.hosts') else of}.{key[found.end():]}"
                          if found else key)
        wanted = {key
                  for key in keys_of(schema) if key.startswith(OF_NETWORKS)
                  } - {"system.hosts", "system.switches", "system.links", "system.bridges",
                       "run.traffic"}
        self.assertGreater(len(wanted), 15)
        self.assertEqual(wanted - drawn, set())

    def test_durable_messages_are_in_each_scenario_that_is_asked_for_them(self) -> None:
        schemes = [[
            value for key, value in edge_networks.scenario(1, number, durable=True).items()
            if key.endswith(".scheme")
        ] for number in range(200)]
        self.assertTrue(all(schemes))
        self.assertEqual({scheme
                          for of in schemes for scheme in of},
                         {"fig2", "fig3", "fig10", "fig11", "apm", "flush", "gpspm"})

    def test_a_switch_or_host_stays_when_its_only_setting_is_left_out(self) -> None:
        said = "error: x.yaml:1:2: system.switches.s0.cell: found '1 B', expected another"
        self.assertEqual(edge_scenarios.repaired({"system.switches.s0.cell": "1 B"}, said),
                         {"system.switches.s0": "{}"})
        for drawn in (edge_networks.scenario(1, number) for number in range(300)):
            ends = {
                end
                for key, value in drawn.items() if key.endswith(".between")
                for end in value.strip("[]").split(", ")
            }
            named = {
                key.split(".")[2]
                for key in drawn if key.startswith(("system.hosts.", "system.switches."))
            }
            self.assertEqual(ends - named, set())

    def test_the_same_seed_gives_the_same_scenarios(self) -> None:
        for drawn in (edge_scenarios, edge_networks):
            texts = [[drawn.text(drawn.scenario(seed, number)) for number in range(20)]
                     for seed in (1, 1, 2)]
            self.assertEqual(texts[0], texts[1])
            self.assertNotEqual(texts[0], texts[2])
            self.assertEqual(len(set(texts[0])), 20)

    def test_what_the_reader_refuses_is_set_to_the_very_limit(self) -> None:
        for said, limit in (
            ("system.rnic.drp.idle_timeout: found '8 ns', expected longer than the other "
             "end's max_requests x "
             "request_timer: 16 us", "16008 ns"),
            ("system.link.lateness: found '10 ms', expected at most 2.016 us: a responder with 8 "
             "table entries",
             "2.016 us"),
            ("system.rnic.drp.indirect_buffer: found '1 B', expected 0 B or at least one "
             "segment, in words of 8 "
             "bytes: 16 B", "16 B"),
            ("system.rnic.pcie.request_overhead: found '0 ns', expected what simulation.dma_engine "
             "(rtl) has built in: "
             "16 ns .. 2.04 us", "16 ns"),
            ("system.rnic.drp.mode_choice: found 'on_refusal', expected what simulation.rnic "
             "(rtl) has built in: "
             "paper", "paper"),
            ("system.link.loss: found '100 %', expected less than 100 %: no frame would arrive",
             "99.99 %"),
            ("system.link.down.duration: found '1 ms', expected less than the period: 1 ms, or the "
             "link would never be up",
             "999992 ns"),
            ("system.rnic.drp.release_timer: found '8 ns', expected (max_retransmissions + "
             "1) x release_timer longer "
             "than the way there and back: 20 ms", "20000008 ns"),
            ("system.host.ping.sizes: found 1500 B, expected at most the MTU: 46 B", "[46 B]"),
            ("system.hosts.peer.rnic.pcie.latency: found '0.4 ns', expected 8 ns to 1 ms",
             "8 ns"), ("system.hosts.peer.rnic.pcie.latency: found '2 ms', expected 8 ns to 1 ms",
                       "1 ms"),
            ("system.hosts.peer.rnic.rc.timeout: found '4', expected at least 9: an answer from "
             "'target0' takes longer than 4.096 us x "
             "2^8; run.unsafe: true runs it, to see what it does", "9"),
            ("system.rnic.rc.pm.timer: found '100 us', expected 0 ns, which is never, or more than "
             "245354.804 ns: no PACK from 'target0' "
             "comes sooner", "245360 ns")):
            key = said.partition(":")[0]
            self.assertEqual(edge_scenarios.repaired({}, f"error: x.yaml:1:2: {said}"),
                             {key: limit})
        of_another = (
            "system.hosts.peer.rnic.rc.pmtu: found '512 B', expected an MTU with room for 256 B; "
            "or system.switches.s0.mtu of at least 576 B"
        )
        self.assertEqual(edge_scenarios.repaired({}, f"error: x.yaml:1:2: {of_another}"),
                         {"system.switches.s0.mtu": "576 B"})
        self.assertIsNone(edge_scenarios.repaired({}, "error: x.yaml: cannot be read"))
        # What did not help the first time does not the second.
        self.assertIsNone(
            edge_scenarios.repaired({"run.size": "1 B"},
                                    "error: x:1:2: run.size: found '1 B', expected at most 1 B"))

    def test_a_finding_is_told_with_the_command_that_repeats_it(self) -> None:
        done = self.edge(
            "--scenarios", 3, "--first", 5, "--jobs", 1,
            program=self.fake("echo 'invariant violated in cycle 12: something' >&2; exit 1"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            len(
                re.findall(
                    r"^FOUND in scenario [567]: exit code 1: invariant violated in cycle 12: "
                    r"something$",
                    done.stdout, re.MULTILINE)), 3)
        file = re.search(r"^  repeat: \S+ run (\S+edge_1_5\.yaml) ", done.stdout, re.MULTILINE)[1]
        self.assertEqual(
            Path(file).read_text(encoding="utf-8"),
            edge_scenarios.text(edge_scenarios.scenario(1, 5)))
        self.assertIn("3 findings in 3", done.stdout)

    def test_a_crash_and_an_internal_error_are_findings_a_failed_transfer_is_none(self) -> None:
        self.assertIn("exit code -11",
                      self.edge("--scenarios", 1, program=self.fake("kill -SEGV $$")).stdout)
        self.assertIn("exit code 3",
                      self.edge("--scenarios", 1, program=self.fake("exit 3")).stdout)
        self.assertIn("exit code 2: what?",
                      self.edge("--scenarios", 1, program=self.fake("echo what?; exit 2")).stdout)
        self.assertEqual(self.edge("--scenarios", 2, program=self.fake("exit 0")).returncode, 0)
        self.assertFalse((self.folder / "kept" / "edge_1_2.yaml").exists())

    def test_a_run_that_works_without_end(self) -> None:
        """In the program, or in a worker of it, of which the program tells."""
        worker = (
            "(while :; do :; done) & wait $!; code=$?; echo killed by signal $((code - 128)) '(too "
            "long)'; exit 3"
        )
        for body in ("while :; do :; done", worker):
            done = self.edge("--scenarios", 1, "--seconds", 0.5, "--wall", 100,
                             program=self.fake(body))
            self.assertEqual(done.returncode, 1)
            self.assertIn("FOUND in scenario 1: it takes longer than 1 s of processor time\n",
                          done.stdout)

    def test_a_run_that_only_waits(self) -> None:
        done = self.edge("--scenarios", 1, "--wall", 0.5, program=self.fake("sleep 100 & wait"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("FOUND in scenario 1: it takes longer than 0.5 s by the clock\n", done.stdout)

    def test_a_run_on_a_busy_machine_is_no_finding(self) -> None:
        """It has had little processor time when --seconds are over."""
        done = self.edge("--scenarios", 1, "--seconds", 1, program=self.fake("sleep 3"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_program_that_the_limit_does_not_stop(self) -> None:
        done = self.edge("--scenarios", 1, "--seconds", 1, "--wall", 100,
                         program=self.fake("trap '' XCPU; while :; do :; done"))
        self.assertIn("FOUND in scenario 1: exit code -9", done.stdout)

    @sampling.in_turn(2)
    def test_no_scenario_sends_too_many_frames_and_what_is_small_stays(self) -> None:
        most, cut, one_byte = edge_scenarios.MOST_FRAMES, 0, 0
        whole = edge_scenarios.bounded
        try:
            edge_scenarios.bounded = lambda keys: dict(keys)
            drawn = [
                edge_scenarios.scenario(seed, number) for seed in (1, 2)
                for number in range(1, 2001)
            ]
        finally:
            edge_scenarios.bounded = whole
        for keys in drawn:
            bounded = edge_scenarios.bounded(keys)
            self.assertLessEqual(edge_scenarios.most_frames(bounded), 1.02 * most,
                                 edge_scenarios.text(keys))
            changed = {key for key in keys if keys[key] != bounded[key]}
            self.assertTrue(
                all(
                    key.endswith((".transfers", ".max_requests", ".request_timer", ".rx_buffer"))
                    for key in changed), changed)
            self.assertEqual(bool(changed), edge_scenarios.most_frames(keys) > most)
            cut += bool(changed)
            one_byte += keys["system.rnic.drp.segment"] == "1 B" and not changed
        self.assertLess(cut, len(drawn) // 20)
        self.assertGreater(one_byte, len(drawn) // 50)
        # Such as transfers whose frames are repeated each half microsecond for a second.
        self.assertGreater(max(map(edge_scenarios.most_frames, drawn)), 10_000_000)

    def test_interrupted_it_leaves_nothing_behind(self) -> None:
        mark = self.folder / "mark"
        program = self.fake(f"sleep 321 & echo $! >> {mark}; wait")
        # So many that they are still being handed out then.
        with subprocess.Popen(
            [SCRIPT, "--program", program, "--jobs", "2", "--scenarios", "300000"],
                stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(
                    signal.SIGINT, signal.default_int_handler)) as process:
            while not mark.exists() or len(mark.read_text(encoding="utf-8").split()) < 2:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            try:
                _, said = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", said)
        for pid in mark.read_text(encoding="utf-8").split():
            status = Path(f"/proc/{pid}/stat")
            self.assertTrue(
                not status.exists() or status.read_text(encoding="utf-8").split()[2] == "Z",
                "a child is left")

    @sampling.in_turn(2)
    def test_real_runs(self) -> None:
        """The reader accepts nearly all of them after refused settings were repaired."""
        done = self.edge("--scenarios", 20, "--seed", 7)
        refused = int(re.search(r"of which (\d+) could not be made acceptable", done.stdout)[1])
        self.assertLess(refused, 5, done.stdout)
        done = self.edge("--durable", "--scenarios", 20, "--seed", 7)
        self.assertIn("durable messages at the edge, seed 7: 0 findings in 20, ", done.stdout)
        refused = int(re.search(r"of which (\d+) could not be made acceptable", done.stdout)[1])
        self.assertLess(refused, 12, done.stdout)

    @sampling.in_turn(2)
    def test_what_was_found_once_runs_to_its_end(self) -> None:
        """They showed faults of the program: memory reused too soon, work on one transfer counted
        for another, watchdogs, frames or calculations without end."""
        found = sorted((Path(__file__).resolve().parents[1] / "corpus" / "edge").glob("*.yaml"))
        self.assertGreater(len(found), 4)
        for scenario in found:
            with self.subTest(scenario.name):
                done = subprocess.run([
                    os.environ["RNICSIM_BIN"], "run", scenario, "--no-plot", "--quiet", "--out",
                    self.folder / "out" / scenario.stem
                ], capture_output=True, text=True, timeout=60, check=False)
                self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)

    def test_bad_input(self) -> None:
        for arguments in (["--scenarios", "0"], ["--jobs", "0"], ["--seconds", "0"],
                          ["--wall", "-1"], ["--program", "/nowhere"], ["--networks", "--durable"]):
            self.assertEqual(self.edge(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
