# SPDX-License-Identifier: Apache-2.0
"""Hosts with RoCEv2 RNICs at the limits of what the reader accepts: a part of the networks of
edge_networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rnicsim.edge_scenarios import MS

if TYPE_CHECKING:
    from rnicsim.edge_scenarios import Draw

SIMULATED_BY = "rnic.rc.simulated_by."


def cycles(draw: Draw, clock: float, most: int = 100) -> str:
    """A time of so many whole cycles of a clock, in ns."""
    number = most * 300 if draw.chance(0.05) else draw.one(0, 0, 1, 2, 8, most)
    return f"{round(number * clock, 4):.10g} ns"


def card(draw: Draw) -> dict[str, str]:
    """The keys of a group, without its count: a profile or the personality, and some of the card's
    and the host's own."""
    profile = draw.one("none", "gigabit_fpga", "cx5_100g")
    keys = {"rnic.profile": profile} if profile != "none" or draw.chance(0.5) else {}
    if profile == "none":
        keys["rnic.personality"] = "rc"
    fast = profile == "cx5_100g"
    clock, host_clock = (3.2, 0.4) if fast else (8, 8)
    if profile == "none" and draw.chance(0.3):  # all times of the defaults are multiples of these
        clock, host_clock = draw.one(8, 4, 1.6, 0.1), draw.one(8, 2, 0.8, 0.1)
        keys.update({"rnic.clock": f"{clock} ns", "host.clock": f"{host_clock} ns"})
    mtu = draw.one(1500, 1500, 4200, 9198)
    keys["rnic.gmac.mtu"] = f"{mtu} B"
    keys["rnic.rc.pmtu"] = draw.one(
        *[f"{size} B" for size in (256, 512, 1024, 2048, 4096) if size + 64 <= mtu])
    own = {
        "rnic.rc.window": draw.one("1", "2", "3", "16", "128", "4096", "8388608", "8388608"),
        "rnic.rc.ack_interval": draw.one("1", "2", "16", "4096"),
        "rnic.rc.acknowledgement": draw.one("coalesced", "each"),
        "rnic.rc.max_rd_atomic": draw.one("1", "2", "4", "128"),
        "rnic.rc.inline": draw.one("0 B", "1 B", "32 B", "33 B", "220 B"),
        "rnic.rc.retry_cnt": draw.one("0", "1", "7", "7"),
        "rnic.rc.min_rnr_timer": draw.one("1", "2", "12", "31", "0"),
        "rnic.rc.rnr_retry": draw.one("0", "6", "7", "7"),
        "rnic.rc.cache": draw.one("6144 B", "6145 B", "12 KiB", "64 KiB"),
        "rnic.rc.cache_misses": draw.one("1", "2", "256"),
        "rnic.pcie.latency": cycles(draw, clock),
        "rnic.pcie.request_overhead": cycles(draw, clock),
        "host.memory.latency": cycles(draw, host_clock),
        "host.verbs.page": draw.one("4 KiB", "2 MiB", "1024 MiB"),
        "rnic.rc.packet_interval": cycles(draw, clock),
        "rnic.rc.qp_interval": cycles(draw, clock),
        "rnic.rc.tx_path": cycles(draw, clock),
        "rnic.rc.rx_path": cycles(draw, clock),
        SIMULATED_BY + "icrc": draw.one("model", "rtl"),
        SIMULATED_BY + "request_check": draw.one("model", "rtl"),
        SIMULATED_BY + "responder_psn": draw.one("model", "rtl"),
        SIMULATED_BY + "packet_parser": draw.one("model", "rtl"),
        SIMULATED_BY + "packet_builder": draw.one("model", "rtl"),
        "rnic.rc.loopback": cycles(draw, clock),
        "rnic.rc.atomic_busy": cycles(draw, clock),
        "rnic.rc.atomic_order": draw.one("card", "address"),
        "rnic.rc.mode": draw.one("store_and_forward", "cut_through"),
        "rnic.rc.tx_buffer": draw.one(f"{mtu + 18} B", "22 KiB", "1 MiB"),
        "rnic.rc.rx_buffer": draw.one(f"{mtu + 18} B", "40 KiB", "1 MiB"),
        "host.verbs.post": cycles(draw, host_clock),
        "host.verbs.push": cycles(draw, host_clock),
        "host.verbs.poll": cycles(draw, host_clock),
        "host.verbs.receive": cycles(draw, host_clock),
        "host.verbs.posting": draw.one("push", "doorbell"),
        "host.verbs.notify": draw.one("poll", "poll", "events"),
        "host.verbs.threads": draw.one("1", "2", "3", "128"),
        "host.cpu.cores": draw.one("1", "2", "128"),
        "host.cpu.switch": cycles(draw, host_clock),
        "host.cpu.profile": draw.one("none", "xeon_2018", "tianhe_2022"),
        "host.cpu.wake": cycles(draw, host_clock),
        "host.cpu.event_read": cycles(draw, host_clock),
        "host.cpu.arm": cycles(draw, host_clock),
        "host.cpu.touch": cycles(draw, host_clock),
        "host.cpu.ipc": cycles(draw, host_clock),
        "host.cpu.syscall": cycles(draw, host_clock),
        "host.cpu.epoll": cycles(draw, host_clock),
        "host.cpu.copy.base": cycles(draw, host_clock),
        "host.cpu.copy.warm": draw.one("0 GB/s", "0.001 GB/s", "50 GB/s"),
        "host.cpu.copy.cold": draw.one("0 GB/s", "0.001 GB/s", "7.2 GB/s"),
        "host.cpu.llc": draw.one("0 B", "1 B", "1 MiB"),
        "host.tcp.tx": cycles(draw, host_clock),
        "host.tcp.rx": cycles(draw, host_clock),
        "host.tcp.frame": cycles(draw, host_clock),
        "host.tcp.extra_write": cycles(draw, host_clock),
        "host.tcp.moderation": cycles(draw, clock),
        "host.tcp.gso": draw.one("1 B", "1448 B", "64 KiB"),
        "host.tcp.gro": draw.one("1 B", "1448 B", "64 KiB"),
        "host.tcp.window": draw.one("4 KiB", "64 KiB", "8 MiB"),
        "host.tcp.mtu": draw.one("576 B", "1500 B", f"{mtu} B"),
        "host.tcp.stack": draw.one("kernel", "user"),
        "host.cpu.registration.base": cycles(draw, host_clock),
        "host.cpu.registration.page": cycles(draw, host_clock),
        "host.cpu.registration.failure": draw.one("0 %", "1 %", "50 %"),
        "host.cpu.registration.retry": cycles(draw, host_clock),
        "host.cpu.deregistration.base": cycles(draw, host_clock),
        "host.cpu.deregistration.page": cycles(draw, host_clock),
        "host.verbs.receive_queues": draw.one("own", "shared"),
        "host.verbs.shared_receives": draw.one("1", "2", "7", "512"),
        "host.verbs.srq_limit": draw.one("0", "1", "2", "512")
    }
    keys.update({key: value for key, value in own.items() if draw.chance(0.4)})
    keys["rnic.rc.timeout"] = draw.one("1", "4", "8", "10")
    if draw.chance(0.3):
        keys.update(congestion(draw))
    if draw.chance(0.2):
        keys["rnic.gmac.pause_reaction"] = draw.fine_time(most=MS)
    if draw.chance(0.2):
        keys.update(persistence(draw))
    return keys


