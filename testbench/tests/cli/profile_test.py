#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of one's own (--profile) from outside: what they change, what is recorded of them, what
is refused, and their JSON Schema.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs python3-jsonschema.
"""

import json
import unittest
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from cli_test import SOURCE, CliTest, rnicsim

KEYS = {"rnic.personality": "rc", "rnic.rc.pmtu": "512 B", "rnic.rc.window": "8"}
HOST = "hosts: {server: {}, client: {count: 2, rnic: {%s}}}"
BUILT_IN = sorted((SOURCE / "testbench/scenario/profiles").glob("*.yaml"))


def profile(name: str = "mine", key: str = "system.rnic.profile", **values: str) -> str:
    lines = [f"  {of}: {{value: {value}, source: measured}}\n"
             for of, value in {**KEYS, **values}.items()]
    return f"key: {key}\nname: {name}\nvalues:\n" + "".join(lines)


def scenario(client: str) -> str:
    """Two clients with these keys, and a server with defaults."""
    return ("system:\n  rnic: {personality: rc}\n  " + HOST % client +
            "\n  switches: {s0: {}}\n"
            "  links: [{between: [server, s0]}, {between: [client, s0], loss: 1 %}]\n"
            "run:\n  repetitions: 2\n  traffic: [{from: client, to: server, operation: send, "
            "size: 4 KiB, depth: 8, transfers: 40}]\n")


class ProfileTest(CliTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.write("any.yaml", scenario("profile: mine"))
        self.mine = self.write("mine.yaml", profile())

    def write(self, name: str, text: str) -> Path:
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def run_into(self, out: str, *words: Any) -> Any:
        return rnicsim("run", *words, "--out", self.folder / out, "--no-plot", "--transfers-csv")

    def read(self, *names: str) -> bytes:
        return self.folder.joinpath(*names).read_bytes()

    def manifest(self, out: str) -> Any:
        return json.loads(self.read(out, "manifest.json"))["scenario"]


class Runs(ProfileTest):
    def test_it_changes_a_run_as_its_keys_written_by_hand_do(self) -> None:
        by_hand = self.write("hand.yaml", scenario("personality: rc, rc: {pmtu: 512 B, window: 8}"))
        without = self.write("without.yaml", scenario("personality: rc"))
        self.expect(0, self.run_into("own", self.file, "--profile", self.mine))
        self.expect(0, self.run_into("hand", by_hand))
        self.expect(0, self.run_into("without", without))
        self.expect(0, self.run_into("set", without, "--profile", self.mine, "--set",
                                     "system.hosts.client.rnic.profile=mine"))
        for name in ("summary.csv", "transfers.csv"):
            self.assertEqual(self.read("own", name), self.read("hand", name))
            self.assertEqual(self.read("own", name), self.read("set", name))
        self.assertNotEqual(self.read("own", "transfers.csv"),
                            self.read("without", "transfers.csv"))

    def test_one_of_several_points_or_variants_chooses_it(self) -> None:
        for words in (("sweep", "--axis", "system.hosts.client.rnic.profile=mine,gigabit_fpga"),
                      ("run", "--set", "run.variants={a: {system.hosts.client.rnic.profile: mine}, "
                       "b: {system.hosts.client.rnic.profile: gigabit_fpga}}")):
            file = self.write("without.yaml", scenario(""))
            out = self.folder / words[0]
            self.expect(0, rnicsim(words[0], file, *words[1:], "--profile", self.mine, "--out", out,
                                   "--no-plot"))
            rows = self.read(words[0], "summary.csv").decode().splitlines()
            self.assertEqual(len({row.split(",", 2)[2] for row in rows}), len(rows), rows)

    def test_other_commands_know_it(self) -> None:
        for command in (("validate", ), ("describe", ), ("explain", "--transfer", "client0.q0.0")):
            self.expect(0, rnicsim(command[0], self.file, *command[1:], "--profile", self.mine))
            self.expect_one_line_error(
                rnicsim(command[0], self.file, *command[1:]),
                "found 'mine', expected none, gigabit_fpga or cx5_100g",
                "(--profile FILE adds one of your own)")
        said = rnicsim("describe", self.file, "--keys", "--profile", self.mine).stdout
        self.assertIn("| none, gigabit_fpga, cx5_100g, mine |", said)

    def test_the_command_line_names_files_from_the_working_directory(self) -> None:
        self.expect(0, rnicsim("validate", self.file, "--profile", "mine.yaml", cwd=self.folder))


class Records(ProfileTest):
    def test_the_manifest_has_the_text(self) -> None:
        self.expect(0, self.run_into("own", self.file, "--profile", self.mine))
        self.assertEqual(self.manifest("own")["profiles"], [{
            "key": "system.rnic.profile", "name": "mine", "file": str(self.mine), "text": profile()
        }])
        hand = self.write("hand.yaml", scenario("personality: rc"))
        self.expect(0, self.run_into("hand", hand))
        self.assertNotIn("profiles", self.manifest("hand"))

    def test_runs_of_another_profile_are_not_taken(self) -> None:
        """The scenario is the same to the byte, as only the profile's file changes."""
        call = (self.file, "--profile", self.mine)
        self.expect(0, self.run_into("own", *call))
        first = self.read("own", "transfers.csv")
        self.write("mine.yaml", "# a remark\n" + profile().replace("512 B", "0.5 KiB"))
        self.assertIn("2 runs finished before", self.expect(0, self.run_into("own", *call)).stdout)
        self.assertEqual(self.read("own", "transfers.csv"), first)
        self.write("mine.yaml", profile(**{"rnic.rc.window": "2"}))
        self.assertNotIn("finished before", self.expect(0, self.run_into("own", *call)).stdout)
        self.assertNotEqual(self.read("own", "transfers.csv"), first)

    def test_shards_of_another_profile_are_refused(self) -> None:
        out = self.folder / "out"
        call = (self.file, "--profile", self.mine)
        whole = self.expect(0, self.run_into("whole", *call))
        self.assertEqual(whole.stderr, "")
        for shard in ("1/2", "2/2"):
            self.expect(0, self.run_into("out", *call, "--shard", shard))
        merge = ("merge", *call, "--no-plot", "--transfers-csv", "--out")
        self.expect(0, rnicsim(*merge, self.folder / "merged", out))
        self.assertEqual(self.read("merged", "transfers.csv"), self.read("whole", "transfers.csv"))
        self.write("mine.yaml", profile(**{"rnic.rc.window": "2"}))
        self.expect_one_line_error(
            rnicsim(*merge, self.folder / "other", out),
            f"{out}: shard 1/2 is not of this sweep: found 'profiles.mine.rnic.rc.window: 8', "
            "expected 'profiles.mine.rnic.rc.window: 2'")
        self.assertFalse((self.folder / "other").exists())

    def compare(self, code: int, *words: Any) -> Any:
        return self.expect(code, rnicsim("compare", *words))

    def test_comparisons(self) -> None:
        other = self.write("other.yaml", profile(**{"rnic.rc.window": "2"}))
        both = (self.file, "--profile-a", self.mine, "--profile-b")
        self.compare(0, *both, self.mine)
        self.assertIn("first event", self.compare(1, *both, other).stdout)
        self.compare(0, self.file, self.file, "--profile", self.mine)
        # Events of a folder: its scenario and profile, from the manifest, run again.
        for out, file in (("a", self.mine), ("b", other)):
            self.expect(0, self.run_into(out, self.file, "--profile", file))
            file.unlink()
        folders = (self.folder / "a", self.folder / "b")
        self.assertIn("first event", self.compare(1, *folders).stdout)
        self.assertIn("a results folder, which has its profiles in its manifest",
                      self.compare(2, *folders, "--profile-a", other).stderr)
        self.assertIn("A and B are results folders",
                      self.compare(2, *folders, "--profile", other).stderr)


