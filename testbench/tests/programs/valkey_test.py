#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""valkey over the simulated RNIC: what its server and its benchmark put on the wire is what the
protocol of a store over RDMA says."""
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import valkey
import wire_messages
from valkey import Side, in_protocol

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCES / "scripts"))
from rnicsim import sampling  # noqa: E402

PROGRAM = os.environ["RNICSIM"]
SCENARIO = str(SOURCES / "scenarios/programs/two_hosts.yaml")
REQUESTS = 1000
KEY, VALUE = "key:__rand_int__", 65536  # the key is the benchmark's
GET, SET = in_protocol("GET", KEY), in_protocol("SET", KEY, "x" * VALUE)
NO_VALUE, OK = len("$-1\r\n"), len("+OK\r\n")
KV = """
system:
  rnic: {{profile: cx5_100g}}
  link: {{rate: 100 Gbps, delay: 390.4 ns}}
  hosts: {{a: {{}}, b: {{}}}}
  links: [{{between: [a, b]}}]
run:
  traffic:
    - {{from: b, to: a, application: kv, size: {value} B, depth: 1, kv: {{operation: {operation}}}}}
  transfers: 1000
  repetitions: 1
"""
REGISTER_MEMORY, KEEP_ALIVE = 3, 2  # what a SEND says


class Wire(typing.NamedTuple):
    """Connections in the order in which they were made: what client and server post."""
    connections: list[tuple[Side, Side]]
    messages: wire_messages.Messages


def wire_of(capture: str) -> Wire:
    messages, sends = wire_messages.of(capture), wire_messages.sends_of_one_frame(capture)

    def sides(place: str) -> list[Side]:
        found = []
        for direction in sorted(d for d in messages if d[0] == place):
            said = [int.from_bytes(data[:2], "big") for data in sends[direction]]
            assert set(said) <= {REGISTER_MEMORY, KEEP_ALIVE}, said
            writes = [m for m in messages[direction] if m.verb == "WRITE"]
            assert all(m.immediate == m.bytes for m in writes), writes
            # One keeps a connection alive each 3 s; how long idle programs take is the machine's.
            found.append(Side(len(writes), said.count(REGISTER_MEMORY)))
        return found

    clients, servers = sides("b.sent"), sides("a.sent")
    assert len(clients) == len(servers), (clients, servers)
    return Wire(list(zip(clients, servers)), messages)


class Valkey(unittest.TestCase):
    programs: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        if not sampling.wants_all():
            raise unittest.SkipTest("left to --all: valkey is built from Debian's source")
        missing = wire_messages.missing()
        if missing is not None:
            raise unittest.SkipTest(f"left out: {missing}")
        try:
            cls.programs = valkey.programs()
        except valkey.Missing as reason:
            raise unittest.SkipTest(f"left out: valkey cannot be built here: {reason}") from None

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def benchmark(self, options: str, where: str = "sent") -> str:
        """A capture of the benchmark, and of the client that ends the server behind it."""
        server = f"""{self.programs}/valkey-server --port 0 --rdma-bind 10.0.0.1 --rdma-port 6379
            --protected-mode no --appendonly no --dir {self.folder}"""
        client = (f"{self.programs}/valkey-benchmark --rdma -h 10.0.0.1 -q {options} && "
                  f"{self.programs}/valkey-cli --rdma -h 10.0.0.1 shutdown nosave")
        capture = f"{self.folder}/x.pcapng"
        done = subprocess.run([
            "timeout", "300", PROGRAM, "exec", SCENARIO, "--pcap", capture, "--pcap-at", where,
            "--on", "a", "--", *server.split(), "--save", "", "--on", "b", "--", "sh", "-c", client
        ], capture_output=True, text=True, check=False)
        said = done.stdout[-3000:] + done.stderr[-3000:]
        self.assertEqual(done.returncode, 0, said)
        self.assertIn("requests per second", done.stdout, said)
        self.assertIn("ready to exit", done.stdout, said)
        return capture

    def connections(self, options: str) -> list[tuple[Side, Side]]:
        """Those of the benchmark's load. Around them is its own, by which it asks once for the
        server's settings, and that of the client that ends the server, which does not answer."""
        first, *load, last = wire_of(self.benchmark(options)).connections
        self.assertEqual(first, (Side(1, 1), Side(1, 1)))
        self.assertEqual(last, (Side(1, 1), Side(0, 1)))
        return load

    def test_a_get_is_two_writes(self) -> None:
        for clients in (1, 4):
            with self.subTest(clients=clients):
                load = self.connections(f"-t get -n {REQUESTS} -c {clients}")
                self.assertEqual(len(load), clients)
                requests = [client.writes for client, _ in load]
                self.assertEqual(sum(requests), REQUESTS)
                self.assertEqual(load, [valkey.expected(n, GET, NO_VALUE) for n in requests])

    def test_a_full_buffer_is_registered_anew(self) -> None:
        load = self.connections(f"-t set -n {REQUESTS} -c 1 -d {VALUE}")
        self.assertEqual(load, [valkey.expected(REQUESTS, SET, OK)])
        # What the formula says, in numbers: of 65,582 B, 62 times 1 MiB; no request ends there.
        self.assertEqual(load, [(Side(REQUESTS + 62, 1), Side(REQUESTS, 1 + 62))])

    def test_what_is_sent_is_received(self) -> None:
        messages = wire_messages.of(self.benchmark(f"-t get -n {REQUESTS} -c 4", "both"))
        for host, peer in (("a", "b"), ("b", "a")):
            sent = {qp: of for (place, qp), of in messages.items() if place == f"{host}.sent"}
            self.assertEqual(
                sent, {qp: of for (place, qp), of in messages.items()
                       if place == f"{peer}.received"})
            self.assertGreater(sum(map(len, sent.values())), REQUESTS)

    def test_a_benchmark_of_threads_ends(self) -> None:
        """Its clients wait for channels of completions that are never ready to be written to."""
        load = self.connections(f"-t get -n {REQUESTS} -c 8 --threads 4")
        self.assertEqual(len(load), 8)
        self.assertEqual(sum(client.writes for client, _ in load), REQUESTS)
        self.assertEqual(load, [
            valkey.expected(client.writes, GET, NO_VALUE) for client, _ in load])

    def simulated(self, operation: str, value: int) -> wire_messages.Messages:
        """Of the application `kv`, on the same cards: a client with one command under way."""
        scenario, capture = f"{self.folder}/kv.yaml", f"{self.folder}/kv.pcapng"
        pathlib.Path(scenario).write_text(KV.format(operation=operation, value=value))
        subprocess.run([
            PROGRAM, "run", scenario, "-q", "--no-plot", "-o", f"{self.folder}/out", "--pcap",
            capture
        ], check=True, timeout=300)
        return wire_messages.of(capture)

    def test_the_application_kv_posts_the_same(self) -> None:
        """Each message with its length and immediate, in order. It gets what it has set."""
        small = wire_of(self.benchmark(f"-t set,get -n {REQUESTS} -c 1 -d 3")).messages
        large = wire_of(self.benchmark(f"-t set -n {REQUESTS} -c 1 -d {VALUE}")).messages
        for operation, value, messages, connection in (("set", 3, small, 1), ("get", 3, small, 2),
                                                       ("set", VALUE, large, 1)):
            with self.subTest(operation=operation, value=value):
                expected = self.simulated(operation, value)
                for place in ("a.sent", "b.sent"):
                    (ours,) = (of for direction, of in expected.items() if direction[0] == place)
                    theirs = [messages[d] for d in sorted(messages) if d[0] == place][connection]
                    self.assertGreater(len(ours), REQUESTS)
                    self.assertEqual(ours, theirs)


class Formula(unittest.TestCase):
    def test_a_message_at_the_end_of_the_buffer_is_not_split(self) -> None:
        self.assertEqual([valkey.splits(bytes_, 8, 1024) for bytes_ in (256, 300, 512, 1000)],
                         [0, 2, 0, 7])
        self.assertEqual(valkey.expected(8, 256, 100, 1024), (Side(8, 1), Side(8, 1 + 2)))


if __name__ == "__main__":
    unittest.main()
