// SPDX-License-Identifier: Apache-2.0
// Settings with which no transfer can complete are refused at their line; others are not.
#include <catch2/catch_test_macros.hpp>

#include "testbench/tests/scenario/scenario_file.h"

namespace rnicsim {
namespace {

TEST_CASE("ends with different segments", "[scenario]") {
    CHECK(rejection("system:\n  b: {rnic: {drp: {segment: 512 B}}}\n") ==
          "FILE:2:29: system.b.rnic.drp.segment: found '512 B', expected the other end's 1 KiB: each refuses a "
          "request with another segment than its own");
    CHECK(rejection("system:\n  a: {rnic: {drp: {segment: 512 B}}}\n") ==
          "FILE:2:29: system.a.rnic.drp.segment: found '512 B', expected the other end's 1 KiB: each refuses a "
          "request with another segment than its own");
    CHECK(rejection("system: {a: {rnic: {drp: {segment: 512 B}}}, b: {rnic: {drp: {segment: 512 B}}}}\n").empty());
    CHECK(rejection("run: {}\n", {{"system.a.rnic.drp.segment", "512 B"}}).starts_with("--set: system.a.rnic"));
    CHECK(rejection("run: {sweep: [{keys: [system.a.rnic.drp.segment], values: [1 KiB, 512 B]}]}\n")
              .starts_with("FILE:1:15: system.a.rnic.drp.segment: found '512 B'"));
}

TEST_CASE("a link that carries nothing", "[scenario]") {
    const auto link = [](const std::string& keys) { return rejection("system: {link: {" + keys + "}}\n"); };
    CHECK(link("loss: 100 %") ==
          "FILE:1:23: system.link.loss: found '100 %', expected less than 100 %: no frame would arrive");
    CHECK(link("corruption: 100 %").ends_with("expected less than 100 %: no frame would arrive whole"));
    CHECK(link("down: {probability: 100 %, period: 1 ms, duration: 1 ms}")
              .ends_with("system.link.down.duration: found '1 ms', expected less than the period: 1 ms, or the link "
                         "would never be up"));
    const std::string bursts = "loss_process: gilbert_elliott, burst: {begin: 100 %, end: 0 %, loss: ";
    CHECK(link(bursts + "100 %}")
              .ends_with("system.link.burst.loss: found '100 %', expected less than 100 %: no frame would arrive"));
    CHECK(link(bursts + "99 %}").empty());
    CHECK(link("loss: 100 %, loss_process: gilbert_elliott").ends_with("no frame would arrive"));
    CHECK(link("loss: 100 %, loss_process: gilbert_elliott, burst: {begin: 50 %, loss: 0 %}").empty());
    CHECK(link("loss: 99.99 %").empty());
    CHECK(link("down: {probability: 100 %, period: 1 ms, duration: 0.9 ms}").empty());
}

TEST_CASE("a registration that never succeeds, at the end that answers", "[scenario]") {
    const std::string b = "system: {b: {host: {registration: {failure: 100 %}}}}\n";
    CHECK(rejection(b) ==
          "FILE:1:45: system.b.host.registration.failure: found '100 %', expected less than 100 %: no registration "
          "would succeed at "
          "the end that answers");
    CHECK(rejection(b + "run: {direction: b_to_a}\n")
              .find("failure: has no effect: who answers registers memory, and this host is asked for nothing") !=
          std::string::npos);
    CHECK(rejection(b + "run: {direction: both}\n").empty());
    CHECK(rejection("system: {host: {registration: {failure: 100 %}}}\nrun: {direction: both}\n")
              .find("system.host.registration.failure: found '100 %'") != std::string::npos);
}

TEST_CASE("timers that give up before an answer can be there", "[scenario]") {
    const auto setting = [](const std::string& keys, const std::string& run) {
        return rejection("system: {" + keys + "}\nrun: {" + run + "}\n");
    };
    const auto refuses = [&](const std::string& timer, const std::string& than, const std::string& keys,
                             const std::string& run = "direction: a_to_b") {
        const std::string text = setting(keys, run);
        return text.find("rnic.drp." + timer + ": found ") != std::string::npos &&
               text.find(" longer than " + than) != std::string::npos;
    };
    const std::string release = "the way there and back: ";
    const std::string registration = "the way there and back with a registration between them: ";
    const std::string acknowledged = "a first data frame's way and its ACK's (traditional method): ";
    CHECK(rejection("system: {link: {delay: 10 ms}}\n") ==
          "FILE:1:24: system.rnic.drp.release_timer: found '500 us', expected at least 1172.456 us: "
          "(max_retransmissions + 1) x release_timer longer than the way there and back: 20001.36 us, most of it "
          "system.link.delay (20 ms)");
    CHECK(rejection("system:\n  link: {delay: 40 ns}\n  b: {host: {registration: {base_cost: 50 ms}}}\n")
              .starts_with("FILE:3:40: system.rnic.drp.request_timer: found '2.4 ms', expected at least "));
    CHECK(rejection("system: {link: {delay: 10 ms}, rnic: {drp: {release_timer: 1172.456 us, data_timer: 2 ms}}}\n")
              .empty());
    CHECK_FALSE(
        rejection("system: {link: {delay: 10 ms}, rnic: {drp: {release_timer: 1172.448 us, data_timer: 2 ms}}}\n")
            .empty());
    const std::string far = "link: {delay: 10 ms}, rnic: {drp: {release_timer: 2 ms";
    CHECK(refuses("data_timer", acknowledged, far + "}}"));
    CHECK(setting(far + "}}", "methods: [dynamic]").empty());  // whose data need not wait for the connection
    CHECK(setting(far + ", data_timer: 2 ms}}", "direction: a_to_b").empty());
    CHECK(refuses("request_timer", registration, far + ", request_timer: 1 ms}}"));
    // Each repeated REQ_ACK of a read restarts the timer.
    const std::string read = ", request_timer: 0.1 ms, max_requests: 250";
    CHECK(setting(far + "}}", "operation: read").empty());
    CHECK(refuses("data_timer", "the way of \"ready\" and of a first data frame (traditional method): ",
                  far + ", data_timer: 0.1 ms}}", "operation: read"));
    CHECK(setting(far + ", data_timer: 0.1 ms" + read + "}}", "operation: read").empty());
    CHECK(refuses("data_timer", "the way of \"ready\" and of a first data frame (traditional method): ",
                  far + ", data_timer: 0.1 ms}}", "operation: alternate"));
    CHECK(setting(far + ", data_timer: 1 ms}}", "operation: alternate").empty());  // writes fail, reads need not
    // A timer may wait for all that a window asks of the RNIC: fetches, departures, acknowledgements.
    CHECK(setting("rnic: {drp: {segment: 64 B, window: 64, idle_timeout: 100 s}}, b: {host: {registration: {base_cost: "
                  "100 ms}}}, a: {rnic: {drp: {decision: 1 ms, request_timer: 8 ns, max_requests: 2}}}",
                  "size: 4 KiB}\nsimulation: {watchdog: 200 s")
              .empty());
    // What the host takes.
    const std::string hasty = ", rnic: {drp: {request_timer: 8 us}}";
    CHECK(refuses("request_timer", registration, "b: {host: {registration: {base_cost: 1 s}}}"));
    CHECK(setting("a: {host: {registration: {base_cost: 1 s}}}", "direction: a_to_b").find("has no effect") !=
          std::string::npos);
    CHECK(setting("b: {host: {registration: {base_cost: 38.4 ms}}}", "direction: a_to_b").empty());
    CHECK(refuses("request_timer", registration, "host: {registration: {page_cost: 1 ms}}", "size: 16 MiB"));
    CHECK(refuses("request_timer", registration, "host: {software: {event_cost: 1 ms}}" + hasty));
    CHECK(setting("host: {software: {interrupt_latency: 1 ms}}" + hasty, "direction: a_to_b")
              .empty());  // not always there
    // What the RNIC takes.
    CHECK(refuses("request_timer", registration,
                  "b: {rnic: {gmac: {rx_latency: 1 ms}}}, a: {rnic: {drp: {request_timer: 8 us}}}"));
    CHECK(refuses("request_timer", registration,
                  "b: {rnic: {drp: {decision: 1 ms}}}, a: {rnic: {drp: "
                  "{request_timer: 8 us, idle_timeout: 1.2 s}}}}\nsimulation: {watchdog: 2 s"));
    CHECK(refuses("release_timer", release,
                  "link: {delay: 20 us}, rnic: {drp: {release_timer: 8 ns, max_retransmissions: 1}}"));
    CHECK(refuses("data_timer", acknowledged, "rnic: {drp: {data_timer: 8 ns, max_retransmissions: 1}}"));
}

TEST_CASE("ordinary frames that starve data", "[scenario]") {
    // A frame of 1518 B takes 1,538 cycles of 8 ns with preamble, SFD and gap. Each end sends three requests an
    // interval, and three answers.
    const auto pings = [](const std::string& interval, const std::string& share) {
        return rejection("system: {host: {ping: {sizes: [1500 B, 1500 B, 1500 B], interval: " + interval +
                         "}}, rnic: {drp: {ordinary_share: " + share + "}}}\n");
    };
    CHECK(pings("72 us", "100 %") ==
          "FILE:1:105: system.rnic.drp.ordinary_share: found '100 %', expected at most 99.9 %: pings and the "
          "answers to them fill the wire, and data would never be sent");
    CHECK(pings("73.824 us", "100 %").ends_with("data would never be sent"));  // just full: 6 x 1,538 cycles
    CHECK(pings("73.832 us", "100 %").empty());
    CHECK(pings("72 us", "99.9 %").empty());
    CHECK(pings("72 us", "99.9999 %").ends_with("data would never be sent"));  // as hardware keeps it, 65,536ths
}

TEST_CASE("a ping that the other end cannot receive", "[scenario]") {
    CHECK(rejection("system: {a: {host: {ping: {sizes: [1400 B]}}}, b: {rnic: {gmac: {mtu: 1100 B}}}}\n") ==
          "FILE:1:35: system.a.host.ping.sizes: found 1400 B, expected at most the other end's MTU: 1100 B");
}

}  // namespace
}  // namespace rnicsim
