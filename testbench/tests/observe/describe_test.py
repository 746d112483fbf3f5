#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim describe --draw` in Graphviz, `rnicsim schema` in a validator of JSON Schema, and the
editors' line in the scenarios.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs graphviz, python3-jsonschema.
"""
import json
import re
import subprocess
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from look_support import SOURCE, WORK, rnicsim, scenario

MINIMAL = SOURCE / "scenarios" / "examples" / "minimal.yaml"
SCENARIOS = sorted((SOURCE / "scenarios").glob("*/*.yaml"))


class Drawing(unittest.TestCase):
    def drawn(self, name: str, *words: str) -> Path:
        rnicsim("describe", MINIMAL, "--draw", WORK / name, *words)
        return WORK / name

    def test_graphviz_reads_it_and_finds_every_block(self) -> None:
        file = self.drawn("system.dot")
        plain = subprocess.run(["dot", "-Tplain", file], capture_output=True, text=True, check=True)
        self.assertEqual(plain.stderr, "")
        nodes = re.findall(r"^node (\w+) ", plain.stdout, re.MULTILINE)
        blocks = ("processor", "registrar", "memory", "root", "dma", "queues", "transport",
                  "buffer", "filter", "gmac")
        self.assertEqual(sorted(nodes),
                         sorted(["wire", *(f"{end}_{block}" for end in "ab" for block in blocks)]))

    def test_it_says_what_the_scenario_says(self) -> None:
        text = self.drawn("set.dot", "--set", "system.link.loss=3 %", "--set",
                          "system.b.rnic.drp.window=2", "--set", "system.a.rnic.pcie.lanes=2",
                          "--set", "simulation.b.gmac=rtl").read_text(encoding="utf-8")
        self.assertIn("loses 3 %", text)
        self.assertIn("PCIe gen 1 x2", text)
        self.assertEqual((text.count("window 2"), text.count("window 8"), text.count("[rtl]")),
                         (1, 1, 1))
        only = self.drawn("traditional.dot", "--set",
                          "run.methods=[traditional]").read_text(encoding="utf-8")
        self.assertNotIn("indirect buffer", only)

    def test_what_is_swept_is_shown_as_its_values(self) -> None:
        joint = SOURCE / "scenarios" / "paper" / "fig6_joint.yaml"
        rnicsim("describe", joint, "--draw", WORK / "joint.dot")
        text = (WORK / "joint.dot").read_text(encoding="utf-8")
        self.assertIn("loses 0 %, 1 %, 5 %, 10 %", text)
        self.assertEqual(text.count("fails: 0 %, 1 %, 5 %, 10 %"), 2)
        many = self.drawn("many.dot", "--axis", "system.link.loss=0 %..10 %:1 %", "--axis",
                          "system.b.rnic.drp.window=4,8", "--axis",
                          "simulation.a.gmac=model,rtl").read_text(encoding="utf-8")
        self.assertIn("loses 0 % .. 10 %", many)
        self.assertEqual(
            (many.count("window 4, 8"), many.count("window 8"), many.count("[model, rtl]")),
            (1, 1, 1))

    def test_the_methods_of_the_file(self) -> None:
        for methods, kind, buffer in (("traditional, dynamic", "traditional or dynamic",
                                       "indirect buffer (dynamic)"), ("dynamic", "dynamic",
                                                                      "indirect buffer\\n"),
                                      ("traditional", "traditional", None)):
            text = self.drawn("kinds.dot", "--set",
                              f"run.methods=[{methods}]").read_text(encoding="utf-8")
            for end in "ab":
                self.assertIn(f'label="RNIC {end}, {kind}"', text)
            self.assertEqual(text.count(buffer or "indirect buffer"), 2 if buffer else 0)

    def test_svg(self) -> None:
        file = self.drawn("system.svg")
        self.assertEqual(xml.parse(file).getroot().tag, "{http://www.w3.org/2000/svg}svg")
        self.assertFalse((WORK / "system.svg.dot").exists())

    def test_a_clos_has_the_shape_of_a_page(self) -> None:
        """Hosts, leaves and spines are columns; what all links have is said once."""
        leaves, spines = [f"l{i}" for i in range(8)], [f"s{i}" for i in range(4)]
        links = [f"{{between: [h{'abcdefgh'[i]}, {leaf}]}}" for i, leaf in enumerate(leaves)]
        links += [f"{{between: [{leaf}, {spine}]}}" for leaf in leaves for spine in spines]
        file = WORK / "clos.yaml"
        file.write_text(
            "system:\n  hosts: {" + ", ".join(f"h{letter}: {{count: 4}}" for letter in "abcdefgh") +
            "}\n  switches: {" + ", ".join(f"{name}: {{}}"
                                           for name in leaves + spines) + "}\n  links: [" +
            ", ".join(links) + "]\nrun: {traffic: [{from: ha, to: hb}]}\n", encoding="utf-8")
        rnicsim("describe", file, "--draw", WORK / "clos.svg")
        _, _, width, height = map(float,
                                  xml.parse(WORK / "clos.svg").getroot().get("viewBox").split())
        self.assertTrue(1 / 3 < width / height < 3, (width, height))
        rnicsim("describe", file, "--draw", WORK / "clos.dot")
        self.assertEqual((WORK / "clos.dot").read_text(encoding="utf-8").count("Gb/s"), 1)
        way = (
            "Of several shortest ways all frames take the first: from ha0 to hb0 that by s0, and "
            "none by s1, ... (no ECMP).\n"
        )
        self.assertIn(way, rnicsim("describe", file).stdout)
        run = rnicsim("run", file, "--set", "run.transfers=1", "--set", "run.repetitions=1",
                      "--no-plot", "--out", WORK / "clos")
        self.assertIn(way, run.stdout)
        self.assertNotIn(
            "shortest",
            rnicsim("describe", SOURCE / "scenarios" / "systems" / "two_switches.yaml").stdout)

    def test_what_cannot_be_drawn(self) -> None:
        self.assertIn("ends with .dot or .svg",
                      rnicsim("describe", MINIMAL, "--draw", WORK / "x.png", code=2).stderr)
        self.assertIn(
            "cannot be written",
            rnicsim("describe", MINIMAL, "--draw", WORK / "none" / "x.dot", code=2).stderr)


class Schema(unittest.TestCase):
    schema: Any
    validator: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.schema = json.loads(rnicsim("schema").stdout)
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def test_it_is_the_one_that_editors_find(self) -> None:
        self.assertEqual(
            json.loads((SOURCE / "scenarios" / "schema.json").read_text(encoding="utf-8")),
            self.schema)
        for file in SCENARIOS:
            line = file.read_text(encoding="utf-8").splitlines()[0]
            found = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", line)
            self.assertTrue(found, file)
            self.assertTrue((file.parent / found[1]).samefile(SOURCE / "scenarios" / "schema.json"))

    def test_it_accepts_what_is_shipped(self) -> None:
        self.assertGreater(len(SCENARIOS), 20)
        for file in SCENARIOS:
            self.validator.validate(yaml.safe_load(file.read_text(encoding="utf-8")))

    def test_a_key_of_items_is_defined_once(self) -> None:
        definitions = self.schema["$defs"]
        referred = re.findall(r'"\$ref": "#/\$defs/([^"]+)"', json.dumps(self.schema))
        self.assertEqual(set(referred), set(definitions))
        for name in definitions:
            self.assertGreater(referred.count(name), 1, name)
        for section, key in (("system.rnic", "gmac"), ("system.host", "memory")):
            self.assertIn(key, definitions[section]["properties"])
        system = self.schema["properties"]["system"]["properties"]
        of_a_host = system["hosts"]["additionalProperties"]["properties"]
        for properties in (system, system["a"]["properties"], of_a_host):
            self.assertEqual(properties["rnic"], {"$ref": "#/$defs/system.rnic"})

    def test_it_refuses_what_the_program_refuses(self) -> None:
        for text in ("system: {link: {los: 1 %}}", "run: {methods: [static]}",
                     "simulation: {gmac: [rtl]}", "sistem: {}",
                     "system: {rnic: {drp: {window: many}}}",
                     "system: {a: {link: {loss: 1 %}}}", "run: {transfers: -1}",
                     "system: {b: {rnic: {pcie: {lanes: wide}}}}",
                     "system: {hosts: {x: {host: {memory: {latency: 1}}}}}",
                     "system: {links: [{between: [x, y], los: 1 %}]}",
                     "simulation: {b: {gmac: [rtl]}}"):
            with self.assertRaises(jsonschema.ValidationError, msg=text):
                self.validator.validate(yaml.safe_load(text))
            rnicsim("validate", scenario("bad", text + "\n"), code=2)


if __name__ == "__main__":
    unittest.main()
