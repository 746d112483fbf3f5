#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/hwcost: what it counts in a small module, how it reads Yosys, and whether
results/paper/hwcost.json is of this RTL.

Environment: RNICSIM_SOURCE_DIR. What the script maps takes minutes; here it maps only a small
module."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SCRIPT = SOURCE / "scripts" / "hwcost"
sys.path.insert(0, str(SCRIPT.parent))
from rnicsim.verilog import hwcost

# 512 x 16 bits that DYNAMIC adds, 32 x 24 read in the same cycle, an adder of 24 bits with a
# register.
SMALL = """module small #(
    parameter bit DYNAMIC = 1'b1
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        write_i,
    input  logic [ 8:0] at_i,
    input  logic [23:0] data_i,
    output logic [15:0] data_o,
    output logic [23:0] sum_o
);
  logic [23:0] few_q[32];
  always_ff @(posedge clk_i) if (write_i) few_q[at_i[4:0]] <= data_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_o <= '0;
    else sum_o <= sum_o + few_q[at_i[4:0]];
  end
  if (DYNAMIC) begin : gen_dynamic
    logic [15:0] words_q[512];
    always_ff @(posedge clk_i) begin
      if (write_i) words_q[at_i] <= data_i[15:0];
      data_o <= words_q[at_i];
    end
  end else begin : gen_traditional
    assign data_o = data_i[15:0];
  end
endmodule
"""