def persistence(draw: Draw) -> dict[str, str]:
    """A host's way into persistent memory."""
    way = "host.persistence."
    own = {
        way + "ddio": draw.one("true", "false"),
        way + "no_snoop_write": draw.one("true", "false"),
        way + "no_snoop": draw.one("hint", "literal"),
        way + "iio.capacity": draw.one("64 B", "128 B", "1 MiB"),
        way + "iio.latency": draw.one("0 ns", "1 ps", "1 us"),
        way + "iio.bandwidth": draw.one("1 MB/s", "1 GB/s", "1000 GB/s"),
        way + "iio.hold": draw.one("1 ps", "1 ns", "until_pushed"),
        way + "llc.capacity": draw.one("64 B", "128 B", "64 MiB"),
        way + "llc.latency": draw.one("0 ns", "1 ps", "1 us"),
        way + "llc.evict": draw.one("lru", "random", "never"),
        way + "llc.dirty": draw.one("true", "false"),
        way + "imc.capacity": draw.one("64 B", "1 MiB"),
        way + "imc.latency": draw.one("0 ns", "1 us"),
        way + "scm.write": draw.one("1 MB/s", "1000 GB/s"),
        way + "scm.read": draw.one("1 MB/s", "1000 GB/s"),
        way + "scm.read_latency": draw.one("0 ns", "1 us"),
        way + "flush.base": draw.one("0 ns", "1 us"),
        way + "flush.line": draw.one("0 ns", "1 us"),
        way + "scm.modules": draw.one("1", "12"),
        way + "scm.line": draw.one("64 B", "4096 B")
    }
    return {
        way + "domain": draw.one("none", "adr", "eadr", "wsp"),
        **{key: value
           for key, value in own.items() if draw.chance(0.4)}
    }


