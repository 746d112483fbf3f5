// SPDX-License-Identifier: Apache-2.0
#include "model/ntb/fields.h"

namespace rnicsim::ntb {
namespace {

Fields<Config> declare() {
    Fields<Config> k("system.bridge");
    k.number("generation", &Config::generation, 1, 3, "of the PCIe link between the two hosts", "thesis 004, table 5-2")
        .in_networks();
    k.one_of(Kind::integer, "lanes", &Config::lanes, {"1", "2", "4", "8", "16"}, "of the link", "thesis 004, table 5-2")
        .in_networks();
    k.bit_rate("rate", &Config::rate, 0, "of payload, each direction; 0: as fast as the link", "left out")
        .in_networks();
    k.picoseconds("latency", &Config::latency, kNanosecond, kMicrosecond * 10,
                  "one way, last byte sent to its effect at the other side", "assumed: below a switch's 300 ns")
        .in_networks();
    k.picoseconds("translate", &Config::translate, Time{}, kMicrosecond, "each side's part in what crosses", "assumed")
        .in_networks();
    k.number("credits.headers", at(&Config::credits, &CreditConfig::headers), 1, 256,
             "posted TLPs that the other side has room for", "assumed: a round trip at 80 Gb/s needs 33 lines")
        .in_networks();
    k.number("credits.data", at(&Config::credits, &CreditConfig::data), 4, 4096, "... of their payload, 16 B each",
             "assumed: 64 TLPs of 256 B")
        .in_networks();
    k.flag("start_up", &Config::start_up,
           "the hosts' drivers open its windows, by scratchpads and doorbell 0; else they are open from the beginning",
           "left out")
        .in_networks();
    k.probability("down.probability", at(&Config::down, &LinkDownConfig::probability),
                  "chance that the link goes down once in a period, both ways", "left out")
        .in_networks();
    k.time("down.period", at(&Config::down, &LinkDownConfig::period), kMicrosecond * 100, kSecond * 100,
           "in which the link goes down once or not at all", "assumed")
        .in_networks();
    k.time("down.duration", at(&Config::down, &LinkDownConfig::duration), kMicrosecond * 10, kSecond * 100,
           "how long it is down, at most the period", "assumed")
        .in_networks();
    return k;
}

}  // namespace

const Fields<Config>& fields() {
    static const Fields<Config> kAll = declare();
    return kAll;
}

}  // namespace rnicsim::ntb
