#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/plot and `rnicsim report` draw of anybody's sweep, looked at in Chromium: every kind
of picture, no text over another, no legend without a line. Environment: RNICSIM_BIN,
RNICSIM_SOURCE_DIR. Needs chromium, chromium-driver and python3-selenium."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from browser import BrowserCase

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
from rnicsim import sampling  # noqa: E402

WORK = Path(tempfile.mkdtemp(prefix="rnicsim_pictures_"))
RUN = (
    "run: {size: 8 KiB, transfers: 3, repetitions: 3, sweep: [SWEEP]}\nsystem: {link: {loss: 2 "
    "%}}\n"
)
LOSS = (
    "{name: a rather long name of the loss on the link, keys: [system.link.loss], values: [0 %, 1 "
    "%, 5 %, 20 %]}"
)
FAILURE = "{name: failure, keys: [system.host.registration.failure], values: [VALUES]}"
WINDOW = "{name: window, keys: [system.rnic.drp.window], values: [2, 8]}"
NETWORK = """
system: {hosts: {server: {}, client: {count: 2}, lone: {}}, switches: {s0: {}}, links: [{between: [server, s0]}, {between: [client, s0]}, {between: [lone, s0]}]}
run:
  repetitions: 2
  traffic: [{name: bulk, from: client, to: server, size: 8 KiB, transfers: 3}, {name: short, from: lone, to: server, size: 64 B, transfers: 3}]
  sweep: [{name: clients, keys: [system.hosts.client.count], values: [1, 2, 4, 8]}]
"""  # noqa: E501
PLAIN = """
system: {rnic: {personality: plain}, hosts: {sink: {}, source: {count: 2}}, switches: {s0: {}}, links: [{between: [sink, s0]}, {between: [source, s0]}]}
run: {repetitions: 2, traffic: [{from: source, to: sink, size: 1 KiB, transfers: 20, pace: 400 Mbps}]}
"""  # noqa: E501
LONG = NETWORK.replace("name: bulk", "name: a_very_long_item_name_that_goes_on").replace(
    "1, 2, 4, 8]}]", """1, 2]}
    - {keys: [system.switch.buffer], values: [8 KiB, 128 KiB]}
    - {keys: [system.rnic.drp.resume_rule], values: [window_full, told]}""").replace(
        "sweep: [", "sweep:\n    - ")
QUANTA = (
    "{name: quanta, keys: [run.size], values: [1000 B, 1900 B, 2000 B, 3000 B, 3900 B, 4000 B, "
    "5000 B, 65535 B]}"
)
# Name -> (scenario, options of scripts/plot, panels, words that its texts have)
KINDS = {
    "bars": (RUN.replace(", sweep: [SWEEP]", ""), (), 2, ["traditional"]),
    "lines": (RUN.replace("SWEEP", LOSS), (), 2, ["traditional", "dynamic", "gain of dynamic (%)"]),
    "words": (RUN.replace(
        "SWEEP",
        "{name: resume, keys: [system.rnic.drp.resume_on_valid_ack], values: [true, false]}"),
              (), 2, ["true", "false"]),
    "groups": (RUN.replace("SWEEP", f"{LOSS}, {WINDOW}"), (), 3, ["window", "2", "8"]),
    "heat": (RUN.replace(
        "SWEEP",
        f"{FAILURE.replace('VALUES', ', '.join(f'{n} %' for n in range(0, 80, 10)))}, "
        f"{WINDOW.replace('2, 8', '1, 2, 3, 4, 5, 6, 8')}"
    ), (), 3, ["70 %", "dot: beyond its interval"]),
    "facets": (RUN.replace("SWEEP", f"{LOSS}, {FAILURE.replace('VALUES', '0 %, 10 %')}, {WINDOW}"),
               (), 6, ["failure", "window 2   traditional"]),
    "network": (NETWORK, (), 4, ["traffic bulk", "traffic short"]),
    "shares": (NETWORK, ("--of", "goodput_gbps", "--title", "another title", "--size", "9x7"), 2,
               ["another title", "goodput (Gb/s)"]),
    "plain": (PLAIN, (), 1, ["simulated"]),
    "near": (RUN.replace("SWEEP", QUANTA), (), 2, ["1000", "65535"]),
    "near_heat": (RUN.replace("SWEEP",
                              f"{QUANTA}, {WINDOW}"), ("--form", "heat"), 3, ["1000 B", "65535 B"]),
    "long": (LONG, (), 12, ["a_very_long_item_name_that_goes_on", "traditional", "dynamic"]),
    "lost": (PLAIN.replace("pace: 400 Mbps",
                           "pace: 900 Mbps").replace("s0: {}", "s0: {buffer: 2 KiB}"), (), 1,
             ["failed, not in these times"]),
}