def congestion(draw: Draw) -> dict[str, str]:
    """DCQCN, with a timeout that outlasts 4096 packets of a jumbo PMTU at the least rate."""
    keys = {
        "rnic.rc.congestion": "dcqcn",
        "rnic.rc.timeout": "17",
        "rnic.rc.dcqcn.least_rate": draw.one("500 Mbps", "1 Gbps")
    }
    own = {
        "rnic.rc.cnp_interval": draw.one("0 ns", "1 ps", "4 us", "50 us", "1 s"),
        "rnic.rc.dcqcn.g": draw.one("1", "4", "1023"),
        "rnic.rc.dcqcn.parameters": draw.one("paper", "nic", "nic"),
        "rnic.rc.nak_cnp": draw.one("true", "false"),
        "rnic.rc.dcqcn.first_alpha": draw.one("1", "1023", "1024"),
        "rnic.rc.dcqcn.alpha_update": draw.one("cnp", "period"),
        "rnic.rc.dcqcn.reduction_interval": draw.one("0 ns", "1 ps", "4 us", "1 s"),
        "rnic.rc.dcqcn.target_update": draw.one("reduction", "timer"),
        "rnic.rc.dcqcn.alpha_timer": draw.one("1 us", "55 us", "1 s"),
        "rnic.rc.dcqcn.rate_timer": draw.one("1 us", "55 us", "1 s"),
        "rnic.rc.dcqcn.byte_counter": draw.one("10000 B", "1024 MiB"),
        "rnic.rc.dcqcn.fast_recovery": draw.one("1", "5", "1000"),
        "rnic.rc.dcqcn.additive_increase": draw.one("1 kbps", "40 Mbps", "100 Gbps"),
        "rnic.rc.dcqcn.hyper_increase": draw.one("1 kbps", "400 Mbps", "100 Gbps")
    }
    return {**keys, **{key: value for key, value in own.items() if draw.chance(0.4)}}


def unreliable(draw: Draw, keys: dict[str, str]) -> Any:
    """The item over UC or UD, which have a PMTU of 256 B at least, and no turns where something may
    be lost."""
    service = draw.one("uc", "ud")
    keys.update({
        "service":
        service,
        "pattern":
        "stream",
        "operation":
        draw.one("send", "send_imm")
        if service == "ud" else draw.one("write", "write_imm", "send", "send_imm")
    })
    if service == "ud" or keys["size"] == "8 B":
        keys["size"] = draw.one("1 B", "7 B", "8 B", "255 B", "256 B")
    return keys


