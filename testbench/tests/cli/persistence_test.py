#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong set-ups of write persistence fail visibly, their mended twins do not; what the reader
refuses, and with which words."""
import csv
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
BAD = SOURCE / "scenarios" / "persistence" / "bad"
WAITS = r"a\.q0: RTS, \d WRITE_PERSISTs received, and no PACK"
# somebody waits for ever: what is said of it
HANGS = {
    "n4a": WAITS,
    "n4d": WAITS,
    "n6": WAITS,
    "n7": r"b\.q0: RTS, 1 WRITE_PERSISTs wait for a receive WQE"
}
WRONG = sorted(file for file in BAD.glob("*.yaml") if not file.stem.endswith("_fixed"))
WASTES = ("n5",)  # nobody is told what is not so, but it costs more

ANEW = """simulation: {watchdog: 1 ms}
system:
  rnic: {profile: cx5_100g, rc: {pmtu: 256 B, retransmission: go_back_0, timeout: 4, ack_interval: 1}}
  host: {persistence: {ddio: false}}
  link: {rate: 100 Gbps, loss: 5 %}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run: {repetitions: 1, traffic: [{from: a, to: b, scheme: fig10, transfers: 1, size: 64 KiB, depth: 1}]}
"""  # noqa: E501


class Persistence(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_it(self, file: Path, *arguments: str) -> Any:
        return subprocess.run([
            os.environ["RNICSIM_BIN"], "run", file, "--fresh", "--quiet", "--no-plot", "--out",
            self.folder / file.stem, *arguments
        ], capture_output=True, text=True, timeout=120, check=False)

    def test_each_wrong_set_up_shows_and_its_mended_twin_holds(self) -> None:
        self.assertGreaterEqual(len(WRONG), 16)
        for file in WRONG:
            if file.stem in WASTES:
                continue
            with self.subTest(case=file.stem):
                done = self.run_it(file)
                self.assertEqual(done.returncode, 1, done.stderr)
                if file.stem in HANGS:
                    self.assertRegex(done.stderr, r"watchdog: ")
                    self.assertRegex(done.stderr, HANGS[file.stem])
                else:
                    self.assertRegex(
                        done.stderr,
                        r"false persistence: a is told that item \d+ of its q0 is durable at b, "
                        r"and at [\d.]+ us line 0x"
                    )
                mended = self.run_it(BAD / f"{file.stem}_fixed.yaml")
                self.assertEqual((mended.returncode, mended.stderr), (0, ""))

    def test_an_item_that_begins_anew_for_ever_makes_no_progress(self) -> None:
        """go_back_0: 256 packets, of which one in 20 is lost. What has come to memory before is no
        progress; else the run has no end."""
        file = self.folder / "anew.yaml"
        file.write_text(ANEW, encoding="utf-8")
        done = self.run_it(file)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"watchdog: ")

    def test_a_timer_that_is_too_short_wastes_packets_and_nothing_else(self) -> None:
        found = {}
        for name in ("n5", "n5_fixed"):
            done = self.run_it(BAD / f"{name}.yaml")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(self.folder / name / "summary.csv", encoding="utf-8", newline="") as file:
                row = next(csv.DictReader(file))
            self.assertEqual((row["transfers_completed"], row["b.cuts.false_items"]), ("200", "0"))
            found[name] = (int(row["a.rc.timeouts"]), int(row["a.rc.tx_packets"]))
        self.assertEqual(found["n5_fixed"], (0, 200))
        self.assertGreaterEqual(found["n5"][0], 200)
        self.assertGreaterEqual(found["n5"][1], 400)

    def test_the_ladder_of_the_first_offence_is_shown(self) -> None:
        for file in WRONG:
            if file.stem in WASTES:
                continue
            with self.subTest(case=file.stem):
                said = self.run_it(file).stderr
                found = re.search(r"^\w+: item (a\.q0\.\d+), .*?\n\n(.*)", said,
                                  re.DOTALL | re.MULTILINE)
                self.assertIsNotNone(found, said)
                title, rows = found.groups()
                self.assertRegex(rows, r"posts WRITE")
                if named := re.search(r"that item (\d+) of its q(\d+) is durable", said):
                    self.assertEqual(title, f"a.q{named[2]}.{named[1]}")
                    self.assertRegex(rows, r" \d+!")  # where its lines are then
                    if file.stem == "n11":  # it is durable, until it is overwritten
                        self.assertRegex(
                            rows,
                            r"(?s)\n +-0\.008 .* stores into its lines\n.* told: durable  .* "
                            r"(\d+\.\d+) .* stored lines are written back .*"
                            r"\n +\1 .* an older version comes over it: not safe ")
                    else:
                        self.assertRegex(rows, r"told: durable, and it is not")
                else:
                    self.assertRegex(rows, r"waits still, at the end")
                    self.assertRegex(said, HANGS[file.stem])

    def test_a_wrong_set_up_is_refused_if_it_is_not_asked_for(self) -> None:
        for file in WRONG:
            with self.subTest(case=file.stem):
                text = file.read_text(encoding="utf-8").replace(", unsafe: true", "")
                held = self.folder / file.name
                held.write_text(text, encoding="utf-8")
                done = self.run_it(held)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(
                    done.stderr,
                    r":\d+:\d+: (system|run)\..*; run\.unsafe: true runs it, to see what it does")

    def test_what_a_scheme_does_not_go_with(self) -> None:
        for setting, expected in (
            ("run.operation=read", "run.operation: found 'read', expected 'write' beside a scheme"),
            ("run.size=7 B", "run.size: found '7 B', expected at least 8 B beside a scheme"),
            ("run.mix.write=100 %",
             "run.mix.write: found a mix beside a scheme, expected one of the two"),
            ("system.host.persistence.domain=none",
             "system.host.persistence.domain: found 'none' on 'b' beside scheme fig10, expected "
             "adr, eadr or wsp"
             ),
            ("run.receives_ahead=responder",
             "run.receives_ahead: has no effect beside scheme fig10: expected fig3, fig11 or "
             "gpspm, which have receive WQEs"
             ), ("system.host.verbs.receive_queues=shared",
                 "system.host.verbs.receive_queues: found 'shared', expected own beside a scheme")):
            with self.subTest(setting=setting):
                file = self.folder / "one.yaml"
                text = (BAD / "n1_fixed.yaml").read_text(encoding="utf-8").replace(
                    "size: 64 B, ", "")
                file.write_text(text, encoding="utf-8")
                done = self.run_it(file, "--set", setting)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(expected, done.stderr)

    def test_a_timer_outlasts_the_answer(self) -> None:
        for acks, key, expected in (
            ("1", "timeout=1",
             "rc.timeout: found '1', expected at least 2: an answer from 'b' takes longer than "
             "4.096 us x 2\\^1; "
             "run.unsafe: true runs it"),
            ("2", "pm.timer=10 us",
             "rc.pm.timer: found '10 us', expected 0 ns, which is never, or more than 1[01].*: no "
             "PACK from 'b' comes sooner"
             )):
            with self.subTest(key=key):
                done = self.run_it(BAD / "n4c_fixed.yaml", "--set", f"run.acks={acks}", "--set",
                                   f"system.rnic.rc.{key}")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, expected)

    def test_a_timer_outlasts_firmware(self) -> None:
        for acks, key, firmware, refused in (
                ("1", "timeout=2", "1 us", ""),
                ("1", "timeout=2", "20 us", "rc.timeout: found '2'"),
                ("2", "timeout=2", "20 us", ""),
                ("2", "pm.timer=60 us", "20 us", ""),
                ("2", "pm.timer=60 us", "30 us", "rc.pm.timer: found '60 us'")):
            with self.subTest(acks=acks, key=key, firmware=firmware):
                done = self.run_it(BAD / "n4c_fixed.yaml", "--set", f"run.traffic.0.acks={acks}",
                                   "--set", f"system.rnic.rc.{key}", "--set",
                                   f"system.rnic.rc.pm.firmware={firmware}")
                self.assertEqual(done.returncode, 2 if refused else 0, done.stderr)
                self.assertIn(refused, done.stderr)

    def test_a_lost_pack_has_to_come_again(self) -> None:
        for scheme in ("fig10, acks: 2", "fig11"):
            file = self.folder / "one.yaml"
            file.write_text((BAD / "n1_fixed.yaml").read_text(encoding="utf-8").replace(
                "scheme: fig10", f"scheme: {scheme}"), encoding="utf-8")
            never = ("--set", "system.rnic.rc.pm.timer=0 ns")
            self.assertEqual(self.run_it(file, *never).returncode, 0)
            done = self.run_it(file, *never, "--set", "system.link.loss=1 %")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(
                done.stderr,
                "system.rnic.rc.pm.timer: found '0 ns' on 'a', expected more than .*: between it "
                "and 'b' a PACK may be lost"
            )

    def test_what_the_iio_holds_is_whose_it_was_when_it_was_written(self) -> None:
        """A scheme that lies uses a slot again while the IIO still holds what was written there:
        that is the older item's, not the newer one's."""
        until_pushed = ("--set", "system.host.persistence.iio.hold=until_pushed")
        lies = "system: {rnic: {profile: cx5_100g}, link: {rate: 40 Gbps}, hosts: {a: {}, b: {host: {persistence: {domain: %s, iio: {hold: until_pushed}}}}}, " \
               "links: [{between: [a, b]}]}\nrun: {repetitions: 1, traffic: [{from: a, to: b, scheme: ack, unsafe: true, size: %s, transfers: %d, depth: %d}]}\n"  # noqa: E501
        files: list[Any] = [(BAD / "n12.yaml", until_pushed)]
        for i, of in enumerate((("adr", "63 B", 5, 4), ("eadr", "1 KiB", 300, 3),
                                ("adr", "200 B", 400, 1), ("eadr", "4 KiB", 40, 16))):
            file = self.folder / f"lies{i}.yaml"
            file.write_text(lies % of, encoding="utf-8")
            files.append((file, ()))
        for file, more in files:
            with self.subTest(file=file.stem):
                done = self.run_it(file, *more)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(
                    done.stderr,
                    r"false persistence: a is told that item \d+ of its q0 is durable at b, and at "
                    r"[\d.]+ us line 0x\w+ of it is in the iio"
                )
                cut = subprocess.run([os.environ["RNICSIM_BIN"], "cut", file, *more],
                                     capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(cut.returncode, 1, cut.stderr)
                # A process that really stops, right behind the instant that is named, finds the
                # same.
                at = float(re.search(r", and at ([\d.]+) us line", cut.stdout)[1]) + 0.001
                stopped = subprocess.run(
                    [os.environ["RNICSIM_BIN"], "cut", file, *more, "--at", f"{at:.6f} us"],
                    capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(stopped.returncode, 1, stopped.stderr)

    def test_the_table_says_which_times_were_told_too_early(self) -> None:
        for name, said in (("n12", True), ("n12_fixed", False)):
            done = subprocess.run([
                os.environ["RNICSIM_BIN"], "run", BAD / f"{name}.yaml", "--no-plot", "--out",
                self.folder / name
            ], capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual("us (told too early) " in done.stdout, said, done.stdout)
            self.assertEqual("a power cut would have lost it (false persistence)" in done.stdout,
                             said)

    def test_what_a_reviewer_found(self) -> None:
        """A send queue that was overrun where ACKs were lost and answers came; a flush read's DW
        that ends behind its area; who was told too early, and whose buffer was written while it was
        still being sent; a stale line that a processor's flush brings over a durable one."""
        plain = (BAD / "n1_fixed.yaml").read_text(encoding="utf-8")
        lossy = ("--set", "system.link.loss=5 %", "--set", "run.transfers=2000")
        early = ("--set", "system.link.duplication=20 %", "--set", "run.transfers=60")
        stale = ("--set", "system.host.persistence.no_snoop=literal", "--set",
                 "system.host.persistence.llc.dirty=true")
        for item, options, code, said in (
            ("scheme: gpspm", lossy, 0, "^$"),
            ("scheme: flush, size: 65 B", ("--set", "system.rnic.rc.pm.flush_target=same_line",
                                           "--set", "run.transfers=20"), 0,
             "^$"), ("scheme: fig10, acks: 2, pack: psn_only, unsafe: true, size: 64 KiB, depth: 2",
                     early, 1, "false persistence: a is told"),
            ("scheme: fig3", stale, 2,
             "no_snoop: found 'literal' on 'b' beside scheme fig3, expected hint")):
            with self.subTest(item=item):
                file = self.folder / "one.yaml"
                if "size" in item:
                    text = plain.replace("size: 64 B, ", "")
                else:
                    text = plain
                if "depth" in item:
                    text = text.replace(", depth: 1", "")
                file.write_text(text.replace("scheme: fig10", item), encoding="utf-8")
                done = self.run_it(file, *options)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, said)

    def test_marks_belong_to_write_persist(self) -> None:
        file = self.folder / "one.yaml"
        for scheme, more, expected in (
            ("apm", "acks: 2",
             "run.traffic.0.acks: has no effect beside scheme apm: expected fig10"),
            ("fig11", "acks: 2",
             "run.traffic.0.acks: has no effect beside scheme fig11: expected fig10; of the other "
             "WRITE_PERSISTs, "
             "fig11's, there are two"),
            ("flush", "mark: range",
             "run.traffic.0.mark: has no effect beside scheme flush: expected fig10 or fig11"),
            ("apm", "behind: write",
             "run.traffic.0.behind: has no effect beside scheme apm: expected fig10"),
            ("gpspm", "read_back: all",
             "run.traffic.0.read_back: has no effect beside scheme gpspm: expected fig2 or apm"),
            ("fig10", "mark: range, behind: write",
             "run.traffic.0.behind: found 'write', expected mark: opcode"),
            ("fig10", "pack: psn_only",
             "run.traffic.0.pack: found 'psn_only', expected opcode: an ACK that is lost")):
            text = (BAD / "n1_fixed.yaml").read_text(encoding="utf-8").replace(
                "scheme: fig10", f"scheme: {scheme}, {more}")
            file.write_text(text, encoding="utf-8")
            done = self.run_it(file)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(re.sub(r"traffic\.0", "traffic.a to b", expected),
                          re.sub(r"traffic\.0", "traffic.a to b", done.stderr))


if __name__ == "__main__":
    unittest.main()
