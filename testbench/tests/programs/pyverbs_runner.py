#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of rdma-core's pyverbs and prints a line for each: its name, how it ended, why. Not a
test itself: pyverbs_test.py starts it on a simulated host.
Usage: pyverbs_runner.py FOLDER DEVICE MODULE...     FOLDER: that of the package `tests`"""
import gc
import importlib
import os
import random
import sys
import traceback
import unittest
from typing import Any


class Lines(unittest.TestResult):
    def tell(self, test: unittest.TestCase, end: str, reason: str = "") -> None:
        print("RESULT", test.id().removeprefix("tests."), end, " ".join(reason.split()), flush=True)

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        random.seed(test.id())  # sizes of queues, flags: drawn, and the same each time

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.tell(test, "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.tell(test, "skipped", reason)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        traceback.print_exception(*err)
        self.tell(test, "failed", f"{err[0].__name__}: {err[1]}")

    addFailure = addError

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            self.addError(test, err)


def main(folder: str, device: str, modules: list[str]) -> None:
    # of a cycle Python 3.13 ends a Context before its CQs, which pyverbs 56 then destroys
    gc.disable()
    sys.path[:0] = [folder, f"{folder}/tests"]
    arguments = importlib.import_module("args_parser").parser
    sys.argv = [sys.argv[0], "--dev", device]
    arguments.parse_args()
    suite = unittest.TestLoader().loadTestsFromNames([f"tests.{name}" for name in modules])
    suite.run(Lines())
    # Python's end would collect the same cycles.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