def share_out(draw: Draw, verbs: tuple[str, ...]) -> dict[str, str]:
    """`mix` of some of these verbs, which add up to 100 %."""
    chosen = [verb for verb in verbs if draw.chance(0.6)] or [draw.one(*verbs)]
    parts = [draw.one(1, 10, 1000) for _ in chosen]
    shares = [part * 1_000_000 // sum(parts) for part in parts]
    shares[0] += 1_000_000 - sum(shares)
    return {verb: f"{share / 10_000:.4f} %" for verb, share in zip(chosen, shares)}


def drawn(draw: Draw, keys: dict[str, str]) -> dict[str, str]:
    """The item with a mix in place of its operation, or sizes in place of its size, or both."""
    service = keys.get("service", "rc")
    verbs = {"rc": ("write", "write_imm", "send", "send_imm", "read", "compare_swap", "fetch_add"),
             "uc": ("write", "write_imm", "send", "send_imm"), "ud": ("send", "send_imm")}[service]
    if keys["pattern"] == "stream" and draw.chance(0.7):
        keys = {key: value for key, value in keys.items() if key != "operation"}
        keys.update({f"mix.{verb}": share for verb, share in share_out(draw, verbs).items()})
    if keys.get("operation") not in ("fetch_add", "compare_swap") and draw.chance(0.7):
        sizes = ("8 B", "9 B", "255 B", "256 B") + (() if service == "ud" else
                                                    ("257 B", "4097 B", "20000 B")) + (
                                                        ("1 B", ) if service == "rc" else ())
        del keys["size"]
        keys["sizes"] = "[" + ", ".join(draw.one(*sizes) for _ in range(draw.one(1, 2, 5))) + "]"
    return keys


def item(draw: Draw) -> dict[str, str]:
    operation = draw.one("write", "write", "write_imm", "send", "send_imm", "read", "read",
                         "fetch_add", "compare_swap")
    pattern = draw.one("stream", "stream", "ping_pong")
    depth = draw.one(1, 1, 2, 3, 16, 64)
    ends = draw.one(("peer", "target"), ("peer", "target"), ("target", "peer"))
    keys = {
        "from":
        ends[0],
        "to":
        ends[1],
        "operation":
        operation,
        "pattern":
        pattern,
        "transfers":
        draw.one("1", "2", "17", "60"),
        "size":
        "8 B" if operation in ("fetch_add", "compare_swap") else draw.one(
            "1 B", "7 B", "256 B", "257 B", "1024 B", "4097 B", "20000 B")
    }
    if draw.chance(0.7):
        keys["depth"] = str(depth)
    if draw.chance(0.4):
        keys["connections"] = draw.one("1", "2", "5", "20")
    if draw.chance(0.3):
        keys["regions"] = draw.one("connection", "host")
    if draw.chance(0.3):
        keys["dscp"] = draw.one("0", "8", "48", "63")
    if pattern == "stream" and draw.chance(0.3):
        keys.update({
            "depth": str(depth),
            "signal_every": str(draw.one(1, depth, max(1, depth - 1)))
        })
    elif pattern == "stream" and draw.chance(0.3):
        keys["outstanding"] = draw.one("1", "2", "7", "4096")
    keys = unreliable(draw, keys) if draw.chance(0.2) else keys
    return drawn(draw, keys) if draw.chance(0.3) else keys


# Keys of each application, and their values.
OF_APPLICATIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "allreduce": {
        "reduce": ("0 ns", "80 ns"),
        "wait": ("true", "true", "false"),
        "unsafe": ("false", )  # the fault ends runs with exit code 1
    },
    "blocks": {
        "operation": ("sync", "sync", "broadcast"),
        "window": ("1", "2", "64"),
        "irreversible": ("0", "1", "5"),
        "history": ("0", "1", "5"),
        "interval": ("0 ns", "1 us", "200 us"),
        "work": ("0 ns", "100 us"),
        "heartbeat": ("0", "1", "2")
    },
    "documents": {
        "operation": ("write", "query", "query", "oplog"),
        "support": ("both", "both", "client", "neither"),
        "flow": ("slots", "turns"),
        "slots": ("1", "3", "64"),
        "buffers": ("pool", "pool", "each"),
        "sizing": ("slots", "equation", "printed"),
        "memory_load": ("0 %", "50 %", "100 %"),
        "network_load": ("0 %", "99.9 %"),
        "overload": ("0 %", "50 %"),
        "work": ("0 ns", "100 us"),
        "news": ("1", "3"),
        "timeout": ("0 ns", "100 us"),
        "history": ("1 B", "20000 B"),
        "heartbeat": ("0", "1", "2"),
        "initial_sync": ("once", "once", "always"),
        "repost": ("true", ),  # false has messages sent again for ever
        "unsafe": ("false", "true")
    },
    "echo": {
        "memory": ("pool", "copy", "each")
    },
    "fifo": {
        "slots": ("1", "5", "64"),
        "adaptive_routing": ("true", "false"),
        "threshold": ("0 B", "64 B", "8 KiB"),
        "wait": ("true", "true", "false"),
        "data_first": ("true", ),  # false ends a run, as it should
        "unsafe": ("false", "false", "true")
    },
    "kv": {
        "transport": ("tcp", "rdma", "nts", "nts"),
        "operation": ("get", "set"),
        "key": ("16 B", "17 B", "1 KiB"),
        "rx_size": ("64 B", "1000 B", "64 KiB", "1 MiB"),
        "receives": ("4", "7", "4096"),
        "signal_every": ("1", "2", "1024"),
        "server_work": ("0 ns", "100 us"),
        "client_work": ("0 ns", "100 us"),
        "room": ("waited_for", "waited_for", "taken"),
        "unsafe": ("false", )  # the fault ends runs with exit code 1
    },
    # Its faults end runs with exit code 1.
    "nts": {
        "slot": ("128 B", "256 B", "4 KiB"),
        "ring": ("4 KiB", "64 KiB", "8 MiB"),
        "align": ("line", "packed"),
        "index": ("shadow", "shadow", "ll", "lr", "rl", "rr"),
        "notify": ("poll", "poll", "doorbell"),
        "failover": ("true", "false"),
        "answer": ("true", "false"),
        "push_each": ("1", "3", "65536"),
        "mode": ("shm", "origin", "direct"),
        "partitions": ("0", "1", "1"),
        "batch": ("1", "4096"),
        "slicing": ("true", "false"),
        "priority": ("0", ),  # all items of two hosts would need another one
        "max_rounds": ("64", ),
        "hand_over": ("0 ns", "1 ms"),
        "queue": ("1", "2", "1024"),
        "flow_control": ("true", "true", "false"),
        "serve": ("0 ns", "100 us"),
        "tx": ("0 ns", "1 us"),
        "rx": ("0 ns", "1 us"),
        "fence": ("true", ),
        "zero": ("true", ),
        "push": ("true", ),
        "unsafe": ("false", )
    },
    "plasma": {
        "protocol": ("socket", "sendrecv", "read", "hybrid"),
        "threshold": ("1 B", "4 KiB", "16 MiB"),
        "chunk": ("64 B", "1000 B", "4 KiB", "64 KiB"),
        "window": ("1", "2", "7"),
        "recv_wrs": ("7", "100", "4096"),
        "write": ("1000 B", "4 KiB", "64 KiB"),
        "order": ("each", "turn", "drawn"),
        "lookup": ("true", "false"),
        "lease": ("1 us", "1 ms", "1000 s"),
        "setup": ("0 ns", "20 us", "300 ms"),
        "reuse": ("true", "false"),
        "ack": ("true", "true", "false"),
        "slots": ("own", "own", "shared"),
        "unsafe": ("false", "true")
    },
    "rpc": {
        "answer": ("1 B", "500 B", "20000 B", "1 MiB"),
        "block": ("64 B", "4 KiB", "8 KiB", "64 KiB"),
        "queue": ("6", "16", "128", "1000"),
        "solicit": ("some", "all"),  # none ends a run, as it should
        "window": ("true", "true", "false"),
        "unsafe": ("false", "true")
    },
    # Their faults end runs with exit code 1.
    "smc": {
        "rmb": ("16 KiB", "64 KiB", "512 KiB"),
        "read": ("1 KiB", "64 KiB", "16 MiB"),
        "refused": ("false", "true"),
        "wait": ("true", "true", "false"),
        "update": ("true", "true", "false"),
        "unsafe": ("false", )
    },
    "tensor": {
        "tensors": ("1", "2", "4096"),
        "change_every": ("0", "1", "3"),
        "path": ("direct", "proxy", "proto"),
        "serialize": ("1 MB/s", "1000 GB/s"),
        "ack": ("true", "true", "false"),
        "unsafe": ("false", )
    }
}
ONE_AT_A_TIME = ("allreduce", "plasma", "smc")
# Of nts: what a connection of another application has that has rings of its own.
OWN_RINGS = (
    "slot",
    "ring",
    "align",
    "index",
    "notify",
    "failover",
    "push_each",
    "mode",
    "tx",
    "rx",
)


