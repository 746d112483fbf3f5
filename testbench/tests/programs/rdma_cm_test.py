#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that find each other by rdma_cm: Debian's librdmacm and its programs over the simulated
connection manager and RNIC."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
SOCKETS = "/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so.1"
# What a program calls meets rsockets first, and what those call the simulator.
WITH_SOCKETS = ("env", f"LD_PRELOAD={SOCKETS}:librnicsim_preload.so")

# An end of TCP, plain: sends its bytes, or gives back in capitals what comes.
ECHO = r"""
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int count, char** words) {
    char bytes[4096], back[sizeof bytes];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7001)};
    size_t got = 0;
    for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)('a' + i * 7 % 26);
    int one = socket(AF_INET, SOCK_STREAM, 0);
    if (count > 1) {
        inet_pton(AF_INET, words[1], &at.sin_addr);
        if (connect(one, (struct sockaddr*)&at, sizeof at) != 0) return 2;
        if (write(one, bytes, sizeof bytes) != sizeof bytes) return 3;
        while (got < sizeof back) {
            ssize_t more = read(one, back + got, sizeof back - got);
            if (more <= 0) return 4;
            got += (size_t)more;
        }
        for (size_t i = 0; i < sizeof bytes; ++i)
            if (back[i] != toupper(bytes[i])) return 5;
        puts("all came back");
        return close(one);
    }
    if (bind(one, (struct sockaddr*)&at, sizeof at) != 0 || listen(one, 1) != 0) return 6;
    int other = accept(one, NULL, NULL);
    while (got < sizeof back) {
        ssize_t more = read(other, back, sizeof back);
        if (more <= 0) return 7;
        for (ssize_t i = 0; i < more; ++i) back[i] = (char)toupper(back[i]);
        if (write(other, back, (size_t)more) != more) return 8;
        got += (size_t)more;
    }
    shutdown(other, SHUT_RDWR);
    return close(other);
}
"""

# Looks for events that do not come, without waiting (RDMA_USER_CM_CMD_GET_EVENT), and prints what
# time that took: us.
LOOKS = """
import ctypes, os, struct, time
channel, room = os.open("/dev/infiniband/rdma_cm", os.O_RDWR | os.O_NONBLOCK), ctypes.create_string_buffer(512)
begun = time.monotonic_ns()
for _ in range(100):
    try: os.write(channel, struct.pack("=IHHQ", 12, 8, 512, ctypes.addressof(room)))
    except BlockingIOError: pass
    else: raise SystemExit("an event")
print((time.monotonic_ns() - begun) // 1000)
"""  # noqa: E501


def execute(*programs: Any, seconds: float = 300, options: tuple[str, ...] = (),
            hosts: str = "ab") -> subprocess.CompletedProcess[str]:
    """Each on its host."""
    words = [
        word for host, program in zip(hosts, programs) for word in ("--on", host, "--", *program)
    ]
    return subprocess.run([PROGRAM, "exec", SCENARIO, *options, *words], capture_output=True,
                          text=True, timeout=seconds, check=False)


def without_end(serve: str, ask: str, folder: str) -> tuple[list[str], list[str]]:
    """A server that serves without end, and is ended when its client has."""
    return (["sh", "-c", f"{serve} & while [ ! -e {folder}/done ]; do sleep 0.001; done; kill $!"],
            ["sh", "-c", f"{ask}; code=$?; touch {folder}/done; exit $code"])


