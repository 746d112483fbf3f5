#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libfabric's verbs provider and fio's rdma engine over the simulated RNIC: data compared, on a
clean wire and where frames are lost."""
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
sys.path.insert(0, str(SOURCES / "scripts"))
from rnicsim import sampling  # noqa: E402

PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
LOSS = ("--set", "system.link.loss=1 %")

# Three connections at once, for each of the engine's operations: fio takes ten seconds to measure
# its clock, so it is begun once. The receiver has more in its queue than the sender, as the engine
# wants no RNR NAKs. It is the one that compares: who is the target of a WRITE or READ does not
# look.
FIO = """[global]
ioengine=rdma
bs=16k
size=256k
{side}
[sends]
port=20001
verb=send
verify=crc32c
{compares}
[writes]
port=20002
verb=write
[reads]
port=20003
verb=read
"""
RECEIVER = FIO.format(side="rw=read\niodepth=16", compares="verify_fatal=1")
SENDER = FIO.format(side="rw=write\niodepth=4\nhostname=127.0.0.1", compares="do_verify=0")


class Runs(unittest.TestCase):
    def need(self, program: str, package: str) -> None:
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed (Debian: {package})")

    def execute(self, server: list[str], client: Any, *options: str, lossy: bool = False,
                cwd: str | None = None) -> subprocess.CompletedProcess[str]:
        """On hosts a and b; both end well. Where frames are to be lost, some are."""
        with tempfile.TemporaryDirectory() as folder:
            tape = pathlib.Path(folder) / "lost.tape"
            words = [
                PROGRAM, "exec", SCENARIO, *options,
                *((*LOSS, "--record-tape", str(tape)) if lossy else
                  ()), "--on", "a", "--", *server, "--on", "b", "--", *client
            ]
            done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False,
                                  cwd=cwd)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if lossy:
                self.assertGreater(tape.read_text().count("lost"), 0)
        return done


class Libfabric(Runs):
    def setUp(self) -> None:
        self.need("fi_pingpong", "libfabric-bin")

    def pingpong(self, provider: str, endpoint: str, *words: str,
                 lossy: bool = False) -> subprocess.CompletedProcess[str]:
        """Both sides compare what comes (-c), and print a line a size when all of it has."""
        command = ["fi_pingpong", "-p", provider, "-e", endpoint, "-c", "-I", "10", *words]
        return self.execute(command, [*command, "127.0.0.1"], lossy=lossy)

    def sizes(self, done: subprocess.CompletedProcess[str]) -> Any:
        """Those of either side's lines, which are the same."""
        sizes = re.findall(r"^(\S+) +10 +=10 ", done.stdout, re.MULTILINE)
        self.assertEqual(sorted(sizes), sorted(2 * sizes[:len(sizes) // 2]), done.stdout)
        return sorted(set(sizes))

    def test_fi_info_finds_all_kinds_of_endpoints(self) -> None:
        done = subprocess.run(
            [PROGRAM, "exec", SCENARIO, "--on", "a", "--", "fi_info", "-p", "verbs"],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = set(re.findall(r"provider: (\S+)\n.*\n.*\n.*\n +type: (\w+)", done.stdout))
        self.assertEqual(
            found, {("verbs", "FI_EP_MSG"), ("verbs", "FI_EP_DGRAM"),
                    ("verbs;ofi_rxm", "FI_EP_RDM"), ("verbs;ofi_rxd", "FI_EP_RDM")}, done.stdout)

    def test_messages(self) -> None:
        most = ["1k", "1m", "256", "4k", "64", "64k"]
        self.assertEqual(self.sizes(self.pingpong("verbs;ofi_rxm", "rdm")), most)
        self.assertEqual(self.sizes(self.pingpong("verbs", "dgram")), ["1k", "256", "64"])
        # Above datagrams each packet is libfabric's to acknowledge: a megabyte takes seconds.
        self.assertEqual(self.sizes(self.pingpong("verbs;ofi_rxd", "rdm", "-S", "4096")), ["4k"])
        done = self.pingpong("verbs", "msg")
        self.assertEqual(self.sizes(done), most)
        # It polls one CQ while there are completions in another, which does not keep polls from
        # waiting.
        requests = re.search(r"and (\d+) requests", done.stderr)
        assert requests, done.stderr
        self.assertLess(int(requests[1]), 20_000)

    def test_messages_where_one_frame_in_a_hundred_is_lost(self) -> None:
        for provider, endpoint in (("verbs", "msg"), ("verbs;ofi_rxm", "rdm")):
            with self.subTest(provider):
                self.assertEqual(
                    self.sizes(self.pingpong(provider, endpoint, "-S", "16384", lossy=True)),
                    ["16k"])


class Fio(Runs):
    def test_sends_writes_and_reads(self) -> None:
        self.need("fio", "fio")
        if not sampling.wants_all():
            print("sampled: fio only where frames are lost; RNICSIM_ALL=1 also on a clean wire")
        for lossy in (False, True) if sampling.wants_all() else (True, ):
            with self.subTest(lossy=lossy), tempfile.TemporaryDirectory() as folder:
                for name, text in (("receiver", RECEIVER), ("sender", SENDER)):
                    (pathlib.Path(folder) / name).write_text(text)
                done = self.execute(["fio", f"{folder}/receiver"], ["fio", f"{folder}/sender"],
                                    lossy=lossy, cwd=folder)
                # 16 blocks each; one receive is all that a target of WRITEs or READs posts.
                self.assertEqual(
                    sorted(re.findall(r"issued rwts: total=(\d+),(\d+),", done.stdout)),
                    sorted([("0", "16")] * 3 + [("16", "0")] + [("1", "0")] * 2))
                self.assertEqual(done.stdout.count("err= 0"), 6, done.stdout)


if __name__ == "__main__":
    unittest.main()
