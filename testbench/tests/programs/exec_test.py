#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rnicsim exec and serve: Debian's own RDMA programs over the simulated RNIC, and what happens to
those that end, lie or are killed."""
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import typing
import unittest
from typing import Any

from machine import free_port

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
LIBRARIES = os.environ["RNICSIM_PROGRAMS_FOLDER"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")


def rnicsim(*words: Any, seconds: float = 300) -> Any:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=seconds,
                          check=False)


def pair(command: Any, *options: str, scenario: str = SCENARIO) -> Any:
    words = [*command.split(), "-p", free_port()]
    return rnicsim("exec", scenario, *options, "--on", "a", "--", *words, "--on", "b", "--", *words,
                   "127.0.0.1")


def installed(case: unittest.TestCase, program: str) -> None:
    if shutil.which(program) is None:
        case.skipTest(f"{program} is not installed (Debian: ibverbs-utils, perftest)")


@contextlib.contextmanager
def simulator(*options: str) -> typing.Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """`rnicsim serve`, and the environment of its programs."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        with open(f"{folder}/said", "w", encoding="utf-8") as said:
            process = subprocess.Popen([PROGRAM, "serve", SCENARIO, "--socket", path, *options],
                                       stderr=said, text=True)
        try:
            for _ in range(2000):
                if os.path.exists(path) or process.poll() is not None:
                    break
                time.sleep(0.01)
            assert os.path.exists(path), pathlib.Path(f"{folder}/said").read_text()
            yield process, {**os.environ, "LD_LIBRARY_PATH": LIBRARIES, "RNICSIM_SOCKET": path}
        finally:
            if sys.exc_info()[0] is not None:
                print(pathlib.Path(f"{folder}/said").read_text()[-2000:])
            process.terminate()
            process.wait(timeout=20)


