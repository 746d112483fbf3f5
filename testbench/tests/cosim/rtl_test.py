#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The files of rtl/: generated constants, port tables, naming, one module a file."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import yaml

RTL = Path(os.environ["RNICSIM_SOURCE_DIR"]) / "rtl"
FILES = [*RTL.glob("*.sv"), *RTL.glob("rc/*.sv"), *RTL.glob("ntb/*.sv")]
MODULES = sorted(file for file in FILES if not file.name.endswith("_pkg.sv"))


def run_port_tables(*modules: Any) -> Any:
    return subprocess.run([RTL.parent / "scripts" / "port_tables", *modules], capture_output=True,
                          text=True, check=False)


def run_file_list(*arguments: str) -> Any:
    return subprocess.run([RTL.parent / "scripts" / "file_list", *arguments], capture_output=True,
                          text=True, check=False)


def port_tables() -> Any:
    """{module: [(port, meaning)]}, as scripts/port_tables prints them."""
    done = run_port_tables()
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    parts = re.split(r"^## (\w+)$", done.stdout, flags=re.MULTILINE)[1:]
    return {
        module: re.findall(r"^\| `(\w+)` \|.*\|(.*)\|$", text, re.MULTILINE)
        for module, text in zip(parts[::2], parts[1::2])
    }


