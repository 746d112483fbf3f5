#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""model/PROTOCOL.md and the sources agree: citations, the header, defaults, names, and the places
where rules live."""

import json
import os
import re
import subprocess
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM_BIN"]
PAGE = (SOURCE / "model/PROTOCOL.md").read_text(encoding="utf-8")

# "3.4", "3.4 to 3.6", "3.4, 3.6 and 4.1", "section 3", "sections 3 to 6"
NUMBER = r"\d+(?:\.\d+)?"
CITATION = re.compile(
    rf"PROTOCOL\.md\)?,?\s(?:sections?\s)?({NUMBER}(?:(?:,|\sand|\sto)\s{NUMBER})*)")
BARE = re.compile(r"(?i)\b(?:sections?|rules?) \d")
OTHER_DOCUMENTS = re.compile(r"(?:paper|draft|IEEE|RFC|PCIe)[^.;]{0,40}$")


def sources() -> Iterator[Any]:
    """Path and text of each file that may cite the page, on one line and without comment signs: a
    citation may span lines."""
    ending = (".cpp", ".h", ".sv", ".py", ".txt", ".md", ".yaml", ".lua", ".in")
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", SOURCE, "ls-files", "-z"],
                          capture_output=True, text=True, check=False)
    names = [SOURCE / name for name in done.stdout.split("\0")]
    if done.returncode != 0:  # a copy without its history
        names = [
            file for folder in ("model", "rtl", "scenarios", "testbench", "tlm")
            for file in (SOURCE / folder).rglob("*")
        ]
    for file in sorted(names):
        if file.suffix in ending and file.is_file() and file.name not in (
                "PROTOCOL.md", "CHANGELOG.md") and file != Path(__file__):
            text = re.sub(r"\n\s*(?://+|#)", "\n ", file.read_text(encoding="utf-8"))
            yield file.relative_to(SOURCE), re.sub(r"\s+", " ", text)


SOURCES = list(sources())
RULES = re.findall(r"^- \*\*([\d.]+)\*\* ", PAGE, re.MULTILINE)
SECTIONS = re.findall(r"^## (\d+)\. ", PAGE, re.MULTILINE)


def rows(after: Any) -> Any:
    """The list inside the rule that begins with this text. An item, "`A`, b: c", has cells without
    quotes; c is the last one, whatever signs it has."""
    rule = re.split(r"\n(?=- |#)", PAGE[PAGE.index(after):])[0]
    table: list[Any] = []
    for item in re.split(r"\n  - ", rule)[1:]:
        first, _, last = " ".join(item.split("\n\n")[0].split()).partition(": ")
        table.append([cell.strip("`") for cell in first.split(", ")] + [last])
    return table


def text_of(path: Any) -> Any:
    return (SOURCE / path).read_text(encoding="utf-8")


def enumerators(path: Any, name: Any) -> Any:
    body = re.search(rf"enum class {name} [^{{]*{{(.*?)}}", text_of(path), re.DOTALL).group(1)
    return re.findall(r"\b([a-z_]+)\b\s*(?:,|$)", re.sub(r"//.*", "", body).strip())


class Numbers(unittest.TestCase):
    def test_sections_and_rules_are_in_order(self) -> None:
        self.assertEqual(SECTIONS, [str(i + 1) for i in range(len(SECTIONS))])
        counts = dict.fromkeys(SECTIONS, 0)
        for rule in RULES:
            section = rule.split(".")[0]
            counts[section] += 1
            self.assertEqual(rule, f"{section}.{counts[section]}")
        self.assertTrue(all(counts.values()), counts)
        self.assertEqual(sorted(RULES, key=lambda rule: int(rule.split(".")[0])), RULES)

    def test_every_rule_says_whose_it_is(self) -> None:
        for rule in RULES:
            self.assertRegex(PAGE, rf"(?m)^- \*\*{re.escape(rule)}\*\* \[[PO]\] ")

    def test_the_page_s_own_references_exist(self) -> None:
        known = set(RULES)
        for number in re.findall(r"(?<![\w./])(\d{1,2}\.\d{1,2})(?![\d.]*\s?(?:ms|us|%|\d))", PAGE):
            self.assertIn(number, known)
        for section in re.findall(r"\bsections? (\d+)", PAGE):
            self.assertIn(section, SECTIONS)


class Citations(unittest.TestCase):
    def test_each_names_what_exists(self) -> None:
        files = set()
        for path, text in SOURCES:
            for found in CITATION.finditer(text):
                files.add(path)
                for number in re.findall(NUMBER, found.group(1)):
                    self.assertIn(number, RULES if "." in number else SECTIONS,
                                  f"{path}: {found.group(0)}")
        self.assertGreater(len(files), 40)

    def test_none_without_the_page(self) -> None:
        """No rule is cited without its page; citations of papers and standards name them."""
        for path, text in SOURCES:
            self.assertNotIn("protocol.md", text, path)
            if path.suffix not in (".cpp", ".h", ".sv", ".txt"):
                continue
            cited = [found.span() for found in CITATION.finditer(text)]
            for bare in BARE.finditer(text):
                known = any(begin <= bare.start() < end for begin, end in cited)
                said = OTHER_DOCUMENTS.search(text[:bare.start()])
                self.assertTrue(known or said,
                                f"{path}: {text[max(0, bare.start() - 60):bare.end()]}")

    def test_tests_are_named_by_section_or_rule(self) -> None:
        names = [
            name for path, text in SOURCES if path.parts[:3] == ("testbench", "tests", "protocol")
            for name in re.findall(r'TEST_CASE\("([\d.]+) ?', text)
        ]
        self.assertGreater(len(names), 100)
        for name in names:
            self.assertIn(name, RULES + SECTIONS)


class Places(unittest.TestCase):
    def test_files_and_functions_exist(self) -> None:
        places = re.findall(r"`([\w/]+\.(?:cpp|h|sv))(?::\s+(\w+))?`", PAGE)
        self.assertGreater(len(places), 50)
        for name, function in places:
            texts = [text for path, text in SOURCES if path.name == name or str(path) == name]
            self.assertTrue(texts, name)
            self.assertTrue(any(re.search(rf"\b{function}\b", text) for text in texts),
                            f"{name}: {function}")

    def test_counters_exist(self) -> None:
        known = enumerators("model/rnic/drp/transport_engine.h", "TransportCount")
        for counter in ("segment_mismatch", "table_full", "out_of_region", "out_of_window",
                        "no_region", "buffer_full", "stale"):
            self.assertIn(f"`{counter}`", PAGE)
            self.assertIn(counter, known)


class Header(unittest.TestCase):
    CODE = text_of("tlm/drp/drp_header.h")

    def test_fields(self) -> None:
        fields = re.findall(r'\{"(\w+)", (\d+), (\d+), "([^"]*)"\}', self.CODE)
        self.assertEqual(len(fields), 8)
        self.assertEqual(rows("- **2.2**"), [list(field) for field in fields])
        self.assertIn(f"{sum(int(field[2]) for field in fields)} bytes behind the type", PAGE)

    def test_type_and_flags(self) -> None:
        self.assertIn("type " + re.search(r"kDrpEtherType = (0x[0-9A-F]+)", self.CODE).group(1),
                      PAGE)
        masks = dict(re.findall(r"(kCtrl\w+) = (0x[0-9A-F]{2})", self.CODE))
        flags = re.findall(r'\{"(\w+)", (kCtrl\w+)\}', self.CODE)
        self.assertEqual(len(flags), 8)
        self.assertEqual([row[:2] for row in rows("- **2.3**")],
                         [[name, masks[constant]] for name, constant in flags])

    def test_reasons_of_malformed_frames(self) -> None:
        reasons = re.findall(r'"(\w+)"',
                             re.search(r"kDrpErrorNames\{(.*?)\}", self.CODE, re.DOTALL).group(1))
        rule = re.search(r"- \*\*2\.4\*\*(.*?)\n- ", PAGE, re.DOTALL).group(1)
        self.assertEqual(re.findall(r"\(`(\w+)`\)", rule), reasons[1:])


class Values(unittest.TestCase):
    def test_defaults(self) -> None:
        done = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True)
        schema = json.loads(done.stdout)

        def inside(node: Any) -> Any:
            while "$ref" in node:
                node = {**schema["$defs"][node["$ref"].split("/")[-1]],
                        **{name: of for name, of in node.items() if name != "$ref"}}
            return node

        for key, default, *_ in rows("- **8.1**"):
            node = inside(schema["properties"]["system"])
            for part in (key if key.startswith("host.") else "rnic.drp." + key).split("."):
                node = inside(node["properties"][part])
            self.assertEqual(str(node["default"]), default, key)

    def test_commands_events_errors(self) -> None:
        queues = "tlm/drp/host_queues.h"
        self.assertEqual([row[0] for row in rows("- **9.1**")],
                         enumerators(queues, "CommandCode")[1:])
        self.assertEqual([row[0] for row in rows("- **9.2**")],
                         enumerators(queues, "EventCode")[1:])
        errors = enumerators(queues, "TransferError")
        self.assertEqual([row[:2] for row in rows("- **9.3**")],
                         [[str(i), errors[i]] for i in range(1, len(errors))])


if __name__ == "__main__":
    unittest.main()
