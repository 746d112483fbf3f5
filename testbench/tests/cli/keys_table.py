# SPDX-License-Identifier: Apache-2.0
"""For each key of `rnicsim describe --keys` a scenario in which it counts: two values with which a
run is not the same. Where a feature may be off, also the settings with which nothing reads it, so
that the reader refuses it.

A row: base scenario, settings beside it, two values (or the settings that they need, too), settings
with which it has no effect (or None: it always has).
"""

from typing import Any

import keys_of_applications

TWO = "run: {transfers: 6, size: 8 KiB, repetitions: 1}\n"
STAR = """system:
  hosts: {server: {}, client: {count: 3}}
  switches: {s0: {}}
  links: [{between: [server, s0]}, {between: [client, s0]}]
run: {size: 32 KiB, transfers: 6, repetitions: 1, methods: [dynamic], traffic: [{from: client, to: server}]}
"""  # noqa: E501
PAIR = """system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}}
  links: [{between: [a, b]}]
run: {size: 8 KiB, transfers: 40, repetitions: 1, traffic: [{from: a, to: b}]}
"""
INCAST = """system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {server: {}, client: {count: 3}}
  switch: {mtu: 4200 B, latency: 300 ns}
  switches: {s0: {}}
  links: [{between: [server, s0]}, {between: [client, s0]}]
run: {size: 64 KiB, transfers: 30, repetitions: 1, traffic: [{from: client, to: server}]}
"""
PLAIN = """system:
  rnic: {personality: plain}
  link: {rate: 10 Gbps}
  hosts: {sink: {}, noise: {count: 3}}
  switches: {s0: {}}
  links: [{between: [sink, s0]}, {between: [noise, s0]}]
run: {size: 1000 B, transfers: 300, repetitions: 1, traffic: [{from: noise, to: sink}]}
"""
ISLANDS = """system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {a: {}, b: {}, c: {}, d: {}}
  switch: {mtu: 4200 B}
  switches: {s0: {}, s1: {}}
  links: [{between: [a, s0]}, {between: [b, s0]}, {between: [c, s1]}, {between: [d, s1]}]
run: {size: 4 KiB, transfers: 50, repetitions: 1, traffic: [{name: x, from: a, to: b}, {name: y, from: c, to: d, dscp: 0}]}
"""  # noqa: E501
PLAIN_ISLANDS = ISLANDS.replace("{profile: cx5_100g}", "{personality: plain}").replace(
    "size: 4 KiB", "size: 1000 B").replace(", dscp: 0", "")

LINK, SWITCH, HOST, DRP, RC, PATH, VERBS = ("system.link.", "system.switch.", "system.host.",
                                            "system.rnic.drp.", "system.rnic.rc.",
                                            "system.host.persistence.", "system.host.verbs.")
CPU = HOST + "cpu."
DCQCN = {RC + "congestion": "dcqcn", LINK + "ecn_marking": "5 %", "run.transfers": "300"}
LOSSLESS = {SWITCH + "priorities": "8", SWITCH + "pfc.classes": "[3]", SWITCH + "buffer": "256 KiB"}
FAILURES = {HOST + "registration.failure": "60 %"}
POOL = {
    HOST + "registration.pool.size": "16 KiB",
    HOST + "registration.pool.tasks": "3",
    HOST + "registration.pool.held": "8 KiB",
    HOST + "registration.pool.rest_time": "300 us",
    HOST + "registration.pool.hold_time": "400 us",
    "run.transfers": "40"
}
PINGS = {HOST + "ping.sizes": "[256 B, 1024 B]", HOST + "ping.interval": "40 us"}
LOSSES = {LINK + "loss": "5 %", "run.transfers": "30"}
SHORT = {RC + "timeout": "4"}
SENDS = {"run.operation": "send"}
READS = {"run.operation": "read"}
DCQCN_OF_A_AND_B = {
    "system.hosts.a.rnic.rc.congestion": "dcqcn",
    "system.hosts.b.rnic.rc.congestion": "dcqcn"
}
FIG10 = {"run.scheme": "fig10", PATH + "ddio": "false"}
FIG11 = {"run.scheme": "fig11", PATH + "domain": "adr"}


def rows_of_links() -> Any:
    bursts = {
        LINK + "loss_process": "gilbert_elliott",
        LINK + "burst.begin": "5 %",
        LINK + "burst.end": "30 %",
        "run.transfers": "30"
    }
    return {
        "delay": (TWO, {}, "40 ns", "1 us", None),
        "loss": (TWO, LOSSES, "1 %", "5 %", {
            LINK + "loss_process": "gilbert_elliott",
            LINK + "burst.begin": "100 %",
            LINK + "burst.end": "0 %",
            LINK + "burst.loss": "50 %"
        }),
        "loss_process": (TWO, LOSSES, {}, bursts, {
            LINK + "burst.begin": "0 %"
        }),
        "burst.begin": (TWO, bursts, "1 %", "9 %", {
            LINK + "loss_process": "independent"
        }),
        "burst.end": (TWO, bursts, "20 %", "90 %", {
            LINK + "loss_process": "independent"
        }),
        "burst.loss": (TWO, bursts, "20 %", "90 %", {
            LINK + "loss_process": "independent"
        }),
        "corruption": (TWO, {}, "0 %", "9 %", None),
        "duplication": (TWO, {}, "0 %", "9 %", None),
        "reordering": (TWO, {}, "0 %", "9 %", None),
        "lateness": (TWO, {
            LINK + "reordering": "9 %"
        }, "20 us", "30 us", {
            LINK + "reordering": "0 %"
        }),
        "delay_variation": (TWO, {}, "0 %", "9 %", {
            LINK + "reordering": "100 %"
        }),
        "jitter": (TWO, {
            LINK + "delay_variation": "20 %"
        }, "5 us", "50 us", {
            LINK + "delay_variation": "0 %"
        }),
        "down.probability": (TWO, {
            LINK + "down.period": "1 ms",
            LINK + "down.duration": "400 us",
            "run.transfers": "60"
        }, "50 %", "100 %", None),
        "down.period": (TWO, {
            LINK + "down.probability": "100 %",
            LINK + "down.duration": "400 us",
            "run.transfers": "60"
        }, "1 ms", "2 ms", {
            LINK + "down.probability": "0 %"
        }),
        "down.duration": (TWO, {
            LINK + "down.probability": "100 %",
            LINK + "down.period": "1 ms"
        }, "100 us", "400 us", {
            LINK + "down.probability": "0 %"
        }),
        "ecn_marking": (PAIR, DCQCN, "1 %", "20 %", {
            RC + "congestion": "none"
        }),
        "rate": (PLAIN, {}, "1 Gbps", "10 Gbps", None),
    }


