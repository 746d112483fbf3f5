// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/run_fields.h"

#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/profiles.h"

#include <cstdint>
#include <limits>
#include <utility>

namespace rnicsim {
namespace {

Fields<RunConfig> declare_run() {
    Fields<RunConfig> k("simulation");
    k.number("seed", &RunConfig::seed, 0, std::numeric_limits<std::int64_t>::max(), "seed of all random draws", "-");
    k.time("watchdog", &RunConfig::watchdog, kNanosecond * 8, kSecond * 2000,
           "simulated time without progress (payload in memory, an ended transfer) after which a run is stopped; "
           "longer than any timer; what link and hosts hold back, and what a transfer's tries may take, come on top",
           "-");
    return k;
}

Declared declared(Key key, std::int64_t initial) { return {std::move(key), {.number = initial}}; }

}  // namespace

const Fields<RunConfig>& run_fields() {
    static const Fields<RunConfig> kAll = declare_run();
    return kAll;
}

Declarations other_run_declarations() {
    return {declared({.path = "run.direction",
                      .kind = Kind::choice,
                      .choices = {"a_to_b", "b_to_a", "both"},
                      .meaning = "which end initiates",
                      .source = "paper 4.1"},
                     0),
            declared({.path = "run.repetitions",
                      .kind = Kind::integer,
                      .least = 1,
                      .most = 1000,
                      .meaning = "runs of each point, each with draws of its own",
                      .source = "paper 4.1"},
                     5)};
}

Declarations host_declarations() {
    return {declared({.path = "system.hosts.*.count",
                      .kind = Kind::integer,
                      .least = 1,
                      .most = 4096,
                      .meaning = "so many hosts, with a number behind their name",
                      .source = "-",
                      .network = true},
                     1),
            declared({.path = "system.rnic.personality",
                      .kind = Kind::choice,
                      .choices = personality_names(),
                      .meaning = "what the host has: a DRP RNIC, a MAC that sends ordinary frames at any rate, or a "
                                 "RoCEv2 RNIC",
                      .source = "-",
                      .network = true},
                     0),
            declared({.path = "system.rnic.profile",
                      .kind = Kind::choice,
                      .choices = profile_names(),
                      .meaning = "what the keys of the host are that are not written: none = the defaults here; "
                                 "--profile FILE adds one of your own",
                      .source = "-",
                      .network = true},
                     0)};
}

}  // namespace rnicsim
