#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every script says with --help what it takes, at once and without doing anything. Environment:
RNICSIM_SOURCE_DIR."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(os.environ["RNICSIM_SOURCE_DIR"]) / "scripts"


class ScriptsHelp(unittest.TestCase):
    def test_help(self) -> None:
        scripts = [
            file for file in sorted(SCRIPTS.iterdir())
            if file.is_file() and os.access(file, os.X_OK)
        ]
        self.assertGreater(len(scripts), 30)
        with tempfile.TemporaryDirectory() as folder:
            for script in scripts:
                with self.subTest(script.name):
                    done = subprocess.run([script, "--help"], capture_output=True, text=True,
                                          timeout=60, cwd=folder, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                    self.assertIn(f"scripts/{script.name}", done.stdout)
                    self.assertRegex(done.stdout, r"(?i)usage: ")
            self.assertEqual(list(Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