def rows_of_switches() -> Any:
    marks = {RC + "congestion": "dcqcn", SWITCH + "ecn.at": "enqueue", SWITCH + "buffer": "2 MiB"}
    dcqcn = {RC + "congestion": "dcqcn", LINK + "ecn_marking": "5 %"}
    thresholds = {**marks, SWITCH + "ecn.kmin": "10 KiB", SWITCH + "ecn.kmax": "400 KiB"}
    two_classes = PLAIN.replace("[{from: noise, to: sink}]",
                                "[{from: noise, to: sink}, {from: noise0, to: sink, class: 7}]")
    two_switches = INCAST.replace("{s0: {}}", "{s0: {}, s1: {}}").replace(
        "{between: [client, s0]}", "{between: [client, s1]}, {between: [s1, s0]}")
    return {
        "latency": (STAR, {}, "2 us", "3 us", None),
        "buffer": (PLAIN, {}, "64 KiB", "8 KiB", None),
        "cell": (PLAIN, {
            SWITCH + "buffer": "8 KiB"
        }, "1 B", "512 B", None),
        "reserve": (PLAIN, {
            SWITCH + "buffer": "8 KiB"
        }, "0 B", "2 KiB", None),
        "admission": (PLAIN, {}, {}, {
            SWITCH + "admission": "static",
            SWITCH + "queue_limit": "2 KiB"
        }, {
            SWITCH + "pfc.classes": "[0, 1, 2, 3, 4, 5, 6, 7]",
            SWITCH + "buffer": "1 MiB"
        }),
        "alpha": (PLAIN, {
            SWITCH + "buffer": "16 KiB"
        }, "1/8", "4", {
            SWITCH + "admission": "static"
        }),
        "queue_limit": (PLAIN, {
            SWITCH + "admission": "static"
        }, "2 KiB", "32 KiB", {
            SWITCH + "admission": "dynamic"
        }),
        "mtu": (PLAIN, {}, "999 B", "1500 B", None),
        "mode": (PLAIN, {}, "store_and_forward", "cut_through", None),
        "table": (PLAIN, {}, "static", "learning", None),
        "ageing": (STAR, {
            SWITCH + "table": "learning"
        }, "1 us", "1 s", {
            SWITCH + "table": "static"
        }),
        "priorities": (two_classes, {
            SWITCH + "buffer": "1 MiB"
        }, "1", "2", None),
        "scheduler": (two_classes, {
            SWITCH + "priorities": "2",
            SWITCH + "buffer": "1 MiB"
        }, "strict", "drr", {
            SWITCH + "priorities": "1"
        }),
        "weights": (two_classes, {
            SWITCH + "priorities": "2",
            SWITCH + "scheduler": "drr",
            SWITCH + "buffer": "1 MiB"
        }, "[1, 1]", "[9, 1]", None),
        "pause_reaction": (two_switches, {
            **LOSSLESS, "system.links.s1-s0.rate": "100 Gbps"
        }, "1 us", "5 us", {
            SWITCH + "pfc.classes": "[]"
        }),
        "ecn.at": (INCAST, dcqcn, "off", "enqueue", {
            RC + "congestion": "none"
        }),
        "ecn.kmin": (INCAST, thresholds, "1 KiB", "100 KiB", {
            **dcqcn, SWITCH + "ecn.at": "off"
        }),
        "ecn.kmax": (INCAST, thresholds, "20 KiB", "200 KiB", {
            **dcqcn, SWITCH + "ecn.at": "off"
        }),
        "ecn.pmax": (INCAST, thresholds, "1 %", "90 %", {
            **dcqcn, SWITCH + "ecn.at": "off"
        }),
        "pfc.classes": (INCAST, {
            SWITCH + "buffer": "256 KiB"
        }, {}, {
            SWITCH + "priorities": "8",
            SWITCH + "pfc.classes": "[3]"
        }, None),
        "pfc.xoff": (INCAST, LOSSLESS, "4 KiB", "16 KiB", {
            SWITCH + "pfc.classes": "[]"
        }),
        "pfc.alpha": (INCAST, LOSSLESS, "1/8", "1/64", {
            SWITCH + "pfc.xoff": "16 KiB"
        }),
        "pfc.xon_below": (INCAST, {
            **LOSSLESS, SWITCH + "pfc.xoff": "16 KiB"
        }, "1 B", "9 KiB", {
            SWITCH + "pfc.classes": "[]"
        }),
        "pfc.headroom": (INCAST, LOSSLESS, "40 KiB", "48 KiB", {
            SWITCH + "pfc.classes": "[]"
        }),
        "pfc.quanta": (INCAST, {
            **LOSSLESS, SWITCH + "pfc.xoff": "2 B",
            SWITCH + "pfc.xon_below": "1 B",
            "run.transfers": "300"
        }, "1000", "65535", {
            SWITCH + "pfc.classes": "[]"
        }),
        "pfc.unchecked": (INCAST, {
            **LOSSLESS, SWITCH + "pfc.headroom": "1 KiB"
        }, "false", "true", {
            SWITCH + "pfc.headroom": "0 B"
        }),
    }


