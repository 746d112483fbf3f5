# SPDX-License-Identifier: Apache-2.0
"""Rows of keys_table.py: keys of applications, and what they cost their hosts."""

from typing import Any

GET = """system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run: {size: 200 KiB, transfers: 4, repetitions: 1, application: plasma, traffic: [{from: a, to: b}]}
"""
ECHO = GET.replace("plasma", "echo")
KEYS = GET.replace("plasma", "kv")
SMC = GET.replace("plasma", "smc")
TENSOR = GET.replace("plasma", "tensor")
DOCS = GET.replace("plasma", "documents")
CHAIN = GET.replace("plasma", "blocks")
CPU, TCP, PLASMA, KV = "system.host.cpu.", "system.host.tcp.", "run.plasma.", "run.kv."
RPC_CALLS, MESSAGES = GET.replace("plasma", "rpc"), GET.replace("plasma", "fifo")
RPC, FIFO, SUM, D = "run.rpc.", "run.fifo.", "run.allreduce.", "run.documents."
RING = """system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {n: {count: 2}}
  switches: {s: {mtu: 4200 B}}
  links: [{between: [n, s]}]
run:
  {size: 200 KiB, transfers: 4, repetitions: 1, application: allreduce, traffic: [{from: n, to: n}]}
"""
BRIDGE = """system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
  bridges: [{name: n0, between: [a, b]}]
run:
  {size: 20 KiB, transfers: 40, depth: 4, repetitions: 1, application: nts,
   traffic: [{from: a, to: b}]}
"""
KV_RINGS = BRIDGE.replace("application: nts,", "application: kv, kv: {transport: nts},")
BESIDE = BRIDGE.replace("application: nts,", "").replace(
    "[{from: a, to: b}]", "[{from: a, to: b, application: nts}, {from: a, to: b}]")
SHARED = BRIDGE.replace(
    "application: nts,", "application: nts, connections: 4, nts: {partitions: 1},")
PRIORITIES = SHARED.replace(
    "[{from: a, to: b}]",
    "[{name: high, from: a, to: b}, {name: low, from: a, to: b, nts: {priority: 3}}]")
NTS, N0 = "run.nts.", "system.bridge."
DOWN = {
    N0 + "down.probability": "100 %",
    N0 + "down.period": "100 us",
    N0 + "down.duration": "20 us"
}
DIVIDED = {FIFO + "adaptive_routing": "true"}
EVENTS = {"system.host.verbs.notify": "events"}
SOCKET = {PLASMA + "protocol": "socket"}
CHUNKS = {PLASMA + "protocol": "sendrecv"}
READ = {PLASMA + "protocol": "read"}
UNSAFE = {**CHUNKS, PLASMA + "unsafe": "true"}
BY_TCP = {KV + "transport": "tcp"}
NO_TCP = {"run.application": "echo"}
USER = {**SOCKET, TCP + "stack": "user"}


