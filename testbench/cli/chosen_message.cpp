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

}  // namespace

std::optional<MessageName> chosen_message(const RunConfig& config, const std::string& text) {
    struct Qp {
        std::uint64_t messages = 0;  // that it may send
    };
    std::vector<std::vector<Qp>> qps(config.names.size());  // by host, in the order in which they are made
    std::string example;
    const VerbsLayout layout = lay_out(config);
    for (const auto* const connections : {&layout.connections, &layout.persists}) {  // a host has one kind
        for (const VerbsLayout::Connection& c : *connections) {
            const TrafficConfig& item = config.traffic[c.item];
            for (unsigned side = 0; side < 2; ++side) {
                std::vector<Qp>& of_host = qps[c.ends[side].host];
                of_host.push_back({side == 0 || in_turn(item) ? item.transfers : 0U});
                if (example.empty())
                    example =
                        config.names.message(c.ends[side].host, of_host.size() - 1, std::min(7U, item.transfers - 1));
            }
        }
    }
    for (const applications::Application* const of : applications_in(config)) {  // the same
        for (const ApplicationLayout::Connection& c : lay_out(config, *of).connections) {
            const TrafficConfig& item = config.traffic[c.item];
            for (unsigned side = 0; side < 2; ++side)
                qps[c.ends.at(side).host].push_back({side == 0 ? item.transfers : 0U});
            if (example.empty())
                example = config.names.message(c.ends[0].host, c.ends[0].qp, std::min(7U, item.transfers - 1));
        }
    }
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
    const auto found = std::ranges::find_if(config.traffic, [&](const TrafficConfig& item) {
        return protocol_of(item) != nullptr && std::ranges::find(item.from, message.sender) != item.from.end();
    });
    return found == config.traffic.end() ? nullptr : protocol_of(*found);
}

bool is_of_scheme(const RunConfig& config, const MessageName& message) {
    return std::ranges::any_of(config.traffic, [&](const TrafficConfig& item) {
        return item.verbs.scheme != PersistScheme::none &&
               std::ranges::find(item.from, message.sender) != item.from.end();
    });
}

}  // namespace rnicsim::runner