def rows_of_drp() -> Any:
    drp = {
        "host.memory.latency": (TWO, {}, "96 ns", "1 us", None),
        "host.memory.bandwidth": (TWO, {}, "100 MB/s", "1600 MB/s", None),
        "host.bridge.bandwidth": (TWO, {}, "0 MB/s", "100 MB/s", None),
        "host.bridge.request_cost": (TWO, {
            HOST + "bridge.bandwidth": "100 MB/s"
        }, "0 ns", "80 ns", {
            HOST + "bridge.bandwidth": "0 MB/s"
        }),
        "host.registration.base_cost": (TWO, {}, "10 us", "20 us", None),
        "host.registration.page_cost": (TWO, {}, "200 ns", "400 ns", None),
        "host.registration.failure": (TWO, {}, "0 %", "50 %", None),
        "host.registration.retry": (TWO, {
            **FAILURES, "run.methods": "[dynamic]"
        }, "on_request", "when_released", {
            "run.methods": "[traditional]"
        }),
        "host.registration.retry_interval": (TWO, {
            **FAILURES, "run.methods": "[dynamic]"
        }, "100 us", "400 us", {
            HOST + "registration.failure": "0 %"
        }),
        "host.registration.pool.size": (TWO, POOL, "16 KiB", "32 KiB", None),
        "host.registration.pool.tasks": (TWO, POOL, "1", "3", {
            HOST + "registration.pool.size": "0 B"
        }),
        "host.registration.pool.held": (TWO, POOL, "4 KiB", "12 KiB", {
            HOST + "registration.pool.tasks": "0"
        }),
        "host.registration.pool.hold_time": (TWO, POOL, "100 us", "400 us", {
            HOST + "registration.pool.size": "0 B"
        }),
        "host.registration.pool.rest_time": (TWO, POOL, "100 us", "400 us", {
            HOST + "registration.pool.tasks": "0"
        }),
        "host.software.interrupt_latency": (TWO, {}, "2 us", "3 us", None),
        "host.software.event_cost": (TWO, {}, "400 ns", "800 ns", None),
        "host.software.command_cost": (TWO, {}, "240 ns", "800 ns", None),
        "host.ping.sizes": (TWO, {}, "[]", "[256 B]", None),
        "host.ping.interval": (TWO, PINGS, "40 us", "50 us", {
            HOST + "ping.sizes": "[]"
        }),
        "host.receive_ring": (TWO, {
            **PINGS, HOST + "ping.interval": "8 us"
        }, "1", "64", {
            HOST + "ping.sizes": "[]"
        }),
        "rnic.frame_filter.latency": (TWO, {}, "24 ns", "240 ns", None),
        "rnic.queues.latency": (TWO, {}, "32 ns", "320 ns", None),
        "rnic.gmac.interpacket_gap": (TWO, {}, "96 ns", "960 ns", None),
    }
    dynamic = {**FAILURES, "run.methods": "[dynamic]", "run.transfers": "20"}
    off = {"run.methods": "[traditional]"}
    transport = {
        "method": (STAR.replace(", methods: [dynamic]",
                                ""), FAILURES, "traditional", "dynamic", None),
        "segment": (TWO, {}, "1024 B", "512 B", None),
        "window": (TWO, {}, "8", "1", None),
        "window_rule": (STAR, {
            LINK + "loss": "5 %"
        }, "fixed", "aimd", None),
        "retransmission": (TWO, LOSSES, "selective_repeat", "go_back_n", None),
        "duplicate_acks": (TWO, LOSSES, "0", "1", None),
        "acknowledgement": (TWO, {}, "each", "every_second", None),
        "buffer_admission": (TWO, {
            **dynamic,
            **LOSSES
        }, "any", "in_order", off),
        "buffer_quota": (STAR, {
            **dynamic, DRP + "buffer_admission": "per_initiator"
        }, "1", "8", {
            DRP + "buffer_admission": "any"
        }),
        "request_timer": (TWO, FAILURES, "2.4 ms", "1 ms", None),
        "data_timer": (TWO, LOSSES, "0.5 ms", "0.3 ms", None),
        "data_timer_rule": (STAR, {
            LINK + "loss": "5 %"
        }, "fixed", "adaptive", None),
        "release_timer": (TWO, {
            LINK + "loss": "20 %",
            "run.transfers": "30"
        }, "0.5 ms", "0.4 ms", None),
        "idle_timeout": (TWO, {
            LINK + "loss": "50 %",
            DRP + "max_requests": "2",
            DRP + "max_retransmissions": "1",
            "run.transfers": "30"
        }, "10 ms", "20 ms", None),
        "max_requests": (TWO, {
            LINK + "loss": "50 %",
            "run.transfers": "30"
        }, "2", "16", None),
        "max_retransmissions": (TWO, {
            LINK + "loss": "50 %",
            "run.transfers": "30"
        }, "1", "16", None),
        "mode_choice": (TWO, {
            **dynamic, LINK + "loss": "30 %"
        }, "paper", "on_refusal", off),
        "indirect_after_timeouts": (TWO, {
            **dynamic, LINK + "loss": "30 %"
        }, "1", "3", {
            DRP + "mode_choice": "on_refusal"
        }),
        "resume_on_valid_ack": (TWO, {
            **dynamic, "run.size": "64 KiB"
        }, "true", "false", off),
        "resume_rule": (STAR, {
            **dynamic, DRP + "indirect_buffer": "4 KiB"
        }, "window_full", "told", off),
        "busy_answer": (STAR, {
            DRP + "table_entries": "1"
        }, "false", "true", None),
        "bulk_drain": (TWO, dynamic, "true", "false", {
            DRP + "indirect_buffer": "0 B"
        }),
        "table_entries": (STAR, {}, "1", "64", None),
        "indirect_buffer": (TWO, dynamic, "1 KiB", "48 KiB", off),
        "tx_buffer": (TWO, {}, "1518 B", "22 KiB", None),
        "rx_buffer": (TWO, {
            "system.rnic.pcie.request_overhead": "100 us",
            DRP + "window": "64",
            "run.size": "64 KiB"
        }, "1518 B", "40 KiB", None),
        "ordinary_share": (TWO, {
            **PINGS, HOST + "ping.interval": "12 us"
        }, "1 %", "90 %", {
            HOST + "ping.sizes": "[]"
        }),
        "decision": (TWO, {}, "64 ns", "128 ns", None),
    }
    return {
        **{"system." + key: row
           for key, row in drp.items()},
        **{DRP + key: row
           for key, row in transport.items()}
    }


