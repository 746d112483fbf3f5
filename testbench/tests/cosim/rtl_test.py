#!/usr/bin/python3
"""The files of rtl/: generated constants, naming, one module a file."""
import os
import re
import subprocess
import unittest
from pathlib import Path

RTL = Path(os.environ["RNICSIM_SOURCE_DIR"]) / "rtl"
MODULES = sorted(file for file in RTL.glob("*.sv") if not file.name.endswith("_pkg.sv"))


class Rtl(unittest.TestCase):
    def test_the_packages_are_what_the_models_descriptions_give(self):
        for package in ("drp_pkg", "rnic_pkg"):
            program = os.environ[f"RNICSIM_GENERATE_{package.upper()}"]
            generated = subprocess.run([program], capture_output=True, text=True, check=True).stdout
            self.assertEqual((RTL / f"{package}.sv").read_text(encoding="utf-8"), generated, "run scripts/reference")

    def test_the_port_tables_are_those_of_the_files(self):
        done = subprocess.run([RTL.parent / "scripts" / "port_tables"], capture_output=True, text=True, check=True)
        self.assertEqual((RTL / "PORTS.md").read_text(encoding="utf-8"), done.stdout, "run scripts/reference")

    def test_one_module_a_file_with_lowrisc_names(self):
        self.assertTrue(MODULES)
        for file in MODULES:
            text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
            self.assertEqual(re.findall(r"^module (\w+)", text, re.MULTILINE), [file.stem])
            ports = re.findall(r"^\s*(input|output)\s+logic\s+(?:\[[^\]]+\]\s*)?(\w+)", text, re.MULTILINE)
            self.assertTrue(ports, file.name)
            for direction, name in ports:
                self.assertRegex(name, r"_n?i$" if direction == "input" else r"_o$", f"{file.name}: {direction} {name}")

    def test_every_module_is_in_the_readme(self):
        readme = (RTL / "README.md").read_text(encoding="utf-8")
        for file in MODULES:
            self.assertIn(f"`{file.stem}`", readme)

    def test_the_coverage_script_says_what_it_takes(self):
        """What it does takes minutes; what it printed last is in rtl/README.md."""
        def script(*arguments):
            return subprocess.run([RTL.parent / "scripts" / "rtl_coverage", *arguments], capture_output=True, text=True, check=False)
        done = script("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--build", "--scenarios", "--out", "--jobs"):
            self.assertIn(option, done.stdout)
        for arguments, said in ((["--scenarios", "many"], "found 'many', expected a whole number"), (["--jobs", "0"], "at least 1"),
                                (["--out", "/dev/null/out"], "--out /dev/null/out"), (["--fast"], "unrecognized arguments: --fast")):
            done = script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
