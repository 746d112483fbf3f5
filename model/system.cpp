// SPDX-License-Identifier: Apache-2.0
#include "model/system.h"

#include "model/network/switch/switch.h"
#include "model/ntb/bridge.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rnicsim {
System::System(sc_core::sc_module_name name, const RunConfig& config, const EndFactory& ends, FaultSource& faults,
               Observer* observer, BuildOrder order)
    : sc_module(name),
      frames_(largest_frame(config)),
      routes_(config.hosts.size(), config.switches.size(), config.links),
      naming_(ends.naming(config, *this)) {
    sc_assert(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS));
    sc_assert(config.names.size() == config.hosts.size());
    ends_.resize(config.hosts.size());
    const unsigned all_hosts = hosts();
    const auto number_of = [&](const Node& node) {
        return node.kind == Node::Kind::host ? node.index : all_hosts + node.index;
    };
    const auto build_network = [&] {
        for (std::size_t i = 0; i < config.switches.size(); ++i) {
            const auto number = static_cast<unsigned>(i);
            SwitchLogic::Ports ports{{}, routes_.to_hosts(i), headroom_of(config, number, routes_.ports(i))};
            for (const Routes::Port& port : routes_.ports(i)) ports.timing.push_back(config.links[port.link].timing);
            switches_.push_back(std::make_unique<Switch>(
                config.switches[i].name.c_str(), config.switches[i], ports,
                Switch::Environment{frames_, {config.seed, config.repetition}, number, all_hosts + number, observer}));
        }
        for (std::size_t i = 0; i < config.links.size(); ++i) {
            const LinkConfig& link = config.links[i];
            const Link::Environment environment{faults,
                                                frames_,
                                                *naming_,
                                                observer,
                                                static_cast<unsigned>(i),
                                                {number_of(link.between[0]), number_of(link.between[1])}};
            links_.push_back(std::make_unique<Link>(link.name.c_str(), link, environment));
        }
    };
    const auto build_end = [&](unsigned host) {
        ends_[host] = ends.make({host, config, faults, frames_, transactions_, horizon_,
                                 config.links[routes_.of_host(host).front().link].timing, observer});
    };
    switch (order) {
        case BuildOrder::hosts_first:
            for (unsigned host = 0; host < all_hosts; ++host) build_end(host);
            build_network();
            break;
        case BuildOrder::links_first:
            build_network();
            for (unsigned host = all_hosts; host-- > 0;) build_end(host);
            break;
    }
    connect(config);
    build_bridges(config, faults, observer);
}

void EndSystem::join_bridge(ntb::Side& /*side*/, unsigned /*number*/) {
    throw std::logic_error(std::string(name()) + " has no port for a bridge");
}

System::~System() = default;

void System::connect(const RunConfig& config) {
    const auto port_of = [&](unsigned number, std::size_t link, unsigned side) -> Switch::Port& {
        const std::vector<Routes::Port>& ports = routes_.ports(number);
        const auto found = std::ranges::find_if(
            ports, [&](const Routes::Port& port) { return port.link == link && port.side == side; });
        return switches_[number]->port(static_cast<std::size_t>(found - ports.begin()));
    };
    for (std::size_t i = 0; i < links_.size(); ++i) {
        for (unsigned side = 0; side < 2; ++side) {
            Link::Lane& out = links_[i]->from(side);
            Link::Lane& in = links_[i]->from(1 - side);
            const Node node = config.links[i].between.at(side);
            if (node.kind == Node::Kind::host) {
                end(node.index).wire_out().bind(out.in);
                in.out.bind(end(node.index).wire_in());
            } else {
                Switch::Port& port = port_of(node.index, i, side);
                port.out.bind(out.in);
                in.out.bind(port.in);
            }
        }
    }
}

void System::build_bridges(const RunConfig& config, FaultSource& faults, Observer* observer) {
    std::vector<unsigned> of_host(ends_.size());
    for (const ntb::Config& of : config.bridges) {
        bridges_.push_back(std::make_unique<ntb::Bridge>(of.name.c_str(), of, transactions_,
                                                         static_cast<unsigned>(bridges_.size()), observer));
        for (unsigned side = 0; side < 2; ++side) {
            const unsigned host = of.between.at(side), number = of_host[host]++;
            bridges_.back()->side(side).set_first_vector(ntb::kFirstVector + number * ntb::kVectors);
            end(host).join_bridge(bridges_.back()->side(side), number);
        }
        const auto link = static_cast<unsigned>(config.links.size() + bridges_.size() - 1);
        if (faults.concerns_frames(link)) bridges_.back()->follow(faults, link);
    }
}

bool System::idle() const {
    const auto all_idle = [](const auto& parts) {
        return std::ranges::all_of(parts, [](const auto& part) { return part->idle(); });
    };
    return all_idle(links_) && all_idle(ends_) && all_idle(switches_) && all_idle(bridges_);
}

void System::run(Time duration, Ahead ahead) {
    if (ahead == Ahead::allowed) horizon_.set(current_time() + duration);
    sc_core::sc_start(to_sc_time(duration));
}

std::uint64_t System::activations() const {
    std::uint64_t all = 0;
    for (const auto& link : links_) all += link->activations();
    for (const auto& part : switches_) all += part->activations();
    for (const auto& end : ends_) all += end->activations();
    for (const auto& bridge : bridges_) all += bridge->activations();
    return all;
}

}  // namespace rnicsim
