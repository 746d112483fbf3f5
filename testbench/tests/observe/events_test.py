#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim run --events`, and that observation changes nothing. Environment: RNICSIM_BIN,
RNICSIM_SOURCE_DIR."""
import collections
import csv
import json
import re
import unittest
from typing import Any

from look_support import SOURCE, WORK, counters, looked_at, rnicsim, rows, scenario, simulate

README = (SOURCE / "testbench" / "observe" / "README.md").read_text(encoding="utf-8")


class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        looked_at()

    def test_both_formats_say_the_same(self) -> None:
        simulate("jsonl", "--observe-run", "p000_dynamic_r1", "--events", WORK / "e.jsonl")
        first, *lines = (WORK / "e.jsonl").read_text(encoding="utf-8").splitlines()
        head = json.loads(first)
        self.assertEqual((head["format"], head["version"]), ("rnicsim events", 2))
        table = rows()
        self.assertEqual(head["columns"], list(table[0]))
        self.assertEqual(len(lines), len(table))
        for line, row in zip(lines, table):
            self.assertEqual({k: str(v)
                              for k, v in json.loads(line).items()},
                             {k: v
                              for k, v in row.items() if v != ""})

    def test_columns_are_those_of_the_readme(self) -> None:
        described = re.findall(
            r"`(\w+)`",
            " ".join(re.findall(r"^- (`\w+`(?:, `\w+`)*)(?: \(ps\)| \(B\))?:",
                                README.split("## Columns")[1], re.M)))
        self.assertEqual(sorted(described), sorted(rows()[0]))
        self.assertEqual({row["v"]
                          for row in rows()}, {re.search(r"--events`, version (\d+)", README)[1]})

    def test_every_decision_that_is_counted_is_there_with_its_cause(self) -> None:
        said = collections.Counter(
            (row["end"], row["event"]) for row in rows() if row["unit"] == "transport")
        compared = 0
        for name, value in counters().items():
            end, unit, *what = name.split(".")
            if unit != "transport" or what[0] in ("drained_frames", "indirect_buffer_high_water"):
                continue
            self.assertEqual(said[end, what[0].replace("rx_overruns", "rx_overrun")], value, name)
            compared += value
        self.assertGreater(compared, 1500)
        for kind in ("rx_overrun", "buffer_full", "went_indirect", "fast_retransmissions",
                     "data_timeouts"):
            self.assertGreater(said["a", kind] + said["b", kind], 0, kind)
        for row in rows():
            if row["unit"] == "transport" and row["event"] != "rx_overrun":
                self.assertRegex(
                    row["cause"],
                    r"^(a timer|a data frame that has left|the command: .+|(a fetch of "
                    r")?(write|read) [A-Z_]+ tid=\d+ .*)$"
                )
                self.assertEqual((int(row["time_ps"]) // 8000) - (int(row["since_ps"]) // 8000), 8)

    def test_roce_packets_have_their_opcode_qp_and_psn(self) -> None:
        """A message of 4 KiB in four packets, and its ACK."""
        file = WORK / "verbs.yaml"
        file.write_text(
            "system:\n  rnic: {profile: cx5_100g}\n  link: {rate: 100 Gbps}\n  hosts: {a: {}, b: "
            "{}}\n  links: [{between: [a, b]}]\n"
            "run:\n  transfers: 1\n  repetitions: 1\n  traffic: [{from: a, to: b, size: 4 KiB}]\n",
            encoding="utf-8")
        rnicsim("run", file, "--no-plot", "--fresh", "--out", WORK / "verbs", "--events",
                WORK / "verbs.csv")
        with open(WORK / "verbs.csv", encoding="utf-8") as stream:
            sent = [(row["end"], row["type"], row["tid"], row["sn"])
                    for row in csv.DictReader(stream) if row["event"] == "sent"]
        self.assertEqual(sent, [("a", "WRITE_FIRST", "2", "0"), ("a", "WRITE_MIDDLE", "2", "1"),
                                ("a", "WRITE_MIDDLE", "2", "2"), ("a", "WRITE_LAST", "2", "3"),
                                ("b", "ACK", "2", "3")])

    def test_a_timer_is_the_cause_of_what_expires(self) -> None:
        for row in rows():
            if row["event"].endswith("_timeouts"):
                self.assertEqual(row["cause"], "a timer")
            if row["event"] == "data_sent":
                self.assertIn("a fetch of", row["cause"])

    def test_frames_accesses_and_steps_agree_with_the_counters(self) -> None:
        count = collections.Counter((row["end"], row["unit"], row["event"]) for row in rows())
        have = counters()
        for end, other in (("a", "b"), ("b", "a")):
            self.assertEqual(count[end, "mac", "sent"], have[f"{end}.gmac.tx_frames"])
            self.assertEqual(count[end, "link", "arrives"], have[f"{other}.gmac.rx_frames"])
            self.assertEqual(count[end, "pcie", "interrupt"], have[f"{end}.pcie.interrupts"])
            self.assertEqual(count[end, "host", "registration_failed"],
                             have[f"{end}.host.registration_failures"])
            self.assertEqual(count[end, "host", "completed"] + count[end, "host", "failed"], 12)
            self.assertEqual(count[end, "host", "requested"], 12)
        fills = [
            int(row["bytes"]) for row in rows() if row["unit"] == "buffer" and row["end"] == "b"
        ]
        self.assertEqual(max(fills), have["b.transport.indirect_buffer_high_water"])
        self.assertEqual(fills[-1], 0)

    def test_transfers_are_named_by_who_asks(self) -> None:
        asked = [row["transfer"] for row in rows() if row["event"] == "requested"]
        self.assertEqual(sorted(asked), sorted(f"{end}{i}" for end in "ab" for i in range(12)))
        with open(WORK / "all" / "transfers.csv", encoding="utf-8") as stream:
            times = {
                row["initiator"] + row["id"]:
                tuple(str(8000 * int(row[key])) for key in ("start_cycle", "end_cycle"))
                for row in csv.DictReader(stream)
                if (row["method"], row["repetition"]) == ("dynamic", "1")
            }
        ended = {
            row["transfer"]: row["time_ps"]
            for row in rows() if row["event"] in ("completed", "failed")
        }
        began = {row["transfer"]: row["time_ps"] for row in rows() if row["event"] == "requested"}
        self.assertEqual({name: (began[name], ended[name]) for name in began}, times)

    def test_a_window_keeps_what_takes_effect_in_it(self) -> None:
        simulate("window", "--observe-run", "p000_dynamic_r1", "--events", WORK / "w.csv",
                 "--observe-window", "0.5 ms..0.9 ms")
        self.assertEqual(rows("w.csv"),
                         [row for row in rows() if 62500 <= (int(row["time_ps"]) // 8000) < 112500])

    def test_looking_changes_nothing(self) -> None:
        simulate("blind", "--transfers-csv")
        for name in ("summary.csv", "transfers.csv"):
            self.assertEqual((WORK / "blind" / name).read_bytes(),
                             (looked_at() / name).read_bytes())

    def test_a_run_that_was_finished_before_is_looked_at_again(self) -> None:
        (WORK / "again.csv").unlink(missing_ok=True)
        simulate("again")
        simulate("again", "--events", WORK / "again.csv")
        self.assertGreater((WORK / "again.csv").stat().st_size, 1000)

    def test_what_cannot_be_granted_is_refused(self) -> None:
        (WORK / "same.csv").touch()
        (WORK / "same.json").unlink(missing_ok=True)
        (WORK / "same.json").symlink_to(WORK / "same.csv")
        words: Any
        for words, said in (([
                "--events", "x.txt"
        ], "--events x.txt: expected the name of a file that ends with .csv or .jsonl"), ([
                "--pcap", "x.pcap"
        ], "ends with .pcapng"), (["--trace", ".json"], "ends with .json"), ([
                "--events", WORK / "none" / "x.csv"
        ], "cannot be created: No such file or directory"), ([
                "--observe-run", "p009_dynamic_r0", "--events", WORK / "x.csv"
        ], "expected one of p000_traditional_r0 .. p000_dynamic_r1"), ([
                "--observe-window", "1 ms..2 ms"
        ], "expected --pcap, --events, --trace, --series, --vcd or --record-tape with it"), ([
                "--events", WORK / "same.csv", "--trace", WORK / "same.json"
        ], "is one file with another one"), (["--pcap-tlps"], "expected --pcap FILE with it"),
                            (["--events", WORK / "x.csv", "--observe-window",
                              "2 ms..1 ms"], "a time FROM that is before TO")):
            done = rnicsim("run", scenario(), "--out", WORK / "refused", "--no-plot", *words,
                           code=2)
            self.assertIn(said, done.stderr)

    def test_a_full_disk_is_said(self) -> None:
        for option, suffix in (("--events", "csv"), ("--pcap", "pcapng"), ("--trace", "json"),
                               ("--vcd", "vcd")):
            link = WORK / f"full.{suffix}"
            link.unlink(missing_ok=True)
            link.symlink_to("/dev/full")
            done = simulate("full", option, link, code=1)
            self.assertIn(f"full.{suffix}: cannot be written: No space left on device", done.stderr)
            self.assertNotIn("E549", done.stderr)

    def test_verilog_gives_the_same_events(self) -> None:
        text = scenario().read_text(encoding="utf-8")
        file = scenario("rtl", text + "simulation: {rnic: rtl}\n")
        rnicsim("run", file, "--out", WORK / "rtl", "--no-plot", "--quiet", "--observe-run",
                "p000_dynamic_r1", "--events", WORK / "v.csv")
        self.assertEqual(rows("v.csv"), rows())


if __name__ == "__main__":
    unittest.main()
