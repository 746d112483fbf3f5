#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim run --series`: rates and queues over time against the counters of the same run, and what
is refused.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""
import csv
import unittest

from look_support import WORK, rnicsim, rows, scenario

INCAST = """
system:
  rnic: {profile: cx5_100g, rc: {window: 64, timeout: 6}}
  link: {rate: 100 Gbps}
  hosts: {server: {}, client: {count: 3}}
  switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: BUFFER}}
  links: [{between: [server, s0]}, {between: [client, s0], loss: LOSS}]
run:
  traffic: [{from: client, to: server, size: 16 KiB}]
  transfers: 40
  repetitions: 1
"""
AROUND = 20  # bytes of preamble, SFD and gap
INTERVAL = 10e-6


class Series(unittest.TestCase):

    def incast(self, name: str, buffer: str, loss: str = "0 %",
               *words: str) -> tuple[list[dict[str, str]], dict[str, int]]:
        file = scenario(name, INCAST.replace("BUFFER", buffer).replace("LOSS", loss))
        rnicsim("run", file, "--out", WORK / name, "--no-plot", "--quiet", "--series",
                WORK / f"{name}.csv", *words)
        with open(WORK / name / "summary.csv", encoding="utf-8") as stream:
            return rows(f"{name}.csv"), {
                key: int(value)
                for key, value in next(csv.DictReader(stream)).items() if "." in key and value
            }

    def test_rates_add_up_to_what_links_have_carried_and_queues_reach_their_high_water_mark(
            self) -> None:
        series, counters = self.incast("wide", "16 MiB")
        carried = {
            "s0>server":
            counters["server.gmac.rx_bytes"] + AROUND * counters["server.gmac.rx_frames"],
            "server>s0":
            counters["server.gmac.tx_bytes"] + AROUND * counters["server.gmac.tx_frames"]
        }
        for way, of_all in carried.items():
            total = sum(float(row[f"{way} gbps"]) for row in series) * 1e9 * INTERVAL / 8
            self.assertAlmostEqual(total / of_all, 1, places=4, msg=way)
        up = [sum(float(row[f"client{i}>s0 gbps"]) for i in range(3)) for row in series]
        self.assertGreater(max(up), 150)  # more than the server's link can take
        queue = [int(row["s0>server queue_bytes"]) for row in series]
        self.assertEqual(max(queue), counters["s0.server.queue_high_water"])
        self.assertEqual(queue[-1], 0)
        times = [float(row["time_us"]) for row in series]
        self.assertEqual(times, sorted(set(times)))
        self.assertTrue(all(time % 10 == 0 for time in times))

    def test_what_is_lost_or_dropped_leaves_the_queue(self) -> None:
        series, counters = self.incast("narrow", "64 KiB", "1 %")
        self.assertGreater(counters["s0.server.refused"], 0)
        self.assertGreater(counters["client-s0.client_to_s0_lost"], 0)
        for way in ("server", "client0", "client1", "client2"):
            self.assertEqual(series[-1][f"s0>{way} queue_bytes"], "0")
            self.assertTrue(all(int(row[f"s0>{way} queue_bytes"]) >= 0 for row in series))
        self.assertEqual(max(int(row["s0>server queue_bytes"]) for row in series),
                         counters["s0.server.queue_high_water"])

    def test_an_interval_and_a_window_of_ones_own(self) -> None:
        series, _ = self.incast("wide", "16 MiB")
        fine, _ = self.incast("fine", "16 MiB", "0 %", "--series-interval", "2 us")
        by_time = {float(row["time_us"]): float(row["s0>server gbps"]) for row in fine}
        for row in series:
            begin = float(row["time_us"])
            mean = sum(by_time.get(begin + 2 * i, 0) for i in range(5)) / 5
            self.assertAlmostEqual(mean, float(row["s0>server gbps"]), places=2)
        part, _ = self.incast("part", "16 MiB", "0 %", "--observe-window", "20 us..50 us")
        self.assertEqual(part, [row for row in series if 20 <= float(row["time_us"]) < 50])

    def test_queues_with_pauses_and_none_where_frames_stray(self) -> None:
        series, counters = self.incast("paused",
                                       "2 MiB, priorities: 8, pfc: {classes: [3], xoff: 32 KiB}")
        self.assertGreater(counters["s0.client.pauses_sent"], 0)
        self.assertEqual(max(int(row["s0>server queue_bytes"]) for row in series),
                         counters["s0.server.queue_high_water"])
        self.assertEqual(
            {
                series[-1][f"s0>{way} queue_bytes"]
                for way in ("server", "client0", "client1", "client2")
            }, {"0"})
        for name, words in (("learnt", "16 MiB, table: learning"), ("copied", "16 MiB")):
            series, _ = self.incast(
                name, words, "0 %",
                *(() if name == "learnt" else ("--set", "system.link.duplication=1 %")))
            self.assertFalse([column for column in series[0] if "queue" in column])
            self.assertIn("s0>server gbps", series[0])

    def test_refused(self) -> None:
        for words, said in ((["--series-interval",
                              "1 us"], "--series-interval: expected --series FILE with it"),
                            (["--series", "x.csv", "--series-interval",
                              "1 ps"], "--series-interval 1 ps: expected a time from 1 ns on"),
                            (["--series",
                              "x.txt"], "expected the name of a file that ends with .csv")):
            done = rnicsim(
                "run", scenario("refused",
                                INCAST.replace("BUFFER", "1 MiB").replace("LOSS", "0 %")), "--out",
                WORK / "refused", *words, code=2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