TEXTS = """
    const corners = t => { const b = t.getBBox(), m = t.getScreenCTM(), d = b.height * 0.2;
        return [[b.x, b.y + d], [b.x + b.width, b.y + d], [b.x + b.width, b.y + b.height - d], [b.x, b.y + b.height - d]]
            .map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]); };
    const apart = (p, q) => [p, q].some(r => r.some((from, i) => { const to = r[(i + 1) % 4], n = [to[1] - from[1], from[0] - to[0]];
        const along = s => s.map(c => c[0] * n[0] + c[1] * n[1]);
        return Math.max(...along(p)) <= Math.min(...along(q)) || Math.max(...along(q)) <= Math.min(...along(p)); }));
    const wrong = svg => { const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()), places = texts.map(corners), found = [];
        const box = svg.getBoundingClientRect();
        texts.forEach((t, i) => { const xs = places[i].map(c => c[0]), ys = places[i].map(c => c[1]);
            if (Math.min(...xs) < box.left - 1 || Math.max(...xs) > box.right + 1 || Math.min(...ys) < box.top - 1 || Math.max(...ys) > box.bottom + 1)
                found.push('outside: ' + t.textContent);
            for (let j = 0; j < i; ++j) if (!apart(places[i], places[j])) found.push(texts[j].textContent + ' | ' + t.textContent); });
        return found; };
"""  # noqa: E501


