# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests of pages: on a desk, on a phone, in the dark. Not a test by
itself."""

import json
import os
import re
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from rnicsim import sampling

QUICK = "test_no_error_and_no_request"  # of each page, what is always tried
SECONDS = 20  # that a page may take to react


def luminance(colour: Any) -> Any:
    channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: Any, b: Any) -> Any:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class BrowserCase(unittest.TestCase):
    """A class that tests a page sets `url` in its setUpClass, after this one's. Skipped where the
    browser is missing; but for QUICK, left to RNICSIM_ALL=1: each loads the page several times."""
    driver: Any

    FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--hide-scrollbars")
    url = ""

    @classmethod
    def setUpClass(cls) -> None:
        missing = [
            file for file in ("/usr/bin/chromium", "/usr/bin/chromedriver")
            if not os.path.exists(file)
        ]
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.service import Service
        except ImportError:
            missing.append("selenium")
        if missing:
            print(
                f"SKIPPED: the browser tests need {', '.join(missing)} (Debian: chromium "
                "chromium-driver python3-selenium)"
            )
            raise unittest.SkipTest(f"{', '.join(missing)} missing")
        profile = tempfile.mkdtemp(prefix="rnicsim_browser_")
        cls.addClassCleanup(shutil.rmtree, profile, ignore_errors=True)
        options: Any = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (*cls.FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.addClassCleanup(cls.driver.quit)

    def setUp(self) -> None:
        if self._testMethodName != QUICK and not sampling.wants_all():
            self.skipTest(f"left to --all: in the browser, {self.id().removeprefix('__main__.')}")

    def media(self, dark: Any = False, medium: Any = "") -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, width: Any, dark: bool = False, closed: bool = True, medium: str = "") -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width,
            "height": 800,
            "deviceScaleFactor": 1,
            "mobile": width < 600
        })
        self.media(dark, medium)
        self.driver.get(self.url)
        if not closed:
            self.driver.execute_script(
                "document.querySelectorAll('details').forEach(d => d.open = true)")

    def ask(self, script: Any, *arguments: Any) -> Any:
        return self.driver.execute_script("return " + script, *arguments)

    def until(self, script: Any) -> Any:
        """The answer once there is one: a page may react late on a busy machine."""
        end = time.monotonic() + SECONDS
        while not (answer := self.ask(script)) and time.monotonic() < end:
            time.sleep(0.05)
        return answer

    def check_no_error_and_no_request(self) -> None:
        self.driver.get("about:blank")  # the browser's start page sends many requests
        self.driver.get_log("browser"), self.driver.get_log("performance")
        self.open(1280)
        self.assertEqual(self.driver.get_log("browser"), [])
        events = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        requested = {
            e["params"]["request"]["url"]
            for e in events if e["method"] == "Network.requestWillBeSent"
        }
        self.assertIn(self.url, requested)
        self.assertEqual({url for url in requested if not url.startswith("data:")}, {self.url})

    def check_nothing_is_wider_than_the_screen(self) -> None:
        for width in (320, 360, 800, 1280):
            for closed in (True, False):
                self.open(width, closed=closed)
                self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
