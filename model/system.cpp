#include "model/system.h"

#include <algorithm>

namespace rnicsim {
namespace {

/// The least time between a cycle and the first one in which the host or the wire can reach an RNIC. Verilog is
/// clocked by the kernel's time, and frames that overtake one another are taken in the order in which they are sent.
Cycle lookahead(const RunConfig& config, unsigned end) {
    const bool models =
        std::ranges::all_of(config.ends, [](const EndSystemConfig& e) { return e.rnic.blocks == BlockNames(); });
    if (!models || !frames_keep_order(config) || config.tape != nullptr) return Cycle{1};
    const Cycle from_host = config.ends[end].rnic.pcie.latency + Cycle{1};  // at least a cycle on the link
    return std::min(from_host, serialisation(kMinFrameBytes));
}

/// The same of a RoCEv2 RNIC, in cycles of its clock.
Cycle lookahead_of_verbs(const RunConfig& config, unsigned host) {
    if (!frames_keep_order(config) || config.tape != nullptr) return Cycle{1};
    const rc::CardConfig& card = verbs_of(config, host).card;
    const Cycle from_wire = card.clock.cycle(card.wire.serialisation(kMinFrameBytes));
    return std::max(Cycle{1}, std::min(card.pcie.latency, from_wire));
}

}  // namespace

System::System(sc_core::sc_module_name name, const RunConfig& config, const std::vector<std::uint64_t>& memory_bytes,
               const EndBlocks& blocks, FaultSource& faults, Observer* observer, BuildOrder order)
    : sc_module(name),
      frames_(largest_frame(config)),
      routes_(config.names.size(), config.switches.size(), config.links) {
    sc_assert(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS));
    sc_assert(blocks.size() == config.ends.size() &&
              config.names.size() == config.ends.size() + config.verbs.size() + config.stations.size());
    ends_.resize(config.ends.size());
    verbs_.resize(config.verbs.size());
    stations_.resize(config.stations.size());
    const unsigned all_hosts = first_station() + stations();
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
                                                qps_,
                                                observer,
                                                static_cast<unsigned>(i),
                                                {number_of(link.between[0]), number_of(link.between[1])}};
            links_.push_back(std::make_unique<Link>(link.name.c_str(), link, environment));
        }
    };
    const auto build_end = [&](unsigned host) {
        ends_[host] = std::make_unique<DrpEnd>(config.names[host].c_str(), config.ends[host],
                                               DrpEnd::Environment{host,
                                                                   peers_of(config, host),
                                                                   faults,
                                                                   memory_bytes[host],
                                                                   frames_,
                                                                   transactions_,
                                                                   *blocks[host],
                                                                   {lookahead(config, host), horizon_},
                                                                   observer});
    };
    const auto build_verbs = [&](unsigned host) {
        verbs_[host - hosts()] =
            std::make_unique<VerbsEnd>(config.names[host].c_str(), verbs_of(config, host),
                                       VerbsEnd::Environment{host,
                                                             {config.seed, config.repetition},
                                                             memory_bytes[host],
                                                             frames_,
                                                             transactions_,
                                                             {lookahead_of_verbs(config, host), horizon_},
                                                             observer});
    };
    const auto build_station = [&](unsigned host) {
        stations_[host - first_station()] =
            std::make_unique<Station>(config.names[host].c_str(), host, station_of(config, host),
                                      config.links[routes_.of_host(host).front().link].timing, frames_, observer);
    };
    switch (order) {
        case BuildOrder::hosts_first:
            for (unsigned host = 0; host < hosts(); ++host) build_end(host);
            for (unsigned host = hosts(); host < first_station(); ++host) build_verbs(host);
            for (unsigned host = first_station(); host < all_hosts; ++host) build_station(host);
            build_network();
            break;
        case BuildOrder::links_first:
            build_network();
            for (unsigned host = all_hosts; host-- > first_station();) build_station(host);
            for (unsigned host = first_station(); host-- > hosts();) build_verbs(host);
            for (unsigned host = hosts(); host-- > 0;) build_end(host);
            break;
    }
    connect(config);
}

std::optional<QpDirectory::Requester> System::Qps::requester(unsigned host, roce::Qpn number, bool is_self) const {
    if (host < system_.hosts() || host >= system_.first_station()) return {};
    const rc::Qp* const qp = system_.verbs_end(host).rnic.transport().qp(number);
    if (qp == nullptr || qp->state == rc::QpState::reset || qp->state == rc::QpState::init) return {};
    const auto of = [this](unsigned of_host, roce::Qpn of_qp, roce::Psn first) {
        const rc::Qp* const asks = system_.verbs_end(of_host).rnic.transport().qp(of_qp);
        const roce::Psn settled = asks == nullptr ? first : asks->requester.queue.settled();
        return Requester{static_cast<std::uint16_t>(of_host), rc::QpTable::ordinal(of_qp), first, settled};
    };
    const rc::QpAttributes& at = qp->attributes;
    return is_self ? of(host, number, at.sq_psn) : of(raw(at.peer), at.dest_qpn, at.rq_psn);
}

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
            if (node.kind == Node::Kind::host && node.index >= first_station()) {
                station(node.index).out.bind(out.in);
                in.out.bind(station(node.index).in);
            } else if (node.kind == Node::Kind::host && node.index >= hosts()) {
                verbs_end(node.index).wire_out().bind(out.in);
                in.out.bind(verbs_end(node.index).rnic.gmac.wire_in);
            } else if (node.kind == Node::Kind::host) {
                ends_[node.index]->wire_out().bind(out.in);
                in.out.bind(ends_[node.index]->rnic.gmac.wire_in);
            } else {
                Switch::Port& port = port_of(node.index, i, side);
                port.out.bind(out.in);
                in.out.bind(port.in);
            }
        }
    }
}

bool System::idle() const {
    const auto all_idle = [](const auto& parts) {
        return std::ranges::all_of(parts, [](const auto& part) { return part->idle(); });
    };
    return all_idle(links_) && all_idle(ends_) && all_idle(verbs_) && all_idle(stations_) && all_idle(switches_);
}

void System::run(Time duration, Ahead ahead) {
    if (ahead == Ahead::allowed) horizon_.set(current_time() + duration);
    sc_core::sc_start(to_sc_time(duration));
}

std::uint64_t System::activations() const {
    std::uint64_t all = 0;
    for (const auto& link : links_) all += link->activations();
    for (const auto& part : switches_) all += part->activations();
    for (const auto& part : stations_) all += part->activations();
    for (const auto& end : verbs_) all += end->host.activations() + end->rnic.activations();
    for (const auto& end : ends_) all += end->host.activations() + end->rnic.activations();
    return all;
}

}  // namespace rnicsim