def over_rings(keys: dict[str, str]) -> bool:
    """Does the item go over a bridge?"""
    of_kv = keys.get("application") == "kv" and keys.get("kv.transport") == "nts"
    return of_kv or keys.get("application") == "nts"


def application(draw: Draw) -> dict[str, str]:
    """An item whose hosts run a protocol of their own."""
    ends = draw.one(("peer", "target"), ("target", "peer"))
    name = draw.one(*OF_APPLICATIONS)
    keys = {
        "from": ends[0],
        "to": ends[1],
        "application": name,
        "transfers": draw.one("1", "2", "9"),
        "size": draw.one("1 B", "64 B", "4097 B", "20000 B")
    }
    if name not in ONE_AT_A_TIME:
        keys["depth"] = draw.one("1", "2", "5")
    own = OF_APPLICATIONS[name]
    keys.update({f"{name}.{key}": draw.one(*own[key]) for key in own if draw.chance(0.6)})
    if draw.chance(0.3):
        keys["connections"] = draw.one("1", "2", "5")
    if name == "nts" and keys.get("nts.partitions") == "1":
        keys["connections"] = draw.one("2", "5")
        if keys.get("nts.slicing") == "false":
            keys.pop("nts.batch", None)
    elif name == "nts":
        for key in ("batch", "slicing", "hand_over", "queue", "flow_control"):
            keys.pop(f"nts.{key}", None)
    if name == "kv" and over_rings(keys):
        rings = OF_APPLICATIONS["nts"]
        keys.update({f"nts.{key}": draw.one(*rings[key]) for key in OWN_RINGS if draw.chance(0.3)})
        if keys.get("nts.ring") == "4 KiB":  # eight slots
            keys["nts.slot"] = "128 B"
        for key in ("rx_size", "receives", "signal_every", "room", "unsafe"):
            keys.pop(f"kv.{key}", None)
    if name == "allreduce":
        ring = {"from": "target", "to": "target", "pairs": "ring"}
        keys.update({**ring, "size": draw.one("12 B", "120 B", "4104 B", "24000 B")})
    if name == "plasma" and draw.chance(0.3):  # all of them fetch from each other
        keys.update({"from": "target", "to": "target"})
    return keys


