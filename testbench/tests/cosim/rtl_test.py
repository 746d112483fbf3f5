#!/usr/bin/python3
"""The files of rtl/: generated constants, naming, one module a file."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

RTL = Path(os.environ["RNICSIM_SOURCE_DIR"]) / "rtl"
MODULES = sorted(file for file in [*RTL.glob("*.sv"), *RTL.glob("rc/*.sv")] if not file.name.endswith("_pkg.sv"))


class Rtl(unittest.TestCase):
    def test_the_packages_are_what_the_models_descriptions_give(self):
        for package in ("drp_pkg", "rnic_pkg", "roce_pkg"):
            program = os.environ[f"RNICSIM_GENERATE_{package.upper()}"]
            generated = subprocess.run([program], capture_output=True, text=True, check=True).stdout
            self.assertEqual((RTL / f"{package}.sv").read_text(encoding="utf-8"), generated, "run scripts/reference")

    def test_the_port_tables_are_those_of_the_files(self):
        done = subprocess.run([RTL.parent / "scripts" / "port_tables"], capture_output=True, text=True, check=True)
        self.assertEqual((RTL / "PORTS.md").read_text(encoding="utf-8"), done.stdout, "run scripts/reference")

    def test_every_port_of_a_block_is_explained(self):
        """Who writes a block of his own has no other text than this one."""
        text = (RTL / "PORTS.md").read_text(encoding="utf-8")
        for block in ("gmac_tx", "gmac_rx", "drp_frame_filter", "transport_controller", "indirect_buffer", "dma_engine", "rnic_core"):
            rows = re.findall(r"^\| `(\w+)` \|.*\|(.*)\|$", re.search(rf"\n## {block}\n(.*?)(\n## |\Z)", text, re.DOTALL)[1], re.MULTILINE)
            self.assertGreater(len(rows), 8)
            self.assertEqual([f"{block}.{port}" for port, said in rows if not said.strip()], [])

    def test_one_module_a_file_with_lowrisc_names(self):
        self.assertTrue(MODULES)
        for file in MODULES:
            text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
            self.assertEqual(re.findall(r"^module (\w+)", text, re.MULTILINE), [file.stem])
            ports = re.findall(r"^\s*(input|output)\s+logic\s+(?:\[[^\]]+\]\s*)?(\w+)", text, re.MULTILINE)
            self.assertTrue(ports, file.name)
            for direction, name in ports:
                self.assertRegex(name, r"_n?i$" if direction == "input" else r"_o$", f"{file.name}: {direction} {name}")

    def test_every_file_declares_its_nets_and_names_its_generate_blocks(self):
        """A net that nobody declared is an error; Verilator 5.032 (Debian 13) takes no block without a name."""
        for file in RTL.rglob("*.sv"):
            text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
            self.assertRegex(text, r"\A\s*`default_nettype none\n", file.name)
            self.assertRegex(text, r"\n`default_nettype wire\n\Z", file.name)
            for line in re.findall(r"^  (?:if|for|end else)\b.*", text, re.MULTILINE):
                self.assertRegex(line, r" begin : gen_\w+$", file.name)

    def test_nothing_is_used_before_its_declaration(self):
        def said(*files):
            done = subprocess.run([RTL.parent / "scripts" / "check_declarations", *files], capture_output=True, text=True, check=False)
            return done.returncode, done.stderr
        self.assertEqual(said(*RTL.rglob("*.sv")), (0, ""))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "m.sv"
            # Ports of an instance, members, labels and functions are no uses.
            file.write_text("""module m (input logic clk_i, output logic [3:0] o_o);
  typedef enum logic [1:0] {StIdle, StBusy} state_e;
  entry_t e;
  logic a, b;  // early
  assign a = early && (b == StIdle);
  other u_other (.late(a), .e, .early);
  assign b = e.late && twice(a);
  function automatic logic twice(input logic x);
    return x;
  endfunction
  logic late, early;
  assign o_o = {4{late}};
endmodule
""", encoding="utf-8")
            self.assertEqual(said(file), (1, f"{file}:5: early is used before its declaration in line 11\n"))
            file.write_text(file.read_text(encoding="utf-8").replace("  logic late, early;\n", "").replace("  logic a, b;", "  logic a, b, late, early;"),
                            encoding="utf-8")
            self.assertEqual(said(file), (0, ""))

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
