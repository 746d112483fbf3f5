#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of rdma-core's own pyverbs on a simulated host, against pyverbs.txt: what passes there
has to pass, and what is skipped or fails has to be in the list with its reason. A test that ends
otherwise than the list says, better or worse, is red.

The list is of rdma-core 44 (Debian 12). With another version only what is in both is compared, and
what the list does not have is printed.
    pyverbs_test.py --write     writes the list anew, from a run"""
import collections
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
FOLDER = SOURCES / "testbench/tests/programs"
LIST = FOLDER / "pyverbs.txt"
TESTS = pathlib.Path("/usr/share/doc/rdma-core/tests")
VERSION = "44"
# Why a test may be skipped on one machine and pass on another.
OF_THE_MACHINE = ("There are no huge pages", "Allocating dmabuf")
# Not a vendor's, and of what needs no hardware of its own.
OTHERS = re.compile(r"test_(mlx5|efa|cuda)")


def modules() -> list[str]:
    names = {path.name.removesuffix(".gz").removesuffix(".py") for path in TESTS.glob("test_*.py*")}
    return sorted(name for name in names if not OTHERS.match(name))


def results() -> Any:
    """How each test ended, and why; and what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "tests"
        package.mkdir()
        for path in TESTS.glob("*.py*"):  # Debian compresses the long ones
            opened = gzip.open(path) if path.suffix == ".gz" else path.open("rb")
            with opened as source:
                (package / path.name.removesuffix(".gz")).write_bytes(source.read())
        # its own loads all modules, also vendors'
        (package / "__init__.py").write_text("", encoding="utf-8")
        runner = [
            "/usr/bin/python3", "-B",
            str(FOLDER / "pyverbs_runner.py"), folder, "rnicsim0", *modules()
        ]
        scenario = str(SOURCES / "scenarios/programs/two_hosts.yaml")
        # Version 56 asks the kernel for the interface of the card, which it does not know.
        rdma = pathlib.Path(folder) / "rdma"
        rdma.write_text(
            "#!/bin/sh\necho '[{\"ifname\": \"rnicsim0\", \"port\": 1, \"netdev\": \"lo\"}]'\n",
            encoding="utf-8")
        rdma.chmod(0o755)
        done = subprocess.run([PROGRAM, "exec", scenario, "--on", "a", "--", *runner],
                              capture_output=True, text=True, timeout=300, check=False, env={
                                  **os.environ, "PATH": f"{folder}:{os.environ['PATH']}"
                              })
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise AssertionError(f"the runner ended with {done.returncode}:\n{said[-5000:]}")
    lines = re.findall(r"^RESULT (\S+) (passed|skipped|failed) ?(.*)$", done.stdout, re.MULTILINE)
    return {name: (end, reason) for name, end, reason in lines}, said


def listed() -> dict[str, tuple[str, ...]]:
    """How each test may end."""
    lines = [
        line.split(" | ") for line in LIST.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return {
        line[0]: (line[1], "passed") if line[-1].startswith(OF_THE_MACHINE) else (line[1], )
        for line in lines
    }


class Pyverbs(unittest.TestCase):
    def setUp(self) -> None:
        query = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "python3-pyverbs"],
                               capture_output=True, text=True, check=False)
        if query.returncode != 0 or not TESTS.is_dir() or shutil.which("/usr/bin/python3") is None:
            self.skipTest("pyverbs and its tests are not installed (Debian: python3-pyverbs)")
        if shutil.which("ip") is None:
            self.skipTest("ip, which its tests call, is not installed (Debian: iproute2)")
        self.version = query.stdout.split(".")[0]

    def test_each_ends_as_the_list_says(self) -> None:
        wanted = listed()
        ended, said = results()
        counts = collections.Counter(end for end, _ in ended.values())
        sums = ", ".join(f"{counts[end]} {end}" for end in ("passed", "failed", "skipped"))
        print(f"pyverbs {self.version}: {len(ended)} tests of {len(modules())} modules: {sums}")
        unknown = sorted(ended.keys() - wanted.keys())
        if self.version != VERSION:
            print(f"the list is of version {VERSION}; not in it: " +
                  (", ".join(f"{name} {ended[name][0]}" for name in unknown) or "none"))
            wanted = {name: end for name, end in wanted.items() if name in ended}
            # Of version 56: a FLUSH that completes, one without the right.
            wanted |= {
                name: ("passed", )
                for name in unknown if name.startswith("test_qpex.QpExTestCase.test_qp_ex_rc_flush")
            }
            unknown = []
        others = [
            f"{name}: {' '.join(ended.get(name, ('not run', ''))).strip()}; the list says {ends[0]}"
            for name, ends in wanted.items() if ended.get(name, ("", ""))[0] not in ends
        ]
        others += [f"{name}: {' '.join(ended[name])}; not in the list" for name in unknown]
        self.assertEqual(others, [], "\n".join(others) + "\n" + said[-5000:])
        self.assertGreaterEqual(counts["passed"], 60)


def write() -> None:
    ended, _ = results()
    head = "".join(line + "\n" for line in LIST.read_text(encoding="utf-8").splitlines()
                   if line.startswith("#"))
    rows = [
        " | ".join(filter(None, (name, end, re.sub(r"by /dev/dri/\S+", "here", reason))))
        for name, (end, reason) in sorted(ended.items())
    ]
    LIST.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
