#include "testbench/scenario/station_rules.h"

#include "model/network/station/station_frame.h"
#include "testbench/report_clock.h"

#include <algorithm>
#include <array>
#include <string>

namespace rnicsim {
namespace {

/// All hosts of an item are of one personality.
void check_ends_fit(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        const bool frames = item.workload == Workload::frames;
        for (const std::vector<unsigned>* const hosts : {&item.from, &item.to}) {
            for (const unsigned host : *hosts) {
                if (is_station(config, host) == frames) continue;
                in.traffic[i].refuse_item("run.traffic." + item.name,
                                          "'" + config.names[item.from.front()] + (frames ? "' is" : "' is not") +
                                              " plain and '" + config.names[host] + (frames ? "' is not" : "' is") +
                                              ", expected hosts of one personality");
            }
        }
    }
}

/// Values that the other kind of hosts has a use for. A listing writes all keys, so the default is no mistake.
void check_workload_keys(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        const auto refuse = [&](const char* key, const char* why) { in.traffic[i].refuse(key, key, why); };
        if (item.workload == Workload::frames) {
            constexpr const char* kWhy =
                "has no effect: plain hosts send frames, expected it for hosts with a DRP RNIC";
            if (item.operation != OperationMix::write) refuse("run.operation", kWhy);
            if (item.in_flight != 1) refuse("run.in_flight", kWhy);
        } else {
            constexpr const char* kWhy = "has no effect: DRP RNICs have transfers, expected it for plain hosts";
            if (item.traffic_class != 0) refuse("run.class", kWhy);
            if (item.ecn_capable) refuse("run.ecn", kWhy);
        }
    }
}

void check_sizes(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (item.workload != Workload::frames) continue;
        std::int64_t most = 1 << 30;
        for (const std::vector<unsigned>* const hosts : {&item.from, &item.to}) {
            for (const unsigned host : *hosts) most = std::min(most, station_of(config, host).mtu);
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
        const auto refuse = [&](const char* key, long double seconds) {
            if (seconds <= kLongest) return;
            in.traffic[i].refuse(key, "run.transfers",
                                 "found '" + in.traffic[i].text(key) + "', expected that " +
                                     std::to_string(item.transfers) + " of them are asked for within 1,000,000 s");
        };
        const auto all = static_cast<long double>(item.transfers);
        if (item.pace != 0) refuse("run.pace", all * 8 * (item.size + 100) / static_cast<long double>(item.pace));
        refuse("run.think", all * static_cast<long double>(kReportClock.time(item.think).ps) * 1e-12L);
    }
}

/// A plain host has a MAC only.
void check_host_keys(const RunConfig& config, const ParsedValues& values) {
    constexpr std::array<std::string_view, 4> kOwn{".count", ".rnic.personality", ".rnic.gmac.mtu",
                                                   ".rnic.gmac.pause_reaction"};
    for (const auto& [path, written] : values) {
        const auto item = item_path(path);
        if (!item || item->owner != Owner::host) continue;
        bool plain = false, drp = false;
        for (unsigned host = 0; host < config.names.size(); ++host) {
            if (config.names[host] != item->name && config.groups[host] != item->name) continue;
            (is_station(config, host) ? plain : drp) = true;
        }
        if (plain && !drp && std::ranges::find(kOwn, item->rest) == kOwn.end()) {
            reject(written.where, path,
                   "has no effect, '" + std::string(item->name) +
                       "' is plain: expected rnic.personality, rnic.gmac.mtu or rnic.gmac.pause_reaction");
        }
        if (drp && !plain && item->rest == ".rnic.gmac.pause_reaction") {
            reject(written.where, path,
                   "has no effect, '" + std::string(item->name) + "' has a DRP RNIC: expected it of plain hosts");
        }
    }
}

}  // namespace

void check_stations(const RunConfig& config, Lookups& in, const ParsedValues& values) {
    check_ends_fit(config, in);
    check_workload_keys(config, in);
    check_sizes(config, in);
    check_think_or_pace(config, in);
    check_last_request(config, in);
    check_host_keys(config, values);
}

}  // namespace rnicsim
