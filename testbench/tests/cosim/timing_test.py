#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/timing: how it reads Yosys, and that no module's longest path is longer than
rtl/timing.csv says. A sample of the modules; RNICSIM_ALL=1 times all.

Environment: RNICSIM_SOURCE_DIR."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
SCRIPT = SOURCE / "scripts" / "timing"
sys.path.insert(0, str(SCRIPT.parent))
from rnicsim.places import verilog
from rnicsim.verilog import timing


def run(*arguments: Any) -> Any:
    return subprocess.run([SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=1500)


class Committed(unittest.TestCase):

    def test_every_module_has_a_row(self) -> None:
        modules = {
            file.stem
            for file in verilog() if not file.stem.endswith("_pkg")
        } - {"rnic_core"}
        self.assertEqual(set(timing.read_limits(SOURCE / "rtl" / "timing.csv")), modules)

    @unittest.skipIf(timing.version() != timing.VERSION,
                     f"rtl/timing.csv has the numbers of Yosys {timing.VERSION}")
    def test_no_path_has_grown(self) -> None:
        done = run("--sample", 3)
        print("\n".join(re.findall("^sampled.*$", done.stdout, re.MULTILINE)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no path has grown beyond rtl/timing.csv", done.stdout)

    @unittest.skipIf(timing.version() != timing.VERSION,
                     f"rtl/timing.csv has the numbers of Yosys {timing.VERSION}")
    def test_one_that_grows_is_named(self) -> None:
        """A CRC of two bytes in a row, where one was."""
        with tempfile.TemporaryDirectory() as folder:
            rtl = Path(folder) / "rtl"
            shutil.copytree(SOURCE / "rtl", rtl)
            file = rtl / "crc32_byte.sv"
            text = file.read_text(encoding="utf-8")
            self.assertIn("i < 8", text)
            file.write_text(text.replace("i < 8", "i < 64"), encoding="utf-8")
            done = run("--rtl", rtl, "crc32_byte")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"crc32_byte: [0-9.]+ ns by abc, rtl/timing.csv allows")


class Reading(unittest.TestCase):
    REPORT = """
Latest arrival time in 'm' is 3850:
    3850 (<primary output>)
           \\hold_o
    3850 $auto$1 (MISTRAL_ALUT2.A->Q)
           $auto$2.Y [10]
    1364 $auto$3 (MISTRAL_ALUT_ARITH.A->CO)
           \\tail_q [0]
     282 $auto$4 (MISTRAL_FF.ACLR->Q)
       0   \\rst_ni (<primary input>)
Warning: Endpoint m.\\other [2] has no (* sta_arrival *) value.
"""

    def test_a_path(self) -> None:
        self.assertEqual(timing.parse_path(self.REPORT), (3850, ("rst_ni", "tail_q[0]", "hold_o")))

    def test_no_path(self) -> None:
        self.assertEqual(timing.parse_path("nothing"), (0, ()))

    def test_what_is_longer(self) -> None:
        paths = {
            "a": timing.LongestPath(1050, 2101, ("x", "y")),
            "b": timing.LongestPath(1, 1, ())
        }
        self.assertEqual(list(timing.longer(paths, {"a": (1000, 2000)})), [
            "a: 2.10 ns by sta, rtl/timing.csv allows 2.00: x > y",
            "b: rtl/timing.csv has no row for it; --write adds one"
        ])
        self.assertEqual(list(timing.longer(paths, {"a": (1000, 2001), "b": (1, 1)})), [])


class Options(unittest.TestCase):

    def test_wrong_ones(self) -> None:
        done = run("no_such_module")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no_such_module: expected a module of", done.stderr)


if __name__ == "__main__":
    unittest.main()
