#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The walk-through of rtl/examples/README.md, and what happens with a block whose ports do not
fit."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import sampling  # noqa: E402

PROGRAM = os.environ["RNICSIM_BIN"]
OTHERS = SOURCE / "testbench" / "tests" / "cosim" / "blocks"
EXAMPLE = SOURCE / "rtl" / "examples" / "vlan_frame_filter.sv"
README = (SOURCE / "rtl" / "examples" /
          "README.md").read_text(encoding="utf-8").split("## With AXI")[0]
COMMANDS = [
    line.strip() for block in re.findall(r"```\n(.*?)```", README, re.DOTALL)
    for line in block.strip().splitlines()
]


def run(*command: Any, cwd: Any = SOURCE) -> Any:
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def configure(folder: Path, value: Any) -> Any:
    return run("cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DRNICSIM_BUILD_TESTS=OFF",
               "-DRNICSIM_BUILD_BENCH=OFF", f"-DRNICSIM_RTL_FRAME_FILTER={value}")


class OwnBlock(unittest.TestCase):
    def expect_refused(self, text: str, *said: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mine.sv"
            file.write_text(text.replace("module vlan_frame_filter", "module mine"),
                            encoding="utf-8")
            done = configure(Path(folder) / "build", file)
        self.assertNotEqual(done.returncode, 0)
        shown = " ".join(done.stderr.split())
        for words in said:
            self.assertIn(words, shown)

    def test_the_walk_through(self) -> None:
        """Building anew takes minutes: this program has been built with the option of the first
        command already."""
        self.assertEqual(
            [re.sub(r" .*", "", c) for c in COMMANDS],
            ["cmake", "cmake", "build/release/bin/rnicsim", "build/release/bin/rnicsim"])
        preset = (SOURCE / "CMakePresets.json").read_text(encoding="utf-8")
        option = re.search(r"-D(\w+)=(\S+)", COMMANDS[0])
        self.assertIn(f'"{option[1]}": "{option[2]}"', preset)
        with tempfile.TemporaryDirectory() as folder:
            for command in COMMANDS[2:]:
                words = command.replace("build/release/bin/rnicsim",
                                        PROGRAM).replace("results/vlan", folder + "/vlan").split()
                done = run(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                if words[1] == "cosim":
                    self.assertRegex(done.stdout,
                                     r"[\d,]+ events equal in 6 runs; a: .*vlan_frame_filter")

    @sampling.in_turn(3)
    def test_ports_that_do_not_fit(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        self.expect_refused(
            text.replace("output logic [31:0] ackn_o,",
                         "output logic [30:0] ackn_o, output logic more_o,"),
            "mine cannot stand for drp_frame_filter", "port more_o is not one of the block's",
            "port ackn_o is output of 31 bits, expected output of 32 bits")
        self.expect_refused(
            text.replace("    input  logic        good_i,\n",
                         "").replace(".good_i,", ".good_i(1'b1),"),
            "port good_i is missing: input of 1 bit")
        self.expect_refused("module vlan_frame_filter (;\n", "Verilator cannot read mine",
                            "mine.sv:1")

    @sampling.in_turn(3)
    def test_ranges_and_parameters(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        self.expect_refused(
            text.replace("output logic [31:0] ackn_o,", "output logic [0:31] ackn_o,"),
            "port ackn_o is output [0:31], expected output of 32 bits")
        self.expect_refused(
            text.replace("output logic [31:0] ackn_o,", "output logic [3:0][7:0] ackn_o,"),
            "port ackn_o is output an array or structure, expected output of 32 bits")
        self.expect_refused(
            text.replace("endmodule",
                         "  if (1) $error(\"mine: an illegal parameter\");\nendmodule"),
            "mine: an illegal parameter")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mine.sv"
            core = (SOURCE / "rtl" / "rnic_core.sv").read_text(encoding="utf-8")
            file.write_text(
                re.sub(r"module rnic_core #\(.*?\) \(", "module mine (", core,
                       flags=re.DOTALL).replace("DYNAMIC", "1'b1"), encoding="utf-8")
            done = run(SOURCE / "scripts" / "check_ports", "rnic_core", "mine", file)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("parameter DYNAMIC is missing", done.stderr)

    @sampling.in_turn(3)
    def test_the_directed_tests_of_a_block(self) -> None:
        build = Path(PROGRAM).parent.parent
        with tempfile.TemporaryDirectory() as folder:
            right, wrong = Path(folder) / "right.sv", Path(folder) / "wrong.sv"
            text = (SOURCE / "rtl" / "gmac_rx.sv").read_text(encoding="utf-8")
            right.write_text(text.replace("module gmac_rx", "module right"), encoding="utf-8")
            self.assertEqual(text.count("Residue = 32'hDEBB_20E3"), 1)
            wrong.write_text(
                text.replace("module gmac_rx",
                             "module wrong").replace("32'hDEBB_20E3", "32'hDEBB_20E2"),
                encoding="utf-8")
            for file, code in ((right, 0), (wrong, 1)):
                done = run(SOURCE / "scripts" / "try_block", "--build", build, "gmac_rx", file)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(
            run(SOURCE / "scripts" / "try_block", "gmac_rx", "nowhere.sv").returncode, 2)

    def test_the_directed_tests_without_a_build(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = run(SOURCE / "scripts" / "try_block", "--build", folder, "drp_frame_filter",
                       EXAMPLE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cmake --preset ci && cmake --build --preset ci", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_mended_file_is_another_build(self) -> None:
        """Results of the old one are not taken for those of the new: the same command runs anew."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = [folder / "part.v", folder / "mine.sv"]
            text = EXAMPLE.read_text(encoding="utf-8").replace("module vlan_frame_filter",
                                                               "module mine")
            include = folder / "width.svh"
            include.write_text("// one", encoding="utf-8")
            files[0].write_text(
                f'`include "{include.name}"\nmodule part (output one_o);\n  assign one_o = '
                '1;\nendmodule\n',
                encoding="utf-8")
            files[1].write_text(
                text.replace("endmodule", "  logic one;\n  part u_part (.one_o(one));\nendmodule"),
                encoding="utf-8")
            seen = []

            def built() -> None:
                done = run("cmake", "--build", folder / "build", "--target", "rnicsim_build_info")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                text = (folder / "build" / "testbench" / "results" / "generated" /
                        "build_info_values.h").read_text(encoding="utf-8")
                seen.append(re.search(r'kSourceHash = "(\w+)"', text)[1])
            for value in ("", f"{files[0]};{files[1]}"):
                done = configure(folder / "build", value)
                self.assertEqual(done.returncode, 0, done.stderr)
                built()
            for file in (*files, include):
                file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
                built()
            self.assertEqual(len(set(seen)), len(seen), seen)
            built()
            self.assertEqual(seen[-1], seen[-2])

    def test_verilog_of_another_build_is_linked_before_what_it_needs(self) -> None:
        """RNICSIM_RTL_FROM with the release preset: the library of waveforms needs zlib, which the
        linker leaves out if it comes first."""
        build = Path(PROGRAM).parent.parent
        with tempfile.TemporaryDirectory() as name:
            done = run("cmake", "-S", SOURCE, "-B", name, "-G", "Ninja",
                       "-DCMAKE_BUILD_TYPE=Release", "-DRNICSIM_BUILD_TESTS=OFF",
                       "-DRNICSIM_BUILD_BENCH=OFF", f"-DRNICSIM_RTL_FROM={build}")
            self.assertEqual(done.returncode, 0, done.stderr)
            words = run("ninja", "-t", "commands", "bin/rnicsim",
                        cwd=name).stdout.splitlines()[-1].split()
        verilog, = [
            place for place, word in enumerate(words) if word == f"{build}/rtl/librnicsim_rtl.a"
        ]
        zlib = [place for place, word in enumerate(words) if re.search(r"libz\.(so|a)|^-lz$", word)]
        self.assertGreater(max(zlib), verilog, words)

    def test_verilog_of_another_build_is_this_ones(self) -> None:
        """Else a result would carry the hash of Verilog that has not run."""
        build = Path(PROGRAM).parent.parent
        kept = build / "rtl" / "librnicsim_rtl.a.verilog"
        folders = sorted((build / "rtl" / "CMakeFiles" / "rnicsim_rtl.dir").glob("V*.dir"))
        named = dict.fromkeys(
            line.split("/")[0] + ".dir" for line in kept.read_text(encoding="utf-8").splitlines())
        in_order = ";".join(
            str(folder) for name in named for folder in folders if folder.name == name)

        def compare(kept: Any) -> Any:
            return run("cmake", "-D", f"FOLDERS={in_order}", "-D", "BUILD=there", "-D",
                       f"KEPT={kept}", "-P", SOURCE / "rtl" / "same_verilog.cmake")
        self.assertEqual(compare(kept).returncode, 0)
        with tempfile.TemporaryDirectory() as name:
            other = Path(name) / "other"
            for text in ("",
                         re.sub("[0-9a-f]$", "", kept.read_text(encoding="utf-8"), count=1,
                                flags=re.MULTILINE)):
                other.write_text(text, encoding="utf-8")
                done = compare(other)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("build that first (cmake --build there)",
                              " ".join(done.stderr.split()))

    def test_what_is_read_at_run_time_is_in_no_hash(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "mine.sv"
            file.write_text(
                EXAMPLE.read_text(encoding="utf-8").
                replace("module vlan_frame_filter", "module mine").replace(
                    "endmodule",
                    '  logic [7:0] table_q [4];\n  initial $readmemh("table.hex", '
                    'table_q);\nendmodule'
                ), encoding="utf-8")
            done = configure(Path(name) / "build", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no part of the build's identity", " ".join(done.stderr.split()))

    def test_a_file_that_is_not_there(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = configure(Path(folder) / "build", "nowhere/mine.sv")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such file", done.stderr)

    def test_a_name_that_was_not_built_in(self) -> None:
        done = run(PROGRAM, "cosim", "scenarios/examples/read.yaml", "--set",
                   "simulation.frame_filter=yours")
        self.assertEqual(done.returncode, 2)
        self.assertIn("vlan_frame_filter", done.stderr)


class AnotherAuthor(unittest.TestCase):
    """A MAC of other_gmac_tx and of other_gmac_rx: right, and wrong by one cycle in one port."""
    blocks: Any
    build: Path
    common: Path

    def cosim(self, program: str | Path, module: Any, *more: Any) -> Any:
        return run(program, "cosim", "scenarios/examples/read.yaml", "--set",
                   f"simulation.a.gmac={module}", "--set", "run.transfers=4", "--set",
                   "run.repetitions=1", *more)

    def test_a_block_that_keeps_its_own_time_is_equal(self) -> None:
        """It counts its gap by itself: idle time has to pass for it."""
        for module in ("other_gmac_tx", "other_gmac_rx"):
            done = self.cosim(PROGRAM, module)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout,
                             rf"events equal in 2 runs; a: gmac {module}; b: all models")

    @classmethod
    def setUpClass(cls) -> None:
        sys.path.insert(0, str(SOURCE / "scripts"))
        sys.dont_write_bytecode = True
        from rnicsim.faults import blocks
        cls.blocks = blocks
        cls.build = Path(PROGRAM).parent.parent
        cls.common = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.blocks.compile_headers(cls.build, cls.common)

    def wrong(self, module: Any, old: Any, new: Any, *more: Any) -> Any:
        """The same with one line of it changed: a program of its own, as scripts/rtl_mutants makes
        them."""
        from rnicsim.faults.linking import link_command
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = (OTHERS / f"{module}.sv").read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1)
            (folder / f"{module}.sv").write_text(text.replace(old, new), encoding="utf-8")
            top = module.replace("other_", "own_")
            program = self.blocks.linked(folder, {top: module}, self.build,
                                         link_command(self.build, "rnicsim"), self.common)
            return self.cosim(program, module, *more)

    def expect_reported(self, module: Any, port: Any, old: Any, new: Any) -> None:
        done = self.wrong(module, old, new)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        block = module.removeprefix("other_")
        found = re.search(
            rf"a: {block} \({module}\): {port} is \w+ in cycle (\d+) \((\d+) ps in its waveform\), "
            r"expected \w+: ",
            done.stdout)
        self.assertTrue(found, done.stdout)
        self.assertEqual(8000 * int(found[1]), int(found[2]))

    def test_take_o_a_cycle_early(self) -> None:
        self.expect_reported("other_gmac_tx", "take_o", "bit TakesEarly = 1'b0",
                             "bit TakesEarly = 1'b1")

    def test_the_waveform_is_of_the_run_that_diverged(self) -> None:
        """The first one, a traditional one; without a wish the wave would be of a dynamic one,
        which is never reached."""
        with tempfile.TemporaryDirectory() as folder:
            wave = Path(folder) / "x.fst"
            change = ("other_gmac_tx", "bit TakesEarly = 1'b0", "bit TakesEarly = 1'b1")
            said = self.wrong(*change, "--wave", wave, "--wave-blocks", "a.gmac_tx").stdout
            self.assertIn(f"{wave}: of run p000_traditional_r0\n", said)
            self.assertEqual([file.name for file in Path(folder).iterdir()], ["x.a.gmac_tx.fst"])
            # without those in which nothing moves
            self.assertRegex(said, r"(?m)^waveform: .*, [1-9]\d* cycles$")
            (Path(folder) / "x.a.gmac_tx.fst").unlink()
            said = self.wrong(*change, "--wave", wave, "--wave-run", "p000_dynamic_r0").stdout
            self.assertIn(f"{wave}: not of this run, expected --wave-run p000_traditional_r0\n",
                          said)

    def test_ready_o_a_cycle_early(self) -> None:
        self.expect_reported("other_gmac_tx", "ready_o", "TailCycles = 5'd9", "TailCycles = 5'd8")

    def test_ready_o_a_cycle_late(self) -> None:
        self.expect_reported("other_gmac_tx", "ready_o", "TailCycles = 5'd9", "TailCycles = 5'd10")

    def test_first_o_a_cycle_late(self) -> None:
        self.expect_reported("other_gmac_rx", "first_o", "FirstOut = 11'd4", "FirstOut = 11'd5")

    def test_bytes_a_cycle_late(self) -> None:
        self.expect_reported("other_gmac_rx", "valid_o",
                             "valid_o    <= inside_q && gmii_rx_dv_i && bytes_q >= 11'd4",
                             "valid_o    <= inside_q && gmii_rx_dv_i && bytes_q >= 11'd5")


if __name__ == "__main__":
    unittest.main()
