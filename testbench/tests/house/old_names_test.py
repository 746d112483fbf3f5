# SPDX-License-Identifier: Apache-2.0
"""Keys' old names: the program and the scripts know the same ones."""

import os
import re
import sys
import unittest
from pathlib import Path

SOURCES = Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCES / "scripts"))

from rnicsim import old_names


class OldNames(unittest.TestCase):
    def test_the_program_and_the_scripts_know_the_same(self) -> None:
        text = (SOURCES / "testbench/scenario/old_names.cpp").read_text(encoding="utf-8")
        rows = re.findall(r'Renamed\{"([^"]+)", "([^"]+)"\}', text)
        self.assertTrue(rows)
        self.assertEqual(dict(rows), old_names.RENAMED)


if __name__ == "__main__":
    unittest.main()
