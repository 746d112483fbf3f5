#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The verbs library of testbench/programs without the simulator: its names beside Debian's library,
and programs over a stand-in."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest
from typing import Any

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
LIBRARY = pathlib.Path(os.environ["RNICSIM_PROGRAMS_FOLDER"]) / "libibverbs.so.1"
STAND_IN = os.environ["RNICSIM_FAKE_SIMULATOR"]
CALLS = os.environ["RNICSIM_VERBS_CALLS"]
SYMBOLS = SOURCES / "testbench/programs/library/symbols.txt"
GENERATE = SOURCES / "testbench/programs/library/generate"

PAIRS = ("ibv_rc_pingpong -g 0 -c", "ibv_rc_pingpong -g 0 -c -e", "ibv_rc_pingpong -g 0 -c -N",
         "ibv_rc_pingpong -g 0 -t", "ibv_uc_pingpong -g 0 -c", "ibv_ud_pingpong -g 0 -e",
         "ibv_srq_pingpong -g 0 -e", "ib_write_lat -F -n 200", "ib_read_lat -F -n 200",
         "ib_send_lat -F -n 200 -c UC -e", "ib_atomic_lat -F -n 200", "ib_write_bw -F -n 500 -q 4",
         "ib_read_bw -F -n 500", "ib_send_bw -F -n 500 -c UD",
         "ib_send_bw -F -n 500 --use-srq -r 64", "ib_atomic_bw -F -n 500",
         "strict ibv_rc_pingpong -g 0 -c -e", "strict ib_send_lat -F -n 200")
LINKED = ("ibv_devices", "ibv_devinfo", "ibv_rc_pingpong", "ibv_srq_pingpong", "ib_write_lat",
          "ib_send_bw", "rping", "ucmatose")


