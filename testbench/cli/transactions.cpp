// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/transactions.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/rtl_blocks.h"
#include "model/rtl/stream_blocks.h"
#include "model/rtl/stress.h"
#include "model/rtl/waves.h"
#include "testbench/results/text.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>

namespace rnicsim::runner {
namespace {

struct StreamName {
    const char* name;
    Block block;
};
constexpr std::array kStreams{StreamName{"gmac.tx", Block::gmac}, StreamName{"gmac.rx", Block::gmac},
                              StreamName{"frame_filter.out", Block::frame_filter}};

/// What the manifest calls latency, of the model: from the frame's offer to its preamble; from its last byte on.
Cycle of_model(std::string_view stream, const RnicConfig& rnic) {
    if (stream == "gmac.tx") return rnic.gmac.tx_latency;
    return (stream == "gmac.rx" ? rnic.gmac.rx_latency : rnic.filter.latency) + Cycle{1};
}

/// So many of a hundred frames took no longer. Precondition: there are frames.
std::uint64_t percentile(const std::map<std::uint64_t, std::uint64_t>& latencies, std::uint64_t percent) {
    std::uint64_t all = 0, seen = 0;
    for (const auto& [latency, count] : latencies) all += count;
    for (const auto& [latency, count] : latencies) {
        seen += count;
        if (seen * 100 >= percent * all) return latency;
    }
    return latencies.rbegin()->first;
}

std::string nanoseconds(Time time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%+.1f ns", static_cast<double>(time.ps) / 1000.0);
    return text.data();
}

}  // namespace

bool has_streams(const RunConfig& config) {
    return std::ranges::any_of(drp_ends(config), [](const DrpEndConfig& end) {
        return std::ranges::any_of(kStreams, [&](const StreamName& one) {
            return stream_period(one.block, end.rnic.blocks[one.block]) != Time{};
        });
    });
}

void Transactions::add(const RunConfig& config, const RunResult& model, const RunResult& verilog) {
    for (const unsigned host : drp_hosts(config)) {
        const RnicConfig& rnic = drp_of(config, host).rnic;
        for (const auto& [name, block] : kStreams) {
            const std::string stream = config.names[host] + "." + name;
            const std::string prefix = stream + "_latency ";
            for (const auto& [counter, count] : verilog.counters) {
                if (!counter.starts_with(prefix)) continue;
                Stream& all = streams_[stream];
                all.latencies[std::stoull(counter.substr(prefix.size()))] += count;
                all.period = stream_period(block, rnic.blocks[block]);
                all.model = rnic.clock.time(of_model(name, rnic));
            }
        }
    }
    if (model.samples.size() != verilog.samples.size()) return;
    for (std::size_t i = 0; i < model.samples.size(); ++i) {
        const Sample &one = model.samples.begin()[i], &other = verilog.samples.begin()[i];
        if (one.failed() || other.failed()) {
            unpaired_ += one.failed() != other.failed() ? 1 : 0;
            continue;
        }
        ++pairs_;
        model_ps_ += static_cast<double>(one.took().ps);
        verilog_ps_ += static_cast<double>(other.took().ps);
    }
}

void Transactions::print() const {
    for (const auto& [name, stream] : streams_) {
        std::uint64_t frames = 0;
        for (const auto& [latency, count] : stream.latencies) frames += count;
        const std::uint64_t median = percentile(stream.latencies, 50);
        const Time later = stream.period * static_cast<std::int64_t>(median) - stream.model;
        std::printf("  %s: %s frames, latency %llu .. %llu cycles, median %llu: %s against the model\n", name.c_str(),
                    grouped(frames).c_str(), static_cast<unsigned long long>(stream.latencies.begin()->first),
                    static_cast<unsigned long long>(stream.latencies.rbegin()->first),
                    static_cast<unsigned long long>(median), nanoseconds(later).c_str());
    }
    if (pairs_ == 0) return;
    std::printf("  a transfer: %+.3f %% (%s of them, with models %.3f us)\n", 100 * (verilog_ps_ / model_ps_ - 1),
                grouped(pairs_).c_str(), model_ps_ / static_cast<double>(pairs_) / 1e6);
    if (unpaired_ != 0) std::printf("  %s completed with one of both only\n", grouped(unpaired_).c_str());
}

void stress_blocks(const RunConfig& config, std::uint64_t frames, const WaveRequest& wave) {
    constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
    constexpr std::uint32_t kSeed = 1;
    WaveRequest all = wave;
    all.blocks.clear();
    Waves waves(all);
    waves.check();
    for (const unsigned host : drp_hosts(config)) {
        const RnicConfig& rnic = drp_of(config, host).rnic;
        BlockPlace place{config.names[host], &waves};
        place.stalls = kSeed;
        const RtlBlocks blocks(place);
        if (rnic.blocks[Block::gmac] != "model") {
            const StressCounts to = stress(*blocks.mac(rnic), kSeed, frames);
            std::printf(
                "  %s.gmac: %s frames sent; received %s good, %s with a bad FCS, %s runts, %s too long, %s with "
                "RX_ER, %s in pairs\n",
                config.names[host].c_str(), grouped(to.sent).c_str(), grouped(to.good).c_str(),
                grouped(to.damaged).c_str(), grouped(to.runt).c_str(), grouped(to.oversize).c_str(),
                grouped(to.marked).c_str(), grouped(to.close).c_str());
        }
        if (rnic.blocks[Block::frame_filter] != "model") {
            const StressCounts to = stress(*blocks.filter(rnic, kOwn), kOwn, kSeed, frames);
            std::printf(
                "  %s.frame_filter: %s DRP frames, %s ordinary, %s for others, %s malformed, %s that the MAC "
                "calls bad, %s in pairs\n",
                config.names[host].c_str(), grouped(to.drp).c_str(), grouped(to.ordinary).c_str(),
                grouped(to.elsewhere).c_str(), grouped(to.malformed).c_str(), grouped(to.bad).c_str(),
                grouped(to.close).c_str());
        }
        std::fflush(stdout);
    }
}

}  // namespace rnicsim::runner