def run(name: Any, text: str) -> None:
    file = WORK / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run([BIN, "run", file, "--no-plot", "--out", WORK / name],
                          capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def plot(*arguments: str | Path) -> Any:
    """With text as text, so that a browser can tell where it stands."""
    return subprocess.run([SOURCE / "scripts/plot", *map(str, arguments)], capture_output=True,
                          text=True, timeout=300, check=False, env={
                              **os.environ, "MATPLOTLIBRC": str(WORK / "matplotlibrc")
                          })


def setUpModule() -> None:
    (WORK / "matplotlibrc").write_text("svg.fonttype: none\n", encoding="utf-8")
    for name, (text, _, _, _) in KINDS.items():
        run(name, text)


class Pictures(BrowserCase):
    def setUp(self) -> None:
        """All of them, always: each loads its page once."""

    def look(self, file: Any) -> None:
        self.url = Path(file).as_uri()
        self.open(1280, closed=False)

    def wrong_in_figures(self) -> Any:
        return self.driver.execute_script(
            TEXTS + """return [...document.querySelectorAll('figure svg')].flatMap(s =>
            wrong(s).map(what => s.getAttribute('aria-label') + ': ' + what))""")

    @sampling.in_turn(3)
    def test_the_committed_page_of_a_family(self) -> None:
        self.look(SOURCE / "results/bridge/report.html")
        self.assertEqual(self.wrong_in_figures(), [])
        self.assertGreater(self.ask("document.querySelectorAll('figure svg').length"), 40)

    @sampling.in_turn(3)
    def test_every_kind(self) -> None:
        for name, (_, options, panels, said) in KINDS.items():
            with self.subTest(name):
                done = plot(WORK / name, *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.look(WORK / name / "plot.svg")
                self.assertEqual(
                    self.driver.execute_script(TEXTS + "return wrong(document.documentElement)"),
                    [])
                texts = self.ask("[...document.querySelectorAll('text')].map(t => t.textContent)")
                for words in said:
                    self.assertIn(words, " ".join(texts))
                bars = self.ask("document.querySelectorAll('g[id^=axes_]').length")
                colour_bars = panels if "heat" in name else 0
                self.assertEqual(bars, panels + colour_bars)
                for entries, lines in self.ask(
                        """[...document.querySelectorAll('g[id^=legend_]')].map(g =>
                        [g.querySelectorAll('text').length, g.querySelectorAll('g[id^=line2d_]').length])"""  # noqa: E501
                ):
                    self.assertGreater(entries, 0)
                    self.assertGreater(lines, 0)

    def test_the_look_finds_what_is_wrong(self) -> None:
        file = WORK / "wrong.svg"
        file.write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><text x="10" '
            'y="50">one</text><text x="14" y="52">two</text>'
            '<text x="190" y="20">beyond</text></svg>', encoding="utf-8")
        self.look(file)
        self.assertEqual(
            self.driver.execute_script(TEXTS + "return wrong(document.documentElement)"),
            ["one | two", "outside: beyond"])

    @sampling.in_turn(3)
    def test_the_page_of_any_results(self) -> None:
        folder, shown = WORK / "page", ("bars", "groups", "heat", "long", "lost", "near", "network",
                                        "plain")
        for name in shown:
            shutil.copytree(WORK / name, folder / name)
        done = subprocess.run([BIN, "report", folder], capture_output=True, text=True, timeout=600,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{folder}/report.html: {len(shown)} results\n")
        self.url = (folder / "report.html").as_uri()
        self.check_no_error_and_no_request()
        self.check_nothing_is_wider_than_the_screen()
        self.open(1280)
        self.assertEqual(self.wrong_in_figures(), [])
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.assertGreaterEqual(page.count("<figure "), 2 * len(shown))
        for said in ("where the time goes, traffic short",
                     "frames that have arrived, and left, by these ports", "s0.server.in_frames",
                     "Jain", "frames carried from client to s0, copies included"):
            self.assertIn(said, page)
        self.assertNotIn("Gigabit", page)  # nothing of the paper's
        for name in shown:
            self.assertTrue((folder / "figures" / f"{name}_mean_us.svg").exists(), name)


class Options(unittest.TestCase):
    def test_formats_and_name(self) -> None:
        self.assertEqual(
            plot(WORK / "lines", "--formats", "pdf,png", "--name", "other").returncode, 0)
        self.assertEqual((WORK / "lines/other.pdf").read_bytes()[:5], b"%PDF-")
        self.assertEqual((WORK / "lines/other.png").read_bytes()[:4], b"\x89PNG")
        self.assertFalse((WORK / "lines/other.svg").exists())

    def test_same_input_same_bytes(self) -> None:
        files = [WORK / "lines" / f"twice.{kind}" for kind in ("png", "svg", "pdf")]
        drawn = []
        for _ in range(2):
            self.assertEqual(
                plot(WORK / "lines", "--formats", "png,svg,pdf", "--name", "twice").returncode, 0)
            drawn.append([file.read_bytes() for file in files])
        self.assertEqual(*drawn)

    def test_a_choice_of_points(self) -> None:
        self.assertEqual(
            plot(WORK / "facets", "--where", "window=2", "--first", "failure", "--name",
                 "chosen").returncode, 0)
        text = (WORK / "facets/chosen.svg").read_text(encoding="utf-8")
        self.assertEqual(text.count('<g id="axes_'), 3)
        self.assertNotIn("window", text)

    def test_what_cannot_be_drawn(self) -> None:
        for options, said in ((("--of", "speed"), "invalid choice: 'speed'"),
                              (("--where", "window=3"),
                               "found '3', expected a value of window: 2; 8"),
                              (("--where", "loss"),
                               "found 'loss', expected AXIS=VALUE with an axis of"),
                              (("--first", "x"), "--first: found 'x', expected an axis of"),
                              (("--size", "0x5"),
                               "found '0x5', expected inches as 8x5, each from 1 to 100"),
                              (("--formats", "gif"),
                               "found 'gif', expected some of"), (("--name", "a/b"), "found 'a/b'"),
                              (("--of", "jain"), "has no column jain: it is not of a network")):
            with self.subTest(options):
                done = plot(WORK / "facets", *options)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
