# SPDX-License-Identifier: Apache-2.0
"""Random scenarios at the limits of what the reader accepts: what scripts/edge runs.

A scenario is a dictionary of keys, as in scenarios/README.md, and their texts. Values are drawn
without regard to the rules across keys; a value that the reader then refuses is set to the limit
that the refusal names. A scenario that would send too many frames gets fewer transfers, or shorter
timers: such a run tests no limit, it only takes long.
"""

import functools
import random
import re
from collections.abc import Mapping
from typing import Any

NS, US, MS, SECOND = 1, 1000, 10**6, 10**9
UNITS = {
    "ns": 1,
    "us": US,
    "ms": MS,
    "s": SECOND,
    "B": 1,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3
}
CYCLE = 8  # ns

# What times look like in one scenario: timers, costs and delays of about one size, since a run is
# as long as its longest ones.
PACES = {
    "cycles": [8, 16, 64, 72, 504, 800, 1000, 4000],
    "frames": [504, 1000, 4000, 12 * US, 16 * US + 8, 40 * US, 100 * US],
    "default": [40 * US, 100 * US, 500 * US, MS, 2 * MS + 8, 2400 * US],
    "long": [MS, 10 * MS, 100 * MS, SECOND, 10 * SECOND],
}
MOST_FRAMES = 2_000_000  # of a scenario, about: ten seconds
VERILOG = 20  # times as long for a frame of 1,518 B, cycle by cycle; so many transfers at most
LIMITS = ["128 B", "256 B", "512 B", "1024 B", "2048 B", "4096 B"]
SEGMENTS = [1, 2, 3, 7, 8, 9, 17, 63, 64, 65, 225, 256, 1000, 1023, 1024, 1025, 1467, 1468]


def time(ns: int) -> str:
    return f"{ns} ns"


class Draw:
    """One scenario's draws."""

    def __init__(self, seed: str | int, number: int) -> None:
        self.random = random.Random(f"edge {seed} {number}")
        # of their own: other draws stay what they were
        self.picoseconds = random.Random(f"edge {seed} {number} picoseconds")
        self.pace = self.random.choice(["cycles", "frames", "frames", "default", "default", "long"])
        # seldom faults: most transfers complete; else hardly any
        self.calm = self.random.random() < 0.5

    def one(self, *values: Any) -> Any:
        return self.random.choice(values)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def time(self, least: int = 8, most: int = 10 * SECOND) -> str:
        """Of this scenario's pace, now and then of any but the long one, the least or the most."""
        if self.chance(0.15):
            choices = PACES[self.one(*(pace for pace in PACES if pace != "long"))]
        else:
            choices = PACES[self.pace]
        value = self.random.choice(choices) if self.chance(0.9) else least
        return time(min(max(value, least), most))

    def fine_time(self, least: int = 8, most: int = 10 * SECOND) -> str:
        """The same for what lies between hosts, which counts picoseconds: half of them are no whole
        cycles."""
        drawn = amount(self.time(least, most))
        return time(drawn) if drawn >= most or self.picoseconds.random(
        ) < 0.5 else f"{drawn}.{self.picoseconds.randint(1, 999):03} ns"

    def probability(self) -> Any:
        return (
            f"{self.one(0, 0, 0, 1, 2, 5) if self.calm else self.one(0, 0, 0, 1, 5, 20, 30, 60, 100)} %"  # noqa: E501
        )

    def few(self, most: int) -> str:
        """A small number, the least or the most."""
        return str(self.one(1, 1, 2, 3, 8, 16, most))


def link(draw: Any) -> dict[str, str]:
    keys = {"delay": draw.fine_time(most=10 * MS)}
    if draw.chance(0.8):
        keys["loss"] = draw.probability()
    if draw.chance(0.2):
        keys.update({
            "loss_process": "gilbert_elliott",
            "burst.begin": draw.probability(),
            "burst.end": draw.probability(),
            "burst.loss": draw.probability()
        })
    if draw.chance(0.5):
        keys.update({
            "corruption": draw.probability(),
            "duplication": draw.probability(),
            "reordering": draw.probability(),
            "lateness": draw.time(most=10 * MS),
            "delay_variation": draw.probability(),
            "jitter": draw.time(most=10 * MS)
        })
    if draw.chance(0.2):
        keys.update({
            "down.probability": draw.probability(),
            "down.period": draw.time(least=1000),
            "down.duration": draw.time()
        })
    return {f"system.link.{key}": value for key, value in keys.items()}