def bridge(draw: Draw) -> dict[str, str]:
    """Keys of a bridge."""
    keys = {
        "generation": draw.one("1", "3"),
        "lanes": draw.one("1", "2", "16"),
        "rate": draw.one("1 Mbps", "10 Gbps", "80 Gbps"),
        "latency": draw.one("1 ns", "80 ns", "10 us"),
        "translate": draw.one("0 ns", "16 ns", "1 us"),
        "credits.headers": draw.one("1", "2", "256"),
        "credits.data": draw.one("4", "5", "4096"),
        "start_up": "true"
    }
    drawn = {key: value for key, value in keys.items() if draw.chance(0.4)}
    if draw.chance(0.5):  # one of them alone has no effect
        drawn |= {
            "down.probability": draw.one("1 %", "100 %"),
            "down.period": draw.one("200 us", "10 ms"),
            "down.duration": draw.one("10 us", "150 us")
        }
    return drawn


def stores(draw: Draw) -> dict[str, str]:
    """Keys of a host whose cores store to another one's memory."""
    cpu = "host.cpu.store."
    keys = {
        cpu + "line": draw.one("1 ps", "9.7 ns", "1 us"),
        cpu + "word": draw.one("1 ps", "1 us"),
        cpu + "evict": draw.one("0 ns", "10 us"),
        cpu + "fence": draw.one("1 ps", "10 us"),
        cpu + "buffers": draw.one("1", "2", "64"),
        cpu + "partial": draw.one("chunks", "one_tlp"),
        cpu + "mapping": draw.one("write_combining", "write_combining", "uncached"),
        cpu + "uncached": draw.one("1 ps", "10 us"),
        "host.root_port.down": draw.one("0 ns", "1 us"),
        "host.root_port.posted": draw.one("1", "2", "256"),
        "host.root_port.completion_timeout": draw.one("50 us", "1 ms"),
        "host.persistence.iio.shared": draw.one("true", "false")
    }
    return {key: value for key, value in keys.items() if draw.chance(0.3)}


