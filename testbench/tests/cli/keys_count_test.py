#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does every key of a scenario count? Each row of keys_table.py: its two values give two different
runs, and where what it is of is off the reader refuses it and says what to turn on. Environment:
RNICSIM_BIN, RNICSIM_SOURCE_DIR."""

import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import keys_table

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
REFUSED = 2
# One of the two values is refused where the other one is not: that is their effect.
ONE_IS_REFUSED = {
    "system.switch.pfc.unchecked", "system.rnic.gmac.mtu", "run.unsafe", "run.plasma.unsafe",
    "run.plasma.ack", "run.plasma.slots", "run.kv.room", "run.kv.unsafe", "run.rpc.window",
    "run.rpc.unsafe", "run.fifo.wait", "run.fifo.data_first", "run.fifo.unsafe",
    "run.allreduce.wait", "run.allreduce.unsafe", "run.smc.wait", "run.smc.update",
    "run.smc.unsafe", "run.tensor.ack", "run.tensor.unsafe", "run.documents.initial_sync",
    "run.documents.repost", "run.documents.unsafe", "run.nts.fence", "run.nts.zero",
    "run.nts.push", "run.nts.unsafe", "simulation.watchdog"
}
# who simulates a block changes nothing: models and Verilog are equal, event by event
BLOCKS = "simulation."


def all_keys() -> Any:
    """Those that the program knows, as `rnicsim describe --keys` prints them."""
    text = subprocess.run([BIN, "describe", "--keys"], capture_output=True, text=True, timeout=60,
                          check=True).stdout
    keys, section = [], ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"### `(.*)`", line):
            section = heading[1]
        elif row := re.match(r"\| `([^`]*)` \|", line):
            keys.append(f"{section}.{row[1]}")
    return keys


def settings(row: Any, value: Any, key: str) -> Any:
    _, beside, *_ = row
    return {**beside, **(value if isinstance(value, dict) else {key: value})}


class Program:
    """Runs of one base scenario in a folder of their own."""

    def __init__(self, base: Any) -> None:
        self.holder = tempfile.TemporaryDirectory(prefix="rnicsim_keys_")
        self.folder = Path(self.holder.name)
        (self.folder / "base.yaml").write_text(base, encoding="utf-8")

    def call(self, command: Any, sets: Any, *more: Any) -> Any:
        given = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
        return subprocess.run([BIN, command, self.folder / "base.yaml", *given, *more],
                              capture_output=True, text=True, timeout=300, check=False)

    def run(self, sets: Any) -> Any:
        """(exit code, what is said of a refusal, hash of its events and numbers)."""
        out = self.folder / "out"
        events = self.folder / "events.csv"
        done = self.call("run", sets, "--quiet", "--no-plot", "--fresh", "--jobs", "1", "--out",
                         out, "--events", events)
        if done.returncode == REFUSED:
            return done.returncode, done.stderr.strip(), ""
        text = events.read_bytes() + (out / "summary.csv").read_bytes() if done.returncode in (
            0, 4) else done.stderr.encode()
        return done.returncode, "", hashlib.sha256(text).hexdigest()


def common(key: str) -> Any:
    return "system.hosts.client.count" if key == "system.hosts.*.count" else key


def wrong_with(key: str, row: Any) -> Any:
    """What is wrong with a row, or nothing."""
    base, _, first, second, off = row
    program = Program(base)
    key = common(key)
    runs = [program.run(settings(row, value, key)) for value in (first, second)]
    refused = [said for code, said, _ in runs if code == REFUSED]
    if key in ONE_IS_REFUSED:
        return "" if len(refused) == 1 and "has no effect" not in refused[
            0] else f"{key}: expected that one value is refused: {runs}"
    if refused:
        return f"{key}: refused: {refused[0]}"
    if runs[0] == runs[1]:
        return f"{key}: {first} and {second} give the same run"
    if off is None:
        return ""
    done = program.call("validate", {
        **off, key: second[key] if isinstance(second, dict) else second
    })
    if done.returncode != REFUSED or f": {key}: has no effect" not in done.stderr:
        return f"{key}: with {off} it should have no effect: {done.stdout}{done.stderr}"
    return "" if re.search(r"expected \S+", done.stderr) else f"{key}: no remedy: {done.stderr}"


class KeysCount(unittest.TestCase):
    def test_each_key_has_a_row(self) -> None:
        known = {
            key
            for key in all_keys()
            if not key.startswith(BLOCKS) or key in ("simulation.seed", "simulation.watchdog")
        }
        rows = set(keys_table.all_rows())
        self.assertEqual(sorted(known - rows - set(keys_table.NO_ROW)), [],
                         "no row in keys_table.py")
        self.assertEqual(sorted(rows - known), [], "no such key")
        self.assertEqual(sorted(set(keys_table.NO_ROW) - known), [], "no such key")

    def test_each_counts_in_some_scenario_and_is_refused_where_it_is_off(self) -> Any:
        rows = keys_table.all_rows()
        chosen = os.environ.get("RNICSIM_KEYS", "")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [
                text for text in pool.map(lambda row: str(wrong_with(*row)), [(
                    key, row) for key, row in rows.items() if chosen in key]) if text
            ]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_a_host_that_only_asks_or_only_answers(self) -> None:
        beside: Any
        for key, (base, beside, value) in keys_table.ONE_SIDED.items():
            with self.subTest(key):
                done = Program(base).call("validate", {**beside, key: value})
                self.assertEqual(done.returncode, REFUSED, done.stdout)
                self.assertRegex(done.stderr,
                                 rf": {re.escape(key)}: has no effect: .*, expected \S+")

    def test_what_reads_a_key_in_another_role(self) -> None:
        beside: Any
        for why, (key, base, beside, value) in keys_table.READ_BY_OTHERS.items():
            with self.subTest(why):
                done = Program(base).call("validate", {**beside, key: value})
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_compare_refuses_them(self) -> None:
        key = "system.hosts.b.rnic.rc.timeout"
        for more in (["--set", f"{key}=8", "--set-b", "run.depth=2"], ["--set-b", f"{key}=8"]):
            with self.subTest(more):
                done = Program(keys_table.PAIR).call("compare", {}, *more)
                self.assertEqual(done.returncode, REFUSED, done.stdout)
                self.assertRegex(done.stderr, rf"{re.escape(key)}: has no effect: .*, expected \S+")


if __name__ == "__main__":
    unittest.main()
