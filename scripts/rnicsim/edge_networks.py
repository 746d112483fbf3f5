# SPDX-License-Identifier: Apache-2.0
"""Random networks at the limits of what the reader accepts: what scripts/edge --networks runs.

A scenario is a dictionary of keys and texts, as in edge_scenarios; links and items of traffic have
keys of their own by their names ("system.links.client-s0.loss", "run.traffic.0.size"), and what
they join or ask in "... .between", "from" and "to".
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rnicsim import edge_scenarios, edge_verbs
from rnicsim.edge_scenarios import MS, NS, US, amount, time

RATES = ["1 Gbps", "2.5 Gbps", "10 Gbps", "25 Gbps", "40 Gbps", "100 Gbps"]
MOST_FRAMES = edge_scenarios.MOST_FRAMES // 4  # frames of networks cost more: each hop is one
LISTS = ("system.links", "system.bridges", "run.traffic")


def switch(draw: edge_scenarios.Draw) -> dict[str, str]:
    keys = {}
    if draw.chance(0.5):
        keys["latency"] = draw.fine_time(most=MS)
    if draw.chance(0.7):
        keys["buffer"] = draw.one("2 KiB", "3 KiB", "4 KiB", "16 KiB", "128 KiB", "1 MiB",
                                  "1024 MiB")
    if draw.chance(0.4):
        keys["cell"] = draw.one("1 B", "64 B", "80 B", "512 B")
    if draw.chance(0.3):
        keys["reserve"] = draw.one("0 B", "1 B", "1518 B", "1 MiB")
    if draw.chance(0.5):
        keys.update({
            "admission": draw.one("dynamic", "static"),
            "queue_limit": draw.one("1518 B", "4 KiB", "64 KiB", "1024 MiB"),
            "alpha": draw.one("1/64", "1/2", "1", "2", "64")
        })
    if draw.chance(0.1):
        keys["mtu"] = draw.one("46 B", "1499 B", "1500 B", "1501 B", "9198 B")
    if draw.chance(0.2):
        keys.update({"table": draw.one("static", "learning"), "ageing": draw.time(most=1000 * MS)})
    if draw.chance(0.3):
        keys["mode"] = draw.one("store_and_forward", "cut_through")
    if draw.chance(0.5):
        keys.update({
            "priorities": draw.one("1", "2", "3", "7", "8", "8"),
            "scheduler": draw.one("strict", "drr")
        })
        if draw.chance(0.5):
            keys["weights"] = "[" + ", ".join(
                draw.one("1", "2", "256") for _ in range(int(keys["priorities"]))) + "]"
    if draw.chance(0.3):
        keys.update({"ecn.at": draw.one("enqueue", "dequeue"), "ecn.pmax": draw.probability()})
        if draw.chance(0.6):
            keys.update({
                "ecn.kmin": draw.one("1 B", "1 KiB", "20 KiB"),
                "ecn.kmax": draw.one("20 KiB", "21 KiB", "1024 MiB")
            })
    if draw.chance(0.4):
        keys.update(pauses(draw))
    if draw.chance(0.2):
        keys["pause_reaction"] = draw.fine_time(most=MS)
    return keys


def pauses(draw: edge_scenarios.Draw) -> dict[str, str]:
    keys = {
        "priorities": "8",
        "weights": "[]",
        "pfc.classes": draw.one("[3]", "[0]", "[7]", "[3, 4]", "[0, 1, 2, 3, 4, 5, 6, 7]"),
        "pfc.alpha": draw.one("1/64", "1/8", "1", "64")
    }
    if draw.chance(0.4):
        keys.update({
            "pfc.xoff": draw.one("2 B", "1518 B", "16 KiB", "1024 MiB"),
            "pfc.xon_below": draw.one("1 B", "1517 B", "3036 B")
        })
    if draw.chance(0.3):
        keys["pfc.quanta"] = draw.one("1", "2", "100", "65535")
    if draw.chance(0.2):
        keys["pfc.headroom"] = draw.one("4816 B", "64 KiB", "1 MiB")
        keys["pfc.unchecked"] = draw.one("false", "false", "true")
    return keys


def topology(draw: edge_scenarios.Draw) -> Any:
    """(hosts with their counts or none, switches, links as (name of it, its two ends, rate or
    none)) of one to four switches."""
    hosts = {"server": None, "client": draw.one(1, 1, 2, 3, 5, 8, 16)}
    if draw.chance(0.3):
        hosts["other"] = draw.one(None, 1, 2, 4)
    switches = [f"s{i}" for i in range(draw.one(1, 1, 1, 2, 2, 3, 4))]
    links = [(f"{host}-{at}", host, at, None) for host in hosts for at in [draw.one(*switches)]]
    for i, name in enumerate(switches[1:], 1):
        to = switches[draw.one(*range(i))]
        links.append((f"{to}-{name}", to, name, draw.one(*RATES)))
    if len(switches) > 2 and draw.chance(0.5):  # a loop: ways are the shortest ones
        links.append(("again", switches[0], switches[-1], draw.one(*RATES)))
    return hosts, switches, links


def plain_hosts(
    draw: edge_scenarios.Draw, switches: Sequence[str]
) -> tuple[dict[str, tuple[int, int]], list[tuple[str, str, str, str]], list[dict[str, str]]]:
    """Groups of them with their MTU, links to their switches, and items of their frames."""
    groups = {
        "noise": (draw.one(1, 2, 3, 5), draw.one(46, 64, 1500, 1500, 4096, 9198)),
        "sink": (draw.one(1, 2), draw.one(46, 1500, 1500, 9198))
    }
    links = [(f"{name}-{at}", name, at, draw.one(*RATES)) for name in groups
             for at in [draw.one(*switches)]]
    items = []
    for _ in range(draw.one(1, 2, 3)):
        ends = draw.one(("noise", "sink"), ("noise", "sink"), ("sink", "noise"), ("noise", "noise"))
        if ends == ("noise", "noise") and groups["noise"][0] == 1:
            ends = ("noise", "sink")
        most = min(groups[name][1] for name in ends)
        keys = {
            "from":
            ends[0],
            "to":
            ends[1],
            "size":
            f"{draw.one(46, most, most, (46 + most) // 2)} B",
            "transfers":
            draw.one("1", "10", "300", "1500"),
            "class":
            draw.one(*"0012334567"),
            "ecn":
            draw.one("false", "true"),
            "pairs":
            draw.one("all", "opposite", "permutation") if ends[0] != ends[1] else draw.one(
                "all", "ring", "permutation")
        }
        spacing = draw.one("pace", "think", "")
        if spacing == "pace":
            keys["pace"] = draw.one("10 Mbps", "1 Gbps", "56 Gbps", "100 Gbps")
        elif spacing == "think":
            keys["think"] = draw.time(least=0, most=100 * US)
        if draw.chance(0.3):
            keys.update({
                "start": draw.time(least=0, most=MS),
                "stagger": draw.time(least=0, most=MS)
            })
        if draw.chance(0.5):
            keys["random_start"] = draw.one("0 ns", draw.time(least=0, most=MS))
        items.append(keys)
    return groups, links, items


def item(draw: edge_scenarios.Draw, hosts: Any, segment: int) -> dict[str, str]:
    """Of traffic."""
    frames = draw.one(1, 1, 2, 3, 8, 17, 64)
    keys = {
        "size": f"{segment * (frames - 1) + draw.one(1, segment, max(1, segment - 1))} B",
        "transfers": str(draw.one(1, 2, 5, 20)),
        "in_flight": draw.one("1", "1", "2", "5", "64"),
        "operation": draw.one("write", "write", "read", "alternate")
    }
    names = list(hosts)
    keys["from"] = draw.one("client", "client", *names)
    keys["to"] = draw.one("server", *names)
    keys["pairs"] = draw.one("all", "all", "opposite", "permutation")
    if hosts[keys["from"]] is not None and hosts[keys["from"]] > 1 and draw.chance(0.3):
        keys.update({"to": keys["from"], "pairs": draw.one("ring", "tree", "all", "permutation")})
    if keys["from"] == keys["to"] and ((hosts[keys["from"]] or 1) == 1
                                       or keys["pairs"] == "opposite"):
        keys.update({"from": "client", "to": "server", "pairs": "all"})  # nobody asks himself
    if draw.chance(0.3):
        keys.update({"think": draw.time(least=0)} if draw.chance(0.6) else
                    {"pace": draw.one("300 kbps", "50 Mbps", "900 Mbps", "100 Gbps")})
    if draw.chance(0.3):
        keys.update({"start": draw.time(least=0), "stagger": draw.time(least=0, most=1000 * MS)})
    if draw.chance(0.5):
        keys["random_start"] = "0 ns"
    return keys


def transport(draw: edge_scenarios.Draw, segment: int) -> Any:
    keys = edge_scenarios.transport(draw, segment)
    section = "rnic.drp."
    if draw.chance(0.4):
        keys[section + "data_timer_rule"] = draw.one("fixed", "adaptive")
    if draw.chance(0.4):
        keys[section + "window_rule"] = draw.one("fixed", "aimd")
    if draw.chance(0.2):
        keys.update({
            section + "buffer_admission": "per_initiator",
            section + "buffer_quota": draw.one("1", "2", "8", "65536")
        })
    return keys


def settled(keys: dict[str, str], draw: edge_scenarios.Draw) -> dict[str, str]:
    """Mostly: lossless classes at all switches alike, with links that keep the order, static tables
    and pauses that hold; weights only with drr. The reader refuses most of the others."""
    if draw.chance(0.1):
        return keys
    for key in [
            key for key in keys if re.fullmatch(
                r"system\.switches\.\w+\.(weights|scheduler|priorities|pfc\.classes)", key)
    ]:
        keys = edge_scenarios.without(keys, key)
    if keys.get("system.switch.scheduler") != "drr":
        keys.pop("system.switch.weights", None)
    if keys.get("system.switch.pfc.classes", "[]") != "[]":
        for key in [
                key for key in keys if key.endswith((".table", ".duplication", ".reordering",
                                                     ".delay_variation", ".pfc.quanta"))
        ]:
            keys = edge_scenarios.without(keys, key)
    return keys


def scenario(seed: Any, number: int, durable: bool = False) -> Any:
    """The keys and their texts, before the reader has seen them. `durable`: with messages that are
    made durable."""
    draw = edge_scenarios.Draw(f"{'durable' if durable else 'networks'} {seed}", number)
    segment = draw.one(*edge_scenarios.SEGMENTS)
    hosts, switches, links = topology(draw)
    plain: dict[str, Any] = {}
    items: list[Any] = []
    if draw.chance(0.5):
        plain, more, items = plain_hosts(draw, switches)
        links += more
        if draw.chance(0.5):  # nobody else
            hosts, links = {}, [link for link in links if link[1] not in hosts]
    verbs, messages = edge_verbs.groups(draw, durable) if durable or draw.chance(0.3) else ({}, [])
    links += [(f"{name}-{at}", name, at, draw.one(*RATES)) for name in verbs
              for at in [draw.one(*switches)]]
    if verbs and draw.chance(0.6):  # nobody else
        plain, items, links = {}, [], [link for link in links if link[1] not in (*hosts, *plain)]
        hosts = {}
    keys = {
        "simulation.seed": str(number),
        "simulation.watchdog": time(edge_scenarios.CYCLE),
        "run.repetitions": "1",
        "run.methods": draw.one("[dynamic]", "[dynamic]", "[traditional]", "[dynamic, traditional]")
    }
    if not hosts:
        del keys["run.methods"]
        if draw.chance(0.3):
            keys["run.variants"] = "{x: {}, y: {}}"
    common = {
        **edge_scenarios.host(draw),
        **edge_scenarios.hardware(draw),
        **transport(draw, segment)
    }
    common.update({"rnic.drp.resume_rule": draw.one("window_full", "told"),
                   "rnic.drp.busy_answer": draw.one("false", "true")})
    # Other tasks are of each host, and take their turns for as long as the run lasts.
    common = {
        key: "2" if key.endswith("pool.tasks") and amount(value) > 2 else
        time(max(amount(value), MS)) if key.endswith(("hold_time", "rest_time")) else value
        for key, value in common.items()
    }
    if hosts or not verbs:  # else nobody has a use for them
        keys.update(
            {f"system.{key}": value
             for key, value in common.items() if ".ping." not in key})
    keys.update(edge_scenarios.link(draw))
    if draw.chance(0.3):
        keys["system.link.ecn_marking"] = draw.probability()
    keys.update({f"system.switch.{key}": value for key, value in switch(draw).items()})
    for name, count in hosts.items():
        keys[f"system.hosts.{name}.count" if count is not None else
             f"system.hosts.{name}"] = "{}" if count is None else str(count)
    for name, (count, mtu) in plain.items():
        keys.update({
            f"system.hosts.{name}.count": str(count),
            f"system.hosts.{name}.rnic.personality": "plain",
            f"system.hosts.{name}.rnic.gmac.mtu": f"{mtu} B"
        })
        if draw.chance(0.3):
            keys[f"system.hosts.{name}.rnic.gmac.pause_reaction"] = draw.fine_time(most=MS)
    for name, own in verbs.items():
        keys.update({f"system.hosts.{name}.{key}": value for key, value in own.items()})
    if hosts and draw.chance(0.4):  # one group differs, in some of it
        other = {
            **edge_scenarios.host(draw),
            **edge_scenarios.hardware(draw),
            **transport(draw, segment)
        }
        name = draw.one(*hosts)
        for key in sorted(other):
            if draw.chance(0.4) and key.rpartition(
                    ".")[2] not in edge_scenarios.ALIKE and not re.search(
                        r"\.ping\.|pool\.tasks", key):
                keys.pop(f"system.hosts.{name}", None)
                keys[f"system.hosts.{name}.{key}"] = other[key]
    for name in switches:
        own = {key: value for key, value in switch(draw).items() if draw.chance(0.3)}
        keys.update({f"system.switches.{name}.{key}": value
                     for key, value in own.items()} or {f"system.switches.{name}": "{}"})
    for name, first, second, rate in links:
        keys[f"system.links.{name}.between"] = f"[{first}, {second}]"
        keys[f"system.links.{name}.name"] = name
        if rate:
            keys[f"system.links.{name}.rate"] = rate
        if draw.chance(0.3):
            keys[f"system.links.{name}.loss"] = draw.probability()
        if draw.chance(0.3):
            keys[f"system.links.{name}.delay"] = draw.fine_time(most=10 * MS)
    for i in range(draw.one(1, 1, 1, 2, 3) if hosts else 0):
        keys.update({
            f"run.traffic.{'abc'[i]}.{key}": value
            for key, value in item(draw, hosts, segment).items()
        })
    keys = apart(bounded(keys) if hosts else keys, draw, bool(hosts))
    keys = settled(keys, draw)
    for i, frames in enumerate(items):
        keys.update({f"run.traffic.{'xyz'[i]}.{key}": value for key, value in frames.items()})
    if any(edge_verbs.over_rings(of) for of in messages):
        keys["system.bridges.n0.between"] = "[peer, target]"
        keys["system.bridges.n0.name"] = "n0"
        keys.update({f"system.bridges.n0.{key}": value
                     for key, value in edge_verbs.bridge(draw).items()})
    for i, of in enumerate(messages):
        keys.update({f"run.traffic.{'vw'[i]}.{key}": value for key, value in of.items()})
    return keys


def apart(keys: dict[str, str], draw: edge_scenarios.Draw, drp: bool) -> dict[str, str]:
    """Lossless classes have queues of their own, and a DRP RNIC is in none."""
    if not any(key.endswith("pfc.classes") for key in keys):
        return keys
    for key in [key for key in keys if key.endswith((".priorities", ".weights"))]:
        keys = edge_scenarios.without(keys, key)
    keys["system.switch.priorities"] = "8"
    return {
        key:
        draw.one("[3]", "[1, 6]") if drp and key.endswith("pfc.classes") and "0" in value else value
        for key, value in keys.items()
    }


def least_and_most(keys: Mapping[str, str], key: str, default: str) -> tuple[int, int]:
    """Of all hosts, as numbers."""
    values = [
        amount(value) for name, value in keys.items() if name.endswith(f"rnic.drp.{key}")
    ] or [amount(default)]
    return min(values), max(values)


def largest(keys: Any, of: Any) -> Any:
    """Bytes of an item's largest message."""
    return max(
        amount(size)
        for size in keys.get(of + "size", keys.get(of + "sizes")).strip("[]").split(", "))


