#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim cosim --wave`: what GTKWave's reader makes of the files, against what the wire must
carry, and when."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim.verilog import waveform

PROGRAM = os.environ["RNICSIM_BIN"]
BLOCKS = [
    f"{end}.{block}" for end in "ab"
    for block in ("dma_engine", "gmac_tx", "gmac_rx", "frame_filter", "indirect_buffer",
                  "transport_controller", "rnic_core")
]
EDGE = 4000  # ps: half a cycle of 125 MHz
DELAY = 48_000  # ps, of the link
SCENARIO = """
system: {link: {loss: 20 %, delay: 48 ns}, rnic: {drp: {request_timer: 0.2 ms, data_timer: 0.1 ms, release_timer: 0.1 ms}}}
run: {size: 3 KiB, transfers: 2}
"""  # noqa: E501


class Wave(waveform.Wave):
    """A file, read, of what has GMII."""

    def frames(self, enable: Any, data: Any) -> Any:
        """(time of its first byte, bytes) of each frame on GMII."""
        frames: list[Any] = []
        last: Any = None
        for time, (on, byte) in self.cycles(enable, data):
            if on and last is None:
                frames.append((time, []))
            if on:
                assert last is None or time == last + 2 * EDGE, f"a hole at {time} ps"
                frames[-1][1].append(byte)
            last = time if on else None
        return frames


