// SPDX-License-Identifier: Apache-2.0
// Each kind of bad input, with its whole message: place, path, what was found, what was expected, nearest word.
#include <catch2/catch_test_macros.hpp>

#include "testbench/tests/scenario/scenario_file.h"

namespace rnicsim {
namespace {

TEST_CASE("an unknown key names the nearest one", "[scenario]") {
    CHECK(rejection("system:\n  link:\n    los: 1 %\n") ==
          "FILE:3:5: system.link.los: unknown key; did you mean 'loss'?");
    CHECK(rejection("sistem: {}\n") == "FILE:1:1: sistem: unknown key; did you mean 'system'?");
    CHECK(rejection("system:\n  a:\n    link: {loss: 1 %}\n") ==
          "FILE:3:5: system.a.link: unknown key, expected one of rnic, host");
    CHECK(rejection("run: {xyzzyplugh: 1}\n") ==
          "FILE:1:7: run.xyzzyplugh: unknown key, expected one of operation, pairs, size, sizes, transfers, in_flight, "
          "think, start, stagger, random_start, pace, dscp, class, ecn, service, pattern, depth, outstanding, "
          "connections, regions, signal_every, scheme, mark, acks, pack, receives_ahead, read_back, behind, "
          "region_table, unsafe, mix, application, echo, kv, plasma, rpc, fifo, smc, tensor, allreduce, "
          "documents, blocks, nts, direction, repetitions, "
          "methods, variants, compare, sweep, reference, traffic");
}

TEST_CASE("a section where a value belongs, and the other way round", "[scenario]") {
    CHECK(rejection("system:\n  link:\n    loss: {x: 1}\n") ==
          "FILE:3:11: system.link.loss: found a section, expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(rejection("system: {link: 3}\n") == "FILE:1:16: system.link: found '3', expected a section of keys");
    CHECK(rejection("run: {size: [1, 2]}\n") ==
          "FILE:1:13: run.size: found a list, expected a number of bytes with a unit (B, KiB, MiB), such as 128 KiB");
}

TEST_CASE("gains that belong to no point", "[scenario]") {
    const std::string gains = "  reference: {source: somebody, gains: [";
    CHECK(rejection("run:\n" + gains + "{nonsense: 5 %, gain: 1 %}]}\n") ==
          "FILE:2:41: run.reference.gains: 'nonsense' is no axis of run.sweep");
    CHECK(rejection("run:\n" + gains + "{gain: 1 %}]}\n").empty());
    CHECK(rejection("run:\n" + gains + "{gain: 1 %}, {gain: 2 %}]}\n").find("run.reference.gains") !=
          std::string::npos);
    const std::string swept = "run:\n  sweep: [{name: LFP, keys: [system.link.loss], values: [0 %, 1 %]}]\n" + gains;
    CHECK(rejection(swept + "{LFP: 1 %, gain: 1 %}]}\n", {{"run.sweep", "null"}}).empty());
    CHECK(rejection(swept + "{LFP: 2 %, gain: 1 %}]}\n", {{"run.sweep", "null"}}) ==
          "FILE:3:41: run.reference.gains: '2 %' is not among the values of axis 'LFP'");
}

TEST_CASE("a tab is named in the message", "[scenario]") {
    CHECK(rejection("system:\n\tlink: {loss: 1 %}\n") ==
          "FILE:2:1: not YAML: a tab in the indentation, expected blanks");
    CHECK(rejection("system:\n  link:\n  \tloss: 1 %\n") ==
          "FILE:3:3: not YAML: a tab in the indentation, expected blanks");
    CHECK(rejection("system:\n  link: {loss:\t1 %}\t# well\n").empty());
    CHECK(rejection("system:\n  link: {loss: 1 %\n").find("tab") == std::string::npos);
}

TEST_CASE("a missing or wrong unit", "[scenario]") {
    CHECK(rejection("system: {link: {delay: 40}}\n") ==
          "FILE:1:24: system.link.delay: found '40', expected a time with a unit, such as 40 ns");
    CHECK(rejection("run: {size: 128}\n") ==
          "FILE:1:13: run.size: found '128', expected a number of bytes with a unit (B, KiB, MiB), such as 128 KiB");
    CHECK(
        rejection("system: {host: {memory: {bandwidth: 5 MiB}}}\n") ==
        "FILE:1:37: system.host.memory.bandwidth: found '5 MiB', expected a rate with a unit (KB/s, MB/s, GB/s), such "
        "as 1600 MB/s");
    CHECK(rejection("system: {link: {loss: 0.05}}\n") ==
          "FILE:1:23: system.link.loss: found '0.05', expected a probability from 0 % to 100 %, such as 5 %");
}

TEST_CASE("a time that is no whole number of cycles names its neighbours", "[scenario]") {
    CHECK(rejection("system: {host: {memory: {latency: 25 ns}}}\n") ==
          "FILE:1:35: system.host.memory.latency: found '25 ns', expected a whole number of 8 ns cycles, such as 24 ns "
          "or 32 ns");
    CHECK(rejection("system: {host: {memory: {latency: 4 ns}}}\n") ==
          "FILE:1:35: system.host.memory.latency: found '4 ns', expected 8 ns to 1 ms");
    CHECK(rejection("system: {link: {delay: 25.001 ns}}\n").empty());
    CHECK(rejection("system: {link: {delay: 8000.5 ps}}\n") ==
          "FILE:1:24: system.link.delay: found '8000.5 ps', expected a whole number of picoseconds, such as 40 ns");
    CHECK(rejection("system: {link: {delay: 1000000000 s}}\n") ==
          "FILE:1:24: system.link.delay: found '1000000000 s', expected 8 ns to 10 ms");
    CHECK(rejection("system: {link: {delay: 7999 ps}}\n") ==
          "FILE:1:24: system.link.delay: found '7999 ps', expected 8 ns to 10 ms");
}

TEST_CASE("a value that both ends override has no effect", "[scenario]") {
    CHECK(
        rejection("system: {host: {receive_ring: 8}, a: {host: {receive_ring: 9}}, b: {host: {receive_ring: 7}}}\n") ==
        "FILE:1:31: system.host.receive_ring: has no effect, both ends have a value of their own; expected it or one "
        "of "
        "them");
}

TEST_CASE("a probability outside 0 .. 100 %", "[scenario]") {
    CHECK(rejection("system: {link: {loss: 101 %}}\n") ==
          "FILE:1:23: system.link.loss: found '101 %', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(rejection("system: {link: {loss: -1 %}}\n") ==
          "FILE:1:23: system.link.loss: found '-1 %', expected a probability from 0 % to 100 %, such as 5 %");
}

TEST_CASE("a number out of range", "[scenario]") {
    CHECK(rejection("system: {rnic: {drp: {window: 0}}}\n") ==
          "FILE:1:31: system.rnic.drp.window: found '0', expected 1 to 64");
    CHECK(rejection("run: {size: 0 B}\n") == "FILE:1:13: run.size: found '0 B', expected 1 B to 16 MiB");
    CHECK(rejection("run: {transfers: many}\n") ==
          "FILE:1:18: run.transfers: found 'many', expected a whole number, such as 800");
    CHECK(rejection("system: {rnic: {pcie: {lanes: 3}}}\n") ==
          "FILE:1:31: system.rnic.pcie.lanes: found '3', expected 1, 2, 4, 8 or 16");
    CHECK(rejection("system: {rnic: {pcie: {max_payload: 100 B}}}\n") ==
          "FILE:1:37: system.rnic.pcie.max_payload: found '100 B', expected 128, 256, 512, 1024, 2048 or 4096 B");
}

TEST_CASE("an unknown policy name", "[scenario]") {
    CHECK(rejection("system: {host: {registration: {retry: when_relased}}}\n") ==
          "FILE:1:39: system.host.registration.retry: found 'when_relased', expected on_request, when_released or "
          "back_off; "
          "did you "
          "mean 'when_released'?");
    CHECK(rejection("run: {methods: [dynmic]}\n") ==
          "FILE:1:16: run.methods: found 'dynmic', expected traditional or dynamic; did you mean 'dynamic'?");
}

TEST_CASE("rules across keys: segment, indirect buffer, timers", "[scenario]") {
    CHECK(rejection("system: {rnic: {drp: {segment: 1468 B}}}\n").empty());
    CHECK(rejection("system: {rnic: {gmac: {mtu: 1000 B}, drp: {segment: 969 B}}}\n") ==
          "FILE:1:53: system.rnic.drp.segment: found '969 B', expected at most the MTU less 32 bytes of header: "
          "968 B");
    CHECK(rejection("system: {rnic: {gmac: {mtu: 1000 B}}}\n") ==
          "FILE:1:29: system.rnic.drp.segment: found '1 KiB', expected at most the MTU less 32 bytes of header: "
          "968 "
          "B");
    CHECK(rejection("system: {rnic: {drp: {segment: 1500 B}}}\n") ==
          "FILE:1:32: system.rnic.drp.segment: found '1500 B', expected 1 B to 1468 B");
    CHECK(rejection("system: {rnic: {drp: {indirect_buffer: 1023 B}}}\n") ==
          "FILE:1:40: system.rnic.drp.indirect_buffer: found '1023 B', expected 0 B or at least one segment, in "
          "words of 8 bytes: 1024 B");
    // A buffer for the bytes of one segment, but not for its words, holds none (PROTOCOL.md 6.5).
    CHECK(rejection("system: {rnic: {drp: {segment: 1001 B, indirect_buffer: 1007 B}}}\n") ==
          "FILE:1:57: system.rnic.drp.indirect_buffer: found '1007 B', expected 0 B or at least one segment, in "
          "words of 8 bytes: 1008 B");
    CHECK(rejection("system: {rnic: {drp: {segment: 1001 B, indirect_buffer: 1008 B}}}\n").empty());
    CHECK(rejection("system: {b: {rnic: {drp: {idle_timeout: 38.4 ms}}}}\n") ==
          "FILE:1:41: system.b.rnic.drp.idle_timeout: found '38.4 ms', expected longer than the other end tries: "
          "max_requests x request_timer, each found 576 ns late at most, and the link both ways: 38409.296 us");
    CHECK(rejection("system: {rnic: {drp: {data_timer: 6 ms}}}\n") ==
          "FILE:1:35: system.rnic.drp.idle_timeout: found '100 ms', expected longer than the other end tries: "
          "(max_retransmissions + 1) x data_timer, each found 576 ns late at most, and the link both ways: "
          "102009.872 us");
    CHECK(
        rejection("system: {rnic: {drp: {release_timer: 6 ms}}}\n").find("(max_retransmissions + 1) x release_timer") !=
        std::string::npos);
    // The link, with all that makes a frame late, counts twice: what was accepted ended in a false alarm.
    CHECK(rejection("system: {link: {delay: 2 ms}, rnic: {drp: {request_timer: 4 us, data_timer: 4 us, "
                    "release_timer: 4 us, idle_timeout: 201 us}}}\n")
              .find("and the link both ways: 4077.792 us") != std::string::npos);
    CHECK(rejection("system: {link: {jitter: 5 ms, delay_variation: 1 %, lateness: 8 ns, reordering: 1 %}, rnic: "
                    "{drp: {request_timer: 4 us, data_timer: 4 us, release_timer: 4 us, idle_timeout: 10 ms}}}\n")
              .find("and the link both ways: 10077.888 us") != std::string::npos);
    CHECK(rejection("system: {rnic: {drp: {request_timer: 4 us, "
                    "data_timer: 4 us, release_timer: 4 us, idle_timeout: 10 ms}}}\n")
              .empty());
    // Every try takes a lap of the scanner more.
    CHECK(rejection("system: {rnic: {drp: {table_entries: 1024, request_timer: 1 us, data_timer: 0.8 us, "
                    "release_timer: 0.8 us, idle_timeout: 16.008 us}}}\n")
              .find("(max_retransmissions + 1) x data_timer, each found 8.256 us late at most") != std::string::npos);
    // TIDs that come round while the responder remembers the first of them.
    CHECK(rejection("system: {rnic: {drp: {idle_timeout: 1 s}}}\nsimulation: {watchdog: 2 s}\n"
                    "run: {transfers: 65536, size: 1 KiB}\n")
              .empty());
    CHECK(
        rejection("system: {rnic: {drp: {idle_timeout: 1 s}}}\nsimulation: {watchdog: 2 s}\n"
                  "run: {transfers: 65537, size: 1 KiB}\n")
            .find("expected with more than 65,536 transfers at most half the time in which their TIDs come round: ") !=
        std::string::npos);
    CHECK(rejection("system: {rnic: {drp: {idle_timeout: 1000 s}}}\nsimulation: {watchdog: 2000 s}\n").empty());
    CHECK(rejection("simulation: {watchdog: 100 ms}\n") ==
          "FILE:1:24: simulation.watchdog: found '100 ms', expected longer than every timer, as late as it "
          "can be found: 100000.576 us");
    CHECK(rejection("system: {a: {rnic: {drp: {idle_timeout: 1.2 s}}}, b: {rnic: {drp: {decision: 1 ms, "
                    "idle_timeout: 2 s}}}}\nsimulation: {watchdog: 2.06 s}\nrun: {in_flight: 64}\n")
              .ends_with("expected longer than every timer, as late as it can be found: 2064000.512 us"));
    CHECK(rejection("system: {rnic: {drp: {idle_timeout: 40 ms}}, b: {host: {registration: {failure: 1 %, "
                    "retry_interval: 60 ms}}}}\n"
                    "simulation: {watchdog: 50 ms}\n")
              .ends_with("simulation.watchdog: found '50 ms', expected longer than "
                         "system.host.registration.retry_interval: 60 ms"));
    CHECK(rejection("system: {host: {ping: {sizes: [1500 B]}}, a: {rnic: {gmac: {mtu: 1400 B}}}}\n") ==
          "FILE:1:31: system.host.ping.sizes: found 1500 B, expected at most the MTU: 1400 B");
    CHECK(rejection("system: {host: {bridge: {bandwidth: 999 KB/s}}}\n") ==
          "FILE:1:37: system.host.bridge.bandwidth: found '999 KB/s', expected 0 MB/s or at least 1 MB/s");
    CHECK(rejection("system: {host: {registration: {pool: {size: 64 KiB}}}}\n") ==
          "FILE:1:45: system.host.registration.pool.size: found '64 KiB', expected 0 B or at least one transfer: 128 "
          "KiB");
    CHECK(rejection("system: {host: {registration: {pool: {size: 1 MiB, held: 2 MiB}}}}\n") ==
          "FILE:1:58: system.host.registration.pool.held: found '2 MiB', expected at most the pool's size: 1 MiB");
}

TEST_CASE("an empty or contradictory sweep", "[scenario]") {
    CHECK(rejection("run: {sweep: []}\n") ==
          "FILE:1:14: run.sweep: found an empty list, expected a list of axes, each with keys and values");
    CHECK(rejection("run:\n  sweep:\n    - {keys: [system.link.loss], values: []}\n") ==
          "FILE:3:7: run.sweep[0]: no values, expected a list such as [0 %, 1 %]");
    CHECK(rejection("run:\n  sweep:\n    - {keys: [], values: [1 %]}\n") ==
          "FILE:3:7: run.sweep[0]: no keys, expected a list such as [system.link.loss]");
    CHECK(rejection("run:\n  sweep:\n    - {keys: [system.link.los], values: [1 %]}\n") ==
          "FILE:3:7: run.sweep[0].keys: 'system.link.los' cannot be swept; did you mean 'system.link.loss'?");
    CHECK(rejection("run:\n  sweep:\n    - {keys: [system.link.loss], values: [1 %, x]}\n") ==
          "FILE:3:48: system.link.loss: found 'x', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(rejection("run:\n  sweep:\n    - {name: x, keys: [system.link.loss], values: [1 %]}\n"
                    "    - {name: y, keys: [system.link.loss], values: [1 %]}\n") ==
          "FILE:4:7: run.sweep: 'system.link.loss' is on two axes, expected one");
    CHECK(rejection("run: {methods: []}\n") ==
          "FILE:1:16: run.methods: empty, expected [traditional, dynamic] or one of them");
}

TEST_CASE("a reference to a point that is not there", "[scenario]") {
    const std::string sweep = "run:\n  sweep:\n    - {keys: [system.link.loss], values: [1 %]}\n";
    CHECK(rejection(sweep + "  reference: {source: x, gains: [{loss: 2 %, gain: 1 %}]}\n") ==
          "FILE:4:34: run.reference.gains: '2 %' is not among the values of axis 'loss'");
    CHECK(rejection(sweep + "  reference: {source: x, gains: [{los: 1 %, gain: 1 %}]}\n") ==
          "FILE:4:34: run.reference.gains: 'los' is no axis of run.sweep");
}

TEST_CASE("a file that is not YAML, has a key twice, or cannot be read", "[scenario]") {
    CHECK(rejection("system: [\n").starts_with("FILE:2:1: not YAML: "));
    CHECK(rejection("system: {link: {loss: 1 %, loss: 2 %}}\n") ==
          "FILE:1:28: system.link.loss: given twice, expected once");
    CHECK(rejection("- 1\n") == "FILE:1:1: expected the sections system, simulation and run");
    CHECK(rejection("") == "FILE:1:1: expected the sections system, simulation and run");
    try {
        load_scenario("/nonexistent/scenario.yaml");
        FAIL("accepted");
    } catch (const ScenarioError& error) {
        CHECK(std::string(error.what()) ==
              "/nonexistent/scenario.yaml: cannot be read, expected a scenario file (YAML)");
    }
}

TEST_CASE("a file that is no text, or has no end", "[scenario]") {
    CHECK(rejection(std::string("run: {}\n\0", 9)) ==
          "FILE: has a zero byte at place 8 and is no text, expected a scenario file (YAML)");
    const std::string comment = "# a line of text that goes on and on\n";
    std::string large;
    while (large.size() <= std::size_t{16} << 20U) large += comment;
    CHECK(rejection(large) == "FILE: has more than 16 MiB, expected a scenario file (YAML)");
    try {
        load_scenario("/dev/zero");
        FAIL("accepted");
    } catch (const ScenarioError& error) {
        CHECK(std::string(error.what()) ==
              "/dev/zero: has a zero byte at place 0 and is no text, expected a scenario file (YAML)");
    }
}

TEST_CASE("an override (--set) is checked like the file", "[scenario]") {
    CHECK(rejection("run: {}\n", {{"system.link.los", "1 %"}}) ==
          "--set: system.link.los: unknown key; did you mean 'loss'?");
    CHECK(rejection("run: {}\n", {{"system.link.loss", "1"}}) ==
          "--set: system.link.loss: found '1', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(rejection("run: {}\n", {{"system.link", "1"}}) ==
          "--set: system.link: is a section, expected one of its keys");
    CHECK(
        rejection("run:\n  sweep:\n    - {keys: [system.link.loss], values: [1 %]}\n", {{"system.link.loss", "2 %"}}) ==
        "--set: system.link.loss: is swept by axis 'loss'; use --set run.sweep=null to sweep nothing");
}

TEST_CASE("a key twice anywhere, two documents, a key that is no name", "[scenario]") {
    CHECK(rejection("run: {sweep: [{keys: [system.link.loss], values: [0 %], values: [10 %]}]}\n") ==
          "FILE:1:57: run.sweep[0].values: given twice, expected once");
    CHECK(rejection("run: {reference: {source: a, source: b, gains: []}}\n") ==
          "FILE:1:30: run.reference.source: given twice, expected once");
    CHECK(rejection("run: {size: 1 KiB}\n---\nrun: {size: 2 KiB}\n") ==
          "FILE:3:1: a second YAML document begins, expected one");
    CHECK(rejection("run: {[a, b]: 1}\n") == "FILE:1:7: run: found a list as a key, expected a name");
}

TEST_CASE("references: a value for each axis, each point once, a list of gains", "[scenario]") {
    const std::string sweep =
        "run:\n  sweep:\n    - {keys: [system.link.loss], values: [0 %, 1 %]}\n"
        "    - {keys: [run.size], values: [1 KiB, 2 KiB]}\n  reference:\n    source: x\n    gains:";
    CHECK(rejection(sweep + "\n      - {loss: 1 %, gain: 1 %}\n") ==
          "FILE:8:9: run.reference.gains: no value of axis 'size', expected one");
    CHECK(rejection(sweep +
                    "\n      - {loss: 1 %, size: 1 KiB, gain: 1 %}\n      - {size: 1 KiB, loss: 1 %, gain: 2 %}\n") ==
          "FILE:9:9: run.reference.gains: a second gain of the same point, expected one");
    CHECK(rejection(sweep + " 5\n") ==
          "FILE:7:12: run.reference.gains: found '5', expected a list such as [{fault: 1 %, gain: 1.9 %}]");
}

TEST_CASE("more points than the limit", "[scenario]") {
    std::string sweep = "run:\n  sweep:\n";
    for (const char* const key :
         {"system.link.loss", "system.a.host.registration.failure", "system.b.host.registration.failure"}) {
        sweep +=
            std::string("    - {name: ") + key + ", keys: [" + key + "], values: {from: 0 %, to: 50 %, step: 1 %}}\n";
    }
    CHECK(rejection(sweep) ==
          "FILE:5:7: run.sweep: the axes have more than 100000 points together, expected fewer values or axes");
}

TEST_CASE("a link that is down for longer than its period", "[scenario]") {
    CHECK(rejection("system: {link: {down: {probability: 1 %, period: 1 ms, duration: 2 ms}}}\n") ==
          "FILE:1:66: system.link.down.duration: found '2 ms', expected at most the period: 1 ms");
}

TEST_CASE("frames later than what a responder remembers", "[scenario]") {
    // 64 entries x 252 cycles x 8 ns = 129.024 us
    const std::string rest = "us, duplication: 1 %}}\n";
    CHECK(rejection("system: {link: {lateness: 129.024 " + rest).empty());
    CHECK(rejection("system: {link: {lateness: 129.032 " + rest) ==
          "FILE:1:27: system.link.lateness: found '129.032 us', expected at most 129.024 us: a responder with 64 table "
          "entries remembers no more transfers than can end in that time");
    CHECK(rejection("system: {link: {lateness: 1 ms}}\n") ==
          "FILE:1:27: system.link.lateness: has no effect: no frame is copied or comes late, expected "
          "system.link.reordering of more than 0 %");
    CHECK(rejection("system: {link: {reordering: 1 %}, b: {rnic: {drp: {table_entries: 9}}}}\n")
              .starts_with("FILE:1:67: system.link.lateness: found '20 us', expected at most 18.144 us"));
}

}  // namespace
}  // namespace rnicsim