def most_frames(keys: Mapping[str, str]) -> float:
    """About how many frames it sends if many faults come together, counted at each link."""
    most = {
        key: least_and_most(keys, key, default)[1]
        for key, default in (("max_requests", "16"), ("request_timer", "2.4 ms"),
                             ("max_retransmissions", "16"), ("window", "8"), ("decision", "64 ns"))
    }
    segment = amount(keys.get("system.rnic.drp.segment", "1024 B"))
    methods = keys.get("run.methods", keys.get("run.variants", "")).count(",") + 1
    hosts = sum(amount(value) for key, value in keys.items() if key.endswith(".count")) + 1
    window = most["window"] if "go_back_n" in keys.values() else 1
    asks = most["max_requests"] * max(most["request_timer"], 4 * hosts * most["decision"])
    shortest = max(8 * (segment + 70),
                   least_and_most(keys, "data_timer", "0.5 ms")[0] / window, 672 * NS)
    frames = 0.0
    for name in {key.split(".")[2] for key in keys if key.startswith("run.traffic.")}:
        of = f"run.traffic.{name}."
        if name in "xyz":  # of plain hosts
            frames += hosts * amount(keys[of + "transfers"]) * methods
            continue
        each = 8 * -(-largest(keys, of) //
                     segment) + window * most["max_retransmissions"] + asks / shortest
        frames += hosts * amount(keys[of + "transfers"]) * methods * each
    return frames * (
        1 + sum(key.startswith("system.switches.") and key.count(".") == 2 for key in keys))


