#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz finds faults: in each target one line is broken, and one file of its corpus that
does not show it is enough.

Environment: RNICSIM_SOURCE_DIR; RNICSIM_FUZZ_BUILD, a build with the targets, to which a broken
source is linked.
"""
import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
BUILD = Path(os.environ["RNICSIM_FUZZ_BUILD"]).resolve()
SECONDS = 90  # at most; it is found in a few
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import fuzz, sampling
from rnicsim.places import CORPUS
from rnicsim.faults.linking import link, link_command

# By target: the file of the corpus; the source, its text and the replacement; the expected message.
FAULTS = {
    "drp_header":
    ("data", "tlm/drp/drp_header.cpp", "put<kAckn>(out, header.ackn);",
     "put<kAckn>(out, header.ackn & 0x7FFFFFFFU);", "encode() writes the bytes that were read"),
    "frame_filter":
    ("drp_data", "model/rnic/drp/blocks.cpp", "(frame.destination()[0] & 1U) != 0;",
     "(frame.destination()[0] & 0x81U) != 0;", "a frame for others is known by its address"),
    "result":
    ("result_empty", "testbench/results/result_codec.cpp", "catch (const json::exception& e)",
     "catch (const json::parse_error& e)", "terminate called after throwing"),
    "rings": ("write", "model/rnic/rc/mr_table.cpp",
              "includes(access) || !lies_in(range, region->range)) return {};",
              "includes(access)) return {};", "nothing is touched outside the regions"),
    "roce": ("read_request", "tlm/roce/codec.cpp", "put<kRethLength>(out, header.length);",
             "put<kRethLength>(out, header.length | 0x40000000U);",
             "encode() writes the bytes that were read"),
    "scenario": ("control_character", "testbench/scenario/scenario.cpp", "if (is_control(c)) {",
                 r"if (c == '\n' || c == '\x1B') {", "an error is one line of text"),
    "tape":
    ("task", "testbench/tape/tape_writer.cpp", '"holds" : "rests", task.time.n);',
     '"holds" : "rests", task.time.n & 0x1FFFF);', "what is written is read as the same tape"),
}


class Finding(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        fuzz.build(BUILD, fuzz.all_targets())

    def broken(self, target: Any, folder: Path) -> Any:
        """The target with its fault, linked in this folder."""
        _, name, old, new, _ = FAULTS[target]
        text = (SOURCE / name).read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1, f"'{old}' in {name}")
        changed, result = folder / Path(name).name, folder / "changed.o"
        changed.write_text(text.replace(old, new), encoding="utf-8")
        entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        words, *_ = [
            shlex.split(entry["command"]) for entry in entries
            if entry["file"] == str(SOURCE / name)
        ]
        words[words.index("-o") + 1], words[words.index("-c") + 1] = str(result), str(changed)
        subprocess.run(words, cwd=BUILD, check=True)
        program = folder / f"fuzz_{target}"
        link(link_command(BUILD, program.name), [str(result)], program, BUILD)
        return program

    def find(self, target: Any) -> None:
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(
                io.StringIO()) as said:
            folder = Path(name)
            program = self.broken(target, folder)
            start = folder / "start"
            found = folder / "found"
            start.mkdir()
            found.mkdir()
            shutil.copy(CORPUS / "fuzz" / target / FAULTS[target][0], start)
            self.assertEqual(
                fuzz.call(program, start.iterdir(), folder)[0], 0, "the file shows the fault")
            self.assertFalse(fuzz.fuzz(target, program, SECONDS, 1, found, folder, [start]),
                             said.getvalue())
            kept, = folder.glob("crash-*")
            self.assertIn(f"{target}: FOUND A FAULT", said.getvalue())
            self.assertIn(FAULTS[target][-1], said.getvalue())
            self.assertIn(f"once more:   {program} {kept}", said.getvalue())
            self.assertIn(f"cp {kept} testbench/tests/corpus/fuzz/{target}/NAME", said.getvalue())
            # The input shows the fault again, and only the fault.
            self.assertNotEqual(
                subprocess.run([program, kept], capture_output=True, check=False).returncode, 0)
            whole = subprocess.run([BUILD / "bin" / program.name, kept], capture_output=True,
                                   check=False)
            self.assertEqual(whole.returncode, 0, whole.stderr)

    def test_each_target_has_a_fault(self) -> None:
        self.assertEqual(sorted(FAULTS), fuzz.all_targets())

    @sampling.in_turn(3)
    def test_a_wrong_bit_in_a_header(self) -> None:
        self.find("drp_header")

    @sampling.in_turn(3)
    def test_a_frame_for_nobody(self) -> None:
        self.find("frame_filter")

    @sampling.in_turn(3)
    def test_json_of_something_else(self) -> None:
        self.find("result")

    @sampling.in_turn(3)
    def test_a_short_read_of_a_packet(self) -> None:
        self.find("roce")

    @sampling.in_turn(3)
    def test_a_write_beyond_its_region(self) -> None:
        self.find("rings")

    @sampling.in_turn(3)
    def test_a_long_time_of_a_task(self) -> None:
        self.find("tape")

    @sampling.in_turn(3)
    def test_a_message_with_control_characters(self) -> None:
        self.find("scenario")


class CommandLine(unittest.TestCase):
    def fuzz(self, *arguments: str) -> Any:
        return subprocess.run([SOURCE / "scripts" / "fuzz", "--build", BUILD, *arguments],
                              capture_output=True, text=True, check=False)

    def test_the_corpus_alone(self) -> None:
        done = self.fuzz("--seconds", "0", "drp_header")
        files = len(list((CORPUS / "fuzz" / "drp_header").iterdir()))
        self.assertEqual((done.returncode, done.stdout),
                         (0, f"drp_header: {files} files of the corpus are well\n"), done.stderr)

    def test_a_second_of_fuzzing_says_what_was_done(self) -> None:
        done = self.fuzz("--seconds", "1", "drp_header")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout,
            r"drp_header: [\d,]+ executions in 1 s \([\d,]+/s\), coverage \d+ edges, [\d,]+ new "
            r"units\n"
        )

    def test_an_unknown_target(self) -> None:
        done = self.fuzz("frame")
        self.assertEqual(done.returncode, 2)
        self.assertIn(
            "there is no target 'frame'; expected some of drp_header, frame_filter, result, rings, "
            "roce, scenario",
            done.stderr)

    def test_a_folder_that_is_no_build(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run([SOURCE / "scripts" / "fuzz", "--build", name],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not a build; expected one of `cmake --preset fuzz` or `ci-asan`",
                      done.stderr)

    def test_the_words_of_scenarios(self) -> None:
        words = fuzz.words_of_the_schema()
        self.assertTrue({"system", "loss", "when_released", "run"} <= set(words))


if __name__ == "__main__":
    unittest.main()
