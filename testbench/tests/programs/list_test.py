#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The list: each program, of Debian or ours, that runs on the simulated RNIC, on a clean wire and
where one frame in a hundred is lost. Ends with its table."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import typing
import unittest
from typing import Any

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCES / "scripts"))
from machine import free_port, ucx_perftest  # noqa: E402
from rnicsim import sampling  # noqa: E402

PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
SAMPLE = 5
# others do not look at it
UCX = {"UCX_NET_DEVICES": "rnicsim0:1", "UCX_TLS": "rc_verbs,ud_verbs,self"}
LOSSES = ("0 %", "1 %")
DURABLE = os.environ["RNICSIM_DURABLE"]
# not there: librpma-dev is not installed
RPMA = os.environ.get("RNICSIM_RPMA_DURABLE", "rpma_durable")


class Row(typing.NamedTuple):
    server: str
    client: str            # {port}: one that is free; {folder}: an empty one
    both: str = ""         # what both print
    compares: bool = False  # the programs compare each byte that comes
    waits: bool = False    # for ever for what is lost: nothing sends it again


def pingpong(options: str, waits: bool = False) -> Row:
    return Row(f"ibv_{options} -g 0 -c -n 200 -p {{port}}",
               f"ibv_{options} -g 0 -c -n 200 -p {{port}} 127.0.0.1", "Mbit/sec", True, waits)


def perftest(options: str, waits: bool = False) -> Row:
    return Row(f"{options} -F -n 200 -p {{port}}", f"{options} -F -n 200 -p {{port}} 127.0.0.1",
               "---", False, waits)


def durable(method: str) -> Row:
    return Row(f"{DURABLE} 2 {{port}} listen {method} 200 256",
               f"{DURABLE} 1 {{port}} connect {method} 200 256", "done", True)


def rpma(method: Any) -> Row:
    server, client = (f"{RPMA} {side} 10.0.0.1 {{port}} {method} 200 256 {{folder}}/memory"
                      for side in ("listen", "connect"))
    return Row(server, client, "done", True)


def ucx(test: str) -> Row:
    return Row(f"{ucx_perftest()} -p {{port}}",
               f"{ucx_perftest()} 127.0.0.1 -p {{port}} -t {test} -n 200 -w 10")


LIST = [
    *(pingpong(options) for options in ("rc_pingpong", "rc_pingpong -e", "rc_pingpong -N",
                                        "rc_pingpong -t", "srq_pingpong -e")),
    *(pingpong(options, waits=True) for options in ("uc_pingpong", "ud_pingpong -e")),
    *(perftest(options)
      for options in ("ib_send_lat", "ib_write_lat", "ib_read_lat", "ib_atomic_lat", "ib_send_bw",
                      "ib_write_bw", "ib_read_bw", "ib_atomic_bw", "ib_write_bw -q 4",
                      "ib_write_bw -b", "ib_send_bw -e", "ib_send_bw --use-srq -r 64",
                      "ib_write_bw -R")),
    *(perftest(options, waits=True)
      for options in ("ib_send_lat -c UC", "ib_send_lat -c UD", "ib_send_bw -c UD")),
    Row("rping -s -C 20 -v -V", "rping -c -C 20 -v -V -a 127.0.0.1", "rdma-ping-19", True),
    Row("ucmatose -c 4", "ucmatose -c 4 -s 127.0.0.1", "return status 0", True),
    Row("udaddy -c 3", "udaddy -c 3 -s 127.0.0.1", "return status 0", waits=True),
    Row("rdma_server", "rdma_client -s 127.0.0.1", "end 0"),
    *(durable(method) for method in ("flush", "read")),
    *(rpma(method) for method in ("apm", "gpspm")),
    *(ucx(test) for test in ("tag_lat", "tag_bw", "ucp_put_lat", "ucp_get", "ucp_fadd")),
]


def run(row: Any, loss: str) -> Any:
    """And how many frames were lost."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server, client = (command.format(port=port, folder=folder).split()
                          for command in (row.server, row.client))
        tape = pathlib.Path(folder, "lost.tape")
        done = subprocess.run([
            PROGRAM, "exec", SCENARIO, "--set", f"system.link.loss={loss}", "--record-tape",
            str(tape), "--on", "a", "--", *server, "--on", "b", "--", *client
        ], capture_output=True, text=True, timeout=300, check=False, env={
            **os.environ,
            **UCX
        })
        return done, tape.read_text(encoding="utf-8").count("lost") if tape.exists() else 0


class List(unittest.TestCase):
    def test_each_program_runs(self) -> None:
        rows = sampling.drawn(LIST, argparse.Namespace(all=False, seed=None, sample=SAMPLE),
                              "programs")
        table: list[tuple[str, ...]] = [("program", *LOSSES)]
        lost = dict.fromkeys(LOSSES, 0)
        for row in rows:
            said = []
            for loss in LOSSES:
                with self.subTest(row.client, loss=loss):
                    if shutil.which(row.server.split()[0]) is None:
                        said.append("left out: not installed")
                        continue
                    if row.waits and loss != LOSSES[0]:
                        said.append("left out: it waits for ever for what is lost")
                        continue
                    begun = time.monotonic()
                    said.append("failed")
                    done, frames = run(row, loss)
                    lost[loss] += frames
                    self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
                    self.assertGreaterEqual(done.stdout.count(row.both), 2 if row.both else 0,
                                            done.stdout)
                    compared = ", compares its bytes" if row.compares else ""
                    said[-1] = f"runs{compared}, {time.monotonic() - begun:.1f} s"
            table.append((os.path.basename(row.client.split()[0]) + " " +
                          row.client.partition(" ")[2].replace(" -p {port}", ""), *said))
        for line in table:
            print("  ".join(f"{cell:50}" for cell in line).rstrip(), flush=True)
        self.assertEqual(lost[LOSSES[0]], 0)
        self.assertGreater(lost[LOSSES[1]], 0)


if __name__ == "__main__":
    unittest.main()
