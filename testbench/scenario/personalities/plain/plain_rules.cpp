// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/plain/plain_rules.h"

#include "model/config.h"
#include "model/rnic/plain/plain_frame.h"
#include "testbench/records/report_clock.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rnicsim {
namespace {

void check_sizes(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (item.workload != Workload::frames) continue;
        std::int64_t most = 1 << 30;
        for (const std::vector<unsigned>* const hosts : {&item.from, &item.to}) {
            for (const unsigned host : *hosts)
                most = std::min(most, static_cast<std::int64_t>(config.hosts[host]->largest_frame() -
                                                                kEthernetHeaderBytes - kFcsBytes));
        }
        constexpr std::int64_t kLeast = kMinFrameBytes - kEthernetHeaderBytes - kFcsBytes;
        if (item.size >= kLeast && item.size <= most) continue;
        in.traffic[i].refuse("run.size", "system.rnic.gmac.mtu",
                             "found '" + in.traffic[i].text("run.size") + "', expected " + std::to_string(kLeast) +
                                 " B to the MTU of its plain hosts, " + std::to_string(most) +
                                 " B: it is a frame's MAC client data");
    }
}

void check_think_or_pace(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (item.pace == 0 || item.think == Cycle{}) continue;
        in.traffic[i].refuse(
            "run.pace", "run.think",
            "found '" + in.traffic[i].text("run.pace") +
                "', expected 0 kbps beside `think`: the next one comes at a fixed or at random distance");
    }
}

/// Times are counted in picoseconds of 63 bits, 106 days.
void check_last_request(const RunConfig& config, Lookups& in) {
    constexpr std::int64_t kLongest = 1'000'000;  // s
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        const auto all = static_cast<long double>(item.transfers);
        const auto refuse = [&](const char* key, const std::string& expected) {
            in.traffic[i].refuse(key, "run.transfers",
                                 "found '" + in.traffic[i].text(key) + "', expected " + expected + ": " +
                                     std::to_string(item.transfers) + " of them are asked for within 1,000,000 s");
        };
        const long double bits = all * 8 * (item.size + 100);
        if (item.pace != 0 && bits > static_cast<long double>(item.pace) * kLongest) {
            const auto least = static_cast<std::int64_t>(std::ceil(bits / kLongest));
            refuse("run.pace", "at least " + write_limit(*find_key("run.pace"), least));
        }
        const long double each = static_cast<long double>(kReportClock.time(item.think).ps) * 1e-12L;
        if (all * each > kLongest) {
            const auto cycles =
                static_cast<std::int64_t>(kLongest / all / each * static_cast<long double>(item.think.n));
            refuse("run.think", "at most " + write_limit(*find_key("run.think"), cycles));
        }
    }
}

}  // namespace

void check_plain_hosts(const RunConfig& config, Lookups& in) {
    check_sizes(config, in);
    check_think_or_pace(config, in);
    check_last_request(config, in);
}

}  // namespace rnicsim
