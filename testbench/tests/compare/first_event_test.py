#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The first event that differs, in words and with its cause; and events in little space."""
import json
import lzma
import unittest
from collections.abc import Iterable, Sequence
from typing import Any

from compare_support import Folder, command
from rnicsim.comparison import event_store, event_words, events
from rnicsim.report_page.results import Unusable

COLUMNS = [
    "v", "time_ps", "since_ps", "end", "unit", "event", "transfer", "bytes", "address", "cause"
]
HEAD = {"format": "rnicsim events", "version": 1, "columns": COLUMNS}

FAULTS = """
system:
  link: {loss: 6 %}
  host: {registration: {failure: 40 %}, ping: {sizes: [64 B]}}
  rnic: {drp: {rx_buffer: 3036 B}}
run: {methods: [dynamic], repetitions: 1, size: 9001 B, operation: alternate, direction: both, in_flight: 3, transfers: 8}
"""  # noqa: E501


def event(cycle: int, **more: int | str) -> dict[str, Any]:
    return {
        "v": 2,
        "time_ps": 8000 * cycle,
        "since_ps": 8000 * cycle,
        "end": "a",
        "unit": "memory",
        "event": "write",
        "bytes": 8,
        **more
    }


def decides(cycle: int, **more: str) -> dict[str, Any]:
    return event(cycle, unit="transport", event="decides", cause="a timer", **more)


def lines(rows: Sequence[dict[str, Any]], **head: int) -> Iterable[Any]:
    return iter([json.dumps({**HEAD, **head}) + "\n", *(json.dumps(row) + "\n" for row in rows)])


class FirstDifference(unittest.TestCase):
    def test_equal(self) -> None:
        rows = [event(i) for i in range(50)]
        self.assertIsNone(events.first_difference(lines(rows), lines(rows)))
        self.assertIsNone(events.first_difference(lines([]), lines([])))

    def test_where(self) -> None:
        """Event 31 of each; of what is equal the last ones, of each side the first ones from there
        on."""
        ours = [event(i) for i in range(60)]
        theirs = [*ours[:30], event(99, address=5), *ours[31:]]
        found = events.first_difference(lines(ours), lines(theirs))
        self.assertEqual((found["number"], found["columns"]),
                         (31, ["time_ps", "since_ps", "address"]))
        self.assertEqual(found["before"], ours[26:30])
        self.assertEqual((found["a"], found["b"]), (ours[30:35], theirs[30:35]))

    def test_one_side_ends(self) -> None:
        rows = [event(i) for i in range(5)]
        found = events.first_difference(lines(rows), lines(rows[:3]))
        self.assertEqual((found["number"], found["a"], found["b"], found["columns"]),
                         (4, rows[3:], [], []))
        found = events.first_difference(lines(rows[:3]), lines(rows))
        self.assertEqual((found["number"], found["a"], found["b"]), (4, [], rows[3:]))

    def test_spelling_and_new_columns_do_not_matter(self) -> None:
        rows = [event(i, since=i) for i in range(5)]
        spelled = [
            json.dumps({
                **HEAD, "columns": [*COLUMNS, "new"]
            }), *(json.dumps({
                "new": 3,
                **row
            }, indent=1) for row in rows)
        ]
        self.assertIsNone(events.first_difference(lines(rows), iter(spelled)))
        self.assertIsNone(events.first_difference(iter(spelled), lines(rows)))

    def test_decision_behind_it(self) -> None:
        """Told after what came of it, by its cycle; else the last one about the same transfer; its
        own cause is enough."""
        early = [decides(10, transfer="a0"), decides(12, transfer="a1")]
        dma = event(40, since_ps=160_000, unit="pcie", event="dma_read")
        found = events.first_difference(lines([*early, dma, decides(20, transfer="a7")]),
                                        lines([*early, event(13, transfer="a0")]))
        self.assertEqual((found["cause_a"]["transfer"], found["cause_a"]["how"]), ("a7", "from"))
        self.assertEqual((found["cause_b"]["time_ps"], found["cause_b"]["how"]), (80_000, "before"))
        found = events.first_difference(lines([*early, decides(13)]), lines([*early, event(13)]))
        self.assertEqual((found["cause_a"], found["cause_b"]), (None, None))

    def test_refused(self) -> None:
        rows = [event(1)]
        with self.assertRaisesRegex(Unusable, "one and two have events of versions 1 and 2"):
            events.first_difference(lines(rows), lines(rows, version=2), "one", "two")
        bad: Any
        for bad in ([], ["x\n"], ['{"format":"other"}\n'], ["[]\n"]):
            with self.assertRaisesRegex(
                    Unusable, "two: expected events as `rnicsim run --events x.jsonl` writes them"):
                events.first_difference(lines(rows), iter(bad), "one", "two")
        with self.assertRaisesRegex(Unusable, "two: is cut off or damaged"):
            events.first_difference(lines(rows), iter([*lines([]), '{"v":1,"cyc']), "one", "two")


class Real(Folder):
    """Of a run with faults of all kinds."""

    def events(self) -> list[str]:
        file = self.folder / "e.jsonl"
        done = command("run", self.scenario(FAULTS), "--no-plot", "--quiet", "--out",
                       self.folder / "out", "--events", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        with file.open(encoding="utf-8") as stream:
            return list(stream)

    def test_stored_events_come_out_as_they_went_in(self) -> None:
        told = self.events()
        data = event_store.packed(iter(told))
        self.assertLess(len(data), len(lzma.compress("".join(told).encode(), preset=9)) / 2.2)
        file = self.folder / "e.xz"
        file.write_bytes(data)
        self.assertEqual(list(event_store.unpacked(file)), told)
        self.assertEqual(event_store.packed(iter(told)), data)
        for bad in (data[:-20], b"", b"events"):
            file.write_bytes(bad)
            with self.assertRaisesRegex(
                    Unusable, "e.xz: .*expected events that scripts/baseline --update has written"):
                event_store.unpacked(file)

    def test_what_could_not_come_out_is_refused(self) -> None:
        with self.assertRaisesRegex(Unusable, "cannot be stored"):
            event_store.packed(lines([event(1, cause="with, a comma"), event(2)]))

    def test_every_event_has_words(self) -> None:
        said = {}
        for line in self.events()[1:]:
            told = json.loads(line)
            sentence = event_words.sentence(told)
            self.assertTrue(sentence.startswith(f"{told['time_ps'] / 1e6:.3f} µs "), sentence)
            self.assertNotIn("?", sentence)
            self.assertFalse(
                sentence.endswith(
                    (f"{told['end']}: {told['unit']} {told['event']}", f"host: {told['event']}")),
                sentence)
            if told["unit"] == "transport" and told["event"] != "decides":
                self.assertIn(f"{told['event']} (", sentence)  # and what it counts
            said[told["unit"], told["event"]] = sentence
        self.assertGreater(len(said), 25)
        self.assertRegex(said["mac", "sent"], r"[ab] sends \w+")
        self.assertRegex(said["transport", "data_timeouts"],
                         r"expiries of the data timer.*; cause: a timer$")


if __name__ == "__main__":
    unittest.main()