class Waves(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.scenario = self.folder / "small.yaml"
        self.scenario.write_text(SCENARIO + "simulation: {seed: 3}\n", encoding="utf-8")

    def tearDown(self) -> None:
        self.temporary.cleanup()

    def cosim(self, *arguments: str | Path) -> Any:
        return subprocess.run([PROGRAM, "cosim", self.scenario, *arguments], capture_output=True,
                              text=True, timeout=300, check=False)

    def draw(self, *arguments: str) -> Any:
        """Files by their blocks."""
        done = self.cosim("--wave", self.folder / "x.fst", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = re.findall(r"^waveform: .*/x\.(\S+)\.fst, \d+ cycles$", done.stdout, re.MULTILINE)
        self.assertEqual({file.name
                          for file in self.folder.glob("*.fst")},
                         {f"x.{block}.fst"
                          for block in said})
        self.equal = done.stdout.splitlines()[-1]
        return {block: Wave(self.folder / f"x.{block}.fst") for block in said}

    def refused(self, said: Any, *arguments: str | Path) -> None:
        done = self.cosim(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(said, done.stderr)
        self.assertEqual(list(self.folder.glob("*.fst")), [])

    def check_times(self, wave: Any) -> None:
        self.assertEqual([t for t in wave.times if t % EDGE], [])
        self.assertEqual(wave.times, sorted(set(wave.times)))

    def test_every_block_in_real_time(self) -> None:
        waves = self.draw()
        self.assertEqual(sorted(waves), sorted(BLOCKS))
        self.assertEqual(self.equal, self.cosim().stdout.splitlines()[-1])  # nothing else changes
        for block, wave in waves.items():
            self.check_times(wave)
            end, name = block.split(".")
            top = f"{end}.{name.replace('frame', 'drp_frame')}"
            self.assertIn(top, wave.scopes)
            self.assertIn(top + ".clk_i", wave.signals)
            for time, _ in wave.cycles():
                self.assertEqual(time % (2 * EDGE), 0)
        self.assertIn("a.gmac_tx.u_crc.crc_o", waves["a.gmac_tx"].signals)
        # The whole core, behind the run, has the same on its wires at the same times.
        for end in "ab":
            alone = waves[f"{end}.gmac_tx"].frames(f"{end}.gmac_tx.gmii_tx_en_o",
                                                   f"{end}.gmac_tx.gmii_txd_o")
            inside = waves[f"{end}.rnic_core"].frames(f"{end}.rnic_core.gmii_tx_en_o",
                                                      f"{end}.rnic_core.gmii_txd_o")
            self.assertEqual(inside, alone)
        lost = 0
        for end, other in (("a", "b"), ("b", "a")):
            sent = waves[f"{end}.gmac_tx"].frames(f"{end}.gmac_tx.gmii_tx_en_o",
                                                  f"{end}.gmac_tx.gmii_txd_o")
            got = dict(waves[f"{other}.gmac_rx"].frames(f"{other}.gmac_rx.gmii_rx_dv_i",
                                                        f"{other}.gmac_rx.gmii_rxd_i"))
            self.assertGreater(len(sent), 5)
            for time, frame in sent:
                self.assertEqual(frame[:8], 7 * [0x55] + [0xD5])
                self.assertGreaterEqual(len(frame), 8 + 64)
                arrived = got.pop(time + DELAY, None)
                self.assertIn(arrived, (frame, None))
                lost += arrived is None
            self.assertEqual(got, {})
            # The filter gets a good frame's bytes, without FCS, when the MAC has given its verdict.
            ends = [
                t for t, (good, ) in waves[f"{other}.gmac_rx"].cycles(f"{other}.gmac_rx.good_o")
                if good
            ]
            starts = [
                t for t, (end_i, ) in waves[f"{other}.frame_filter"].cycles(
                    f"{other}.drp_frame_filter.end_i") if end_i
            ]
            self.assertEqual(starts, ends)
        self.assertGreater(lost, 0)

    def test_some_blocks_and_a_window(self) -> None:
        whole = self.draw("--wave-blocks", "a.gmac_tx")
        self.assertEqual(list(whole), ["a.gmac_tx"])
        times = [
            time for time, _ in whole["a.gmac_tx"].frames("a.gmac_tx.gmii_tx_en_o",
                                                          "a.gmac_tx.gmii_txd_o")
        ]
        low, high = times[2] - 100_000, times[3]
        for file in self.folder.glob("*.fst"):
            file.unlink()
        part = self.draw("--wave-blocks=b.gmac_rx,a.gmac_tx", "--wave-window",
                         f"{low / 1e6} us..{high / 1e3:.0f} ns")
        self.assertEqual(sorted(part), ["a.gmac_tx", "b.gmac_rx"])
        for wave in part.values():
            self.check_times(wave)
            self.assertGreaterEqual(wave.times[0], low)
            self.assertLess(wave.times[-1], high)
        all_of_it = {
            time: values
            for time, values in whole["a.gmac_tx"].cycles(*sorted(whole["a.gmac_tx"].signals))
        }
        window = list(part["a.gmac_tx"].cycles(*sorted(whole["a.gmac_tx"].signals)))
        self.assertGreater(len(window), 80)
        for time, values in window[1:]:  # the first is the state that it was held in
            self.assertEqual(values, all_of_it[time])

    def test_a_view_for_gtkwave_has_every_port_once_in_its_group(self) -> None:
        self.draw("--wave-blocks", "b.gmac_tx")
        file = self.folder / "x.b.gmac_tx.fst"
        done = subprocess.run([SOURCE / "scripts" / "wave_view", file], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        lines = file.with_suffix(".gtkw").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines.pop(0), f'[dumpfile] "{file.resolve()}"')

        def group(name: str, *ports: str) -> list[str]:
            shown = [word for port in ports
                     for word in ("@22" if "[" in port else "@28", f"b.{port}")]
            return ["@800200", f"-{name}", *shown, "@1000200", f"-{name}"]
        self.assertEqual(
            lines,
            group("clock and reset", "clk_i", "rst_ni") +
            group("inputs", "start_i", "data_i[7:0]", "last_i") +
            group("outputs", "ready_o", "take_o", "gmii_txd_o[7:0]", "gmii_tx_en_o"))
        for wrong in (self.scenario, self.folder / "none.fst"):
            done = subprocess.run([SOURCE / "scripts" / "wave_view", wrong], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"wave_view: {wrong}: ", done.stderr)

    def test_the_timing_diagrams_are_those_of_a_run(self) -> None:
        done = subprocess.run([SOURCE / "scripts" / "timing_diagrams", PROGRAM],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((SOURCE / "rtl" / "TIMING.md").read_text(encoding="utf-8"), done.stdout,
                         "run scripts/reference")

    def test_what_is_refused(self) -> None:
        file = self.folder / "x.fst"
        self.refused(
            "--wave-blocks b.gmac_txx: this run has no such block in Verilog, expected some of " +
            ", ".join(BLOCKS) + "\n", "--wave", file, "--wave-blocks", "a.gmac_tx,b.gmac_txx")
        self.refused(
            "b.gmac_tx: this run has no such block in Verilog, expected some of a.gmac_tx, "
            "a.gmac_rx\n",
            "--wave", file, "--wave-blocks", "b.gmac_tx", "--set", "simulation.a.gmac=rtl")
        for window in ("5", "1 ms", "1..2", "2 ms..", "1 ms..2 parsecs"):
            self.refused(f"--wave-window {window}: expected FROM..TO, two times with units",
                         "--wave", file, "--wave-window", window)
        self.refused("expected a time FROM that is before TO", "--wave", file, "--wave-window",
                     "2 ms..1 ms")
        self.refused("expected at least a cycle of 8 ns between", "--wave", file, "--wave-window",
                     "1001 ns..1007 ns")
        self.refused("expected the name of a file that ends with .fst", "--wave",
                     self.folder / "x.vcd")
        self.refused("--wave-blocks: expected --wave FILE.fst with it", "--wave-blocks",
                     "a.gmac_tx")
        self.refused("cannot write", "--wave", self.folder / "nowhere" / "x.fst")


if __name__ == "__main__":
    unittest.main()
