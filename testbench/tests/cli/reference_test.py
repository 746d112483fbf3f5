#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/reference rewrites generated files only if they differ: else everything would be built
again.

Environment: RNICSIM_BIN, beside which the generators lie; RNICSIM_SOURCE_DIR.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROGRAMS = Path(os.environ["RNICSIM_BIN"]).resolve().parent
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
WRITTEN = ("scenarios/schema.json", "scenarios/profile_schema.json", "scenarios/README.md",
           "scripts/wireshark/drp.lua", "scripts/wireshark/roce.lua", "rtl/drp_pkg.sv",
           "rtl/rnic_pkg.sv", "rtl/roce_pkg.sv", "rtl/TIMING.md")
LONG_AGO = 1_000_000_000


class Reference(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = Path(tempfile.mkdtemp(prefix="rnicsim_reference_"))
        self.addCleanup(shutil.rmtree, self.tree, ignore_errors=True)
        shutil.copytree(SOURCE / "scripts", self.tree / "scripts")
        for name in WRITTEN:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.tree / name)
        shutil.copytree(SOURCE / "rtl", self.tree / "rtl", dirs_exist_ok=True)
        for name in WRITTEN:
            os.utime(self.tree / name, (LONG_AGO, LONG_AGO))

    def written(self) -> Any:
        """The files that a call reports as written; the others keep their time stamps."""
        done = subprocess.run([self.tree / "scripts/reference", PROGRAMS], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [line.removeprefix("reference: wrote ") for line in done.stdout.splitlines()]
        touched = [name for name in WRITTEN if (self.tree / name).stat().st_mtime != LONG_AGO]
        self.assertEqual(sorted(said), sorted(touched))
        return said

    def test_what_is_right_is_left_alone(self) -> None:
        self.assertEqual(self.written(), [])

    def test_what_is_wrong_is_written_anew(self) -> None:
        for name in ("rtl/drp_pkg.sv", "scenarios/schema.json", "scenarios/profile_schema.json"):
            (self.tree / name).write_text("wrong\n", encoding="utf-8")
            os.utime(self.tree / name, (LONG_AGO, LONG_AGO))
        page = self.tree / "scenarios/README.md"
        text = page.read_text(encoding="utf-8")
        self.assertIn("| `delay` | 40 ns |", text)
        page.write_text(text.replace("| `delay` | 40 ns |", "| `delay` | 41 ns |"),
                        encoding="utf-8")
        os.utime(page, (LONG_AGO, LONG_AGO))
        self.assertEqual(sorted(self.written()),
                         ["rtl/drp_pkg.sv", "scenarios/README.md", "scenarios/profile_schema.json",
                          "scenarios/schema.json"])
        for name in WRITTEN:
            self.assertEqual((self.tree / name).read_bytes(), (SOURCE / name).read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
