#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim compare` from outside: what it says, its exit codes, its JSON. Environment: RNICSIM_BIN,
RNICSIM_SOURCE_DIR."""
import json
import re
import subprocess
import unittest
from pathlib import Path
from typing import Any

from compare_support import BIN, SOURCE, Folder, command, compare

README = (SOURCE / "results" / "README.md").read_text(encoding="utf-8")
CHANGE = "system.rnic.drp.duplicate_acks=2"


class Scenarios(Folder):
    def test_equal(self) -> None:
        file = self.scenario()
        done = compare(file, file)
        self.check(done, 0, "equal: 6 runs, 48 transfers, ")
        self.assertNotIn("first", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_different(self) -> None:
        """The change lets a second duplicate ACK do what took three: that is the first event of B
        that A has not."""
        done = compare(self.scenario(), "--set-b", CHANGE)
        self.check(done, 1, "setting system.rnic.drp.duplicate_acks: 3 -> 2\n",
                   "first transfer that differs: ", "different: ")
        self.assertRegex(
            done.stdout,
            r"first event that differs: number [\d,]+ of p000_traditional_r\d; = are alike\n"
            r"(  =  .*\n){4}(  A  .*\n){5}  B  \d+\.\d{3,6} µs a\d+: a's transport controller: "
            r"fast_retransmissions \(.*\); cause: write ACK ")

    def test_networks(self) -> None:
        """Transfers are named after the host that asks; the counters stand once, however many items
        of traffic there are."""
        file = SOURCE / "results" / "baseline" / "scenarios" / "incast3.yaml"
        self.check(compare(file, file, "--no-events"), 0, "equal: 1 run, ")
        done = compare(file, "--set-b", "system.hosts.client1.rnic.drp.window=2")
        self.check(done, 1, "setting system.hosts.client1.rnic.drp.window: none -> 2\n",
                   "first transfer that differs: ")
        self.assertRegex(done.stdout, r"\n  B  \d+\.\d{3,6} µs client1\.\d+: client1's ")

    def test_counters_that_moved(self) -> None:
        done = compare(self.scenario(), "--set-b", "system.rnic.drp.window=2", "--no-events")
        self.check(done, 1, "counters that moved, the strongest first")
        self.assertRegex(
            done.stdout, r"\n  dynamic      a\.transport\.data_timeouts  +\d+  +\d+  +\d+\.\d{3}\n")

    def test_no_simulation_of_what_is_not_asked_for(self) -> None:
        done = compare(self.scenario(), "--set-b", CHANGE, "--no-events")
        self.check(done, 1, "events: not compared: --no-events\n")

    def test_seed_and_settings_of_both(self) -> None:
        file = self.scenario()
        self.check(compare(file, file, "--seed", "7", "--set", "run.transfers=3"), 0,
                   f"A: {file} --set run.transfers=3 --seed 7", "equal: 6 runs, 18 transfers")
        self.check(compare(file, "--set-b", "simulation.seed=7"), 1,
                   "note: The seeds differ (1, 7)", "setting simulation.seed: 1 -> 7")

    def test_tolerance(self) -> None:
        arguments = (self.scenario(), "--set-b", CHANGE, "--no-events")
        self.check(compare(*arguments, "--tolerance", "50 %"), 0,
                   "within tolerance (tolerance 50 %): ")
        self.check(compare(*arguments, "--tolerance", "0.001%"), 1,
                   "different (tolerance 0.001 %): ")
        self.check(compare(*arguments, "--tolerance", "2"), 2,
                   "'2': expected a percentage such as \"1 %\"")

    def test_two_programs_and_a_tape(self) -> None:
        """Each side gets its own program; options go to both. The programs are this one and note
        how they are called."""
        for name in "ab":
            script = self.folder / f"rnicsim_{name}"
            script.write_text(
                f'#!/bin/sh\necho "$*" >> {self.folder}/{name}.calls\nfor word; do case $word in '
                '--tape|x.tape) shift;; *) '
                f'set -- "$@" "$word"; shift;; esac; done\nexec {BIN} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
        file = self.scenario()
        done = compare(file, "--program-a", self.folder / "rnicsim_a", "--program-b",
                       self.folder / "rnicsim_b", "--tape", "x.tape", "-j1")
        self.check(done, 0, "equal: 6 runs", f", {self.folder}/rnicsim_a)\nB: ",
                   f", {self.folder}/rnicsim_b)\n")
        for name in "ab":
            calls = (self.folder / f"{name}.calls").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(calls), 1)
            self.assertRegex(calls[0], rf"run {file} .*--jobs 1 --tape x\.tape$")

    def test_bad_input(self) -> None:
        file, folder = self.scenario(), self.run_scenario("out")
        (self.folder / "x.txt").touch()
        nothing = "nothing to compare with: expected B, --set-b, --profile-b or --program-b"
        for words, said in (([file], nothing),
                            ([file, self.folder / "none"],
                             "none: there is no such scenario or results folder"), ([
                                 file, self.folder / "x.txt"
                             ], "x.txt: expected a scenario (.yaml) or a results folder"),
                            ([file, "--set-b", "run.nothing=1"],
                             "run.nothing"), ([file, folder, "--set-b",
                                               CHANGE], "a results folder: expected a scenario"),
                            ([folder, folder, "--set",
                              CHANGE], "A and B are results folders: expected a scenario"),
                            ([folder, folder, "--tape", "x.tape"],
                             "A and B are results folders: expected a scenario"),
                            ([folder, file, "--set-a",
                              CHANGE], "--set-a: A is " + str(folder) + ", a results folder"),
                            ([file, file, "--html",
                              self.folder / "none" / "x.html"], "there is no folder"),
                            ([file, file, "--program-b", self.folder / "none"],
                             "No such file or directory: expected a program"),
                            ([], "the following arguments are required: A"),
                            ([file, file, "--axis", "x"], "unrecognized arguments: --axis")):
            self.check(compare(*words), 2, said)

    def test_a_setting_of_one_side(self) -> None:
        """Whichever it is of, the two differ; the same at both is no difference."""
        for words, code in ((["--set-a", CHANGE], 1), (["--set-b", CHANGE], 1),
                            (["--set-a", CHANGE, "--set-b", CHANGE], 0)):
            with self.subTest(words):
                self.check(compare(self.scenario(), *words, "--no-events"), code, "")

    def test_a_simulation_that_fails(self) -> None:
        self.check(compare(self.scenario(), "--program-b", "/bin/false"), 3,
                   "/bin/false: exit code 1")

    def test_a_program_that_leaves_nothing(self) -> None:
        self.check(
            compare(self.scenario(), "--program-b", "/bin/true"), 3,
            "/bin/true ended without an error, but what it left is of "
            "no use: out/manifest.json is missing: ", "; expected a program `rnicsim`")

    def test_a_reader_that_has_enough(self) -> None:
        with subprocess.Popen([BIN, "compare", self.scenario(), "--set-b", CHANGE],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b"")
        self.assertEqual(child.returncode, 141)

    def test_help(self) -> None:
        """The program passes it on; the script alone says the same."""
        ours, scripts = compare("--help"), command("--help",
                                                   program=[SOURCE / "scripts" / "compare"])
        self.assertEqual((ours.returncode, ours.stdout), (0, scripts.stdout))
        for option in ("--program-a FILE", "--program-b FILE", "--set KEY=VALUE",
                       "--set-b KEY=VALUE", "--seed N", "--json FILE", "--html FILE", "--jobs N",
                       "--no-events", "--tolerance PERCENT", "--tape FILE", "Exit codes:"):
            self.assertIn(option, ours.stdout)
        whole = command("--help").stdout
        self.assertIn("rnicsim compare results/before results/after", whole)
        self.assertIn("compare: A and B differ", whole)


class Folders(Folder):
    def test_their_scenarios_are_run_again_for_events(self) -> None:
        a, b = self.run_scenario("a"), self.run_scenario("b", "--set", CHANGE)
        self.check(compare(a, a), 0, "equal: 6 runs, 48 transfers")
        done, direct = compare(a, b), compare(self.scenario(), "--set-b", CHANGE)
        self.check(done, 1, "first event that differs: ")
        # but for the names of A and B
        self.assertEqual(done.stdout.splitlines()[2:], direct.stdout.splitlines()[2:])
        self.check(compare(a, self.scenario()), 0, "equal: ")
        self.assertEqual(sorted(path.name for path in a.iterdir()),
                         [".lock", "manifest.json", "runs", "summary.csv", "transfers.csv"])

    def test_results_of_before_a_key_was_renamed(self) -> None:
        a, b = self.run_scenario("a"), self.run_scenario("b", "--set", CHANGE)
        manifest = json.loads((a / "manifest.json").read_text(encoding="utf-8"))
        resolved = manifest["scenario"]["resolved"]
        self.assertEqual(resolved.count("    drp:\n"), 1)
        manifest["scenario"]["resolved"] = resolved.replace("    drp:\n", "    transport:\n")
        (a / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        self.check(compare(a, self.scenario()), 0, "equal: ")
        self.assertEqual(re.findall(r"setting .*", compare(a, b).stdout),
                         ["setting system.rnic.drp.duplicate_acks: 3 -> 2"])

    def test_results_that_the_program_does_not_give_again(self) -> None:
        a, b = self.run_scenario("a"), self.run_scenario("b")
        table = b / "transfers.csv"
        table.write_text(
            re.sub(r",direct,", ",indirect,", table.read_text(encoding="utf-8"), count=1),
            encoding="utf-8")
        done = compare(a, b)
        self.check(done, 1, "first transfer that differs: a0 of p000_traditional_r0",
                   "mode  direct  indirect",
                   f"events: not compared: {b}: its scenario, run again by ")
        self.assertIn("different: 1 of 6 runs, 1 of 48 transfers, 0 of ", done.stdout)

    def test_no_transfers(self) -> None:
        folder = self.run_scenario("a")
        (folder / "transfers.csv").unlink()
        self.check(compare(folder, folder), 2,
                   "transfers.csv is missing: expected what `rnicsim run --transfers-csv` leaves")

    def test_a_sweep(self) -> None:
        for out, values in (("a", "0 %,5 %"), ("b", "5 %,10 %")):
            done = command("sweep", self.scenario(), "--axis", f"system.link.loss={values}",
                           "--transfers-csv", "--no-plot", "--quiet", "--out", self.folder / out)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = compare(self.folder / "a", self.folder / "b")
        self.check(done, 1, "only A has 6 runs: p000_traditional_r0, ",
                   "only B has 6 runs: p001_traditional_r0, ",
                   "different: 0 of 6 runs, 0 of 48 transfers, 0 of ")


class Json(Folder):

    def document(self,
                 *words: str | Path) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
        file = self.folder / "x.json"
        done = compare(self.scenario(), "--json", file, *words)
        return done, json.loads(file.read_text(encoding="utf-8"))

    def test_it_says_what_the_text_says(self) -> None:
        done, told = self.document("--set-b", CHANGE, "--set", "run.size=128 KiB", "--set",
                                   "run.transfers=20")
        self.assertEqual((told["format"], told["verdict"], told["a"]["kind"]),
                         (1, "different", "scenario"))
        different, compared = told["different"], told["compared"]
        self.assertIn(
            f"different: {different['runs']} of {compared['runs']} runs, {different['transfers']} "
            "of "
            f"{compared['transfers']} transfers, {different['counters']} of {compared['counters']} "
            "counters\n",
            done.stdout)
        self.assertEqual(different["counters"],
                         sum(len(point["counters"]) for point in told["points"]))
        for event in (*told["first_event"]["before"], *told["first_event"]["a"],
                      *told["first_event"]["b"]):
            self.assertIn(event["words"] + "\n", done.stdout)
        self.assertEqual(told["first_event"]["b"][0]["event"], "fast_retransmissions")
        self.assertGreater(different["counters"], 0)
        self.assertIn(
            f"first transfer that differs: {told['first_transfer']['transfer']} of "
            f"{told['first_transfer']['run']}",
            done.stdout)
        for point in told["points"]:
            self.assertEqual(point["faster"] + point["slower"] + point["equal"], point["transfers"])
            self.assertAlmostEqual(point["b_us"] - point["a_us"], point["difference_us"], places=6)

    def test_its_keys_are_those_of_the_readme(self) -> None:
        _, told = self.document("--set-b", CHANGE)
        section = README[README.index("## Comparisons"):].split("\n## ")[0]
        section = re.sub(r"\n  (?=\S)", " ", section)  # an item on one line
        rows = dict(re.findall(r"^- ((?:`\w+`(?:, )?)+): (.+)$", section, re.MULTILINE))
        described = [key for cell in rows for key in re.findall(r"`(\w+)`", cell)]
        self.assertEqual(sorted(described), sorted(told))
        inside = {
            key: re.findall(r"`(\w+)`", text)
            for cell, text in rows.items() for key in re.findall(r"`(\w+)`", cell)
        }
        inside["first_event"] += inside["first_transfer"]  # "the same of its run"
        for key, value in (("points", told["points"][0]), ("first_event", told["first_event"]),
                           ("first_transfer", told["first_transfer"]), ("a", told["a"]),
                           ("compared", told["compared"]), ("settings", told["settings"][0])):
            self.assertLessEqual(set(value), set(inside[key]) | {"a", "b"}, key)

    def test_equal(self) -> None:
        _, told = self.document(self.scenario())
        self.assertEqual(
            (told["verdict"], told["first_transfer"], told["first_event"], told["settings"]),
            ("equal", None, None, []))


if __name__ == "__main__":
    unittest.main()