class Rtl(unittest.TestCase):
    def test_the_packages_are_what_the_models_descriptions_give(self) -> None:
        for package in ("drp_pkg", "rc_pkg", "rnic_pkg", "roce_pkg"):
            program = os.environ[f"RNICSIM_GENERATE_{package.upper()}"]
            generated = subprocess.run([program], capture_output=True, text=True, check=True).stdout
            self.assertEqual((RTL / f"{package}.sv").read_text(encoding="utf-8"), generated,
                             "run scripts/reference")

    def test_the_port_tables_have_every_port(self) -> None:
        tables = port_tables()
        self.assertEqual(sorted(tables), sorted(file.stem for file in MODULES))
        for file in MODULES:
            header = re.search(r"^module .*?\);$", file.read_text(encoding="utf-8"),
                               re.DOTALL | re.MULTILINE)[0]
            ports = re.findall(r"^\s*(?:input|output)\b[^,/]*?(\w+)\s*,?\s*(?://.*)?$", header,
                               re.MULTILINE)
            self.assertTrue(ports, file.name)
            self.assertEqual([port for port, _ in tables[file.stem]], ports, file.name)

    def test_a_port_table_of_one_module(self) -> None:
        printed = run_port_tables("crc32_byte").stdout
        self.assertTrue(
            printed.startswith("## crc32_byte\n\n| port | | bits | meaning |\n|---|---|---|---|\n"),
            printed)
        self.assertIn("\n| `crc_i` | in | 32 | state: all ones before the first byte |\n", printed)
        self.assertEqual(printed.count("## "), 1)
        wrong = run_port_tables("no_such_module")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("there is no module no_such_module in rtl/", wrong.stderr)

    def test_every_port_of_a_block_is_explained(self) -> None:
        """A block of one's own is written from these texts alone."""
        tables = port_tables()
        for block in ("gmac_tx", "gmac_rx", "drp_frame_filter", "transport_controller",
                      "indirect_buffer", "dma_engine", "rnic_core"):
            self.assertGreater(len(tables[block]), 8)
            self.assertEqual(
                [f"{block}.{port}" for port, meaning in tables[block] if not meaning.strip()], [])

    def test_a_file_list_has_each_part_and_no_other_module(self) -> None:
        """By the tools' own reading: Verilator warns of a second top."""
        if shutil.which("verilator") is None or shutil.which("yosys") is None:
            self.skipTest("Verilator and Yosys read the lists")
        for module in ("transport_controller", "rnic_core", "pm_module", "ntb_window",
                       "vlan_frame_filter"):
            files = run_file_list(module).stdout.split()
            for command in (["verilator", "--lint-only", "-Wall", "lint.vlt", *files],
                            ["yosys", "-q", "-p", f"hierarchy -check -top {module}", *files]):
                done = subprocess.run(command, cwd=RTL, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, (command, done.stderr))

    def test_a_file_list_has_packages_then_parts_then_the_module(self) -> None:
        self.assertEqual(
            run_file_list("vlan_frame_filter").stdout.split(),
            ["drp_pkg.sv", "drp_frame_filter.sv", "examples/vlan_frame_filter.sv"])
        self.assertEqual(
            run_file_list("dma_queue").stdout.split(),
            ["queue_room.sv", "read_tags.sv", "tags_after.sv", "waiting_ages.sv", "dma_queue.sv"])
        wrong = run_file_list("no_such_module")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("there is no module no_such_module in rtl/", wrong.stderr)

    def test_cores_of_fusesoc_are_those_of_the_lists(self) -> None:
        for module, parameters in (("rnic_core", ["DYNAMIC"]), ("ntb_window", []),
                                   ("pm_module", ["Qps", "Tags", "PsnBits", "Capacity"])):
            text = (RTL / f"{module}.core").read_text(encoding="utf-8")
            said = f"scripts/file_list --fusesoc {module} > rtl/{module}.core"
            self.assertEqual(text, run_file_list("--fusesoc", module).stdout, said)
            self.assertTrue(text.startswith("CAPI=2:\n"))  # by this FuseSoC knows the format
            core = yaml.safe_load(text)
            self.assertEqual(core["filesets"]["rtl"]["files"], run_file_list(module).stdout.split())
            self.assertEqual(core["targets"]["default"]["toplevel"], module)
            self.assertEqual(core["targets"]["default"].get("parameters", []), parameters)
            self.assertEqual([*core.get("parameters", {})], parameters)

    def test_every_parameter_has_its_edges_in_the_list(self) -> None:
        """scripts/lint_rtl reads the modules at these."""
        listed = {(words[0], value.partition("=")[0])
                  for words in map(str.split, (RTL / "parameters.txt").read_text(
                      encoding="utf-8").splitlines()) if words[0] not in ("#", "not")
                  for value in words[1:]}
        parameters = {(file.stem, name) for file in MODULES
                      for name in re.findall(r"^ +parameter .*?(\w+) *= ", file.read_text(
                          encoding="utf-8"), re.MULTILINE)}
        self.assertEqual(listed, parameters)

    def test_one_module_a_file_with_lowrisc_names(self) -> None:
        self.assertTrue(MODULES)
        for file in MODULES:
            text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
            self.assertEqual(re.findall(r"^module (\w+)", text, re.MULTILINE), [file.stem])
            ports = re.findall(r"^\s*(input|output)\s+logic\s+(?:\[[^\]]+\]\s*)?(\w+)", text,
                               re.MULTILINE)
            self.assertTrue(ports, file.name)
            for direction, name in ports:
                self.assertRegex(name, r"_n?i$" if direction == "input" else r"_o$",
                                 f"{file.name}: {direction} {name}")

    def test_every_file_declares_its_nets_and_names_its_generate_blocks(self) -> None:
        """A net that nobody declared is an error; Verilator 5.032 (Debian 13) takes no block
        without a name."""
        for file in RTL.rglob("*.sv"):
            text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
            self.assertRegex(text, r"\A\s*`default_nettype none\n", file.name)
            self.assertRegex(text, r"\n`default_nettype wire\n\Z", file.name)
            for line in re.findall(r"^  (?:if|for|end else)\b.*", text, re.MULTILINE):
                self.assertRegex(line, r" begin : gen_\w+$", file.name)

    def test_nothing_is_used_before_its_declaration(self) -> None:
        def said(*files: Any) -> Any:
            done = subprocess.run([RTL.parent / "scripts" / "check_declarations", *files],
                                  capture_output=True, text=True, check=False)
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
            self.assertEqual(said(file),
                             (1, f"{file}:5: early is used before its declaration in line 11\n"))
            file.write_text(
                file.read_text(encoding="utf-8").replace("  logic late, early;\n",
                                                         "").replace("  logic a, b;",
                                                                     "  logic a, b, late, early;"),
                encoding="utf-8")
            self.assertEqual(said(file), (0, ""))

    def test_every_module_is_in_the_readme(self) -> None:
        readme = (RTL / "README.md").read_text(encoding="utf-8")
        for file in MODULES:
            self.assertIn(f"`{file.stem}`", readme)

    def test_the_coverage_script_says_what_it_takes(self) -> None:
        """What it does takes minutes."""
        def script(*arguments: str) -> Any:
            return subprocess.run([RTL.parent / "scripts" / "rtl_coverage", *arguments],
                                  capture_output=True, text=True, check=False)
        done = script("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--build", "--scenarios", "--out", "--jobs"):
            self.assertIn(option, done.stdout)
        for arguments, said in ((["--scenarios", "many"], "found 'many', expected a whole number"),
                                (["--jobs",
                                  "0"], "at least 1"), (["--out",
                                                         "/dev/null/out"], "--out /dev/null/out"),
                                (["--fast"], "unrecognized arguments: --fast")):
            done = script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