class Refused(ProfileTest):
    def refuse(self, text: str, *words: str) -> None:
        file = self.write("bad.yaml", text)
        result = rnicsim("run", self.file, "--profile", file, "--out", self.folder / "out")
        self.expect_one_line_error(result, f"error: {file}:", *words)
        self.assertFalse((self.folder / "out").exists())

    def test_files(self) -> None:
        """testbench/tests/scenario has them all."""
        self.refuse("", "1:1: expected key, name and values")
        self.refuse(profile(**{"rnic.rc.pmto": "1 KiB"}), "7:3: values.rnic.rc.pmto: unknown key")
        self.refuse(profile(**{"rnic.rc.pmtu": "512"}), "5:25: values.rnic.rc.pmtu: found '512'")
        self.refuse(profile(name="cx5_100g"), "2:7: name: 'cx5_100g' is a name of")
        self.refuse(profile(key="system.link"), "1:6: key: found 'system.link', expected system.")
        self.refuse(profile().replace(", source: measured", ""), "4:21: values.rnic.personality: ")

    def test_one_that_is_not_used(self) -> None:
        other = self.write("other.yaml", profile("other"))
        self.expect_one_line_error(
            rnicsim("run", self.file, "--profile", self.mine, "--profile", other, "--out",
                    self.folder / "out"),
            f"--profile {other}: has no effect: no host of {self.file} chooses it, expected "
            "system.rnic.profile: other")

    def test_one_that_cannot_be_read(self) -> None:
        none = self.folder / "none.yaml"
        self.expect_one_line_error(rnicsim("run", self.file, "--profile", none),
                                   f"{none}: cannot be read, expected a profile (YAML)")


