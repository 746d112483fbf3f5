#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What is seen of a bridge: its events, in a trace, a capture, a series and the summary, against
the counters of the same run; and where the time of a message goes.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR. Needs tshark.
"""
import collections
import csv
import functools
import json
import re
import unittest
from decimal import Decimal

from capture_support import command, fields
from look_support import WORK, rnicsim, rows, scenario

RING = """
system:
  rnic: {profile: cx5_100g}
  hosts: {near: {}, target: {}}
  links: [{between: [near, target], rate: 100 Gbps}]
  bridges: [{name: n0, between: [near, target]DOWN}]
run:
  repetitions: 1
  traffic:
    - {name: ring, from: near, to: target, application: nts, size: 1 KiB, think: 3 us, ITEM, nts: {slot: 1 KiBKEYS}}
"""  # noqa: E501
WAYS = (("near", "target"), ("target", "near"))
DIRECTION = 80_000 + 2 * 16_000  # ps behind the last byte
UPDATE = 80_000 + 508  # a DLLP of 8 B


def ring(keys: str = "", down: str = "", item: str = "transfers: 40") -> str:
    return RING.replace("KEYS", keys).replace("DOWN", down).replace("ITEM", item)


CASES = {  # keys of nts, of the bridge, and of the item
    "plain": ("", "", "transfers: 40"),
    "loads": (", ring: 16 KiB, index: ll, answer: true", "", "transfers: 40"),
    "rung": (", notify: doorbell, answer: true", "", "transfers: 40"),
    "down": (", answer: true", ", down: {probability: 90 %, period: 100 us, duration: 20 us}",
             "transfers: 1000, depth: 4"),
    "few": ("", ", credits: {headers: 2}", "transfers: 40"),
}


@functools.cache
def looked(case: str, *words: str) -> tuple[list[dict[str, str]], dict[str, int], dict[str, str]]:
    """Events of the bridge, and counters and row of the same run."""
    name = "_".join([case, *(word[2:] for word in words if word.startswith("--"))])
    rnicsim("run", scenario(name, ring(*CASES[case])), "--out", WORK / name, "--no-plot", "--quiet",
            "--events", WORK / f"{name}.csv", *words)
    with open(WORK / name / "summary.csv", encoding="utf-8") as stream:
        row = next(csv.DictReader(stream))
    counters = {key: int(value) for key, value in row.items() if "." in key and value}
    return [of for of in rows(f"{name}.csv") if of["unit"] == "bridge"], counters, row


class Events(unittest.TestCase):
    def test_they_are_what_the_counters_count(self) -> None:
        seen: collections.Counter[str] = collections.Counter()
        for name in CASES:
            events, counters, _ = looked(name)
            count = collections.Counter(
                (row["end"], row["type"], row["event"]) for row in events)
            for sender, receiver in WAYS:
                have = {
                    key.removeprefix(f"n0.{sender}_to_{receiver}_"): value
                    for key, value in counters.items()
                }
                writes = sum(count[sender, "MWr", event]
                             for event in ("delivered", "refused", "dropped"))
                self.assertEqual(writes, have["writes"], name)
                self.assertEqual(count[sender, "MWr", "sent"],
                                 writes + count[sender, "MWr", "to_registers"], name)
                self.assertEqual(count[sender, "MWr", "credits_back"],
                                 count[sender, "MWr", "sent"], name)
                self.assertEqual(count[sender, "MSI", "delivered"], have["interrupts"], name)
                self.assertEqual(
                    sum(count[sender, "MRd", event] for event in ("delivered", "dropped")),
                    have["reads"], name)
                self.assertEqual(
                    sum(int(row["bytes"]) for row in events
                        if (row["end"], row["type"]) == (sender, "MWr")
                        and row["event"] in ("delivered", "dropped", "refused")),
                    have["write_bytes"], name)
                for key in ("writes", "reads", "interrupts", "dropped", "credit_stalls"):
                    seen[key] += have[key]
            self.assertEqual({row["transfer"] for row in events}, {"n0"})
            seen["link_down"] += count["near", "", "link_down"]
            seen["to_registers"] += count["near", "MWr", "to_registers"]
        for what, number in seen.items():
            self.assertGreater(number, 0, what)

    def test_each_is_at_its_time(self) -> None:
        """In order, the link's latency and twice the translation behind its last byte; credits by
        an UpdateFC from there on."""
        for name, ways in (("plain", WAYS[:1]), ("loads", WAYS)):
            events, _, _ = looked(name)
            for sender, _ in ways:
                of = [row for row in events if row["end"] == sender]
                sent = [int(row["time_ps"]) for row in of if row["event"] == "sent"]
                came = [int(row["time_ps"]) for row in of if row["event"] == "delivered"]
                self.assertGreater(len(sent), 0)
                self.assertEqual([time + DIRECTION for time in sent], came, name)
                back = [row for row in of if row["event"] == "credits_back"]
                self.assertEqual({int(row["time_ps"]) - int(row["since_ps"]) for row in back},
                                 {UPDATE})

    def test_loads_are_answered_by_those_who_have_what_they_ask_for(self) -> None:
        events, _, _ = looked("loads")
        for sender, receiver in WAYS:
            asked = [(row["bytes"], row["event"]) for row in events
                     if (row["end"], row["type"]) == (sender, "MRd")]
            given = [(row["bytes"], row["event"]) for row in events
                     if (row["end"], row["type"]) == (receiver, "CplD")]
            self.assertGreater(len(asked), 5)
            self.assertEqual(collections.Counter(asked), collections.Counter(given))

    def test_looking_changes_nothing(self) -> None:
        for name, of in CASES.items():
            looked(name)
            file = scenario("blind", ring(*of))
            rnicsim("run", file, "--out", WORK / "blind", "--no-plot", "--quiet", "--fresh")
            self.assertEqual((WORK / "blind" / "summary.csv").read_bytes(),
                             (WORK / name / "summary.csv").read_bytes())


class Trace(unittest.TestCase):
    def test_each_host_has_tracks_of_the_bridge(self) -> None:
        events, _, _ = looked("down", "--trace", str(WORK / "bridge.json"))
        trace = json.loads((WORK / "bridge.json").read_text(encoding="utf-8"),
                           parse_float=Decimal)["traceEvents"]
        tracks = {(e["pid"], e["args"]["name"]): e["tid"]
                  for e in trace if e["name"] == "thread_name"}
        count = collections.Counter((row["end"], row["event"]) for row in events)
        for pid, (sender, receiver) in enumerate(WAYS, 1):
            sends, receives = (tracks[pid, f"bridge n0 {does}"] for does in ("sends", "receives"))
            slices = [(e["ts"], e["ts"] + e["dur"]) for e in trace
                      if (e["ph"], e["pid"], e.get("tid")) == ("X", pid, sends)]
            self.assertEqual(len(slices), count[sender, "sent"])
            for one, other in zip(slices, slices[1:]):  # ends are at edges of the host's clock
                self.assertLessEqual(one[1], other[0] + Decimal("0.0004"))
            said = collections.Counter(e["name"].split(":")[0] for e in trace
                                       if (e["ph"], e["pid"], e.get("tid")) == ("i", pid, sends))
            self.assertEqual(said["link down"], count["near", "link_down"])
            self.assertEqual(said["dropped"], count[sender, "dropped"])
            self.assertEqual(sum((e["ph"], e["pid"], e.get("tid")) == ("i", pid, receives)
                                 for e in trace), count[receiver, "delivered"])
        self.assertGreater(count["near", "dropped"] + count["target", "dropped"], 0)


class Capture(unittest.TestCase):
    """Read by Wireshark: kind, address and data of each TLP, in both directions."""

    def tlps(self, name: str) -> tuple[list[dict[str, str]], dict[str, list[dict[str, str]]]]:
        file = WORK / f"{name}.pcapng"
        events, _, _ = looked(name, "--pcap", str(file), "--pcap-tlps")
        names = ("frame.interface_name", "frame.time_epoch", "tlp.kind", "tlp.address",
                 "tlp.bytes", "tlp.tag", "tlp.data", "tlp.status", "frame.len")
        shown = [
            dict(zip(names, line))
            for line in fields(file, names, 'frame.interface_name matches "^n0"')
        ]
        of = {
            sender: [row for row in shown
                     if row["frame.interface_name"] == f"n0.{sender}>{receiver}"]
            for sender, receiver in WAYS
        }
        self.assertEqual(sum(map(len, of.values())), len(shown))
        self.assertIn("Strict time order:   True", command("capinfos", "-o", file).stdout)
        return events, of

    def test_it_holds_what_was_sent(self) -> None:
        kinds: collections.Counter[str] = collections.Counter()
        for name in ("plain", "loads", "rung"):
            events, of = self.tlps(name)
            for sender, shown in of.items():
                sent = sorted((row for row in events
                               if (row["end"], row["event"]) == (sender, "sent")),
                              key=lambda row: int(row["time_ps"]))
                self.assertEqual(len(shown), len(sent))
                for tlp, row in zip(shown, sent):
                    self.assertEqual(tlp["tlp.kind"], row["type"])
                    self.assertEqual(tlp["tlp.bytes"], row["bytes"])
                    self.assertEqual(
                        Decimal(tlp["frame.time_epoch"]) * 10**9, int(row["time_ps"]) // 1000)
                    if row["type"] in ("MWr", "MRd"):
                        self.assertEqual(int(tlp["tlp.address"], 16), int(row["address"]))
                    data = int(row["bytes"]) if row["type"] in ("MWr", "CplD") else 0
                    self.assertEqual(len(tlp["tlp.data"]), 2 * data)
                    kinds[row["type"]] += 1
        self.assertEqual(set(kinds), {"MWr", "MRd", "CplD"})

    def test_a_completion_has_the_tag_of_what_it_answers(self) -> None:
        _, of = self.tlps("loads")
        for sender, receiver in WAYS:
            asked = [tlp["tlp.tag"] for tlp in of[sender] if tlp["tlp.kind"] == "MRd"]
            given = [tlp for tlp in of[receiver] if tlp["tlp.kind"] == "CplD"]
            self.assertEqual(asked, [tlp["tlp.tag"] for tlp in given])
            self.assertEqual({tlp["tlp.status"] for tlp in given}, {"0"})

    def test_data_are_those_of_the_messages(self) -> None:
        """What is delivered lies in the other memory: the header's word is a slot's length."""
        _, of = self.tlps("plain")
        lengths = collections.Counter(
            int.from_bytes(bytes.fromhex(tlp["tlp.data"])[4:6], "little") for tlp in of["near"]
            if tlp["tlp.bytes"] == "8")
        self.assertEqual(lengths[1024], 40)  # 1016 B and the header
        self.assertEqual(lengths[16], 40)  # the rest of each message


class Series(unittest.TestCase):
    def series(self, name: str) -> tuple[list[dict[str, str]], dict[str, int]]:
        _, counters, _ = looked(name, "--series", str(WORK / f"{name}_series.csv"),
                                "--series-interval", "1 us")
        return rows(f"{name}_series.csv"), counters

    def test_rates_add_up_to_what_crossed(self) -> None:
        series, counters = self.series("plain")
        for sender, receiver in WAYS:
            total = sum(float(row[f"n0 {sender}>{receiver} gbps"]) for row in series) * 1e3 / 8
            self.assertAlmostEqual(total, counters[f"n0.{sender}_to_{receiver}_write_bytes"],
                                   delta=1)
        self.assertGreater(counters["n0.near_to_target_write_bytes"], 40_000)
        self.assertEqual({row["n0 up"] for row in series}, {"1"})

    def test_credits_are_never_more_than_there_are(self) -> None:
        for name, most in (("plain", 64), ("few", 2)):
            series, _ = self.series(name)
            out = [int(row["n0 near>target credits"]) for row in series]
            self.assertGreater(max(out), 1)
            self.assertLessEqual(max(out), most)
            self.assertEqual(out[-1], 0)
        self.assertEqual(max(out), 2)

    def test_a_link_that_was_down_is_shown(self) -> None:
        series, _ = self.series("down")
        events, _, _ = looked("down")
        down = sum(row["event"] == "link_down" for row in events)
        up = [row["n0 up"] for row in series]
        self.assertEqual(sum(one + other == "10" for one, other in zip(["1", *up], up)), down)
        self.assertGreater(down, 0)


ALONE = "transfers: 6, depth: 1"


class Explained(unittest.TestCase):
    def parts(self, name: str, size: str, keys: str = "",
              transfer: str = "near.q0.3") -> tuple[float, str, dict[str, float]]:
        """How long it took, the rows, and where its time goes."""
        text = ring(keys, "", ALONE).replace("size: 1 KiB", "size: " + size)
        file = scenario(name, text)
        said = rnicsim("explain", file, "--transfer", transfer).stdout
        took = re.search(r"completed after ([\d.]+) ", said.split("\n", 1)[0])
        assert took is not None, said
        rows_of, shares = said.split("\nWhere its ")
        self.assertIn(f"{took[1]} µs go, from its end back", shares)
        return float(took[1]), rows_of, {
            line[12:]: float(line[:10])
            for line in shares.split("\n")[1:] if line
        }

    def test_a_small_message_is_its_closed_form(self) -> None:
        """Parts of the closed form of model/ntb/README.md, but for edges of the hosts' clocks."""
        _, ladder, parts = self.parts("small", "8 B")
        edge = 0.0045
        for what, ns in (("near, thread: work", 41), ("near, thread: copy", 4.8 + 1),
                         ("near: fence", 78), ("near: write-combining buffers", 20),
                         ("near: from the core to the root port", 40), ("link of n0", 2.031),
                         ("bridge n0", 112), ("target, thread: poll", 100),
                         ("target, thread: work", 120)):
            self.assertAlmostEqual(parts[what], ns / 1000, delta=edge, msg=what)
        self.assertEqual(parts["bridge n0"], 0.112)
        self.assertIn("MWr of 8", ladder)
        self.assertIn("root port target", ladder)
        self.assertNotIn("RNIC", ladder)

    def test_what_is_printed_adds_up(self) -> None:
        for name, size, keys in (("one", "8 B", ""), ("slots", "20 KiB", ""),
                                 ("answer", "1 KiB", ", answer: true"),
                                 ("loads", "1 KiB", ", ring: 16 KiB, index: ll, answer: true")):
            took, _, parts = self.parts("adds_" + name, size, keys)
            self.assertEqual(round(sum(parts.values()), 3), took, name)
            self.assertGreater(parts["bridge n0"], 0, name)

    def test_an_answer_crosses_twice(self) -> None:
        _, _, parts = self.parts("answered", "8 B", ", answer: true")
        self.assertEqual(parts["bridge n0"], 2 * 0.112)
        for host in ("near", "target"):
            self.assertAlmostEqual(parts[f"{host}: fence"], 0.078, delta=0.005)

    def test_stores_that_wait_for_credits_are_told_so(self) -> None:
        waits = "root port of near: waits for link or credits"
        for down, least in (("", 0.0), (", credits: {headers: 1}", 0.5)):
            file = scenario("credits", ring("", down, ALONE))
            said = rnicsim("explain", file, "--transfer", "near.q0.3").stdout
            found = re.search(rf"([\d.]+)  {waits}$", said, re.MULTILINE)
            self.assertEqual(float(found[1] if found else 0) > least, least > 0)


