#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rnicsim report`: the page of simulated results, and the page in a browser.

Environment: RNICSIM_BIN and RNICSIM_SOURCE_DIR, as for cli_test.py. The browser test needs
chromium, chromium-driver and python3-selenium (Debian), and is skipped with a message where one is
missing.
"""

import csv
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from browser import BrowserCase, contrast, luminance
from report_support import SOURCE, check, ordered_columns, rnicsim, run_joint
from rnicsim import sampling
from rnicsim.report_page import results


def spoil_parts(folder: Path, off: Any) -> None:
    """Adds to the last part of the last row, so that the parts no longer add up to the mean."""
    with (folder / "summary.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    lines[-1]["release_us"] = f"{float(lines[-1]['release_us']) + off:.6f}"
    with (folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ordered_columns(lines))
        writer.writeheader()
        writer.writerows(lines)


def make_results(root: Path) -> None:
    """Small simulated results of every kind of folder that the page knows."""
    frp, lfp = "system.host.registration.failure", "system.link.loss"
    shipped = (SOURCE / "scenarios/paper/fig6_joint.yaml").read_text(encoding="utf-8")
    (root / "scenarios").mkdir()
    small = ["--no-plot", "--set", "run.transfers=20", "--set", "run.repetitions=3"]

    def sweep(name: str, *axes: Any, more: Any = ()) -> None:
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
        sweep(name, "system.rnic.drp.segment=256 B,512 B,1024 B", more=faults)
    sweep("ablation_buffer", "system.rnic.drp.indirect_buffer=0 B,48 KiB,128 KiB",
          more=faults)
    sweep("ablation_retry", "system.host.registration.retry=when_released,on_request",
          "system.rnic.drp.indirect_buffer=48 KiB,0 B", more=faults)
    calibration = {
        "constants": {
            "request_timer": {
                "value": 2.4,
                "unit": "ms"
            }
        },
        "gains": [{
            "at": "1 %",
            "paper": 0.019,
            "ours": 0.018,
            "half_width": 0.001,
            "band_low": 0.01,
            "band_high": 0.03,
            "inside": True
        }],
        "sensitivity": [{
            "constant": "request_timer",
            "change": "+10 %",
            "gains": [0.02]
        }]
    }
    (root / "calibration.json").write_text(json.dumps(calibration), encoding="utf-8")


ROOT, SAID = None, ""


def setUpModule() -> None:
    """One report for all that follows."""
    global ROOT, SAID
    ROOT = Path(tempfile.mkdtemp(prefix="rnicsim_pages_"))
    unittest.addModuleCleanup(shutil.rmtree, ROOT, ignore_errors=True)
    make_results(ROOT)
    SAID = check(rnicsim("report", ROOT)).stdout


class Pages(unittest.TestCase):
    page: Any
    root: Any
    said: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.root, cls.said = ROOT, SAID
        cls.page = (cls.root / "report.html").read_text(encoding="utf-8")

    def copy(self, *names: Any) -> Any:
        folder = Path(tempfile.mkdtemp(prefix="rnicsim_copy_"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for name in names:
            shutil.copytree(self.root / name, folder / name)
        return folder

    def expect_error(self, folder: Path, *said: str) -> None:
        done = rnicsim("report", folder)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in ("error: report: ", *said):
            self.assertIn(text, done.stderr)
        self.assertFalse((folder / "report.html").exists())

    def test_it_says_what_it_found(self) -> None:
        self.assertRegex(self.said, r"report\.html: \d+ ")
        self.assertEqual(len(re.findall(r'<td data-label="Id">', self.page)), 14)

    def test_same_input_same_bytes(self) -> None:
        other = self.copy(*(path.name for path in self.root.iterdir()
                            if (path / "summary.csv").exists()))
        shutil.copy(self.root / "calibration.json", other)
        check(rnicsim("report", other))
        self.assertEqual((other / "report.html").read_bytes(),
                         (self.root / "report.html").read_bytes())
        pictures = sorted((self.root / "figures").iterdir())
        self.assertGreaterEqual(len(pictures), 20)
        for picture in pictures:
            self.assertEqual((other / "figures" / picture.name).read_bytes(), picture.read_bytes(),
                             picture.name)

    def test_self_contained(self) -> None:
        self.assertNotIn("http", self.page)
        self.assertNotRegex(self.page, r"<script|<img|@import|src=")
        self.assertEqual(re.findall(r"<link[^>]*>", self.page), ['<link rel="icon" href="data:,">'])
        self.assertNotIn(str(self.root), self.page)

    def test_ids_and_references(self) -> None:
        ids = re.findall(r'\bid="([^"]+)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))
        references = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', self.page))
        self.assertEqual({a or b for a, b in references} - set(ids), set())

    def test_missing_folders_are_named(self) -> None:
        self.assertIn("rnicsim run scenarios/paper/fig4_frp_wide.yaml --out DIR/fig4_frp_wide",
                      self.page)
        self.assertNotIn("Not run: <code>fig6_joint</code>", self.page)

    def test_parts_and_calibration(self) -> None:
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

    def test_reads_park_nothing(self) -> None:
        self.assertIn("In the runs below, 0 frames went into one.", self.page)

    def test_manifest(self) -> None:
        manifest = json.loads(
            (self.root / "fig4_frp" / "manifest.json").read_text(encoding="utf-8"))
        section = self.page[self.page.index('<section id="manifest"'):]
        for said in ("<li>seed: 1</li>", manifest["program"]["source_hash"],
                     manifest["program"]["git_revision"], "<code>ablation_buffer</code>",
                     "rnicsim run scenarios/paper/fig7_board.yaml --out DIR/fig7_board"):
            self.assertIn(said, section)

    def test_one_folder_is_enough(self) -> None:
        folder = self.copy("fig6_joint")
        self.assertRegex(
            check(rnicsim("report", folder)).stdout, r"2 needs the RTL synthesis, 9 not run\n$")

    def test_parts_that_do_not_add_up(self) -> None:
        folder = self.copy("fig6_joint")
        spoil_parts(folder / "fig6_joint", 0.0009)
        check(rnicsim("report", folder))
        (folder / "report.html").unlink()
        spoil_parts(folder / "fig6_joint", 0.0002)
        self.expect_error(folder, "fig6_joint", "add up to")

    def test_unusable_input(self) -> None:
        self.expect_error(self.copy(), "is no result folder")
        damages = {
            "summary.csv": ("point,method\n0,dynamic\n", "has no column repetitions, "),
            "manifest.json": ("{", "manifest.json is cut or damaged: Expecting")
        }
        for name, (content, said) in damages.items():
            folder = self.copy("fig6_joint")
            (folder / "fig6_joint" / name).write_text(content, encoding="utf-8")
            self.expect_error(folder, "fig6_joint", said)
        folder = self.copy("fig6_joint")
        (folder / "calibration.json").write_text('{"constants": 1}', encoding="utf-8")
        self.expect_error(folder, "calibration.json")
        self.assertEqual(rnicsim("report", folder / "absent").returncode, 2)
        folder = self.copy("fig6_joint")
        (folder / "calibration.json").write_text(
            '{"constants": {"a": {"value": NaN, "unit": "us"}}}', encoding="utf-8")
        self.expect_error(folder, "calibration.json", "NaN is not a number")
        folder = self.copy("fig6_joint")
        (folder / "figures").write_text("", encoding="utf-8")
        self.expect_error(folder, "figures", "is a file")

    def test_a_folder_of_another_scenario(self) -> None:
        folder = self.copy("fig4_frp")
        (folder / "fig4_frp").rename(folder / "fig5_lfp")
        self.expect_error(folder, "fig5_lfp", "holds results of the scenario fig4_frp")

    def test_folders_of_other_names_are_further_results(self) -> None:
        folder = self.copy("fig6_joint")
        alone = (check(rnicsim("report", folder)).stdout,
                 (folder / "report.html").read_text(encoding="utf-8"))
        self.assertNotIn("Further results", alone[1])
        run_joint(folder / "fig6 seed7", 20, "--seed", 7)
        check(
            rnicsim("run", SOURCE / "scenarios/examples/minimal.yaml", "--no-plot", "--out",
                    folder / "mine", "--set", "run.transfers=3"))
        # the claims are judged as before
        self.assertEqual(check(rnicsim("report", folder)).stdout, alone[0])
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("Further results", page)
        self.assertIn("Results of the scenario fig6_joint, seed 7", page)
        self.assertIn("Results of the scenario minimal, seed 1", page)
        self.assertTrue((folder / "figures" / "fig6_seed7_mean_us.svg").exists())
        ids = re.findall(r'\bid="([^"]+)"', page)
        self.assertEqual(len(ids), len(set(ids)))

    def test_a_result_folder_by_itself(self) -> None:
        folder = self.copy("fig6_joint")
        shutil.move(folder / "fig6_joint", folder / "fig6_seed7")
        self.assertRegex(
            check(rnicsim("report", folder / "fig6_seed7")).stdout,
            r"2 needs the RTL synthesis, 9 not run\n$")
        page = (folder / "fig6_seed7" / "report.html").read_text(encoding="utf-8")
        self.assertIn('<figure id="fig6_joint">', page)

    def test_what_helps_is_told_apart(self) -> None:
        page = (ROOT / "report.html").read_text(encoding="utf-8")
        self.assertIn("the host's own retry alone (no buffer)".replace("'", "&#x27;"),
                      page.replace("&#39;", "&#x27;"))

    def test_fitted_is_told_from_predicted(self) -> None:
        page = (ROOT / "report.html").read_text(encoding="utf-8")
        self.assertEqual(page.count("fitted: request timer, data timer, retry"), 3)
        self.assertIn("mean of the three fitted", page)

    def test_what_the_paper_gives_is_no_prediction(self) -> None:
        page = (ROOT / "report.html").read_text(encoding="utf-8")
        self.assertRegex(page, r'T2a</td>(?:(?!</tr>).)*given by the paper: 6,144 words')

    def test_incomplete_sweep_is_not_taken_for_a_result(self) -> None:
        folder = self.copy("fig6_joint", "fig4_frp")
        (folder / "fig4_frp" / "summary.csv").unlink()
        check(rnicsim("report", folder))
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("fig4_frp is incomplete", page)
        self.assertIn("Not run: <code>fig4_frp</code>", page)

    def test_plot_draws_theory(self) -> None:
        folder = self.copy("fig6_joint")
        subprocess.run([SOURCE / "scripts/plot", folder / "fig6_joint"], check=True)
        drawn = (folder / "fig6_joint" / "plot.svg").read_bytes()
        self.assertIn(b"<!-- theory -->", drawn)
        subprocess.run([SOURCE / "scripts/plot", folder / "fig6_joint"], check=True)
        self.assertEqual((folder / "fig6_joint" / "plot.svg").read_bytes(), drawn)


@sampling.in_turn(3)
class Browser(BrowserCase):
    """The page in headless Chromium: on a desk, on a phone, in the dark."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.url = (ROOT / "report.html").as_uri()

    def test_no_error_and_no_request(self) -> None:
        self.check_no_error_and_no_request()
        self.assertEqual(self.ask("document.title.length > 10"), True)

    def test_every_figure_is_drawn(self) -> None:
        for width in (1280, 360):
            self.open(width)
            boxes = self.ask(
                """[...document.querySelectorAll('figure svg')].map(s => { const r = s.getBoundingClientRect();
                return [r.width, r.height, s.querySelectorAll('path, use').length, s.querySelectorAll('text').length,
                        s.getAttribute('aria-label').length]; })""")  # noqa: E501
            self.assertGreater(len(boxes), 15)
            for w, h, shapes, texts, label in boxes:
                self.assertGreater(min(w, h), 60)
                self.assertGreater(shapes, 5)
                self.assertGreater(texts, 4)
                self.assertGreater(label, 20)
            self.assertEqual(
                self.ask("document.querySelectorAll('figure').length == "
                         "document.querySelectorAll('figure > figcaption').length"), True)

    def test_text_stays_inside_its_figure(self) -> None:
        for width in (1280, 360):
            self.open(width)
            outside = self.ask(
                """[...document.querySelectorAll('figure svg')].flatMap(s => { const a = s.getBoundingClientRect();
                return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
                    return r.left < a.left - 3 || r.right > a.right + 3 || r.top < a.top - 3 || r.bottom > a.bottom + 3; })
                    .map(t => s.getAttribute('aria-label').slice(0, 40) + ': ' + t.textContent); })"""  # noqa: E501
            )
            self.assertEqual(outside, [])

    def test_nothing_is_wider_than_the_screen(self) -> None:
        self.check_nothing_is_wider_than_the_screen()

    def test_text_can_be_read_on_a_phone(self) -> None:
        self.open(360)
        smallest = self.ask(
            """Math.min(...[...document.querySelectorAll('figure svg text')].filter(t => t.textContent.length > 1)
            .map(t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a))"""  # noqa: E501
        )
        self.assertGreaterEqual(smallest, 7.5)

    def test_light_and_dark(self) -> None:
        for dark in (False, True):
            self.open(1280, dark=dark)
            page = self.ask("getComputedStyle(document.body).backgroundColor")
            self.assertEqual(luminance(page) < 0.1, dark, page)
            inks = self.ask(
                """[...new Set([...document.querySelectorAll('figure svg text, p, td, th, a, figcaption, summary')]
                .map(t => { const s = getComputedStyle(t); return t.closest('svg') ? s.fill : s.color; }))]"""  # noqa: E501
            )
            self.assertGreater(len(inks), 2)
            for ink in inks:
                self.assertGreaterEqual(contrast(ink, page), 4.5, f"{ink} on {page}, dark: {dark}")
            badges = self.ask(
                """[...document.querySelectorAll('.badge')].map(b => { const s = getComputedStyle(b);
                return [s.color, s.backgroundColor]; })""")  # noqa: E501
            for ink, ground in badges:
                self.assertGreaterEqual(contrast(ink, ground), 4.5)
            lines = self.ask(
                """[...new Set([...document.querySelectorAll('figure svg path')].map(p => getComputedStyle(p).stroke))]
                .filter(s => s.startsWith('rgb'))""")  # noqa: E501
            self.assertGreater(max(contrast(line, page) for line in lines), 3)


if __name__ == "__main__":
    unittest.main()