def rows_of_pcie() -> Any:
    values = {
        "generation": ("1", "2"),
        "lanes": ("1", "4"),
        "max_payload": ("128 B", "256 B"),
        "max_read_request": ("128 B", "512 B"),
        "read_completion_boundary": ("64 B", "128 B"),
        "tags": ("1", "32"),
        "latency": ("152 ns", "304 ns"),
        "request_overhead": ("80 ns", "160 ns")
    }
    unaligned = {DRP + "segment": "1074 B"}
    rows: dict[str, Any] = {
        f"system.rnic.pcie.{key}": (TWO, unaligned, *pair, None)
        for key, pair in values.items()
    }
    rows["system.rnic.pcie.read_completion_boundary"] = (TWO, {
        DRP + "segment":
        "333 B",
        "system.rnic.pcie.max_read_request":
        "4096 B"
    }, "64 B", "128 B", None)
    return rows


def rows_of_verbs() -> Any:
    reads = {"run.operation": "read"}
    unreliable = {"run.service": "uc"}
    threads = {"run.connections": "4", VERBS + "threads": "4"}
    by_events, polled = {VERBS + "notify": "events"}, {VERBS + "notify": "poll"}
    shared = {**SENDS, VERBS + "receive_queues": "shared", RC + "timeout": "12"}
    hosts = {
        "system.host.clock": (PAIR, {
            HOST + "memory.bandwidth": "3 GB/s"
        }, "0.4 ns", "0.1 ns", None),
        VERBS + "post": (PAIR, {}, "250 ns", "500 ns", None),
        VERBS + "push": (PAIR, {}, "130 ns", "260 ns", {
            VERBS + "posting": "doorbell"
        }),
        VERBS + "poll": (PAIR, {}, "100 ns", "200 ns", None),
        VERBS + "receive": (PAIR, SENDS, "60 ns", "600 ns", {
            "run.operation": "write"
        }),
        VERBS + "page": (PAIR, {
            "run.size": "64 KiB",
            "run.connections": "100",
            "run.transfers": "4",
            RC + "cache": "6144 B"
        }, "4 KiB", "2 MiB", None),
        VERBS + "posting": (PAIR, {}, "push", "doorbell", None),
        VERBS + "notify": (PAIR, {}, "poll", "events", None),
        VERBS + "threads": (PAIR, {
            "run.connections": "4",
            CPU + "cores": "4"
        }, "2", "4", {
            "run.connections": "1"
        }),
        CPU + "cores": (PAIR, threads, "2", "4", {
            VERBS + "threads": "1"
        }),
        CPU + "switch": (PAIR, {
            **threads, CPU + "cores": "2"
        }, "0 ns", "1 us", {
            **threads, CPU + "cores": "4"
        }),
        CPU + "profile": (PAIR, by_events, "none", "xeon_2018", polled),
        CPU + "wake": (PAIR, by_events, "0 ns", "1 us", polled),
        CPU + "event_read": (PAIR, by_events, "0 ns", "300 ns", polled),
        CPU + "arm": (PAIR, by_events, "0 ns", "150 ns", polled),
        VERBS + "receive_queues": (PAIR, SENDS, "own", "shared", {
            "run.operation": "read"
        }),
        VERBS + "shared_receives": (INCAST, shared, "4", "64", {
            **SENDS, VERBS + "receive_queues": "own"
        }),
        VERBS + "srq_limit": (INCAST, {
            **shared, VERBS + "shared_receives": "32"
        }, "0", "16", {
            **SENDS, VERBS + "receive_queues": "own"
        }),
        "system.rnic.personality": (STAR.replace(", methods: [dynamic]",
                                                 "").replace("32 KiB",
                                                             "1000 B"), {}, "drp", "plain", None),
        "system.rnic.profile": (PAIR, {}, "gigabit_fpga", "cx5_100g", None),
        "system.rnic.clock": (PAIR, {}, "3.2 ns", "1.6 ns", None),
        "system.rnic.gmac.tx_latency": (TWO, {}, "32 ns", "320 ns", None),
        "system.rnic.gmac.rx_latency": (TWO, {}, "16 ns", "160 ns", None),
        "system.rnic.gmac.mtu": (TWO, PINGS, "1056 B", "1055 B", None),
        "system.rnic.gmac.pause_reaction": (INCAST, {
            **LOSSLESS, SWITCH + "buffer": "1 MiB"
        }, "1 us", "9 us", {
            SWITCH + "pfc.classes": "[]"
        }),
    }
    rare = {LINK + "loss": "10 %", **SHORT, "run.transfers": "60"}
    slow = {
        "run.operation": "send",
        VERBS + "receive_queues": "shared",
        VERBS + "shared_receives": "4",
        "run.depth": "16",
        RC + "timeout": "16",
        VERBS + "receive": "20 us"
    }
    dcqcn = {
        f"dcqcn.{key}": (PAIR, DCQCN, *pair, {
            RC + "congestion": "none"
        })
        for key, pair in {
            "parameters": ("paper", "nic"),
            "g": ("4", "900"),
            "first_alpha": ("1024", "100"),
            "alpha_update": ("cnp", "period"),
            "reduction_interval": ("0 ns", "400 us"),
            "target_update": ("reduction", "timer"),
            "alpha_timer": ("55 us", "1 us"),
            "rate_timer": ("55 us", "5 us"),
            "byte_counter": ("10000000 B", "10000 B"),
            "additive_increase": ("40 Mbps", "4 Gbps"),
            "least_rate": ("100 Mbps", "20 Gbps")
        }.items()
    }
    dcqcn["dcqcn.fast_recovery"] = (PAIR, {
        **DCQCN, RC + "dcqcn.rate_timer": "5 us"
    }, "5", "1", {
        RC + "congestion": "none"
    })
    dcqcn["dcqcn.alpha_update"] = (PAIR, {
        **DCQCN, RC + "cnp_interval": "1 us"
    }, "cnp", "period", {
        RC + "congestion": "none"
    })
    dcqcn["dcqcn.target_update"] = (PAIR, {
        **DCQCN, RC + "cnp_interval": "1 us"
    }, "reduction", "timer", {
        RC + "congestion": "none"
    })
    dcqcn["dcqcn.additive_increase"] = (PAIR, {
        **DCQCN, RC + "cnp_interval": "4 us",
        RC + "dcqcn.rate_timer": "1 us",
        RC + "dcqcn.fast_recovery": "1",
        "run.transfers": "2000"
    }, "40 Mbps", "4 Gbps", {
        RC + "congestion": "none"
    })
    dcqcn["dcqcn.hyper_increase"] = (PAIR, {
        **DCQCN, LINK + "ecn_marking": "1 %",
        RC + "cnp_interval": "4 us",
        RC + "dcqcn.rate_timer": "3 us",
        RC + "dcqcn.fast_recovery": "1",
        RC + "dcqcn.byte_counter": "10000 B",
        "run.transfers": "2000"
    }, "400 Mbps", "9 Gbps", {
        RC + "congestion": "none"
    })
    both_ways = PAIR.replace("size: 8 KiB, ", "").replace(
        "{from: a, to: b}", "{from: a, to: b, size: 2 B}, {from: b, to: a, size: 64 KiB}")
    card = {
        **dcqcn,
        "pmtu": (PAIR, {}, "1024 B", "256 B", None),
        "window": (PAIR, {}, "8388608", "2", unreliable),
        "ack_interval": (PAIR, {
            "run.size": "64 KiB"
        }, "16", "2", unreliable),
        "retransmission": (PAIR, rare, "go_back_n", "selective_repeat", unreliable),
        "acknowledgement": (both_ways, {
            RC + "ack_interval": "1",
            LINK + "rate": "1 Gbps"
        }, "coalesced", "each", unreliable),
        "congestion": (PAIR, {}, {
            RC + "congestion": "none"
        }, DCQCN, None),
        "nak_cnp": (PAIR, {
            **rare,
            **DCQCN, LINK + "ecn_marking": "1 %",
            RC + "timeout": "17"
        }, "false", "true", {
            RC + "congestion": "none"
        }),
        "cnp_interval": (PAIR, DCQCN, "4 us", "40 us", {
            RC + "congestion": "none"
        }),
        "max_rd_atomic": (PAIR, reads, "1", "16", {
            "run.operation": "write"
        }),
        "inline": (PAIR, {
            "run.size": "64 B"
        }, "0 B", "64 B", None),
        "timeout": (PAIR, rare, "4", "6", unreliable),
        "retry_cnt": (PAIR, {
            **rare, LINK + "loss": "50 %"
        }, "0", "7", unreliable),
        "min_rnr_timer": (INCAST, slow, "12", "1", {
            "run.operation": "read"
        }),
        "rnr_retry": (INCAST, slow, "0", "7", {
            "run.operation": "write"
        }),
        "packet_interval": (PAIR, {}, "9.6 ns", "96 ns", None),
        "qp_interval": (PAIR, {
            "run.size": "2 B"
        }, "102.4 ns", "1024 ns", None),
        "tx_path": (PAIR, {}, "128 ns", "256 ns", None),
        "rx_path": (PAIR, {}, "128 ns", "256 ns", None),
        "atomic_busy": (PAIR, {
            "run.operation": "fetch_add",
            "run.size": "8 B"
        }, "51.2 ns", "512 ns", {
            "run.operation": "write"
        }),
        "atomic_order": (PAIR, {
            "run.operation": "fetch_add",
            "run.size": "8 B",
            "run.connections": "4"
        }, "card", "address", {
            "run.operation": "write"
        }),
        "mode": (PAIR, {}, "store_and_forward", "cut_through", None),
        "cache": (PAIR, {
            "run.connections": "100",
            "run.transfers": "4"
        }, "6144 B", "2 MiB", None),
        "cache_misses": (PAIR, {
            "run.connections": "100",
            "run.transfers": "4",
            RC + "cache": "6144 B"
        }, "1", "8", None),
        "tx_buffer": (PAIR, {}, "4218 B", "16 KiB", None),
        "rx_buffer": (INCAST, {
            **FIG10, PATH + "iio.capacity": "64 B",
            PATH + "scm.write": "10 MB/s"
        }, "4218 B", "256 KiB", None),
    }
    return {**hosts, **{RC + key: row for key, row in card.items()}}


