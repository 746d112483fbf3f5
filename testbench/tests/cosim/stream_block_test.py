#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks with AXI-Stream ports: the README's walk, what cosim and run say of right and wrong ones,
and manifests that cannot be used."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim.verilog import waveform  # noqa: E402

PROGRAM = os.environ["RNICSIM_BIN"]
README = (SOURCE / "rtl" / "examples" /
          "README.md").read_text(encoding="utf-8").split("## With AXI")[1]
MANIFEST = (SOURCE / "rtl" / "examples" / "axis_frame_filter.yaml").read_text(encoding="utf-8")
MAC = (SOURCE / "testbench" / "tests" / "cosim" / "blocks" /
       "late_mac.yaml").read_text(encoding="utf-8")
SCENARIO = """
system: {link: {loss: 1 %, delay: 48 ns}}
run: {size: 3 KiB, transfers: 20, repetitions: 1}
"""


class Streams(unittest.TestCase):

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.scenario = self.folder / "small.yaml"
        self.scenario.write_text(SCENARIO, encoding="utf-8")

    def rnicsim(self, *words: Any) -> Any:
        return subprocess.run([PROGRAM, *map(str, words)],
                              capture_output=True,
                              text=True,
                              check=False)

    def cosim(self, block: str, *words: Any) -> Any:
        return self.rnicsim("cosim", self.scenario, "--set", f"simulation.{block}", *words)