def installed_library() -> str | None:
    """Debian's own, wherever the loader has it."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True,
                           check=True).stdout
    found = re.search(r"libibverbs\.so\.1 .*=> (\S+)", cache)
    return found[1] if found else None


def exported(library: pathlib.Path | str) -> set[str]:
    """Names with their versions, as name@@version."""
    table = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", str(library)], capture_output=True, text=True,
        check=True).stdout
    rows = [line.split() for line in table.splitlines()]
    return {row[7] for row in rows if len(row) >= 8 and row[6] != "UND" and "@" in row[7]}


def listed() -> list[list[str]]:
    return [line.split() for line in SYMBOLS.read_text().splitlines() if not line.startswith("#")]


def environment(path: str = "") -> dict[str, str]:
    return {
        **os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent),
        "RNICSIM_SOCKET": path,
        "LD_BIND_NOW": "1"
    }


@contextlib.contextmanager
def stand_in(*options: str) -> typing.Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        server = subprocess.Popen([STAND_IN, path, *options], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        assert server.stdin and server.stdout
        try:
            assert server.stdout.readline() == "ready\n"
            yield environment(path)
        finally:
            server.stdin.close()
            server.stdout.close()
            server.wait(10)


def run(command: Any, env: dict[Any, Any]) -> Any:
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


class Names(unittest.TestCase):
    def test_the_library_exports_what_the_list_says(self) -> None:
        self.assertEqual(exported(LIBRARY), {row[0] for row in listed()})

    def test_the_list_is_what_debian_exports(self) -> None:
        debian = installed_library()
        if debian is None:
            self.skipTest("libibverbs1 is not installed")
        names = exported(debian)
        self.assertGreater(len(names), 100)
        self.assertEqual(names - {row[0] for row in listed()}, set())
        self.assertEqual({row[0] for row in listed() if "trixie" not in row} - names, set())

    def test_each_name_that_is_written_is_in_a_source(self) -> None:
        text = "".join(file.read_text() for file in SYMBOLS.parent.glob("*.cpp"))
        for row in listed():
            name = row[0].split("@")[0]
            if row[1] == "written":
                self.assertRegex(text, rf"[ *]{name}\(", name)

    def test_a_wrong_line_of_the_list_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder) / "symbols.txt"
            wrong.write_text("ibv_alloc_pd IBVERBS_1.1 written\n")
            done = run(
                [sys.executable,
                 str(GENERATE),
                 str(wrong), f"{folder}/stubs.cpp", f"{folder}/map"], dict(os.environ))
            self.assertEqual((done.returncode, "not a line" in done.stderr), (1, True))

    def test_programs_in_c_need_no_library_of_c_plus_plus(self) -> None:
        for library in (LIBRARY, LIBRARY.parent / "librnicsim_preload.so"):
            needs = re.findall(r"NEEDED.*\[(.*)\]",
                               run(["readelf", "-d", str(library)], dict(os.environ)).stdout)
            self.assertIn("libc.so.6", needs)
            self.assertEqual([name for name in needs if "stdc++" in name or "gcc" in name], [])

    def test_programs_find_every_symbol(self) -> None:
        for program in LINKED:
            with self.subTest(program):
                path = shutil.which(program)
                if path is None:
                    self.skipTest(f"{program} is not installed")
                done = run(["ldd", "-r", path], environment())
                self.assertIn(str(LIBRARY), done.stdout)
                self.assertNotRegex(done.stdout + done.stderr, "undefined|not found")

    def test_values_have_the_names_and_rates_that_debian_gives_them(self) -> None:
        debian = installed_library()
        if debian is None:
            self.skipTest("libibverbs1 is not installed")
        script = (
            "import ctypes, sys\n"
            "library = ctypes.CDLL(sys.argv[1])\n"
            "for name, most in (('wc_status', 30), ('node_type', 12), ('port_state', 10), "
            "('event_type', 30)):\n"
            "    function = getattr(library, f'ibv_{name}_str')\n"
            "    function.restype = ctypes.c_char_p\n"
            "    print(name, [function(value) for value in range(-1, most)])\n"
            "print([(library.ibv_rate_to_mult(code), library.ibv_rate_to_mbps(code)) for code in "
            "range(30)])\n"
            "print([library.mult_to_ibv_rate(mult) for mult in range(-1, 1000)])\n"
            "print([(mbps, library.mbps_to_ibv_rate(mbps)) for mbps in range(1300000) if "
            "library.mbps_to_ibv_rate(mbps)])\n"
        )
        theirs, ours = (run(
            [sys.executable, "-c", script, str(library)], dict(os.environ))
                        for library in (debian, LIBRARY))
        self.assertGreater(len(theirs.stdout), 1000)
        self.assertEqual(ours.stdout, theirs.stdout)


class Programs(unittest.TestCase):
    def test_ibv_devinfo_shows_the_card(self) -> None:
        if shutil.which("ibv_devinfo") is None:
            self.skipTest("ibv_devinfo is not installed (ibverbs-utils)")
        with stand_in() as env:
            done = run(["ibv_devinfo", "-v"], env)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in (r"hca_id:\s+rnicsim0", r"max_cqe:\s+1048576", r"state:\s+PORT_ACTIVE",
                     r"active_mtu:\s+1024", r"active_width:\s+4X", r"active_speed:\s+25\.0 Gbps",
                     r"GID\[\s*0\]:\s+::ffff:10\.0\.0\.1, RoCE v2"):
            self.assertRegex(done.stdout, line)

    def test_pairs_of_programs_reach_their_end(self) -> None:
        for pair in PAIRS:
            with self.subTest(pair):
                mode = ["strict"] if pair.startswith("strict") else []
                command = pair.split()[len(mode):]
                if shutil.which(command[0]) is None:
                    self.skipTest(f"{command[0]} is not installed (ibverbs-utils, perftest)")
                command += ["-p", free_port()]
                with stand_in(*mode) as env, tempfile.TemporaryFile("w+") as said:
                    server = subprocess.Popen(command, env=env, stdout=said,
                                              stderr=subprocess.STDOUT)
                    for _ in range(100):  # until the server listens
                        client = run(command + ["127.0.0.1"], env)
                        if client.returncode == 0 or server.poll(
                        ) is not None or "onnect" not in client.stdout + client.stderr:
                            break
                    code = server.wait(30)
                    said.seek(0)
                    self.assertEqual((client.returncode, code), (0, 0),
                                     client.stdout + client.stderr + said.read())

    def test_without_a_simulator_there_is_no_device(self) -> None:
        if shutil.which("ibv_devices") is None:
            self.skipTest("ibv_devices is not installed (ibverbs-utils)")
        for path, why in (("", "no environment variable RNICSIM_SOCKET"),
                          ("/nowhere", "no simulator at /nowhere")):
            done = run(["ibv_devices"], environment(path))
            self.assertNotIn("rnicsim0", done.stdout)
            self.assertEqual(done.stderr.count("rnicsim:"), 1)
            self.assertIn(why, done.stderr)


class Calls(unittest.TestCase):
    """The cases of calls_*.cpp, each a program of its own."""

    def test_cases(self) -> None:
        cases = run([CALLS, "--list"], dict(os.environ)).stdout.splitlines()
        self.assertGreater(len(cases), 20)
        for case in cases:
            options = {
                "strict": ["strict"],
                "slow": ["slow"],
                "loss": ["end-after", "200"]
            }.get(case.split(":")[0], [])
            with self.subTest(case), stand_in(*options) as env:
                done = run([CALLS, case], env)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_refused_is_said_once(self) -> None:
        with stand_in() as env:
            said = run([CALLS, "what is not there fails with EOPNOTSUPP"], env).stderr
        for name in ("ibv_alloc_mw", "ibv_attach_mcast", "ibv_open_xrcd", "ibv_reg_dmabuf_mr",
                     "ibv_modify_cq"):
            self.assertEqual(said.count(f"does not have: {name}\n"), 1, said)

    def test_an_answer_that_is_none_ends_the_connection(self) -> None:
        """Whichever answer it is: the program gets an error, once said, and no crash."""
        for number in range(1, 24):
            with self.subTest(number), stand_in("lie-after", str(number)) as env:
                done = run([
                    CALLS,
                    "SEND, WRITE, READ and atomics move the bytes and complete with their wr_ids"
                ], env)
                lies = "does not have the length that it says" in done.stderr
                self.assertIn(done.returncode, (0, 1), done.stderr)
                # what has no answer cannot lie
                self.assertEqual(lies, done.returncode == 1, done.stderr)
                if number < 10:
                    self.assertEqual(done.returncode, 1)

    def test_the_simulator_may_end_at_any_time(self) -> None:
        for number in range(1, 24):
            with self.subTest(number), stand_in("end-after", str(number)) as env:
                done = run(
                    [CALLS, "slow: threads that share a QP and its CQ get each completion once"],
                    env)
                self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