def bounded(keys: dict[str, str]) -> dict[str, str]:
    """With fewer transfers, and where one is too much with less patience, so that it sends about
    MOST_FRAMES at most."""
    def fewer(value: str, too_many: float) -> str:
        return str(max(1, int(amount(value) / too_many)))

    def shorter(value: str, too_many: float) -> str:
        return time(
            max(edge_scenarios.CYCLE,
                int(amount(value) / too_many) // edge_scenarios.CYCLE * edge_scenarios.CYCLE))

    for last, less in 4 * (("transfers", fewer), ("max_requests", fewer),
                           ("request_timer", shorter)):
        if (too_many := most_frames(keys) / MOST_FRAMES) > 1:
            keys = {
                key: less(value, too_many) if key.endswith("." + last) else value
                for key, value in keys.items()
            }
            keys.setdefault("system.rnic.drp.max_requests", "16")
    # Pauses between transfers only take long where there are many.
    return {
        key: time(min(amount(value), US * 1000)) if key.endswith(".think") else value
        for key, value in keys.items()
    }


def text(keys: Mapping[str, str]) -> str:
    """The scenario file."""
    plain = {
        key: value
        for key, value in keys.items()
        if not key.startswith(tuple(f"{section}." for section in LISTS))
    }
    for section in LISTS:
        items: dict[Any, Any] = {}
        for key, value in keys.items():
            if key.startswith(section + "."):
                name, _, rest = key[len(section) + 1:].partition(".")
                items.setdefault(name, {"name": name})[rest] = value
        if items:
            plain[section] = "[" + ", ".join(
                edge_scenarios.flow(nested(entry)) for entry in items.values()) + "]"
    return edge_scenarios.text(plain)


def nested(keys: Mapping[str, str]) -> dict[str, str]:
    tree: dict[Any, Any] = {}
    for key, value in keys.items():
        *sections, last = key.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = value
    return tree