def rows_of_persistence() -> Any:
    writes = {"run.scheme": "none"}
    many = {"run.depth": "64", "run.transfers": "200", "run.size": "256 B"}
    card = {
        "outstanding": (PAIR, {
            **FIG10,
            **many
        }, "1", "4", writes),
        "capacity": (PAIR, {
            **FIG10,
            **many
        }, "1", "64", writes),
        "coalesce": (PAIR, {
            **FIG10,
            **many
        }, "false", "true", writes),
        "read_bypass": (PAIR, {
            **FIG10, "run.unsafe": "true"
        }, "false", "true", writes),
        "data_no_snoop": (PAIR, {
            "run.scheme": "fig3"
        }, {}, {
            RC + "pm.data_no_snoop": "true",
            PATH + "no_snoop_write": "true"
        }, {
            "run.scheme": "fig3",
            PATH + "no_snoop_write": "false"
        }),
        "relaxed_data": (PAIR, {
            "run.scheme": "fig3",
            "run.size": "64 B",
            PATH + "iio.hold": "2 us"
        }, "false", "true", None),
        "relaxed_cqe": (PAIR, {
            "run.scheme": "fig3",
            "run.unsafe": "true",
            PATH + "iio.hold": "2 us"
        }, "false", "true", None),
        "flush_class": (PAIR, {
            **FIG10, PATH + "iio.hold": "2 us",
            "run.unsafe": "true"
        }, "0", "1", writes),
        "firmware": (PAIR, FIG10, "0 ns", "500 ns", {
            "run.scheme": "fig3"
        }),
        "flush_target": (PAIR, FIG10, "dram", "same_line", writes),
        "hold": (PAIR, {
            **FIG11, "run.receives_ahead": "responder",
            RC + "pm.timer": "20 us",
            "system.hosts.a.host.verbs.receive": "2 us",
            "run.depth": "64"
        }, "0", "64", {
            "run.scheme": "fig3"
        }),
        "timer": (PAIR, {
            **FIG11,
            **rare_packets()
        }, "20 us", "40 us", writes),
    }
    path = {
        "ddio": (PAIR, {
            "run.scheme": "fig2",
            PATH + "domain": "eadr"
        }, "true", "false", None),
        "no_snoop_write": (PAIR, {
            "run.scheme": "fig3"
        }, {}, {
            RC + "pm.data_no_snoop": "true",
            PATH + "no_snoop_write": "true"
        }, {
            RC + "pm.data_no_snoop": "false"
        }),
        "iio.capacity": (PAIR, FIG10, "64 B", "8 KiB", None),
        "iio.latency": (PAIR, FIG10, "40 ns", "400 ns", None),
        "iio.bandwidth": (PAIR, FIG10, "1 GB/s", "16 GB/s", None),
        "iio.hold": (PAIR, FIG10, "0 ns", "1 us", None),
        "llc.capacity": (PAIR, {
            "run.scheme": "fig3"
        }, "512 B", "4608 KiB", None),
        "llc.latency": (PAIR, {
            "run.scheme": "fig3",
            PATH + "llc.capacity": "512 B"
        }, "24 ns", "900 ns", None),
        "llc.evict": (PAIR, {
            "run.scheme": "fig3",
            PATH + "llc.capacity": "512 B"
        }, "lru", "never", None),
        "llc.dirty": (PAIR, {
            "run.scheme": "fig3",
            PATH + "llc.capacity": "8 KiB"
        }, "false", "true", None),
        "flush.base": (PAIR, {
            "run.scheme": "fig3"
        }, "80 ns", "800 ns", writes),
        "flush.line": (PAIR, {
            "run.scheme": "fig3"
        }, "8 ns", "80 ns", writes),
        "imc.capacity": (PAIR, FIG10, "64 B", "1 MiB", None),
        "imc.latency": (PAIR, {
            **FIG10, PATH + "imc.capacity": "64 B"
        }, "40 ns", "400 ns", None),
        "scm.write": (PAIR, FIG10, "1 GB/s", "2300 MB/s", None),
        "scm.read": (PAIR, {
            **FIG10, RC + "pm.flush_target": "same_line"
        }, "100 MB/s", "6600 MB/s", None),
        "scm.modules": (PAIR, FIG10, "1", "6", None),
        "scm.read_latency": (PAIR, {
            **FIG10, RC + "pm.flush_target": "same_line"
        }, "305 ns", "900 ns", None),
        "scm.line": (PAIR, FIG10, "64 B", "4096 B", None),
    }
    return {
        **{RC + "pm." + key: row
           for key, row in card.items()},
        **{PATH + key: row
           for key, row in path.items()}
    }


