#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""README.md agrees with the program: its scenario is the shipped one, its commands print what it
shows."""
import csv
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

SOURCE = os.environ["RNICSIM_SOURCE_DIR"]
PROGRAM = os.environ["RNICSIM_BIN"]


def text_of(*parts: Any) -> Any:
    with open(os.path.join(SOURCE, *parts), encoding="utf-8") as file:
        return file.read()


README = text_of("README.md")


def block_after(text: Any) -> Any:
    """The first fenced block after this text of the README."""
    return re.search(r"```\w*\n(.*?)```", README[README.index(text):], re.DOTALL).group(1)


def stable(output: Any) -> Any:
    """Lines without those that differ from run to run: the folder and the speed."""
    return [
        line.rstrip() for line in output.splitlines()
        if line.strip() and not re.search(r"^\d+ runs in|summary\.csv", line)
    ]


class Readme(unittest.TestCase):
    def run_scenario(self, scenario: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [PROGRAM, "run",
                 os.path.join(SOURCE, scenario), "--no-plot", "--out", folder], capture_output=True,
                text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return stable(done.stdout)

    def test_five_line_scenario_is_the_shipped_one(self) -> None:
        shipped = text_of("scenarios", "examples", "minimal.yaml")
        editors_line, scenario = shipped.split("\n", 1)
        self.assertTrue(editors_line.startswith("# yaml-language-server:"))
        self.assertEqual(block_after("## A scenario in five lines"), scenario)
        self.assertEqual(len(scenario.splitlines()), 5)

    def test_it_is_short(self) -> None:
        self.assertLessEqual(len(README.encode()), 6000)
        long = [
            line for line in README.splitlines()
            if len(line) > 120 and not line.startswith(("|", "!["))
        ]
        self.assertEqual(long, [])

    def test_what_it_says_of_verilog_is_so(self) -> None:
        self.assertIn(
            "of the RoCEv2 card only the persistence module, the ICRC,\n  parser and builder of "
            "packets, and a responder's checks of key and PSN have Verilog", README)
        files = sorted(name for name in os.listdir(os.path.join(SOURCE, "rtl", "rc"))
                       if name.endswith(".sv"))
        self.assertEqual(files, ["crc32_word.sv", "icrc_check.sv", "icrc_insert.sv", "icrc_pipe.sv",
                                 "packet_builder.sv", "packet_head.sv", "packet_headers.sv",
                                 "packet_outer.sv", "packet_parser.sv", "pm_module.sv",
                                 "range_check.sv", "request_check.sv", "responder_psn.sv"])

    def test_what_contributors_are_told_of_a_parameter_is_there(self) -> None:
        told = text_of("CONTRIBUTING.md")
        files = re.findall(r"`((?:testbench/scenario|model/keys)/\w+\.\w+)`", told)
        self.assertIn("model/keys/fields.h", files)
        for file in files:
            self.assertTrue(os.path.exists(os.path.join(SOURCE, file)), file)

    def test_a_parameter_is_declared_once_beside_its_component(self) -> None:
        for declaration, file in (('"ordinary_share"', "model/rnic/drp/fields.cpp"),
                                  ('"cnp_interval"', "model/rnic/rc/fields.cpp"),
                                  ('"pfc.quanta"', "model/network/switch/fields.cpp"),
                                  ('"iio.hold"', "model/host/persistence/fields.cpp")):
            paths = [os.path.join(folder, name) for room in ("model", "testbench", "tlm")
                     for folder, _, names in os.walk(os.path.join(SOURCE, room)) for name in names]
            found = [os.path.relpath(path, SOURCE) for path in paths
                     if path.endswith((".cpp", ".h")) and declaration in text_of(path)]
            self.assertEqual(found, [file])

    def test_its_output_is_what_the_readme_shows(self) -> None:
        section = README[README.index("## A scenario in five lines"):]
        block = re.search(r"\$ build/release/bin/rnicsim run (\S+)\n(.*?)```", section, re.DOTALL)
        shown = stable(block.group(2))
        self.assertEqual(self.run_scenario(block.group(1)), shown)

    def test_its_network_prints_these_lines(self) -> None:
        block = block_after("**Build a network.**")
        scenario = re.search(r"rnicsim run (\S+)", block)[1]
        printed = [line.split() for line in self.run_scenario(scenario)]
        shown = [line.split() for line in block.splitlines()[1:]]
        self.assertEqual(len(shown), 3)
        for line in shown:
            self.assertIn(line, printed)

    def test_its_programs_print_these_lines(self) -> None:
        if shutil.which("ib_send_lat") is None:
            self.skipTest("perftest is not installed")
        block = block_after("**Run your RDMA program")
        command = block[block.index("build/"):block.index(" #bytes")].replace("\\\n", " ").split()
        done = subprocess.run([PROGRAM, *command[1:]], capture_output=True, text=True, check=False,
                              cwd=SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(block.splitlines()[-1].split("...")[0].split(),
                      [line.split()[:5] for line in done.stdout.splitlines()])

    def test_its_verilog_is_equal(self) -> None:
        command, shown = re.search(r"rnicsim (cosim .*)\n(.*)",
                                   block_after("**Put Verilog").replace("\\\n", " ")).groups()
        done = subprocess.run([PROGRAM, *command.split()], capture_output=True,
                              text=True, check=False, cwd=SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("events equal", shown)
        self.assertEqual(done.stdout.splitlines()[-1], shown)

    def test_its_ladder_is_the_one_that_explain_draws(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            drawn = os.path.join(folder, "ladder.svg")
            subprocess.run([
                PROGRAM, "explain", "scenarios/verbs/loss.yaml", "--run", "p006_none_r0",
                "--transfer", "a.q0.30", "--draw", drawn
            ], capture_output=True, check=True, cwd=SOURCE)
            self.assertEqual(text_of(drawn), text_of("testbench", "observe", "ladder.svg"))

    def test_a_message_of_the_bench_with_many_qps_is_none_of_a_timeout(self) -> None:
        scenario = os.path.join(SOURCE, "testbench", "bench", "networks", "verbs_qps.yaml")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([
                PROGRAM, "run", scenario, "--no-plot", "--quiet", "--out", folder, "--set",
                "system.hosts.client.count=4", "--set", "run.connections=2500", "--set",
                "run.transfers=4"
            ], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "summary.csv"), encoding="utf-8", newline="") as file:
                row = next(csv.DictReader(file))
        self.assertEqual(
            (row["client.rc.timeouts"], row["server.rc.rx_overruns"], row["client.rc.tx_packets"]),
            ("0", "0", "40000"))

    def test_the_main_job_prints_the_readme_s_table(self) -> None:
        shown = stable(block_after("`scripts/run` repeats its figure 6"))
        self.assertEqual(self.run_scenario("scenarios/paper/fig6_joint.yaml"), shown)

    def test_commands_and_files_exist(self) -> None:
        for script in re.findall(r"`?(scripts/\w+)(?!\.md|\w)", README):
            self.assertTrue(os.access(os.path.join(SOURCE, script), os.X_OK), script)
        for target in re.findall(r"\]\(([^)#]+)\)", README):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, target)), target)
        self.assertEqual(
            subprocess.run([PROGRAM, "--help"], capture_output=True, check=False).returncode, 0)

    def test_exit_codes_are_those_of_the_help(self) -> None:
        said = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True,
                              check=True).stdout
        codes = re.findall(r"^  (\d+) +\w", said[said.index("Exit codes:"):said.index("Examples:")],
                           re.MULTILINE)
        self.assertGreaterEqual(len(codes), 5)
        table = re.findall(r"^- (\d+):",
                           text_of("testbench", "cli", "README.md").split("## Exit codes")[1],
                           re.MULTILINE)
        self.assertEqual(set(codes) - set(table), set())
        self.assertEqual(table, sorted(table, key=int))

    def test_links_of_every_page(self) -> None:
        """Files, folders and headings. Other sites are not checked."""
        pages = [
            os.path.join(folder, name) for folder, folders, names in os.walk(SOURCE)
            for name in names
            if name.endswith(".md") and not folder.startswith((os.path.join(SOURCE, "build"),
                                                               os.path.join(SOURCE, ".git")))
        ]
        self.assertGreater(len(pages), 20)
        for page in pages:
            for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text_of(page)):
                name, _, heading = target.partition("#")
                found = os.path.normpath(os.path.join(os.path.dirname(page),
                                                      name)) if name else page
                self.assertTrue(os.path.exists(found), f"{page}: {target}")
                if heading:
                    titles = re.findall(
                        r"^#+ (.+)$",
                        text_of(
                            os.path.join(found, "README.md") if os.path.isdir(found) else found),
                        re.MULTILINE)
                    anchors = [
                        re.sub(r"[^\w\- ]", "",
                               title.strip().lower()).replace(" ", "-") for title in titles
                    ]
                    self.assertIn(heading, anchors, f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
