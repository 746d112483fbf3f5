#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that make what they write durable: FLUSH by the verbs library, librpma over READs or
FLUSHes and over messages; and what power cuts would have found of it, on a host whose root port
sends writes past the cache and on one where it does not."""
import os
import pathlib
import re
import subprocess
import tempfile
import typing
import unittest
from typing import Any

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
DURABLE = os.environ["RNICSIM_DURABLE"]
PLAIN = str(SOURCES / "scenarios/programs/two_hosts.yaml")
PERSISTENT = str(SOURCES / "scenarios/programs/persistent.yaml")
DDIO = ("--set", "system.hosts.b.host.persistence.ddio=true")
EADR = ("--set", "system.hosts.b.host.persistence.domain=eadr")
LOSS = ("--set", "system.link.loss=1 %")
ITEMS = 200


class Said(typing.NamedTuple):
    code: int
    out: str
    err: str


class Pairs(unittest.TestCase):
    def execute(self, scenario: str, options: Any, server: list[str], client: list[str]) -> Said:
        """On hosts b and a; where frames are to be lost, some are."""
        lossy = LOSS[1] in options
        with tempfile.TemporaryDirectory() as folder:
            tape = pathlib.Path(folder) / "lost.tape"
            record = ("--record-tape", str(tape)) if lossy else ()
            done = subprocess.run([
                PROGRAM, "exec", scenario, *options, *record, "--on", "b", "--", *server, "--on",
                "a", "--", *client
            ], capture_output=True, text=True, timeout=300, check=False)
            if lossy:
                self.assertGreater(tape.read_text(encoding="utf-8").count("lost"), 0)
        self.assertEqual(done.stdout.split().count("done"), 2, done.stdout + done.stderr)
        return Said(done.returncode, done.stdout, done.stderr)

    def holds(self, said: Said, told: int) -> None:
        """So many were told durable, and no cut would have lost one of them."""
        self.assertEqual(said.code, 0, said.err)
        self.assertIn(f"b: {ITEMS} WRITEs into persistent memory, {told} told durable", said.err)
        self.assertNotIn("false persistence", said.err)

    def lies(self, said: Said, lost: int, stage: str = "llc") -> None:
        self.assertEqual(said.code, 1, said.err)
        self.assertRegex(
            said.err,
            r"false persistence: work request 0 of a\.q\d, \d+ B at 0x[0-9a-f]+ is told that it "
            r"is durable at b, "
            rf"and at [\d.]+ us line 0x[0-9a-f]+ of it is in the {stage}; {lost} WRITEs in all")


class Flush(Pairs):
    def pair(self, method: Any, *options: str, scenario: str = PLAIN, items: int = ITEMS) -> Said:
        words = [free_port(), method, str(items), "256"]
        return self.execute(scenario, options, [DURABLE, "1", words[0], "listen", *words[1:]],
                            [DURABLE, "2", words[0], "connect", *words[1:]])

    def test_flushes_of_a_range_of_a_region_and_for_visibility(self) -> None:
        for method in ("flush", "flush_region", "visible"):
            for loss in ((), LOSS):
                with self.subTest(method, loss=loss):
                    self.assertEqual(self.pair(method, *loss).code, 0)

    def test_a_flush_without_its_right_is_an_error_of_access(self) -> None:
        self.assertEqual(self.pair("refused").code, 0)

    def test_a_ladder_shows_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.pair("flush", "--record", f"{folder}/x.run", items=3).code, 0)
            words = [
                PROGRAM, "explain", PLAIN, "--recorded", f"{folder}/x.run", "--transfer", "a.q0.1"
            ]
            self.assertRegex(
                subprocess.run(words, capture_output=True, text=True, check=True).stdout,
                r"FLUSH \+1 -+>\|")

    def test_flush_holds_past_the_cache_and_with_eadr(self) -> None:
        for options in ((), EADR, LOSS, (*DDIO, *EADR)):
            with self.subTest(options):
                self.holds(self.pair("flush", *options, scenario=PERSISTENT), ITEMS)

    def test_flush_lies_where_the_cache_keeps_the_data(self) -> None:
        for options in (DDIO, (*DDIO, *LOSS)):
            with self.subTest(options):
                self.lies(self.pair("flush", *options, scenario=PERSISTENT), ITEMS)

    def test_who_asks_for_visibility_half_or_nothing_is_told_nothing(self) -> None:
        for method in ("none", "half"):
            self.holds(self.pair(method, *DDIO, scenario=PERSISTENT), 0)
        said = self.pair("visible", *DDIO, scenario=PERSISTENT)
        self.assertEqual((said.code, said.err.count("persistent memory")), (0, 0), said.err)

    def test_a_cut_leaves_what_the_domain_keeps(self) -> None:
        for options, whole, lost in (((), ITEMS, 0), (DDIO, 0, ITEMS * 256)):
            said = self.pair("flush", *options, "--cut-at", "1 s", scenario=PERSISTENT)
            self.assertIn(
                f"b: a power cut at 1 s: of {ITEMS} WRITEs that have come {whole} survive whole, 0 "
                f"in part; {ITEMS} were told durable, of which "
                f"{ITEMS - whole} are lost; lost bytes: 0 in the iio, {lost} in the llc, 0 in the "
                "imc",
                said.err)
        self.assertEqual(
            len(
                re.findall(
                    r"cut at 1 s: work request \d+ of a\.q0, 256 B at 0x[0-9a-f]+, told durable at "
                    r"\d+ ps, is lost",
                    said.err)), 5)
        self.assertIn(f"b: a power cut at 1 s: and {ITEMS - 5} more", said.err)
        early = self.pair("flush", *DDIO, "--cut-at", "1 ns", scenario=PERSISTENT)
        self.assertIn("b: a power cut at 1 ns: of 0 WRITEs that have come", early.err)

    def test_the_switches_need_persistent_memory(self) -> None:
        for options in (("--reads-flush",), ("--replies-flush",), ("--cut-at", "1 us")):
            done = subprocess.run([PROGRAM, "exec", PLAIN, *options, "--on", "a", "--", "true"],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{options[0]}: no host of the scenario has persistent memory",
                          done.stderr)
        done = subprocess.run(
            [PROGRAM, "exec", PERSISTENT, "--cut-at", "soon", "--on", "a", "--", "true"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, "--cut-at soon: expected a time" in done.stderr),
                         (2, True), done.stderr)

    def test_a_read_flushes_only_for_who_says_so(self) -> None:
        self.holds(self.pair("read", "--reads-flush", scenario=PERSISTENT), ITEMS)
        self.lies(self.pair("read", "--reads-flush", *DDIO, scenario=PERSISTENT), ITEMS)
        self.holds(self.pair("read", *DDIO, scenario=PERSISTENT), 0)


class Librpma(Pairs):
    def setUp(self) -> None:
        if "RNICSIM_RPMA_DURABLE" not in os.environ:
            self.skipTest("librpma was not there at the build (Debian: librpma-dev)")

    def pair(self, method: Any, *options: str, scenario: str = PLAIN) -> Said:
        """The server's memory is an ordinary file, which has the items when both have ended."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "memory"
            words = ["10.0.0.2", free_port(), method, str(ITEMS), "256"]
            program = os.environ["RNICSIM_RPMA_DURABLE"]
            said = self.execute(scenario, options,
                                [program, "listen", *words, str(file)],
                                [program, "connect", *words, "none"])
            wanted = b"".join(bytes([(item * 7 + 1) % 256]) * 256 for item in range(ITEMS))
            self.assertEqual(file.read_bytes()[:len(wanted)], wanted)
        return said

    def by_opcode(self, said: Said) -> int:
        found = re.search(r"flushes by opcode (\d+)", said.out)
        assert found
        return int(found[1])

    def test_apm_and_gpspm_reach_their_end(self) -> None:
        for method in ("apm", "gpspm"):
            for loss in ((), LOSS):
                with self.subTest(method, loss=loss):
                    self.assertEqual(self.pair(method, *loss).code, 0)

    def test_apm_holds_past_the_cache_and_lies_through_it(self) -> None:
        said = self.pair("apm", "--reads-flush", scenario=PERSISTENT)
        self.holds(said, ITEMS)
        self.lies(self.pair("apm", "--reads-flush", *DDIO, scenario=PERSISTENT), ITEMS)
        # librpma 1.2 (Debian 12) flushes by READs, 1.3 (Debian 13) by FLUSHes, which need no
        # switch.
        print(f"librpma flushes by opcode {self.by_opcode(said)}")
        self.assertIn(self.by_opcode(said), (2, 8))
        unasked = self.pair("apm", *DDIO, scenario=PERSISTENT)
        if self.by_opcode(unasked) == 8:
            self.lies(unasked, ITEMS)
        else:
            self.assertEqual((unasked.code, unasked.err.count("persistent memory")), (0, 0),
                             unasked.err)

    def test_gpspm_holds_on_both_if_the_server_flushes(self) -> None:
        for options in ((), DDIO, (*DDIO, *LOSS)):
            with self.subTest(options):
                self.holds(self.pair("gpspm", "--replies-flush", *options, scenario=PERSISTENT),
                           ITEMS)
        if "RNICSIM_HAS_LIBPMEM" in os.environ:
            self.holds(self.pair("pmem", "--replies-flush", *DDIO, scenario=PERSISTENT), ITEMS)
        else:
            print(
                "left out: a server that flushes by libpmem, which was not there at the build "
                "(Debian: libpmem-dev)"
            )
        self.lies(self.pair("forgets", "--replies-flush", *DDIO, scenario=PERSISTENT), ITEMS)


if __name__ == "__main__":
    unittest.main()
