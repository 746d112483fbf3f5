// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/hopeless.h"

#include "model/rnic/drp/end/end_config.h"
#include "testbench/results/text.h"
#include "testbench/scenario/personalities/drp/least_times.h"
#include "testbench/scenario/schema.h"
#include "testbench/workloads/transfers/transfer_sample.h"
#include "testbench/workloads/work_kind.h"
#include "tlm/drp/host_queues.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace rnicsim::runner {
namespace {

using Counter = std::pair<std::string, std::uint64_t>;

// Counters that explain a failure, by the end of their names: what stops a transfer, then what follows from that, then
// timeouts. The first list with a count that is not zero explains the failure.
constexpr std::array<std::string_view, 16> kCauses{"transport.segment_mismatch", "filter.other_destination",
                                                   "filter.malformed_truncated", "filter.malformed_type_bits",
                                                   "filter.malformed_extension", "filter.malformed_length",
                                                   "gmac.rx_oversize",           "gmac.rx_runt",
                                                   "host.registration_failures", "host.registration_no_memory",
                                                   "host.registration_refusals", "transport.no_region",
                                                   "transport.out_of_region",    "transport.table_full",
                                                   "transport.rx_overruns",      "tcp.died"};
constexpr std::array<std::string_view, 3> kChances{"gmac.rx_bad_fcs", "link.a_to_b_lost", "link.b_to_a_lost"};
constexpr std::array<std::string_view, 2> kConsequences{"transport.buffer_full", "transport.out_of_window"};
constexpr std::array<std::string_view, 4> kWaits{"transport.request_timeouts", "transport.data_timeouts",
                                                 "transport.release_timeouts", "transport.idle_timeouts"};
constexpr std::size_t kNamed = 3;

/// The counters of these kinds that are not zero, the highest first.
std::vector<Counter> counted_of(const RunResult& result, std::span<const std::string_view> kinds) {
    std::vector<Counter> found;
    for (const std::string_view kind : kinds) {
        for (const Counter& counter : result.counters) {
            const std::string_view name = counter.first;
            const bool is = name == kind || (name.ends_with(kind) && name[name.size() - kind.size() - 1] == '.');
            if (is && counter.second > 0) found.push_back(counter);
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Counter::second);
    return found;
}

std::uint64_t sum(const std::vector<Counter>& counters) {
    return std::accumulate(counters.begin(), counters.end(), std::uint64_t{0},
                           [](std::uint64_t so_far, const Counter& counter) { return so_far + counter.second; });
}

/// Expired timers of initiators and senders: each stands for a frame that did not come in time.
std::uint64_t timeouts(const RunResult& result) { return sum(counted_of(result, std::span(kWaits).first<3>())); }

constexpr std::string_view kNone = "no counter of a loss, refusal or timeout";

std::string explaining_counters(const RunResult& result, bool only_waits) {
    std::vector<std::string_view> causes(kCauses.begin(), kCauses.end());
    // A few frames that were lost do not explain many timeouts.
    if (sum(counted_of(result, kChances)) * 2 >= timeouts(result)) {
        causes.insert(causes.end(), kChances.begin(), kChances.end());
    }
    for (const std::span<const std::string_view> kinds :
         {std::span<const std::string_view>(causes), std::span<const std::string_view>(kConsequences),
          std::span<const std::string_view>(kWaits)}) {
        if (only_waits && kinds.data() != kWaits.data()) continue;
        const std::vector<Counter> found = counted_of(result, kinds);
        std::string text;
        for (std::size_t i = 0; i < std::min(kNamed, found.size()); ++i) {
            text += (i == 0 ? "" : ", ") + found[i].first + ' ' + grouped(found[i].second);
        }
        if (!text.empty()) return text;
    }
    return std::string(kNone);
}

std::string written(Cycle time) { return write_limit(*find_key("system.rnic.drp.request_timer"), time.n); }

/// Why the far end's answer takes longer than the initiator of this transfer tries; empty if it does not.
std::string too_slow(const RunConfig& config, const Sample& transfer) {
    const unsigned initiator = transfer.initiator;
    const unsigned responder = transfer.responder;
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    const HostConfig& there = drp_of(config, responder).host;
    const TransportConfig& t = drp_of(config, initiator).rnic.transport;
    const std::int64_t tries = std::int64_t{t.max_retransmissions} + 1;
    const auto unless = [](Cycle takes, Cycle tried, const std::string& what, const std::string& timer) {
        return takes <= tried ? std::string()
                              : what + " takes " + written(takes) + ", and " + timer + " is " + written(tried) + "; ";
    };
    if (error_of(transfer) == TransferError::request_timeout) {
        const Cycle interrupt = there.software.interrupt_latency;  // of a host that does nothing else
        return unless(total(least_connecting(config, routes, initiator, responder)) + interrupt,
                      t.request_timer * t.max_requests,
                      "connecting (interrupt " + written(interrupt) + ", registration " +
                          written(there.registration.time(transfer.bytes)) + " at end " + config.names[responder] + ')',
                      "max_requests x request_timer");
    }
    if (error_of(transfer) == TransferError::data_timeout) {
        const bool write = operation_of(transfer) == Operation::write;
        const std::string budget = "(max_retransmissions + 1) x data_timer";
        std::string waits = write ? std::string()
                                  : unless(total(least_first_data(config, routes, initiator, responder)),
                                           t.data_timer * tries, "\"ready\" with a data frame", budget);
        if (!waits.empty()) return waits;
        const unsigned sender = write ? initiator : responder;
        const TransportConfig& s = drp_of(config, sender).rnic.transport;
        return unless(total(least_acknowledgement(config, routes, sender, write ? responder : initiator)),
                      s.data_timer * (std::int64_t{s.max_retransmissions} + 1), "a data frame with its ACK",
                      budget + " of end " + config.names[sender]);
    }
    if (error_of(transfer) == TransferError::release_timeout) {
        return unless(total(least_release(config, routes, initiator, responder)), t.release_timer * tries,
                      "REL with REL_ACK", "(max_retransmissions + 1) x release_timer");
    }
    return {};
}

/// The same of a run that has frames or messages of RoCEv2 RNICs only.
std::optional<std::string> why_all_lost(const RunConfig& config, const RunResult& result) {
    constexpr std::array<std::string_view, 11> kLosses{
        "rx_bad_fcs",       "rx_oversize",       "rx_other",           "_lost",
        "_overtaken",       "rc.timeouts",       "rx_overruns",        "rnr_naks_received",
        "rc.naks_received", "completion_errors", "rc.dropped_messages"};
    if (result.samples.empty() || !std::ranges::all_of(result.samples, &Sample::failed)) return std::nullopt;
    std::vector<Counter> found;
    for (const Counter& counter : result.counters) {
        const bool drop = counter.first.find(".dropped_") != std::string::npos ||
                          std::ranges::any_of(kLosses, [&](auto end) { return counter.first.ends_with(end); });
        if (drop && counter.second > 0) found.push_back(counter);
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Counter::second);
    const SampleKind& kind = sample_kind(config.traffic.at(result.samples.front().item));
    std::string text = "all " + grouped(result.samples.size()) + ' ' + std::string(kind.name) + "s " +
                       (kind.may_be_lost ? "were lost" : "failed");
    text += found.empty() ? ": " + std::string(kNone) : ": ";
    for (std::size_t i = 0; i < std::min(kNamed, found.size()); ++i)
        text += (i == 0 ? "" : ", ") + found[i].first + ' ' + grouped(found[i].second);
    return text;
}

}  // namespace

std::optional<std::string> why_all_failed(const RunConfig& config, const RunResult& result) {
    const auto is_transfer = [&](const Sample& of) {
        return &sample_kind(config.traffic.at(of.item)) == &kTransferSample;
    };
    std::vector<Sample> first;  // of each error
    std::size_t all = 0;
    for (const Sample& transfer : result.samples) {
        if (!is_transfer(transfer)) continue;
        if (!transfer.failed()) return std::nullopt;
        ++all;
        if (std::ranges::find(first, transfer.status, &Sample::status) == first.end()) first.push_back(transfer);
    }
    if (all == 0) return why_all_lost(config, result);
    std::string text = all == 1 ? "its only transfer failed (" : "all " + grouped(all) + " transfers failed (";
    std::string settings;
    for (const Sample& transfer : first) {
        text += std::string(&transfer == first.data() ? "" : ", ") + error_name(error_of(transfer));
        settings += too_slow(config, transfer);
    }
    text += "): ";
    // Settings that explain it come before losses and refusals by chance.
    return text + settings + explaining_counters(result, !settings.empty());
}

ExitCode tell_hopeless(const Scenario& scenario, const std::vector<HopelessRun>& runs) {
    constexpr std::size_t kMostLines = 6;
    for (std::size_t i = 0; i < runs.size() && i < kMostLines; ++i) {
        const auto& values = scenario.points.at(runs[i].key.point).values;
        spdlog::error("run {}{}: {}", run_label(scenario, runs[i].key),
                      values.empty() ? "" : " (" + point_label(values) + ")", runs[i].why);
    }
    if (runs.size() > kMostLines) {
        spdlog::error("all transfers failed in {} more", counted(runs.size() - kMostLines, "run"));
    }
    return runs.empty() ? kOk : kAllTransfersFailed;
}

}  // namespace rnicsim::runner