def scheme(draw: Draw) -> dict[str, str]:
    """An item of data that are made durable."""
    keys = {
        "from": "peer",
        "to": "target",
        "scheme": draw.one("fig2", "fig3", "fig10", "fig10", "fig11", "apm", "flush", "gpspm"),
        "transfers": draw.one("1", "2", "17", "60"),
        "size": draw.one("8 B", "9 B", "64 B", "257 B", "4097 B", "20000 B"),
        "depth": draw.one("1", "2", "3", "16"),
        "connections": draw.one("1", "1", "2", "5"),
        "unsafe": "false"
    }
    if draw.chance(0.3):
        keys["region_table"] = draw.one("ahead", "sent")
    if keys["scheme"] in ("fig2", "apm"):
        keys["read_back"] = draw.one("end", "all")
    if keys["scheme"] == "fig10":
        keys.update({
            "mark": draw.one("opcode", "range"),
            "acks": draw.one("1", "2"),
            "pack": "opcode"
        })
        if keys["mark"] == "opcode" and draw.chance(0.3):
            keys["behind"] = draw.one("nothing", "write")
    if keys["scheme"] == "fig11":
        keys.update({
            "mark": draw.one("opcode", "range"),
            "receives_ahead": draw.one("both", "responder")
        })
    return keys