def host(draw: Draw) -> dict[str, str]:
    long = draw.pace == "long"
    keys = {
        "registration.base_cost": draw.time(least=0, most=SECOND),
        "registration.failure": draw.probability()
    }
    if draw.chance(0.3):
        keys.update({
            "memory.latency": draw.time(most=MS),
            "memory.bandwidth": draw.one("1 MB/s", "100 MB/s", "1600 MB/s", "1000000 MB/s")
        })
    if draw.chance(0.2):
        keys.update({
            "bridge.bandwidth": draw.one("1 MB/s", "100 MB/s", "1000000 MB/s"),
            "bridge.request_cost": draw.time(least=0, most=MS)
        })
    if draw.chance(0.3):
        keys.update({"registration.page_cost": draw.time(least=0, most=MS),
                     "registration.retry": draw.one("on_request", "when_released", "back_off"),
                     "registration.retry_interval": draw.time(most=SECOND)})
    if draw.chance(0.2):
        tasks = 0 if long else draw.one(0, 1, 3, 64)
        keys.update({
            "registration.pool.size": draw.one("1 B", "4 KiB", "1 MiB", "4096 MiB"),
            "registration.pool.tasks": str(tasks),
            "registration.pool.held": draw.one("0 B", "1 B", "4 KiB", "1 MiB"),
            "registration.pool.hold_time": draw.time(least=20 * US),
            "registration.pool.rest_time": draw.time(least=20 * US)
        })
    if draw.chance(0.3):
        keys.update({
            f"software.{cost}": draw.time(most=MS)
            for cost in ("interrupt_latency", "event_cost", "command_cost")
        })
    if draw.chance(0.2) and not long:
        keys.update({
            "ping.sizes":
            draw.one("[46 B]", "[46 B, 1500 B]", "[1500 B, 1500 B, 1500 B]"),
            "ping.interval":
            time(draw.one(8 * US, 50 * US, MS) if draw.pace != "default" else 500 * US),
            "receive_ring":
            draw.one("1", "2", "64", "512")
        })
    return {f"host.{key}": value for key, value in keys.items()}


def hardware(draw: Draw) -> dict[str, str]:
    """MAC, filter, PCIe and queues: mostly as they are."""
    keys = {}
    if draw.chance(0.2):
        keys.update({
            "gmac.tx_latency": draw.one("8 ns", "32 ns", "672 ns"),
            "gmac.rx_latency": draw.time(least=0, most=MS),
            "gmac.interpacket_gap": draw.one("96 ns", "104 ns", "8 us"),
            "gmac.mtu": draw.one("46 B", "576 B", "1499 B", "1500 B"),
            "frame_filter.latency": draw.time(least=0, most=MS),
            "queues.latency": draw.time(most=MS)
        })
    if draw.chance(0.4):
        keys.update({
            "pcie.generation": draw.one("1", "2", "3"),
            "pcie.lanes": draw.one("1", "2", "4", "8", "16"),
            "pcie.max_payload": draw.one(*LIMITS),
            "pcie.max_read_request": draw.one(*LIMITS),
            "pcie.read_completion_boundary": draw.one("64 B", "128 B"),
            "pcie.tags": draw.one("1", "2", "12", "32", "256"),
            "pcie.latency": draw.time(most=MS),
            "pcie.request_overhead": draw.time(least=0, most=MS)
        })
    return {f"rnic.{key}": value for key, value in keys.items()}


def timers(draw: Draw) -> dict[str, str]:
    """idle_timeout is far too short in most: the reader says which is the shortest one."""
    keys = {} if draw.calm and draw.chance(0.7) else {
        f"{timer}_timer": draw.time()
        for timer in ("request", "data", "release")
    }
    keys["idle_timeout"] = draw.time()
    for tries in ("max_requests", "max_retransmissions"):
        keys[tries] = draw.few(2 if draw.pace == "long" else 64) if not draw.calm else draw.one(
            "2", "8", "16", "64")
    if draw.pace == "cycles" and draw.chance(0.02):
        keys["max_requests"] = "65535"
    return keys