def run(*arguments: Any, **options: Any) -> Any:
    return subprocess.run([SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=900, **options)


class Small(unittest.TestCase):
    content: Any
    done: Any
    log: Any
    temporary: tempfile.TemporaryDirectory[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.temporary = tempfile.TemporaryDirectory()
        folder = Path(cls.temporary.name)
        (folder / "rtl").mkdir()
        (folder / "rtl" / "small.sv").write_text(SMALL, encoding="utf-8")
        cls.log = folder / "log"
        cls.done = run("--rtl", folder / "rtl", "--top", "small", "--family", "cyclonev",
                       "--family", "xc7", "--family", "ice40", "--log", cls.log, "--out",
                       folder / "deep" / "hwcost.json")
        if cls.done.returncode != 0:
            raise AssertionError(cls.done.stdout + cls.done.stderr)
        cls.content = json.loads((folder / "deep" / "hwcost.json").read_text(encoding="utf-8"))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.temporary.cleanup()

    def rows(self, rows: Any, key: str) -> Any:
        return {row[key]: (row["traditional"], row["dynamic"]) for row in rows}

    def test_memories_and_pins(self) -> None:
        rows = self.rows(self.content["rows"], "resource")
        self.assertEqual(rows["memory_bits"], (0, 512 * 16))
        self.assertEqual(rows["small_memory_bits"], (32 * 24, 32 * 24))
        self.assertEqual(rows["pins"], (76, 76))

    def test_cyclonev(self) -> None:
        """24 ALUTs of adders are 12 ALMs; 24 bits need two MLABs of 20, which are 20 ALMs."""
        rows = self.rows(self.content["families"]["cyclonev"], "title")
        self.assertEqual(rows["ALUTs of adders"], (24, 24))
        self.assertEqual(rows["flip-flops"], (24, 24))
        self.assertEqual(rows["block RAMs (M10K)"], (0, 1))
        self.assertEqual(rows["MLABs (32 x 20)"], (2, 2))
        self.assertEqual(rows["ALMs of logic, estimate"], (12, 12))
        self.assertEqual(self.rows(self.content["rows"], "resource")["logic"], (32, 32))
        self.assertGreater(rows["longest path without wires, ns"][0], 0)

    def test_others(self) -> None:
        rows = self.rows(self.content["families"]["xc7"], "title")
        self.assertEqual(rows["block RAMs (36 Kbit)"], (0, 0.5))
        self.assertEqual(rows["CARRY4"], (6, 6))
        self.assertGreater(rows["LUTs as memory"][0], 0)
        rows = self.rows(self.content["families"]["ice40"], "title")
        self.assertEqual(rows["block RAMs (4 Kbit)"], (0, 2))
        self.assertGreaterEqual(rows["flip-flops"][0], 32 * 24)  # no small memories there

    def test_what_it_prints(self) -> None:
        said = " ".join(self.done.stdout.split())
        self.assertIn("block memory, bits (registered read) 0 8,192 +8,192", said)
        self.assertIn("few_q 32 x 24 768 768 1 2 MLAB", said)
        self.assertIn(
            "gen_dynamic.words_q 512 x 16 - 8,192 registered 1 M10K 1 RAMB18E1 2 SB_RAM40_4K", said)
        self.assertNotIn("?", said)
        for name in ("cyclonev_0.ys", "cyclonev_1.log", "xc7_1.stat"):
            self.assertTrue((self.log / name).exists(), name)


class Parser(unittest.TestCase):
    OLD = """
=== other ===
     $add  7

=== design hierarchy ===

=== rnic_core ===

   Number of wires:               9801
   Number of cells:              30566
     MISTRAL_ALUT2                1718
     MISTRAL_ALUT6                1925
     $lut                            3

"""
    NEW = """
=== rnic_core ===

        +----------Local Count, excluding submodules.
        |
     9801 wires
    30566 cells
     1718   MISTRAL_ALUT2
     1925   MISTRAL_ALUT6
        3   $lut

"""

    def test_stat_of_older_and_newer_yosys(self) -> None:
        for text in (self.OLD, self.NEW):
            self.assertEqual(hwcost.parse_stat(text), {
                "MISTRAL_ALUT2": 1718,
                "MISTRAL_ALUT6": 1925,
                "$lut": 3
            })

    def test_alms(self) -> None:
        self.assertEqual(
            hwcost.alms({
                "MISTRAL_ALUT6": 10,
                "MISTRAL_ALUT5": 3,
                "MISTRAL_ALUT_ARITH": 4,
                "MISTRAL_NOT": 9
            }), 14)
        self.assertEqual(hwcost.alms({"MISTRAL_ALUT6": 10, "MISTRAL_FF": 41}), 11)

    def test_mlabs(self) -> None:
        self.assertEqual(
            hwcost.mlabs([f"u.q.{column}.{row}.0" for column in range(21) for row in range(2)]), 4)
        self.assertEqual(hwcost.mlabs(["u.q.0.0.0", "u.q.0.0.1", "u.p.0.0.0"]), 3)

    def test_longest_path(self) -> None:
        log = (
            "ABC: F:  Del = 9.00.  Ar = 1.0\nABC: A:  Del = 1004.40.  Ar =\nABC: A:  Del = 890.00. "
            " Ar = 0.0.  Edge =\n"
        )
        self.assertEqual(hwcost.parse_delay(log), 890)
        self.assertEqual(hwcost.parse_delay(""), 0)


class Options(unittest.TestCase):
    def test_help(self) -> None:
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--family", "--fast", "--out", "--log", "--jobs"):
            self.assertIn(option, done.stdout)

    def test_wrong_ones(self) -> None:
        for arguments, said in ((["--family", "stratixv"], "invalid choice: 'stratixv'"),
                                (["--jobs", "0"], "at least 1"), (["--fast", "--family",
                                                                   "xc7"], "leave --family out"),
                                (["--quick"], "unrecognized arguments")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    def test_failures(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "small.sv").write_text(SMALL.replace("endmodule", ""), encoding="utf-8")
            arguments: Any
            for arguments, code, said in ((["--rtl", folder, "--top", "small"], 1, "syntax error"),
                                          (["--rtl", Path(folder) / "none"], 1, "holds no *.sv")):
                done = run("--fast", *arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
            done = run("--fast", "--rtl", folder, env=os.environ | {"PATH": "/nowhere"})
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("apt install yosys", done.stderr)


class Committed(unittest.TestCase):
    def test_the_committed_numbers_are_of_this_rtl(self) -> None:
        """Memory bits and pins; if what there is before mapping has moved much, the rest is old,
        too."""
        committed = json.loads(
            (SOURCE / "results" / "paper" / "hwcost.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            done = run("--fast", "--out", Path(folder) / "hwcost.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            computed = json.loads((Path(folder) / "hwcost.json").read_text(encoding="utf-8"))
        cheap = computed["rows"]
        self.assertEqual(cheap, committed["rows"][:len(cheap)],
                         "run scripts/hwcost --out results/paper/hwcost.json")
        self.assertEqual(
            {
                name: row["dynamic"] - row["traditional"]
                for row in cheap for name in [row["resource"]]
            }, {
                "memory_bits": 48 * 1024 * 8,
                "small_memory_bits": 64 * (64 + 11) + 128 * 16,
                "pins": 0
            })
        # Memories one by one; of the logic, which other versions of Yosys count differently, only
        # that it has not moved much.
        for variant in ("traditional", "dynamic"):
            here, there = (content["before_mapping"][variant] for content in (computed, committed))
            self.assertEqual(here["memories"], there["memories"])
            if computed["yosys"] == committed["yosys"]:
                for what in ("cells", "registers"):
                    now, then = (sum(numbers[what].values()) for numbers in (here, there))
                    self.assertLess(
                        abs(now - then), 0.02 * then,
                        f"{variant}, {what}: {then} then, {now} now: run scripts/hwcost "
                        "--out results/paper/hwcost.json, and correct the list of rtl/README.md")

    def test_the_readme_shows_some_of_them(self) -> None:
        committed = json.loads(
            (SOURCE / "results" / "paper" / "hwcost.json").read_text(encoding="utf-8"))
        known = {
            row["title"]: row
            for row in
            [*(row for rows in committed["families"].values() for row in rows), *committed["rows"]]
        }
        section = (SOURCE / "rtl" / "README.md").read_text(
            encoding="utf-8").split("## Hardware cost")[1].split("`pm_module`")[0]
        shown = re.findall(r"^- (.+?)(?: \(Xilinx 7\))?: ([\d,]+); ([\d,]+); ([-+\d,]+)(?:;|$)",
                           section, re.MULTILINE)
        self.assertEqual(len(shown), 7)
        for title, *numbers in shown:
            row = known[title]
            change = row["dynamic"] - row["traditional"]
            self.assertEqual(numbers, [
                f"{row['traditional']:,}", f"{row['dynamic']:,}", f"{change:+,}" if change else "0"
            ], f"{title}: correct rtl/README.md")


if __name__ == "__main__":
    unittest.main()
