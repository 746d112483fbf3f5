// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/forwarding_table.h"

namespace rnicsim {

ForwardingTable::ForwardingTable(const SwitchConfig& config, std::vector<std::size_t> routes, std::size_t ports)
    : learns_(config.learning), ageing_(config.ageing) {
    entries_.reserve(routes.size());
    for (const std::size_t port : routes) entries_.push_back({port, {}, !learns_ && port < ports});
}

void ForwardingTable::learn(unsigned host, std::size_t port, Time now) {
    if (learns_ && host < entries_.size()) entries_[host] = {port, now, true};
}

std::size_t ForwardingTable::way(std::optional<unsigned> to, std::size_t from_port, Time now) const {
    const bool listed = to && *to < entries_.size();
    if (!listed || !entries_[*to].known || (learns_ && now - entries_[*to].seen > ageing_))
        return learns_ ? kAll : kNone;
    return entries_[*to].port == from_port ? kNone : entries_[*to].port;
}

}  // namespace rnicsim