def rare_packets() -> Any:
    return {LINK + "loss": "5 %", RC + "timeout": "6"}


def rows_of_items() -> Any:
    fig10 = {"run.scheme": "fig10", PATH + "ddio": "false"}
    rows: dict[str, Any] = {
        "direction": (TWO, {}, "a_to_b", "b_to_a", None),
        "operation": (TWO, {}, "write", "read", None),
        "pairs": (PLAIN.replace("sink: {}", "sink: {count: 3}"), {}, "all", "opposite", None),
        "size": (TWO, {}, "8 KiB", "4 KiB", None),
        "sizes": (PAIR.replace("size: 8 KiB, ", ""), {}, "[64 B, 4 KiB]", "[64 B]", None),
        "transfers": (TWO, {}, "6", "7", None),
        "in_flight": (TWO, {}, "1", "2", None),
        "think": (STAR, {}, "0 ns", "10 us", None),
        "start": (STAR, {}, "0 ns", "10 us", None),
        "stagger": (STAR, {}, "0 ns", "10 us", None),
        "random_start": (STAR, {}, "0 ns", "10 us", None),
        "pace": (STAR, {}, "0 Gbps", "10 Mbps", None),
        "dscp": (INCAST, {
            SWITCH + "priorities": "8",
            SWITCH + "pfc.classes": "[3]",
            SWITCH + "buffer": "256 KiB"
        }, "26", "0", None),
        "class": (PLAIN, {
            SWITCH + "priorities": "8",
            SWITCH + "pfc.classes": "[3]"
        }, "0", "3", None),
        "ecn": (PLAIN, {}, {}, {
            "run.ecn": "true",
            LINK + "ecn_marking": "9 %"
        }, {
            LINK + "ecn_marking": "0 %"
        }),
        "service": (PAIR, {}, "rc", "uc", None),
        "pattern": (PAIR, {}, "stream", "ping_pong", None),
        "depth": (PAIR, {}, "16", "2", {
            "run.pattern": "ping_pong"
        }),
        "outstanding": (PAIR, {
            "run.connections": "2"
        }, "0", "2", None),
        "connections": (PAIR, {}, "1", "2", None),
        "regions": (PAIR, {
            "run.connections": "100",
            "run.transfers": "4",
            RC + "cache": "12 KiB"
        }, "connection", "host", {
            "run.connections": "1"
        }),
        "signal_every": (PAIR, {}, "1", "4", None),
        "scheme": (PAIR, fig10, "fig10", "flush", None),
        "mark": (PAIR, fig10, "opcode", "range", {
            "run.scheme": "flush"
        }),
        "acks": (PAIR, fig10, "1", "2", {
            "run.scheme": "flush"
        }),
        "pack": (PAIR, {
            **fig10, "run.unsafe": "true",
            "run.acks": "2"
        }, "opcode", "psn_only", {
            "run.scheme": "flush"
        }),
        "behind": (PAIR, fig10, "nothing", "write", {
            "run.scheme": "flush"
        }),
        "region_table": (PAIR, fig10, "ahead", "sent", {
            "run.scheme": "none"
        }),
        "read_back": (PAIR, {
            "run.scheme": "fig2",
            PATH + "ddio": "false"
        }, "end", "all", {
            "run.scheme": "flush"
        }),
        "receives_ahead": (PAIR, {
            "run.scheme": "fig11",
            PATH + "domain": "adr"
        }, "both", "responder", {
            "run.scheme": "flush",
            PATH + "ddio": "false"
        }),
        "unsafe": (PAIR, {
            "run.scheme": "ack"
        }, "false", "true", {
            "run.scheme": "fig3"
        }),
        "repetitions": (STAR, {
            "run.random_start": "10 us"
        }, "1", "2", None),
    }
    for verb in ("write", "write_imm", "send", "send_imm", "read", "compare_swap", "fetch_add"):
        other = "read" if verb == "write" else "write"
        size = {"run.size": "8 B"} if verb in ("compare_swap", "fetch_add") else {}
        shares = [{
            f"run.mix.{verb}": f"{part} %",
            f"run.mix.{other}": f"{100 - part} %"
        } for part in (50, 10)]
        rows[f"mix.{verb}"] = (PAIR, size, *shares, None)
    return {"run." + key: row for key, row in rows.items()}