class Verdicts(Streams):

    def test_the_readme(self) -> None:
        """Its build is that of the preset; its figures are those of its command."""
        commands = re.findall(r"^(?:cmake|build).*$", README, re.MULTILINE)
        self.assertEqual(len(commands), 3)
        preset = (SOURCE / "CMakePresets.json").read_text(encoding="utf-8")
        self.assertIn(re.search(r"-DRNICSIM_STREAM_BLOCKS=(\S+)", commands[0])[1], preset)
        words = commands[2].split()
        words[2] = str(SOURCE / words[2])
        done = self.rnicsim(*words[1:])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        shown = [line.strip() for line in README.splitlines() if line.startswith("    ")]
        for line in shown[:4]:
            self.assertIn(line, done.stdout)
        lax = self.rnicsim("cosim", words[2], "--set", "simulation.gmac=lax_mac", "--stress", 3000)
        self.assertIn(" ".join(shown[4:]), lax.stdout)

    def test_a_late_one_is_right(self) -> None:
        done = self.cosim("gmac=late_mac", "--stress", 500)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("transactions equal in 2 runs; a: gmac late_mac; b: gmac late_mac",
                      done.stdout)
        for stream, cycles in (("tx", 12), ("rx", 11)):
            self.assertRegex(
                done.stdout,
                rf"a\.gmac\.{stream}: [\d,]+ frames, latency {cycles} \.\. {cycles} cycles, "
                rf"median {cycles}: \+64\.0 ns against the model")
        self.assertRegex(done.stdout, r"a transfer: \+\d\.\d{3} % \(40 of them")

    def test_a_lax_one_is_named_by_what_it_takes(self) -> None:
        said = "a: gmac (lax_mac): rx tuser"
        done = self.cosim("gmac=lax_mac", "--stress", 500)
        self.assertEqual(done.returncode, 1)
        self.assertIn(said, done.stdout)
        self.assertIn("takes a frame that has a bad FCS", done.stdout)
        self.assertEqual(self.cosim("gmac=lax_mac").returncode,
                         0)  # no frame of this scenario is damaged
        damaged = self.cosim("gmac=lax_mac", "--set", "system.link.corruption=2 %")
        self.assertEqual(damaged.returncode, 1, damaged.stdout + damaged.stderr)
        self.assertIn("takes a frame that has a bad FCS", damaged.stdout)

    def test_a_gap_that_is_too_short(self) -> None:
        for words in ((), ("--stress", 100)):
            done = self.cosim("gmac=near_mac", *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("gap 8 < 12 cycles between two frames", done.stdout)

    def test_a_wide_filter_with_a_clock_of_its_own(self) -> None:
        done = self.cosim("frame_filter=wide_filter")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("latency 1 .. 1 cycles, median 1: -25.6 ns against the model", done.stdout)
        done = self.cosim("frame_filter=wide_filter", "--stress", 500)
        self.assertEqual(done.returncode, 1)
        self.assertIn("passes a malformed DRP frame, expected to drop it", done.stdout)

    def test_ours_stands_the_stress(self) -> None:
        done = self.rnicsim("cosim", self.scenario, "--set", "simulation.gmac=rtl", "--set",
                            "simulation.frame_filter=rtl", "--stress", 500)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(
            done.stdout,
            r"a\.gmac: 500 frames sent; received \d+ good, \d+ with a bad FCS, \d+ runts")
        self.assertIn("events equal", done.stdout)

    def test_a_run_counts_latencies(self) -> None:
        out = self.folder / "out"
        done = self.rnicsim("run", self.scenario, "--set", "simulation.a.gmac=late_mac",
                            "--no-plot", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with (out / "summary.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                frames = int(row["a.gmac.rx_latency_frames"])
                self.assertEqual(frames, int(row["a.gmac.rx_frames"]))
                self.assertEqual(int(row["a.gmac.rx_latency_cycles"]), 11 * frames)
                self.assertEqual(int(row["a.gmac.tx_latency_high_water"]), 12)
                self.assertNotIn("b.gmac.rx_latency_frames", row)

    def test_vectors_for_another_testbench(self) -> None:
        """What goes out of one MAC, whole frames with a right FCS, comes into the other."""
        out = self.folder / "x.jsonl"
        done = self.cosim("gmac=late_mac", "--dump-transactions", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        vectors = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        frames: dict[str, list[bytes]] = {}
        for vector in vectors:
            given, taken = bytes.fromhex(vector["in"]), bytes.fromhex(vector["out"] or "")
            wire = taken if vector["stream"].endswith("tx") else given
            self.assertEqual(zlib.crc32(wire[:-4]).to_bytes(4, "little"), wire[-4:])
            if vector["stream"].endswith("tx"):
                self.assertEqual(given, taken[:len(given)])
            else:
                self.assertEqual((taken, vector["latency"]), (given[:-4], 11))
            frames.setdefault(vector["stream"], []).append(wire)
        self.assertEqual(sorted(frames), ["a.gmac.rx", "a.gmac.tx", "b.gmac.rx", "b.gmac.tx"])
        for sender, receiver in (("a", "b"), ("b", "a")):
            sent = iter(frames[f"{sender}.gmac.tx"])
            self.assertTrue(all(frame in sent for frame in frames[f"{receiver}.gmac.rx"]),
                            "in order")

    def test_options_without_effect(self) -> None:
        for words, said in ((("--dump-transactions", self.folder / "x"),
                             "no block of this scenario has AXI-Stream"),
                            (("--stress", 5), "no MAC and no frame filter is in Verilog")):
            done = self.cosim("dma_engine=rtl", *words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(said, done.stderr)

    def test_waves_of_what_differs(self) -> None:
        wave = self.folder / "x.fst"
        done = self.cosim("frame_filter=wide_filter", "--stress", 100, "--wave", wave)
        self.assertEqual(done.returncode, 1)
        file = self.folder / "x.a.frame_filter.fst"
        self.assertTrue(file.exists(), done.stdout)
        at = int(re.search(r"\((\d+) ps in its waveform\)", done.stdout)[1])
        drawn = waveform.Wave(file)
        last = max(time for time, _ in drawn.cycles("a.out_tvalid_o"))
        self.assertLess(abs(last - at), 3 * 6400, (last, at))


class Manifests(Streams):

    def refused(self, text: str, *said: str) -> None:
        file = self.folder / "mine.yaml"
        for name in ("axis_frame_filter.sv", "../drp_pkg.sv", "../drp_frame_filter.sv"):
            text = text.replace(name, str(SOURCE / "rtl" / "examples" / name))
        text = text.replace("[axis_mac.sv]", f"[{SOURCE}/testbench/tests/cosim/blocks/axis_mac.sv]")
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [SOURCE / "scripts" / "wrap_block", "--out", self.folder / "out", file],
            capture_output=True,
            text=True,
            check=False)
        if not said:
            self.assertEqual(done.returncode, 0, done.stderr)
            return
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        for words in said:
            self.assertIn(words, done.stderr)

    def test_keys_and_values(self) -> None:
        self.refused(MANIFEST)
        self.refused(MAC)
        line = {text.partition(":")[0]: i for i, text in enumerate(MANIFEST.splitlines(), 1)}
        for old, new, said in (
            ("block: frame_filter", "block: filter",
             f":{line['block']}: block: found 'filter', expected gmac or frame_filter"),
            ("block: frame_filter", "blok: frame_filter", "expected block: gmac or frame_filter"),
            ("in: {prefix: s_axis_}", "in: {prefix: s_axis_, latency: [1, 2]}",
             f":{line['in']}: in.latency: found 'latency', expected one of prefix, stalls"),
            ("[60, 1520]", "[60]", "out.latency: expected [least, most]"),
            ("[60, 1520]", "[60, 59]", "out.latency[1]: found '59', expected at least 60"),
            ("[60, 1520]", "[60, 9000]", "found '9000', expected cycles, 0 .. 8192"),
            ("125 MHz", "125", "clock.frequency: found '125', expected a frequency"),
            ("125 MHz", "0 MHz", "expected a frequency"),
            ("active: high", "active: 1", "reset.active: found '1', expected high or low"),
            ("module: axis_frame_filter", "module: 'a b'",
             "module: found 'a b', expected the module's name"),
            ("module: axis_frame_filter", "module: axis_frame_filter\nname: rtl",
             "name: found 'rtl'"),
            ("files: [", "files: [absent.sv, ",
             "files[0]: found 'absent.sv', expected a file that is there"),
            ("inputs: {station: own_address}", "inputs: {station: mine}",
             "inputs.station: found 'mine', expected a number or"),
            ("out: {", "out {", "mine.yaml"),
            ("out: {prefix: m_axis_, latency: [60, 1520]}", "", "expected out, which is missing"),
            ("out: {", "more: 1\nout: {", "more: found 'more', expected one of"),
            ("out: {", "in: {prefix: s_axis_}\nout: {", "in: found 'in', expected it once"),
        ):
            with self.subTest(new):
                self.assertIn(old, MANIFEST)
                self.refused(MANIFEST.replace(old, new), said)
        self.refused("", "empty, expected a manifest")
        self.refused(MAC + "accepts: [runt, oversize]\n")
        self.refused(MAC + "accepts: [fcs]\n", "accepts[0]: found 'fcs', expected runt or oversize")
        self.refused(MANIFEST + "accepts: [runt]\n", "accepts: found 'accepts', expected one of")
        self.refused(MANIFEST + "name: my-filter\n", "expected a name of letters, digits and _")
        self.refused("[1]", "the manifest: expected block, module, files")
        self.refused(MAC.replace("125 MHz", "156.25 MHz"), "expected 125 MHz, the clock of GMII")
        self.refused(MAC.replace("cfg_enable: 1", "cfg_enable: own_address"),
                     "found 'own_address', expected a number")

    def test_what_does_not_fit_the_module(self) -> None:
        for old, new, said in (
            ("prefix: s_axis_", "prefix: s_", "port s_tdata is missing: input"),
            ("prefix: m_axis_", "prefix: s_axis_",
             "port s_axis_tdata is input of 8 bits, expected output"),
            ("ports: aclk", "ports: clk", "port clk is missing: input of 1 bits"),
            ("inputs: {station: own_address}\n", "",
             "port station, input of 48 bits, has no value: inputs: {station: 0}"),
            ("{station: own_address}", "{station: own_address, other: 1}",
             "port other is missing: input"),
        ):
            with self.subTest(new):
                self.assertIn(old, MANIFEST)
                self.refused(MANIFEST.replace(old, new), "module axis_frame_filter does not fit",
                             said)
        self.refused(MANIFEST.replace("module: axis_frame_filter", "module: other"),
                     "Verilator cannot read other")
        self.refused(MAC.replace("cfg_enable: 1", "cfg_enable: 2"),
                     "inputs.cfg_enable is 2, expected at most 1: it has 1 bit")
        self.refused(MAC.replace("TxWait", "Wait"), "Verilator cannot read axis_mac", "Wait")

    def test_a_module_of_another_kind(self) -> None:
        """A parameter that is a string; no tready, so nothing pauses the stream; a name that the
        module around it would have."""
        (self.folder / "stream_x.sv").write_text("""module stream_x #(parameter TARGET = "NONE") (
  input clk, input [7:0] s_tdata, input s_tvalid, input s_tlast,
  output [7:0] m_tdata, output m_tvalid, output m_tlast);
  if (TARGET != "XILINX") $error("another TARGET");
  assign {m_tdata, m_tvalid, m_tlast} = {s_tdata, s_tvalid, s_tlast};
endmodule
""",
                                                 encoding="utf-8")
        text = """block: frame_filter
module: stream_x
name: y
files: [stream_x.sv]
parameters: {TARGET: XILINX}
clock: {ports: clk, frequency: 125 MHz}
in: {prefix: s_}
out: {prefix: m_, latency: [0, 0]}
"""
        self.refused(text)
        blocks = (self.folder / "out" / "stream_blocks.inc").read_text(encoding="utf-8")
        self.assertIn("(frame_filter, y, 8000, 1, 0, 8192, true, 1, 0, 0, false, false,", blocks)
        self.refused(text.replace("name: y", "name: x"),
                     "the module around stream_x would be called")
        self.refused(text.replace("XILINX", "ASIC"), "another TARGET")

    def test_two_of_one_name(self) -> None:
        file = SOURCE / "rtl" / "examples" / "axis_frame_filter.yaml"
        done = subprocess.run([SOURCE / "scripts" / "wrap_block", "--out", self.folder, file, file],
                              capture_output=True,
                              text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("name: found 'axis_frame_filter', expected another", done.stderr)

    def test_a_scenario_that_asks_for_what_is_not_built_in(self) -> None:
        done = self.cosim("gmac=my_mac")
        self.assertEqual(done.returncode, 2)
        self.assertIn("late_mac", done.stderr)


if __name__ == "__main__":
    unittest.main()