class Programs(unittest.TestCase):
    def need(self, program: str, package: str) -> None:
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed (Debian: {package})")

    def test_rping_sends_its_pings_and_sees_the_end(self) -> None:
        self.need("rping", "rdmacm-utils")
        for options in ((), ("--free",)):
            with self.subTest(options):
                done = execute("rping -s -C 5 -v".split(), "rping -c -C 5 -v -a 127.0.0.1".split(),
                               options=options)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for number in range(5):
                    data = "".join(chr(65 + (number + i) % 58) for i in range(50))
                    self.assertEqual(
                        re.findall(rf"^(?:server )?ping data: rdma-ping-{number}: (.*)$",
                                   done.stdout, re.MULTILINE), [data, data])
                self.assertIn("server DISCONNECT EVENT", done.stderr)

    def test_rping_to_its_own_host(self) -> None:
        self.need("rping", "rdmacm-utils")
        done = execute("rping -s -C 5 -v".split(), "rping -c -C 5 -v -a 10.0.0.1".split(),
                       hosts="aa")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("ping data: rdma-ping-4: "), 2)

    def test_ucmatose_makes_several_connections_and_compares_what_comes(self) -> None:
        self.need("ucmatose", "rdmacm-utils")
        for address in ("127.0.0.1", "127.1.0.1", "10.0.0.1"):
            with self.subTest(address):
                done = execute("ucmatose -c 4 -C 20 -S 3000".split(),
                               f"ucmatose -c 4 -C 20 -S 3000 -s {address}".split())
                self.assertEqual((done.returncode, done.stdout.count("return status 0")), (0, 2),
                                 done.stdout + done.stderr)
                self.assertEqual(done.stdout.count("data transfers complete"), 2)

    def test_udaddy_exchanges_datagrams(self) -> None:
        self.need("udaddy", "rdmacm-utils")
        done = execute("udaddy -c 3".split(), "udaddy -c 3 -s 127.0.0.1".split())
        self.assertEqual((done.returncode, done.stdout.count("return status 0")), (0, 2),
                         done.stdout + done.stderr)

    def test_rdma_client_and_server_by_the_synchronous_calls(self) -> None:
        self.need("rdma_client", "rdmacm-utils")
        done = execute(["rdma_server"], "rdma_client -s 127.0.0.1".split())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(
            (done.stdout.count("rdma_client: end 0"), done.stdout.count("rdma_server: end 0")),
            (1, 1))

    def test_perftest_with_rdma_cm(self) -> None:
        self.need("ib_write_bw", "perftest")
        for test in ("ib_write_bw", "ib_send_lat", "ib_read_bw"):
            with self.subTest(test):
                done = execute(f"{test} -R -F -n 200".split(),
                               f"{test} -R -F -n 200 127.0.0.1".split(), seconds=100)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.count("rdma_cm QPs\t : ON"), 2)

    def test_rcopy_copies_a_file(self) -> None:
        self.need("rcopy", "rdmacm-utils")
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder) / "source", pathlib.Path(folder) / "target"
            source.write_bytes(os.urandom(300_000))
            done = execute(*without_end("rcopy", f"rcopy {source} 127.0.0.1:{target}", folder))
            self.assertIn("300000 bytes in", done.stdout, done.stderr)
            self.assertEqual(target.read_bytes(), source.read_bytes())

    def test_cmtime_measures_connections(self) -> None:
        self.need("cmtime", "rdmacm-utils")
        with tempfile.TemporaryDirectory() as folder:
            done = execute(*without_end("cmtime -c 20", "cmtime -c 20 -s 127.0.0.1", folder))
            # Of rdma-core 44 four numbers behind a colon, of 56 six, and a table more of
            # connections without QPs.
            steps = re.findall(r"^(\w+(?: \w+)*?) *:?(?: +[\d.]+){4,6}$", done.stdout, re.MULTILINE)
            self.assertLessEqual(
                {"create id", "resolve addr", "resolve route", "create qp", "disconnect"},
                set(steps), done.stdout + done.stderr)

    def test_rstream_compares_what_comes(self) -> None:
        """By its usual way, which asks for connections and data without waiting, and by blocking
        calls."""
        self.need("rstream", "rdmacm-utils")
        lossy = ("--set", "system.link.loss=1 %")
        for words, options in (("-S 64 -C 1 -I 50", ()), ("-S 65536 -C 10 -I 5", ()),
                               ("-S 4096 -C 10 -I 10 -T b", ()), ("-S 65536 -C 10 -I 5", lossy)):
            with self.subTest(words, options=options):
                done = execute(f"rstream -T v {words}".split(),
                               f"rstream -T v {words} -s 127.0.0.1".split(), options=options)
                self.assertEqual((done.returncode, done.stdout.count("\ncustom ")), (0, 2),
                                 done.stdout + done.stderr)

    def test_plain_tcp_programs_over_rsockets(self) -> None:
        if not os.path.exists(SOCKETS) or shutil.which("cc") is None:
            self.skipTest(f"{SOCKETS} is not there (Debian: librdmacm1), or no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cc", "-x", "c", "-", "-o", f"{folder}/echo"], input=ECHO, text=True,
                           check=True)
            with_sockets = [*WITH_SOCKETS, f"{folder}/echo"]
            done = execute(with_sockets, [*with_sockets, "127.0.0.1"])
            self.assertEqual((done.returncode, done.stdout), (0, "all came back\n"), done.stderr)
            self.assertIn("echo", done.stderr)  # the simulator had to do with it

    def test_iperf_over_rsockets_measures_the_simulated_link(self) -> None:
        self.need("iperf", "iperf")
        if not os.path.exists(SOCKETS):
            self.skipTest(f"{SOCKETS} is not there (Debian: librdmacm1)")
        done = execute([*WITH_SOCKETS, *"iperf -s -P 1".split()],
                       [*WITH_SOCKETS, *"iperf -c 127.0.0.1 -n 4M -f g".split()])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rates = [float(rate) for rate in re.findall(r"([\d.]+) Gbits/sec", done.stdout)]
        # The client's time is that of its transfer, on a link of 100 Gb/s; the server's ends later,
        # when it sees the connection closed.
        self.assertEqual(len(rates), 2, done.stdout)
        self.assertTrue(50 < max(rates) < 100, done.stdout)

    def test_who_meets_nobody_that_listens_is_rejected(self) -> None:
        self.need("rping", "rdmacm-utils")
        for address in ("127.0.0.1", "10.0.0.2"):
            done = execute(f"rping -c -C 5 -v -a {address}".split())
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("cma event RDMA_CM_EVENT_REJECTED, error 8", done.stderr)

    def test_an_address_of_no_host_cannot_be_resolved(self) -> None:
        self.need("rping", "rdmacm-utils")
        done = execute("rping -c -C 5 -v -a 192.0.2.1".split())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("RDMA_CM_EVENT_ADDR_ERROR", done.stderr)

    def test_a_peer_that_is_killed_gives_disconnected(self) -> None:
        self.need("rping", "rdmacm-utils")
        with tempfile.TemporaryDirectory() as folder:
            said = f"{folder}/said"
            killed = [
                "sh", "-c",
                f"rping -s -v > {said} & until grep -q rdma-ping-20 {said}; do sleep 0.001; done; "
                "kill -9 $!; wait $!"
            ]
            done = execute(killed, "rping -c -v -C 100000000 -a 127.0.0.1".split())
            self.assertIn("client DISCONNECT EVENT", done.stderr)
            self.assertEqual(done.returncode, 137, done.stderr)

    def test_a_look_for_events_that_finds_none_takes_time(self) -> None:
        """Or a program that looks again and again would stay where it is."""
        done = execute(["/usr/bin/python3", "-c", LOOKS])
        self.assertEqual(done.returncode, 0, done.stderr)
        # us, doubled up to 100
        self.assertGreater(int(done.stdout), 1 + 2 + 4 + 8 + 16 + 32 + 64 + 93 * 100 - 1)

    def test_without_a_simulator_the_machine_s_own_device_is_asked(self) -> None:
        self.need("rping", "rdmacm-utils")
        if os.path.exists("/dev/infiniband/rdma_cm"):
            self.skipTest("this machine has an rdma_cm of its own")
        environment = {
            **os.environ, "LD_LIBRARY_PATH": os.environ["RNICSIM_PROGRAMS_FOLDER"],
            "LD_PRELOAD": "librnicsim_preload.so"
        }
        environment.pop("RNICSIM_SOCKET", None)
        script = (
            "import os\ntry: os.open('/dev/infiniband/rdma_cm', os.O_RDWR)\nexcept "
            "FileNotFoundError: print('none')"
        )
        done = subprocess.run(["/usr/bin/python3", "-c", script], env=environment,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout, "none\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