def start(command: Any, env: dict[str, str], host: str) -> Any:
    return subprocess.Popen(command.split(), env={
        **env, "RNICSIM_HOST": host
    }, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for_listener(port: str) -> None:
    """Until somebody on this machine listens there, without disturbing them."""
    wanted = f":{int(port):04X} "
    for _ in range(1000):
        if any(wanted in line.split(" 0A ")[0] for table in ("/proc/net/tcp", "/proc/net/tcp6")
               for line in pathlib.Path(table).read_text().splitlines() if " 0A " in line):
            return
        time.sleep(0.01)
    raise AssertionError(f"nobody listens at port {port}")


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    said = process.communicate(timeout=200)[0]
    return process.returncode, said


MESSAGES = (SOURCES / "testbench/programs/protocol/messages.h").read_text()
PROTOCOL = int(re.findall(r"kProtocol = (\d+);", MESSAGES)[0])
# Kinds of requests (protocol/messages.h).
OPS, ALL, POLL, WAIT, COUNTERS, SLEEP, SET_OWN_TIMER, FREE_TIMER = 31, 39, 13, 26, 27, 29, 36, 37
UNANSWERED = (12, 22, 23, 24, 28, 30, SET_OWN_TIMER, FREE_TIMER)


class Liar(contextlib.AbstractContextManager["Liar"]):
    """A program that says what it likes."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(path)

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def say(self, op: int, body: bytes, length: int | None = None) -> None:
        self.socket.send(
            struct.pack("=HHIq", op, 0, 16 + len(body) if length is None else length, 0) + body)

    def hello(self, host: bytes = b"a", version: int = PROTOCOL) -> int:
        self.say(0, struct.pack("=Ii64s64s", version, os.getpid(), host, b"liar"))
        return self.answer()

    def answer(self) -> int:
        """Its error; -1: the simulator has closed the connection."""
        try:
            got = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return -1
        return typing.cast(int, struct.unpack_from("=i", got)[0]) if got else -1


def wait_for_traffic(env: dict[str, str], host: bytes) -> None:
    """Until this host's card has sent a thousand packets."""
    with Liar(env["RNICSIM_SOCKET"]) as asks:
        assert asks.hello(host) == 0
        for _ in range(3000):
            asks.say(COUNTERS, b"")
            if struct.unpack_from("=4Q", asks.socket.recv(1 << 16), 16)[1] > 1000:
                return
            time.sleep(0.01)
    raise AssertionError("there is no traffic")


class Programs(unittest.TestCase):
    def test_objects_serve_again(self) -> None:
        """RESET and connect anew, resize_cq, rereg_mr, rings and receives of an SRQ that come back:
        on a clean wire and a lossy one. Not in free mode, where to sleep is no simulated time in
        which all completes."""
        program = os.environ["RNICSIM_VERBS_AGAIN"]
        for options in ((), ("--set", "system.link.loss=1 %"),
                        ("--set", "system.host.verbs.posting=doorbell")):
            with self.subTest(options):
                port = free_port()
                done = rnicsim("exec", SCENARIO, *options, "--on", "a", "--", program, "2", port,
                               "listen", "--on", "b", "--", program, "1", port, "connect")
                self.assertEqual((done.returncode, done.stdout.split()), (0, ["done"] * 2),
                                 done.stderr)

    def test_time_may_go_on_by_itself(self) -> None:
        for command in ("ibv_rc_pingpong -g 0 -c -n 100", "ib_send_bw -F -n 100",
                        "ib_write_lat -F -n 20"):
            with self.subTest(command):
                installed(self, command.split()[0])
                done = pair(command, "--free")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_capture_shows_their_packets(self) -> None:
        installed(self, "ibv_rc_pingpong")
        if shutil.which("tshark") is None:
            self.skipTest("tshark is not installed")
        with tempfile.TemporaryDirectory() as folder:
            capture = f"{folder}/x.pcapng"
            done = pair("ibv_rc_pingpong -g 0 -c -n 7 -s 1500", "--pcap", capture, "--pcap-at",
                        "both")
            self.assertEqual(done.returncode, 0, done.stderr)
            fields = ("-T", "fields", "-e", "frame.interface_name", "-e", "infiniband.bth.opcode")
            shown = subprocess.run(
                ["tshark", "-r", capture, "--disable-protocol", "rpcordma", *fields],
                capture_output=True, text=True, check=True).stdout.split()
            steps = list(zip(shown[::2], shown[1::2]))
            # Seven messages of two packets (SEND first, SEND last), each way; each packet is shown
            # when it is sent and when it comes.
            for place in ("a.sent", "b.received", "b.sent", "a.received"):
                self.assertEqual([steps.count((place, str(opcode))) for opcode in (0, 2)], [7, 7],
                                 place)

    def test_both_ends_on_one_host(self) -> None:
        """V-Q7: no link carries a frame."""
        for command in ("ibv_rc_pingpong -g 0 -c -n 100", "ibv_ud_pingpong -g 0 -c -n 100",
                        "ib_read_bw -F -n 100", "ib_atomic_lat -F -n 100"):
            installed(self, command.split()[0])
            words = [*command.split(), "-p", free_port()]
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                capture = f"{folder}/wire.pcapng"
                done = rnicsim("exec", SCENARIO, "--pcap", capture, "--on", "a", "--", *words,
                               "--on", "a", "--", *words, "127.0.0.1")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn(b"\x12\xb7",
                                 pathlib.Path(capture).read_bytes(),
                                 "a frame to UDP port 4791 is on the wire")

    def test_several_programs_on_a_host(self) -> None:
        installed(self, "ibv_rc_pingpong")
        first, second = (f"ibv_rc_pingpong -g 0 -c -n 50 -p {free_port()}".split()
                         for _ in range(2))
        done = rnicsim("exec", SCENARIO, "--on", "a", "--", *first, "--on", "a", "--", *second,
                       "--on", "b", "--", *first, "127.0.0.1", "--on", "b", "--", *second,
                       "127.0.0.1")
        self.assertEqual((done.returncode, done.stdout.count("50 iters")), (0, 4),
                         done.stdout + done.stderr)

    def test_the_exit_code_is_that_of_a_program_that_fails(self) -> None:
        for words, code in ((["sh", "-c",
                              "exit 7"], 7), (["sh", "-c",
                                               "kill -9 $$"], 137), (["no_such_program"], 127)):
            self.assertEqual(
                rnicsim("exec", SCENARIO, "--on", "a", "--", "true", "--on", "b", "--",
                        *words).returncode, code)


class Order(unittest.TestCase):
    """One program begins after the other."""

    def test_a_client_comes_when_its_server_listens(self) -> None:
        """That one asks the simulator for something again and again before, for longer than any
        patience; and one does so in a child."""
        port = free_port()
        server = (
            "import socket, time; begun = time.process_time()\nwhile time.process_time() - begun < "
            "1: time.sleep(1e-3)\n"
            f"print(socket.create_server(('127.0.0.1', {port})).accept()[0].recv(9).decode())")
        client = f"import socket; socket.create_connection(('127.0.0.1', {port})).send(b'hello')"
        for first in ((sys.executable, "-c", server), ("sh", "-c",
                                                       f'{sys.executable} -c "{server}"; exit $?')):
            done = rnicsim("exec", SCENARIO, "--on", "a", "--", *first, "--on", "b", "--",
                           sys.executable, "-c", client)
            self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_one_that_neither_listens_nor_ends_is_followed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/pipe")
            done = rnicsim("exec", SCENARIO, "--on", "a", "--", "cat", f"{folder}/pipe", "--on",
                           "b", "--", "sh", "-c", f"echo hello > {folder}/pipe")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_none_follows_one_that_has_failed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            waits, fails, comes = ["sh", "-c", "read x"], ["sh", "-c",
                                                           "exit 7"], ["touch", f"{folder}/came"]
            with subprocess.Popen(["sleep", "100"], stdout=subprocess.PIPE) as silent:
                done = subprocess.run([
                    PROGRAM, "exec", SCENARIO, "--on", "a", "--", *waits, "--on", "a", "--", *fails,
                    "--on", "b", "--", *comes
                ], stdin=silent.stdout, capture_output=True, text=True, timeout=300, check=False)
                silent.kill()
            self.assertEqual((done.returncode, os.listdir(folder)), (7, []))
            self.assertIn("a program has ended with code 7: 1 program after it not begun",
                          done.stderr)


class Together(unittest.TestCase):
    """Programs that begin at once, run on when others have ended, or die."""

    def test_programs_begin_together(self) -> None:
        """The first spins until the second has come. Their clocks begin at one time, however long
        they take to begin."""
        with tempfile.TemporaryDirectory() as folder:
            waits = f"until [ -e {folder}/came ]; do :; done; exec date +%s.%N"
            comes = f"touch {folder}/came; sleep 0; exec date +%s.%N"
            for options, word in (((), "--and"), (("--together",), "--on")):
                with self.subTest(word):
                    done = rnicsim("exec", *options, SCENARIO, "--on", "a", "--", "sh", "-c", waits,
                                   word, "b", "--", "sh", "-c", comes)
                    self.assertEqual((done.returncode, len(set(done.stdout.split()))), (0, 1),
                                     done.stdout + done.stderr)
                    os.unlink(f"{folder}/came")

    def test_one_that_is_busy_for_long_is_followed(self) -> None:
        done = rnicsim("exec", "--until", "b", SCENARIO, "--on", "a", "--", "sh", "-c",
                       "while :; do :; done", "--on", "b", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stderr,
            r"sh \(\d+\) on a has been busy for 10 s, asks for nothing and takes no connections: "
            r"the next begins"
        )
        self.assertRegex(done.stderr, r"sh \(\d+\) on a still runs, and is ended")

    def test_the_run_ends_when_those_that_are_named_have_ended(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/pipe")
            for name in ("b", "b:0", "true"):
                done = rnicsim("exec", "--until", name, SCENARIO, "--on", "a", "--", "cat",
                               f"{folder}/pipe", "--on", "b", "--", "true")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, r"cat \(\d+\) on a still runs, and is ended")
        done = rnicsim("exec", "--until", "c", SCENARIO, "--on", "a", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--until c: expected a host, HOST:N", done.stderr)

    def test_a_server_whose_client_has_not_come_is_named(self) -> None:
        """It waits in the machine's time, as the simulator's has nothing to do."""
        server = (
            f"import socket, time; s = socket.create_server(('127.0.0.1', {free_port()})); "
            "time.sleep(3)"
        )
        done = rnicsim("exec", SCENARIO, "--on", "a", "--", "env", "-i", sys.executable, "-c",
                       server, "--on", "b", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr,
                         r"env \(\d+\) on a takes connections, and no client has come to it")
        self.assertIn("--until NAME", done.stderr)

    def test_two_runs_may_use_one_port(self) -> None:
        if subprocess.run(["unshare", "-rn", "true"], check=False).returncode != 0:
            self.skipTest("nobody may make networks on this machine")
        port = free_port()
        server = (
            f"import socket, time; s = socket.create_server(('127.0.0.1', {port})); s.accept(); "
            "print('met', flush=True)"
        )
        client = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        with socket.create_server(("127.0.0.1", int(port))):  # as another run would
            done = rnicsim("exec", SCENARIO, "--on", "a", "--", sys.executable, "-c", server,
                           "--on", "b", "--", sys.executable, "-c", client)
            self.assertEqual((done.returncode, done.stdout), (0, "met\n"), done.stderr)
            done = rnicsim("exec", "--machine-network", SCENARIO, "--on", "a", "--", sys.executable,
                           "-c", server)
            self.assertIn("Address already in use", done.stderr)

    def test_a_program_that_dies_of_a_signal_is_named(self) -> None:
        done = rnicsim("exec", SCENARIO, "--on", "a", "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(done.returncode, 139)
        self.assertRegex(done.stderr, r"sh \(\d+\) on a died of signal 11 \(Segmentation fault\)")


class Ends(unittest.TestCase):
    """Programs come and go, and so may the simulator."""

    def test_a_program_that_is_killed_frees_what_it_had(self) -> None:
        installed(self, "ib_write_bw")
        with simulator() as (process, env):
            for _ in range(3):
                port = free_port()
                command = f"ib_write_bw -F -p {port} -n 1000000"
                server = start(command, env, "a")
                wait_for_listener(port)
                client = start(command + " 127.0.0.1", env, "b")
                wait_for_traffic(env, b"b")
                client.send_signal(signal.SIGKILL)
                client.communicate()
                server.send_signal(signal.SIGKILL)
                server.communicate()
            port = free_port()
            command = f"ibv_rc_pingpong -g 0 -c -n 50 -p {port}"
            server = start(command, env, "a")
            wait_for_listener(port)
            client = start(command + " 127.0.0.1", env, "b")
            for one in (client, server):
                code, said = finish(one)
                self.assertEqual(code, 0, said)
            self.assertIsNone(process.poll())

    def test_the_peer_of_a_program_that_is_killed_gets_an_error(self) -> None:
        """What it still sends finds no QP: after its tries, RETRY_EXC_ERR (12). The kernel takes a
        program's memory first: what comes in between is refused (10)."""
        installed(self, "ib_write_bw")
        with simulator() as (_, env):
            port = free_port()
            command = f"ib_write_bw -F -p {port} -n 1000000"
            server = start(command, env, "a")
            wait_for_listener(port)
            client = start(command + " 127.0.0.1", env, "b")
            wait_for_traffic(env, b"b")
            server.send_signal(signal.SIGKILL)
            server.communicate()
            code, said = finish(client)
            self.assertNotEqual(code, 0)
            self.assertRegex(said, "Failed status 1[02]")

    def test_programs_survive_the_simulators_end(self) -> None:
        installed(self, "ibv_rc_pingpong")
        for gone in (signal.SIGTERM, signal.SIGKILL):
            with simulator() as (process, env):
                port = free_port()
                command = f"ibv_rc_pingpong -g 0 -n 100000000 -p {port}"
                server = start(command, env, "a")
                wait_for_listener(port)
                client = start(command + " 127.0.0.1", env, "b")
                wait_for_traffic(env, b"b")
                process.send_signal(gone)
                for one in (client, server):
                    code, said = finish(one)
                    self.assertGreater(code, 0, said)
                    self.assertIn("rnicsim:", said)

    def test_nobody_else_may_come_in(self) -> None:
        with simulator() as (_, env):
            self.assertEqual(stat.S_IMODE(os.stat(env["RNICSIM_SOCKET"]).st_mode), 0o700)


class Lies(unittest.TestCase):
    """A malformed request is an error for that program; the simulator goes on for the others."""

    def lives(self, process: subprocess.Popen[str], env: dict[str, str]) -> None:
        self.assertIsNone(process.poll())
        with Liar(env["RNICSIM_SOCKET"]) as honest:
            self.assertEqual(honest.hello(), 0)
            honest.say(1, b"")  # query_device
            self.assertEqual(honest.answer(), 0)

    def test_each_kind_of_request_cut_short(self) -> None:
        with simulator() as (process, env):
            for op in range(ALL + 4):
                for length in (0, 1, 3, 8):
                    with Liar(env["RNICSIM_SOCKET"]) as liar:
                        self.assertEqual(liar.hello(), 0)
                        liar.say(op, bytes(length))
            self.lives(process, env)

    def test_a_wrong_beginning(self) -> None:
        with simulator() as (process, env):
            path = env["RNICSIM_SOCKET"]
            with Liar(path) as one, Liar(path) as other:
                # ENODEV, EPROTO
                self.assertEqual((one.hello(host=b"nobody"), other.hello(version=99)), (19, 71))
            for message in (bytes(1), b"xx", struct.pack("=HHIq", 1, 0, 16,
                                                         0), struct.pack("=HHIq", 0, 0, 1 << 20,
                                                                         0)):
                with Liar(path) as liar:
                    liar.socket.send(message)
                    self.assertIn(liar.answer(), (-1, 71))
            self.lives(process, env)

    def test_random_requests(self) -> None:
        """Numbers that are small, or at the edges of their types, in the fields of all requests;
        what exists is known by small numbers."""
        draw = random.Random(int(os.environ.get("RNICSIM_FUZZ_SEED", "1")))
        rounds = int(os.environ.get("RNICSIM_FUZZ_ROUNDS", "60"))
        before = signal.signal(signal.SIGALRM, lambda *_: None)  # some set a timer
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        with simulator("--free") as (process, env):
            for _ in range(rounds):
                with Liar(env["RNICSIM_SOCKET"]) as liar, contextlib.suppress(ConnectionError):
                    self.assertEqual(liar.hello(), 0)
                    for _ in range(40):
                        op = draw.choice([
                            2, 4, 7, 9, 12, 14, 18, 18, 19, 22, 23, 24, 30, SET_OWN_TIMER,
                            FREE_TIMER,
                            draw.randrange(OPS)
                        ])
                        if op in (POLL, WAIT, SLEEP):  # these wait
                            continue
                        words = [
                            draw.choice([
                                0, 1, 2, 3, 4, 8, 64, 4096,
                                draw.randrange(1 << 32), (1 << 32) - 1
                            ]) for _ in range(draw.choice([1, 2, 4, 8, 12, 30]))
                        ]
                        liar.say(op, struct.pack(f"={len(words)}I", *words))
                        if op not in UNANSWERED and liar.answer() == -1:
                            break
                self.assertIsNone(process.poll())
            self.lives(process, env)


class Refusals(unittest.TestCase):
    def said(self, *words: str) -> Any:
        done = rnicsim("exec", *words, seconds=30)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_what_is_wrong_is_said(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            drp = str(SOURCES / "scenarios/examples/read.yaml")
            on_a = ("--on", "a", "--", "true")
            for words, expected in (((SCENARIO, "--on", "c", "--", "true"),
                                     "--on c: expected a host of"),
                                    ((SCENARIO, ), "expected --on HOST -- PROGRAM"),
                                    ((SCENARIO, "--on", "a", "true"),
                                     "expected --on HOST -- PROGRAM"),
                                    ((SCENARIO, "--set", "system.link.loss=200 %", *on_a),
                                     "system.link.loss"),
                                    ((SCENARIO, "--set", "run.variants={x: {}, y: {}}", *on_a),
                                     "variants"), ((drp, *on_a), "RoCEv2"), ((f"{folder}/none.yaml",
                                                                              *on_a), "none.yaml"),
                                    ((SCENARIO, "--socket", "/nowhere/at/all", *on_a),
                                     "/nowhere/at/all"), ((SCENARIO, "--socket",
                                                           "/tmp/" + 200 * "x", *on_a), "xxx")):
                with self.subTest(expected):
                    self.assertRegex(self.said(*words), re.escape(expected))


if __name__ == "__main__":
    unittest.main()
