#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs see of the simulated card in /dev and /sys: by whatever function of libc, on which
host, and at what moment."""
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
PORT = "/sys/class/infiniband/rnicsim0/ports/1"


# Prints the addresses of getifaddrs(3): each with its interface, family and first bytes.
ADDRESSES = """
import ctypes
class Entry(ctypes.Structure): pass
Entry._fields_ = [("next", ctypes.POINTER(Entry)), ("name", ctypes.c_char_p), ("flags", ctypes.c_uint), ("address", ctypes.POINTER(ctypes.c_uint8 * 8))]
libc, first = ctypes.CDLL(None), ctypes.POINTER(Entry)()
assert libc.getifaddrs(ctypes.byref(first)) == 0
entry = first
while entry:
    print(entry.contents.name.decode(), entry.contents.flags & 9, bytes(entry.contents.address.contents).hex() if entry.contents.address else "")
    entry = entry.contents.next
libc.freeifaddrs(first)
"""  # noqa: E501


def execute(*programs: Any, options: tuple[str, ...] = (),
            environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The first on host a, the second on host b."""
    words = [
        word for host, program in zip("ab", programs) for word in ("--on", host, "--", *program)
    ]
    return subprocess.run([PROGRAM, "exec", SCENARIO, *options, *words], capture_output=True,
                          text=True, timeout=300, check=False, env={
                              **os.environ,
                              **(environment or {})
                          })


