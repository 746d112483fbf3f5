// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/chosen_message.h"

#include "model/rnic/drp/end/end_config.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tape/tape_names.h"
#include "testbench/workloads/applications/application_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace rnicsim::runner {
namespace {

/// Each once.
std::vector<const applications::Application*> applications_in(const RunConfig& config) {
    std::vector<const applications::Application*> all;
    for (const TrafficConfig& item : config.traffic) {
        const applications::Application* const of = protocol_of(item);
        if (of != nullptr && std::ranges::find(all, of) == all.end()) all.push_back(of);
    }
    return all;
}

/// One that a host's messages or operations are named by.
struct Qp {
    std::uint64_t messages = 0;  // that it may send
    std::size_t item = 0;
};
struct Qps {
    std::vector<std::vector<Qp>> of_host;  // in the order in which they are made, and behind them who has no card
    std::string example;
};

Qps qps_of(const RunConfig& config) {
    Qps all;
    all.of_host.resize(config.names.size());
    const auto add = [&](const auto& ends, std::size_t item, std::uint64_t answers) {
        const std::uint32_t asks = config.traffic[item].transfers;
        for (unsigned side = 0; side < 2; ++side)
            all.of_host[ends.at(side).host].push_back({side == 0 ? asks : answers, item});
        const unsigned from = ends.at(0).host;
        if (all.example.empty())
            all.example = config.names.message(from, all.of_host[from].size() - 1, std::min(7U, asks - 1));
    };
    const VerbsLayout layout = lay_out(config);
    for (const auto* const connections : {&layout.connections, &layout.persists}) {  // a host has one kind
        for (const VerbsLayout::Connection& c : *connections) {
            const TrafficConfig& item = config.traffic[c.item];
            add(c.ends, c.item, in_turn(item) ? item.transfers : 0U);
        }
    }
    for (const applications::Application* const of : applications_in(config)) {
        for (const ApplicationLayout::Connection& c : lay_out(config, *of).connections) add(c.ends, c.item, 0);
    }
    return all;
}

}  // namespace

std::optional<MessageName> chosen_message(const RunConfig& config, const std::string& text) {
    const auto [qps, example] = qps_of(config);
    if (example.empty()) return {};
    const std::optional<TapeNames::QpName> found = TapeNames(config).find_qp(text);
    if (!found && has_drp(config)) return {};
    const auto refuse = [&](const std::string& expected) {
        throw ScenarioError(fmt::format("--transfer {}: expected {}", text, expected));
    };
    if (!found) refuse("a message by host, QP and number, such as " + example);
    MessageName name;
    name.sender = found->host;
    const char* const end = found->number.data() + found->number.size();
    const auto [behind, error] = std::from_chars(found->number.data(), end, name.qp);
    if (error != std::errc{} || behind == end || *behind != '.')
        refuse("a message by host, QP and number, such as " + example);
    const std::vector<Qp>& of_host = qps[name.sender];
    if (name.qp >= of_host.size() || of_host[name.qp].messages == 0) {
        std::string said = fmt::format("one of the {} QPs of {}", of_host.size(), config.names[name.sender]);
        if (name.qp < of_host.size())
            said = config.names.qp(name.sender, name.qp) + " to send messages, but it only answers";
        refuse(said + ", such as " + example);
    }
    const auto [last, wrong] = std::from_chars(behind + 1, end, name.number);
    if (wrong != std::errc{} || last != end || name.number >= of_host[name.qp].messages)
        refuse(fmt::format("a number of 0 .. {} behind {}", of_host[name.qp].messages - 1,
                           config.names.qp(name.sender, name.qp)));
    return name;
}

const applications::Application* application_of(const RunConfig& config, const MessageName& message) {
    return protocol_of(config.traffic[qps_of(config).of_host.at(message.sender).at(message.qp).item]);
}

bool is_of_scheme(const RunConfig& config, const MessageName& message) {
    return std::ranges::any_of(config.traffic, [&](const TrafficConfig& item) {
        return item.verbs.scheme != PersistScheme::none &&
               std::ranges::find(item.from, message.sender) != item.from.end();
    });
}

}  // namespace rnicsim::runner
