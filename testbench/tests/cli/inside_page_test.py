#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How the report shows the output of scripts/look_inside: words and numbers, and the page in a
browser."""

import base64
import io
import json
import re
import shutil
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from browser import BrowserCase
from inside_support import Temporary, check, content, prepare, report, summary, transfers
from rnicsim.report_page import counters, inside, inside_section, results

ROOT: Any = None
FIG6: Any = None


def setUpModule() -> None:
    global ROOT, FIG6
    ROOT, _ = prepare()
    FIG6 = Temporary.original = ROOT / "fig6_joint"
    check(report(ROOT))


class Page(Temporary):
    def page(self) -> Any:
        check(report(self.folder))
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def test_same_input_same_bytes(self) -> None:
        self.copy()
        self.assertEqual(self.page(), (ROOT / "report.html").read_text(encoding="utf-8"))

    def test_captures_are_linked_where_they_are(self) -> None:
        folder, capture = self.copy(), content(FIG6)["transfers"][-1]["capture"]
        for file in folder.glob("inside/*.pcapng"):
            file.unlink()
        self.assertNotIn("pcapng\"><code>", self.page())
        (folder / "inside" / capture).write_bytes(b"frames")
        self.assertEqual(re.findall(r'href="([^"#]+pcapng)"', self.page()),
                         [f"fig6_joint/inside/{capture}"])

    def test_of_other_results(self) -> None:
        """Reported, not shown."""
        file = self.copy() / "inside/inside.json"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(content(FIG6)["summary_sha256"], "0" * 64), encoding="utf-8")
        page = self.page()
        self.assertIn("fig6_joint was looked into when it held other results", page)
        self.assertNotRegex(page, "<script|<img|fig6_joint_fill")

    def test_unusable(self) -> None:
        spoil: Any
        for spoil, said in ((lambda text: text.replace('"version": 1', '"version": 2'),
                             "has version 2, expected 1"), (lambda text: "{",
                                                            "fig6_joint/inside: JSONDecodeError"),
                            (lambda text: text.replace('"ladder": "p000', '"ladder": "q000'),
                             "FileNotFoundError")):
            shutil.rmtree(self.folder / "fig6_joint", ignore_errors=True)
            file = self.copy() / "inside/inside.json"
            file.write_text(spoil(file.read_text(encoding="utf-8")), encoding="utf-8")
            done = report(self.folder)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_without_chart_js(self) -> None:
        with mock.patch.object(inside_section, "LIBRARY", self.folder / "chart.min.js"):
            with self.assertRaisesRegex(inside_section.Missing, "apt install libjs-chart.js"):
                inside_section.library()

    def test_what_is_said_of_the_times(self) -> None:
        one = inside.Inside(FIG6 / "inside", results.Result(FIG6), Path("inside"))
        table = inside_section.quantiles(one)
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", table)
        slowest = max(float(row["time_us"]) for row in transfers(FIG6)[3, "dynamic"])
        self.assertEqual(cells[-1], f"{slowest / 1000:.3f} ms")
        self.assertEqual(len(cells), 8 * (3 + len(inside.SHOWN)))

    def test_counters_on_the_page(self) -> None:
        page = (ROOT / "report.html").read_text(encoding="utf-8")
        for counter, each in (("b.transport.kept_indirect", True), ("link.a_to_b_lost", True),
                              ("a.gmac.tx_bytes", True), ("b.transport.indirect_buffer_high_water",
                                                          False)):
            meaning = counters.meanings()[counter.removeprefix("b.").removeprefix("a.")]
            line = next(line for line in page.splitlines()
                        if f"<tr><td><code>{counter}</code>" in line)
            self.assertIn(meaning.split("'")[0], line)
            shown = [
                float(cell.replace(",", ""))
                for cell in re.findall(r'<td class=n>([^<]+)</td>', line)
            ]
            expected = [
                float(row[counter]) / (float(row["transfers_completed"]) if each else 1)
                for row in summary(FIG6)
            ]
            self.assertEqual(len(shown), 8)
            for ours, theirs in zip(shown, expected):
                self.assertAlmostEqual(
                    ours, theirs, delta=0.5 if theirs >= 1000 else 0.05 if theirs >= 10 else 0.0005)


class Browser(BrowserCase):
    """The page in headless Chromium, with and without JavaScript, on paper, in the dark."""
    charts: Any

    # How many points of the canvas are of each line's colour, within what smoothing leaves.
    DRAWN = """[...document.querySelectorAll('.panel.live canvas')].map(c => {
        const all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return Chart.getChart(c).data.datasets.map(s => {
            const [r, g, b] = [1, 3, 5].map(i => parseInt(s.borderColor.slice(i, i + 2), 16));
            let n = 0;
            for (let i = 0; i < all.length; i += 4)
                n += all[i + 3] > 200 && Math.abs(all[i] - r) + Math.abs(all[i + 1] - g) + Math.abs(all[i + 2] - b) < 12;
            return n; }); })"""  # noqa: E501

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.url = (ROOT / "report.html").as_uri()
        cls.charts = 4 + len({curve["point"] for curve in content(FIG6)["fill"]})

    def script(self, on: Any) -> None:
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def evaluate(self, expression: Any) -> Any:
        """Also where the page's own scripts are off."""
        done = self.driver.execute_cdp_cmd("Runtime.evaluate", {
            "expression": expression,
            "returnByValue": True
        })
        self.assertNotIn("exceptionDetails", done)
        return done["result"]["value"]

    def shown(self, selector: Any) -> Any:
        """Does each of these take space on the page?"""
        return self.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})]"
                             ".map(e => e.getBoundingClientRect().height > 40)")

    def pixels(self, selector: Any) -> Any:
        """The visible pixels of an element, as an array of red, green, blue."""
        box = self.ask(
            "(r => ({x: r.left, y: r.top + scrollY, width: r.width, height: r.height, scale: 1}))"
            "(document.querySelector(arguments[0]).getBoundingClientRect())", selector)
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True,
            "clip": box
        })
        from matplotlib import image
        return image.imread(io.BytesIO(base64.b64decode(shot["data"])))[:, :, :3]

    def test_no_error_and_no_request(self) -> None:
        self.check_no_error_and_no_request()

    def test_nothing_is_wider_than_the_screen(self) -> None:
        self.check_nothing_is_wider_than_the_screen()

    def test_every_chart_has_drawn_its_lines(self) -> None:
        for width, dark in ((1280, False), (1280, True), (360, False)):
            self.open(width, dark=dark)
            drawn = self.ask(self.DRAWN)
            self.assertEqual(len(drawn), self.charts)
            for lines in drawn[1:]:  # in the first one both lines are the same
                for points in lines:
                    self.assertGreater(points, 3)
            for lines in drawn:
                self.assertGreater(sum(lines), 40)
            self.assertEqual(self.shown(".panel.live > svg"), [False] * self.charts)

    def test_charts_have_the_numbers_of_inside_json(self) -> None:
        self.open(1280)
        charts = self.ask(
            """[...document.querySelectorAll('.panel.live canvas')].map(c => { const chart = Chart.getChart(c);
            return [chart.options.plugins.title.text, chart.data.datasets.map(s => [s.label, s.data.map(p => [p.x, p.y])])]; })"""  # noqa: E501
        )
        for t in content(FIG6)["times"]:
            title, lines = charts[t["point"]]
            self.assertEqual(title, f"FRP = LFP: {(0, 1, 5, 10)[t['point']]} %")
            line = dict(lines)[t["method"]]
            for x, y in line[1:]:
                self.assertEqual(t["quantiles_us"][round(y * 2)], round(x * 1000, 3))
            self.assertEqual(
                (line[0], line[-1]),
                ([t["quantiles_us"][0] / 1000, 0], [t["quantiles_us"][-1] / 1000, 100]))
        drawn = sorted(line for _, lines in charts[4:] for _, line in lines)
        curves = [curve["slots"] for curve in content(FIG6)["fill"]]
        self.assertEqual(drawn,
                         sorted([[us / 1000, slots] for us, slots in curve] for curve in curves))

    def test_charts_answer_to_the_pointer(self) -> None:
        self.open(1280)
        canvas = "document.querySelectorAll('.panel.live canvas')[3]"
        box = self.ask(
            "(c => { c.scrollIntoView({block: 'center', behavior: 'instant'}); const r = "
            "c.getBoundingClientRect();"
            "return [r.left + r.width / 2, r.top + r.height / 2]; })(%s)" % canvas)
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": "mouseMoved",
            "x": box[0],
            "y": box[1]
        })
        told = self.until(
            "(body => body && body.length && body.map(b => "
            f"b.lines[0]))(Chart.getChart({canvas}).tooltip.body)"
        )
        self.assertGreater(len(told), 0)
        self.assertRegex(
            told[0],
            r"^(traditional|dynamic): transfer time \(ms\) [\d.]+, transfers that took .* [\d.]+$")

    def test_colours_follow_the_page(self) -> None:
        """Switched while the page is open."""
        self.open(1280)
        colours = (
            "Chart.getChart(document.querySelector('.panel.live canvas')).data.datasets.map(s => "
            "s.borderColor)"
        )
        light = self.ask(colours)
        self.media(dark=True)
        dark = self.until(f"(now => now[0] === '{light[0]}' ? null : now)({colours})")
        self.assertEqual((light, dark), (["#0072b2", "#d55e00"], ["#5ab0ea", "#f58b45"]))

    def test_ladders(self) -> None:
        """One is open, each has its picture, and it follows light and dark."""
        for dark in (False, True):
            self.open(1280, dark=dark)
            self.assertEqual(self.ask("document.querySelectorAll('.transfer[open]').length"), 1)
            said = self.ask("document.querySelector('.transfer[open] summary').textContent")
            self.assertRegex(said.replace("\u00a0", " "), r"^FRP = LFP: 10 %, dynamic, slowest")
            ground = self.pixels(".transfer[open] .ladder")
            self.assertEqual(ground[5, 5].mean() < 0.2, dark)
            self.assertGreater((abs(ground - ground[5, 5]).sum(axis=2) > 0.3).mean(), 0.005)
        self.open(1280, closed=False)
        pictures = self.ask(
            "Promise.all([...document.querySelectorAll('.ladder img')].map(i => i.decode().then(() "
            "=> "
            "[i.alt, i.getBoundingClientRect().width, i.getBoundingClientRect().height])))")
        self.assertEqual([alt.split("transfer ")[1].split(" of run ") for alt, _, _ in pictures],
                         [[t["transfer"], t["run"]] for t in content(FIG6)["transfers"]])
        for t, (_, width, height) in zip(content(FIG6)["transfers"], pictures):
            drawn = re.search(r'viewBox="0 0 (\d+) (\d+)"',
                              (FIG6 / "inside" / t["ladder"]).read_text(encoding="utf-8"))
            self.assertGreater(width, 700)
            self.assertAlmostEqual(height / width, int(drawn[2]) / int(drawn[1]), places=2)

    def test_without_javascript(self) -> None:
        self.script(False)
        self.addCleanup(self.script, True)
        self.open(1280)
        self.assertEqual(self.evaluate("document.querySelectorAll('canvas').length"), 0)
        self.assertEqual(self.shown("#fig6_joint_times svg, #fig6_joint_fill svg"),
                         [True] * self.charts)
        inside = self.evaluate(
            "[...document.querySelectorAll('#fig6_joint_times svg, #fig6_joint_fill svg')]"
            ".map(s => Math.min(s.querySelectorAll('path, use').length, "
            "s.querySelectorAll('text').length))"
        )
        self.assertGreater(min(inside), 4)
        self.assertEqual(self.shown(".transfer[open] .ladder img"), [True])

    def test_print(self) -> None:
        """The pictures, the open ladder whole, no chart: it may be of dark colours."""
        for dark in (False, True):
            self.open(800, dark=dark, medium="print")
            self.assertEqual(self.shown(".panel.live > svg"), [True] * self.charts)
            self.assertEqual(self.shown(".panel.live canvas"), [False] * self.charts)
            self.assertEqual(sum(self.shown(".transfer")), 1)
            cut = self.ask(
                "(l => l.scrollHeight - l.clientHeight)(document.querySelector('.transfer[open] "
                ".ladder'))"
            )
            self.assertLessEqual(cut, 1)
            self.assertEqual(self.shown(".counters table"), [True])
            self.assertGreater(self.pixels(".transfer[open] .ladder")[5, 5].mean(), 0.9)


if __name__ == "__main__":
    unittest.main()