def durable(draw: Draw, keys: dict[str, str]) -> dict[str, str]:
    """The host's keys, so that what the schemes tell is so."""
    pm = "rnic.rc.pm."
    own = {
        pm + "outstanding": draw.one("1", "2", "16"),
        pm + "capacity": draw.one("1", "2", "4096"),
        pm + "coalesce": draw.one("true", "false"),
        pm + "flush_target": draw.one("dram", "same_line"),
        pm + "hold": draw.one("0", "1", "4096"),
        pm + "timer": draw.one("0 ns", "1 us", "1 s"),
        pm + "firmware": draw.one("0 ns", "1 ns", "500 ns"),
        pm + "data_no_snoop": draw.one("true", "false"),
        pm + "flush_no_snoop": draw.one("true", "false"),
        pm + "relaxed_data": draw.one("true", "false"),
        pm + "relaxed_cqe": "false",
        pm + "read_bypass": "false",
        pm + "flush_class": "0",
        SIMULATED_BY + "persist_module": draw.one("model", "rtl")
    }
    keys = {
        key: value
        for key, value in keys.items()
        if "shared_receives" not in key and "receive_queues" not in key and "srq_limit" not in key
    }
    keys.update({key: value for key, value in own.items() if draw.chance(0.4)})
    if keys.get(SIMULATED_BY + "persist_module") == "rtl":  # which has its places built in
        keys.pop(pm + "capacity", None)
    if draw.chance(0.3):
        keys.update(persistence(draw))
    keys["host.persistence.domain"] = draw.one("adr", "eadr", "wsp")
    # past the LLC, where a dirty copy must not overwrite what is newer
    if keys["host.persistence.domain"] == "adr":
        past = draw.one({"host.persistence.ddio": "false"}, {
            "host.persistence.ddio": "true",
            "host.persistence.no_snoop_write": "true",
            pm + "data_no_snoop": "true"
        })
        keys.update(past)
    if "host.persistence.llc.dirty" in keys:
        keys["host.persistence.no_snoop"] = "hint"
    return keys


def groups(draw: Draw, made_durable: bool = False) -> Any:
    """({name of a group: its keys}, items of their messages). `made_durable`: these always are."""
    hosts = {
        name: {
            "count": str(draw.one(1, 1, 2, 3)),
            **card(draw)
        }
        for name in ("peer", "target")
    }
    one = item
    if made_durable or draw.chance(0.25):
        one = scheme
        hosts = {name: durable(draw, keys) for name, keys in hosts.items()}
    elif draw.chance(0.4):
        one = application
    items = [one(draw) for _ in range(draw.one(1, 1, 2))]
    if one is application:  # of which a host has one
        items = [keys for keys in items if keys["application"] == items[0]["application"]]
        if items[0]["application"] == "nts":  # one bridge joins two hosts, which may have messages
            hosts = {
                name: {
                    **keys, "count": "1",
                    **stores(draw)
                }
                for name, keys in hosts.items()
            }
            if draw.chance(0.5):  # which have the card for themselves
                items = [{**items[0], "nts.failover": "false"}, item(draw)]
        else:  # their hosts have no way into persistent memory; one bridge joins two of them
            if any(over_rings(keys) for keys in items):
                hosts = {
                    name: {**keys, "count": "1", **stores(draw)}
                    for name, keys in hosts.items()
                }
            hosts = {
                name: {key: value
                       for key, value in keys.items() if not key.startswith("host.persistence.")}
                for name, keys in hosts.items()
            }
        if any(keys["from"] == keys["to"] for keys in items):  # among three: a ring has as many
            hosts = {"target": {**hosts["target"], "count": "3"}}
    # persist ACKs wait for receive WQEs
    if any(keys.get("receives_ahead") == "responder" for keys in items):
        hosts = {
            name: {key: value
                   for key, value in keys.items() if key != "rnic.rc.pm.hold"}
            for name, keys in hosts.items()
        }
    # nothing is answered: these keys would have no effect
    if all("service" in keys for keys in items):
        for keys in hosts.values():
            for name in [name for name in keys if name == "rnic.rc.congestion"]:
                keys[name] = "none"
        return hosts, items
    # of both: the reader refuses one that differs
    rule = draw.one("go_back_n", "go_back_n", "go_back_0", "selective_repeat")
    for keys in hosts.values():
        keys["rnic.rc.retransmission"] = rule
    # of both, as well
    if any(keys.get("rnic.rc.congestion") == "dcqcn" for keys in hosts.values()):
        for keys in hosts.values():
            keys.update({"rnic.rc.congestion": "dcqcn", "rnic.rc.timeout": "17"})
            keys.setdefault("rnic.rc.dcqcn.least_rate", "1 Gbps")
    return hosts, items
