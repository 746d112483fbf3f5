// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/schema.h"

#include "testbench/scenario/personalities/personality.h"

#include "model/faults/loss_process.h"
#include "model/host/registration_retry.h"
#include "model/rnic/drp/config.h"
#include "model/rnic/rc/config.h"
#include "model/rtl/block_names.h"
#include "model/traffic.h"
#include "testbench/scenario/profiles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::int64_t kNs = 1;  // limits of times are in nanoseconds here, turned into the kind's unit below
constexpr std::int64_t kMicro = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecondInNs = 1'000'000'000;
constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kJumboMtu = 9198;  // bytes; no standard has it, most devices do
constexpr std::string_view kSimulation = "simulation.";
constexpr std::string_view kZhu = "Zhu et al. 2015";

Key time(std::string_view path, std::string_view fallback, std::int64_t least_ns, std::int64_t most_ns,
         std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::time,
            .fallback = fallback,
            .least = least_ns / 8,
            .most = most_ns / 8,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
/// The same to the picosecond.
Key picoseconds(std::string_view path, std::string_view fallback, std::int64_t least_ns, std::int64_t most_ns,
                std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::picoseconds,
            .fallback = fallback,
            .least = least_ns * 1000,
            .most = most_ns * 1000,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
/// The period of a clock.
Key clock_period(std::string_view path, std::string_view meaning, std::string_view source) {
    Key key = picoseconds(path, "8 ns", 0, 8 * kNs, meaning, source);
    key.least = 100;  // ps
    return key;
}
Key number(std::string_view path, std::string_view fallback, std::int64_t least, std::int64_t most,
           std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::integer,
            .fallback = fallback,
            .least = least,
            .most = most,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
Key bytes(std::string_view path, std::string_view fallback, std::int64_t least, std::int64_t most,
          std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::bytes,
            .fallback = fallback,
            .least = least,
            .most = most,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
/// Up to the fastest link.
Key bit_rate(std::string_view path, std::string_view fallback, std::int64_t least, std::string_view meaning,
             std::string_view source) {
    return {.path = path,
            .kind = Kind::bit_rate,
            .fallback = fallback,
            .least = least,
            .most = 100'000'000'000,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
Key probability(std::string_view path, std::string_view fallback, std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::probability,
            .fallback = fallback,
            .least = 0,
            .most = kMillion,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
Key choice(std::string_view path, std::string_view fallback, std::vector<std::string_view> words,
           std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::choice,
            .fallback = fallback,
            .least = 0,
            .most = 0,
            .choices = std::move(words),
            .meaning = meaning,
            .source = source};
}
Key one_of(Kind kind, std::string_view path, std::string_view fallback, std::vector<std::string_view> numbers,
           std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = kind,
            .fallback = fallback,
            .least = 0,
            .most = std::numeric_limits<std::int64_t>::max(),
            .choices = std::move(numbers),
            .meaning = meaning,
            .source = source};
}

/// What `simulation.rnic` speaks of: each block of the core, but not the core itself.
std::string_view blocks_not_named() {
    static const std::string kText = [] {
        std::string text;
        constexpr auto kLast = static_cast<std::size_t>(Block::rnic_core) - 1;
        for (std::size_t i = 0; i <= kLast; ++i) {
            text += i == 0 ? "" : i == kLast ? " and " : ", ";
            text += kBlockNames[i];
        }
        return text + ", those that are not named themselves";
    }();
    return kText;
}

/// Of a part of a memory.
Key memory_rate(std::string_view path, std::string_view fallback, std::string_view meaning, std::string_view source) {
    return {.path = path,
            .kind = Kind::rate,
            .fallback = fallback,
            .least = kMillion,
            .most = 1'000'000 * kMillion,
            .choices = {},
            .meaning = meaning,
            .source = source};
}
Key with_word(Key key, std::string_view word) {
    key.word = word;
    return key;
}

std::vector<std::string_view> pairs_words() { return {kPairsNames.begin(), kPairsNames.end()}; }

/// A key of networks only.
Key in_network(Key key) {
    key.network = true;
    return key;
}

/// Of the messages of an item that has a mix.
Key share_of_mix(std::string_view path) {
    return in_network(probability(path, "0 %",
                                  "verbs, stream, in place of `operation`: share of the messages, drawn for each; all "
                                  "of a mix add up to 100 %",
                                  "as a program with requests of several kinds"));
}

Key operation() {
    Key key = choice("run.operation", "write",
                     {"write", "read", "alternate", "write_imm", "send", "send_imm", "compare_swap", "fetch_add"},
                     "what the transfers do: DRP has the first three, verbs all but `alternate`", "paper 4.1: write");
    key.whose = "DRP has the first three, verbs all but alternate";
    return key;
}

std::vector<Key> declare() {
    return {
        picoseconds("system.link.delay", "40 ns", 8 * kNs, 10 * kMs, "propagation, each direction",
                    "assumed: 8 m of cable"),
        probability("system.link.loss", "0 %", "LFP: chance that a frame is lost; with gilbert_elliott outside bursts",
                    "paper 4.1"),
        choice("system.link.loss_process", "independent", loss_process_names(),
               "each frame is lost by itself, or there are bursts", "paper 4.1: each by itself"),
        probability("system.link.burst.begin", "0 %", "gilbert_elliott: a burst begins with this frame",
                    "Gilbert 1960, Elliott 1963"),
        probability("system.link.burst.end", "100 %", "gilbert_elliott: it is over before this frame",
                    "Gilbert 1960, Elliott 1963"),
        probability("system.link.burst.loss", "100 %", "gilbert_elliott: chance that a frame in a burst is lost",
                    "Gilbert 1960, Elliott 1963"),
        probability("system.link.corruption", "0 %", "chance that a bit of a frame is flipped: its FCS is wrong then",
                    "the paper has none"),
        probability("system.link.duplication", "0 %",
                    "chance that a frame arrives twice, the copy up to `lateness` later; on a full wire fewer do",
                    "the paper has none"),
        probability("system.link.reordering", "0 %",
                    "chance that a frame arrives up to `lateness` late, and others overtake it", "the paper has none"),
        time("system.link.lateness", "20 us", 8 * kNs, 10 * kMs, "upper limit; drawn uniformly from 1 cycle to it",
             "assumed: two frames"),
        probability("system.link.delay_variation", "0 %",
                    "chance that a frame arrives up to `jitter` late, and those behind it wait", "the paper has none"),
        time("system.link.jitter", "5 us", 8 * kNs, 10 * kMs,
             "upper limit, however many frames before it are late; drawn uniformly from 1 cycle to it", "assumed"),
        probability("system.link.down.probability", "0 %",
                    "chance that the link goes down once in a period, for both directions", "the paper has none"),
        time("system.link.down.period", "10 ms", 8 * kNs, 100 * kSecondInNs, "how often that is drawn", "assumed"),
        time("system.link.down.duration", "1 ms", 8 * kNs, 100 * kSecondInNs, "how long it is down, at most the period",
             "assumed"),
        in_network(probability("system.link.ecn_marking", "0 %",
                               "chance that a frame that may be marked (ECN) is, as if by a switch",
                               "DCQCN without a switch")),
        in_network(choice("system.link.rate", "1 Gbps",
                          {"1 Gbps", "2.5 Gbps", "10 Gbps", "25 Gbps", "40 Gbps", "100 Gbps"},
                          "of both directions; a DRP RNIC's link has 1 Gbps", "paper: Gigabit Ethernet")),

        in_network(picoseconds("system.switch.latency", "2 us", 8 * kNs, kMs,
                               "last bit of a frame in to the frame ready for its port (store and forward)",
                               "assumed: no measured figure of a Gigabit switch was found")),
        in_network(bytes("system.switch.buffer", "128 KiB", 2 << 10, 1 << 30,
                         "memory, shared by the queues of all ports", "RTL8305S: 1 Mbit")),
        in_network(bytes("system.switch.cell", "1 B", 1, 512, "a frame takes whole cells of it", "assumed: none")),
        in_network(bytes("system.switch.reserve", "0 B", 0, 1 << 20, "of each port, which no other one can take",
                         "assumed: none; a frame a port would be 98 of 128 KiB at 64 ports")),
        in_network(choice("system.switch.admission", "dynamic", {"dynamic", "static"},
                          "a queue takes at most alpha times what is free, or at most queue_limit",
                          "Choudhury and Hahne 1998")),
        in_network(choice("system.switch.alpha", "1",
                          {"1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8", "16", "32", "64"},
                          "dynamic: share of what is free", "ConWeave: 1")),
        in_network(bytes("system.switch.queue_limit", "64 KiB", 1518, 1 << 30, "static: of a port's queue", "assumed")),
        in_network(bytes("system.switch.mtu", "1500 B", 46, kJumboMtu,
                         "largest MAC client data; larger frames are dropped", "IEEE 802.3 3.2.7")),
        in_network(
            choice("system.switch.mode", "store_and_forward", {"store_and_forward", "cut_through"},
                   "cut_through: a frame goes on as soon as its header is in, if its port is idle and not faster; "
                   "a wrong FCS goes with it",
                   "-")),
        in_network(
            choice("system.switch.table", "static", {"static", "learning"},
                   "static: the ways are known; learning: the port of a host is that by which its frames come, and "
                   "frames to unknown ones leave by all",
                   "IEEE 802.1Q 8.7")),
        in_network(time("system.switch.ageing", "300 s", 8 * kNs, 1000 * kSecondInNs,
                        "learning: a host is forgotten then", "IEEE 802.1Q 8.8.3")),
        in_network(number("system.switch.priorities", "1", 1, 8,
                          "queues of each port; a frame's is its traffic class x priorities / 8", "IEEE 802.1Q")),
        in_network(choice("system.switch.scheduler", "strict", {"strict", "drr"},
                          "which queue is next: the highest, or each in turn (deficit round robin)",
                          "Shreedhar and Varghese 1996")),
        in_network({"system.switch.weights",
                    Kind::integer_list,
                    "[]",
                    1,
                    256,
                    {},
                    "drr: of each queue, from priority 0, in frames of the MTU; [] = 1 each",
                    "-"}),
        in_network(picoseconds(
            "system.switch.pause_reaction", "0 ns", 0, kMs,
            "from a pause frame until no frame of the class begins; 0 ns = the longest that the rate allows",
            "IEEE 802.3 31B.3.7")),
        in_network(choice("system.switch.ecn.at", "off", {"off", "enqueue", "dequeue"},
                          "when a frame (ECT) may get a mark of congestion, by the length of its queue",
                          "RFC 3168; HPCC marks at dequeue")),
        in_network(bytes("system.switch.ecn.kmin", "0 B", 0, 1 << 30,
                         "up to here none does; 0 B = 4 KB for each Gb/s of the port", "HPCC, run.py")),
        in_network(bytes("system.switch.ecn.kmax", "0 B", 0, 1 << 30,
                         "from here on each one does; 0 B = 16 KB for each Gb/s", "HPCC, run.py")),
        in_network(probability("system.switch.ecn.pmax", "20 %", "chance just below kmax; linear between the two",
                               "HPCC, run.py")),
        in_network({"system.switch.pfc.classes",
                    Kind::integer_list,
                    "[]",
                    0,
                    7,
                    {},
                    "lossless traffic classes: their senders are paused before the buffer is full",
                    "IEEE 802.1Qbb"}),
        in_network(bytes("system.switch.pfc.xoff", "0 B", 0, 1 << 30,
                         "of a port and class in the switch, above which its sender pauses; 0 B = by pfc.alpha",
                         "ConWeave, HPCC")),
        in_network(choice("system.switch.pfc.alpha", "1/8",
                          {"1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8", "16", "32", "64"},
                          "share of what is free, above which it does", "HPCC: 1/8")),
        in_network(bytes("system.switch.pfc.xon_below", "3036 B", 1, 1 << 30, "so much below it goes on",
                         "mlxsw: two frames")),
        in_network(bytes("system.switch.pfc.headroom", "0 B", 0, 1 << 30,
                         "of each port and lossless class for what still comes then; 0 B = as much as may come",
                         "see model/README")),
        in_network({"system.switch.pfc.unchecked",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "headroom may be too small, so that frames of lossless classes are dropped",
                    "-"}),
        in_network(number("system.switch.pfc.quanta", "65535", 1, 65535,
                          "of 512 bit times: a pause's length; it is said again at half of it", "IEEE 802.1Qbb")),

        in_network(number("system.hosts.*.count", "1", 1, 4096, "so many hosts, with a number behind their name", "-")),
        picoseconds("system.host.memory.latency", "96 ns", 8 * kNs, kMs, "memory access until the first data",
                    "assumed: DDR3"),
        {"system.host.memory.bandwidth",
         Kind::rate,
         "1600 MB/s",
         kMillion,
         1'000'000 * kMillion,
         {},
         "sustained, reads and writes of devices together",
         "assumed: one DDR-200 channel"},
        {"system.host.bridge.bandwidth",
         Kind::rate,
         "0 MB/s",
         0,
         1'000'000 * kMillion,
         {},
         "of a parallel PCI bus between root complex and memory; 0 MB/s = there is none",
         "MPC5200B: PCI 2.2, 32 bit"},
        time("system.host.bridge.request_cost", "0 ns", 0, kMs,
             "arbitration, address phase and target latency: once for what follows on in one burst", "PCI 2.2"),
        time("system.host.registration.base_cost", "10 us", 0, kSecondInNs, "registering a region: fixed part",
             "working model t = a + b pages, a = 10 to 50 us"),
        time("system.host.registration.page_cost", "200 ns", 0, kMs, "registering a region: for each page of 4 KiB",
             "working model, b = 0.2 to 1 us"),
        probability("system.host.registration.failure", "0 %", "FRP: chance that an attempt fails, each by itself",
                    "paper 4.1"),
        choice("system.host.registration.retry", "when_released", registration_retry_names(),
               "a failed registration is tried again at the next request, or also by the host itself (dynamic RNICs): "
               "after retry_interval, or doubling it; for want of memory, when some is given back",
               "PROTOCOL.md 3.11"),
        time("system.host.registration.retry_interval", "0.9 ms", 8 * kNs, kSecondInNs,
             "from a failed attempt to the host's own next one", "calibrated to figure 6"),
        bytes("system.host.registration.pool.size", "0 B", 0, std::int64_t{1} << 32,
              "memory that can be registered, shared with other tasks; 0 B = no limit", "paper 4.3: in use by others"),
        number("system.host.registration.pool.tasks", "0", 0, 64, "other tasks that hold some of it now and then",
               "paper 4.3: three"),
        bytes("system.host.registration.pool.held", "0 B", 0, std::int64_t{1} << 32, "what such a task holds",
              "assumed"),
        time("system.host.registration.pool.hold_time", "1 ms", 8 * kNs, 100 * kSecondInNs,
             "how long, mean of an exponential distribution", "assumed"),
        time("system.host.registration.pool.rest_time", "10 ms", 8 * kNs, 100 * kSecondInNs,
             "pause until it wants it again, mean of an exponential distribution", "assumed"),
        time("system.host.software.interrupt_latency", "2 us", 8 * kNs, kMs, "MSI to the handler's first instruction",
             "assumed: embedded processor, real-time system"),
        time("system.host.software.event_cost", "400 ns", 8 * kNs, kMs, "handling of one event-ring entry", "assumed"),
        time("system.host.software.command_cost", "240 ns", 8 * kNs, kMs, "building one descriptor, up to the doorbell",
             "assumed"),
        {"system.host.ping.sizes",
         Kind::bytes_list,
         "[]",
         46,
         1500,
         {},
         "echo requests to the other host: client data of each stream; empty = none",
         "paper 4.3: 256, 512, 1024 B"},
        time("system.host.ping.interval", "1 ms", 8000 * kNs, 100 * kSecondInNs, "from a request to the stream's next",
             "assumed"),
        in_network(clock_period("system.host.clock", "of a host with a RoCEv2 RNIC; its times are whole cycles", "-")),
        in_network(picoseconds("system.host.verbs.post", "240 ns", 0, kMs, "processor: posting a send WQE", "assumed")),
        in_network(picoseconds("system.host.verbs.push", "304 ns", 0, kMs,
                               "... and on top of it writing the WQE to the RNIC itself", "assumed")),
        in_network(picoseconds("system.host.verbs.poll", "200 ns", 0, kMs,
                               "processor: taking a completion, or seeing that a byte in memory has changed",
                               "assumed")),
        in_network(
            picoseconds("system.host.verbs.receive", "104 ns", 0, kMs, "processor: posting a receive WQE", "assumed")),
        in_network(one_of(Kind::bytes, "system.host.verbs.page", "4 KiB", {"4096", "2097152", "1073741824"},
                          "pages of registered memory: 4 KiB, 2 MiB or 1 GiB; the card keeps 8 bytes for each",
                          "x86-64")),
        in_network(choice("system.host.verbs.posting", "push", {"push", "doorbell"},
                          "a send WQE is written to the RNIC, or the RNIC is told of it and reads it", "-")),
        in_network(choice("system.host.verbs.notify", "poll", {"poll", "events"},
                          "completions are polled, or interrupts tell of them", "-")),
        in_network(choice(
            "system.host.verbs.receive_queues", "own", {"own", "shared"},
            "each QP of the host has receive WQEs of its own, or all take them from one shared queue (SRQ)", "-")),
        in_network(number("system.host.verbs.shared_receives", "512", 1, 16384,
                          "receive WQEs of the shared queue; one that has ended is posted again", "perftest")),
        in_network(number("system.host.verbs.srq_limit", "0", 0, 16384,
                          "receive WQEs: when fewer are left in the shared queue its limit event comes, and all that "
                          "have ended are posted again; 0: each is at once",
                          "-")),
        in_network(
            choice("system.host.persistence.domain", "adr", {"none", "adr", "eadr", "wsp"},
                   "what keeps its content when the power goes: SCM alone; and the iMC's queue; and the LLC; and "
                   "the IIO. No time depends on it",
                   "Intel; arXiv 1909.02092")),
        in_network({"system.host.persistence.ddio",
                    Kind::boolean,
                    "true",
                    0,
                    1,
                    {},
                    "writes of devices go into the LLC",
                    "reset of perfctrlsts_0, bit 7"}),
        in_network({"system.host.persistence.no_snoop_write",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "... but those with the attribute \"no snoop\" go past it (class 2)",
                    "reset of perfctrlsts_0, bit 3"}),
        in_network(
            choice("system.host.persistence.no_snoop", "hint", {"hint", "literal"},
                   "what such a write does to the LLC's copy: invalidates it, or leaves it, to overwrite what is "
                   "newer when it is evicted",
                   "PCIe 2.2.6.5")),
        in_network(bytes("system.host.persistence.iio.capacity", "8 KiB", 64, 1 << 20,
                         "posted writes at the root port, whole lines of 64 B; when it is full the RNIC's link stands "
                         "still",
                         "assumed")),
        in_network(picoseconds("system.host.persistence.iio.latency", "40 ns", 0, kMicro, "a line's way through it",
                               "assumed")),
        in_network(
            memory_rate("system.host.persistence.iio.bandwidth", "16 GB/s", "of lines that leave it", "assumed")),
        in_network(with_word(picoseconds("system.host.persistence.iio.hold", "0 ns", 0, kMs,
                                         "how long a line of SCM stays first; until_pushed: until a read, CQE or MSI "
                                         "comes that must not pass it, or it is full",
                                         "none: may be buffered"),
                             "until_pushed")),
        in_network(bytes("system.host.persistence.llc.capacity", "4608 KiB", 64, 64 << 20,
                         "the ways that devices may fill, whole lines of 64 B", "ATC 2020: 2 of 11 ways of 24.75 MB")),
        in_network(picoseconds("system.host.persistence.llc.latency", "24 ns", 0, kMicro,
                               "an evicted line's way to the iMC", "assumed")),
        in_network(choice("system.host.persistence.llc.evict", "lru", {"lru", "random", "never"},
                          "which line goes when it is full: the one written longest ago, or any; never: none, whatever "
                          "the capacity is",
                          "ATC 2021: out of order")),
        in_network(
            {"system.host.persistence.llc.dirty",
             Kind::boolean,
             "false",
             0,
             1,
             {},
             "a processor has written the SCM where data will go, and not flushed it: its lines are dirty in the "
             "LLC when the run begins",
             "-"}),
        in_network(picoseconds("system.host.persistence.flush.base", "80 ns", 0, kMs,
                               "processor: flush of lines from the LLC, fixed part", "FAST 2020: CLWB 62 ns")),
        in_network(
            picoseconds("system.host.persistence.flush.line", "8 ns", 0, kMs, "... and for each line", "assumed")),
        in_network(bytes("system.host.persistence.imc.capacity", "512 B", 64, 1 << 20,
                         "of the write queue that ADR saves, a module; whole lines of 64 B", "LENS, MICRO 2020")),
        in_network(picoseconds("system.host.persistence.imc.latency", "40 ns", 0, kMicro,
                               "from when a line's write to SCM begins until its place is free", "assumed")),
        in_network(memory_rate("system.host.persistence.scm.write", "2300 MB/s", "writes, a module",
                               "arXiv 1903.05714; six: 13.9 GB/s")),
        in_network(memory_rate("system.host.persistence.scm.read", "6600 MB/s", "reads, a module",
                               "arXiv 1903.05714; six: 39.4 GB/s")),
        in_network(number("system.host.persistence.scm.modules", "1", 1, 12, "whose places and rates add up", "-")),
        in_network(picoseconds("system.host.persistence.scm.read_latency", "305 ns", 0, kMs,
                               "a read until the first data", "arXiv 1903.05714")),
        in_network(one_of(Kind::bytes, "system.host.persistence.scm.line", "256 B",
                          {"64", "128", "256", "512", "1024", "2048", "4096"},
                          "what it reads and writes at least: a lone line of 64 B costs as much", "arXiv 1903.05714")),
        number("system.host.receive_ring", "64", 1, 512, "buffers of 2 KiB for ordinary frames", "assumed"),

        in_network(choice(
            "system.rnic.personality", "drp", personality_names(),
            "what the host has: a DRP RNIC, a MAC that sends ordinary frames at any rate, or a RoCEv2 RNIC", "-")),
        in_network(choice("system.rnic.profile", "none", profile_names(),
                          "what the keys of the host are that are not written: none = the defaults here", "-")),
        in_network(clock_period("system.rnic.clock", "of a RoCEv2 RNIC; its times are whole cycles", "GMII: 125 MHz")),
        picoseconds("system.rnic.gmac.tx_latency", "32 ns", 8 * kNs, 672 * kNs,
                    "frame given to the MAC to its first preamble byte", "derived: 4 cycles"),
        picoseconds("system.rnic.gmac.rx_latency", "16 ns", 0, kMs,
                    "last FCS byte to the frame handed on (store and forward)", "derived: 2 cycles"),
        time("system.rnic.gmac.interpacket_gap", "96 ns", 96 * kNs, 8000 * kNs, "gap between frames on the wire",
             "IEEE 802.3 4.4.2"),
        bytes("system.rnic.gmac.mtu", "1500 B", 46, kJumboMtu, "largest MAC client data; a DRP RNIC has at most 1500 B",
              "IEEE 802.3 3.2.7"),
        in_network(
            picoseconds("system.rnic.gmac.pause_reaction", "0 ns", 0, kMs,
                        "of a plain host or a RoCEv2 RNIC: from a pause frame until no frame of the class begins; "
                        "0 ns = the longest that the rate allows",
                        "IEEE 802.3 31B.3.7")),
        time("system.rnic.frame_filter.latency", "24 ns", 0, kMs, "frame handed in to classified", "derived: 3 cycles"),
        number("system.rnic.pcie.generation", "1", 1, 3, "1: 2.5 GT/s, 2: 5 GT/s, 3: 8 GT/s a lane",
               "BCM5718 class devices"),
        one_of(Kind::integer, "system.rnic.pcie.lanes", "1", {"1", "2", "4", "8", "16"}, "width of the link",
               "BCM5718 class devices"),
        one_of(Kind::bytes, "system.rnic.pcie.max_payload", "128 B", {"128", "256", "512", "1024", "2048", "4096"},
               "MPS: largest payload of a TLP", "PCIe 7.8.4"),
        one_of(Kind::bytes, "system.rnic.pcie.max_read_request", "512 B", {"128", "256", "512", "1024", "2048", "4096"},
               "MRRS: largest MRd", "PCIe 7.8.4"),
        one_of(Kind::bytes, "system.rnic.pcie.read_completion_boundary", "64 B", {"64", "128"},
               "RCB: where split completions may be cut", "PCIe 2.3.1.1"),
        number("system.rnic.pcie.tags", "32", 1, 256, "MRd outstanding at once", "PCIe 2.2.6.2"),
        picoseconds("system.rnic.pcie.latency", "152 ns", 8 * kNs, kMs,
                    "last byte of a TLP sent to acted upon, one way",
                    "derived: 64 B DMA read of about 550 ns (pcie-bench)"),
        picoseconds("system.rnic.pcie.request_overhead", "80 ns", 0, kMs, "set-up of one DMA request (not of a TLP)",
                    "assumed: 10 cycles"),
        in_network(one_of(Kind::bytes, "system.rnic.rc.pmtu", "1024 B", {"256", "512", "1024", "2048", "4096"},
                          "payload of every packet but the last; + 64 <= MTU", "IBTA vol. 1, 9.2")),
        in_network(
            number("system.rnic.rc.window", "8388608", 1, 8'388'608,
                   "PSNs of a QP outstanding, at most; 8388608: no bound but that of the numbers, as cards have it. "
                   "IRN bounds them by the bandwidth-delay product",
                   "IBTA vol. 1, 9.7.2: half of the PSNs")),
        in_network(number("system.rnic.rc.ack_interval", "16", 1, 4096,
                          "packets of a QP between two that ask for an ACK", "assumed")),
        in_network(choice("system.rnic.rc.retransmission", "go_back_n", rc::retransmission_names(),
                          "what a loss repeats", "VERBS.md V-C4")),
        in_network(choice("system.rnic.rc.acknowledgement", "coalesced", rc::acknowledgement_names(),
                          "whether a newer ACK replaces one that waits for the port", "VERBS.md V-S4")),
        in_network(choice("system.rnic.rc.congestion", "none", rc::congestion_control_names(),
                          "whether a QP slows down when a switch has marked its packets; both ends need it",
                          "VERBS.md V-D1")),
        in_network(Key{"system.rnic.rc.nak_cnp",
                       Kind::boolean,
                       "false",
                       0,
                       1,
                       {},
                       "dcqcn: a NAK of a gap brings a CNP, too",
                       "VERBS.md V-D6"}),
        in_network(picoseconds("system.rnic.rc.cnp_interval", "50 us", 0, 1000 * kMs,
                               "dcqcn: from a CNP of a QP to its next, at least", kZhu)),
        in_network(choice("system.rnic.rc.dcqcn.parameters", "paper", dcqcn_parameter_names(),
                          "whose values the keys below and cnp_interval have where they are not written",
                          "model/VERBS.md 7")),
        in_network(number("system.rnic.rc.dcqcn.g", "4", 1, 1023, "g, the weight of news in alpha, is n/1024",
                          "Zhu et al. 2015: 1/256")),
        in_network(
            number("system.rnic.rc.dcqcn.first_alpha", "1024", 1, 1024, "alpha at the first CNP is n/1024", kZhu)),
        in_network(choice("system.rnic.rc.dcqcn.alpha_update", "cnp", {"cnp", "period"},
                          "alpha grows with each CNP, or once each alpha_timer in which one came", kZhu)),
        in_network(picoseconds("system.rnic.rc.dcqcn.reduction_interval", "0 ns", 0, 1000 * kMs,
                               "the rate falls at the end of one in which a CNP came; 0: with each CNP", kZhu)),
        in_network(choice("system.rnic.rc.dcqcn.target_update", "reduction", {"reduction", "timer"},
                          "a reduction makes the rate the target: always, or only if rate_timer has raised it since",
                          kZhu)),
        in_network(picoseconds("system.rnic.rc.dcqcn.alpha_timer", "55 us", kMicro, 1000 * kMs,
                               "so long without a CNP, and alpha falls", kZhu)),
        in_network(picoseconds("system.rnic.rc.dcqcn.rate_timer", "55 us", kMicro, 1000 * kMs,
                               "the rate of a QP that was slowed down rises each time", kZhu)),
        in_network(bytes("system.rnic.rc.dcqcn.byte_counter", "10000000 B", 10'000, 1 << 30,
                         "... and each time so many bytes have been sent, as on the wire", kZhu)),
        in_network(number("system.rnic.rc.dcqcn.fast_recovery", "5", 1, 1000,
                          "F: so many events of a kind halve the way back", kZhu)),
        in_network(
            bit_rate("system.rnic.rc.dcqcn.additive_increase", "40 Mbps", 1000, "of each event after these", kZhu)),
        in_network(bit_rate("system.rnic.rc.dcqcn.hyper_increase", "400 Mbps", 1000,
                            "when there were more than F of both kinds", kZhu)),
        in_network(bit_rate("system.rnic.rc.dcqcn.least_rate", "100 Mbps", 1'000'000,
                            "a QP is never slower; at most the link's", "Zhu's ns-3 model: MinRate")),
        in_network(
            number("system.rnic.rc.max_rd_atomic", "4", 1, 128, "READs and atomics of a QP outstanding", "assumed")),
        in_network(bytes("system.rnic.rc.inline", "64 B", 0, 220,
                         "a payload of at most so many bytes travels in its WQE", "assumed")),
        in_network(number("system.rnic.rc.timeout", "14", 0, 31,
                          "4.096 us x 2^n without progress: sent again; 0: never",
                          "IBTA vol. 1, 9.7.6.1.3; 14 is usual")),
        in_network(number("system.rnic.rc.retry_cnt", "7", 0, 7, "tries after which a QP fails", "usual")),
        in_network(number("system.rnic.rc.min_rnr_timer", "12", 0, 31,
                          "code of the time that an RNR NAK asks to wait: 12 is 640 us", "usual")),
        in_network(number("system.rnic.rc.rnr_retry", "7", 0, 7, "the same after RNR NAKs; 7 = endless", "usual")),
        in_network(picoseconds("system.rnic.rc.packet_interval", "64 ns", 0, kMs,
                               "from a decision about a packet to the next, each way", "derived: 8 cycles")),
        in_network(
            picoseconds("system.rnic.rc.qp_interval", "64 ns", 0, kMs, "from a WQE of a QP to its next", "assumed")),
        in_network(picoseconds("system.rnic.rc.tx_path", "64 ns", 0, kMs, "packet with its payload to MAC", "assumed")),
        in_network(
            picoseconds("system.rnic.rc.rx_path", "88 ns", 0, kMs, "MAC to the decision about a packet", "assumed")),
        in_network(
            choice("system.rnic.rc.mode", "store_and_forward", {"store_and_forward", "cut_through"},
                   "cut_through: a payload is on the wire while its rest comes from memory, and on its way to memory "
                   "while its rest comes from the wire; the last TLP waits for FCS and ICRC",
                   "model/rnic/rc/README.md, \"Times\"")),
        in_network(
            picoseconds("system.rnic.rc.loopback", "88 ns", 0, kMs,
                        "a frame to the card's own host: its last byte has left at the port's rate, until it has "
                        "come as one from the MAC",
                        "assumed")),
        in_network(picoseconds("system.rnic.rc.atomic_busy", "64 ns", 0, kMs,
                               "the atomic unit rests so long after each answer", "assumed")),
        in_network(
            choice("system.rnic.rc.atomic_order", "card", {"card", "address"},
                   "which atomics wait for each other: all of a card, as those of early ones, or those of a word",
                   "VERBS.md V-S8")),
        in_network(bytes("system.rnic.rc.cache", "64 KiB", 6144, 1 << 30,
                         "on-chip memory for contexts of QPs and CQs, regions and page tables: sets of 6144 B; the "
                         "rest is read by DMA",
                         "assumed")),
        in_network(number("system.rnic.rc.cache_misses", "1", 1, 256, "such reads at once", "assumed")),
        in_network(number("system.rnic.rc.pm.outstanding", "1", 1, 16, "flush reads at once", "VERBS.md V-P2")),
        in_network(number("system.rnic.rc.pm.capacity", "64", 1, 4096,
                          "FLUSHes and WRITE_PERSISTs that are not durable yet; while there are so many the next one "
                          "waits, and what is behind it",
                          "assumed")),
        in_network({"system.rnic.rc.pm.coalesce",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "one flush read for all that was written before it",
                    "VERBS.md V-P2"}),
        in_network({"system.rnic.rc.pm.read_bypass",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "the flush read does not wait for the last bytes: wrong, to see it",
                    "VERBS.md V-P2"}),
        in_network({"system.rnic.rc.pm.data_no_snoop",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "payload goes to memory with the attribute NS, which keeps it out of the LLC where the root port "
                    "minds it (host.persistence.no_snoop_write)",
                    "PCIe base specification 2.2.6.5"}),
        in_network({"system.rnic.rc.pm.flush_no_snoop",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "the flush read has NS: it changes nothing, as it writes nothing",
                    "patent, S906"}),
        in_network({"system.rnic.rc.pm.relaxed_data",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "payload goes to memory with relaxed ordering: later writes may pass it",
                    "PCIe base specification 2.4.1"}),
        in_network({"system.rnic.rc.pm.relaxed_cqe",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "CQEs go to memory with relaxed ordering: they may pass payload",
                    "PCIe base specification 2.4.1"}),
        in_network(number("system.rnic.rc.pm.flush_class", "0", 0, 7,
                          "traffic class of the flush read; payload has 0, and is passed by another class",
                          "PCIe base specification 2.4.1")),
        in_network(choice("system.rnic.rc.pm.flush_target", "dram", {"dram", "same_line"},
                          "what a flush read reads: a line of DRAM, or the one that was written last", "assumed")),
        in_network(number("system.rnic.rc.pm.hold", "64", 0, 4096,
                          "scheme fig11: persist ACKs of a QP that may wait for a receive WQE; others are dropped",
                          "VERBS.md V-P7")),
        in_network(picoseconds("system.rnic.rc.pm.timer", "100 us", 0, 1000 * kMs,
                               "a WRITE_PERSIST with an ACK and no PACK is repeated; 0 ns: never", "VERBS.md V-P4")),
        in_network(bytes("system.rnic.rc.tx_buffer", "22 KiB", 1518, 64 << 20, "frames between decision and wire",
                         "BCM5718: 22 KiB transmit memory")),
        in_network(bytes("system.rnic.rc.rx_buffer", "40 KiB", 1518, 64 << 20,
                         "frames between wire and DMA; one that finds no room is lost",
                         "BCM5718: 40 KiB receive memory")),
        choice("system.rnic.transport.method", "dynamic",
               {method_name(Method::traditional), method_name(Method::dynamic)},
               "direct transfers only, or indirect ones, too; run.methods sets it where a host has none of its own",
               "PROTOCOL.md 1.6"),
        bytes("system.rnic.transport.segment", "1024 B", 1, 1468,
              "payload of every data frame but the last; + 32 <= MTU", "paper 4.1"),
        number("system.rnic.transport.window", "8", 1, 64, "data frames outstanding", "paper 2.1"),
        in_network(choice("system.rnic.transport.window_rule", "fixed", window_rule_names(),
                          "how much of the window is used: all, or additive increase, multiplicative decrease",
                          "PROTOCOL.md 4.1")),
        choice("system.rnic.transport.retransmission", "selective_repeat", retransmission_names(),
               "what a loss repeats, and whether frames out of order are kept", "PROTOCOL.md 4.4"),
        number("system.rnic.transport.duplicate_acks", "3", 0, 255,
               "fast retransmission on this duplicate acknowledgement; 0 = off", "RFC 5681"),
        choice("system.rnic.transport.acknowledgement", "each", acknowledgement_names(),
               "which data frames are acknowledged at once: each, or every second one and those that matter",
               "PROTOCOL.md 4.2"),
        choice("system.rnic.transport.buffer_admission", "any", buffer_admission_names(),
               "which early data gets a slot of the indirect buffer: any, only the next in order, or at most "
               "buffer_quota of each initiator",
               "PROTOCOL.md 6.4"),
        in_network(number("system.rnic.transport.buffer_quota", "8", 1, 65536,
                          "per_initiator: frames of one initiator in the indirect buffer", "assumed: a window")),
        time("system.rnic.transport.request_timer", "2.4 ms", 8 * kNs, 10 * kSecondInNs, "REQ to the next REQ",
             "calibrated to figure 6"),
        time("system.rnic.transport.data_timer", "0.5 ms", 8 * kNs, 10 * kSecondInNs, "no progress to retransmission",
             "calibrated to figure 6"),
        in_network(choice("system.rnic.transport.data_timer_rule", "fixed", data_timer_rule_names(),
                          "data_timer as it stands, or longer where round trips are: smoothed, doubled by each expiry",
                          "PROTOCOL.md 4.7")),
        time("system.rnic.transport.release_timer", "0.5 ms", 8 * kNs, 10 * kSecondInNs,
             "REL to the next REL; a lost REL_ACK fails a write where more than table_entries others are released "
             "meanwhile",
             "as data_timer"),
        time("system.rnic.transport.idle_timeout", "100 ms", 8 * kNs, 1000 * kSecondInNs,
             "responder: silence until a transfer is given up; longer than the other end tries "
             "(PROTOCOL.md 10.2)",
             "assumed"),
        number("system.rnic.transport.max_requests", "16", 1, 65535,
               "REQ sent until a transfer fails; REQ_ACKs of a read", "assumed"),
        number("system.rnic.transport.max_retransmissions", "16", 1, 65535,
               "data or release timers without progress until a transfer fails", "assumed"),
        choice("system.rnic.transport.mode_choice", "paper", mode_choice_names(),
               "what makes a dynamic RNIC send indirectly: a refusal or silence, or a refusal only", "PROTOCOL.md 5.2"),
        number("system.rnic.transport.indirect_after_timeouts", "2", 1, 65535,
               "dynamic: expiry of the request timer at which data goes indirect", "paper 1.3"),
        {"system.rnic.transport.resume_on_valid_ack",
         Kind::boolean,
         "true",
         0,
         1,
         {},
         "a stalled indirect window resumes on the valid REQ_ACK, not at the data timer",
         "PROTOCOL.md 6.8"},
        in_network(choice("system.rnic.transport.resume_rule", "window_full", resume_rule_names(),
                          "what tells that it is stalled: nothing more may be sent, or also that the REQ_ACK says that "
                          "frames were refused",
                          "PROTOCOL.md 6.8")),
        in_network({"system.rnic.transport.busy_answer",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "a REQ that finds the table full is answered, and its initiator does not go indirect",
                    "PROTOCOL.md 3.23"}),
        {"system.rnic.transport.bulk_drain",
         Kind::boolean,
         "true",
         0,
         1,
         {},
         "the indirect buffer goes to memory in one DMA request; false: one a frame, to see what that is worth",
         "paper 4.3"},
        number("system.rnic.transport.table_entries", "64", 1, 1024, "transfers in the connection table",
               "PROTOCOL.md 3.21"),
        bytes("system.rnic.transport.indirect_buffer", "48 KiB", 0, 64 << 20,
              "dynamic: buffer for early data; 0 B = none, else at least a segment", "paper, table 2"),
        bytes("system.rnic.transport.tx_buffer", "22 KiB", 1518, 64 << 20, "frames between DMA and wire",
              "BCM5718: 22 KiB transmit memory"),
        bytes("system.rnic.transport.rx_buffer", "40 KiB", 1518, 64 << 20,
              "data frames between wire and DMA, until they have left; one that finds no room is lost",
              "BCM5718: 40 KiB receive memory"),
        probability("system.rnic.transport.ordinary_share", "25 %",
                    "of the frames sent while both data and ordinary frames wait", "assumed"),
        time("system.rnic.transport.decision", "64 ns", 8 * kNs, kMs,
             "one decision of the transport controller; it makes one at a time", "derived: 8 cycles of the RTL"),
        time("system.rnic.queues.latency", "32 ns", 8 * kNs, kMs,
             "ordinary frame, status or completion in hand to DMA request or transmit queue", "derived: 4 cycles"),

        choice(kRnicBlocks, "model", {"model", "rtl"}, blocks_not_named(), "-"),
#define RNICSIM_BLOCK(name, meaning) choice("simulation." #name, "model", block_choices(Block::name), meaning, "-"),
#include "model/rnic/drp/block_list.inc"
        number("simulation.seed", "1", 0, std::numeric_limits<std::int64_t>::max(), "seed of all random draws", "-"),
        time("simulation.watchdog", "1 s", 8 * kNs, 2000 * kSecondInNs,
             "simulated time without progress (payload in memory, an ended transfer) after which a run is stopped; "
             "longer than any timer; what link and hosts hold back, and what a transfer's tries may take, come on top",
             "-"),

        operation(),
        choice("run.direction", "a_to_b", {"a_to_b", "b_to_a", "both"}, "which end initiates", "paper 4.1"),
        in_network(
            choice("run.pairs", "all", pairs_words(),
                   "whom each initiator asks: all of `to` in turn, the next of `from`, its parent in a tree, the "
                   "one of `to` opposite, or one of `to` that each repetition draws, each another one",
                   "-")),
        bytes("run.size", "128 KiB", 1, 16 << 20, "bytes of a transfer; 8 B or more beside a scheme", "paper 4.1"),
        in_network({"run.sizes",
                    Kind::bytes_list,
                    "[]",
                    1,
                    16 << 20,
                    {},
                    "verbs, in place of `size`: each message has one of these, drawn; atomics have 8 B; empty = `size`",
                    "as a program with small and large messages"}),
        number("run.transfers", "800", 1, 10 * kMillion,
               "transfers of each initiating end, in one repetition; of verbs: messages of each connection",
               "paper 4.1"),
        number("run.in_flight", "1", 1, 64, "transfers of one initiator at once", "paper 4.1: one after another"),
        in_network(time("run.think", "0 ns", 0, 100 * kSecondInNs,
                        "from the end of a transfer to the next request: mean, exponential", "-")),
        in_network(time("run.start", "0 ns", 0, 100 * kSecondInNs, "of the first request", "-")),
        in_network(time("run.stagger", "0 ns", 0, kSecondInNs, "the i-th initiator starts i times so much later", "-")),
        in_network(with_word(
            time("run.random_start", "auto", 0, kSecondInNs,
                 "each initiator starts up to so much later, drawn uniformly in each repetition: with 0 ns those that "
                 "start together may stay in step. auto: the time of one transfer where the item has several "
                 "initiators, 0 ns where it has one",
                 "assumed, out of step by up to a transfer: `size`, or the largest of `sizes`, x 8 / the `rate` of the "
                 "slowest of the initiators' links, rounded up to 8 ns"),
            "auto")),
        in_network(
            {"run.pace",
             Kind::bit_rate,
             "0 Gbps",
             0,
             100'000'000'000,
             {},
             "of the bytes that an initiator asks for at most, by the time of each request; frames of plain hosts "
             "count as on the wire, with preamble and gap; 0 Gbps = no limit",
             "-"}),
        in_network(number(
            "run.dscp", "26", 0, 63,
            "messages of verbs: DSCP of their packets, both ways; switches take the upper three bits as the class",
            "usual: class 3")),
        in_network(number("run.class", "0", 0, 7, "frames of plain hosts: traffic class, in the DSCP", "RFC 2474")),
        in_network({"run.ecn",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "frames of plain hosts: a switch may mark them (ECT)",
                    "RFC 3168"}),
        in_network(choice("run.service", "rc", {"rc", "uc", "ud"},
                          "verbs: reliable connections; unreliable ones, SEND and WRITE; datagrams, SEND of at most a "
                          "PMTU. Without answers a sample ends when the card has sent it, and is lost if it does not "
                          "come",
                          "IBTA vol. 1, 9.2")),
        in_network(
            choice("run.pattern", "stream", {"stream", "ping_pong"},
                   "verbs: up to `depth` messages are outstanding, or they go in turn from both ends and a sample "
                   "is half a round; READs and atomics one at a time, a round",
                   "as perftest")),
        in_network(number("run.depth", "16", 1, 4096, "verbs, stream: messages of a connection outstanding", "-")),
        in_network(number("run.outstanding", "0", 0, 4096,
                          "verbs, stream: ... and of all connections of an initiator, which then take turns, a message "
                          "each; 0: each goes by itself",
                          "as a program that spreads its requests")),
        in_network(number("run.connections", "1", 1, 16384, "verbs: QPs of each pair of hosts", "-")),
        in_network(choice("run.regions", "connection", {"connection", "host"},
                          "verbs: a memory region for each end of a connection, or one for all of a host",
                          "as perftest --mr_per_qp, and without")),
        in_network(number("run.signal_every", "1", 1, 4096, "verbs, stream: messages to a completion", "-")),
        in_network(choice("run.scheme", "none", {kPersistSchemes.begin(), kPersistSchemes.end()},
                          "verbs: data are made durable at the responder, and how the initiator gets to know: a sample "
                          "ends then. none: plain messages",
                          "patent (../scenarios/README.md); librpma")),
        in_network(choice("run.mark", "opcode", {"opcode", "range"},
                          "fig10, fig11: what makes a WRITE a WRITE_PERSIST: opcodes of its own, or its region",
                          "VERBS.md V-P1")),
        in_network(number("run.acks", "1", 1, 2, "fig10: with 2 the reception is acknowledged as well; fig11 has two",
                          "VERBS.md V-P3")),
        in_network(choice("run.pack", "opcode", {"opcode", "psn_only"},
                          "fig10, fig11: what says that data are durable: an opcode of its own, or the second ACK of "
                          "a PSN",
                          "VERBS.md V-P3")),
        in_network(
            choice("run.receives_ahead", "both", {"both", "initiator", "responder"},
                   "fig3, fig11, gpspm: which ends have receive WQEs posted before the first item, for all items "
                   "outstanding and two batches; one that is taken is posted again. fig11's initiator posts one "
                   "when an item is received, whether it has some or not",
                   "assumed")),
        in_network(choice("run.behind", "nothing", {"nothing", "write"},
                          "fig10: what is posted behind each item, by the same doorbell. write: a plain WRITE of 16 B, "
                          "whose ACK stands for all before it",
                          "IBTA 9.7.5.1.2: ACKs are cumulative")),
        in_network({"run.unsafe",
                    Kind::boolean,
                    "false",
                    0,
                    1,
                    {},
                    "a scheme is run where what it tells does not hold: the run ends with exit code 1 if that shows",
                    "../scenarios/README.md"}),
        number("run.repetitions", "5", 1, 1000, "runs of each point, each with draws of its own", "paper 4.1"),
        share_of_mix("run.mix.write"),
        share_of_mix("run.mix.write_imm"),
        share_of_mix("run.mix.send"),
        share_of_mix("run.mix.send_imm"),
        share_of_mix("run.mix.read"),
        share_of_mix("run.mix.compare_swap"),
        share_of_mix("run.mix.fetch_add"),
    };
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

bool starts_with_section(std::string_view path, std::string_view section) {
    return path.size() > section.size() && path.starts_with(section) && path[section.size()] == '.';
}

}  // namespace

std::span<const Key> all_keys() {
    static const std::vector<Key> kKeys = declare();
    return kKeys;
}

Owner owner_of(std::string_view common) {
    constexpr std::array<std::string_view, 28> kTraffic{
        "operation",      "pairs",        "size",  "transfers",   "in_flight", "think", "start",       "stagger",
        "pace",           "class",        "ecn",   "service",     "pattern",   "depth", "outstanding", "connections",
        "regions",        "signal_every", "sizes", "scheme",      "mark",      "acks",  "pack",        "behind",
        "receives_ahead", "unsafe",       "dscp",  "random_start"};
    if (common.starts_with("system.host.") || common.starts_with("system.rnic.") || common == "system.hosts.*.count")
        return Owner::host;
    if (common.starts_with("system.switch.")) return Owner::network_switch;
    if (common.starts_with("system.link.")) return Owner::link;
    if (!common.starts_with("run.")) return Owner::run;
    const std::string_view key = common.substr(4);
    if (key.starts_with("mix.")) return Owner::traffic;
    return std::ranges::find(kTraffic, key) != kTraffic.end() ? Owner::traffic : Owner::run;
}

std::optional<ItemPath> item_path(std::string_view path) {
    constexpr std::array<std::pair<std::string_view, Owner>, 4> kSections{{{"system.hosts.", Owner::host},
                                                                           {"system.switches.", Owner::network_switch},
                                                                           {"system.links.", Owner::link},
                                                                           {"run.traffic.", Owner::traffic}}};
    for (const auto& [section, owner] : kSections) {
        if (!path.starts_with(section)) continue;
        const std::size_t end = std::min(path.find('.', section.size()), path.size());
        if (end == section.size()) return std::nullopt;
        return ItemPath{owner, path.substr(0, end), path.substr(section.size(), end - section.size()),
                        path.substr(end)};
    }
    return std::nullopt;
}

std::string path_in(std::string_view level, std::string_view common) {
    const auto item = item_path(level);
    if (!item) return path_of_end(common, level);
    if (owner_of(common) != item->owner) return std::string(common);
    if (common == "system.hosts.*.count") return std::string(level) + ".count";
    const std::size_t section = item->owner == Owner::traffic || item->owner == Owner::host
                                    ? common.find('.')
                                    : common.find('.', common.find('.') + 1);
    return std::string(level) + std::string(common.substr(section));
}

std::string common_path(std::string_view path) {
    if (const auto item = item_path(path)) {
        if (item->owner == Owner::host && item->rest == ".count") return "system.hosts.*.count";
        switch (item->owner) {
            case Owner::host: return "system" + std::string(item->rest);
            case Owner::network_switch: return "system.switch" + std::string(item->rest);
            case Owner::link: return "system.link" + std::string(item->rest);
            case Owner::traffic:
            case Owner::run: return "run" + std::string(item->rest);
        }
    }
    for (const std::string_view section : {"system.", "simulation."}) {
        if (!path.starts_with(section) || path.size() == section.size()) continue;
        const std::string_view rest = path.substr(section.size());
        if (rest[0] != 'a' && rest[0] != 'b') continue;
        if (rest.size() == 1) return std::string(section.substr(0, section.size() - 1));
        if (rest[1] == '.') return std::string(section) + std::string(rest.substr(2));
    }
    return std::string(path);
}

std::string path_of_end(std::string_view common, std::string_view end) {
    if (!may_differ_by_end(common)) return std::string(common);
    const std::size_t dot = common.find('.');
    return std::string(common.substr(0, dot + 1)) + std::string(end) + std::string(common.substr(dot));
}

bool may_differ_by_end(std::string_view common) {
    if (common.starts_with("system.host.") || common.starts_with("system.rnic.")) return true;
    return is_block_key(common);
}

bool is_block_key(std::string_view common) {
    if (common == kRnicBlocks) return true;
    return common.starts_with(kSimulation) &&
           std::ranges::find(kBlockNames, common.substr(kSimulation.size())) != kBlockNames.end();
}

std::string block_key(Block block) {
    return std::string(kSimulation) + std::string(kBlockNames[static_cast<std::size_t>(block)]);
}

std::string mix_key(rc::Verb verb) { return "run.mix." + std::string(rc::verb_name(verb)); }

const Key* find_key(std::string_view path) {
    const std::string common = common_path(path);
    const auto item = item_path(path);
    if (item && owner_of(common) != item->owner) return nullptr;
    if (!item && common != path && !may_differ_by_end(common)) return nullptr;
    const auto found = std::ranges::find(all_keys(), common, &Key::path);
    return found == all_keys().end() ? nullptr : &*found;
}

bool is_section(std::string_view path) { return !members_of(path).empty(); }

std::vector<std::string> members_of(std::string_view section) {
    std::vector<std::string> members;
    if (section == "system.hosts") return members;  // names of one's own
    const std::string common = common_path(section);
    const auto item = item_path(section);
    const bool of_an_end = common != section && !item;
    const bool all_of_hosts = item && item->owner == Owner::host && item->rest.empty();
    if (all_of_hosts) members.emplace_back("count");
    for (const Key& key : all_keys()) {
        if (!common.empty() && !starts_with_section(key.path, common)) continue;
        if (of_an_end && !may_differ_by_end(key.path)) continue;
        if (item && (owner_of(key.path) != item->owner || key.path == "system.hosts.*.count")) continue;
        const std::size_t start = common.empty() ? 0 : common.size() + 1;
        const std::string_view rest = key.path.substr(start);
        std::string member(rest.substr(0, rest.find('.')));
        if (std::ranges::find(members, member) == members.end()) members.push_back(std::move(member));
    }
    if (section == "system" || section == "simulation") members.insert(members.end(), {"a", "b"});
    if (section == "system") members.insert(members.end(), {"switches", "links"});
    if (section == "run")
        members.insert(members.end(), {"methods", "variants", "compare", "sweep", "reference", "traffic"});
    return members;
}

std::string nearest(std::string_view wrong, std::span<const std::string> candidates) {
    std::string best;
    std::size_t best_distance = wrong.size() / 2 + 2;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wrong, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace rnicsim
