// SPDX-License-Identifier: Apache-2.0
#include "testbench/tape/tape_names.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"

#include <algorithm>
#include <map>

namespace rnicsim {

TapeNames::TapeNames() : TapeNames(two_drp_hosts()) {}

TapeNames::TapeNames(const RunConfig& run)
    : hosts_(run.names), network_(run.network), with_transfers_(run.hosts.size()), with_qps_(run.hosts.size()) {
    for (unsigned host = 0; host < run.hosts.size(); ++host) {
        with_transfers_[host] = is_drp(run, host);
        with_qps_[host] = is_verbs(run, host);
    }
    std::map<std::string, int> joined;  // how many links join two nodes
    for (const LinkConfig& link : run.links) {
        const std::string& one = name_of(run, link.between[0]);
        const std::string& other = name_of(run, link.between[1]);
        links_.push_back(link.name);
        ways_.push_back({one + '>' + other, other + '>' + one});
        for (const std::string& way : ways_.back()) ++joined[way];
    }
    for (const ntb::Config& bridge : run.bridges) links_.push_back(bridge.name);
    for (std::size_t i = 0; i < ways_.size(); ++i) {
        for (const std::uint8_t side : {std::uint8_t{0}, std::uint8_t{1}}) {
            std::string& way = ways_[i].at(side);
            if (joined[way] > 1) way += ':' + links_[i];
            by_name_.emplace(way, Direction{static_cast<std::uint16_t>(i), side});
        }
    }
}

std::string TapeNames::first_line() const { return network_ ? "rnicsim fault tape 2" : "rnicsim fault tape 1"; }

std::optional<TapeNames::Direction> TapeNames::find_direction(std::string_view text) const {
    const auto found = by_name_.find(text);
    if (found != by_name_.end()) return found->second;
    return std::nullopt;
}

std::optional<TapeNames::QpName> TapeNames::find(std::string_view text, std::string_view mark) const {
    const std::size_t dot = text.rfind(mark);
    if (dot == std::string_view::npos) return std::nullopt;
    const std::optional<unsigned> host = hosts_.find(text.substr(0, dot));
    if (!host || !has_qps(*host)) return std::nullopt;
    return QpName{static_cast<std::uint16_t>(*host), text.substr(dot + 2)};
}

std::string TapeNames::link(std::uint16_t number) const { return network_ ? "link " + links_.at(number) : "link"; }

std::optional<std::uint16_t> TapeNames::find_link(std::string_view name) const {
    const auto found = std::ranges::find(links_, name);
    if (found == links_.end()) return std::nullopt;
    return static_cast<std::uint16_t>(found - links_.begin());
}

}  // namespace rnicsim