def all_rows() -> Any:
    rows: dict[str, Any] = {LINK + key: row for key, row in rows_of_links().items()}
    rows.update({SWITCH + key: row for key, row in rows_of_switches().items()})
    for part in (rows_of_drp, rows_of_pcie, rows_of_verbs, rows_of_persistence, rows_of_items,
                 keys_of_applications.rows):
        rows.update(part())
    rows["system.hosts.*.count"] = (STAR, {}, "2", "3", None)
    rows["simulation.seed"] = (TWO, LOSSES, "1", "2", None)
    rows["simulation.watchdog"] = (TWO, {}, "1 s", "1 ms", None)
    return rows


# Keys that a host reads only as the one who asks, or only as the one who answers: set where nothing
# reads them.
ONE_SIDED = {
    **{
        f"system.hosts.b.rnic.rc.{key}": (PAIR, {}, value)
        for key, value in {
            "timeout": "8",
            "retry_cnt": "3",
            "window": "4",
            "ack_interval": "2",
            "qp_interval": "512 ns",
            "rnr_retry": "3"
        }.items()
    },
    "system.hosts.a.rnic.rc.acknowledgement": (PAIR, {}, "each"),
    "system.hosts.a.rnic.rc.min_rnr_timer": (PAIR, SENDS, "3"),
    "system.hosts.b.host.verbs.post": (PAIR, SENDS, "1 us"),
    "system.hosts.a.host.verbs.receive": (PAIR, SENDS, "1 us"),
    # Who only sends data, or only gets them: CNPs go the other way.
    "system.hosts.b.rnic.rc.dcqcn.g": (PAIR, DCQCN, "500"),
    "system.hosts.a.rnic.rc.cnp_interval": (PAIR, DCQCN, "1 us"),
    "system.hosts.a.rnic.rc.nak_cnp": (PAIR, DCQCN, "true"),
    "system.rnic.rc.ack_interval": (PAIR, READS, "2"),
    "system.rnic.rc.acknowledgement": (PAIR, READS, "each"),
    "system.switch.priorities": (INCAST, {}, "4"),
    # Of two islands: the one where nobody marks, that has no markable frames, or whose frames are
    # of one queue.
    "system.hosts.a.rnic.rc.congestion": (ISLANDS, {
        "system.hosts.b.rnic.rc.congestion": "dcqcn",
        "system.switches.s1.ecn.at": "enqueue"
    }, "dcqcn"),
    "system.hosts.a.rnic.rc.dcqcn.g": (ISLANDS, {
        RC + "congestion": "dcqcn",
        "system.switches.s1.ecn.at": "enqueue"
    }, "500"),
    "system.hosts.d.rnic.rc.cnp_interval": (ISLANDS, {
        RC + "congestion": "dcqcn",
        "system.switches.s0.ecn.at": "enqueue"
    }, "1 us"),
    "system.switches.s1.ecn.at": (ISLANDS, {
        **DCQCN_OF_A_AND_B, "system.switches.s0.ecn.at": "enqueue"
    }, "enqueue"),
    "system.switches.s1.ecn.pmax": (ISLANDS, {
        **DCQCN_OF_A_AND_B, "system.switch.ecn.at": "enqueue"
    }, "50 %"),
    "system.links.c-s1.ecn_marking": (ISLANDS, {
        **DCQCN_OF_A_AND_B, "system.switches.s0.ecn.at": "enqueue"
    }, "5 %"),
    "system.switches.s0.priorities": (ISLANDS, {}, "8"),
    "system.switches.s1.priorities":
    (ISLANDS.replace("dscp: 0}", "dscp: 0}, {from: c, to: d, dscp: 24}"), {}, "2"),
    "system.switches.s0.scheduler": (ISLANDS, {
        SWITCH + "priorities": "8",
        SWITCH + "reserve": "1 KiB"
    }, "drr"),
    "run.traffic.x.ecn": (PLAIN_ISLANDS, {
        "system.switches.s1.ecn.at": "enqueue"
    }, "true"),
    "system.rnic.rc.congestion": (INCAST, {}, "dcqcn"),
    "system.rnic.rc.pm.relaxed_data": (PAIR, {}, "true"),
    "system.rnic.rc.pm.relaxed_cqe": (PAIR, {}, "true"),
    "system.rnic.rc.pm.data_no_snoop": (PAIR, {}, "true"),
    "system.host.persistence.flush.base": (PAIR, {}, "160 ns"),
    "system.host.persistence.no_snoop_write": (PAIR, {
        RC + "pm.data_no_snoop": "true"
    }, "true"),
    "system.host.persistence.no_snoop": (PAIR, {
        RC + "pm.data_no_snoop": "true"
    }, "literal"),
}

