#include "model/network/switch/forwarding_table.h"

namespace rnicsim {

ForwardingTable::ForwardingTable(const SwitchConfig& config, std::vector<std::size_t> routes, std::size_t ports)
    : learns_(config.learning), ageing_(config.ageing), ports_(ports) {
    entries_.reserve(routes.size());
    for (const std::size_t port : routes) entries_.push_back({port, {}, !learns_ && port < ports});
    ways_.reserve(ports);
}

void ForwardingTable::learn(unsigned host, std::size_t port, Time now) {
    if (learns_ && host < entries_.size()) entries_[host] = {port, now, true};
}

const std::vector<std::size_t>& ForwardingTable::ways(std::optional<unsigned> to, std::size_t from_port, Time now) {
    ways_.clear();
    const bool listed = to && *to < entries_.size();
    const bool known = listed && entries_[*to].known && (!learns_ || now - entries_[*to].seen <= ageing_);
    if (known) {
        if (entries_[*to].port != from_port) ways_.push_back(entries_[*to].port);
    } else if (learns_) {
        for (std::size_t port = 0; port < ports_; ++port) {
            if (port != from_port) ways_.push_back(port);
        }
    }
    return ways_;
}

}  // namespace rnicsim