class Schema(ProfileTest):
    schema: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.schema = json.loads(rnicsim("schema", "--profile").stdout)
        jsonschema.Draft7Validator.check_schema(cls.schema)

    def test_it_is_the_one_that_editors_find(self) -> None:
        committed = SOURCE / "scenarios/profile_schema.json"
        self.assertEqual(json.loads(committed.read_text(encoding="utf-8")), self.schema)
        line = "# yaml-language-server: $schema=../../../scenarios/profile_schema.json"
        for file in BUILT_IN:
            self.assertIn(line, file.read_text(encoding="utf-8").splitlines())
        self.assertTrue((BUILT_IN[0].parent / line.split("=")[1]).samefile(committed))

    def test_it_accepts_what_is_built_in_and_what_the_program_takes(self) -> None:
        self.assertGreaterEqual(len(BUILT_IN), 3)
        validator = jsonschema.Draft7Validator(self.schema)
        for text in (*(file.read_text(encoding="utf-8") for file in BUILT_IN), profile()):
            validator.validate(yaml.safe_load(text))
        # A scenario that chooses it is one for editors, too.
        scenarios = json.loads(rnicsim("schema").stdout)
        jsonschema.Draft7Validator(scenarios).validate(yaml.safe_load(scenario("profile: mine")))

    def test_it_refuses_what_the_program_refuses(self) -> None:
        validator = jsonschema.Draft7Validator(self.schema)
        dcqcn = "system.rnic.rc.dcqcn.parameters"
        part = "product: {part: {value: 1, source: x}}\n"
        for text in (profile(**{"rnic.rc.pmto": "1 KiB"}), profile(**{"rnic.rc.pmtu": "1 ms"}),
                     profile(**{"rnic.rc.retry_cnt": "8"}), profile(**{"link.loss": "1 %"}),
                     profile(**{"rnic.profile": "none"}), profile(**{"rnic.rc.dcqcn.g": "5"}),
                     profile("Mine"), profile(key="system.link"), profile(key=dcqcn),
                     profile().replace(", source: measured", ""), "key: system.rnic.profile\n",
                     profile().replace("measured", '" "'), profile() + "colour: red\n",
                     profile() + part.replace("part", "colour"), f"key: {dcqcn}\nname: mine\n"
                     "values: {rnic.rc.dcqcn.g: {value: 5, source: x}}\n" + part):
            with self.assertRaises(jsonschema.ValidationError, msg=text):
                validator.validate(yaml.safe_load(text))
            bad = self.write("bad.yaml", text)
            self.expect_one_line_error(rnicsim("validate", self.file, "--profile", bad),
                                       f"error: {bad}:")


if __name__ == "__main__":
    unittest.main()
