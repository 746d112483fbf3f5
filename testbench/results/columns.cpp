// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/columns.h"

#include "testbench/results/bridge_use.h"
#include "testbench/results/text.h"
#include "testbench/workloads/transfers/transfer_sample.h"
#include "testbench/workloads/work_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace rnicsim::runner {
namespace {

constexpr int kDecimals = 6;

bool always(const Scope& /*of*/) { return true; }
bool of_network(const Scope& of) { return of.network; }
bool of_bridges(const Scope& of) { return of.bridges; }
/// The closed forms and the indirect buffer are DRP's.
bool of_transfers(const Scope& of) { return of.has(kTransferSample); }

std::string count(std::uint64_t n) { return std::to_string(n); }
std::string share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? std::string() : fixed(static_cast<double>(part) / static_cast<double>(whole), kDecimals);
}
/// With the decimals that the times of such samples have.
std::string sample_time(const TableRow& row, double us) { return fixed(us, sample_kind(row.item()).decimals); }

/// Empty: the item has no bridge of its own.
std::string of_bridge(const TableRow& row, std::uint64_t BridgeUse::*number) {
    const std::optional<BridgeUse> use = bridge_use(row);
    return use ? count((*use).*number) : "";
}
std::string tlps_per_message(const TableRow& row) {
    const std::optional<BridgeUse> use = bridge_use(row);
    return use ? share(use->writes + use->reads, row.of().completed) : "";
}
std::string partial_share(const TableRow& row) {
    const std::optional<BridgeUse> use = bridge_use(row);
    return use ? share(use->partial, use->writes) : "";
}

/// Frames and messages have marks of their own.
std::string indirect_share(const TableRow& row) {
    const bool transfers = &sample_kind(row.item()) == &kTransferSample;
    return share(transfers ? row.of().marked : 0, row.of().completed + row.of().failed);
}

/// The gain stands in the row of the variant that is compared.
std::string gain(const TableRow& row, double Estimate::*of) {
    const std::optional<Comparison>& compare = row.scenario.variants.compare;
    const bool has = compare && row.variant == compare->against && row.point.gain.n > 0;
    return has ? fixed(row.point.gain.*of, kDecimals) : "";
}

constexpr std::array kColumns{
    Column{"traffic", of_network, [](const TableRow& r) { return r.item().name; }},
    Column{"", always, [](const TableRow& r) { return r.scenario.variants.names.at(r.variant); }},
    Column{"repetitions", always, [](const TableRow& r) { return count(r.of().repetitions); }},
    Column{"transfers_completed", always, [](const TableRow& r) { return count(r.of().completed); }},
    Column{"transfers_failed", always, [](const TableRow& r) { return count(r.of().failed); }},
    Column{"mean_us", always, [](const TableRow& r) { return fixed(r.of().time.mean, kDecimals); }},
    Column{"sd_us", always, [](const TableRow& r) { return fixed(r.of().time.sd, kDecimals); }},
    Column{"ci95_us", always, [](const TableRow& r) { return fixed(r.of().time.half_width, kDecimals); }},
    Column{"min_us", always, [](const TableRow& r) { return sample_time(r, r.of().min); }},
    Column{"median_us", always, [](const TableRow& r) { return sample_time(r, r.of().median); }},
    Column{"p90_us", of_network, [](const TableRow& r) { return sample_time(r, r.of().p90); }},
    Column{"p99_us", of_network, [](const TableRow& r) { return sample_time(r, r.of().p99); }},
    Column{"max_us", always, [](const TableRow& r) { return sample_time(r, r.of().max); }},
    Column{"failed_share", of_network,
           [](const TableRow& r) { return share(r.of().failed, r.of().completed + r.of().failed); }},
    Column{"goodput_gbps", of_network, [](const TableRow& r) { return fixed(r.of().goodput, kDecimals); }},
    Column{"jain", of_network, [](const TableRow& r) { return fixed(r.of().jain, kDecimals); }},
    Column{"tlps_per_message", of_bridges, [](const TableRow& r) { return tlps_per_message(r); }},
    Column{"partial_share", of_bridges, [](const TableRow& r) { return partial_share(r); }},
    Column{"credit_stalls", of_bridges, [](const TableRow& r) { return of_bridge(r, &BridgeUse::stalls); }},
    Column{"unsupported_requests", of_bridges, [](const TableRow& r) { return of_bridge(r, &BridgeUse::unsupported); }},
    Column{"indirect_share", of_transfers, [](const TableRow& r) { return indirect_share(r); }},
    Column{"gain", always, [](const TableRow& r) { return gain(r, &Estimate::mean); }},
    Column{"gain_ci95", always, [](const TableRow& r) { return gain(r, &Estimate::half_width); }},
    Column{"theory_us", of_transfers, [](const TableRow& r) { return fixed(r.of().theory, kDecimals); }},
    Column{"theory_setup_us", of_transfers, [](const TableRow& r) { return fixed(r.of().theory_set_up, kDecimals); }},
};

}  // namespace

std::span<const Column> columns() { return kColumns; }

bool Scope::has(const SampleKind& kind) const { return std::ranges::find(kinds, &kind) != kinds.end(); }

std::vector<std::string_view> Scope::parts() const {
    std::vector<std::string_view> names;
    for (const SampleKind* kind : kinds) {
        for (const std::string_view part : kind->parts)
            if (std::ranges::find(names, part) == names.end()) names.push_back(part);
    }
    return names;
}

Scope scope_of(const Scenario& scenario) {
    Scope scope;
    scope.network = !scenario.points.empty() && scenario.points.front().configs.front().network;
    scope.bridges = std::ranges::any_of(scenario.points, [](const SweepPoint& point) {
        return std::ranges::any_of(point.configs, [](const RunConfig& config) { return !config.bridges.empty(); });
    });
    for (const WorkKind& kind : work_kinds()) {
        const auto has = [&](const SweepPoint& point) {
            return std::ranges::any_of(point.configs, [&](const RunConfig& config) {
                return std::ranges::any_of(config.traffic, [&](const TrafficConfig& item) { return kind.has(item); });
            });
        };
        if (!scope.has(kind.samples) && std::ranges::any_of(scenario.points, has)) scope.kinds.push_back(&kind.samples);
    }
    return scope;
}

}  // namespace rnicsim::runner
