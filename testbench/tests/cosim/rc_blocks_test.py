#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of the RoCEv2 card in Verilog in scenarios: events equal to those of the models."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM_BIN"]
BY = "system.rnic.rc.simulated_by."
PERSIST = BY + "persist_module"
ICRC = BY + "icrc"
CHECK = BY + "request_check"
PSN = BY + "responder_psn"
PARSER, BUILDER = BY + "packet_parser", BY + "packet_builder"


def rnicsim(*words: Any) -> Any:
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def cosim(scenario: str, *settings: str) -> Any:
    changes = [word for setting in settings for word in ("--set", setting)]
    return rnicsim("cosim", SOURCE / "scenarios" / scenario, *changes)


class PersistModule(unittest.TestCase):

    def equal(self, scenario: str, *settings: str) -> None:
        done = cosim(scenario, f"{PERSIST}=rtl", *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        self.assertIn("b: persist_module rtl", done.stdout)

    def test_one_read_for_all_and_many_at_once(self) -> None:
        self.equal("persistence/coalescing.yaml")
        self.equal("persistence/overlap.yaml")

    def test_firmware_with_every_scheme(self) -> None:
        self.equal("persistence/firmware.yaml")

    def test_lost_frames(self) -> None:
        self.equal("persistence/losses.yaml", "run.transfers=2000")

    def test_waves(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = rnicsim("cosim", SOURCE / "scenarios/persistence/overlap.yaml", "--set",
                           f"{PERSIST}=rtl", "--wave", f"{folder}/x.fst", "--wave-blocks",
                           "b.persist_module")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertGreater((Path(folder) / "x.b.persist_module.fst").stat().st_size, 1000)

    def test_what_is_refused(self) -> None:
        done = cosim("persistence/overlap.yaml", f"{PERSIST}=rtl", "system.rnic.rc.pm.capacity=32")
        self.assertEqual(done.returncode, 2)
        self.assertIn("system.rnic.rc.pm.capacity", done.stderr)
        self.assertIn(f"found '32', expected what {PERSIST} (rtl) has built in: 64", done.stderr)
        done = cosim("verbs/loss.yaml", f"{PERSIST}=rtl")
        self.assertEqual(done.returncode, 2)
        self.assertIn(PERSIST, done.stderr)
        done = cosim("verbs/loss.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected one, or of a RoCEv2 card system.rnic.rc.simulated_by", done.stderr)


class Icrc(unittest.TestCase):

    def equal(self,
              scenario: str,
              *settings: str,
              blocks: str = "a: icrc rtl; b: icrc rtl") -> None:
        done = cosim(scenario, f"{ICRC}=rtl", *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        self.assertIn(blocks, done.stdout)

    def test_lost_packets_on_the_way(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=5")

    def test_store_and_forward_and_cut_through(self) -> None:
        for mode in ("store_and_forward", "cut_through"):
            self.equal("verbs/latency.yaml", "run.transfers=8", f"system.rnic.rc.mode={mode}")

    def test_packets_that_a_switch_has_marked(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "marked.yaml"
            file.write_text("system:\n"
                            "  rnic: {profile: cx5_100g, rc: {congestion: dcqcn}}\n"
                            "  link: {rate: 100 Gbps, ecn_marking: 30 %, loss: 2 %}\n"
                            "  hosts: {a: {}, b: {}}\n"
                            "  links: [{between: [a, b]}]\n"
                            "run: {traffic: [{from: a, to: b, size: 9 KiB}], transfers: 20}\n")
            self.equal(str(file))

    def test_both_blocks_of_one_card(self) -> None:
        self.equal("persistence/overlap.yaml",
                   f"{PERSIST}=rtl",
                   "run.transfers=20",
                   blocks="b: persist_module rtl, icrc rtl")

    def test_waves_and_captures(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = rnicsim("cosim", SOURCE / "scenarios/verbs/latency.yaml", "--set", f"{ICRC}=rtl",
                           "--set", "run.transfers=2", "--wave", f"{folder}/x.fst", "--wave-blocks",
                           "a.icrc_insert,b.icrc_check")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for block in ("a.icrc_insert", "b.icrc_check"):
                self.assertGreater((Path(folder) / f"x.{block}.fst").stat().st_size, 1000)


class RequestCheck(unittest.TestCase):

    def equal(self, scenario: str, *settings: str) -> None:
        done = cosim(scenario, f"{CHECK}=rtl", *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        self.assertIn("b: request_check rtl", done.stdout)

    def test_lost_packets_on_the_way(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=20")

    def test_atomics(self) -> None:
        self.equal("verbs/atomics.yaml", "run.transfers=50")

    def test_reads_writes_and_sends(self) -> None:
        self.equal("verbs/latency.yaml", "run.transfers=20")

    def test_unreliable_services(self) -> None:
        self.equal("verbs/services.yaml", "run.transfers=50")

    def test_flushes_and_persistent_writes(self) -> None:
        self.equal("persistence/firmware.yaml", "run.transfers=20")

    def test_waves(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = rnicsim("cosim", SOURCE / "scenarios/verbs/latency.yaml", "--set",
                           f"{CHECK}=rtl", "--set", "run.transfers=2", "--wave", f"{folder}/x.fst",
                           "--wave-blocks", "b.request_check")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertGreater((Path(folder) / "x.b.request_check.fst").stat().st_size, 1000)


class ResponderPsn(unittest.TestCase):

    def equal(self, scenario: str, *settings: str, hosts: tuple[str, ...] = ("a", "b")) -> None:
        done = cosim(scenario, f"{PSN}=rtl", *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        for host in hosts:
            self.assertIn(f"{host}: responder_psn rtl", done.stdout)

    def test_lost_packets_with_each_way_to_send_them_again(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=100")

    def test_reads_writes_and_sends(self) -> None:
        self.equal("verbs/latency.yaml", "run.transfers=20")

    def test_atomics(self) -> None:
        self.equal("verbs/atomics.yaml", "run.transfers=50")

    def test_messages_without_a_receive(self) -> None:
        self.equal("verbs/shared_receives.yaml",
                   "run.transfers=50",
                   hosts=("server", "client0", "client7"))


class AllBlocks(unittest.TestCase):

    def test_losses_with_all_of_them_at_both_ends(self) -> None:
        blocks = (ICRC, PARSER, BUILDER, CHECK, PSN)
        done = cosim("verbs/loss.yaml", "run.transfers=4", *(f"{block}=rtl" for block in blocks))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        names = ", ".join(f"{block.removeprefix(BY)} rtl" for block in blocks)
        self.assertIn(f"a: {names}; b: {names}", done.stdout)


class Packets(unittest.TestCase):

    def equal(self, scenario: str, *settings: str, blocks: tuple[str,
                                                                 ...] = (PARSER, BUILDER)) -> None:
        done = cosim(scenario, *(f"{block}=rtl" for block in blocks), *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        names = ", ".join(f"{block.removeprefix(BY)} rtl" for block in blocks)
        self.assertIn(f"a: {names}; b: {names}", done.stdout)

    def test_lost_packets_on_the_way(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=5")

    def test_all_blocks_of_the_way(self) -> None:
        self.equal("verbs/latency.yaml", "run.transfers=4", blocks=(ICRC, PARSER, BUILDER))

    def test_marked_packets_and_notifications(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "damaged.yaml"
            file.write_text("system:\n"
                            "  rnic: {profile: cx5_100g, rc: {congestion: dcqcn}}\n"
                            "  link: {rate: 100 Gbps, ecn_marking: 30 %, loss: 2 %}\n"
                            "  hosts: {a: {}, b: {}}\n"
                            "  links: [{between: [a, b]}]\n"
                            "run: {traffic: [{from: a, to: b, size: 9 KiB}], transfers: 20}\n")
            self.equal(str(file))


if __name__ == "__main__":
    unittest.main()