class Summary(unittest.TestCase):
    COLUMNS = ("tlps_per_message", "partial_share", "credit_stalls", "unsupported_requests")

    def test_columns_are_those_of_the_counters(self) -> None:
        for name in CASES:
            _, have, row = looked(name)
            of = {
                what: sum(have[f"n0.{a}_to_{b}_{what}"] for a, b in WAYS)
                for what in ("writes", "partial_writes", "reads", "credit_stalls", "unsupported")
            }
            self.assertAlmostEqual(float(row["tlps_per_message"]),
                                   (of["writes"] + of["reads"]) /
                                   int(row["transfers_completed"]), places=5)
            self.assertAlmostEqual(float(row["partial_share"]),
                                   of["partial_writes"] / of["writes"], places=5)
            self.assertEqual(int(row["credit_stalls"]), of["credit_stalls"])
            self.assertEqual(int(row["unsupported_requests"]), of["unsupported"])

    def test_a_message_is_so_many_tlps(self) -> None:
        """1016 B behind a header: seven chunks of the first line, 15 lines, the header; then 8 B
        and a header."""
        row = looked("plain")[2]
        self.assertEqual(float(row["tlps_per_message"]), 7 + 15 + 1 + 2)
        self.assertEqual(float(row["partial_share"]), 10 / 25)

    def test_without_a_bridge_of_its_own_it_has_none(self) -> None:
        file = scenario("verbs", """
system:
  rnic: {profile: cx5_100g}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b], rate: 100 Gbps}]
run: {repetitions: 1, transfers: 2, traffic: [{from: a, to: b, size: 1 KiB}]}
""")
        rnicsim("run", file, "--out", WORK / "verbs", "--no-plot", "--quiet")
        with open(WORK / "verbs" / "summary.csv", encoding="utf-8") as stream:
            self.assertFalse(set(self.COLUMNS) & set(next(csv.reader(stream))))
        text = ring()
        again = next(line for line in text.splitlines() if "name: ring" in line)
        file = scenario("both", text + again.replace("ring", "more") + "\n"
                        "    - {name: card, from: near, to: target, size: 1 KiB}\n")
        rnicsim("run", file, "--out", WORK / "both", "--no-plot", "--quiet")
        with open(WORK / "both" / "summary.csv", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                self.assertEqual({row[name] for name in self.COLUMNS}, {""})


if __name__ == "__main__":
    unittest.main()