def python(script: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return execute(["/usr/bin/python3", "-c", "import os, stat, errno, socket\n" + script], **more)


def silent(command: str) -> list[str]:
    """A program whose lines would come into the middle of another's."""
    return ["sh", "-c", f"{command} > /dev/null"]


class Tree(unittest.TestCase):
    def says(self, script: str, wanted: str) -> None:
        done = python(script)
        self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)

    def test_the_device_is_a_character_device_that_may_be_used(self) -> None:
        for name in ("uverbs0", "rdma_cm"):
            self.says(
                f"p = '/dev/infiniband/{name}'\nprint(stat.S_ISCHR(os.stat(p).st_mode), "
                "stat.S_ISCHR(os.lstat(p).st_mode), "
                "os.access(p, os.R_OK | os.W_OK), os.path.realpath(p) == p)",
                "True True True True\n")

    def test_nothing_but_the_library_gets_at_the_card(self) -> None:
        self.says(
            "try: os.open('/dev/infiniband/uverbs0', os.O_RDWR)\nexcept OSError as error: "
            "print(errno.errorcode[error.errno])",
            "ENXIO\n")

    def test_files_are_those_of_a_card_for_roce(self) -> None:
        wanted = {
            "../../node_type": "1: CA",
            "state": "4: ACTIVE",
            "phys_state": "5: LinkUp",
            "rate": "100 Gb/sec (4X EDR)",
            "link_layer": "Ethernet",
            "gid_attrs/types/0": "RoCE v2",
            "gid_attrs/ndevs/0": "lo",
            "pkeys/0": "0xffff",
            "gids/0": "0000:0000:0000:0000:0000:ffff:0a00:0001",
            "gids/1": "fe80:0000:0000:0000:0000:00ff:fe00:0001",
            "gids/2": "fd00:0000:0000:0000:0000:0000:0000:0001",
            "gids/3": "0000:0000:0000:0000:0000:ffff:0a00:0001",
            "gids/4": ":".join(["0000"] * 8)
        }
        for name, text in wanted.items():
            with self.subTest(name):
                self.says(f"print(open('{PORT}/{name}').read(), end='')", text + "\n")

    def test_each_host_has_its_own(self) -> None:
        done = execute(["true"], ["cat", f"{PORT}/gids/0"])
        self.assertEqual(done.stdout, "0000:0000:0000:0000:0000:ffff:0a00:0002\n", done.stderr)

    def test_the_guid_is_what_the_library_says(self) -> None:
        if shutil.which("ibv_devinfo") is None:
            self.skipTest("ibv_devinfo is not installed (Debian: ibverbs-utils)")
        done = execute([
            "sh", "-c",
            "cat /sys/class/infiniband/rnicsim0/node_guid; ibv_devinfo | sed -n 's/.*node_guid:[ "
            "\t]*//p'"
        ])
        told = done.stdout.split()
        self.assertEqual((len(told), told[0]), (2, told[-1]), done.stdout + done.stderr)

    def test_folders_and_links_are_led_there(self) -> None:
        self.says(
            "print(os.listdir('/sys/class/infiniband'), "
            "os.listdir('/sys/class/infiniband/rnicsim0/device/net/'))",
            "['rnicsim0'] ['lo']\n")
        done = execute([
            "sh", "-c",
            "readlink -f /sys/class/infiniband/rnicsim0; cd /sys/class/infiniband_verbs/uverbs0 && "
            "cat ibdev; "
            f"ls -l {PORT} | grep -c link_layer; find {PORT}/ -name out_of_sequence"
        ])
        self.assertEqual(
            done.stdout,
            f"/sys/devices/rnicsim/infiniband/rnicsim0\nrnicsim0\n1\n{PORT}/hw_counters/out_of_sequence\n",  # noqa: E501
            done.stderr)

    def test_what_the_machine_has_is_not_shown(self) -> None:
        """Also what the tree does not have, whether or not the machine has it."""
        self.says(
            "print([os.path.exists(p) for p in ('/sys/class/infiniband_mad', "
            "'/dev/infiniband/uverbs1', '/sys/class/infinibandits')])",
            "[False, False, False]\n")
        self.says(
            "try: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 20)\nexcept OSError as error: "
            "print(errno.errorcode[error.errno])",
            "EPROTONOSUPPORT\n")

    def test_the_card_has_an_address_beside_those_of_the_machine(self) -> None:
        machine = subprocess.run(["/usr/bin/python3", "-c", ADDRESSES], capture_output=True,
                                 text=True, timeout=60, check=True).stdout
        for host, options in (("a", ("--machine-network", )), ("b", ("--machine-network", )),
                              ("b", ("--machine-network", "--free"))):
            with self.subTest(host, options=options):
                programs = [["/usr/bin/python3", "-c", ADDRESSES]
                            ] if host == "a" else [["true"], ["/usr/bin/python3", "-c", ADDRESSES]]
                done = execute(*programs, options=options)
                # Up, not the loopback interface; AF_INET, 127.1.0.1 or .2.
                self.assertEqual(done.stdout,
                                 machine + f"lo:rnicsim0 1 020000007f01000{'ab'.index(host) + 1}\n",
                                 done.stderr)

    def test_it_is_nobody_else_s_and_goes_at_the_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/socket"
            done = execute(["sh", "-c", 'stat -c %a "$RNICSIM_SOCKET.hosts"'],
                           options=("--socket", path))
            self.assertEqual((done.stdout, os.listdir(folder)), ("700\n", []), done.stderr)

    def test_a_folder_of_another_s_is_not_touched(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(f"{folder}/socket.hosts/kept")
            kept.parent.mkdir()
            kept.touch()
            done = execute(["true"], options=("--socket", f"{folder}/socket"))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("has something else in it", done.stderr)
            self.assertTrue(kept.exists())


class Counters(unittest.TestCase):
    COUNTERS = ("port_xmit_packets", "port_rcv_packets", "port_xmit_data", "port_rcv_data")

    def test_they_are_those_of_the_moment(self) -> None:
        """The same numbers by a path, in a folder, and in a folder that is open."""
        if shutil.which("ib_send_lat") is None:
            self.skipTest("ib_send_lat is not installed (Debian: perftest)")
        reads = (
            f"for c in {' '.join(self.COUNTERS)}; do cat {PORT}/counters/$c; done; cd "
            f"{PORT}/counters; cat port_xmit_packets; "
            f"/usr/bin/python3 -c \"import os; f = os.open('{PORT}/counters', os.O_RDONLY); "
            "print(os.read(os.open('port_xmit_packets', os.O_RDONLY, dir_fd=f), 9).decode(), "
            "end='')\"; "
        )
        done = execute(
            silent("ib_send_lat -F -n 100"),
            ["sh", "-c", f"{reads} ib_send_lat -F -n 100 127.0.0.1 > /dev/null; {reads}"])
        numbers = [int(line) for line in done.stdout.splitlines() if re.fullmatch(r"\d+", line)]
        self.assertEqual(len(numbers), 12, done.stdout + done.stderr)
        self.assertEqual(numbers[:6], [0] * 6)
        # 100 SENDs and as many acknowledgements, each way.
        self.assertEqual([numbers[i] for i in (6, 7, 10, 11)], [200] * 4)
        self.assertGreater(numbers[8], 200 * 14 // 4)
        self.assertEqual(numbers[8], numbers[9])

    def test_losses_are_seen(self) -> None:
        if shutil.which("ib_send_bw") is None:
            self.skipTest("ib_send_bw is not installed (Debian: perftest)")
        read = f"cat {PORT}/hw_counters/packet_seq_err {PORT}/hw_counters/local_ack_timeout_err"
        done = execute(silent("ib_send_bw -F -n 500"),
                       ["sh", "-c", f"ib_send_bw -F -n 500 127.0.0.1 > /dev/null; {read}"],
                       options=("--set", "system.link.loss=1 %"))
        numbers = [int(line) for line in done.stdout.splitlines() if re.fullmatch(r"\d+", line)]
        self.assertEqual(len(numbers), 2, done.stdout + done.stderr)
        self.assertGreater(sum(numbers), 0)


if __name__ == "__main__":
    unittest.main()