# Where they count, though little is different from a row above.
READ_BY_OTHERS = {
    "a responder that takes early packets": ("system.hosts.b.rnic.rc.window", PAIR, {
        RC + "retransmission": "selective_repeat"
    }, "4"),
    "answers in turn": ("system.hosts.b.rnic.rc.timeout", PAIR, {
        **SENDS, "run.pattern": "ping_pong"
    }, "8"),
    "packets of a class without loss": ("system.switch.priorities", INCAST, {
        SWITCH + "pfc.classes": "[3]",
        SWITCH + "buffer": "1 MiB"
    }, "8"),
    "the stride of send WQEs": ("system.hosts.a.rnic.rc.inline", PAIR, {
        "run.operation": "read"
    }, "64 B"),
    "where buffers are behind them": ("system.hosts.b.rnic.rc.inline", PAIR, {}, "64 B"),
    "a queue each of what keeps a reserve": ("system.switch.priorities", PLAIN, {
        SWITCH + "reserve": "2 KiB",
        SWITCH + "buffer": "32 KiB"
    }, "3"),
    "queues behind a switch that learns": ("system.switches.s0.priorities", ISLANDS, {
        "system.switches.s0.table": "learning"
    }, "8"),
    "the island that marks": ("system.hosts.c.rnic.rc.dcqcn.g", ISLANDS, {
        RC + "congestion": "dcqcn",
        "system.switches.s1.ecn.at": "enqueue"
    }, "500"),
    "CNPs of a peer's NAKs": ("system.hosts.a.rnic.rc.dcqcn.g", PAIR, {
        RC + "congestion": "dcqcn",
        "system.hosts.b.rnic.rc.nak_cnp": "true"
    }, "500"),
    "CNPs for requests of READs": ("system.hosts.b.rnic.rc.cnp_interval", PAIR, {
        **DCQCN,
        **READS
    }, "1 us"),
    "requests of READs": ("system.hosts.a.rnic.rc.dcqcn.least_rate", PAIR, {
        **DCQCN,
        **READS
    }, "1 Gbps"),
    "READ responses": ("system.hosts.b.rnic.rc.dcqcn.g", PAIR, {
        **DCQCN,
        **READS
    }, "500"),
    "CNPs for READ responses": ("system.hosts.a.rnic.rc.cnp_interval", PAIR, {
        **DCQCN,
        **READS
    }, "1 us"),
    "parameters have a cnp_interval, too":
    ("system.hosts.b.rnic.rc.dcqcn.parameters", PAIR, DCQCN, "nic"),
    "ACKs of WRITEs among READs": ("system.rnic.rc.ack_interval", PAIR, {
        "run.mix.read": "90 %",
        "run.mix.write": "10 %"
    }, "2"),
    "a path": (RC + "pm.relaxed_data", PAIR, {
        PATH + "domain": "eadr"
    }, "true"),
}

# Keys that are not in it, and why.
NO_ROW = {
    "system.rnic.rc.loopback":
    "no item asks its own host for anything: programs do, testbench/tests/programs",
    "system.rnic.rc.pm.flush_no_snoop":
    "a read writes nothing: it is there to show that (scenarios/persistence/bad/n2.yaml)",
    **{
        f"system.rnic.rc.simulated_by.{block}":
        "both give the same results: testbench/tests/cosim/rc_blocks_test.py"
        for block in ("icrc", "packet_builder", "packet_parser", "persist_module", "request_check",
                      "responder_psn")
    },
    "system.host.persistence.domain":
    "no time depends on it: `rnicsim cut` does, testbench/tests/cli/cut_test.py",
    "system.host.persistence.no_snoop":
    "what is left in the LLC shows after a power cut only: testbench/tests/persistence",
}