def transport(draw: Draw, segment: int) -> Any:
    keys = timers(draw)
    keys["segment"] = f"{segment} B"
    if draw.chance(0.7):
        keys["window"] = draw.few(64)
    if draw.chance(0.5):
        keys["table_entries"] = draw.one("1", "2", "4", "64", "256", "1023", "1024")
    if draw.chance(0.5):
        keys["decision"] = draw.time(most=MS)
    if draw.chance(0.6):
        keys.update({
            "retransmission": draw.one("selective_repeat", "go_back_n"),
            "duplicate_acks": draw.one("0", "1", "2", "3", "255"),
            "acknowledgement": draw.one("each", "every_second"),
            "buffer_admission": draw.one("any", "in_order"),
            "mode_choice": draw.one("paper", "on_refusal"),
            "indirect_after_timeouts": draw.one("1", "2", "3", "65535"),
            "resume_on_valid_ack": draw.one("true", "false"),
            "bulk_drain": draw.one("true", "false"),
            "ordinary_share": draw.one("0 %", "1 %", "50 %", "100 %")
        })
    if draw.chance(0.6):
        keys.update({
            "indirect_buffer":
            draw.one("0 B", f"{segment} B", f"{3 * segment} B", "1472 B", "48 KiB", "1 MiB"),
            "tx_buffer":
            draw.one("1518 B", "3035 B", "3036 B", "22 KiB", "64 MiB"),
            "rx_buffer":
            draw.one("1518 B", "3035 B", "3036 B", "40 KiB", "64 MiB")
        })
    return {f"rnic.drp.{key}": value for key, value in keys.items()}


def blocks(draw: Draw) -> dict[str, str]:
    """Seldom: Verilog takes longer, and has much built in."""
    if not draw.chance(0.04) or draw.pace in ("default", "long"):
        return {}
    names = draw.one(["gmac"], ["frame_filter"], ["transport_controller"], ["indirect_buffer"],
                     ["dma_engine"], ["rnic"], ["rnic_core"])
    end = draw.one("", "", "a.", "b.")
    return {f"simulation.{end}{name}": "rtl" for name in names}


