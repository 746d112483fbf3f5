#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of the RoCEv2 card in Verilog in scenarios: events equal to those of the models."""
import os
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM_BIN"]
BY = "system.rnic.rc.simulated_by."
BOTH = ("a", "b")
# The card's marks and its notifications, with losses among them.
MARKED = """
system:
  rnic: {profile: cx5_100g, rc: {congestion: dcqcn}}
  link: {rate: 100 Gbps, ecn_marking: 30 %, loss: 2 %}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run: {traffic: [{from: a, to: b, size: 9 KiB}], transfers: 20}
"""


def rnicsim(*words: Any) -> Any:
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def cosim(scenario: str | Path, *settings: str, options: Sequence[str] = ()) -> Any:
    changes = [word for setting in settings for word in ("--set", setting)]
    return rnicsim("cosim", SOURCE / "scenarios" / scenario, *changes, *options)


class Blocks(unittest.TestCase):
    """`blocks`: in the order in which cosim names them."""
    blocks: tuple[str, ...] = ()

    def equal(self,
              scenario: str | Path,
              *settings: str,
              hosts: Sequence[str] = BOTH,
              options: Sequence[str] = ()) -> None:
        done = cosim(scenario,
                     *(f"{BY}{block}=rtl" for block in self.blocks),
                     *settings,
                     options=options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("events equal in", done.stdout)
        for host in hosts:
            self.assertIn(f"{host}: " + ", ".join(f"{block} rtl" for block in self.blocks),
                          done.stdout)

    def equal_where_packets_are_marked(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "marked.yaml"
            file.write_text(MARKED, encoding="utf-8")
            self.equal(file)

    def draws(self, scenario: str, *blocks: str, hosts: Sequence[str] = BOTH) -> None:
        """Waves of these blocks, each with its host: a.icrc_insert."""
        with tempfile.TemporaryDirectory() as folder:
            self.equal(scenario,
                       "run.transfers=2",
                       hosts=hosts,
                       options=("--wave", f"{folder}/x.fst", "--wave-blocks", ",".join(blocks)))
            for block in blocks:
                self.assertGreater((Path(folder) / f"x.{block}.fst").stat().st_size, 1000)


class PersistModule(Blocks):
    blocks = ("persist_module", )

    def test_one_read_for_all_and_many_at_once(self) -> None:
        self.equal("persistence/coalescing.yaml", hosts="b")
        self.equal("persistence/overlap.yaml", hosts="b")

    def test_firmware_with_every_scheme(self) -> None:
        self.equal("persistence/firmware.yaml", hosts="b")

    def test_lost_frames(self) -> None:
        self.equal("persistence/losses.yaml", "run.transfers=2000", hosts="b")

    def test_waves(self) -> None:
        self.draws("persistence/overlap.yaml", "b.persist_module", hosts="b")

    def test_what_is_refused(self) -> None:
        key = BY + "persist_module"
        done = cosim("persistence/overlap.yaml", f"{key}=rtl", "system.rnic.rc.pm.capacity=32")
        self.assertEqual(done.returncode, 2)
        self.assertIn("system.rnic.rc.pm.capacity", done.stderr)
        self.assertIn(f"found '32', expected what {key} (rtl) has built in: 64", done.stderr)
        done = cosim("verbs/loss.yaml", f"{key}=rtl")
        self.assertEqual(done.returncode, 2)
        self.assertIn(key, done.stderr)
        done = cosim("verbs/loss.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected one, or of a RoCEv2 card system.rnic.rc.simulated_by", done.stderr)


class Icrc(Blocks):
    blocks = ("icrc", )

    def test_lost_packets_on_the_way(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=5")

    def test_store_and_forward_and_cut_through(self) -> None:
        for mode in ("store_and_forward", "cut_through"):
            self.equal("verbs/latency.yaml", "run.transfers=8", f"system.rnic.rc.mode={mode}")

    def test_packets_that_a_switch_has_marked(self) -> None:
        self.equal_where_packets_are_marked()

    def test_waves(self) -> None:
        self.draws("verbs/latency.yaml", "a.icrc_insert", "b.icrc_check")


class Packets(Blocks):
    blocks = ("packet_parser", "packet_builder")

    def test_lost_packets_on_the_way(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=5")

    def test_marked_packets_and_notifications(self) -> None:
        self.equal_where_packets_are_marked()

    def test_waves(self) -> None:
        self.draws("verbs/latency.yaml", "a.packet_builder", "b.packet_parser")


class RequestCheck(Blocks):
    blocks = ("request_check", )

    def test_lost_packets_on_the_way(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=20")

    def test_atomics(self) -> None:
        self.equal("verbs/atomics.yaml", "run.transfers=50", hosts=("b", ))

    def test_reads_writes_and_sends(self) -> None:
        self.equal("verbs/latency.yaml", "run.transfers=20")

    def test_unreliable_services(self) -> None:
        self.equal("verbs/services.yaml", "run.transfers=50")

    def test_flushes_and_persistent_writes(self) -> None:
        self.equal("persistence/firmware.yaml", "run.transfers=20")

    def test_waves(self) -> None:
        self.draws("verbs/latency.yaml", "b.request_check")


class ResponderPsn(Blocks):
    blocks = ("responder_psn", )

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

    def test_waves(self) -> None:
        self.draws("verbs/latency.yaml", "b.responder_psn")


class AllOfTheWay(Blocks):
    blocks = ("icrc", "packet_parser", "packet_builder", "request_check", "responder_psn")

    def test_losses_at_both_ends(self) -> None:
        self.equal("verbs/loss.yaml", "run.transfers=4")

    def test_reads_writes_and_sends(self) -> None:
        self.equal("verbs/latency.yaml", "run.transfers=4")


class All(Blocks):
    blocks = ("persist_module", *AllOfTheWay.blocks)

    def test_persistent_writes(self) -> None:
        self.equal("persistence/overlap.yaml", "run.transfers=20", hosts="b")


if __name__ == "__main__":
    unittest.main()
