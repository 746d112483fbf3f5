#!/usr/bin/python3
"""`rnicsim report`: statistics, verdicts from hand-made results, the page of simulated results, the page in a browser.

Environment: RNICSIM_BIN and RNICSIM_SOURCE_DIR, as for cli_test.py. The browser test needs chromium, chromium-driver and
python3-selenium (Debian), and is skipped with a message where one is missing.
"""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
from browser import BrowserCase, contrast, luminance  # noqa: E402
from report_page import ablations, claims, experiments, findings, hardware, intervals, results, words  # noqa: E402

SECONDS = 300
METHODS = ("traditional", "dynamic")
RESOLVED = """system:
  rnic:
    transport:
      indirect_buffer: 48 KiB
run:
  size: 128 KiB
  transfers: {transfers}
  sweep:
    - {{name: {axis}, keys: [{key}], values: []}}
"""


def rnicsim(*arguments):
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True, timeout=SECONDS, check=False)


def write_folder(root, name, axis, points, rows, references=None, key="run.none", transfers=800, extra=None):
    """A result folder by hand. `points`: texts, or lists of texts for several axes. `rows`: for each point ((mean, sd) of
    traditional, (mean, sd) of dynamic, (gain, half width)). `extra`: (point, method) -> more columns."""
    folder = root / name
    folder.mkdir(parents=True)
    axes = [axis] if isinstance(axis, str) else axis
    points = [[p] if isinstance(p, str) else p for p in points]
    manifest = {
        "scenario": {"name": name, "seed": 1, "methods": list(METHODS), "axes": axes, "points": points,
                     "resolved": RESOLVED.format(axis=axes[0], key=key, transfers=transfers)},
        "reference": {"source": "by hand", "gains": [{"point": p, "gain": g} for p, g in (references or {}).items()]},
        "program": {"git_revision": "abc", "source_hash": "def"}, "machine": {"cpu": "none", "cores": 1},
        "cost": {"data_frames": 1, "data_frames_per_run_second": 1.0, "wall_seconds": 1.0},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = []
    for p, (*times, (gain, half)) in enumerate(rows):
        for method, (mean, sd) in zip(METHODS, times):
            line = {"point": p, **dict(zip(axes, points[p])), "method": method, "repetitions": 5, "transfers_completed": 4000,
                    "mean_us": mean, "sd_us": sd, "ci95_us": sd * 1.24, "indirect_share": 0.1, "gain": "", "gain_ci95": ""}
            if method == "dynamic":
                line.update(gain=gain, gain_ci95=half)
            lines.append({**line, **(extra or {}).get((p, method), {})})
    with (folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ordered_columns(lines))
        writer.writeheader()
        writer.writerows(lines)
    return results.Result(folder)


def ordered_columns(lines):
    return list(dict.fromkeys(column for line in lines for column in line))


class Temporary(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_report_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


class Statistics(unittest.TestCase):
    def test_known_quantiles(self):
        known = {(0.975, 1): 12.7062047362, (0.975, 2): 4.3026527297, (0.975, 4): 2.7764451052, (0.975, 8): 2.3060041352,
                 (0.975, 30): 2.0422724563, (0.95, 4): 2.1318467863, (0.9975, 4): 5.5975683671, (0.975, 1e6): 1.9599663568}
        for (probability, freedom), quantile in known.items():
            self.assertAlmostEqual(intervals.t_quantile(probability, freedom), quantile, places=6)
            self.assertAlmostEqual(intervals.t_quantile(1 - probability, freedom), -quantile, places=6)

    def test_quantile_of_broken_freedom_by_the_trapezium_rule(self):
        for freedom in (1.5, 2.7, 6.3):
            t = intervals.t_quantile(0.9, freedom)
            steps = 200_000
            density = [(1 + (t * i / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
            area = (sum(density) - (density[0] + density[-1]) / 2) * t / steps
            scale = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(freedom * math.pi)
            self.assertAlmostEqual(0.5 + scale * area, 0.9, places=7)

    def test_welch(self):
        a, b = intervals.Estimate(10, 3, 4), intervals.Estimate(4, 4, 8)
        d = intervals.difference(a, b)
        self.assertEqual((d.mean, d.error), (6, 5))
        self.assertAlmostEqual(d.freedom, 625 / (81 / 4 + 256 / 8))
        exact = intervals.difference(intervals.Estimate(2, 0, 4), intervals.Estimate(1, 0, 4))
        self.assertEqual((exact.low, exact.high), (1, 1))

    def test_one_repetition_has_no_interval(self):
        e = intervals.from_sd(1.0, math.nan, 1)
        self.assertTrue(math.isnan(e.half))
        self.assertEqual(intervals.compare_with_zero([("x", e)]).around, ["x"])

    def test_many_looks_do_not_refute(self):
        """An interval just below 0 refutes alone, but not as one of ten."""
        low, good = intervals.Estimate(-1.2, 0.4, 4), intervals.Estimate(5, 0.4, 4)
        self.assertEqual(intervals.compare_with_zero([("low", low)]).refuted, ["low"])
        sides = intervals.compare_with_zero([("low", low)] + [(str(i), good) for i in range(9)])
        self.assertEqual((sides.below, sides.refuted), (["low"], []))

    def test_values_of_keys(self):
        self.assertTrue(results.same_value("1 KiB", "1024 B"))
        self.assertTrue(results.same_value("on_request", "on_request"))
        self.assertFalse(results.same_value("48 KiB", "48 B"))
        self.assertFalse(results.same_value("2", "on_request"))


class Verdicts(Temporary):
    """Each verdict of each claim must be reachable: the same claim, results that say yes, no, and nothing."""
    EVERY = ("0 %", "1 %", "2 %")

    def judge(self, name, **folders):
        return self.rows(folders)[name]

    def rows(self, folders):
        """Judgements by id; F6 and F7a as id and value."""
        judged = {}
        for row in claims.judge_all(folders, self.folder):
            value = re.search(r"(\d+ (?:%|B)):", row.claim.words)
            judged[row.claim.id + (f" {value[1]}" if value and row.claim.paper != "order" else "")] = row.judgement
        return judged

    def sweep(self, name, axis, gains, half=0.001, traditional=2000.0, sd=1.0):
        """FRP or LFP at 0, 1 and 2 %, with these gains at the two last."""
        rows = [((1000.0, 0.0), (1000.0, 0.0), (0.0, 0.0))]
        rows += [((traditional, sd), (traditional * (1 - g), sd), (g, half)) for g in gains]
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return write_folder(self.folder, name, axis, self.EVERY, rows)

    def test_faster_at_every_point(self):
        for claim, name in (("F4", "fig4_frp"), ("F5", "fig5_lfp")):
            for gains, half, verdict in (((0.01, 0.02), 0.001, claims.HOLDS), ((0.01, -0.02), 0.001, claims.FAILS),
                                         ((0.01, 0.02), 0.015, claims.UNDECIDED)):
                judgement = self.judge(claim, **{name: self.sweep(name, "p", gains, half)})
                self.assertEqual(judgement.verdict, verdict)
            self.assertIn("above 0 at 1 of 2 points, includes 0 at 1 %", judgement.how)

    def test_loss_costs_more(self):
        for lfp, verdict in ((2100.0, claims.HOLDS), (1900.0, claims.FAILS), (2000.1, claims.UNDECIDED)):
            judgement = self.judge("F45a", fig4_frp=self.sweep("fig4_frp", "FRP", (0.1, 0.1)),
                                   fig5_lfp=self.sweep("fig5_lfp", "LFP", (0.1, 0.1), traditional=lfp))
            self.assertEqual(judgement.verdict, verdict, judgement.how)
        self.assertIn("of 4 points", judgement.how)

    def test_larger_gap(self):
        for frp, verdict in ((0.1, claims.HOLDS), (0.01, claims.FAILS), (0.0505, claims.UNDECIDED)):
            judgement = self.judge("F45b", fig4_frp=self.sweep("fig4_frp", "FRP", (frp, frp)),
                                   fig5_lfp=self.sweep("fig5_lfp", "LFP", (0.05, 0.05)))
            self.assertEqual(judgement.verdict, verdict, judgement.how)

    def test_numbers_of_figure_6(self):
        rows = [((2000.0, 20.0), (2000.0 * (1 - g), 20.0), (g, 0.001)) for g in (0.019, 0.20, 0.088)]
        judged = self.rows({"fig6_joint": write_folder(self.folder, "fig6_joint", "FRP = LFP", ("1 %", "5 %", "10 %"), rows)})
        self.assertEqual([judged[f"F6 {v} %"].verdict for v in (1, 5, 10)], [claims.INSIDE, claims.OUTSIDE, claims.INSIDE])
        self.assertEqual(judged["F6 5 %"].ours, words.gain(intervals.from_half_width(0.2, 0.001, 5)))

    def board(self, gains, times=(3000.0, 2500.0, 2000.0), requests=((500, 300), (250, 200), (130, 120))):
        rows = [((t, 1.0), (t * (1 - g), 1.0), (g, 0.005)) for t, g in zip(times, gains)]
        extra = {(p, m): {"b.pcie.write_requests": n * 4000} for p, pair in enumerate(requests) for m, n in zip(METHODS, pair)}
        shutil.rmtree(self.folder / "fig7_board", ignore_errors=True)
        return write_folder(self.folder, "fig7_board", "payload", ("256 B", "512 B", "1024 B"), rows, extra=extra)

    def simulated(self, time):
        shutil.rmtree(self.folder / "fig7_simulated", ignore_errors=True)
        return write_folder(self.folder, "fig7_simulated", "payload", ("256 B", "512 B", "1 KiB"),
                            [((time, 1.0), (time, 1.0), (0.0, 0.001))] * 3)

    def test_numbers_of_the_board(self):
        judged = self.rows({"fig7_board": self.board((0.12, 0.5, 0.0918))})
        self.assertEqual([judged[f"F7a {v} B"].verdict for v in (256, 512, 1024)],
                         [claims.OUTSIDE if v == 512 else claims.INSIDE for v in (256, 512, 1024)])

    def test_time_falls_with_payload_and_exceeds_the_simulated_one(self):
        good, rising = self.board((0.1, 0.1, 0.1)), self.board((0.1, 0.1, 0.1), times=(2000.0, 2500.0, 3000.0))
        self.assertEqual(self.judge("F7b", fig7_board=good).verdict, claims.NOT_RUN)
        self.assertEqual(self.judge("F7b", fig7_board=good, fig7_simulated=self.simulated(1200.0)).verdict, claims.HOLDS)
        self.assertEqual(self.judge("F7b", fig7_board=good, fig7_simulated=self.simulated(2800.0)).verdict, claims.FAILS)
        self.assertEqual(self.judge("F7b", fig7_board=good, fig7_simulated=self.simulated(1800.0)).verdict, claims.UNDECIDED)
        self.assertEqual(self.judge("F7b", fig7_board=rising, fig7_simulated=self.simulated(1200.0)).verdict, claims.FAILS)

    def drain(self, worth):
        """The board with one request a drain, and with one a frame: `worth` of gain less."""
        shutil.rmtree(self.folder / "fig7_drain", ignore_errors=True)
        points = [[payload, bulk] for payload in ("256 B", "512 B", "1024 B") for bulk in ("true", "false")]
        rows = []
        for w in worth:
            for gain in (0.1, 0.1 - w):
                rows.append(((2000.0, 1.0), (2000.0 * (1 - gain), 1.0), (gain, 0.001)))
        return write_folder(self.folder, "fig7_drain", ["payload", "bulk drain"], points, rows)

    def test_small_frames_gain_more(self):
        mechanism = (0.010, 0.006, 0.002)
        for gains, worth, verdict in (
                ((0.12, 0.11, 0.09), mechanism, claims.HOLDS),
                ((0.12, 0.11, 0.09), (0.002, 0.006, 0.010), claims.FAILS),  # not by this mechanism
                ((0.12, 0.11, 0.09), (0.0003, 0.0002, 0.0001), claims.UNDECIDED),  # no mechanism to be seen
                ((0.09, 0.11, 0.12), mechanism, claims.FAILS),
                ((0.100, 0.11, 0.099), mechanism, claims.UNDECIDED)):
            judgement = self.judge("F7c", fig7_board=self.board(gains), fig7_drain=self.drain(worth))
            self.assertEqual(judgement.verdict, verdict, judgement.how)
        self.assertIn("500.0 and 300.0 at 256 B", judgement.how)

    def test_points_are_compared_in_pairs(self):
        """Times that go up and down together: their difference is sure although each mean is not."""
        luck = (0.0, 90.0, -70.0, 40.0, -60.0)
        rows = [((1000.0, 70.0), (900.0 - step, 70.0), (0.1, 0.01)) for step in (0.0, 10.0)]
        extra = {(p, m): {"repetition_means_us": " ".join(f"{(1000 if m == METHODS[0] else 900 - 10 * p) + x + 0.01 * i * p:.3f}"
                                                          for i, x in enumerate(luck))} for p in (0, 1) for m in METHODS}
        result = write_folder(self.folder, "pairs", "axis", ("1", "2"), rows, extra=extra)
        change = experiments.slower(result, 0, result, 1, METHODS[1])
        self.assertAlmostEqual(change.mean, 9.98)
        self.assertLess(change.half, 0.1)
        self.assertGreater(experiments.larger(result, 1, result, 0).low, 0.009)
        result.rows[1, METHODS[1]]["repetition_means_us"] = "1 2 - 4 5"  # one repetition completed nothing
        self.assertGreater(experiments.slower(result, 0, result, 1, METHODS[1]).half, 50)

    def test_theory_stands_beside_a_gain_too_small_to_see(self):
        rows = [((1000.0, 1.0), (1000.0, 1.0), (0.0, 0.001))] * 2
        extra = {(p, m): {"theory_setup_us": us} for p in (0, 1) for m, us in zip(METHODS, (30.5 + p, 30.0))}
        judgement = self.judge("F5", fig5_lfp=write_folder(self.folder, "fig5_lfp", "LFP", ("1 %", "2 %"), rows, extra=extra))
        self.assertEqual(judgement.verdict, claims.UNDECIDED)
        self.assertIn("earlier at every LFP: on average by 0.50", judgement.how)

    def test_hardware(self):
        self.assertEqual({self.rows({})[name].verdict for name in ("T2a", "T2b")}, {claims.SYNTHESIS})
        for bits, pins, verdict in ((393216, 10, claims.HOLDS), (393215, 10, claims.FAILS), (393216, 11, claims.FAILS)):
            rows = [{"resource": "memory_bits", "traditional": 1000, "dynamic": 1000 + bits},
                    {"resource": "pins", "traditional": 10, "dynamic": pins}]
            (self.folder / "hwcost.json").write_text(json.dumps({"rows": rows}), encoding="utf-8")
            self.assertEqual(self.rows({})["T2a"].verdict, verdict)
            self.assertEqual(self.rows({})["T2b"].verdict, claims.SYNTHESIS)
        for logic, verdict in ((104800, claims.FAILS), (104700, claims.HOLDS), (99999, claims.FAILS)):
            (self.folder / "hwcost.json").write_text(json.dumps(
                {"source": "here", "rows": [*rows, {"resource": "logic", "traditional": 100000, "dynamic": logic}]}), encoding="utf-8")
            judgement = self.rows({})["T2b"]
            self.assertEqual(judgement.verdict, verdict)
            self.assertIn("Source: here.", judgement.how)
        self.assertIn("\u22121 on 100,000 ALMs (estimate) against +5,092 on 106,754", judgement.how)

    def test_table_2_stands_beside_the_paper_s(self):
        content = {"source": "here", "paper": {"device": "D", "memory_bits": [3323924, 3717140], "pins": [247, 247]},
                   "rows": [{"resource": "memory_bits", "title": "bits", "traditional": 1000, "dynamic": 394216},
                            {"resource": "pins", "title": "pins", "traditional": 9, "dynamic": 9},
                            {"resource": "ff", "title": "flip-flops", "traditional": 200, "dynamic": 190}],
                   "families": {"xc7": [{"title": "LUTs", "traditional": 0, "dynamic": 7}]}}
        text = re.sub(r"</?t[dr][^>]*>", " ", hardware.section(content))
        for line in ("bits  1,000  394,216  +393,216 (+39321.6 %)  3,323,924  3,717,140  +393,216 (+11.8 %)",
                     "pins  9  9  0  247  247  0", "flip-flops  200  190  -10 (-5.0 %)", "LUTs  0  7  +7 "):
            self.assertIn(line, text)
        self.assertIn("here.", text)
        self.assertEqual(hardware.section({"rows": [{"resource": "pins", "traditional": 1, "dynamic": 1}]}), "")

    def test_nothing_was_run(self):
        judged = self.rows({})
        self.assertEqual({j.verdict for name, j in judged.items() if not name.startswith("T2")}, {claims.NOT_RUN})
        self.assertEqual(len(judged), 14)
        self.assertIn("rnicsim run scenarios/paper/fig5_lfp.yaml --out DIR/fig5_lfp", judged["F5"].how)


class Findings(Temporary):
    def test_ablation(self):
        rows = [((3000.0, 9.0), (3000.0 * (1 - g), 9.0), (g, 0.004)) for g in (0.02, 0.05, 0.08, 0.081)]
        result = write_folder(self.folder, "ablation_buffer", ["buffer", "FRP = LFP"],
                              [[size, "10 %"] for size in ("0 B", "16 KiB", "48 KiB", "128 KiB")], rows,
                              key="system.rnic.transport.indirect_buffer")
        study = ablations.study(result)
        self.assertEqual((study.base, study.groups), ("48 KiB", ["10 %"]))
        said = ablations.finding(study)
        self.assertIn("With 48 KiB (the setting everywhere else) the gain is 8.0", said)
        self.assertRegex(said, r"lower with 0 B \(by 6\.0 .*\) and 16 KiB \(by 3\.0 .*no difference can be told for 128 KiB")
        bought = " ".join(ablations.what_the_buffer_buys(study))
        self.assertIn("48 KiB buys 6.0", bought)
        self.assertIn("no more than luck", bought)

    def test_theory_is_compared_with_the_interval(self):
        extra = {(0, "traditional"): {"theory_us": 2001.0}, (0, "dynamic"): {"theory_us": 1700.0}}
        result = write_folder(self.folder, "fig4_frp", "FRP", ["5 %"], [((2000.0, 1.0), (1800.0, 1.0), (0.1, 0.01))], extra=extra)
        self.assertIn("for 1 of the 2 times", findings.theory(result))

    def test_band_is_the_program_s(self):
        """The band on the program's screen and ours, of the same results."""
        done = run_joint(self.folder / "fig6_joint", 40)
        shown = re.findall(r"([-\d.]+) \.\. ([-\d.]+) %", done.stdout)
        self.assertEqual(len(shown), 3, done.stdout)
        result = results.Result(self.folder / "fig6_joint")
        for point, (low, high) in enumerate(shown, 1):
            ours = experiments.band(result, point)
            self.assertAlmostEqual(ours[0] * 100, float(low), delta=0.011)
            self.assertAlmostEqual(ours[1] * 100, float(high), delta=0.011)


def run_joint(out, transfers, *more):
    """Figure 6 with few transfers."""
    return check(rnicsim("run", SOURCE / "scenarios/paper/fig6_joint.yaml", "--no-plot", "--out", out, "--set",
                         f"run.transfers={transfers}", "--set", "run.repetitions=3", *more))


def check(done):
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def spoil_parts(folder, off):
    """Adds to the last part of the last row, so that the parts miss the mean by that."""
    with (folder / "summary.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    lines[-1]["release_us"] = f"{float(lines[-1]['release_us']) + off:.6f}"
    with (folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ordered_columns(lines))
        writer.writeheader()
        writer.writerows(lines)


def make_results(root):
    """Small simulated results of every kind of folder that the page knows."""
    frp, lfp = "system.host.registration.failure", "system.link.loss"
    shipped = (SOURCE / "scenarios/paper/fig6_joint.yaml").read_text(encoding="utf-8")
    (root / "scenarios").mkdir()
    small = ["--no-plot", "--set", "run.transfers=20", "--set", "run.repetitions=3"]

    def sweep(name, *axes, more=()):
        arguments = [a for axis in axes for a in ("--axis", axis)]
        base = root / "scenarios" / f"{name}.yaml"
        base.write_text(shipped[:shipped.index("  sweep:")], encoding="utf-8")
        check(rnicsim("sweep", base, *arguments, "--out", root / name, *small, *more))

    run_joint(root / "fig6_joint", 40)
    for suffix, more in (("", ()), ("_read", ("--set", "run.operation=read"))):
        sweep("fig4_frp" + suffix, f"{frp}=0 %,5 %,10 %", more=more)
        sweep("fig5_lfp" + suffix, f"{lfp}=0 %,5 %,10 %", more=more)
    faults = ("--set", f"{frp}=10 %", "--set", f"{lfp}=2 %")
    for name in ("fig7_board", "fig7_simulated"):
        sweep(name, "system.rnic.transport.segment=256 B,512 B,1024 B", more=faults)
    sweep("ablation_buffer", "system.rnic.transport.indirect_buffer=0 B,48 KiB,128 KiB", more=faults)
    sweep("ablation_retry", "system.host.registration.retry=when_released,on_request",
          "system.rnic.transport.indirect_buffer=48 KiB,0 B", more=faults)
    calibration = {"constants": {"request_timer": {"value": 2.4, "unit": "ms"}},
                   "gains": [{"at": "1 %", "paper": 0.019, "ours": 0.018, "half_width": 0.001, "band_low": 0.01,
                              "band_high": 0.03, "inside": True}],
                   "sensitivity": [{"constant": "request_timer", "change": "+10 %", "gains": [0.02]}]}
    (root / "calibration.json").write_text(json.dumps(calibration), encoding="utf-8")


ROOT, SAID = None, ""


def setUpModule():
    """One report for all that follows."""
    global ROOT, SAID
    ROOT = Path(tempfile.mkdtemp(prefix="rnicsim_pages_"))
    unittest.addModuleCleanup(shutil.rmtree, ROOT, ignore_errors=True)
    make_results(ROOT)
    SAID = check(rnicsim("report", ROOT)).stdout


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root, cls.said = ROOT, SAID
        cls.page = (cls.root / "report.html").read_text(encoding="utf-8")

    def copy(self, *names):
        folder = Path(tempfile.mkdtemp(prefix="rnicsim_copy_"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for name in names:
            shutil.copytree(self.root / name, folder / name)
        return folder

    def expect_error(self, folder, *said):
        done = rnicsim("report", folder)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in ("error: report: ", *said):
            self.assertIn(text, done.stderr)
        self.assertFalse((folder / "report.html").exists())

    def test_it_says_what_it_found(self):
        self.assertRegex(self.said, r"report\.html: \d+ ")
        self.assertEqual(len(re.findall(r'<td data-label="Id">', self.page)), 14)

    def test_same_input_same_bytes(self):
        other = self.copy(*(path.name for path in self.root.iterdir() if (path / "summary.csv").exists()))
        shutil.copy(self.root / "calibration.json", other)
        check(rnicsim("report", other))
        self.assertEqual((other / "report.html").read_bytes(), (self.root / "report.html").read_bytes())
        pictures = sorted((self.root / "figures").iterdir())
        self.assertGreaterEqual(len(pictures), 20)
        for picture in pictures:
            self.assertEqual((other / "figures" / picture.name).read_bytes(), picture.read_bytes(), picture.name)

    def test_self_contained(self):
        self.assertNotIn("http", self.page)
        self.assertNotRegex(self.page, r"<script|<img|@import|src=")
        self.assertEqual(re.findall(r"<link[^>]*>", self.page), ['<link rel="icon" href="data:,">'])
        self.assertNotIn(str(self.root), self.page)

    def test_ids_and_references(self):
        ids = re.findall(r'\bid="([^"]+)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))
        references = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', self.page))
        self.assertEqual({a or b for a, b in references} - set(ids), set())

    def test_missing_folders_are_named(self):
        self.assertIn("rnicsim run scenarios/paper/fig4_frp_wide.yaml --out DIR/fig4_frp_wide", self.page)
        self.assertNotIn("Not run: <code>fig6_joint</code>", self.page)

    def test_parts_and_calibration(self):
        self.assertIn('<figure id="fig6_joint_parts">', self.page)
        table = self.page[self.page.index('<figure id="fig6_joint_parts">'):]
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", table[:table.index("</figure>")])
        width = len(results.PARTS) + 5  # axis, method, parts, sum, mean, theory
        self.assertEqual(len(cells), 8 * width)
        for i in range(0, len(cells), width):
            numbers = [float(cell.replace(",", "")) for cell in cells[i + 2:i + width - 1]]
            self.assertAlmostEqual(sum(numbers[:-2]), numbers[-1], delta=0.004)
            self.assertEqual(numbers[-2], numbers[-1])
        self.assertIn("+10\u00a0%", self.page)

    def test_reads_park_nothing(self):
        self.assertIn("In the runs below, 0 frames went into one.", self.page)

    def test_manifest(self):
        manifest = json.loads((self.root / "fig4_frp" / "manifest.json").read_text(encoding="utf-8"))
        section = self.page[self.page.index('<section id="manifest"'):]
        for said in ("<li>seed: 1</li>", manifest["program"]["source_hash"], manifest["program"]["git_revision"],
                     "<code>ablation_buffer</code>", "rnicsim run scenarios/paper/fig7_board.yaml --out DIR/fig7_board"):
            self.assertIn(said, section)

    def test_one_folder_is_enough(self):
        folder = self.copy("fig6_joint")
        self.assertRegex(check(rnicsim("report", folder)).stdout, r"2 needs the RTL synthesis, 9 not run\n$")

    def test_parts_that_do_not_add_up(self):
        folder = self.copy("fig6_joint")
        spoil_parts(folder / "fig6_joint", 0.0009)
        check(rnicsim("report", folder))
        (folder / "report.html").unlink()
        spoil_parts(folder / "fig6_joint", 0.0002)
        self.expect_error(folder, "fig6_joint", "add up to")

    def test_unusable_input(self):
        self.expect_error(self.copy(), "no result folder")
        damages = {"summary.csv": ("point,method\n0,dynamic\n", "lacks"), "manifest.json": ("{", "manifest.json is cut or damaged: Expecting")}
        for name, (content, said) in damages.items():
            folder = self.copy("fig6_joint")
            (folder / "fig6_joint" / name).write_text(content, encoding="utf-8")
            self.expect_error(folder, "fig6_joint", said)
        folder = self.copy("fig6_joint")
        (folder / "calibration.json").write_text('{"constants": 1}', encoding="utf-8")
        self.expect_error(folder, "calibration.json")
        self.assertEqual(rnicsim("report", folder / "absent").returncode, 2)
        folder = self.copy("fig6_joint")
        (folder / "calibration.json").write_text('{"constants": {"a": {"value": NaN, "unit": "us"}}}', encoding="utf-8")
        self.expect_error(folder, "calibration.json", "NaN is not a number")
        folder = self.copy("fig6_joint")
        (folder / "figures").write_text("", encoding="utf-8")
        self.expect_error(folder, "figures", "is a file")

    def test_a_folder_of_another_scenario(self):
        folder = self.copy("fig4_frp")
        (folder / "fig4_frp").rename(folder / "fig5_lfp")
        self.expect_error(folder, "fig5_lfp", "holds results of the scenario fig4_frp")

    def test_what_helps_is_told_apart(self):
        page = (ROOT / "report.html").read_text(encoding="utf-8")
        self.assertIn("the host's own retry alone (no buffer)".replace("'", "&#x27;"), page.replace("&#39;", "&#x27;"))

    def test_fitted_is_told_from_predicted(self):
        page = (ROOT / "report.html").read_text(encoding="utf-8")
        self.assertEqual(page.count("fitted: request timer, data timer, retry"), 3)
        self.assertIn("mean of the three fitted", page)

    def test_incomplete_sweep_is_not_taken_for_a_result(self):
        folder = self.copy("fig6_joint", "fig4_frp")
        (folder / "fig4_frp" / "summary.csv").unlink()
        check(rnicsim("report", folder))
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("fig4_frp is incomplete", page)
        self.assertIn("Not run: <code>fig4_frp</code>", page)

    def test_plot_draws_theory(self):
        folder = self.copy("fig6_joint")
        subprocess.run([SOURCE / "scripts/plot", folder / "fig6_joint"], check=True)
        drawn = (folder / "fig6_joint" / "plot.svg").read_bytes()
        self.assertIn(b"<!-- theory -->", drawn)
        subprocess.run([SOURCE / "scripts/plot", folder / "fig6_joint"], check=True)
        self.assertEqual((folder / "fig6_joint" / "plot.svg").read_bytes(), drawn)


class Browser(BrowserCase):
    """The page in headless Chromium: on a desk, on a phone, in the dark."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.url = (ROOT / "report.html").as_uri()

    def test_no_error_and_no_request(self):
        self.check_no_error_and_no_request()
        self.assertEqual(self.ask("document.title.length > 10"), True)

    def test_every_figure_is_drawn(self):
        for width in (1280, 360):
            self.open(width)
            boxes = self.ask("""[...document.querySelectorAll('figure svg')].map(s => { const r = s.getBoundingClientRect();
                return [r.width, r.height, s.querySelectorAll('path, use').length, s.querySelectorAll('text').length,
                        s.getAttribute('aria-label').length]; })""")
            self.assertGreater(len(boxes), 15)
            for w, h, shapes, texts, label in boxes:
                self.assertGreater(min(w, h), 60)
                self.assertGreater(shapes, 5)
                self.assertGreater(texts, 4)
                self.assertGreater(label, 20)
            self.assertEqual(self.ask("document.querySelectorAll('figure').length == "
                                      "document.querySelectorAll('figure > figcaption').length"), True)

    def test_text_stays_inside_its_figure(self):
        for width in (1280, 360):
            self.open(width)
            outside = self.ask("""[...document.querySelectorAll('figure svg')].flatMap(s => { const a = s.getBoundingClientRect();
                return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
                    return r.left < a.left - 3 || r.right > a.right + 3 || r.top < a.top - 3 || r.bottom > a.bottom + 3; })
                    .map(t => s.getAttribute('aria-label').slice(0, 40) + ': ' + t.textContent); })""")
            self.assertEqual(outside, [])

    def test_nothing_is_wider_than_the_screen(self):
        self.check_nothing_is_wider_than_the_screen()

    def test_text_can_be_read_on_a_phone(self):
        self.open(360)
        smallest = self.ask("""Math.min(...[...document.querySelectorAll('figure svg text')].filter(t => t.textContent.length > 1)
            .map(t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a))""")
        self.assertGreaterEqual(smallest, 7.5)

    def test_light_and_dark(self):
        for dark in (False, True):
            self.open(1280, dark=dark)
            page = self.ask("getComputedStyle(document.body).backgroundColor")
            self.assertEqual(luminance(page) < 0.1, dark, page)
            inks = self.ask("""[...new Set([...document.querySelectorAll('figure svg text, p, td, th, a, figcaption, summary')]
                .map(t => { const s = getComputedStyle(t); return t.closest('svg') ? s.fill : s.color; }))]""")
            self.assertGreater(len(inks), 2)
            for ink in inks:
                self.assertGreaterEqual(contrast(ink, page), 4.5, f"{ink} on {page}, dark: {dark}")
            badges = self.ask("""[...document.querySelectorAll('.badge')].map(b => { const s = getComputedStyle(b);
                return [s.color, s.backgroundColor]; })""")
            for ink, ground in badges:
                self.assertGreaterEqual(contrast(ink, ground), 4.5)
            lines = self.ask("""[...new Set([...document.querySelectorAll('figure svg path')].map(p => getComputedStyle(p).stroke))]
                .filter(s => s.startsWith('rgb'))""")
            self.assertGreater(max(contrast(line, page) for line in lines), 3)


if __name__ == "__main__":
    unittest.main()
