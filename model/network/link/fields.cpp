// SPDX-License-Identifier: Apache-2.0
#include "model/network/link/fields.h"

#include "model/faults/loss_process.h"

#include <string>

namespace rnicsim {
namespace {

Fields<LinkConfig> declare_link() {
    Fields<LinkConfig> k("system.link");
    k.picoseconds("delay", &LinkConfig::delay, kNanosecond * 8, kMillisecond * 10, "propagation, each direction",
                  "assumed: 8 m of cable");
    k.probability("loss", &LinkConfig::loss, "LFP: chance that a frame is lost; with gilbert_elliott outside bursts",
                  "paper 4.1");
    k.choice<std::string>("loss_process", &LinkConfig::loss_process, same_words(loss_process_names()),
                          "each frame is lost by itself, or there are bursts", "paper 4.1: each by itself");
    k.probability("burst.begin", at(&LinkConfig::burst, &BurstConfig::begin),
                  "gilbert_elliott: a burst begins with this frame", "Gilbert 1960, Elliott 1963");
    k.probability("burst.end", at(&LinkConfig::burst, &BurstConfig::end),
                  "gilbert_elliott: it is over before this frame", "Gilbert 1960, Elliott 1963");
    k.probability("burst.loss", at(&LinkConfig::burst, &BurstConfig::loss),
                  "gilbert_elliott: chance that a frame in a burst is lost", "Gilbert 1960, Elliott 1963");
    k.probability("corruption", &LinkConfig::corruption,
                  "chance that a bit of a frame is flipped: its FCS is wrong then", "the paper has none");
    k.probability("duplication", &LinkConfig::duplication,
                  "chance that a frame arrives twice, the copy up to `lateness` later; on a full wire fewer do",
                  "the paper has none");
    k.probability("reordering", &LinkConfig::reordering,
                  "chance that a frame arrives up to `lateness` late, and others overtake it", "the paper has none");
    k.time("lateness", &LinkConfig::lateness, kNanosecond * 8, kMillisecond * 10,
           "upper limit; drawn uniformly from 1 cycle to it", "assumed: two frames");
    k.probability("delay_variation", &LinkConfig::delay_variation,
                  "chance that a frame arrives up to `jitter` late, and those behind it wait", "the paper has none");
    k.time("jitter", &LinkConfig::jitter, kNanosecond * 8, kMillisecond * 10,
           "upper limit, however many frames before it are late; drawn uniformly from 1 cycle to it", "assumed");
    k.probability("down.probability", at(&LinkConfig::down, &LinkDownConfig::probability),
                  "chance that the link goes down once in a period, for both directions", "the paper has none");
    k.time("down.period", at(&LinkConfig::down, &LinkDownConfig::period), kNanosecond * 8, kSecond * 100,
           "how often that is drawn", "assumed");
    k.time("down.duration", at(&LinkConfig::down, &LinkDownConfig::duration), kNanosecond * 8, kSecond * 100,
           "how long it is down, at most the period", "assumed");
    k.probability("ecn_marking", &LinkConfig::ecn_marking,
                  "chance that a frame that may be marked (ECN) is, as if by a switch", "DCQCN without a switch")
        .in_networks();
    k.choice<MacTiming>("rate", &LinkConfig::timing,
                        {{"1 Gbps", MacTiming::of_rate(1'000'000'000)},
                         {"2.5 Gbps", MacTiming::of_rate(2'500'000'000)},
                         {"10 Gbps", MacTiming::of_rate(10'000'000'000)},
                         {"25 Gbps", MacTiming::of_rate(25'000'000'000)},
                         {"40 Gbps", MacTiming::of_rate(40'000'000'000)},
                         {"100 Gbps", MacTiming::of_rate(100'000'000'000)}},
                        "of both directions; a DRP RNIC's link has 1 Gbps", "paper: Gigabit Ethernet")
        .in_networks();
    return k;
}

}  // namespace

const Fields<LinkConfig>& link_fields() {
    static const Fields<LinkConfig> kAll = declare_link();
    return kAll;
}

}  // namespace rnicsim
