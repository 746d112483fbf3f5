#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/baseline reports where a build first differs from the baselines. Environment:
RNICSIM_BIN, RNICSIM_SOURCE_DIR."""
import json
import re
import shutil
import unittest
from typing import Any

from compare_support import BIN, SOURCE, Folder, command

BASELINES = SOURCE / "results" / "baseline"
LIMIT = 1024 * 1024  # bytes of all files


class Baselines(Folder):
    def baseline(self, *words: Any) -> Any:
        return command("--program", BIN, *words, program=[SOURCE / "scripts" / "baseline"])

    def copy(self, *names: Any) -> Any:
        """Baselines of these scenarios, to be changed."""
        folder = self.folder / "baseline"
        (folder / "scenarios").mkdir(parents=True)
        for name in names:
            shutil.copy(BASELINES / "scenarios" / f"{name}.yaml", folder / "scenarios")
            shutil.copytree(BASELINES / name, folder / name)
        return folder

    def test_a_changed_parameter_is_told_by_its_first_event(self) -> None:
        """Two duplicate ACKs in place of three: the event is the fast retransmission that comes too
        early, its cause the second one."""
        done = self.baseline("both_directions", "--set", "system.rnic.drp.duplicate_acks=2")
        self.check(done, 1, "both_directions: differs from its baseline (A)",
                   "setting system.rnic.drp.duplicate_acks: 3 -> 2",
                   "first transfer that differs: ")
        first = re.search(r"first event that differs: .*of (p000_\w+_r0);.*?\n(.*?)it differs in",
                          done.stdout, re.DOTALL)
        self.assertEqual(first[1], "p000_traditional_r0")
        before, b = (re.search(rf"(?:^    {side}  (.*)\n)+", first[2],
                               re.MULTILINE)[0].splitlines() for side in "=B")
        self.assertRegex(
            b[0], r"transport controller: fast_retransmissions \(.*\); cause: (read|write) ACK ")
        ack = re.search(r"decides about: ((?:read|write) ACK .*)", before[-1])[1]
        self.assertIn(f"cause: {ack}", b[0])

    def test_a_change_that_no_transfer_shows_is_told_by_its_event(self) -> None:
        """An event of the baseline is changed, nothing else."""
        from rnicsim.comparison import event_store
        folder = self.copy("write_clean")
        file = folder / "write_clean" / "events" / f"p000_dynamic_r0{event_store.SUFFIX}"
        lines = list(event_store.unpacked(file))
        place = next(i for i, line in enumerate(lines) if '"interrupt"' in line and i > 500)
        lines[place] = re.sub(r'"bytes":4', '"bytes":5', lines[place])
        file.write_bytes(event_store.packed(iter(lines)))
        done = self.baseline("--folder", folder)
        self.check(done, 1, f"first event that differs: number {place:,} of p000_dynamic_r0",
                   "it differs in bytes\n", "different: 0 of 2 runs, 0 of 40 transfers, 0 of ")

    def test_update(self) -> None:
        folder = self.copy("write_clean", "read_faults")
        self.check(self.baseline("--folder", folder, "--update"), 0, "write_clean: unchanged\n",
                   "read_faults: unchanged\n")
        scenario = folder / "scenarios" / "write_clean.yaml"
        scenario.write_text(
            scenario.read_text(encoding="utf-8").replace("transfers: 20", "transfers: 2"),
            encoding="utf-8")
        (folder / "scenarios" / "read_faults.yaml").unlink()
        self.check(self.baseline("--folder", folder), 2,
                   "baselines without a scenario: read_faults; --update removes them")
        self.check(self.baseline("--folder", folder, "write_clean"), 1,
                   "only A has 36 transfers: p000_traditional_r0 a2, ")
        self.check(self.baseline("--folder", folder, "--update"), 0, "write_clean: written;\n",
                   "read_faults: removed, its scenario is gone\n")
        self.check(self.baseline("--folder", folder), 0,
                   "write_clean: equal: 2 runs, 4 transfers, ")

    def test_an_update_writes_the_same_bytes(self) -> None:
        folder = self.copy("failing_transfers")
        shutil.rmtree(folder / "failing_transfers")
        self.check(self.baseline("--folder", folder), 2,
                   "there is no such baseline: scripts/baseline --update makes it")
        self.check(self.baseline("--folder", folder, "--update"), 0,
                   "failing_transfers: written;\n  new\n")
        manifest = json.loads(
            (folder / "failing_transfers" / "manifest.json").read_text(encoding="utf-8"))
        # neither machine nor wall time
        self.assertEqual(set(manifest), {"format", "scenario", "program"})
        self.assertEqual(set(manifest["program"]), {"version", "source_hash"})
        for file in (BASELINES / "failing_transfers").rglob("*"):
            # revision; means, which are rounded
            if file.is_file() and file.name not in ("manifest.json", "summary.csv"):
                self.assertEqual((folder / file.relative_to(BASELINES)).read_bytes(),
                                 file.read_bytes(), file)

    def test_unusable(self) -> None:
        folder = self.copy("write_clean")
        self.check(self.baseline("--folder", folder, "nothing"), 2,
                   "has no scenario nothing: expected one of write_clean")
        self.check(self.baseline("--folder", self.folder), 2, "holds no scenario")
        self.check(self.baseline("--folder", folder, "--update", "--set", "run.transfers=2"), 2,
                   "without --set")
        (folder / "write_clean" / "events" / "p000_dynamic_r0.xz").unlink()
        self.check(self.baseline("--folder", folder), 2,
                   "p000_dynamic_r0.xz is missing: scripts/baseline --update makes it")

    def test_they_are_small(self) -> None:
        self.assertLess(sum(file.stat().st_size for file in BASELINES.rglob("*") if file.is_file()),
                        LIMIT)


if __name__ == "__main__":
    unittest.main()
