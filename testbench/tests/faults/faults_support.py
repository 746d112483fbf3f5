# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the machine's faults: a disturbed sweep, its processes, and a full disk.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import cli_test
from cli_test import BIN, SECONDS, CliTest, rnicsim


def workers(pid: Any) -> Any:
    """Process ids of the children of a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def lives(pid: Any) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(
            ")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class DisturbedTest(CliTest):
    """A sweep that is disturbed, and the results that it must give nevertheless."""

    def start_and(self, act: Any, wanted: Any, *options: str) -> Any:
        """Starts a sweep, calls act(process) after its first finished runs, until the exit code is
        the wanted one: a sweep that is over too soon is started again with longer runs. Returns
        (transfers, out, stderr)."""
        transfers = 50
        for attempt in range(8):
            out = self.folder / f"attempt{attempt}"
            with subprocess.Popen(
                [BIN, *self.sweep(out, *(options or ("--jobs", "1")), transfers=transfers)],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                deadline = time.monotonic() + SECONDS
                while process.poll() is None and len(
                        self.finished(out)) < 2 and time.monotonic() < deadline:
                    time.sleep(0.002)
                if process.poll() is None:
                    act(process)
                _, errors = process.communicate(timeout=SECONDS)
            if process.returncode == wanted:
                return transfers, out, errors
            self.assertEqual(process.returncode, 0, errors)
            transfers *= 3
        raise AssertionError("the sweep was always over before anything could be done to it")

    def continue_and_compare(self, transfers: int, out: Path) -> None:
        """The same command: nothing finished is simulated again, and the results are those of an
        undisturbed sweep."""
        before = self.finished(out)
        self.assertFalse((out / "summary.csv").exists(),
                         "incomplete results must not look complete")
        self.expect(0, rnicsim(*self.sweep(out, "--jobs", "2", transfers=transfers)))
        after = self.finished(out)
        self.assertEqual(before, {file: after[file]
                                  for file in before}, "a finished run was simulated again")
        self.expect_undisturbed(transfers, out)

    def expect_undisturbed(self, transfers: int, out: Path) -> None:
        whole = self.folder / f"whole{transfers}"
        self.expect(0, rnicsim(*self.sweep(whole, "--jobs", "2", transfers=transfers)))
        self.assertEqual((out / "summary.csv").read_bytes(), (whole / "summary.csv").read_bytes())
        self.assertEqual({file.name
                          for file in self.finished(out)},
                         {file.name
                          for file in self.finished(whole)})
        self.assertEqual([file for file in out.rglob("*") if ".tmp" in file.name], [],
                         "something half written was left")


class SmallDisk:
    """A file system of 1 MiB with all but some of it in use. Needs the right to mount one."""

    SIZE = 1 << 20

    def __init__(self, test: Any, name: str = "disk", *options: str) -> None:
        self.path = test.folder / name
        self.path.mkdir()
        subprocess.run([
            "mount", "-t", "tmpfs", "-o", ",".join((f"size={self.SIZE}", *options)), "rnicsim_test",
            str(self.path)
        ], check=True)
        test.addCleanup(subprocess.run, ["umount", "--lazy", str(self.path)], check=True)

    def fill(self, left: int = 0) -> None:
        """Leaves so many bytes, in whole pages of 4 KiB."""
        self.free()
        state = os.statvfs(self.path)
        with (self.path / "filler").open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, state.f_bavail * state.f_frsize - left)

    def free(self) -> None:
        (self.path / "filler").unlink(missing_ok=True)


def set_up() -> None:
    cli_test.setUpModule()
