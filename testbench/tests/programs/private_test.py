#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run of rnicsim exec lets others see and leaves behind: its folder for the socket, the
paths of libraries, whom programs trust."""
import os
import pathlib
import signal
import stat
import subprocess
import tempfile
import time
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
LIBRARIES = os.environ["RNICSIM_PROGRAMS_FOLDER"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
NOBODY = 65534
WAITS = ("sh", "-c", "echo begun; read line")  # until it is given a line


def begin(folder: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([PROGRAM, "exec", SCENARIO, "--on", "a", "--", *words], env={
        **os.environ, "TMPDIR": folder
    }, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def begun(folder: str) -> subprocess.Popen[str]:
    run = begin(folder, *WAITS)
    assert run.stdout and run.stdout.readline() == "begun\n"
    return run


def end(run: subprocess.Popen[str]) -> None:
    run.communicate("\n", timeout=60)


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def test_it_is_its_users_only_and_its_name_cannot_be_foreseen(self) -> None:
        runs = [begun(self.folder) for _ in range(2)]
        names = os.listdir(self.folder)
        for name in names:
            self.assertRegex(name, r"^rnicsim-exec-\w{6}$")
            self.assertEqual(stat.S_IMODE(os.stat(f"{self.folder}/{name}").st_mode), 0o700)
        self.assertEqual(len(names), 2)
        for run in runs:
            end(run)
        self.assertEqual(os.listdir(self.folder), [])

    def test_every_signal_that_ends_a_run_lets_it_clear_up(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            with self.subTest(number):
                run = begun(self.folder)
                run.send_signal(number)
                end(run)
                self.assertEqual(os.listdir(self.folder), [])
                self.assertEqual(run.returncode, 130)

    def test_so_does_a_reader_that_has_gone(self) -> None:
        run = begun(self.folder)
        assert run.stderr and run.stdin
        run.stderr.close()
        run.stdin.write("\n")
        run.stdin.flush()
        run.wait(timeout=60)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_next_run_clears_what_a_killed_one_has_left_and_nothing_else(self) -> None:
        alive, killed = begun(self.folder), begun(self.folder)
        killed.kill()
        end(killed)
        others = {"rnicsim-exec-of-mine", "rnicsim-exec-", "rnicsim-exec-abcdef"}
        for name in others:
            # the last one has such a name, but not the mode of a run's
            os.mkdir(f"{self.folder}/{name}", 0o755)
        self.assertEqual(len(os.listdir(self.folder)), 2 + len(others))
        end(begun(self.folder))
        left = set(os.listdir(self.folder))
        self.assertEqual(len(left), 1 + len(others))
        self.assertLess(others, left)
        end(alive)
        self.assertEqual(set(os.listdir(self.folder)), others)


class Libraries(unittest.TestCase):
    def test_the_current_folder_is_not_among_them(self) -> None:
        for given, seen in ((None, LIBRARIES), ("", LIBRARIES), ("/opt/mine",
                                                                 LIBRARIES + ":/opt/mine")):
            with self.subTest(given):
                environment = {
                    name: value
                    for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"
                }
                if given is not None:
                    environment["LD_LIBRARY_PATH"] = given
                done = subprocess.run([
                    PROGRAM, "exec", SCENARIO, "--on", "a", "--", "sh", "-c",
                    "echo $LD_LIBRARY_PATH; echo $LD_PRELOAD"
                ], env=environment, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.stdout, f"{seen}\n{LIBRARIES}/librnicsim_preload.so\n",
                                 done.stderr)


class Trust(unittest.TestCase):
    def test_a_program_talks_to_no_other_users_process(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("another user is needed, and this test is not root")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            path = f"{folder}/socket"
            with subprocess.Popen([PROGRAM, "serve", SCENARIO, "--socket", path],
                                  stderr=subprocess.DEVNULL) as server:
                try:
                    for _ in range(2000):
                        if os.path.exists(path):
                            break
                        time.sleep(0.01)
                    os.chmod(path, 0o777)
                    environment = {
                        "PATH": os.environ["PATH"],
                        "RNICSIM_SOCKET": path,
                        "RNICSIM_HOST": "a",
                        "LD_LIBRARY_PATH": LIBRARIES,
                        "LD_PRELOAD": f"{LIBRARIES}/librnicsim_preload.so"
                    }
                    look = ["/bin/sh", "-c", f"test -r {LIBRARIES}/librnicsim_preload.so"]
                    if subprocess.run(look, user=NOBODY, group=NOBODY, extra_groups=[],
                                      check=False).returncode != 0:
                        self.skipTest("another user cannot read the libraries of this build")
                    done = subprocess.run(["ibv_devinfo"], user=NOBODY, group=NOBODY,
                                          extra_groups=[], env=environment, capture_output=True,
                                          text=True, timeout=60, check=False)
                    self.assertIn(
                        f"another user's process, and no simulator of this one, is at {path}",
                        done.stderr)
                finally:
                    server.terminate()


if __name__ == "__main__":
    unittest.main()