def rows() -> Any:
    own = {
        "run.application": (GET, {}, "plasma", "echo", None),
        "run.echo.memory": (ECHO, {}, "pool", "each", {"run.application": "none"}),
        PLASMA + "protocol": (GET, {}, "sendrecv", "read", {"run.application": "none"}),
        PLASMA + "threshold": (GET, {}, "32 KiB", "1 MiB", READ),
        PLASMA + "chunk": (GET, CHUNKS, "4 KiB", "8 KiB", READ),
        PLASMA + "window": (GET, CHUNKS, "1", "2", SOCKET),
        PLASMA + "write": (GET, {**SOCKET, TCP + "extra_write": "2 us"}, "4 KiB", "8 KiB", CHUNKS),
        PLASMA + "recv_wrs": (GET, {**UNSAFE, PLASMA + "ack": "false"}, "2", "50", READ),
        PLASMA + "lease": (GET, READ, "1 s", "1 us", CHUNKS),
        PLASMA + "order": (GET.replace("run: {", "run: {connections: 3, "), {}, "each", "turn",
                           {"run.connections": "1"}),
        PLASMA + "lookup": (GET, {}, "false", "true", {"run.application": "none"}),
        PLASMA + "setup": (GET, {}, "0 ns", "1 ms", SOCKET),
        PLASMA + "reuse": (GET.replace("run: {", "run: {connections: 3, "),
                           {PLASMA + "setup": "1 ms"}, "true", "false", {"run.connections": "1"}),
        PLASMA + "ack": (GET, CHUNKS, "true", "false", None),
        PLASMA + "slots": (GET, {**CHUNKS, PLASMA + "window": "4"}, "own", "shared", None),
        PLASMA + "unsafe": (GET, {**CHUNKS, PLASMA + "ack": "false"}, "true", "false", READ),
        FIFO + "slots": (MESSAGES, {"run.depth": "1", "run.transfers": "200"}, "64", "2",
                         {"run.transfers": "2", "run.depth": "1"}),
        FIFO + "adaptive_routing": (MESSAGES, {}, "false", "true", {"run.size": "1 KiB"}),
        FIFO + "threshold": (MESSAGES.replace("size: 200 KiB", "sizes: [10 KiB, 200 KiB]"), DIVIDED,
                             "8 KiB", "100 KiB", {FIFO + "adaptive_routing": "false"}),
        FIFO + "wait": (MESSAGES, {}, "true", "false", None),
        FIFO + "data_first": (MESSAGES, DIVIDED, "true", "false", None),
        FIFO + "unsafe": (MESSAGES, {FIFO + "wait": "false"}, "true", "false", None),
        SUM + "reduce": (RING, {}, "0 ns", "80 ns", None),
        SUM + "wait": (RING, {}, "true", "false", None),
        SUM + "unsafe": (RING, {SUM + "wait": "false"}, "true", "false", None),
        RPC + "answer": (RPC_CALLS, {}, "64 B", "1 MiB", {"run.application": "echo"}),
        RPC + "block": (RPC_CALLS, {}, "8 KiB", "16 KiB", {"run.size": "1 KiB"}),
        RPC + "queue": (RPC_CALLS, {}, "128", "16", {"run.application": "echo"}),
        RPC + "solicit": (RPC_CALLS, {**EVENTS, "run.depth": "1"}, "some", "all",
                          {"run.size": "1 KiB"}),
        RPC + "window": (RPC_CALLS, {}, "true", "false", None),
        RPC + "unsafe": (RPC_CALLS, {RPC + "window": "false"}, "true", "false", None),
    }
    declined = {"run.smc.refused": "true"}
    smc = {
        "run.smc.rmb": (SMC, {}, "64 KiB", "16 KiB", declined),
        "run.smc.read": (SMC, {}, "64 KiB", "4 KiB", {"run.application": "none"}),
        "run.smc.refused": (SMC, {}, "false", "true", {"run.application": "none"}),
        "run.smc.wait": (SMC, {}, "true", "false", None),
        "run.smc.update": (SMC, {}, "true", "false", None),
        "run.smc.unsafe": (SMC, {"run.smc.update": "false"}, "true", "false", declined),
    }
    proto = {"run.tensor.path": "proto"}
    tensor = {
        "run.tensor.tensors": (TENSOR, {}, "16", "1", {"run.application": "none"}),
        "run.tensor.change_every": (TENSOR, {"run.tensor.tensors": "1"}, "0", "2",
                                    {"run.tensor.tensors": "4"}),
        "run.tensor.path": (TENSOR, {CPU + "copy.warm": "1 GB/s"}, "direct", "proxy",
                            {"run.application": "none"}),
        "run.tensor.serialize": (TENSOR, proto, "1 GB/s", "2 GB/s", {"run.tensor.path": "proxy"}),
        "run.tensor.ack": (TENSOR, {}, "true", "false", None),
        "run.tensor.unsafe": (TENSOR, {"run.tensor.ack": "false"}, "true", "false",
                              {"run.depth": "1"}),
    }
    kv = {
        KV + "transport": (KEYS, {}, "rdma", "tcp", NO_TCP),
        KV + "operation": (KEYS, {}, "get", "set", NO_TCP),
        KV + "key": (KEYS, {}, "16 B", "1 KiB", NO_TCP),
        KV + "rx_size": (KEYS, {}, "1 MiB", "64 KiB", BY_TCP),
        KV + "receives": (KEYS, {}, "1024", "64", BY_TCP),
        KV + "signal_every": (KEYS, {}, "1", "2", BY_TCP),
        KV + "server_work": (KEYS, {}, "0 ns", "2 us", NO_TCP),
        KV + "client_work": (KEYS, {}, "0 ns", "2 us", NO_TCP),
        KV + "room": (KEYS, {KV + "rx_size": "64 KiB"}, "waited_for", "taken", None),
        KV + "unsafe": (KEYS, {KV + "room": "taken", KV + "rx_size": "64 KiB"}, "true", "false",
                        BY_TCP),
    }
    grows = {"run.blocks.interval": "200 us"}
    blocks = {
        "run.blocks.operation": (CHAIN, {}, "sync", "broadcast", NO_TCP),
        "run.blocks.window": (CHAIN, {}, "1", "4", NO_TCP),
        "run.blocks.irreversible": (CHAIN, {}, "0", "2", {"run.blocks.operation": "broadcast"}),
        "run.blocks.history": (CHAIN, grows, "0", "2", {"run.blocks.interval": "0 ns"}),
        "run.blocks.interval": (CHAIN, {}, "0 ns", "1 ms", {"run.blocks.operation": "broadcast"}),
        "run.blocks.work": (CHAIN, {}, "0 ns", "100 us", NO_TCP),
        "run.blocks.heartbeat": (CHAIN, {}, "0", "4", {"run.transfers": "2"}),
    }
    log = {D + "operation": "oplog", "run.depth": "1"}
    page = {CPU + "registration.page": "1 us"}
    by_load = {**page, D + "sizing": "equation"}
    printed = {**page, D + "sizing": "printed", D + "unsafe": "true", D + "memory_load": "50 %"}
    documents = {
        D + "operation": (DOCS, {"run.size": "500 B"}, "query", "write", NO_TCP),
        D + "support": (DOCS, {}, "both", "client", NO_TCP),
        D + "flow": (DOCS, {}, "slots", "turns", {D + "support": "neither"}),
        D + "slots": (DOCS, {}, "16", "1", {D + "flow": "turns"}),
        D + "buffers": (DOCS, page, "pool", "each", {D + "support": "neither"}),
        D + "sizing": (DOCS, page, "slots", "equation", {D + "buffers": "each"}),
        D + "memory_load": (DOCS, by_load, "0 %", "50 %", {D + "sizing": "slots"}),
        D + "network_load": (DOCS, by_load, "0 %", "50 %", {D + "sizing": "slots"}),
        D + "overload": (DOCS, printed, "20 %", "80 %",
                         {D + "sizing": "equation", D + "unsafe": "false"}),
        D + "work": (DOCS, {}, "0 ns", "60 us", NO_TCP),
        D + "news": (DOCS, log, "1", "2", {D + "operation": "query"}),
        D + "timeout": (DOCS, {**log, D + "news": "2"}, "1 us", "1 ms", {**log, D + "news": "1"}),
        D + "history": (DOCS, log, "1 MiB", "64 KiB", {D + "operation": "query"}),
        D + "heartbeat": (DOCS, log, "0", "2", {D + "operation": "query"}),
        D + "initial_sync": (DOCS, log, "once", "always", None),
        D + "repost": (DOCS, {"run.transfers": "40"}, "true", "false", None),
        D + "unsafe": (DOCS, {**log, D + "initial_sync": "always"}, "true", "false", None),
    }
    costs = {
        TCP + "tx": (GET, SOCKET, "0 ns", "2 us", NO_TCP),
        TCP + "rx": (GET, SOCKET, "0 ns", "2 us", NO_TCP),
        TCP + "frame": (GET, SOCKET, "0 ns", "80 ns", USER),
        TCP + "extra_write": (GET, SOCKET, "0 ns", "2 us", NO_TCP),
        TCP + "moderation": (GET, SOCKET, "0 ns", "4 us", USER),
        TCP + "gso": (GET, {**SOCKET, PLASMA + "write": "64 KiB", TCP + "tx": "2 us"}, "3 KiB",
                      "64 KiB", NO_TCP),
        TCP + "gro": (GET, {**SOCKET, TCP + "moderation": "4 us", TCP + "rx": "2 us"}, "3 KiB",
                      "64 KiB", NO_TCP),
        TCP + "window": (GET, SOCKET, "4 KiB", "1 MiB", NO_TCP),
        TCP + "mtu": (GET, SOCKET, "1500 B", "4000 B", NO_TCP),
        TCP + "stack": (GET, SOCKET, "kernel", "user", NO_TCP),
        CPU + "syscall": (GET, SOCKET, "0 ns", "1 us", USER),
        CPU + "epoll": (GET, SOCKET, "0 ns", "1 us", USER),
        CPU + "copy.base": (GET, SOCKET, "0 ns", "1 us", NO_TCP),
        CPU + "copy.warm": (GET, CHUNKS, "0 GB/s", "1 GB/s", NO_TCP),
        CPU + "copy.cold": (GET, {**CHUNKS, CPU + "llc": "1 KiB"}, "0 GB/s", "1 GB/s", NO_TCP),
        CPU + "llc": (GET, {**CHUNKS, CPU + "copy.cold": "1 GB/s"}, "1 KiB", "1 MiB", NO_TCP),
        **{
            f"{CPU}{what}.{part}": (GET, READ, "1 us", "20 us", CHUNKS)
            for what in ("registration", "deregistration") for part in ("base", "page")
        },
        CPU + "registration.failure": (GET, READ, "0 %", "50 %", CHUNKS),
        CPU + "registration.retry": (GET, {**READ, CPU + "registration.failure": "50 %"}, "1 us",
                                     "20 us", READ),
        CPU + "touch": (GET, {}, "0 ns", "1 us", NO_TCP),
        CPU + "ipc": (GET, {}, "0 ns", "1 us", NO_TCP),
    }
    small = {NTS + "slot": "128 B", NTS + "ring": "1 KiB"}
    nts = {
        "system.host.persistence.iio.shared":
        (BESIDE, {"system.host.persistence.iio.bandwidth": "4 GB/s"}, "false", "true", None),
        NTS + "slot": (BRIDGE, {}, "4 KiB", "1 KiB", None),
        NTS + "ring": (BRIDGE, {NTS + "slot": "1 KiB"}, "8 MiB", "16 KiB", None),
        NTS + "align": (KV_RINGS, {}, "line", "packed", None),
        NTS + "answer": (BRIDGE, {}, "false", "true", None),
        NTS + "push_each": (BRIDGE, {}, "512", "3", {"run.size": "8 B", "run.transfers": "1"}),
        NTS + "mode": (BRIDGE, {CPU + "profile": "xeon_2018"}, "shm", "origin", None),
        NTS + "partitions": (SHARED, {}, "1", "2", None),
        NTS + "batch": (SHARED, {NTS + "slot": "128 B"}, "16", "1", {NTS + "partitions": "0"}),
        NTS + "slicing": (SHARED, {NTS + "slot": "128 B"}, "true", "false",
                          {NTS + "partitions": "0"}),
        NTS + "hand_over": (SHARED, {}, "425 ns", "1 us", {NTS + "partitions": "0"}),
        NTS + "max_rounds": (PRIORITIES, {NTS + "slot": "128 B"}, "64", "1",
                             {NTS + "partitions": "0"}),
        NTS + "priority": (PRIORITIES, {NTS + "slot": "128 B"}, "0", "7", None),
        NTS + "serve": (BRIDGE, {}, "0 ns", "1 us", None),
        NTS + "queue": (SHARED, {NTS + "serve": "5 us"}, "1024", "1", {NTS + "partitions": "0"}),
        NTS + "flow_control": (SHARED, {NTS + "serve": "5 us", NTS + "queue": "1"}, "true", "false",
                               {NTS + "partitions": "0"}),
        NTS + "tx": (BRIDGE, {}, "62 ns", "1 us", None),
        NTS + "rx": (KV_RINGS, {}, "120 ns", "1 us", None),
        NTS + "fence": (BRIDGE, {}, "true", "false", None),
        NTS + "zero": (BRIDGE, small, "true", "false", None),
        NTS + "push": (BRIDGE, small, "true", "false", None),
        NTS + "unsafe": (BRIDGE, {NTS + "fence": "false"}, "true", "false", None),
        CPU + "store.line": (BRIDGE, {}, "4.8 ns", "9.7 ns", None),
        CPU + "store.word": (BRIDGE, {}, "1 ns", "20 ns", None),
        CPU + "store.evict": (BRIDGE, {}, "20 ns", "200 ns", None),
        CPU + "store.fence": (BRIDGE, {}, "58 ns", "200 ns", None),
        CPU + "store.buffers": (BRIDGE, {}, "10", "1", None),
        CPU + "store.partial": (BRIDGE, {}, "chunks", "one_tlp", None),
        CPU + "store.mapping": (BRIDGE, {}, "write_combining", "uncached", None),
        CPU + "store.uncached": (BRIDGE, {CPU + "store.mapping": "uncached"}, "60 ns", "100 ns",
                                 {CPU + "store.mapping": "write_combining"}),
        NTS + "index": (BRIDGE, {}, "shadow", "rl", None),
        NTS + "notify": (BRIDGE, {}, "poll", "doorbell", None),
        NTS + "failover": (BRIDGE, DOWN, "false", "true", None),
        "system.host.root_port.down": (BRIDGE, {}, "40 ns", "200 ns", None),
        "system.host.root_port.posted": (BRIDGE, {}, "32", "1", None),
        "system.host.root_port.completion_timeout":
        (BRIDGE, {**DOWN, NTS + "index": "lr"}, "50 us", "80 us", {NTS + "index": "rl"}),
        N0 + "generation": (BRIDGE, {}, "3", "1", None),
        N0 + "lanes": (BRIDGE, {}, "16", "1", None),
        N0 + "rate": (BRIDGE, {}, "0 Gbps", "10 Gbps", None),
        N0 + "latency": (BRIDGE, {}, "80 ns", "200 ns", None),
        N0 + "translate": (BRIDGE, {}, "16 ns", "32 ns", None),
        N0 + "credits.headers": (BRIDGE, {}, "64", "1", None),
        N0 + "credits.data": (BRIDGE, {}, "1024", "4", None),
        N0 + "start_up": (BRIDGE, {}, "false", "true", None),
        N0 + "down.probability": (BRIDGE, DOWN, "1 %", "100 %", None),
        N0 + "down.period": (BRIDGE, DOWN, "100 us", "150 us", {N0 + "down.probability": "0 %"}),
        N0 + "down.duration": (BRIDGE, DOWN, "20 us", "40 us", {N0 + "down.probability": "0 %"}),
    }
    return {**own, **smc, **tensor, **kv, **nts, **documents, **blocks, **costs}