def workload(draw: Draw, segment: int) -> dict[str, str]:
    frames = draw.one(1, 1, 2, 3, 4, 8, 9, 17, 64)
    size = segment * (frames - 1) + draw.one(1, segment, max(1, segment - 1), (segment + 1) // 2)
    transfers = draw.one(1, 2, 5, 20, 64)
    if draw.chance(0.01):
        transfers = 1000
    return {
        "run.size": f"{size} B",
        "run.transfers": str(transfers),
        "run.in_flight": draw.one("1", "1", "2", "5", "64"),
        "run.operation": draw.one("write", "read", "alternate"),
        "run.direction": draw.one("a_to_b", "b_to_a", "both"),
        "run.repetitions": "1",
        "run.methods": draw.one("[dynamic]", "[dynamic]", "[traditional]", "[dynamic, traditional]")
    }


def variants(draw: Draw, keys: dict[str, str]) -> dict[str, str]:
    """The same as variants, in some scenarios."""
    if not draw.chance(0.1):
        return keys
    of = [
        f"{method[0]}: {{system.rnic.drp.method: {method}}}"
        for method in keys.pop("run.methods").strip("[]").split(", ")
    ]
    return {**keys, "run.variants": f"{{{', '.join(of)}}}"}


def methods_of(keys: Mapping[str, str]) -> list[str]:
    """Which methods it has, by run.methods or run.variants."""
    text = keys.get("run.methods") or keys.get("run.variants") or ""
    return [method for method in ("traditional", "dynamic") if method in text]


# What both ends must have alike, or their transfers fail from the first request on.
ALIKE = ("segment", "mtu")


def scenario(seed: Any, number: int) -> Any:
    """The keys and their texts, before the reader has seen them."""
    draw = Draw(seed, number)
    segment = draw.one(*SEGMENTS)
    keys = {**link(draw), **blocks(draw), **workload(draw, segment), "simulation.seed": str(number),
            "simulation.watchdog": time(CYCLE)}  # the reader names the least
    both = {**host(draw), **hardware(draw), **transport(draw, segment)}
    keys.update({f"system.{key}": value for key, value in both.items()})
    if draw.chance(0.4):  # one end differs, in some of it
        end = draw.one("a", "b")
        other = {**host(draw), **hardware(draw), **transport(draw, segment)}
        for key in sorted(other):
            if draw.chance(0.4) and key.rpartition(".")[2] not in ALIKE:
                keys[f"system.{end}.{key}"] = other[key]
    # Pings that come faster than the software handles them leave it little time for anything else:
    # such a run only takes long.
    if any(key.endswith("ping.sizes") for key in keys) and any(".software." in key for key in keys):
        keys["run.transfers"] = "2"
        keys = {key: "2" if key.endswith("receive_ring") else value for key, value in keys.items()}
    if "rtl" in keys.values():  # as many cycles as a slow bus makes of them
        keys["run.transfers"] = str(min(VERILOG, amount(keys["run.transfers"])))
    return bounded(variants(draw, keys))


def at_ends(keys: Mapping[str, str], key: str, default: str) -> list[int]:
    """What both ends have of a key of `system`, as numbers."""
    return [
        amount(keys.get(f"system.{end}.{key}", keys.get(f"system.{key}", default))) for end in "ab"
    ]


def patience(keys: Mapping[str, str]) -> Any:
    """ns that an initiator asks for a connection. Timers have the lowest priority: each of those
    under way may wait for some decisions."""
    waits = 4 * amount(keys["run.in_flight"]) * max(
        at_ends(keys, "rnic.drp.decision", "64 ns"))
    asks = zip(*(at_ends(keys, f"rnic.drp.{key}", default)
                 for key, default in (("max_requests", "16"), ("request_timer", "2.4 ms"))))
    return max(requests * max(timer, waits) for requests, timer in asks)


def rest(keys: Mapping[str, str]) -> Any:
    """About how many ns the memory of a failed transfer is kept: until every frame that waits for a
    decision has had it."""
    frame = amount(keys["system.rnic.drp.segment"]) + 50
    buffers, decisions = at_ends(keys, "rnic.drp.rx_buffer",
                                 "40 KiB"), at_ends(keys, "rnic.drp.decision", "64 ns")
    return max(buffer / frame * decision for buffer, decision in zip(buffers, decisions))


def most_frames(keys: Mapping[str, str]) -> Any:
    """About how many frames it sends if many faults come together."""

    def transport(key: str, default: str) -> Any:
        return at_ends(keys, f"rnic.drp.{key}", default)

    segment, size = amount(keys["system.rnic.drp.segment"]), amount(keys["run.size"])
    methods = methods_of(keys)
    transfers = amount(
        keys["run.transfers"]) * len(methods) * (2 if keys["run.direction"] == "both" else 1)
    # repeated at a time
    window = max(transport("window", "8")) if "go_back_n" in "".join(keys.values()) else 1
    on_wire = 8 * max(84, segment + 70)  # ns
    each = 8 * -(-size // segment) + window * max(transport("max_retransmissions", "16"))
    if "dynamic" in methods and keys["run.operation"] != "read":
        # An indirect initiator repeats what is not acknowledged for as long as it asks, and no try
        # counts.
        each += patience(keys) / max(on_wire, min(transport("data_timer", "0.5 ms")) / window)

    def of_host(end: str, key: str, default: str) -> str:
        return keys.get(f"system.{end}.host.{key}", keys.get(f"system.host.{key}", default))

    aside = 0.0  # pings with their answers and other tasks' turns, a ns
    for end in "ab":
        aside += 2 * min(
            of_host(end, "ping.sizes", "[]").count("B") /
            amount(of_host(end, "ping.interval", "1 ms")), 1 / 672)
        turn = sum(
            amount(of_host(end, f"registration.pool.{part}_time", "1 ms"))
            for part in ("hold", "rest"))
        # no frame, but two events
        aside += amount(of_host(end, "registration.pool.tasks", "0")) / turn / 10
    # A transfer that fails lasts as long as its initiator asks, and its responder for as long
    # again.
    frames = transfers * (each + (2 * patience(keys) + rest(keys)) * aside)
    return frames * (VERILOG if "rtl" in keys.values() else 1)


def bounded(keys: dict[str, str]) -> dict[str, str]:
    """With fewer transfers, and where one is too much with less patience or a smaller buffer, so
    that it sends about MOST_FRAMES at most."""
    def fewer(text: str, too_many: float) -> str:
        return str(max(1, int(amount(text) / too_many)))

    def shorter(text: str, too_many: float) -> Any:
        return time(max(CYCLE, int(amount(text) / too_many) // CYCLE * CYCLE))

    def smaller(text: str, too_many: float) -> str:
        return f"{max(1518, int(amount(text) / too_many))} B"

    # Several times: what is left of one may be too much beside the others.
    for last, less in 4 * (("transfers", fewer), ("max_requests", fewer),
                           ("request_timer", shorter), ("rx_buffer", smaller)):
        if (too_many := most_frames(keys) / MOST_FRAMES) > 1:
            keys = {
                key: less(value, too_many) if key.endswith("." + last) else value
                for key, value in keys.items()
            }
    return keys


def text(keys: Mapping[str, str]) -> str:
    """The scenario file."""
    tree: dict[Any, Any] = {}
    for key, value in keys.items():
        *sections, last = key.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = value
    return "".join(f"{name}: {flow(section)}\n" for name, section in tree.items())


def flow(section: Any) -> Any:
    if not isinstance(section, dict):
        return section
    return "{" + ", ".join(f"{name}: {flow(value)}" for name, value in section.items()) + "}"


QUANTITY = r"\d+(?:\.\d+)? ?(?:[kKMGT]?i?B/s|ns|us|ms|s|KiB|MiB|GiB|B|%)?(?![\w.])"


def amount(quantity: Any) -> Any:
    number, unit = re.findall(r"^([\d.]+) ?(.*)$", quantity)[0]
    return round(float(number) * UNITS.get(unit, 1))


def beyond(quantity: str) -> str:
    """The least that is more."""
    if quantity.endswith("B"):
        return f"{amount(quantity) + 1} B"
    return time(amount(quantity) // CYCLE * CYCLE + CYCLE)


def below(quantity: str) -> str:
    """The most that is less."""
    if quantity.endswith("B"):
        return f"{amount(quantity) - 1} B"
    return time(max(CYCLE, (amount(quantity) - 1) // CYCLE * CYCLE))


def repaired(keys: dict[str, str], said: str) -> dict[str, str] | None:
    """With the key that the reader refuses set to the limit that it names, or without it where
    nothing reads it; None if neither can be told.

    `said`: a line of the reader, 'FILE:1:2: KEY: found X, expected LIMIT' or 'FILE:1:2: KEY: has no
    effect: ...'.
    """
    vain = re.search(r": (?P<key>(?:system|run)\.[\w.-]+): has no effect", said)
    if vain and vain["key"] in keys:
        # the reader wants these the same at both ends
        both = next((key for key in ("rnic.rc.congestion", "rnic.rc.retransmission")
                     if vain["key"].endswith(key)), None)
        gone = [name for name in keys if name.endswith(both)] if both else [vain["key"]]
        return functools.reduce(without, gone, keys)
    refusal = re.search(
        r": (?P<key>(?:system|run|simulation)\.[\w.-]+): found '?(?P<found>.*?)'?, expected "
        r"(?P<rest>.*)",
        said)
    if not refusal:
        return None
    key, rest = refusal["key"], refusal["rest"]
    limits = re.search(rf"built in: ({QUANTITY}) \.\. ({QUANTITY})", rest) or re.match(
        rf"({QUANTITY}) to ({QUANTITY})$", rest)
    if other := re.search(rf"or (system\.[\w.-]+) of at least ({QUANTITY})", rest):
        key, limit = other.groups()
        # a switch without values of its own has one
        keys = {name: value for name, value in keys.items() if not key.startswith(name + ".")}
    elif value := re.match(rf"(\[[\d, ]*\]|{QUANTITY})(?:: | as at | with |$)", rest) or re.match(
            rf"a whole number of .* cycles, such as ({QUANTITY})", rest):
        limit = value[1]
    elif limits and re.fullmatch(QUANTITY, refusal["found"]):
        low, high = limits.groups()
        limit = low if amount(refusal["found"]) < amount(low) else high
    elif "less than 100 %" in rest:
        limit = "99.99 %"
    elif word := re.search(r"has built in: ([a-z]\w*)$", rest):
        limit = word[1]
    else:
        plain = re.match(
            r"(.*?(?:: |at most |at least |more than ))" + f"({QUANTITY})(?:$|[:;,. ])",
            re.sub(r"\([^)]*\)", "", rest))
        if not plain:
            return left_out(keys, key)
        words, limit = plain.groups()
        limit = beyond(limit) if re.search(
            "(longer|more) than", words) else below(limit) if "less than" in words else limit
    if key.endswith(".sizes"):
        limit = f"[{limit}]"
    if keys.get(key) == limit:
        return left_out(keys, key)
    return {**keys, key: limit}


def left_out(keys: Mapping[str, str], key: str) -> dict[str, str] | None:
    """Without a setting of a network that no limit mends; None if that is none of them."""
    if key not in keys or not key.startswith(("system.hosts.", "system.switch", "system.links.",
                                                      "system.bridges.n0.")):
        return None
    return without(keys, key)


def without(keys: Mapping[str, str], key: str) -> dict[str, str]:
    left = {name: value for name, value in keys.items() if name != key}
    # a host or switch of a network stays, without values of its own
    of = re.match(r"system\.(hosts|switches)\.\w+", key)
    return {
        **left, of[0]: "{}"
    } if of and not any(name.startswith(of[0] + ".") for name in left) else left
